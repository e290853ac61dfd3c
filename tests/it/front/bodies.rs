//! Queries of few bytes that ask for many: of the same bodies, in many forms, again and again.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Example;

/// The longest post of the example blog, a hundred times.
fn ids(example: &Example) -> String {
    let data = example.serving.query("{ posts(first: 100) { nodes { id body { wordCount } } } }");
    let posts = data["posts"]["nodes"].as_array().expect("posts").clone();
    let longest = posts.iter().max_by_key(|post| post["body"]["wordCount"].as_i64()).expect("a post");
    serde_json::to_string(&vec![longest["id"].clone(); 100]).expect("ids")
}

#[test]
fn an_answer_holds_no_more_text_than_its_bound() {
    let example = Example::start(&[], &[]);
    let forms: String = (0..90).map(|n| format!("a{n}: html ")).collect();
    let answer =
        example.serving.ask(&format!("{{ nodes(ids: {}) {{ ... on Post {{ body {{ {forms} }} }} }} }}", ids(&example)));
    let codes: Vec<_> = answer["errors"].as_array().expect("errors").iter().map(|e| &e["extensions"]["code"]).collect();
    assert!(codes.iter().all(|code| **code == json!("ANSWER_TOO_LARGE")), "{codes:?}");
    let bytes = answer.to_string().len();
    assert!(bytes < 30 * 1024 * 1024, "{bytes} bytes");
}

/// Two thousand objects of one text: it is rendered once.
#[test]
fn a_text_is_rendered_once_however_often_it_is_asked_for() {
    let example = Example::start(&[], &[]);
    let ids = ids(&example);
    let many: String = (0..20).map(|n| format!("b{n}: nodes(ids: {ids}) {{ ...F }} ")).collect();
    let begun = Instant::now();
    let data = example.serving.query(&format!("{{ {many} }} fragment F on Post {{ body {{ wordCount }} }}"));
    assert_eq!(data["b19"].as_array().map(Vec::len), Some(100));
    // Rendered for each, it is half a minute and more.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn more_values_than_can_be_held_are_refused_before_anything_runs() {
    let example = Example::start(&[], &[]);
    let excerpts: String = (0..94).map(|n| format!("a{n}: excerpt ")).collect();
    let answer = example
        .serving
        .ask(&format!("{{ tags(first: 100) {{ nodes {{ posts(first: 100) {{ nodes {{ {excerpts} }} }} }} }} }}"));
    let error = &answer["errors"][0];
    assert_eq!(error["extensions"]["code"], "QUERY_TOO_COMPLEX");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("the limit is"), "{message}");
}
