//! Front matter that Tidings has no field for. The rule: each key of a source is a field that the API returns, or a key of the metadata with an equal value;
//! an import that is repeated changes nothing, and an export has the same bytes after an import of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value, json};

use super::reading::{self, Reading};
use crate::support::corpora::corpora;
use crate::support::folder::{counts, exported, folder, import};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, shown_time};

/// Every post of an export, by its origin.
fn by_origin(exported: &str) -> BTreeMap<String, Value> {
    let records = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let posts = records.filter(|record| record["type"] == "post");
    posts.map(|post| (post["origin"].as_str().expect("an origin").to_owned(), post)).collect()
}

/// Imports a folder twice, exports it, and imports the export into an empty site twice. Returns the posts.
async fn import_and_move(path: &Path) -> BTreeMap<String, Value> {
    let site = Site::in_memory().await;
    let first = counts(&import(&site.content, path).await.expect("an import"));
    assert_eq!((first.1, first.2), (0, 0), "created, or failed with a reason");
    let again = counts(&import(&site.content, path).await.expect("an import"));
    assert_eq!(again, (0, 0, first.0, first.3));
    let text = exported(&site).await;
    let copy = folder(&[("export.jsonl", &text)]);
    let other = Site::in_memory().await;
    for expected in [(first.0, 0, 0, 0), (0, 0, first.0, 0)] {
        let moved = import(&other.content, &copy.path().join("export.jsonl")).await.expect("an import");
        assert_eq!(counts(&moved), expected);
        assert!(exported(&other).await == text, "the same bytes");
    }
    other.assert_sound().await;
    by_origin(&text)
}

#[tokio::test]
async fn unknown_front_matter_is_kept_and_moves_with_the_post() {
    let files = [
        (
            "2025-01-01-one.md",
            "---\ntitle: One\nz: 1.50\ncover: {image: a.png, sizes: [1, 2]}\nday: 2025-02-03\nid: 12345678901234567890\nempty:\n---\n",
        ),
        (
            "2025-01-02-two.md",
            "+++\ntitle = \"Two\"\nz = 0.1\nday = 1979-05-27T07:32:00Z\n[extra]\nteam = \"A\"\nauthors = [\"B\"]\n+++\n",
        ),
        ("2025-01-03-three.md", "---\ntitle: Three\n---\n"),
    ];
    let posts = import_and_move(folder(&files).path()).await;
    let metadata = |origin: &str| posts[origin]["metadata"].clone();
    let one = json!({
        "z": 1.5, "cover": { "image": "a.png", "sizes": [1, 2] }, "day": "2025-02-03", "id": "12345678901234567890", "empty": null,
    });
    assert_eq!(metadata("2025-01-01-one.md"), one);
    assert_eq!(
        metadata("2025-01-02-two.md"),
        json!({ "z": 0.1, "day": "1979-05-27T07:32:00Z", "extra": { "team": "A" } })
    );
    assert_eq!(metadata("2025-01-03-three.md"), json!({}));
}

#[tokio::test]
async fn the_report_counts_the_keys_and_names_the_file_and_the_key_of_metadata_that_is_too_large() {
    let long = format!("---\ntitle: Long\nbig: {}\n---\n", "x".repeat(40_000));
    let files = [
        ("2025-01-01-one.md", "---\ntitle: One\nlayout: post\nextra: {a: 1}\n---\n"),
        ("2025-01-02-two.md", "---\ntitle: Two\nlayout: wide\n---\n"),
        ("2025-01-03-long.md", long.as_str()),
    ];
    let site = Site::in_memory().await;
    let report = import(&site.content, folder(&files).path()).await.expect("an import");
    let keys: Vec<_> = report.metadata.iter().map(|of| (of.key.as_str(), of.posts, of.first.as_str())).collect();
    assert_eq!(keys, [("extra", 1, "2025-01-01-one.md"), ("layout", 2, "2025-01-01-one.md")]);
    let failed: Vec<String> = report.failed.iter().map(ToString::to_string).collect();
    let expected = "2025-01-03-long.md: the front matter without the fields of a post has 40010 bytes as JSON, most of them in \"big\"; at most 32768 are allowed";
    assert_eq!(failed, [expected]);
}

#[tokio::test]
async fn a_change_of_only_the_metadata_of_a_file_is_the_next_version_and_one_of_an_editor_is_kept() {
    let site = Site::in_memory().await;
    let file = |layout: &str| format!("---\ntitle: One\nlayout: {layout}\n---\n");
    for (layout, expected) in [("a", (1, 0, 0, 0)), ("b", (0, 1, 0, 0)), ("b", (0, 0, 1, 0))] {
        let text = file(layout);
        let report = import(&site.content, folder(&[("2025-01-01-one.md", &text)]).path()).await.expect("an import");
        assert_eq!(counts(&report), expected, "{layout}");
    }
    let query = "{ post(slug: \"one\") { id version metadata } }";
    let found = site.query(query).await;
    assert_eq!((&found["post"]["version"], &found["post"]["metadata"]), (&json!(2), &json!({ "layout": "b" })));
    let update = format!(
        "mutation {{ updatePost(input: {{ id: {}, expectedVersion: 2, metadata: {{ layout: \"c\" }} }}) {{ userErrors {{ code }} }} }}",
        found["post"]["id"]
    );
    site.ask_as(Some(EDITOR_TOKEN), &update).await;
    let text = file("d");
    let report = import(&site.content, folder(&[("2025-01-01-one.md", &text)]).path()).await.expect("an import");
    assert_eq!((counts(&report), report.kept), ((0, 0, 0, 0), 1));
    assert_eq!(site.query(query).await["post"]["metadata"], json!({ "layout": "c" }));
}

