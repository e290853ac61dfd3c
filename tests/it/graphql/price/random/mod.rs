//! Random queries and mutations on random content: no operation needs more than its bound, on a file and on tables. The rule: everything is drawn from
//! one seed, which a failure prints. `TIDINGS_SEEDS=34` runs 10,200 operations.

mod changes;
mod queries;
mod site_pages;

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::Role;
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::{Asked, Asking, Way};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, seeds};
use crate::support::site::{Site, post, slug, slugs};
use queries::Writer;

/// Sites on each store.
const SITES: u64 = 5;
/// On Azurite, where an operation takes longer.
const SITES_AZURITE: u64 = 1;
const OPERATIONS: usize = 150;
/// One of so many operations is a mutation.
const MUTATIONS: usize = 5;

/// What a dry run does not count: the look-up of a token with its author.
const SIGN_IN: u64 = 3;

/// The variable of page sizes.
const SIZE: &str = "$size";
/// The variable of conditions.
const IS_ON: &str = "$isOn";

/// The last is no tag, so that a post with it has no language.
const LANGUAGES: [&str; 4] = ["de", "en", "pt-BR", "none!"];

const TERMS: [&str; 3] = ["categories", "tags", "authors"];
/// The fields of an input that name them.
const SLUGS: [&str; 3] = ["categorySlugs", "tagSlugs", "authorSlugs"];

/// An object with its present version.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Object {
    id: String,
    version: i64,
}

/// What the generator knows of the content.
struct Known {
    slugs: Vec<String>,
    terms: [Vec<String>; 3],
    ids: Vec<String>,
    /// Posts, drafts and scheduled posts included.
    posts: Vec<Object>,
    /// Categories, tags and authors.
    versions: [Vec<Object>; 3],
    tokens: Vec<String>,
    /// Pages of the site, drafts included.
    pages: Vec<Object>,
    /// Their paths.
    paths: Vec<String>,
    /// Cursors of the list of posts, of each list of terms, and of the pages at the top.
    cursors: [Vec<String>; 5],
}

fn term(random: &mut Random, kind: usize) -> String {
    let letter = ["a", "b", "c", "m", "z", "0"][random.below(6)];
    format!("{letter}{}-{}", random.below(6), TERMS[kind])
}

