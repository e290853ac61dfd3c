//! Imports of content with declared fields. The rule: what does not fit is not imported, and the report names the file and the field; what fits moves unchanged.

use serde_json::{Value, json};
use tidings::ingest::ImportReport;

use crate::graphql::site_fields::with_fields;
use crate::support::folder::{counts, exported, folder, import};
use crate::support::site::Site;

const BOOKS: &str = "extend type PostFields { rating: Int!, sold: Boolean, price: Float, genres: [String!], publisher: Publisher } \
    extend type PageFields { wide: Boolean! } type Publisher { name: String! }";

async fn site() -> Site {
    with_fields(Site::in_memory().await, BOOKS)
}

fn failed(report: &ImportReport) -> Vec<String> {
    let mut lines: Vec<String> = report.failed.iter().map(ToString::to_string).collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn a_file_whose_fields_do_not_fit_is_reported_with_the_field_and_the_others_are_imported() {
    let site = site().await;
    let files = [
        (
            "2025-01-01-good.md",
            "---\ntitle: Good\nrating: 7\ngenres: [a, b]\npublisher: { name: P, more: 1 }\nlayout: x\n---\n",
        ),
        ("2025-01-02-text.md", "---\ntitle: Text\nrating: \"7\"\n---\n"),
        ("2025-01-03-missing.md", "---\ntitle: Missing\nsold: yes\n---\n"),
        ("2025-01-04-inside.md", "+++\ntitle = \"Inside\"\nrating = 1\n[publisher]\nurl = \"x\"\n+++\n"),
        ("about.md", "---\ntitle: About\nwide: true\n---\n"),
        ("help/usage.md", "---\ntitle: Usage\nwide: 1\n---\n"),
        ("docs/setup.md", "---\ntitle: Setup\nwide: false\n---\n"),
    ];
    let files = folder(&files);
    let report = import(&site.content, files.path()).await.expect("an import");
    assert_eq!((counts(&report), report.pages.made), ((1, 0, 0, 4), 3), "{report:?}");
    let expected = [
        "2025-01-02-text.md: rating must be a whole number of 32 bits (Int), but is the text \"7\"",
        "2025-01-03-missing.md: rating is missing; it is required (Int!); sold must be true or false (Boolean), but is the text \"yes\"",
        "2025-01-04-inside.md: publisher.name is missing; it is required (String!)",
        "help/usage.md: wide must be true or false (Boolean), but is 1",
    ];
    assert_eq!(failed(&report), expected);
    let shown = site.query("{ posts { nodes { fields { rating genres publisher { name } } } } page(path: \"docs\") { fields { wide } } }").await;
    let fields = json!({ "rating": 7, "genres": ["a", "b"], "publisher": { "name": "P" } });
    // The page of the folder has no file, so it has no fields.
    let expected = json!({ "posts": { "nodes": [{ "fields": fields }] }, "page": { "fields": { "wide": null } } });
    assert_eq!(shown, expected);
    let again = import(&site.content, files.path()).await.expect("an import");
    assert_eq!((counts(&again), again.pages.unchanged), ((0, 0, 1, 4), 3));
    site.assert_sound().await;
}

#[tokio::test]
async fn an_export_has_the_fields_as_metadata_and_can_be_imported_by_any_site() {
    let first = site().await;
    let files = folder(&[
        ("2025-01-01-a.md", "---\ntitle: A\nrating: 7\nprice: 1.50\npublisher: { name: P }\nlayout: x\n---\nText.\n"),
        ("about.md", "---\ntitle: About\nwide: true\n---\n"),
    ]);
    assert_eq!(failed(&import(&first.content, files.path()).await.expect("an import")), Vec::<String>::new());
    let text = exported(&first).await;
    let record = text.lines().find(|line| line.contains("\"type\":\"post\"")).expect("a post");
    let record: Value = serde_json::from_str(record).expect("JSON");
    assert_eq!(record["metadata"], json!({ "rating": 7, "price": 1.5, "publisher": { "name": "P" }, "layout": "x" }));
    let copy = folder(&[("export.jsonl", &text)]);
    for other in [site().await, Site::in_memory().await] {
        let report = import(&other.content, &copy.path().join("export.jsonl")).await.expect("an import");
        assert_eq!((counts(&report), report.pages.made), ((1, 0, 0, 0), 1), "{report:?}");
        assert!(exported(&other).await == text, "the same bytes");
    }
    let bad = text.replace("\"rating\":7", "\"rating\":7.5");
    let copy = folder(&[("export.jsonl", &bad)]);
    let report = import(&site().await.content, &copy.path().join("export.jsonl")).await.expect("an import");
    assert_eq!(failed(&report), ["2025-01-01-a.md: rating must be a whole number of 32 bits (Int), but is 7.5"]);
    // A site without the declaration takes what it gets.
    let without = Site::in_memory().await;
    let report = import(&without.content, &copy.path().join("export.jsonl")).await.expect("an import");
    assert_eq!(failed(&report), Vec::<String>::new());
}

fn item(id: u32, fields: &[(&str, &str)]) -> String {
    let meta = |(key, value): &(&str, &str)| {
        format!(
            "<wp:postmeta><wp:meta_key>{key}</wp:meta_key><wp:meta_value><![CDATA[{value}]]></wp:meta_value></wp:postmeta>"
        )
    };
    let meta: String = fields.iter().map(meta).collect();
    format!(
        "<item><title>T{id}</title><wp:post_id>{id}</wp:post_id><wp:post_name>s{id}</wp:post_name><wp:post_type>post</wp:post_type>\
         <wp:status>publish</wp:status><wp:post_date_gmt>2020-01-02 03:00:00</wp:post_date_gmt><content:encoded>x</content:encoded>{meta}</item>"
    )
}

#[tokio::test]
async fn custom_fields_of_wordpress_are_read_as_they_are_declared() {
    let site = site().await;
    let items = [
        item(1, &[("rating", "7"), ("sold", "1"), ("price", ""), ("genres", "a"), ("mood", "5")]),
        item(2, &[("rating", "good")]),
    ];
    let text = format!(
        "<rss version=\"2.0\" xmlns:wp=\"http://wordpress.org/export/1.2/\"><channel><link>https://a.example</link>\
         <wp:base_blog_url>https://a.example</wp:base_blog_url>{}</channel></rss>",
        items.concat()
    );
    let files = folder(&[("export.xml", &text)]);
    let report = import(&site.content, &files.path().join("export.xml")).await.expect("an import");
    assert_eq!(
        failed(&report),
        ["https://a.example/?p=2: rating must be a whole number of 32 bits (Int), but is the text \"good\""]
    );
    let shown = site.query("{ post(slug: \"s1\") { fields { rating sold price genres } metadata } }").await;
    assert_eq!(shown["post"]["fields"], json!({ "rating": 7, "sold": true, "price": null, "genres": ["a"] }));
    assert_eq!(
        shown["post"]["metadata"],
        json!({ "rating": 7, "sold": true, "price": null, "genres": ["a"], "mood": "5" })
    );
    let again = import(&site.content, &files.path().join("export.xml")).await.expect("an import");
    assert_eq!(counts(&again), (0, 0, 1, 1));
}
