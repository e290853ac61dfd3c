//! The end of a publication, on a running server and on one that was not running then.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::command::{Blog, Serving};

const TOKEN: &str = "a-token-of-more-than-24-characters";

fn start(blog: &Blog) -> Serving {
    Serving::start_with(&["--create", "--store", &blog.store()], &[("TIDINGS_EDITOR_TOKEN", TOKEN)])
}

/// Creates a post that is public for this long.
fn create(server: &Serving, slug: &str, public_for: Duration) {
    let at = tidings::app::now().to_chrono() + public_for;
    let input = format!(
        "slug: \"{slug}\", title: \"A\", markdown: \"b\", publish: true, unpublishAt: \"{}\"",
        at.format("%Y-%m-%dT%H:%M:%S%.3fZ")
    );
    let answer = server.ask_as(
        Some(TOKEN),
        &format!("mutation {{ createPost(input: {{ {input} }}) {{ userErrors {{ message }} }} }}"),
    );
    assert_eq!(answer["data"]["createPost"]["userErrors"], json!([]), "{answer}");
}

fn is_public(server: &Serving, slug: &str) -> bool {
    !server.query(&format!("{{ post(slug: \"{slug}\") {{ id }} }}"))["post"].is_null()
}

#[test]
fn a_post_disappears_at_its_end_also_if_no_server_was_running_then() {
    let blog = Blog::of(&[]);
    let server = start(&blog);
    create(&server, "a", Duration::from_secs(10));
    assert!(is_public(&server, "a"));
    let begun = Instant::now();
    while is_public(&server, "a") {
        assert!(begun.elapsed() < Duration::from_secs(60), "it is still public");
        std::thread::sleep(Duration::from_millis(100));
    }
    create(&server, "b", Duration::from_secs(3_600));
    create(&server, "c", Duration::from_secs(10));
    assert_eq!(server.stop().0, Some(0));
    std::thread::sleep(Duration::from_secs(10));
    let server = start(&blog);
    assert_eq!(["b", "c"].map(|slug| is_public(&server, slug)), [true, false]);
    assert_eq!(server.stop().0, Some(0));
    assert_eq!(blog.check().code, Some(0));
}
