//! Hostile documents and variables, which would exhaust the parser, the validation or the resolvers.

use std::fmt::Write;
use std::time::{Duration, Instant};

use super::{
    client::{Client, ask, post, query},
    toy::Toy,
};

/// On a busy machine too. Work that grows with the square of the document takes minutes.
const FAST: Duration = Duration::from_secs(20);

/// Each is refused with its code, the connection stays open, and the server still answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_documents_are_refused_fast_with_a_code() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    for (what, document, code) in hostile_documents() {
        let begun = Instant::now();
        client.send(query(&document)).await;
        let answer = client.answer().await;
        assert_eq!((answer.status, answer.code().as_str()), (200, code), "{what}: {}", answer.message());
        assert!(answer.json().get("data").is_none(), "{what}");
        assert!(begun.elapsed() < FAST, "{what} took {:?}", begun.elapsed());
    }
    client.send(query("{ name }")).await;
    assert_eq!(client.answer().await.body, r#"{"data":{"name":"toy"}}"#);
    toy.end().await;
}

fn hostile_documents() -> Vec<(&'static str, String, &'static str)> {
    let repeat = |count: usize, each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
    vec![
        (
            "2,000 nested lists in an argument",
            format!("{{ list(lists: {}{}) }}", "[".repeat(2000), "]".repeat(2000)),
            "QUERY_TOO_DEEP",
        ),
        ("2,000 lists that do not end", format!("{{ list(lists: {}", "[".repeat(2000)), "QUERY_TOO_DEEP"),
        (
            "2,000 nested objects",
            format!("{{ list(filter: {}1{}) }}", "{any:".repeat(2000), "}".repeat(2000)),
            "QUERY_TOO_DEEP",
        ),
        (
            "2,000 nested list types",
            format!("query($x: {}Int{}) {{ name }}", "[".repeat(2000), "]".repeat(2000)),
            "QUERY_TOO_DEEP",
        ),
        ("2,000 nested fields", format!("{}name{}", "{a".repeat(2000), "}".repeat(2000)), "QUERY_TOO_DEEP"),
        ("10,000 nested fields", format!("{}name{}", "{a".repeat(10_000), "}".repeat(10_000)), "QUERY_TOO_DEEP"),
        (
            "2,000 nested inline fragments",
            format!("{}name{}", "{... on Query".repeat(2000), "}".repeat(2000)),
            "QUERY_TOO_DEEP",
        ),
        ("a depth of 17 fields", format!("{}{{name}}{}", "{a".repeat(16), "}".repeat(16)), "QUERY_TOO_DEEP"),
        ("a fragment bomb", fragment_bomb(7, 15), "QUERY_TOO_COMPLEX"),
        ("a fragment bomb of empty spreads", fragment_bomb(30, 10), "QUERY_TOO_COMPLEX"),
        ("a fragment that spreads itself", "{ ...F } fragment F on Query { a { ...F } }".into(), "FRAGMENT_CYCLE"),
        (
            "a cycle of three",
            "{ ...A } fragment A on Query { ...B } fragment B on Query { ...C } fragment C on Query { ...A }".into(),
            "FRAGMENT_CYCLE",
        ),
        ("a cycle that nothing spreads", "{ name } fragment F on Query { ...F }".into(), "FRAGMENT_CYCLE"),
        (
            "a chain of 300 fragments",
            format!("{{ ...F0 }} {}", repeat(300, &|n| format!("fragment F{n} on Query {{ ...F{} }} ", n + 1))),
            "QUERY_TOO_DEEP",
        ),
        ("1,000 aliases", format!("{{ {} }}", repeat(1000, &|n| format!("n{n}: name "))), "QUERY_TOO_COMPLEX"),
        (
            "1,000 aliases below the root",
            format!("{{ a {{ {} }} }}", repeat(1000, &|n| format!("n{n}: name "))),
            "QUERY_TOO_COMPLEX",
        ),
        ("1,000 directives", format!("{{ name {} }}", "@include(if: true)".repeat(1000)), "QUERY_TOO_COMPLEX"),
        ("51 fields at the root", format!("{{ {} }}", "name ".repeat(51)), "QUERY_TOO_COMPLEX"),
        ("10,000 fields", format!("{{ a {{ {} }} }}", "name ".repeat(10_000)), "QUERY_TOO_LARGE"),
        ("100 KB of spaces", " ".repeat(100_000), "QUERY_TOO_LARGE"),
        ("a string that does not end", "{ echo(text: \"x) }".into(), "GRAPHQL_PARSE_FAILED"),
        ("a number out of range", "{ echo(number: 1e999999) }".into(), "GRAPHQL_PARSE_FAILED"),
        ("nothing", String::new(), "GRAPHQL_PARSE_FAILED"),
        ("a schema", "type A { b: C }".into(), "GRAPHQL_PARSE_FAILED"),
        (
            "introspection without end",
            format!("{{ __schema {{ types {{ {} name {} }} }} }}", "fields { type {".repeat(4), "} }".repeat(4)),
            "QUERY_TOO_COMPLEX",
        ),
        ("two operations and no name", "query A { name } query B { name }".into(), "OPERATION_RESOLUTION_FAILURE"),
    ]
}

/// `fragments` fragments, each of which spreads the next `spreads` times.
fn fragment_bomb(fragments: usize, spreads: usize) -> String {
    let mut bomb = String::from("{ ...F0 }");
    for fragment in 0..fragments {
        let next = format!("...F{} ", fragment + 1).repeat(spreads);
        write!(bomb, " fragment F{fragment} on Query {{ {next} }}").expect("writing to a string");
    }
    write!(bomb, " fragment F{fragments} on Query {{ name }}").expect("writing to a string");
    bomb
}

/// The query of GraphiQL, with descriptions, deprecations, and types nested nine levels deep.
#[tokio::test]
async fn the_introspection_query_of_graphiql_is_accepted() {
    let toy = Toy::start().await;
    let answer = ask(toy.address, query(INTROSPECTION)).await;
    let json = answer.json();
    assert_eq!(json.get("errors"), None);
    assert_eq!(json["data"]["__schema"]["queryType"]["name"], "Query");
    toy.end().await;
}

const INTROSPECTION: &str = include_str!("introspection.graphql");

#[tokio::test]
async fn variables_are_bounded_and_checked_before_execution() {
    let toy = Toy::start().await;
    let with = |document: &str, variables: serde_json::Value| {
        post(serde_json::json!({ "query": document, "variables": variables }).to_string())
    };
    let many: Vec<i32> = (0..20_000).collect();
    let answer =
        ask(toy.address, with("query($x: [[Int!]!]) { list(lists: $x) }", serde_json::json!({ "x": [many] }))).await;
    assert_eq!(answer.code(), "QUERY_TOO_LARGE");
    let uses = format!("query($x: [[Int!]!]) {{ a {{ {} }} }}", "list(lists: $x) ".repeat(500));
    let answer = ask(toy.address, with(&uses, serde_json::json!({ "x": [&many[..5_000]] }))).await;
    assert_eq!(answer.code(), "QUERY_TOO_COMPLEX");
    let document = "mutation($x: String!) { write second: write(text: $x) }";
    let answer = ask(toy.address, with(document, serde_json::json!({}))).await;
    assert_eq!((answer.code().as_str(), toy.marks.writes()), ("BAD_USER_INPUT", 0));
    toy.end().await;
}
