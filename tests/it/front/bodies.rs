//! Short queries with long answers, which select the same bodies many times and in many forms.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Example;

/// The id of the longest post of the example blog, a hundred times.
fn ids(example: &Example) -> String {
    let data = example.serving.query("{ posts(first: 100) { nodes { id body { wordCount } } } }");
    let posts = data["posts"]["nodes"].as_array().expect("posts").clone();
    let longest = posts.iter().max_by_key(|post| post["body"]["wordCount"].as_i64()).expect("a post");
    serde_json::to_string(&vec![longest["id"].clone(); 100]).expect("ids")
}

#[test]
fn the_text_of_an_answer_is_bounded() {
    let example = Example::start(&[], &[]);
    let forms: String = (0..90).map(|n| format!("a{n}: html ")).collect();
    let answer =
        example.serving.ask(&format!("{{ nodes(ids: {}) {{ ... on Post {{ body {{ {forms} }} }} }} }}", ids(&example)));
    let codes: Vec<_> = answer["errors"].as_array().expect("errors").iter().map(|e| &e["extensions"]["code"]).collect();
    assert!(codes.iter().all(|code| **code == json!("ANSWER_TOO_LARGE")), "{codes:?}");
    let bytes = answer.to_string().len();
    assert!(bytes < 30 * 1024 * 1024, "{bytes} bytes");
}

/// The query selects the body of one post two thousand times.
#[test]
fn a_body_is_rendered_once_however_often_a_query_selects_it() {
    let example = Example::start(&[], &[]);
    let ids = ids(&example);
    let many: String = (0..20).map(|n| format!("b{n}: nodes(ids: {ids}) {{ ...F }} ")).collect();
    let begun = Instant::now();
    let data = example.serving.query(&format!("{{ {many} }} fragment F on Post {{ body {{ wordCount }} }}"));
    assert_eq!(data["b19"].as_array().map(Vec::len), Some(100));
    // Rendering it for each object would take more than half a minute.
    assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
}

#[test]
fn a_query_for_too_many_values_is_refused_before_execution() {
    let example = Example::start(&[], &[]);
    let excerpts: String = (0..94).map(|n| format!("a{n}: excerpt ")).collect();
    let answer = example
        .serving
        .ask(&format!("{{ tags(first: 100) {{ nodes {{ ...T }} }} }} fragment T on Tag {{ posts(first: 100) {{ nodes {{ tags {{ ...U }} }} }} }} fragment U on Tag {{ posts(first: 100) {{ nodes {{ {excerpts} }} }} }}"));
    let error = &answer["errors"][0];
    assert_eq!(error["extensions"]["code"], "QUERY_TOO_COMPLEX");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("the limit is"), "{message}");
}