/// Posts of some months, now and then some at once, some of them scheduled.
async fn fill(site: &Site, random: &mut Random) {
    let posts = [3, 12, 40, 90][random.below(4)];
    let months = 1 + random.below(30);
    let posts = (0..posts).map(|number| {
        let month = random.below(months + 1);
        let day = 1 + random.below(27);
        let (year, month) = (2026 - (month + 6) / 12, 12 - (month + 6) % 12);
        let at = format!("{year}-{month:02}-{day:02}T{:02}:00:00Z", random.below(24));
        let mut whole = post(number, at.parse().expect("an instant"));
        let named: [Vec<String>; 3] = std::array::from_fn(|kind| {
            let mut named: Vec<String> = (0..random.below(4)).map(|_| term(random, kind)).collect();
            named.sort();
            named.dedup();
            named
        });
        let of = |kind: usize| slugs(&named[kind].iter().map(String::as_str).collect::<Vec<_>>());
        (whole.post.categories, whole.post.tags, whole.post.authors) = (of(0), of(1), of(2));
        whole.post.language = random.pick(&LANGUAGES).parse().ok();
        whole.post.is_featured = random.chance(20);
        whole.post.series = random.chance(40).then(|| slug(&format!("series-{}", random.below(3))));
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
    fill_pages(site, random).await;
}

/// Some pages; those whose parents do not exist are refused.
async fn fill_pages(site: &Site, random: &mut Random) {
    let mutation = "mutation($input: CreatePageInput!) { createPage(input: $input) { page { id } } }";
    for _ in 0..random.below(40) {
        let path = site_pages::path(random);
        let input = json!({ "path": path, "title": path, "markdown": "x", "publish": random.chance(80) });
        let answer = site.mutate(mutation, json!({ "input": input }), Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body.get("errors"), None);
    }
}

async fn known(asking: &Asking) -> Known {
    let all = "{ posts(first: 100) { edges { cursor node { id slug version } } } \
               draftPosts(first: 100) { edges { node { id version } } } scheduledPosts(first: 100) { edges { node { id version } } } \
               categories(first: 100) { edges { cursor node { id slug version } } } tags(first: 100) { edges { cursor node { id slug version } } } \
               authors(first: 100) { edges { cursor node { id slug version } } } tokens { edges { node { id } } } \
               pages(first: 100) { edges { cursor node { id version path children(first: 100) { nodes { id version path } } } } } \
               draftPages(first: 100) { edges { node { id version path } } } }";
    let data = asking.ask(all, &json!({}), Way::Header("report")).await.body["data"].take();
    let edges = |list: &str| data[list]["edges"].as_array().unwrap_or_else(|| panic!("{data}")).clone();
    let of = |list: &str, path: &str| -> Vec<String> {
        edges(list).iter().map(|edge| edge.pointer(path).and_then(Value::as_str).expect("a text").to_owned()).collect()
    };
    let objects = |list: &str| -> Vec<Object> {
        let object = |edge: &Value| Object {
            id: edge["node"]["id"].as_str().expect("an id").to_owned(),
            version: edge["node"]["version"].as_i64().expect("a version"),
        };
        edges(list).iter().map(object).collect()
    };
    let below = edges("pages")
        .iter()
        .flat_map(|edge| edge["node"]["children"]["nodes"].as_array().cloned())
        .flatten()
        .collect::<Vec<_>>();
    let child = |page: &Value| Object {
        id: page["id"].as_str().expect("an id").to_owned(),
        version: page["version"].as_i64().expect("a version"),
    };
    let pages = ["pages", "draftPages"].into_iter().flat_map(&objects).chain(below.iter().map(child)).collect();
    let paths = ["pages", "draftPages"].into_iter().flat_map(|list| of(list, "/node/path"));
    let paths = paths.chain(below.iter().filter_map(|page| page["path"].as_str().map(str::to_owned))).collect();
    let posts: Vec<Object> = ["posts", "draftPosts", "scheduledPosts"].into_iter().flat_map(&objects).collect();
    let versions = TERMS.map(objects);
    let mut ids = vec!["post-x".to_owned(), "nothing".to_owned()];
    ids.extend(posts.iter().chain(versions.iter().flatten()).map(|object| object.id.clone()));
    ids.extend(posts.iter().map(|post| format!("{}-1", post.id.replacen("post-", "revision-", 1))));
    Known {
        slugs: of("posts", "/node/slug"),
        terms: TERMS.map(|list| of(list, "/node/slug")),
        ids,
        posts,
        versions,
        tokens: of("tokens", "/node/id"),
        pages,
        paths,
        cursors: ["posts", "categories", "tags", "authors", "pages"].map(|list| of(list, "/cursor")),
    }
}

/// Runs random operations; returns how many were answered, and the most that one needed.
async fn run(store: Store, seed: u64) -> (usize, u64) {
    let mut random = Random::new(seed);
    let site = Site::over(store).await;
    fill(&site, &mut random).await;
    let admin = Asking::of(&site);
    let closed = Asking::of_server(&site, false);
    let mut known = known(&admin).await;
    let author = match known.terms[2].first() {
        Some(author) => Some(site.token(Role::Author, Some(author)).await),
        None => None,
    };
    // The token that the test needs is not revoked, and its author not deleted.
    let keep = |mut known: Known, needed: &[String]| {
        known.tokens.retain(|token| !needed.contains(token));
        known.versions[2].retain(|author| !needed.contains(&author.id));
        known
    };
    let mut needed = self::known(&admin).await.tokens;
    needed.extend(known.versions[2].first().map(|author| author.id.clone()));
    known = keep(known, &needed);
    let (mut answered, mut most) = (0, 0);
    for number in 0..OPERATIONS {
        let is_change = random.below(MUTATIONS) == 0;
        let mut writer = Writer { random: &mut random, known: &known };
        let operation = if is_change { writer.mutation(number) } else { writer.query() };
        // More directives than a document can have.
        if operation.matches('@').count() > 100 {
            continue;
        }
        let sizes = [json!({}), json!({ "size": null }), json!({ "size": 1 }), json!({ "size": 30 })];
        let mut variables = if operation.contains(SIZE) { random.pick(&sizes).clone() } else { json!({}) };
        if operation.contains(IS_ON) && random.chance(60) {
            variables["isOn"] = random.chance(50).into();
        }
        let asking = match random.below(4) {
            _ if is_change => admin.with_token(Some(EDITOR_TOKEN)),
            0 => admin.with_token(author.as_deref()),
            1 => admin.with_token(None),
            _ => admin.with_token(Some(EDITOR_TOKEN)),
        };
        if random.chance(50) {
            site.invalidate_cached();
        }
        // A dry run reads lists of partitions, and does not count them. A client that may not know the cost has another bound,
        // which says nothing of drafts.
        let dry_bound = match random.below(4) {
            0 => Some(&closed),
            1 if is_change => Some(&admin),
            _ => None,
        };
        let dry_bound = match dry_bound {
            Some(server) => Some(server.with_token(asking.token.as_deref()).dry_run(&operation, &variables).await),
            None => None,
        };
        // Without the header, the operation itself reads nothing for its bound.
        let way = if dry_bound.is_none() && random.chance(70) { Way::Header("report") } else { Way::Plan };
        let Asked { spent, body, .. } = asking.ask(&operation, &variables, way).await;
        let place = format!("seed {seed}, operation {number}: {operation}\n{body:.2000}");
        let codes = body["errors"].as_array().into_iter().flatten().map(|error| error["extensions"]["code"].as_str());
        let faults = ["INTERNAL_SERVER_ERROR", "GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED"];
        assert!(!codes.flatten().any(|code| faults.contains(&code)), "{place}");
        if let Some(bound) = dry_bound {
            let sign_in = if asking.token.is_some() { SIGN_IN } else { 0 };
            assert!(spent <= bound + sign_in, "{spent} spent, bounded by a dry run at {bound}: {place}");
        }
        answered += usize::from(spent > 0 && !body["data"].is_null());
        most = most.max(spent);
        if is_change {
            known = keep(self::known(&admin).await, &needed);
        }
    }
    (answered, most)
}

async fn hold(sites: u64, store: impl Fn() -> Store) {
    let mut most_of_all = 0;
    for seed in seeds(sites) {
        let (answered, most) = run(store(), seed).await;
        assert!(answered > OPERATIONS / 2, "seed {seed}: {answered} answered");
        most_of_all = most.max(most_of_all);
    }
    assert!(most_of_all > 50, "no operation needed more than {most_of_all} requests");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_operation_exceeds_its_bound_on_a_file() {
    hold(SITES, || Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_operation_exceeds_its_bound_on_tables() {
    hold(SITES, || MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_operation_exceeds_its_bound_on_azurite() {
    let azurite = Azurite::any();
    hold(SITES_AZURITE, || Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client"))).await;
}
