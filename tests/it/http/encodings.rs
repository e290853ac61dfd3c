//! Compressed answers. curl decodes them, so that the formats are checked by another implementation.

use std::process::Command;

use super::{client::query, toy::Toy};

const DOCUMENT: &str = "{ long(bytes: 100000) }";

/// The decoded answer, the number of body bytes, and the content encoding.
fn fetch_with_curl(url: &str, encoding: &str, document: &str) -> (String, usize, String) {
    let body = serde_json::json!({ "query": document }).to_string();
    let output = Command::new("curl")
        .args([
            "-sS",
            "--max-time",
            "20",
            "--compressed",
            "-H",
            &format!("accept-encoding: {encoding}"),
            "-H",
            "content-type: application/json",
        ])
        .args(["-d", &body, "-w", "\\n%{size_download} %header{content-encoding}", url])
        .output()
        .expect("curl runs: install it (Debian: apt-get install curl)");
    let printed = String::from_utf8(output.stdout).expect("text");
    let (text, measured) =
        printed.rsplit_once('\n').unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let (size, encoding) = measured.split_once(' ').expect("a size and an encoding");
    (text.to_owned(), size.parse().expect("a size"), encoding.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_answer_is_compressed_in_the_accepted_format() {
    let toy = Toy::start().await;
    let url = format!("http://{}/graphql", toy.address);
    let plain = format!(r#"{{"data":{{"long":"{}"}}}}"#, "x".repeat(100_000));
    for accepted in ["gzip", "br, gzip"] {
        let (text, size, used) = fetch_with_curl(&url, accepted, DOCUMENT);
        assert_eq!((text == plain, used.as_str()), (true, "gzip"));
        assert!(size < 2_000, "{accepted}: {size} bytes");
    }
    assert_eq!(fetch_with_curl(&url, "identity", DOCUMENT).1, plain.len());
    assert_eq!(fetch_with_curl(&url, "deflate", DOCUMENT).2, "");
    toy.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_short_answer_is_not_compressed() {
    let toy = Toy::start().await;
    let (text, _, used) = fetch_with_curl(&format!("http://{}/graphql", toy.address), "br, gzip", "{ name }");
    assert_eq!((text.as_str(), used.as_str()), (r#"{"data":{"name":"toy"}}"#, ""));
    let answer = super::client::ask(toy.address, query("{ name }")).await;
    assert_eq!(answer.header("content-length"), Some("23"));
    toy.end().await;
}
