//! Imports and exports of categories with a parent.

use serde_json::json;
use tidings::export::{export, export_markdown};

use super::{change, create, sites, tree};
use crate::support::folder::{folder, import};
use crate::support::site::Site;

fn wordpress(categories: &[(&str, &str)]) -> String {
    let category = |(slug, parent): &(&str, &str)| {
        format!(
            "<wp:category><wp:category_nicename>{slug}</wp:category_nicename><wp:cat_name>{slug}</wp:cat_name>\
             <wp:category_parent>{parent}</wp:category_parent></wp:category>"
        )
    };
    let categories: String = categories.iter().map(category).collect();
    format!(
        "<?xml version=\"1.0\"?><rss xmlns:wp=\"http://wordpress.org/export/1.2/\"><channel><link>https://a.example</link>\
         <wp:base_blog_url>https://a.example</wp:base_blog_url>{categories}</channel></rss>"
    )
}

#[tokio::test]
async fn the_parents_of_wordpress_are_imported_in_any_order() {
    for site in sites().await {
        let text = wordpress(&[("inner", "middle"), ("middle", "outer"), ("outer", ""), ("alone", "")]);
        let files = folder(&[("export.xml", &text)]);
        let report = import(&site.content, &files.path().join("export.xml")).await.expect("an import");
        assert_eq!((report.terms_made, report.notes.len()), (4, 0), "{:?}", report.notes);
        assert_eq!(tree(&site).await, ["alone", "inner < middle", "middle < outer", "outer"]);
        site.assert_sound().await;
        // A second run changes nothing, and a source without the parent keeps it.
        let again = import(&site.content, &files.path().join("export.xml")).await.expect("an import");
        assert_eq!(again.terms_made, 0);
        let without = folder(&[("export.xml", &wordpress(&[("inner", "")]))]);
        import(&site.content, &without.path().join("export.xml")).await.expect("an import");
        assert_eq!(tree(&site).await, ["alone", "inner < middle", "middle < outer", "outer"]);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_category_whose_parent_is_impossible_is_imported_without_it() {
    for site in sites().await {
        let text = wordpress(&[("a", "b"), ("b", "a"), ("c", "nothing"), ("d", "d"), ("e", "c")]);
        let files = folder(&[("export.xml", &text)]);
        let report = import(&site.content, &files.path().join("export.xml")).await.expect("an import");
        assert_eq!(report.terms_made, 5);
        let mut notes: Vec<&str> = report.notes.iter().map(|note| note.origin.as_str()).collect();
        notes.sort_unstable();
        assert!(notes.contains(&"category c") && notes.contains(&"category d"), "{:?}", report.notes);
        let found = tree(&site).await;
        assert!(found.contains(&"e < c".to_owned()) && found.contains(&"d".to_owned()), "{found:?}");
        site.assert_sound().await;
    }
}

async fn filled() -> Site {
    let site = Site::in_memory().await;
    let outer = create(&site, "outer", None).await;
    create(&site, "inner", Some(&outer)).await;
    create(&site, "aa", Some(&outer)).await;
    change(&site, "outer", json!({ "slug": "around" })).await;
    site
}

#[tokio::test]
async fn json_lines_and_a_folder_of_markdown_keep_the_parents() {
    let site = filled().await;
    let before = tree(&site).await;
    assert_eq!(before, ["aa < around", "around", "inner < around"]);
    let mut lines = Vec::new();
    export(&site.content, &mut lines).await.expect("an export");
    let lines = String::from_utf8(lines).expect("UTF-8");
    assert!(lines.contains("\"parent\":\"around\""), "{lines}");
    let files = folder(&[("export.jsonl", &lines)]);
    let written = files.path().join("markdown");
    let report = export_markdown(&site.content, &written, |_| {}).await.expect("an export");
    assert_eq!((report.terms, report.failed.len()), (3, 0), "{:?}", report.failed);
    for source in [files.path().join("export.jsonl"), written] {
        for other in sites().await {
            let report = import(&other.content, &source).await.expect("an import");
            assert_eq!((report.failed.len(), report.notes.len()), (0, 0), "{:?} {:?}", report.failed, report.notes);
            assert_eq!(tree(&other).await, before);
            other.assert_sound().await;
        }
    }
}
