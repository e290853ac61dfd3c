//! The sitemap names every page once.

use std::collections::BTreeSet;

use super::*;

/// The texts of an element.
fn texts<'a>(xml: &'a str, element: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    xml.split(&open).skip(1).map(|rest| rest.split(&close).next().expect("it is closed")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_parts_of_the_sitemap_have_every_page_once() {
    let site = three_posts().await;
    // Three pages of posts in one month, and a post in another.
    let many: Vec<_> = (100..350).map(|n| post(n, instant("2026-02-10T00:00:00Z"))).collect();
    site.publish(&many).await;
    site.publish(&[post(400, instant("1999-12-31T23:59:59Z"))]).await;
    let server = serve(&site, settings(&[("post_path", "/{year}/{month}/{day}/{slug}/")]));
    let (index, _) = get(&server, "/sitemap.xml").await;
    assert_eq!(index.header("content-type"), Some("application/xml; charset=utf-8"));
    let index = index.text();
    assert!(index.starts_with("<?xml version=\"1.0\" encoding=\"utf-8\"?><sitemapindex xmlns="));
    let parts = texts(&index, "loc");
    let months = ["2026-04", "2026-03", "2026-02", "1999-12"].map(|month| format!("{ADDRESS}sitemaps/{month}.xml"));
    assert_eq!(parts[4..], months, "from the newest to the oldest");
    let mut found = Vec::new();
    for part in parts {
        let path = part.strip_prefix("https://blog.example").expect("below the site");
        let xml = text(&server, path).await;
        assert!(xml.contains("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"), "{xml}");
        found.extend(texts(&xml, "loc").into_iter().map(str::to_owned));
    }
    let pages = ["", "categories/field-notes", "tags/moon", "tags/deep-sky", "authors/ada", "authors/grace"];
    let posts = ["2026/03/01/post-1/", "2026/04/01/post-2/", "2026/03/02/post-3/", "1999/12/31/post-400/"];
    let many = (100..350).map(|n| format!("2026/02/10/post-{n}/"));
    let named = pages.into_iter().chain(posts).map(str::to_owned).chain(many);
    let expected: BTreeSet<String> = named.map(|page| format!("{ADDRESS}{page}")).collect();
    assert_eq!(found.len(), expected.len(), "each page once");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "no draft, no scheduled post");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_says_when_it_changed_and_a_day_has_its_posts() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[]));
    let month = text(&server, "/sitemaps/2026-03.xml").await;
    assert_eq!(texts(&month, "lastmod"), ["2026-03-02T10:00:00Z", "2026-03-01T10:00:00Z"]);
    let day = text(&server, "/sitemaps/2026-03-02.xml").await;
    assert_eq!(texts(&day, "loc"), ["https://blog.example/posts/post-3"]);
    for unknown in ["/sitemaps/2026-01.xml", "/sitemaps/2026-13.xml", "/sitemaps/posts.xml", "/sitemaps/2026-03"] {
        assert_eq!(get(&server, unknown).await.0.status(), 404, "{unknown}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sitemap_has_the_tag_of_a_renamed_term_once() {
    let site = three_posts().await;
    rename_tag(&site, "moon", "the-moon").await;
    let server = serve(&site, settings(&[]));
    let tags = text(&server, "/sitemaps/tags.xml").await;
    assert_eq!(texts(&tags, "loc"), ["https://blog.example/tags/deep-sky", "https://blog.example/tags/the-moon"]);
}
