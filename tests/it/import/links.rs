//! Links that point nowhere: each form of a link to the site, on every store, and those of a real blog. The rule: what a reader finds is not reported, and
//! each other link is, with the post or page that has it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use tidings::assets::{AssetLibrary, AssetLimits};
use tidings::import::open;
use tidings::ingest::{self, ImportOptions};
use tidings::model::site::{SiteAddresses, SitePaths};
use tidings::model::{BrokenLink, LinkSource, TimeZone};
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::reading;
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::corpora::corpora;
use crate::support::folder::{counts, folder, import};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

pub fn addresses(url: Option<&str>, post: &str) -> SiteAddresses {
    let term = |path: &str| path.parse().expect("a path");
    let paths = SitePaths {
        time_zone: TimeZone::default(),
        post: post.parse().expect("a path"),
        page: "/{path}".parse().expect("a path"),
        tag: term("/tags/{slug}"),
        category: term("/categories/{slug}"),
        author: term("/authors/{slug}"),
        series: term("/series/{slug}"),
    };
    SiteAddresses { url: url.map(|url| url.parse().expect("a URL")), paths }
}

async fn broken(site: &Site, addresses: &SiteAddresses) -> Vec<BrokenLink> {
    let mut found = Vec::new();
    let counts = site.content.check_links(addresses, |link| found.push(link)).await.expect("a check");
    assert_eq!(counts.broken, found.len() as u64);
    found
}

fn lines(found: &[BrokenLink]) -> Vec<String> {
    found.iter().map(|found| format!("{}: {}: {}", found.from, found.link, found.reason)).collect()
}

/// A link in each form, of which the first point somewhere and the others do not.
const GOOD: &str = "[a](/posts/first) [b](/posts/first/?x=1#y) [c](second) [d](/docs/install) [e](../docs/) [f](/tags/moon) [g](/authors/ada/) \
                    [h](/feed.xml) [i](/tags/moon/rss.xml) [j](/sitemap.xml) [k](/) [l](/?page=2) [m](#here) [n](#) [o](#top) [p](first#here) \
                    [q](https://blog.example/posts/first) [r](http://blog.example/docs#x) [s](https://other.example/gone) [t](mailto:a@b.example) \
                    [u](//other.example/x) [v](../docs/install.md#x) [w](second.md) ![x](one.png) [y](/old/first) [z](/posts/former) \
                    [A](https://other.example/?a=%7B%7D)\n\n\
                    ## Here\n\n`[code](/gone)`\n";
const BAD: &[(&str, &str)] = &[
    ("/posts/gone", "no post, page, picture or feed has this address"),
    ("gone", "no post, page, picture or feed has this address"),
    ("/docs/gone", "no post, page, picture or feed has this address"),
    ("/tags/gone", "no post, page, picture or feed has this address"),
    ("/tags/gone/feed.xml", "no post, page, picture or feed has this address"),
    ("https://blog.example/2020/01/gone", "no post, page, picture or feed has this address"),
    ("/2020/01/first.html", "nothing has this address; the post first has /posts/first"),
    ("/posts/draft", "it is a draft"),
    ("/posts/later", "it is scheduled and not published yet"),
    ("/docs/secret", "it is a draft"),
    ("gone.md", "no post or page was imported from this file"),
    ("../posts/../docs/gone.md#x", "no post or page was imported from this file"),
    ("#gone", "nothing in the text has this id"),
    ("bad#gone", "nothing in the text has this id"),
    ("/assets/0123456789012345678901234567890123456789.png", "there is no picture or file with this name"),
    ("%7B%7Bsite.title%7D%7D/x", "it is a template of a site generator, which nothing fills in"),
    ("//%5Bx", "it is not a URL"),
];

fn png() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let pixel = image::RgbImage::from_pixel(2, 2, image::Rgb([1, 2, 3]));
    pixel.write_to(&mut bytes, image::ImageFormat::Png).expect("a PNG");
    bytes.into_inner()
}

