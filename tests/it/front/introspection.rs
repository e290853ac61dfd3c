//! A server whose introspection is switched off.

use serde_json::{Value, json};

use super::Example;

const OFF: &[&str] = &["--no-introspection", "--batch-max", "5"];

fn first_error(answer: &Value) -> (&str, &str) {
    let error = &answer["errors"][0];
    (error["extensions"]["code"].as_str().unwrap_or_default(), error["message"].as_str().unwrap_or_default())
}

#[test]
fn introspection_is_refused_except_typename() {
    let example = Example::start(OFF, &[]);
    for document in [
        "{ __schema { types { name } } }",
        "{ __type(name: \"Post\") { name } }",
        "{ ...F } fragment F on Query { posts { totalCount } hidden: __schema { queryType { name } } }",
        "query A { posts { totalCount } } query B { __schema { queryType { name } } }",
    ] {
        let answer = example.serving.ask(document);
        assert_eq!(first_error(&answer).0, "INTROSPECTION_DISABLED", "{document}");
        assert_eq!(answer.get("data"), None);
    }
    assert_eq!(example.serving.status_of("/schema.graphql"), "HTTP/1.1 404 Not Found");
    let data = example.serving.query("{ __typename posts(first: 1) { nodes { __typename } } }");
    assert_eq!(data, json!({ "__typename": "Query", "posts": { "nodes": [{ "__typename": "Post" }] } }));
}

/// Each mistake is one letter away from a name of the schema.
#[test]
fn no_error_suggests_a_name() {
    let mistakes = [
        ("{ post { title } }", "slug"),
        ("{ postz { totalCount } }", "posts"),
        ("{ posts { totalCout } }", "totalCount"),
        ("{ posts(firs: 1) { totalCount } }", "first"),
        ("{ posts(filter: { tag: { any: [] } }) { totalCount } }", "tags"),
        ("{ posts { nodes { ... on Pots { id } } } }", "\"Post\""),
        ("query($f: PostFilte) { posts(filter: $f) { totalCount } }", "PostFilter"),
        ("mutation { createPos(input: {}) { post { id } } }", "createPost"),
        ("mutation { createPost(input: { titel: \"x\" }) { post { id } } }", "title"),
    ];
    let (open, closed) = (Example::start(&[], &[]), Example::start(OFF, &[]));
    let mut suggested = 0;
    for (document, name) in mistakes {
        let message = |example: &Example| example.serving.ask(document)["errors"].to_string();
        suggested += usize::from(message(&open).contains("Did you mean"));
        let errors = message(&closed);
        assert!(!errors.contains("Did you mean"), "{document}: {errors}");
        assert!(errors.contains("message"), "{document}: {errors}");
        assert!(!errors.contains(name), "{document}: {errors}");
    }
    // Otherwise the test would pass for a schema whose errors never suggest a name.
    assert!(suggested >= 4, "{suggested}");
}
