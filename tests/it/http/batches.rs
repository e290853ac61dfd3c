//! Batches of requests in one body: off by default, bounded if switched on, with a separate answer for each request.

use serde_json::{Value, json};
use tidings::http::{HttpSettings, ServerLimits};

use super::{
    client::{Answer, ask, post, post_with},
    toy::Toy,
};

async fn start_with_batch_max(batch_max: usize) -> Toy {
    Toy::start_with(HttpSettings { batch_max, ..HttpSettings::default() }, ServerLimits::default()).await
}

fn batch(documents: &[&str]) -> Vec<u8> {
    post(Value::from_iter(documents.iter().map(|document| json!({ "query": document }))).to_string())
}

fn outcome(answer: &Answer) -> (u16, String, String) {
    (answer.status, answer.code(), answer.message())
}

#[tokio::test]
async fn five_thousand_operations_are_refused_whether_batches_are_on_or_off() {
    let many = batch(&["mutation { write }"; 5000]);
    let (off, on) = (Toy::start().await, start_with_batch_max(10).await);
    let refused = "This server accepts one request per body; send them one by one.";
    assert_eq!(outcome(&ask(off.address, &many).await), (400, "BATCHING_NOT_SUPPORTED".into(), refused.into()));
    let refused = "The array has 5000 requests; the limit is 10.";
    assert_eq!(outcome(&ask(on.address, &many).await), (400, "BATCH_TOO_LARGE".into(), refused.into()));
    assert_eq!((off.marks.writes(), on.marks.writes()), (0, 0));
    off.end().await;
    on.end().await;
}

#[tokio::test]
async fn the_answers_of_a_batch_have_the_order_of_its_requests() {
    let toy = start_with_batch_max(10).await;
    let body = json!([
        { "query": "{ name }" },
        { "query": "{ nothing }" },
        7,
        { "query": "mutation { write }" },
        { "query": "query($n: Int) { echo(number: $n) }", "variables": { "n": 7 } },
        { "query": "subscription { name }" },
        { "query": "{" },
    ]);
    let headers = "content-type: application/json\r\naccept: application/graphql-response+json\r\n";
    let answer = ask(toy.address, post_with(headers, body.to_string())).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json; charset=utf-8")));
    let outcomes: Vec<Value> = answer
        .json()
        .as_array()
        .into_iter()
        .flatten()
        .map(|each| each.get("data").unwrap_or(&each["errors"][0]["extensions"]["code"]).clone())
        .collect();
    let expected = json!([
        { "name": "toy" },
        "GRAPHQL_VALIDATION_FAILED",
        "BAD_REQUEST",
        { "write": 0 },
        { "echo": " 7" },
        "NOT_ACCEPTABLE",
        "GRAPHQL_PARSE_FAILED",
    ]);
    assert_eq!(Value::from(outcomes), expected);
    assert_eq!(toy.marks.writes(), 1);
    toy.end().await;
}