async fn links_that_point_nowhere_are_found(store: Store) {
    let bad: String = BAD.iter().map(|(link, _)| format!("[x](<{link}>) ")).collect();
    let bad = bad.replace("%7B%7B", "{{").replace("%7D%7D", "}}");
    let dated = |title: &str, day: &str, more: &str| format!("---\ntitle: {title}\ndate: {day}\n{more}---\n");
    let good = dated("First", "2025-01-01", "tags: [Moon]\nauthors: [Ada]\naliases: [former]\n") + GOOD;
    let page =
        "---\ntitle: Install\n---\n[up](../docs) [here](install) [out](/posts/first) [gone](nowhere) ![](gone.png)\n";
    let root = folder(&[
        ("posts/first.md", &good),
        ("posts/second.md", &(dated("Second", "2025-01-02", "") + "[only](https://other.example/) others")),
        ("posts/bad.md", &(dated("Bad", "2025-01-03", "") + &bad)),
        ("posts/later.md", &(dated("Later", "2027-01-01", "") + "[x](/gone)")),
        ("posts/draft.md", &(dated("Draft", "2025-01-04", "draft: true\n") + "[x](/gone)")),
        ("docs/install.md", page),
        ("docs/secret.md", "---\ntitle: Secret\nweight: 1\ndraft: true\n---\n[x](/gone)"),
    ]);
    std::fs::write(root.path().join("posts/one.png"), png()).expect("a file");
    let library = AssetLibrary::in_memory(AssetLimits::default());
    let site = Site::over(store).await;
    let site = Site { content: site.content.clone().with_assets(Some(library)), ..site };
    let report = import(&site.content, root.path()).await.expect("an import");
    assert_eq!((counts(&report), report.pages.made), ((5, 0, 0, 0), 3), "{report:?}");
    // A path that the page `docs` had, and its own page that moved.
    let page = site.query("{ page(path: \"docs/install\") { id version } }").await["page"].clone();
    let input = json!({ "id": page["id"], "expectedVersion": page["version"], "path": "docs/set-up" });
    let mutation = "mutation($input: UpdatePageInput!) { updatePage(input: $input) { userErrors { message } } }";
    let moved = site.mutate(mutation, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(moved["data"]["updatePage"]["userErrors"], json!([]), "{moved}");
    let found = broken(&site, &addresses(Some("https://blog.example/"), "/posts/{slug}")).await;
    let nothing = "no post, page, picture or feed has this address";
    let mut expected = vec![
        // The path that the page has now is beside `docs`.
        format!("page docs/set-up: gone.png: {nothing}"),
        format!("page docs/set-up: nowhere: {nothing}"),
        "post first: /old/first: nothing has this address; the post first has /posts/first".to_owned(),
    ];
    expected.extend(BAD.iter().map(|(link, reason)| format!("post bad: {link}: {reason}")));
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    assert_eq!(sorted(lines(&found)), sorted(expected));
    // Under other addresses, the links to posts point nowhere; and nothing outside of the folder of the site is a part of it.
    let other = broken(&site, &addresses(Some("https://blog.example/blog/"), "/{year}/{slug}/")).await;
    assert!(lines(&other).iter().all(|line| !line.contains(": /posts/")), "{other:?}");
    let other = broken(&site, &addresses(None, "/{year}/{slug}/")).await;
    let first = "post first: /posts/first: nothing has this address; the post first has /2025/first/".to_owned();
    assert!(lines(&other).contains(&first), "{other:?}");
    assert!(!lines(&other).iter().any(|line| line.contains("https://blog.example")), "the site has no address");
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_point_nowhere_are_found_in_a_file() {
    links_that_point_nowhere_are_found(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_point_nowhere_are_found_in_tables_in_memory() {
    links_that_point_nowhere_are_found(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_point_nowhere_are_found_in_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    links_that_point_nowhere_are_found(Arc::new(store)).await;
}

/// The links of the form `](/blog/name)` of a text.
fn blog_links(text: &str) -> BTreeSet<String> {
    let after = text.split("](/blog/").skip(1).filter_map(|rest| rest.split([')', '#', '?']).next());
    after
        .filter(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)))
        .map(str::to_owned)
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
async fn no_link_between_the_posts_of_the_go_blog_points_nowhere() {
    let path = corpora().join("go-blog");
    let readings = reading::go_blog(&path);
    let site = Site::over(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
    let addresses = addresses(Some("https://go.dev/"), "/blog/{slug}");
    let source = open(&path, None).expect("a source").for_site(addresses.paths.clone());
    let report = ingest::import(&site.content, Arc::new(source), ImportOptions::default(), |_, _| {}).await;
    assert_eq!(report.expect("an import").failed, Vec::new());
    let found = broken(&site, &addresses).await;
    let name = |origin: &str| origin.rsplit('/').next().and_then(|file| file.strip_suffix(".md")).map(str::to_owned);
    let names: BTreeSet<String> = readings.iter().filter_map(|reading| name(&reading.origin)).collect();
    for BrokenLink { from, link, .. } in &found {
        assert!(!link.starts_with("http") || link.contains("//go.dev/"), "{from}: {link} is of another site");
        let (LinkSource::Post(_), Some(target)) = (from, link.strip_prefix("/blog/")) else { continue };
        let target = target.split(['#', '?']).next().unwrap_or_default();
        assert!(!names.contains(target), "{from}: {link} is a post");
    }
    // Every link from post to post is to a file; the documentation of Go is not in this folder.
    let links: usize = readings.iter().map(|reading| blog_links(&reading.body).len()).sum();
    assert!(links > 250, "{links} links");
    assert!(found.iter().any(|broken| broken.link.starts_with("/doc/")), "{found:?}");
}
