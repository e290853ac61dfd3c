//! Fields, terms and authors of the posts of WordPress.

use serde_json::json;

use super::{HEAD, imported, imported_items, item, meta, notes, shown};
use crate::support::folder::folder;

fn term(domain: &str, nicename: &str, name: &str) -> String {
    format!("<category domain=\"{domain}\" nicename=\"{nicename}\"><![CDATA[{name}]]></category>")
}

#[tokio::test]
async fn a_post_has_its_authors_in_their_order() {
    let guest = "<item><title>Old name</title><wp:post_id>9</wp:post_id><wp:post_type>guest-author</wp:post_type><wp:status>publish</wp:status><wp:post_name>cap-mia-roth</wp:post_name>";
    let guest = format!(
        "{guest}{}{}</item>",
        meta("cap-display_name", "Mia Roth"),
        meta("cap-description", "Guest &amp; friend")
    );
    let items = [
        item(1, "a", ""),
        item(2, "a", &(term("author", "cap-bo", "bo") + &term("author", "cap-ines", "ines"))),
        item(3, "a", &term("author", "cap-mia-roth", "mia-roth")),
        item(4, "a", &term("author", "jo-lund", "Jo Lund")),
        guest,
    ];
    let (site, report) = imported_items(&items).await;
    assert_eq!((report.made, report.skipped.len()), (4, 0), "{report:?}");
    let names = |list: &[&str]| list.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>();
    let expected = [
        ("s1", names(&["Ines Mar"])),
        ("s2", names(&["Bo Ek", "Ines Mar"])),
        ("s3", names(&["Mia Roth"])),
        ("s4", names(&["Jo Lund"])),
    ];
    let found = shown(&site, "authors { name }").await;
    assert_eq!(found, expected.map(|(slug, names)| (slug.to_owned(), json!(names))));
    let mia = site.query("{ author(slug: \"mia-roth\") { name description } }").await;
    assert_eq!(mia, json!({ "author": { "name": "Mia Roth", "description": "Guest & friend" } }));
}

#[tokio::test]
async fn tags_of_every_version_are_tags_and_other_taxonomies_are_kept_and_named() {
    let twice = |domain: &str, slug: &str, name: &str| {
        format!(
            "<category><![CDATA[{name}]]></category><category domain=\"{domain}\"><![CDATA[{name}]]></category>{}",
            term(domain, slug, name)
        )
    };
    let items = [
        item(1, "a", &(twice("tag", "boats", "Boats") + &twice("category", "news", "News"))),
        item(2, "a", "<category>Plain</category>"),
        item(
            3,
            "a",
            &(term("genre", "poem", "Poem")
                + &term("genre", "song", "Song &amp; dance")
                + &term("post_translations", "pll_1", "pll_1")
                + &meta("mood", "calm")),
        ),
    ];
    let (site, report) = imported_items(&items).await;
    let named = |terms: &[&str]| terms.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>();
    let found = site.query("{ posts { nodes { slug tags { name } categories { name } metadata } } }").await;
    let expected = json!({ "posts": { "nodes": [
        { "slug": "s3", "tags": [], "categories": [], "metadata": { "mood": "calm", "genre": ["Poem", "Song & dance"] } },
        { "slug": "s2", "tags": [], "categories": named(&["Plain"]), "metadata": {} },
        { "slug": "s1", "tags": named(&["Boats"]), "categories": named(&["News"]), "metadata": {} },
    ] } });
    let mut sorted = found.clone();
    sorted["posts"]["nodes"]
        .as_array_mut()
        .expect("posts")
        .sort_by_key(|post| std::cmp::Reverse(post["slug"].to_string()));
    assert_eq!(sorted, expected);
    assert_eq!(
        notes(&report),
        ["taxonomies: there is no field for genre: the names of their terms are in the metadata"]
    );
}

