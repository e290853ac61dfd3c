//! The search index of a server: over restarts, after kills, on a disk that fails, and beside other commands. The rule: whatever happens to the index, the
//! server serves, and soon finds everything again.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;

use crate::support::command::{Blog, Serving};
use crate::support::graphql::EDITOR_TOKEN;

const SETTINGS: [(&str, &str); 1] = [("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN)];
const POSTS: [(&str, &str); 2] = [
    ("2025-01-10-one.md", "---\ntitle: One\n---\nA heron.\n"),
    ("2025-02-20-two.md", "---\ntitle: Two\n---\nA heron and a gull.\n"),
];

fn serve(blog: &Blog) -> Serving {
    Serving::start_with(&["--store", &blog.store()], &SETTINGS)
}

/// The slugs of the posts that are found, once the index is built.
fn found(serving: &Serving, text: &str) -> Vec<String> {
    let query = format!("{{ search(query: \"{text} \", first: 100) {{ nodes {{ slug }} }} }}");
    loop {
        let answer = serving.ask(&query);
        if answer["errors"][0]["extensions"]["code"] == "SEARCH_NOT_READY" {
            continue;
        }
        assert_eq!(answer.get("errors"), None, "{answer}");
        let nodes = answer["data"]["search"]["nodes"].as_array().expect("nodes").clone();
        let mut slugs: Vec<String> =
            nodes.iter().map(|node| node["slug"].as_str().expect("a slug").to_owned()).collect();
        slugs.sort();
        return slugs;
    }
}

fn create(serving: &Serving, title: &str) -> Value {
    let input = format!("title: \"{title}\", markdown: \"A heron.\", publish: true");
    serving
        .ask_as(Some(EDITOR_TOKEN), &format!("mutation {{ createPost(input: {{ {input} }}) {{ post {{ slug }} }} }}"))
}

/// The files of the index of what is public, with their times.
fn files(folder: &Path) -> Vec<(String, SystemTime)> {
    let entries = fs::read_dir(folder.join("public")).expect("the index").flatten();
    let file = |entry: fs::DirEntry| {
        let changed = entry.metadata().and_then(|file| file.modified()).expect("a time");
        (entry.file_name().to_string_lossy().into_owned(), changed)
    };
    let mut files: Vec<_> = entries.map(file).filter(|(name, _)| !name.starts_with('.')).collect();
    files.sort();
    files
}

#[test]
fn an_index_is_used_again_and_a_damaged_or_missing_one_is_built_again() {
    let blog = Blog::of(&POSTS);
    assert_eq!(blog.import().code, Some(0));
    let folder = blog.path().join("store/search");
    let serving = serve(&blog);
    assert_eq!(found(&serving, "heron"), ["one", "two"]);
    assert_eq!(serving.stop().0, Some(0));
    let before = files(&folder);
    let serving = serve(&blog);
    assert_eq!(found(&serving, "heron"), ["one", "two"]);
    assert_eq!(serving.stop_with_errors().1.iter().filter(|line| line.contains("search.")).count(), 0);
    assert_eq!(files(&folder), before, "nothing is indexed again");

    let words = before.iter().find(|(name, _)| name.ends_with(".term")).expect("a file of words");
    let words = folder.join("public").join(&words.0);
    let mut bytes = fs::read(&words).expect("a file");
    bytes[12] ^= 0xff;
    fs::write(&words, bytes).expect("it is written");
    let serving = serve(&blog);
    assert_eq!(found(&serving, "heron"), ["one", "two"]);
    let lines = serving.stop_with_errors().1;
    assert!(lines.iter().any(|line| line.contains("search.index_not_opened") && line.contains("damaged")), "{lines:?}");

    fs::remove_dir_all(&folder).expect("it is removed");
    let serving = serve(&blog);
    assert_eq!(found(&serving, "gull"), ["two"]);
    assert_eq!(serving.stop().0, Some(0));
    fs::remove_dir_all(&folder).expect("it is removed");
    fs::write(&folder, "no folder").expect("it is written");
    let serving = serve(&blog);
    assert_eq!(found(&serving, "gull"), ["two"], "in memory");
    assert_eq!(serving.stop().0, Some(0));
}

#[test]
fn an_index_whose_disk_fails_goes_on_in_memory() {
    let blog = Blog::of(&POSTS);
    assert_eq!(blog.import().code, Some(0));
    let serving = serve(&blog);
    assert_eq!(found(&serving, "heron"), ["one", "two"]);
    fs::remove_dir_all(blog.path().join("store/search")).expect("it is removed");
    assert_eq!(create(&serving, "Three")["data"]["createPost"]["post"]["slug"], "three");
    loop {
        let query = "{ search(query: \"heron \") { nodes { slug } } }";
        let answer = serving.ask(query);
        let count = answer["data"]["search"]["nodes"].as_array().map_or(0, Vec::len);
        if count == 3 {
            break;
        }
        assert_eq!(answer["errors"][0]["extensions"]["code"], "SEARCH_NOT_READY", "{answer}");
    }
    let lines = serving.stop_with_errors().1;
    assert!(lines.iter().any(|line| line.contains("search.index_failed")), "{lines:?}");
}

#[test]
fn after_each_kill_everything_acknowledged_is_found() {
    let blog = Blog::of(&POSTS);
    assert_eq!(blog.import().code, Some(0));
    let mut expected = vec!["one".to_owned(), "two".to_owned()];
    for round in 0..6 {
        let serving = serve(&blog);
        for number in 0..3 {
            let title = format!("Round{round}x{number}");
            let slug =
                create(&serving, &title)["data"]["createPost"]["post"]["slug"].as_str().expect("a slug").to_owned();
            expected.push(slug);
        }
        // While the index is opened, built or changed.
        if round % 2 == 1 {
            drop(found(&serving, "heron"));
        }
        serving.kill();
    }
    expected.sort();
    let serving = serve(&blog);
    assert_eq!(found(&serving, "heron"), expected);
    assert_eq!(serving.stop().0, Some(0));
}

#[test]
fn what_an_import_beside_the_server_has_changed_is_found() {
    let blog = Blog::of(&POSTS);
    assert_eq!(blog.import().code, Some(0));
    let serving = serve(&blog);
    assert_eq!(found(&serving, "heron"), ["one", "two"]);
    assert!(serving.get("/readyz", &[]).1.contains("\"search\":\"ready\""));
    blog.write("2025-03-30-three.md", "---\ntitle: Three\n---\nA third heron.\n");
    assert_eq!(blog.import().code, Some(0));
    // A busy machine may need more than the second that a search waits.
    let is_found = (0..300).any(|_| found(&serving, "heron") == ["one", "three", "two"]);
    assert!(is_found, "{:?}", found(&serving, "heron"));
    assert_eq!(serving.stop().0, Some(0));
}

#[test]
fn a_server_without_search_keeps_no_index() {
    let blog = Blog::of(&POSTS);
    assert_eq!(blog.import().code, Some(0));
    let serving = Serving::start(&["--store", &blog.store(), "--no-search"]);
    let answer = serving.ask("{ search(query: \"heron\") { suggestion } }");
    assert_eq!(answer["errors"][0]["extensions"]["code"], "SEARCH_DISABLED", "{answer}");
    assert!(!serving.get("/readyz", &[]).1.contains("search"));
    assert_eq!(serving.stop().0, Some(0));
    assert!(!blog.path().join("store/search").exists());
}
