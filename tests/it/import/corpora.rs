//! Imports the whole corpora into both stores and compares every post by slug and id, every list in both directions, and every body byte for
//! byte with an independent reading of the files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tidings::model::markdown::html_of;
use tidings::model::{NodeId, PostId, PostKey};
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use super::reading::{self, Reading};
use crate::support::corpora::corpora;
use crate::support::folder::{counts, import};
use crate::support::site::{NOW, Site, instant, shown_time};
use crate::support::stores;

/// The number of lists that are walked concurrently.
const LISTS_AT_ONCE: usize = 16;

/// Imports a corpus and compares the answers of the API with the readings.
async fn assert_corpus(store: Store, path: &Path, readings: Vec<Reading>, expected: usize) {
    assert_eq!(readings.len(), expected, "the independent reading");
    let site = Site::over(store).await;
    let report = import(&site.content, path).await.expect("an import");
    assert_eq!(counts(&report), (expected, 0, 0, 0), "{:?}", report.failed);
    let again = import(&site.content, path).await.expect("the import, again");
    assert_eq!(counts(&again), (0, 0, expected, 0), "{:?}", again.failed);
    site.assert_sound().await;
    let model = Model::of(&site, readings).await;
    assert_posts(&site, &model).await;
    assert_lists(&site, &model).await;
    assert_hidden(&site, &model).await;
}

/// The readings, with the ids of the imported posts.
struct Model {
    posts: BTreeMap<PostKey, Reading>,
    hidden: Vec<(PostId, String)>,
    /// Whether the readings name terms by their slugs.
    by_slug: bool,
}

impl Model {
    async fn of(site: &Site, readings: Vec<Reading>) -> Self {
        let inventory = site.content.inventory().await.expect("the inventory");
        let by_origin: HashMap<_, _> = inventory
            .posts
            .into_iter()
            .map(|(id, found)| (found.origin.clone().expect("an origin"), (id, found)))
            .collect();
        let slugs: HashMap<_, _> =
            by_origin.iter().map(|(origin, (_, found))| (origin.as_str(), found.slug.to_string())).collect();
        let (mut posts, mut hidden) = (BTreeMap::new(), Vec::new());
        for reading in readings {
            let reading = Reading { body: with_addresses(&reading.origin, &reading.body, &slugs), ..reading };
            let (id, found) =
                by_origin.get(&reading.origin).unwrap_or_else(|| panic!("{} was not imported", reading.origin));
            match reading.published_at.filter(|at| *at <= instant(NOW)) {
                Some(at) => drop(posts.insert(PostKey { at, id: id.clone() }, reading)),
                None => hidden.push((id.clone(), found.slug.to_string())),
            }
        }
        let by_slug = posts.values().any(|reading: &Reading| reading.origin.starts_with("http"));
        Self { posts, hidden, by_slug }
    }

    /// The ids of the posts that the filter keeps, newest first.
    fn ids(&self, keeps: impl Fn(&Reading) -> bool) -> Vec<String> {
        let kept = self.posts.iter().filter(|(_, reading)| keeps(reading));
        kept.map(|(key, _)| NodeId::Post(key.id.clone()).to_string()).collect()
    }
}