/// A line of an export of an earlier version has no metadata, so it says nothing about that of the post.
#[tokio::test]
async fn an_export_of_an_earlier_version_keeps_the_metadata_of_the_post() {
    let site = Site::in_memory().await;
    let files = folder(&[("2025-01-01-one.md", "---\ntitle: One\nlayout: a\n---\n")]);
    import(&site.content, files.path()).await.expect("an import");
    let text = exported(&site).await;
    for (old, new, expected, metadata) in [
        ("\"metadata\":{\"layout\":\"a\"},", "", (0, 0, 1, 0), json!({ "layout": "a" })),
        ("{\"layout\":\"a\"}", "[]", (0, 0, 0, 1), json!({ "layout": "a" })),
        ("{\"layout\":\"a\"}", "{}", (0, 1, 0, 0), json!({})),
    ] {
        let changed = text.replace(old, new);
        assert_ne!(changed, text);
        let copy = folder(&[("export.jsonl", &changed)]);
        let report = import(&site.content, &copy.path().join("export.jsonl")).await.expect("an import");
        assert_eq!(counts(&report), expected, "{:?}", report.failed);
        assert_eq!(site.query("{ post(slug: \"one\") { metadata } }").await["post"]["metadata"], metadata);
    }
}

/// Compares every key of every post of a corpus with the post that the API returns. Returns the keys that are in the metadata.
async fn assert_corpus(name: &str, readings: Vec<Reading>) -> Vec<String> {
    let root = corpora().join(name);
    let site = Site::in_memory().await;
    import(&site.content, &root).await.expect("an import");
    let ids = import_and_move(&root).await;
    let own = by_origin(&exported(&site).await);
    assert_eq!(ids.len(), own.len());
    let (mut kept, mut compared) = (BTreeSet::new(), 0);
    for reading in readings {
        let id = format!("post-{}", own[&reading.origin]["id"].as_str().expect("an id"));
        let fields = "title excerpt publishedAt authors { name } categories { name } tags { name } metadata";
        let query = format!("{{ node(id: \"{id}\") {{ ... on Post {{ {fields} }} }} }}");
        // Some posts are later than the clock of the tests.
        let post = site.ask_as(Some(EDITOR_TOKEN), &query).await["data"]["node"].clone();
        let text = std::fs::read_to_string(root.join(&reading.origin)).expect("a file");
        let mut expected = Map::new();
        for (key, value) in head_of(&text) {
            compared += 1;
            let names = |field: &str, names: &[String]| {
                let found = post[field].as_array().expect("a list").iter();
                let found: BTreeSet<String> = found.map(|term| lower(&term["name"])).collect();
                assert_eq!(found, names.iter().cloned().collect(), "{}: {key}", reading.origin);
            };
            match key.as_str() {
                "title" => assert_eq!(post["title"], reading.title, "{}", reading.origin),
                // One post of Jekyll's blog has a date that nothing can read, so the day in its name is taken.
                "date" if value.as_str().is_some_and(|date| date.split(' ').count() <= 3) => {
                    assert_eq!(post["publishedAt"], shown_time(reading.published_at.expect("a date")));
                }
                "summary" | "description" => assert_eq!(post["excerpt"], value, "{}", reading.origin),
                "by" | "author" | "authors" => names("authors", &reading.authors),
                "category" | "categories" => names("categories", &reading.categories),
                "tags" => names("tags", &reading.tags),
                _ => drop(expected.insert(key, value)),
            }
        }
        assert_eq!(post["metadata"], Value::Object(expected.clone()), "{}", reading.origin);
        kept.extend(expected.into_iter().map(|(key, _)| key));
    }
    assert!(compared > 2 * own.len(), "{compared} keys of {} posts", own.len());
    kept.into_iter().collect()
}

fn lower(name: &Value) -> String {
    name.as_str().expect("a text").to_lowercase()
}

