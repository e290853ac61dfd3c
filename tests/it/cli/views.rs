//! View counts of a server that is started with the setting, and stops before it has written them.

use serde_json::json;

use super::watch::until;
use crate::support::command::{Blog, Serving};

const TOKEN: &str = "a-token-of-more-than-24-characters";

fn start(blog: &Blog) -> Serving {
    let settings = [("TIDINGS_EDITOR_TOKEN", TOKEN), ("TIDINGS_VIEWS_MONTHS", "2")];
    Serving::start_with(&["--create", "--store", &blog.store()], &settings)
}

/// A server with one published post.
fn start_with_a_post(blog: &Blog) -> Serving {
    let server = start(blog);
    let created = server.ask_as(
        Some(TOKEN),
        "mutation { createPost(input: { slug: \"a\", title: \"A\", markdown: \"b\", publish: true }) { userErrors { message } } }",
    );
    assert_eq!(created["data"]["createPost"]["userErrors"], json!([]), "{created}");
    server
}

fn view(server: &Serving, agent: &str) {
    let (head, _) = server.post_to("/views", &[("content-type", "text/plain"), ("user-agent", agent)], "a");
    assert!(head.starts_with("HTTP/1.1 204"), "{head}");
}

#[test]
fn views_that_wait_are_written_when_the_server_stops() {
    let blog = Blog::of(&[]);
    let server = start_with_a_post(&blog);
    for agent in ["Firefox", "Firefox", "Chrome", "Googlebot/2.1"] {
        view(&server, agent);
    }
    assert_eq!(server.stop().0, Some(0));
    let server = start(&blog);
    let data = server.query("{ post(slug: \"a\") { views } popular(days: 1) { post { slug } views } }");
    assert_eq!(data, json!({ "post": { "views": 2 }, "popular": [{ "post": { "slug": "a" }, "views": 2 }] }));
    assert_eq!(server.stop().0, Some(0));
    assert_eq!(blog.check().code, Some(0));
}

#[test]
fn a_killed_server_loses_only_the_views_that_it_has_not_written() {
    let blog = Blog::of(&[]);
    let server = start_with_a_post(&blog);
    ["Firefox", "Chrome", "Safari"].iter().for_each(|agent| view(&server, agent));
    let views = |server: &Serving| server.query("{ post(slug: \"a\") { views } }")["post"]["views"].clone();
    // A query shows the views that were written.
    until(json!(3), || views(&server));
    ["Opera", "Vivaldi"].iter().for_each(|agent| view(&server, agent));
    server.kill();
    let server = start(&blog);
    let kept = views(&server).as_u64().expect("a number");
    assert!((3..=5).contains(&kept), "{kept}");
    assert_eq!(server.stop().0, Some(0));
    assert_eq!(blog.check().code, Some(0));
}