/// The body with the addresses of the posts in place of links from file to file, in the forms that these blogs use. `slugs`: by the origins.
fn with_addresses(origin: &str, body: &str, slugs: &HashMap<&str, String>) -> String {
    let mut parts = body.split("](");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let destination = part.split(')').next().unwrap_or_default();
        out.push_str("](");
        match address(origin, destination, slugs) {
            Some(address) => out = out + &address + &part[destination.len()..],
            None => out.push_str(part),
        }
    }
    let defined = |line: &str| {
        let (label, destination) = line.split_once("]: ").filter(|(label, _)| label.starts_with('['))?;
        Some(format!("{label}]: {}", address(origin, destination, slugs)?))
    };
    let lines = out.split('\n').map(|line| defined(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
}

fn address(origin: &str, destination: &str, slugs: &HashMap<&str, String>) -> Option<String> {
    let of_slug = |slug: &String, rest: &str| format!("/posts/{slug}{rest}");
    // A template can be broken over two lines.
    let destination = &*destination.replace('\n', " ");
    if let Some(path) = destination.strip_prefix("{{ \"").and_then(|rest| rest.strip_suffix("\" | relative_url }}")) {
        return Some(path.to_owned());
    }
    if let Some((path, rest)) = destination.strip_prefix("{% link ").and_then(|rest| rest.split_once(" %}")) {
        return slugs.get(path).map(|slug| of_slug(slug, rest));
    }
    if let Some((name, rest)) = destination.strip_prefix("{% post_url ").and_then(|rest| rest.split_once(" %}")) {
        let named = slugs.iter().find(|(origin, _)| origin.starts_with(&format!("_posts/{name}.")))?;
        return Some(of_slug(named.1, rest));
    }
    let (path, rest) =
        destination.split_once('#').map_or((destination, String::new()), |(path, id)| (path, format!("#{id}")));
    let folder = origin.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = || format!("{folder}/{}", path.trim_start_matches("./"));
    let below = || format!("content/{}", path.trim_start_matches("./"));
    let places = match path.strip_prefix("@/") {
        Some(path) => vec![format!("content/{path}")],
        None => vec![beside(), below()],
    };
    places.iter().find_map(|place| slugs.get(place.as_str())).map(|slug| of_slug(slug, &rest))
}

/// Checks each post by its id and by its slug: its fields, and its body byte for byte.
async fn assert_posts(site: &Site, model: &Model) {
    let checks = model.posts.iter().map(|(key, reading)| async move {
        let id = NodeId::Post(key.id.clone()).to_string();
        let fields = "id slug title publishedAt status version body { markdown } \
                      authors { name slug } author { name } categories { name slug } tags { name slug }";
        let data = site
            .query_with(
                &format!("query($id: ID!) {{ node(id: $id) {{ ... on Post {{ {fields} }} }} }}"),
                json!({ "id": id }),
            )
            .await;
        let post = &data["node"];
        let terms = |list: &str| {
            post[list].as_array().expect("a list").iter().map(|t| term_name(t, model.by_slug)).collect::<Vec<_>>()
        };
        let body = post["body"]["markdown"].as_str().expect("a body");
        match model.by_slug {
            // An export of WordPress has HTML, which the import gives paragraphs.
            true => {
                let is_same = reading::words(&html_of(body)) == reading::words(&reading.body);
                assert_eq!(is_same, !reading::OTHER_WORDS.contains(&reading.origin.as_str()), "{}", reading.origin);
            }
            false => assert_eq!(body, reading.body, "{}", reading.origin),
        }
        assert_eq!(post["publishedAt"], shown_time(key.at), "{}", reading.origin);
        assert_eq!((&post["status"], &post["version"]), (&json!("PUBLISHED"), &json!(1)));
        if !reading.title.is_empty() && !reading.title.contains(['<', '&']) {
            assert_eq!(post["title"], reading.title, "{}", reading.origin);
        }
        assert_eq!(
            (terms("categories"), terms("tags")),
            (unique(&reading.categories), unique(&reading.tags)),
            "{}",
            reading.origin
        );
        assert_eq!(terms("authors").len(), unique(&reading.authors).len(), "{}", reading.origin);
        let by_slug = site
            .query_with(
                &format!("query($s: String!) {{ post(slug: $s) {{ {fields} }} }}"),
                json!({ "s": post["slug"] }),
            )
            .await;
        assert_eq!(by_slug["post"], *post);
    });
    stream::iter(checks).buffer_unordered(LISTS_AT_ONCE).collect::<Vec<()>>().await;
}

/// The text by which a reading identifies a term.
fn term_name(term: &Value, by_slug: bool) -> String {
    let field = if by_slug { "slug" } else { "name" };
    term[field].as_str().expect("a text").to_lowercase()
}

fn unique(names: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    names.iter().filter(|name| seen.insert(name.as_str())).cloned().collect()
}

/// Checks the list of all posts, the posts of every term, and the counts of the months.
async fn assert_lists(site: &Site, model: &Model) {
    let mut lists = vec![(String::new(), model.ids(|_| true))];
    for (plural, single) in [("categories", "category"), ("tags", "tag"), ("authors", "author")] {
        for term in terms(site, plural).await {
            let (name, slug) = (term_name(&term, model.by_slug), term["slug"].as_str().expect("a slug"));
            // WordPress identifies a post's author by the slug, the others by the name.
            let has_term = |names: &[String]| names.contains(&name);
            let expected = model.ids(|reading| {
                has_term(match plural {
                    "categories" => &reading.categories,
                    "tags" => &reading.tags,
                    _ => &reading.authors,
                })
            });
            lists.push((format!(r#"{single}(slug: "{slug}")"#), expected));
        }
    }
    let walks = lists.iter().flat_map(|(scope, expected)| {
        [1, 7, 100].into_iter().flat_map(move |size| [true, false].map(|forward| (scope, expected, size, forward)))
    });
    let walks = walks.map(|(scope, expected, size, forward)| async move {
        let found = walk(site, scope, size, forward).await;
        assert_eq!(
            (&found.ids, found.total),
            (expected, expected.len() as u64),
            "{scope} by {size}, forward: {forward}"
        );
    });
    stream::iter(walks).buffer_unordered(LISTS_AT_ONCE).collect::<Vec<()>>().await;
    let months = site.query("{ archive { year month postCount } }").await;
    let counted: u64 =
        months["archive"].as_array().expect("months").iter().filter_map(|m| m["postCount"].as_u64()).sum();
    assert_eq!(counted, model.posts.len() as u64);
}

async fn terms(site: &Site, plural: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut after = Value::Null;
    loop {
        let query = format!(
            "query($after: String) {{ {plural}(first: 50, after: $after) {{ nodes {{ slug name }} totalCount pageInfo {{ hasNextPage endCursor }} }} }}"
        );
        let data = site.query_with(&query, json!({ "after": after })).await;
        let page = &data[plural];
        found.extend(page["nodes"].as_array().expect("nodes").iter().cloned());
        if page["pageInfo"]["hasNextPage"] == json!(false) {
            assert_eq!(page["totalCount"], json!(found.len()));
            return found;
        }
        after = page["pageInfo"]["endCursor"].clone();
    }
}

struct Walked {
    ids: Vec<String>,
    total: u64,
}

/// Reads a list from one end to the other, page by page.
async fn walk(site: &Site, scope: &str, size: i32, forward: bool) -> Walked {
    let (count, cursor, more, place) = if forward {
        ("first", "after", "hasNextPage", "endCursor")
    } else {
        ("last", "before", "hasPreviousPage", "startCursor")
    };
    let posts =
        format!("posts({count}: {size}, {cursor}: $c) {{ nodes {{ id }} totalCount pageInfo {{ {more} {place} }} }}");
    let query = match scope {
        "" => format!("query($c: String) {{ {posts} }}"),
        scope => format!("query($c: String) {{ scope: {scope} {{ {posts} }} }}"),
    };
    let (mut ids, mut at) = (Vec::new(), Value::Null);
    loop {
        let data = site.query_with(&query, json!({ "c": at })).await;
        let page = if scope.is_empty() { &data["posts"] } else { &data["scope"]["posts"] };
        let mut nodes: Vec<String> = page["nodes"]
            .as_array()
            .expect("nodes")
            .iter()
            .map(|n| n["id"].as_str().expect("an id").to_owned())
            .collect();
        if forward {
            ids.append(&mut nodes);
        } else {
            nodes.append(&mut ids);
            ids = nodes;
        }
        if page["pageInfo"][more] == json!(false) {
            return Walked { ids, total: page["totalCount"].as_u64().expect("a count") };
        }
        at = page["pageInfo"][place].clone();
    }
}

/// For drafts and scheduled posts, the answer is the same as for missing posts.
async fn assert_hidden(site: &Site, model: &Model) {
    for (id, slug) in &model.hidden {
        let variables = json!({ "id": NodeId::Post(id.clone()).to_string(), "slug": slug });
        let data = site
            .query_with("query($id: ID!, $slug: String!) { node(id: $id) { id } post(slug: $slug) { id } }", variables)
            .await;
        assert_eq!(data, json!({ "node": null, "post": null }));
    }
}

fn embedded() -> (Store, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    (Arc::new(EmbeddedStore::open(folder.path()).expect("a store")), folder)
}

async fn assert_file((path, read, count): Corpus) {
    let path = corpora().join(path);
    let (store, _folder) = embedded();
    assert_corpus(store, &path, read(&path), count).await;
}

async fn assert_azurite((path, read, count): Corpus) {
    let path = corpora().join(path);
    let subject = stores::azurite().await;
    assert_corpus(Arc::clone(&subject.store), &path, read(&path), count).await;
}

/// A path, its independent reading, and the number of its posts.
type Corpus = (&'static str, fn(&Path) -> Vec<Reading>, usize);
const GO_BLOG: Corpus = ("go-blog", reading::go_blog, 274);
const RUST_BLOG: Corpus = ("rust-blog", reading::rust_blog, 750);
const JEKYLL_BLOG: Corpus = ("jekyll-blog", reading::jekyll_blog, 102);
const WORDPRESS: Corpus = ("wordpress/themeunittestdata.wordpress.xml", reading::wordpress, 51);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
async fn the_go_blog_is_imported_completely_into_a_file() {
    assert_file(GO_BLOG).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
async fn the_rust_blog_is_imported_completely_into_a_file() {
    assert_file(RUST_BLOG).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
async fn the_jekyll_blog_is_imported_completely_into_both_stores() {
    assert_file(JEKYLL_BLOG).await;
    assert_azurite(JEKYLL_BLOG).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
async fn the_export_of_wordpress_is_imported_completely_into_a_file() {
    assert_file(WORDPRESS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --long"]
async fn the_large_blogs_are_imported_completely_into_azurite() {
    assert_azurite(WORDPRESS).await;
    assert_azurite(GO_BLOG).await;
    assert_azurite(RUST_BLOG).await;
}
