//! `tidings import --prune`. The rule: it lists only what imports from this folder made and nobody else changed, and removes nothing without a yes.

use std::fs;

use serde_json::json;

use crate::support::command::{Blog, Ran, Serving};

const ONE: (&str, &str) = ("2025-01-10-one.md", "---\ntitle: One\n---\nOne.\n");
const TWO: (&str, &str) = ("2025-02-10-two.md", "---\ntitle: Two\n---\nTwo.\n");
const TOKEN: &str = "a-token-of-the-tests-that-is-long";

/// The lines that list something, of an import with this exit code.
#[track_caller]
fn listed(ran: &Ran, code: i32) -> Vec<&str> {
    assert_eq!(ran.code, Some(code), "{ran:?}");
    ran.err.lines().filter(|line| line.starts_with("gone ")).collect()
}

fn slugs(serving: &Serving) -> serde_json::Value {
    serving.query("{ posts { nodes { slug } } }")["posts"]["nodes"].clone()
}

#[test]
fn a_deleted_file_is_listed_and_its_post_removed_after_a_yes() {
    let blog = Blog::of(&[ONE, TWO]);
    assert_eq!(listed(&blog.import_of(&blog.posts(), &["--prune"]), 0), [""; 0]);
    blog.remove(TWO.0);
    let gone = ["gone     2025-02-10-two.md: post two"];
    assert_eq!(listed(&blog.import_of(&blog.posts(), &["--prune", "--dry-run"]), 3), gone);
    // Without a terminal, nobody is asked.
    let asked = blog.import_of(&blog.posts(), &["--prune"]);
    assert_eq!(listed(&asked, 3), gone);
    assert!(blog.export().contains("\"slug\":\"two\""), "it was removed without a yes");
    let report = blog.path().join("report.json");
    let removed = blog.import_of(&blog.posts(), &["--prune", "--yes", "--report", report.to_str().expect("UTF-8")]);
    assert_eq!(listed(&removed, 0), gone);
    assert_eq!(removed.summary(), "Removed: 1");
    let report: serde_json::Value = serde_json::from_slice(&fs::read(report).expect("a report")).expect("JSON");
    assert_eq!(report["gone"], json!([{ "origin": "2025-02-10-two.md", "text": "post two" }]));
    assert!(!blog.export().contains("\"slug\":\"two\""));
    assert!(blog.check().out.ends_with(": 0 differences\n"));
}

#[test]
fn pages_are_removed_with_the_folder_pages_above_them() {
    let blog =
        Blog::of(&[ONE, ("docs/deep/a.md", "---\ntitle: A\n---\nA.\n"), ("about.md", "---\ntitle: About\n---\nUs.\n")]);
    assert_eq!(blog.import().code, Some(0));
    fs::remove_dir_all(blog.posts().join("docs")).expect("a folder");
    let removed = blog.import_of(&blog.posts(), &["--prune", "--yes"]);
    let gone =
        ["gone     docs/deep/a.md: page docs/deep/a", "gone     docs/deep: page docs/deep", "gone     docs: page docs"];
    let mut found = listed(&removed, 0);
    found.sort_unstable();
    assert_eq!(found, gone);
    let exported = blog.export();
    assert!(exported.contains("\"path\":\"about\"") && !exported.contains("\"path\":\"docs"), "{exported}");
    assert!(blog.check().out.ends_with(": 0 differences\n"));
}

