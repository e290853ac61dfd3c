//! Commands that use a store file which a server has open: the server shows their changes to the next request, and neither loses anything when the
//! other is killed.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::command::{Blog, Ran, Serving, run};

const ONE: (&str, &str) = ("2025-01-10-one.md", "---\ntitle: One\ntags: [first]\n---\nOne.\n");
const TWO: (&str, &str) = ("2025-02-10-two.md", "---\ntitle: Two\ntags: [second]\n---\nTwo.\n");
/// Every list, count and term that an import of [`TWO`] changes.
const LISTS: &str =
    "{ posts { totalCount nodes { title } } tags { nodes { slug postCount } } archive { month postCount } }";

fn start(blog: &Blog) -> Serving {
    Serving::start(&["--store", &blog.store(), "--import", &blog.posts().display().to_string()])
}

fn token(blog: &Blog, arguments: &[&str]) -> Ran {
    let ran = run(&[&["token"], arguments, &["--store", &blog.store()]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran
}

#[test]
fn a_server_shows_an_import_beside_it_to_the_next_request() {
    let blog = Blog::of(&[ONE]);
    let serving = start(&blog);
    // The second answer is a cached one.
    assert_eq!(serving.query(LISTS), serving.query(LISTS));
    blog.write(TWO.0, TWO.1);
    let (counts, lines) = blog.import().counts_and_lines();
    assert_eq!((counts.as_str(), lines.len()), ("1 created, 0 changed, 1 unchanged, 0 skipped, 0 failed", 0));
    let lists = json!({
        "posts": { "totalCount": 2, "nodes": [{ "title": "Two" }, { "title": "One" }] },
        "tags": { "nodes": [{ "slug": "first", "postCount": 1 }, { "slug": "second", "postCount": 1 }] },
        "archive": [{ "month": 2, "postCount": 1 }, { "month": 1, "postCount": 1 }],
    });
    assert_eq!(serving.query(LISTS), lists);
    let exported = blog.export();
    assert!(exported.contains("\"One\"") && exported.contains("\"Two\""), "{exported}");
    for arguments in [vec!["check"], vec!["check", "--repair"]] {
        let checked = run(&[&arguments[..], &["--store", &blog.store()]].concat());
        assert_eq!((checked.code, checked.err.as_str()), (Some(0), ""), "{checked:?}");
        assert!(checked.out.ends_with(": 0 differences\n"), "{checked:?}");
    }
    assert_eq!(serving.stop().0, Some(0));
    assert!(!blog.path().join("store/tidings.sock").exists(), "the server has left its socket");
    assert_eq!(blog.check().code, Some(0));
}

#[test]
fn a_token_of_a_command_beside_the_server_is_valid_and_revoked_at_once() {
    let blog = Blog::of(&[ONE]);
    let serving = start(&blog);
    let text = token(&blog, &["create", "--role", "editor", "--name", "A"]).out.trim_end().to_owned();
    let viewer = || serving.ask_as(Some(&text), "{ viewer { role } }");
    assert_eq!(viewer()["data"]["viewer"]["role"], json!("EDITOR"));
    let id = text.trim_start_matches("tdg_").split_once('_').expect("an id and a secret").0;
    token(&blog, &["revoke", id]);
    assert_ne!(viewer()["errors"], Value::Null, "a revoked token is accepted");
}

#[test]
fn a_repair_beside_the_server_keeps_what_editors_write_meanwhile() {
    let blog = Blog::of(&[ONE]);
    let settings = [("TIDINGS_EDITOR_TOKEN", "a-token-of-the-tests-that-is-long")];
    let serving =
        Serving::start_with(&["--store", &blog.store(), "--import", &blog.posts().display().to_string()], &settings);
    let is_writing = AtomicBool::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while is_writing.load(Ordering::Relaxed) {
                for arguments in [vec!["check"], vec!["check", "--repair"]] {
                    let ran = run(&[&arguments[..], &["--store", &blog.store()]].concat());
                    assert_eq!(ran.code, Some(0), "{ran:?}");
                }
            }
        });
        for n in 0..60 {
            let create = format!(
                r#"mutation {{ createPost(input: {{ title: "P{n}", markdown: "x", publishAt: "2025-03-01T00:00:00Z" }}) {{ userErrors {{ code }} }} }}"#
            );
            let answer = serving.ask_as(Some(settings[0].1), &create);
            assert_eq!(answer["data"]["createPost"]["userErrors"], json!([]), "{answer}");
        }
        is_writing.store(false, Ordering::Relaxed);
    });
    assert_eq!(serving.query("{ posts { totalCount } }"), json!({ "posts": { "totalCount": 61 } }));
    assert_eq!(blog.check().code, Some(0));
}

#[test]
fn an_import_that_declares_another_index_than_the_server_is_refused() {
    let blog = Blog::of(&[ONE]);
    let file = blog.path().join("fields.graphql");
    std::fs::write(&file, "extend type PostFields { rating: Int @index }").expect("a file");
    let file = file.to_str().expect("a path");
    let serving = start(&blog);
    let refused = blog.import_of(&blog.posts(), &["--site-fields", file]);
    assert!(
        refused.complaint().starts_with("the site declares other fields with @index than the server"),
        "{refused:?}"
    );
    assert_eq!(serving.stop().0, Some(0));
    let serving = Serving::start(&["--store", &blog.store(), "--site-fields", file]);
    assert_eq!(blog.import_of(&blog.posts(), &["--site-fields", file]).code, Some(0));
    assert_eq!(serving.stop().0, Some(0));
}

/// The socket of a server that was killed is still there.
#[test]
fn a_command_opens_the_store_itself_after_its_server_was_killed() {
    let blog = Blog::of(&[ONE]);
    let serving = start(&blog);
    // It is answered over the socket.
    assert_eq!(blog.check().code, Some(0));
    serving.kill();
    assert!(blog.path().join("store/tidings.sock").exists(), "there is no socket");
    assert_eq!(blog.import().counts_and_lines().0, "0 created, 0 changed, 1 unchanged, 0 skipped, 0 failed");
    let serving = Serving::start(&["--store", &blog.store()]);
    assert_eq!(blog.import().code, Some(0));
    assert_eq!(serving.stop().0, Some(0));
}

/// The path of a socket has at most 107 bytes.
#[test]
fn a_store_whose_path_is_long_has_a_socket_too() {
    let blog = Blog::of(&[ONE]);
    let folder = blog.path().join("f".repeat(120)).join("store");
    let store = format!("file:{}", folder.display());
    let serving = Serving::start(&["--store", &store, "--import", &blog.posts().display().to_string()]);
    let checked = run(&["check", "--store", &store]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert_eq!(serving.stop().0, Some(0));
}
