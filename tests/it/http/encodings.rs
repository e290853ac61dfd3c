//! Answers in fewer bytes. curl decodes them, which has code of its own for each format.

use std::process::Command;

use super::{client::query, toy::Toy};

const DOCUMENT: &str = "{ long(bytes: 100000) }";

/// What curl makes of the answer, and how many bytes of body came.
fn curled(url: &str, encoding: &str, document: &str) -> (String, usize, String) {
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
    let said = String::from_utf8(output.stdout).expect("text");
    let (text, told) = said.rsplit_once('\n').unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let (size, encoding) = told.split_once(' ').expect("a size and an encoding");
    (text.to_owned(), size.parse().expect("a size"), encoding.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_answer_comes_in_the_format_that_the_client_takes() {
    let toy = Toy::start().await;
    let url = format!("http://{}/graphql", toy.address);
    let plain = format!(r#"{{"data":{{"long":"{}"}}}}"#, "x".repeat(100_000));
    for encoding in ["br", "zstd", "gzip"] {
        let (text, size, told) = curled(&url, encoding, DOCUMENT);
        assert_eq!((text == plain, told.as_str()), (true, encoding));
        assert!(size < 2_000, "{encoding}: {size} bytes");
    }
    assert_eq!(curled(&url, "identity", DOCUMENT).1, plain.len());
    assert_eq!(curled(&url, "deflate", DOCUMENT).2, "");
    toy.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_short_answer_comes_as_it_is() {
    let toy = Toy::start().await;
    let (text, _, told) = curled(&format!("http://{}/graphql", toy.address), "br, gzip, zstd", "{ name }");
    assert_eq!((text.as_str(), told.as_str()), (r#"{"data":{"name":"toy"}}"#, ""));
    let answer = super::client::ask(toy.address, query("{ name }")).await;
    assert_eq!(answer.header("content-length"), Some("23"));
    toy.end().await;
}
