//! `serve`: from the first command that a new user runs to a stop that loses nothing.

use std::path::Path;

use serde_json::json;

use crate::support::command::{Blog, Serving, finish, run, tidings};

const POST: (&str, &str) = ("2025-03-04-hello.md", "---\ntitle: Hello\ntags: [first]\n---\nHello.\n");
const HELLO: &str = r#"{ post(slug: "hello") { title body { html } tags { slug } } posts { totalCount } }"#;

/// The lines behind the first, of a server that was asked to stop: where the playground is, and the end.
fn lines_of(serving: &Serving) -> Vec<String> {
    vec![format!("Playground at http://{}/", serving.address), "Stopped.".to_owned()]
}

fn start(blog: &Blog) -> Serving {
    Serving::start(&["--store", &blog.store(), "--import", &blog.posts().display().to_string()])
}

#[test]
fn it_imports_answers_and_stops_with_nothing_lost() {
    let blog = Blog::of(&[POST]);
    let expected = json!({
        "post": { "title": "Hello", "body": { "html": "<p>Hello.</p>\n" }, "tags": [{ "slug": "first" }] },
        "posts": { "totalCount": 1 },
    });
    let first = start(&blog);
    assert_eq!(first.query(HELLO), expected);
    let lines = lines_of(&first);
    assert_eq!(first.stop(), (Some(0), lines));
    let second = Serving::start(&["--store", &blog.store()]);
    assert_eq!(second.query(HELLO), expected);
    let lines = lines_of(&second);
    assert_eq!(second.stop(), (Some(0), lines));
    assert_eq!(blog.check().code, Some(0));
}

#[test]
fn the_example_blog_is_served_whole() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog");
    let blog = Blog::of(&[]);
    let serving = Serving::start(&["--store", &blog.store(), "--import", &example.display().to_string()]);
    let data = serving.query(r#"{ post(slug: "why-we-wash-our-html") { title author { name } } }"#);
    assert_eq!(data, json!({ "post": { "title": "Why We Wash Our HTML", "author": { "name": "Fionn O'Malley" } } }));
    assert_eq!(serving.stop().0, Some(0));
}

#[test]
fn it_serves_no_playground_where_none_is_wanted() {
    let blog = Blog::of(&[POST]);
    let serving = Serving::start(&["--create", "--no-playground", "--store", &blog.store()]);
    assert!(serving.status_of("/playground/favicon.svg").contains(" 404 "));
    assert_eq!(serving.stop(), (Some(0), vec!["Stopped.".to_owned()]));
}

#[test]
fn a_stop_asked_for_as_soon_as_it_listens_is_a_clean_one() {
    let blog = Blog::of(&[POST]);
    for _ in 0..10 {
        let serving = Serving::start(&["--create", "--store", &blog.store()]);
        let lines = lines_of(&serving);
        assert_eq!(serving.stop(), (Some(0), lines));
    }
}

#[test]
fn an_interrupt_stops_it_as_well() {
    let blog = Blog::of(&[POST]);
    let serving = start(&blog);
    serving.signal("INT");
    assert_eq!(serving.stop().0, Some(0));
}

/// The store is free again as soon as the process is gone, even where it was killed.
#[test]
fn a_killed_server_leaves_a_store_that_opens() {
    let blog = Blog::of(&[POST]);
    let serving = start(&blog);
    serving.signal("KILL");
    drop(serving);
    assert_eq!(blog.check().code, Some(0));
    assert_eq!(Serving::start(&["--create", "--store", &blog.store()]).stop().0, Some(0));
}

#[test]
fn a_post_that_fails_does_not_keep_the_others_from_being_served() {
    let blog = Blog::of(&[POST, ("bad.md", "---\ntitle: [\n---\n")]);
    let serving = start(&blog);
    assert_eq!(serving.query("{ posts { totalCount } }"), json!({ "posts": { "totalCount": 1 } }));
}

#[test]
fn a_second_process_is_told_which_file_is_open_and_what_to_do() {
    let blog = Blog::of(&[POST]);
    let serving = start(&blog);
    let posts = blog.posts().display().to_string();
    for arguments in [
        vec!["serve", "--listen", "127.0.0.1:0", "--store", &blog.store()],
        vec!["import", &posts, "--store", &blog.store()],
        vec!["export", "--store", &blog.store()],
        vec!["check", "--store", &blog.store()],
    ] {
        let refused = run(&arguments);
        let file = blog.path().join("store/tidings.redb");
        let expected = format!(
            "{} is open in another process: stop that one, or give this one a store of its own with --store",
            file.display()
        );
        assert_eq!(refused.complaint(), expected, "{arguments:?}");
    }
    assert_eq!(serving.query(HELLO)["posts"]["totalCount"], json!(1));
}

#[test]
fn a_port_that_is_taken_is_told_before_anything_is_imported() {
    let blog = Blog::of(&[POST]);
    let serving = start(&blog);
    let other = Blog::of(&[POST]);
    let posts = other.posts().display().to_string();
    let refused = run(&["serve", "--listen", &serving.address, "--store", &other.store(), "--import", &posts]);
    let complaint = refused.complaint();
    assert!(complaint.starts_with(&format!("cannot listen at {}: ", serving.address)), "{complaint}");
    assert!(complaint.ends_with("choose another with --listen ADDRESS:PORT"), "{complaint}");
    assert!(!other.path().join("store").exists(), "the store was made");
}

#[test]
fn an_address_that_is_none_is_told_the_form() {
    let blog = Blog::of(&[]);
    for address in ["nowhere", "127.0.0.1", "127.0.0.1:99999", ""] {
        let refused = run(&["serve", "--listen", address, "--store", &blog.store()]);
        assert!(refused.complaint().contains("--listen ADDRESS:PORT"), "{refused:?}");
    }
}

#[test]
fn a_log_setting_that_is_none_is_refused_with_the_form() {
    let mut command = tidings(&["serve", "--create", "--store", &Blog::of(&[]).store()]);
    command.env("TIDINGS_LOG", "((nonsense");
    let refused = finish(command);
    let complaint = refused.complaint();
    assert!(complaint.starts_with("TIDINGS_LOG: ") && complaint.contains("such as info"), "{refused:?}");
}
