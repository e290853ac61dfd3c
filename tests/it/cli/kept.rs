//! An import over posts that were changed by mutations since the last one: what a person did is kept and told, until it is said otherwise.

use serde_json::{Value, json};

use crate::support::command::{Blog, Ran, Serving};

const TOKEN: &str = "a-token-of-more-than-24-characters";
const ONE: (&str, &str) = ("2025-01-10-one.md", "---\ntitle: One\n---\nOne.\n");
const TWO: (&str, &str) = ("2025-02-20-two.md", "---\ntitle: Two\n---\nTwo.\n");
const THREE: (&str, &str) = ("2025-03-30-three.md", "---\ntitle: Three\n---\nThree.\n");

/// Three posts imported; then the first retitled and the second unpublished by mutations.
fn changed_here() -> Blog {
    let blog = Blog::of(&[ONE, TWO, THREE]);
    assert_eq!(blog.import().code, Some(0));
    let arguments = ["--store", &blog.store()];
    let serving = Serving::start_with(&arguments, &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    let id = |slug: &str| serving.query(&format!("{{ post(slug: {slug:?}) {{ id }} }}"))["post"]["id"].clone();
    let mutate = |mutation: String| {
        let answer =
            serving.ask_as(Some(TOKEN), &format!("mutation {{ done: {mutation} {{ userErrors {{ code }} }} }}"));
        assert_eq!(answer["data"]["done"]["userErrors"], json!([]), "{answer}");
    };
    mutate(format!("updatePost(input: {{ id: {}, version: 1, title: \"Uno\" }})", id("one")));
    mutate(format!("unpublishPost(input: {{ id: {}, version: 1 }})", id("two")));
    assert_eq!(serving.stop().0, Some(0));
    blog
}

/// What everybody sees.
async fn published(blog: &Blog) -> Value {
    blog.query("{ posts { nodes { title version } } }").await["posts"]["nodes"].clone()
}

fn assert_counts(ran: &Ran, counts: &str) {
    assert!(ran.summary().starts_with(counts), "{ran:?}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[tokio::test]
async fn what_was_changed_by_a_mutation_is_kept_and_told() {
    let blog = changed_here();
    let stands = json!([{ "title": "Three", "version": 1 }, { "title": "Uno", "version": 2 }]);
    let dry = blog.import_of(&blog.posts(), &["--dry-run"]);
    assert_counts(&dry, "Dry run, nothing written: 0 made, 0 changed, 1 unchanged, 2 kept, 0 skipped, 0 failed;");
    for _ in 0..2 {
        let again = blog.import();
        assert_counts(&again, "Imported: 0 made, 0 changed, 1 unchanged, 2 kept, 0 skipped, 0 failed;");
        for file in [ONE.0, TWO.0] {
            let told =
                again.err.lines().find(|line| line.starts_with(&format!("note     {file}: changed here since, by ")));
            assert!(told.is_some_and(|line| line.ends_with(": kept; --overwrite takes the file")), "{again:?}");
        }
        assert_eq!(published(&blog).await, stands);
    }
    assert_eq!(blog.check().code, Some(0));
}

#[tokio::test]
async fn an_export_from_before_a_mutation_undoes_nothing_either() {
    let blog = Blog::of(&[ONE, TWO, THREE]);
    blog.import();
    let file = blog.path().join("before.jsonl");
    std::fs::write(&file, blog.export()).expect("a file");
    let blog_changed = changed_here();
    let over = blog_changed.import_of(&file, &[]);
    // Another store's posts have other ids: they are told apart by where they came from.
    assert_counts(&over, "Imported: 0 made, 0 changed, 1 unchanged, 2 kept,");
    assert_eq!(published(&blog_changed).await[1]["title"], "Uno");
}

#[tokio::test]
async fn a_file_edited_meanwhile_is_kept_back_only_where_its_post_was_changed_here() {
    let blog = changed_here();
    blog.write(ONE.0, &ONE.1.replace("One.", "One, edited."));
    blog.write(THREE.0, &THREE.1.replace("Three.", "Three, edited."));
    let again = blog.import();
    assert_counts(&again, "Imported: 0 made, 1 changed, 0 unchanged, 2 kept, 0 skipped, 0 failed;");
    let stands = json!([{ "title": "Three", "version": 2 }, { "title": "Uno", "version": 2 }]);
    assert_eq!(published(&blog).await, stands);
}

#[tokio::test]
async fn overwrite_takes_the_file_as_the_next_version_and_then_it_stands() {
    let blog = changed_here();
    let taken = blog.import_of(&blog.posts(), &["--overwrite"]);
    assert_counts(&taken, "Imported: 0 made, 2 changed, 1 unchanged, 0 skipped, 0 failed;");
    let titles = json!([
        { "title": "Three", "version": 1 }, { "title": "Two", "version": 3 }, { "title": "One", "version": 3 }
    ]);
    assert_eq!(published(&blog).await, titles);
    assert_counts(&blog.import(), "Imported: 0 made, 0 changed, 3 unchanged, 0 skipped, 0 failed;");
    assert_eq!(blog.check().code, Some(0));
}

/// The command of the README, run again.
#[test]
fn a_server_that_imports_at_its_start_undoes_no_mutation() {
    let blog = changed_here();
    let (store, posts) = (blog.store(), blog.posts().display().to_string());
    let serving = Serving::start(&["--store", &store, "--import", &posts]);
    let titles = serving.query("{ posts { nodes { title } } }");
    assert_eq!(titles["posts"]["nodes"], json!([{ "title": "Three" }, { "title": "Uno" }]));
    assert_eq!(serving.stop().0, Some(0));
}