/// The keys and values of the front matter of these corpora, which share no code with the importer: one line each, except for lists, texts without
/// quotes, and the table `extra` at the end.
fn head_of(text: &str) -> Vec<(String, Value)> {
    let (fence, separator) = if text.starts_with("+++") { ("+++", " = ") } else { ("---", ":") };
    let mut head: Vec<(String, Value)> = Vec::new();
    let mut is_in_table = false;
    let mut lines = text.lines().skip(1).take_while(|line| *line != fence).filter(|line| !line.trim().is_empty());
    while let Some(line) = lines.next() {
        let mut line = line.to_owned();
        while line.contains("= [") && !line.ends_with(']') {
            line.push_str(lines.next().expect("the end of a list").trim());
        }
        let line = line.replace(",]", "]").replace("\",\"", "\", \"");
        if line.starts_with("  ") && !line.trim_start().starts_with("- ") {
            // The next line of a text without quotes.
            let (_, value) = head.last_mut().expect("a key before its text");
            *value = format!("{} {}", value.as_str().unwrap_or_default(), line.trim()).trim().into();
        } else if let Some(item) = line.trim_start().strip_prefix("- ") {
            let (_, value) = head.last_mut().expect("a key before its items");
            if value.is_null() {
                *value = json!([]);
            }
            value.as_array_mut().expect("a list").push(value_of(item));
        } else if line == "[extra]" {
            is_in_table = true;
            head.push(("extra".to_owned(), json!({})));
        } else {
            let (key, value) = line.split_once(separator).unwrap_or_else(|| panic!("no key: {line}"));
            match head.last_mut().filter(|_| is_in_table) {
                Some((_, table)) => table[key] = value_of(value),
                None => head.push((key.to_owned(), value_of(value))),
            }
        }
    }
    head
}

fn value_of(text: &str) -> Value {
    let text = text.trim();
    match text.as_bytes() {
        [] => Value::Null,
        b"[]" => json!([]),
        [b'[', .., b']'] => text[1..text.len() - 1].split(", ").map(value_of).collect(),
        [b'\'', b'\'', b'\'', .., b'\'', b'\'', b'\''] => text[3..text.len() - 3].into(),
        [b'\'', .., b'\''] => text[1..text.len() - 1].replace("''", "'").into(),
        [b'"', .., b'"'] => serde_json::from_str(text).expect("a text without escapes of its own"),
        b"true" => true.into(),
        b"false" => false.into(),
        _ => serde_json::from_str::<serde_json::Number>(text).map_or_else(|_| text.into(), Value::Number),
    }
}

#[tokio::test]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
async fn every_key_of_the_go_blog_is_a_field_or_in_the_metadata() {
    let readings = reading::go_blog(&corpora().join("go-blog"));
    assert_eq!(assert_corpus("go-blog", readings).await, ["template"]);
}

#[tokio::test]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
async fn every_key_of_the_blog_of_jekyll_is_a_field_or_in_the_metadata() {
    let readings = reading::jekyll_blog(&corpora().join("jekyll-blog"));
    let kept = assert_corpus("jekyll-blog", readings).await;
    assert_eq!(kept, ["date", "filters_linked_to", "layout", "redirect_from", "version"]);
}

#[tokio::test]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
async fn every_key_of_the_blog_of_rust_is_a_field_or_in_the_metadata() {
    let readings = reading::rust_blog(&corpora().join("rust-blog"));
    assert_eq!(assert_corpus("rust-blog", readings).await, ["aliases", "extra", "path"]);
}

/// The custom fields of the posts, found by another way than that of the import.
#[tokio::test]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
async fn every_custom_field_of_wordpress_is_in_the_metadata() {
    let file = corpora().join("wordpress/themeunittestdata.wordpress.xml");
    let posts = import_and_move(&file).await;
    let text = std::fs::read_to_string(&file).expect("the export").replace("<![CDATA[", "").replace("]]>", "");
    let mut found = 0;
    for item in text.split("<item>").skip(1).filter(|item| item.contains("<wp:post_type>post</wp:post_type>")) {
        let inner = |text: &str, tag: &str| {
            let rest = text.split_once(&format!("<{tag}>")).map_or("", |(_, rest)| rest);
            rest.split_once(&format!("</{tag}>")).map_or("", |(inner, _)| inner).to_owned()
        };
        let mut expected = Map::new();
        for meta in item.split("<wp:postmeta>").skip(1) {
            let (key, value) = (inner(meta, "wp:meta_key"), inner(meta, "wp:meta_value"));
            if !key.starts_with('_') {
                let value = match expected.remove(&key) {
                    None => json!(value),
                    Some(Value::Array(values)) => values.into_iter().chain([json!(value)]).collect(),
                    Some(first) => json!([first, value]),
                };
                expected.insert(key, value);
            }
        }
        found += expected.len();
        for format in item.split("<category domain=\"post_format\"").skip(1) {
            let name = format.split_once('>').and_then(|(_, rest)| rest.split_once('<')).expect("a name").0;
            expected.insert("post_format".to_owned(), json!([name]));
        }
        let origin = format!("https://wpthemetestdata.wordpress.com/?p={}", inner(item, "wp:post_id"));
        assert_eq!(posts[&origin]["metadata"], Value::Object(expected), "{origin}");
    }
    assert_eq!(found, 2);
}
