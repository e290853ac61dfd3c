//! View counts of a server that is started with the setting, and stops before it has written them.

use serde_json::json;

use crate::support::command::{Blog, Serving};

const TOKEN: &str = "a-token-of-more-than-24-characters";

fn start(blog: &Blog) -> Serving {
    let settings = [("TIDINGS_EDITOR_TOKEN", TOKEN), ("TIDINGS_VIEWS_MONTHS", "2")];
    Serving::start_with(&["--create", "--store", &blog.store()], &settings)
}

#[test]
fn views_that_wait_are_written_when_the_server_stops() {
    let blog = Blog::of(&[]);
    let server = start(&blog);
    let created = server.ask_as(
        Some(TOKEN),
        "mutation { createPost(input: { slug: \"a\", title: \"A\", markdown: \"b\", publish: true }) { userErrors { message } } }",
    );
    assert_eq!(created["data"]["createPost"]["userErrors"], json!([]), "{created}");
    for agent in ["Firefox", "Firefox", "Chrome", "Googlebot/2.1"] {
        let (head, _) = server.post_to("/views", &[("content-type", "text/plain"), ("user-agent", agent)], "a");
        assert!(head.starts_with("HTTP/1.1 204"), "{head}");
    }
    assert_eq!(server.stop().0, Some(0));
    let server = start(&blog);
    let data = server.query("{ post(slug: \"a\") { views } popular(days: 1) { post { slug } views } }");
    assert_eq!(data, json!({ "post": { "views": 2 }, "popular": [{ "post": { "slug": "a" }, "views": 2 }] }));
    assert_eq!(server.stop().0, Some(0));
    assert_eq!(blog.check().code, Some(0));
}