#[tokio::test]
async fn slugs_in_other_scripts_are_decoded_and_names_in_two_normal_forms_are_one() {
    let page = item(3, "a", "")
        .replace(">post<", ">page<")
        .replace("https://quay.example/s3/", "https://quay.example/%d0%be-%d0%bd%d0%b0%d1%81/%d0%bc%d1%8b/");
    let items = [
        item(
            1,
            "a",
            &(term("post_tag", "cafe%cc%81", "Cafe\u{301}")
                + &meta("_wp_old_slug", "%d1%81%d1%82%d0%b0%d1%80%d1%8b%d0%b9")),
        )
        .replace(">s1<", ">%d0%bf%d1%80%d0%b8%d0%b2%d0%b5%d1%82<"),
        item(2, "a", &term("post_tag", "caf%c3%a9", "Caf\u{e9}")),
        page,
    ];
    let (site, report) = imported_items(&items).await;
    assert_eq!((report.made, report.pages.made, report.failed.len()), (2, 2, 0), "{report:?}");
    let found = site
        .query("{ post(slug: \"staryi\") { slug tags { slug } } tags { nodes { slug } } page(path: \"o-nas/my\") { path } }")
        .await;
    assert_eq!(found["tags"]["nodes"], json!([{ "slug": "cafe" }]));
    assert_eq!(found["post"], json!({ "slug": "privet", "tags": [{ "slug": "cafe" }] }));
    assert_eq!(found["page"], json!({ "path": "o-nas/my" }));
}

#[tokio::test]
async fn fields_of_a_post_are_read_and_an_empty_date_is_replaced() {
    let more = "<excerpt:encoded>&lt;b&gt;x&lt;/b&gt; &amp;amp; y</excerpt:encoded>".to_owned()
        + &meta("mood", " calm\n")
        + &meta("link", "1")
        + &meta("link", "")
        + &meta("_hidden", "z");
    let undated =
        "<wp:post_date_gmt>0000-00-00 00:00:00</wp:post_date_gmt><wp:post_date>2020-01-02 03:00:00</wp:post_date>";
    let gmt = "<wp:post_date_gmt>2020-01-02 03:00:00</wp:post_date_gmt>";
    let published = format!("{undated}<pubDate>Tue, 27 Jan 2015 14:56:57 +0000</pubDate>");
    let items = [
        item(1, "a", &more).replace("<title>T1", "<title>A &amp;amp; B &amp;#8211; C"),
        item(2, "a", "").replace(gmt, undated),
        item(3, "a", "").replace(gmt, &published),
    ];
    let (site, report) = imported_items(&items).await;
    assert_eq!(report.failed, []);
    let first = site.query("{ post(slug: \"s1\") { title excerpt metadata } }").await;
    let expected = json!({ "title": "A & B \u{2013} C", "excerpt": "x & y", "metadata": { "mood": " calm\n", "link": ["1", ""] } });
    assert_eq!(first["post"], expected);
    let dates = shown(&site, "publishedAt").await;
    assert_eq!((&dates[1].1, &dates[2].1), (&json!("2020-01-02T03:00:00.000Z"), &json!("2015-01-27T14:56:57.000Z")));
}

#[tokio::test]
async fn a_custom_field_that_is_too_long_costs_no_post() {
    let (site, report) =
        imported_items(&[item(1, "a", &(meta("css", &"x".repeat(40_000)) + &meta("mood", "calm")))]).await;
    assert_eq!(notes(&report), ["1: custom fields that are too long for metadata: css"]);
    assert_eq!(shown(&site, "metadata").await, [("s1".to_owned(), json!({ "mood": "calm" }))]);
}

#[tokio::test]
async fn an_item_that_cannot_be_read_does_not_affect_others() {
    let items = [
        item(1, "a", "").into_bytes(),
        b"<item><title>\xff</title></item>".to_vec(),
        b"<item><title>never closed".to_vec(),
        item(2, "b", "").into_bytes(),
        b"<item><title>no number</title></item><wp:base_blog_url>https://late.example</wp:base_blog_url>".to_vec(),
        item(5, "c", "").into_bytes(),
        item(5, "d", "").into_bytes(),
    ];
    let folder = folder(&[]);
    let path = folder.path().join("site.xml");
    // A byte order mark, or two, and no declaration.
    for marks in ["", "\u{feff}", "\u{feff}\u{feff}"] {
        let text = [marks.as_bytes(), HEAD.as_bytes(), &items.concat(), b"</channel></rss>"].concat();
        std::fs::write(&path, text).expect("a file");
        let (site, report) = imported(&path).await;
        let failed: Vec<String> = report.failed.iter().map(ToString::to_string).collect();
        assert_eq!((report.made, failed.len()), (3, 5), "{failed:?}");
        assert!(failed.iter().any(|line| line.contains("iconv -f ISO-8859-1 -t UTF-8")), "{failed:?}");
        assert!(
            failed.iter().any(|line| line == "https://quay.example/?p=5: occurs twice; only the first one is read")
        );
        let texts: Vec<_> =
            shown(&site, "body { text }").await.into_iter().map(|(_, body)| body["text"].clone()).collect();
        assert_eq!(texts, ["a", "b", "c"]);
    }
}
