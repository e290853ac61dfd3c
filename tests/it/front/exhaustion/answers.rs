//! Answers that clients do not read.

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::attack::{Attack, CACHES, MEMORY_MAX, peak_memory};
use crate::front::well_behaved::{ask, post, request};
use crate::support::command::{Blog, Serving};
use crate::support::graphql::EDITOR_TOKEN;

const POSTS: usize = 40;
const BODY_BYTES: usize = 250_000;

/// A blog of long posts.
fn long_posts() -> (Blog, Serving) {
    let text = |n: usize| {
        let paragraph = format!("A paragraph of post {n}, which is long and of no interest.\n\n");
        format!(
            "---\ntitle: Post {n}\ndate: 2024-01-{:02}\n---\n{}",
            n % 28 + 1,
            paragraph.repeat(BODY_BYTES / paragraph.len())
        )
    };
    let files: Vec<(String, String)> = (0..POSTS).map(|n| (format!("post-{n}.md"), text(n))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let blog = Blog::of(&files);
    let imported = blog.import();
    assert_eq!(imported.code, Some(0), "{imported:?}");
    let serving = Serving::start_with(&["--store", &blog.store()], &CACHES);
    (blog, serving)
}

/// Its answer is close to the maximum size: every body, twice.
fn long_query() -> String {
    format!("{{ posts(first: {POSTS}) {{ nodes {{ a: body {{ markdown }} b: body {{ markdown }} }} }} }}")
}

/// Eighty clients; half of the answers are compressed.
#[test]
fn unread_answers_stay_within_the_memory_budget() {
    let (_blog, serving) = long_posts();
    let attack = Attack::on("1: answers that nobody takes", &serving);
    let unread: Vec<TcpStream> = (0..80)
        .map(|n| {
            let headers = if n % 2 == 0 { "accept-encoding: gzip\r\n" } else { "" };
            let headers = format!("content-type: application/json\r\n{headers}");
            let body = json!({ "query": long_query() }).to_string();
            let mut stream = TcpStream::connect(&serving.address).expect("a connection");
            stream.write_all(&request("POST /graphql", &headers, body.as_bytes())).expect("a request");
            stream
        })
        .collect();
    // Half of the time for which the server keeps an answer that its client does not read.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(15) {
        attack.wait_for_answers(1);
    }
    attack.hold();
    attack.end();
    drop(unread);
    // The server has released the memory of the attack: a client that reads gets its answer.
    let (status, answer) = ask_until_served(&serving.address, &post(json!({ "query": long_query() })));
    assert_eq!((status, answer["data"]["posts"]["nodes"].as_array().map(Vec::len)), (200, Some(POSTS)));
    assert!(peak_memory(serving.id()).is_none_or(|peak| peak < MEMORY_MAX));
    assert_eq!(serving.stop().0, Some(0));
}

/// Retries after a 503, because the server may still be closing the connections of the attack.
fn ask_until_served(address: &str, sent: &[u8]) -> (u16, serde_json::Value) {
    let begun = Instant::now();
    loop {
        let answered = ask(address, sent);
        if answered.0 != 503 || begun.elapsed() > Duration::from_secs(60) {
            return answered;
        }
        thread::sleep(Duration::from_millis(200));
    }
}

/// The bodies of versions are in memory until the answer is complete, whether or not it has them.
#[test]
fn versions_that_need_more_memory_than_all_answers_may_are_refused_with_a_code() {
    let blog = Blog::of(&[("2024-01-01-one.md", "---\ntitle: One\n---\nThe text.\n")]);
    assert_eq!(blog.import().code, Some(0));
    let settings = [("TIDINGS_LIMITS_ANSWER_BYTES", "2097152"), ("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN)];
    let serving = Serving::start_with(&["--store", &blog.store()], &settings);
    let ask = |query: &str| serving.ask_as(Some(EDITOR_TOKEN), query);
    let id = ask(r#"{ post(slug: "one") { id } }"#)["data"]["post"]["id"].take();
    for version in 1..=10 {
        let markdown = format!("Version {version}. {}", "A paragraph. ".repeat(BODY_BYTES / 13));
        let query = "mutation($input: UpdatePostInput!) { updatePost(input: $input) { userErrors { code } } }";
        let input = json!({ "id": id, "expectedVersion": version, "markdown": markdown });
        let bearer = format!("Bearer {EDITOR_TOKEN}");
        let update = json!({ "query": query, "variables": { "input": input } });
        let (_, updated) = serving.post(&[("authorization", bearer.as_str())], &update);
        assert_eq!(updated["data"]["updatePost"]["userErrors"], json!([]), "{updated}");
    }
    let versions =
        |first: i32| format!(r#"{{ post(slug: "one") {{ revisions(first: {first}) {{ nodes {{ version }} }} }} }}"#);
    let refused = ask(&versions(11));
    assert_eq!(refused["errors"][0]["extensions"]["code"], "OVERLOADED", "{refused}");
    let served = ask(&versions(3));
    assert_eq!(
        served["data"]["post"]["revisions"]["nodes"],
        json!([{ "version": 11 }, { "version": 10 }, { "version": 9 }])
    );
    assert_eq!(serving.stop().0, Some(0));
}

/// An answer that is larger than the memory of all answers is refused; a smaller one is sent.
#[test]
fn an_answer_larger_than_the_memory_of_all_answers_is_refused_with_a_code() {
    let (blog, serving) = long_posts();
    let store = blog.store();
    assert_eq!(serving.stop().0, Some(0));
    let settings = [("TIDINGS_LIMITS_ANSWER_BYTES", "2097152")];
    let serving = Serving::start_with(&["--store", &store], &settings);
    let (status, refused) = ask(&serving.address, &post(json!({ "query": long_query() })));
    assert_eq!((status, refused["errors"][0]["extensions"]["code"].as_str()), (503, Some("OVERLOADED")), "{refused}");
    assert_eq!((refused["errors"].as_array().map(Vec::len), refused.get("data")), (Some(1), None));
    let short = "{ posts(first: 1) { nodes { body { markdown } } } }";
    assert_eq!(ask(&serving.address, &post(json!({ "query": short }))).0, 200);
    assert_eq!(serving.stop().0, Some(0));
}
