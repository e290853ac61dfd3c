//! Commands that use a store file which a server has open: the server shows their changes to the next request, and neither loses anything when the
//! other is killed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::assets::files::png;
use crate::assets::process::{TOKEN, post as add_picture};
use crate::support::command::{Blog, Ran, Serving, run};
use crate::support::folder::contents_of;

const ONE: (&str, &str) = ("2025-01-10-one.md", "---\ntitle: One\ntags: [first]\n---\nOne.\n");
const TWO: (&str, &str) = ("2025-02-10-two.md", "---\ntitle: Two\ntags: [second]\n---\nTwo.\n");
/// More than three exports take.
const ROUNDS_MAX: usize = 1_000;
const PATIENCE: Duration = Duration::from_secs(120);
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

/// Each round adds a picture, a public post with it as its cover, and a draft, retitles the draft of the round before, and deletes the public post of
/// three rounds ago.
fn edit(serving: &Serving, rounds: &AtomicUsize, is_over: &AtomicBool) {
    let mutate = |field: &str, input: &str| {
        let payload = if field == "deletePost" { "" } else { "post { id }" };
        let mutation = format!("mutation {{ {field}(input: {{ {input} }}) {{ {payload} userErrors {{ code }} }} }}");
        let answer = serving.ask_as(Some(TOKEN), &mutation)["data"][field].clone();
        assert_eq!(answer["userErrors"], json!([]), "{field}: {answer}");
        answer["post"]["id"].clone()
    };
    let mut made: Vec<[Value; 2]> = Vec::new();
    while !is_over.load(Ordering::Relaxed) && made.len() < ROUNDS_MAX {
        let n = made.len();
        let picture = png(40, 20 + u32::try_from(n).expect("few rounds"));
        let (status, added) = add_picture(&serving.address, "?name=p.png", picture.len(), std::iter::once(picture));
        let added: Value = serde_json::from_slice(&added).expect("JSON");
        assert_eq!(status, 201, "{added}");
        let cover = &added["asset"]["id"];
        let public = format!(
            r#"title: "P{n}", markdown: "x", tagSlugs: ["t{n}"], createMissingTags: true, coverId: {cover}, publishAt: "2025-03-01T00:00:00Z""#
        );
        let ids = [public, format!(r#"title: "D{n}", markdown: "y""#)].map(|input| mutate("createPost", &input));
        if let Some([_, draft]) = made.last() {
            mutate("updatePost", &format!(r#"id: {draft}, expectedVersion: 1, title: "S{}""#, n - 1));
        }
        if let Some([public, _]) = n.checked_sub(3).and_then(|earlier| made.get(earlier)) {
            mutate("deletePost", &format!("id: {public}, expectedVersion: 1"));
        }
        made.push(ids);
        rounds.store(made.len(), Ordering::Relaxed);
    }
}

/// The titles after each change of [`edit`], from the end of this number of rounds to the end of the last one.
fn moments(begun: usize, last: usize) -> Vec<BTreeSet<String>> {
    let (mut titles, mut moments) = (BTreeSet::new(), Vec::new());
    for n in 0..=last {
        let earlier = |by: usize, letter: &str| n.checked_sub(by).map(|n| format!("{letter}{n}"));
        let changes = [
            (None, Some(format!("P{n}"))),
            (None, Some(format!("D{n}"))),
            (earlier(1, "D"), earlier(1, "S")),
            (earlier(3, "P"), None),
        ];
        for (removed, added) in changes {
            titles.retain(|title| Some(title) != removed.as_ref());
            titles.extend(added);
            moments.push(titles.clone());
        }
    }
    moments.split_off(4 * begun - 1)
}

/// The titles of [`edit`] in a store.
fn titles(blog: &Blog) -> BTreeSet<String> {
    let exported = blog.export();
    let lines = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let titles = lines.filter_map(|line| line["title"].as_str().map(str::to_owned));
    titles.filter(|title| title.strip_prefix(['P', 'D', 'S']).is_some_and(|n| n.parse::<usize>().is_ok())).collect()
}

#[test]
fn an_export_beside_a_server_that_is_written_to_is_a_sound_copy() {
    let blog = Blog::of(&[]);
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/blog");
    let arguments = ["--store", &blog.store(), "--import", example];
    let serving = Serving::start_with(&arguments, &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    let (rounds, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let export = |number: usize| {
        let begun = rounds.load(Ordering::Relaxed);
        let folder = blog.path().join(format!("export-{number}"));
        let ran = run(&["export", &folder.display().to_string(), "--store", &blog.store()]);
        (folder, ran, begun, rounds.load(Ordering::Relaxed))
    };
    let exporting = || {
        let (mut exports, end) = (Vec::new(), Instant::now() + PATIENCE);
        while exports.len() < 3 && Instant::now() < end {
            // Each export begins after some more rounds.
            match rounds.load(Ordering::Relaxed) < 4 * (exports.len() + 1) {
                true => std::thread::sleep(Duration::from_millis(5)),
                false => exports.push(export(exports.len())),
            }
        }
        is_over.store(true, Ordering::Relaxed);
        exports
    };
    let exports = std::thread::scope(|scope| {
        let exporting = scope.spawn(exporting);
        edit(&serving, &rounds, &is_over);
        exporting.join().expect("no panic")
    });
    assert_eq!(exports.len(), 3);
    for (folder, ran, begun, ended) in exports {
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
        let copy = Blog::of(&[]);
        let ran = copy.import_of(&folder, &[]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let checked = copy.check();
        assert_eq!((checked.code, checked.err.as_str()), (Some(0), ""), "{checked:?}");
        assert!(checked.out.ends_with(": 0 differences\n"), "{checked:?}");
        let found = titles(&copy);
        assert!(moments(begun, ended).contains(&found), "no moment of the rounds {begun} to {ended}: {found:?}");
        let again = copy.path().join("again");
        let ran = run(&["export", &again.display().to_string(), "--store", &copy.store()]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(contents_of(&again) == contents_of(&folder), "the copy has everything that was exported");
    }
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
