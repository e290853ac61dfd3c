//! An import of posts that mutations have changed since the last import: the import keeps and reports those changes, unless it runs with
//! `--overwrite`.

use serde_json::{Value, json};

use crate::support::command::{Blog, Ran, Serving, run};

const TOKEN: &str = "a-token-of-more-than-24-characters";
const ONE: (&str, &str) = ("2025-01-10-one.md", "---\ntitle: One\n---\nOne.\n");
const TWO: (&str, &str) = ("2025-02-20-two.md", "---\ntitle: Two\n---\nTwo.\n");
const THREE: (&str, &str) = ("2025-03-30-three.md", "---\ntitle: Three\n---\nThree.\n");

/// Imports three posts; then a mutation retitles the first, and another unpublishes the second.
fn changed_by_mutations() -> Blog {
    let blog = Blog::of(&[ONE, TWO, THREE]);
    assert_eq!(blog.import().code, Some(0));
    change_by_mutations(&blog, TOKEN);
    blog
}

fn change_by_mutations(blog: &Blog, token: &str) {
    let arguments = ["--store", &blog.store()];
    let serving = Serving::start_with(&arguments, &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    let id = |slug: &str| serving.query(&format!("{{ post(slug: {slug:?}) {{ id }} }}"))["post"]["id"].clone();
    let mutate = |mutation: String| {
        let answer =
            serving.ask_as(Some(token), &format!("mutation {{ done: {mutation} {{ userErrors {{ code }} }} }}"));
        assert_eq!(answer["data"]["done"]["userErrors"], json!([]), "{answer}");
    };
    mutate(format!("updatePost(input: {{ id: {}, expectedVersion: 1, title: \"Uno\" }})", id("one")));
    mutate(format!("unpublishPost(input: {{ id: {}, expectedVersion: 1 }})", id("two")));
    assert_eq!(serving.stop().0, Some(0));
}

/// The published posts.
async fn published(blog: &Blog) -> Value {
    blog.query("{ posts { nodes { title version } } }").await["posts"]["nodes"].clone()
}

fn assert_counts(ran: &Ran, counts: &str) {
    assert!(ran.summary().starts_with(counts), "{ran:?}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[tokio::test]
async fn an_import_keeps_and_reports_what_a_mutation_changed() {
    let blog = changed_by_mutations();
    let expected = json!([{ "title": "Three", "version": 1 }, { "title": "Uno", "version": 2 }]);
    let dry = blog.import_of(&blog.posts(), &["--dry-run"]);
    assert_counts(&dry, "Dry run, nothing written: 0 created, 0 changed, 1 unchanged, 2 kept, 0 skipped, 0 failed;");
    for _ in 0..2 {
        let again = blog.import();
        assert_counts(&again, "Imported: 0 created, 0 changed, 1 unchanged, 2 kept, 0 skipped, 0 failed;");
        for file in [ONE.0, TWO.0] {
            let note = again
                .err
                .lines()
                .find(|line| line.starts_with(&format!("note     {file}: was changed since the last import by ")));
            assert!(note.is_some_and(|line| line.ends_with(", so it is kept; --overwrite replaces it")), "{again:?}");
        }
        assert_eq!(published(&blog).await, expected);
    }
    assert_eq!(blog.check().code, Some(0));
}

#[tokio::test]
async fn changes_by_a_token_with_the_name_import_are_kept() {
    let blog = Blog::of(&[ONE, TWO, THREE]);
    assert_eq!(blog.import().code, Some(0));
    let created = run(&["token", "create", "--role", "editor", "--name", "import", "--store", &blog.store()]);
    change_by_mutations(&blog, created.out.trim_end());
    let again = blog.import();
    assert_counts(&again, "Imported: 0 created, 0 changed, 1 unchanged, 2 kept, 0 skipped, 0 failed;");
    let expected = json!([{ "title": "Three", "version": 1 }, { "title": "Uno", "version": 2 }]);
    assert_eq!(published(&blog).await, expected);
}

#[tokio::test]
async fn importing_an_older_export_keeps_what_a_mutation_changed() {
    let blog = Blog::of(&[ONE, TWO, THREE]);
    blog.import();
    let file = blog.path().join("before.jsonl");
    std::fs::write(&file, blog.export()).expect("a file");
    let blog_changed = changed_by_mutations();
    let over = blog_changed.import_of(&file, &[]);
    // The posts of another store have other ids: the import identifies them by their source.
    assert_counts(&over, "Imported: 0 created, 0 changed, 1 unchanged, 2 kept,");
    assert_eq!(published(&blog_changed).await[1]["title"], "Uno");
}

#[tokio::test]
async fn an_edited_file_is_kept_back_only_if_a_mutation_changed_its_post() {
    let blog = changed_by_mutations();
    blog.write(ONE.0, &ONE.1.replace("One.", "One, edited."));
    blog.write(THREE.0, &THREE.1.replace("Three.", "Three, edited."));
    let again = blog.import();
    assert_counts(&again, "Imported: 0 created, 1 changed, 0 unchanged, 2 kept, 0 skipped, 0 failed;");
    let expected = json!([{ "title": "Three", "version": 2 }, { "title": "Uno", "version": 2 }]);
    assert_eq!(published(&blog).await, expected);
}

#[tokio::test]
async fn overwrite_imports_the_file_as_the_next_version_and_the_next_import_changes_nothing() {
    let blog = changed_by_mutations();
    let taken = blog.import_of(&blog.posts(), &["--overwrite"]);
    assert_counts(&taken, "Imported: 0 created, 2 changed, 1 unchanged, 0 skipped, 0 failed;");
    let titles = json!([
        { "title": "Three", "version": 1 }, { "title": "Two", "version": 3 }, { "title": "One", "version": 3 }
    ]);
    assert_eq!(published(&blog).await, titles);
    assert_counts(&blog.import(), "Imported: 0 created, 0 changed, 3 unchanged, 0 skipped, 0 failed;");
    assert_eq!(blog.check().code, Some(0));
}

/// The command of the README, run for the second time.
#[test]
fn an_import_at_the_start_of_a_server_undoes_no_mutation() {
    let blog = changed_by_mutations();
    let (store, posts) = (blog.store(), blog.posts().display().to_string());
    let serving = Serving::start(&["--store", &store, "--import", &posts]);
    let titles = serving.query("{ posts { nodes { title } } }");
    assert_eq!(titles["posts"]["nodes"], json!([{ "title": "Three" }, { "title": "Uno" }]));
    assert_eq!(serving.stop().0, Some(0));
}