#[test]
fn other_folders_other_clients_and_other_formats_are_not_listed() {
    let blog = Blog::of(&[ONE, TWO]);
    let other = blog.path().join("other");
    crate::support::folder::write(&other, "2025-03-01-other.md", "---\ntitle: Other\n---\nOther.\n");
    assert_eq!(blog.import_of(&other, &[]).code, Some(0));
    let serving = Serving::start_with(&["--store", &blog.store()], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    assert_eq!(blog.import().code, Some(0));
    let made = r#"mutation { createPost(input: { title: "Mine", markdown: "x", publishAt: "2025-01-01T00:00:00Z" }) { userErrors { code } } }"#;
    assert_eq!(serving.ask_as(Some(TOKEN), made)["data"]["createPost"]["userErrors"], json!([]));
    let id = serving.query("{ post(slug: \"two\") { id } }")["post"]["id"].clone();
    let edit = format!(
        r#"mutation {{ updatePost(input: {{ id: {id}, expectedVersion: 1, title: "Two!" }}) {{ userErrors {{ code }} }} }}"#
    );
    assert_eq!(serving.ask_as(Some(TOKEN), &edit)["data"]["updatePost"]["userErrors"], json!([]));
    blog.remove(TWO.0);
    blog.write("2025-04-01-more.md", "---\ntitle: More\n---\nMore.\n");
    assert_eq!(listed(&blog.import_of(&blog.posts(), &["--prune", "--yes"]), 0), [""; 0]);
    let all =
        json!([{ "slug": "more" }, { "slug": "other" }, { "slug": "two" }, { "slug": "one" }, { "slug": "mine" }]);
    assert_eq!(slugs(&serving), all);
}

#[test]
fn a_folder_with_an_error_or_without_posts_lists_nothing() {
    let blog = Blog::of(&[ONE, TWO]);
    assert_eq!(blog.import().code, Some(0));
    blog.remove(TWO.0);
    blog.write("2025-03-01-bad.md", "---\ntitle: [Bad\n---\nBad.\n");
    let refused = blog.import_of(&blog.posts(), &["--prune", "--yes"]);
    assert!(listed(&refused, 2)[0].starts_with("gone     nothing is listed"), "{refused:?}");
    blog.remove("2025-03-01-bad.md");
    blog.remove(ONE.0);
    for more in [&[][..], &["README.md"]] {
        more.iter().for_each(|name| blog.write(name, "No post.\n"));
        let ran = blog.import_of(&blog.posts(), &["--prune", "--yes"]);
        assert!(!ran.err.contains("gone  ") && !ran.out.contains("Removed"), "{ran:?}");
    }
    let exported = blog.export();
    assert!(exported.contains("\"slug\":\"one\"") && exported.contains("\"slug\":\"two\""), "{exported}");
}

#[test]
fn a_renamed_file_is_the_same_post_and_a_draft_too() {
    let draft = "---\ntitle: Later\ndraft: true\n---\nLater.\n";
    let blog = Blog::of(&[ONE, TWO, ("later.md", draft)]);
    assert_eq!(blog.import().code, Some(0));
    let ids = |blog: &Blog| {
        let lines: Vec<serde_json::Value> =
            blog.export().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let of = |title: &str| lines.iter().find(|line| line["title"] == title).expect("a post")["id"].clone();
        [of("One"), of("Two"), of("Later")]
    };
    let before = ids(&blog);
    let rename = |from: &str, to: &str| fs::rename(blog.posts().join(from), blog.posts().join(to)).expect("a file");
    rename(ONE.0, "2025-01-10-uno.md");
    rename("later.md", "soon.md");
    let ran = blog.import_of(&blog.posts(), &["--prune", "--yes"]);
    assert_eq!(listed(&ran, 0), [""; 0]);
    assert_eq!(ran.counts_and_lines().0, "0 created, 2 changed, 1 unchanged, 0 skipped, 0 failed");
    assert_eq!(ids(&blog), before);
    assert!(blog.export().contains("\"slug\":\"soon\""));
}

/// As if half of the folder were on a disk that is not mounted.
#[test]
fn most_of_a_folder_is_not_removed_without_a_question() {
    let text = |n: u32| format!("---\ntitle: Post {n}\n---\nPost {n}.\n");
    let files: Vec<_> = (1..13).map(|n| (format!("below/2025-01-{n:02}-post-{n}.md"), text(n))).collect();
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let blog = Blog::of(&[&[ONE], &files[..]].concat());
    assert_eq!(blog.import().code, Some(0));
    let away = blog.path().join("away");
    fs::rename(blog.posts().join("below"), &away).expect("a folder");
    let kept = blog.import_of(&blog.posts(), &["--prune", "--yes"]);
    assert!(kept.err.contains("gone     nothing is removed, because 12 files are gone and 1 are left"), "{kept:?}");
    assert_eq!(listed(&kept, 3).len(), 13, "{kept:?}");
    fs::rename(&away, blog.posts().join("below")).expect("a folder");
    assert_eq!(listed(&blog.import_of(&blog.posts(), &["--prune", "--yes"]), 0), [""; 0]);
    assert!(blog.export().contains("\"slug\":\"post-12\""));
}

/// It was deleted long ago, and its post was kept, as the pages below it that others made.
#[test]
fn another_page_with_the_title_of_a_deleted_one_is_a_new_page() {
    let page = |text: &str| format!("---\ntitle: Overview\nlayout: docs\n---\n{text}\n");
    let (first, other) = (page("Of the first version."), page("Of the interface."));
    let blog = Blog::of(&[("docs/v1/overview.md", &first), ("docs/v1/more.md", &page("More."))]);
    assert_eq!(blog.import().code, Some(0));
    blog.remove("docs/v1/overview.md");
    assert_eq!(blog.import().code, Some(0));
    blog.write("docs/api/overview.md", &other);
    assert_eq!(blog.import().code, Some(0));
    let exported = blog.export();
    let has = |path: &str| exported.contains(&format!("\"path\":\"{path}\""));
    assert!(has("docs/v1/overview") && has("docs/api/overview"), "{exported}");
}

/// Of an export, the store remembers the file of the first import, which this folder does not have.
#[test]
fn files_of_an_export_are_not_gone() {
    let blog = Blog::of(&[ONE, TWO]);
    assert_eq!(blog.import().code, Some(0));
    let copy = blog.path().join("copy");
    let arguments = ["export", "--markdown", copy.to_str().expect("UTF-8"), "--store", &blog.store()];
    assert_eq!(crate::support::command::run(&arguments).code, Some(0));
    let restored = Blog::of(&[]);
    assert_eq!(listed(&restored.import_of(&copy, &["--prune", "--yes"]), 0), [""; 0]);
    assert_eq!(listed(&restored.import_of(&copy, &["--prune", "--yes"]), 0), [""; 0]);
    fs::remove_file(copy.join("posts/two.md")).expect("a file");
    assert_eq!(listed(&restored.import_of(&copy, &["--prune"]), 3), ["gone     2025-02-10-two.md: post two"]);
}

#[test]
fn a_source_that_is_no_folder_of_markdown_is_refused() {
    let blog = Blog::of(&[ONE]);
    assert_eq!(blog.import().code, Some(0));
    let lines = blog.path().join("content.jsonl");
    fs::write(&lines, blog.export()).expect("a file");
    let refused = blog.import_of(&lines, &["--prune"]);
    assert_eq!(refused.complaint(), "--prune is for a folder of Markdown files; import this source without it");
}
