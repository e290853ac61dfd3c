//! The sitemap names every page once.

use std::collections::BTreeSet;

use axum::http::header;
use serde_json::{Value, json};
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use super::*;
use crate::support::memory::MemoryStore;

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
    assert_eq!(parts[1..], months, "from the newest to the oldest");
    let mut found = Vec::new();
    for part in parts {
        let path = part.strip_prefix("https://blog.example").expect("below the site");
        let xml = text(&server, path).await;
        assert!(xml.contains("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"), "{xml}");
        found.extend(texts(&xml, "loc").into_iter().map(str::to_owned));
    }
    let terms =
        ["categories/field-notes", "tags/moon", "tags/deep-sky", "authors/ada", "authors/grace", "series/walks"];
    let posts = ["2026/03/01/post-1/", "2026/04/01/post-2/", "2026/03/02/post-3/", "1999/12/31/post-400/"];
    let many = (100..350).map(|n| format!("2026/02/10/post-{n}/"));
    let named = [""].into_iter().chain(terms).chain(posts).map(str::to_owned).chain(many);
    let expected: BTreeSet<String> = named.map(|page| format!("{ADDRESS}{page}")).collect();
    assert_eq!(found.len(), expected.len(), "each page once");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "no draft, no scheduled post");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_says_when_it_changed() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[]));
    let month = text(&server, "/sitemaps/2026-03.xml").await;
    assert_eq!(texts(&month, "lastmod"), ["2026-03-02T10:00:00Z", "2026-03-01T10:00:00Z"]);
    for unknown in ["/sitemaps/2026-01.xml", "/sitemaps/2026-13.xml", "/sitemaps/posts.xml", "/sitemaps/2026-03"] {
        assert_eq!(get(&server, unknown).await.0.status(), 404, "{unknown}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_index_names_only_parts_that_exist() {
    let site = Site::in_memory().await;
    let parts = async |server: &Router| {
        let index = text(server, "/sitemap.xml").await;
        let parts = texts(&index, "loc").into_iter().map(|part| part[ADDRESS.len() - 1..].to_owned());
        parts.collect::<Vec<_>>()
    };
    let server = serve(&site, settings(&[]));
    assert_eq!(parts(&server).await, ["/sitemaps/site.xml"]);
    assert_eq!(texts(&text(&server, "/sitemaps/site.xml").await, "loc"), [ADDRESS]);
    let mut early = post(1, instant("1965-05-01T00:00:00Z"));
    early.post.tags = slugs(&["g"]);
    (early.post.authors, early.post.categories) = (Vec::new(), Vec::new());
    early.post.updated_at = instant("1965-05-02T00:00:00Z");
    site.publish(&[early]).await;
    let server = serve(&site, settings(&[]));
    let found = parts(&server).await;
    assert_eq!(found, ["/sitemaps/site.xml", "/sitemaps/1965-05.xml"]);
    for part in found {
        assert_eq!(get(&server, &part).await.0.status(), 200, "{part}");
    }
    let month = text(&server, "/sitemaps/1965-05.xml").await;
    assert_eq!(
        (texts(&month, "loc").len(), texts(&month, "lastmod").len()),
        (1, 0),
        "readers refuse a date before 1970"
    );
}

/// A page, which is published unless it is called a draft.
async fn create_page(site: &Site, path: &str) {
    let input = json!({ "path": path, "title": path, "markdown": "", "publish": !path.ends_with("draft") });
    let mutation = "mutation($input: CreatePageInput!) { createPage(input: $input) { userErrors { message } } }";
    let answer = site.mutate(mutation, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(answer["data"]["createPage"]["userErrors"], json!([]), "{path}: {answer}");
}

/// Publishes a page, or makes it a draft.
async fn change_page(site: &Site, mutation: &str, path: &str) {
    let query = format!("{{ page(path: \"{path}\") {{ id version }} }}");
    let page = site.ask_as(Some(EDITOR_TOKEN), &query).await["data"]["page"].clone();
    let kind = format!("{}{}Input", mutation[..1].to_uppercase(), &mutation[1..]);
    let mutation = format!(
        "mutation($input: {kind}!) {{ {mutation}(input: $input) {{ userErrors {{ message }} page {{ id }} }} }}"
    );
    let input = json!({ "id": page["id"], "expectedVersion": page["version"] });
    let answer = site.mutate(&mutation, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(answer.get("errors"), None, "{path}: {answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sitemap_has_the_published_pages_in_the_order_of_the_site() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[]));
    let without = text(&server, "/sitemaps/site.xml").await;
    let without: Vec<String> = texts(&without, "loc").into_iter().map(str::to_owned).collect();
    let pages = |xml: &str| -> Vec<String> {
        let all = texts(xml, "loc").into_iter().map(str::to_owned);
        all.filter(|address| !without.contains(address)).collect()
    };
    for path in
        ["about", "docs", "docs/install", "docs/draft", "docs/draft/open", "draft", "draft/open", "docs/install/linux"]
    {
        create_page(&site, path).await;
    }
    let (sent, _) = get(&server, "/sitemaps/site.xml").await;
    let headers = ["content-type", "cache-control"].map(|name| sent.header(name).map(str::to_owned));
    assert_eq!(headers.map(|value| value.expect("a header")), ["application/xml; charset=utf-8", "no-cache"]);
    let tag = sent.header("etag").expect("an entity tag").to_owned();
    let xml = sent.text();
    let addresses = ["about", "docs", "docs/install", "docs/install/linux"].map(|path| format!("{ADDRESS}{path}"));
    assert_eq!(pages(&xml), addresses, "no draft, and nothing below one");
    assert_eq!(texts(&xml, "lastmod"), ["2026-06-15T12:00:00Z"; 4]);
    let fetch = async |tag: &str| {
        let request = Request::get("/sitemaps/site.xml").header(header::IF_NONE_MATCH, tag);
        send(&server, request.body(Body::empty()).expect("a request")).await.0
    };
    assert_eq!(fetch(&tag).await.status(), 304);
    change_page(&site, "publishPage", "docs/draft").await;
    change_page(&site, "unpublishPage", "about").await;
    let changed = fetch(&tag).await;
    assert_eq!(changed.status(), 200);
    let addresses = ["docs", "docs/draft", "docs/draft/open", "docs/install", "docs/install/linux"];
    assert_eq!(pages(&changed.text()), addresses.map(|path| format!("{ADDRESS}{path}")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_home_page_is_at_the_root_and_once_in_the_sitemap() {
    let site = Site::in_memory().await;
    let server = serve(&site, settings(&[("page_path", "/docs/{path}/")]));
    create_page(&site, "index").await;
    create_page(&site, "about").await;
    let xml = text(&server, "/sitemaps/site.xml").await;
    assert_eq!(texts(&xml, "loc"), [format!("{ADDRESS}docs/about/"), ADDRESS.to_owned()]);
    assert_eq!(texts(&xml, "lastmod").len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_are_where_the_operator_has_set_it_also_in_graphql() {
    let site = Site::in_memory().await;
    for path in ["docs", "docs/install"] {
        create_page(&site, path).await;
    }
    let server = serve(&site, settings(&[("page_path", "/pages/{path}.html")]));
    let expected = ["docs", "docs/install"].map(|path| format!("{ADDRESS}pages/{path}.html"));
    assert_eq!(texts(&text(&server, "/sitemaps/site.xml").await, "loc")[1..], expected);
    let query = "{ pageLinks { canonicalUrl } page(path: \"docs/install\") { canonicalUrl } }";
    let request = Request::post("/graphql").header(header::CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(json!({ "query": query }).to_string())).expect("a request");
    let data = send(&server, request).await.0.json()["data"].take();
    let expected = json!({
        "pageLinks": expected.each_ref().map(|url| json!({ "canonicalUrl": url })),
        "page": { "canonicalUrl": expected[1] },
    });
    assert_eq!(data, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sitemap_has_the_tag_of_a_renamed_term_once() {
    let site = three_posts().await;
    rename_tag(&site, "moon", "the-moon").await;
    let server = serve(&site, settings(&[]));
    let xml = text(&server, "/sitemaps/site.xml").await;
    let tags: Vec<_> = texts(&xml, "loc").into_iter().filter(|address| address.contains("/tags/")).collect();
    assert_eq!(tags, ["https://blog.example/tags/deep-sky", "https://blog.example/tags/the-moon"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sitemap_has_the_series_with_posts_where_the_operator_has_set_it() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-03-01T10:00:00Z"))]).await;
    let server = serve(&site, settings(&[("series_path", "/reading/{slug}.html")]));
    let [walks, talks] = [(2, "walks"), (3, "talks")].map(|(number, series)| {
        let mut of_series = post(number, instant("2026-03-02T10:00:00Z"));
        of_series.post.series = Some(slug(series));
        of_series.post.published_at = of_series.post.published_at.filter(|_| series == "walks");
        of_series
    });
    site.publish(&[walks, talks]).await;
    let xml = text(&server, "/sitemaps/site.xml").await;
    let series: Vec<_> = texts(&xml, "loc").into_iter().filter(|address| address.contains("/reading/")).collect();
    assert_eq!(series, ["https://blog.example/reading/walks.html"], "a draft alone is no post");
}

/// The languages and addresses that the part names for one address.
fn pairs<'a>(xml: &'a str, address: &str) -> Vec<(&'a str, &'a str)> {
    let url = xml.split("<url>").find(|url| url.contains(&format!("<loc>{address}</loc>"))).expect("its address");
    let attribute = |link: &'a str, name: &str| {
        let rest = link.split(&format!("{name}=\"")).nth(1).expect("the attribute");
        rest.split('"').next().expect("its end")
    };
    url.split("<xhtml:link ").skip(1).map(|link| (attribute(link, "hreflang"), attribute(link, "href"))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_translations_names_all_that_are_public_and_costs_a_read_for_each_group() {
    for store in [Arc::new(EmbeddedStore::in_memory().expect("a store")) as Store, MemoryStore::empty()] {
        let site = Site::over(store).await;
        for (kind, place) in [("Post", "slug"), ("Page", "path")] {
            let mut original = String::new();
            for (name, more) in [
                ("a", "publish: true"),
                ("b", "publish: true, language: \"de\""),
                ("c", "language: \"fr\""),
                ("alone", "publish: true, language: \"it\""),
            ] {
                let is_first = original.is_empty() || name == "alone";
                let of = if is_first { String::new() } else { format!("translationOfId: {original}") };
                let input = format!("{place}: \"{name}\", title: \"{name}\", markdown: \"x\", {more}, {of}");
                let field = kind.to_lowercase();
                let query = format!(
                    "mutation {{ create{kind}(input: {{ {input} }}) {{ {field} {{ id }} userErrors {{ message }} }} }}"
                );
                let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
                assert_eq!(answer["data"][format!("create{kind}")]["userErrors"], json!([]), "{answer}");
                if original.is_empty() {
                    original = answer["data"][format!("create{kind}")][&field]["id"].to_string();
                }
            }
        }
        let server = serve(&site, settings(&[("language", "en")]));
        for (part, folder) in [("2026-06", "posts/"), ("site", "")] {
            let xml = text(&server, &format!("/sitemaps/{part}.xml")).await;
            assert!(xml.contains(" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\""), "{xml}");
            let [a, b, alone] = ["a", "b", "alone"].map(|name| format!("{ADDRESS}{folder}{name}"));
            let expected = BTreeSet::from([("en", &*a), ("de", &*b)]);
            for address in [&a, &b] {
                assert_eq!(pairs(&xml, address).into_iter().collect::<BTreeSet<_>>(), expected, "{part}");
            }
            assert_eq!(pairs(&xml, &alone), [], "{part}");
        }
        // Without a language of the site, that of `a` is not known.
        let server = serve(&site, settings(&[]));
        let xml = text(&server, "/sitemaps/2026-06.xml").await;
        assert!(!xml.contains("xhtml"), "{xml}");
        // In one of German, `a` and `b` would be two in one language.
        let server = serve(&site, settings(&[("language", "DE")]));
        let xml = text(&server, "/sitemaps/2026-06.xml").await;
        assert!(!xml.contains("xhtml"), "{xml}");
        let query = "{ pageLinks { path language translationKey } }";
        let link = |path: &str, language: Value, key: Value| json!({ "path": path, "language": language, "translationKey": key });
        let links = [
            link("a", Value::Null, json!("a")),
            link("alone", json!("it"), Value::Null),
            link("b", json!("de"), json!("a")),
        ];
        assert_eq!(site.query(query).await["pageLinks"], json!(links));
        let page = "archive { posts(first: 100) { nodes { slug translations { slug } } } }";
        let (with, without) = (
            site.cost(&format!("{{ {page} }}")).await,
            site.cost("{ archive { posts(first: 100) { nodes { slug } } } }").await,
        );
        assert_eq!(with.range_reads, without.range_reads + 1, "one group");
    }
}
