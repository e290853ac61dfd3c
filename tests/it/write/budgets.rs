//! The storage requests of a change, whatever the number of posts. The rule: these are the figures of docs/writing.md, for a file and for tables.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::content::Content;
use tidings::keys::lookup;
use tidings::model::{PostId, Term, TermKind, WholePost};
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{CountingStore, Entity, FeedStore, StorageUse, Store};

use crate::support::graphql::{EDITOR_TOKEN, json_request};
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, instant, post, slug, slugs};

/// Point reads, range reads and transactions.
type Cost = (u32, u32, u32);

struct Counted {
    site: Site,
    counting: Arc<CountingStore>,
}

impl Counted {
    async fn with(store: Store, posts: &[WholePost]) -> Self {
        let counting = CountingStore::naming(store);
        let site = Site::over(Arc::<CountingStore>::clone(&counting)).await;
        site.publish(posts).await;
        for kind in TermKind::ALL {
            let term = Term::new(kind, slug("unused"), "Of no post");
            site.content.writer().expect("a writer").save_terms(kind, vec![term]).await.expect("a term");
        }
        Self { site, counting }
    }

    async fn mutate(&self, mutation: &str) -> (Value, Cost) {
        let (data, cost, _) = self.mutate_with_round_trips(mutation).await;
        (data, cost)
    }

    /// With the round trips until the answer.
    async fn mutate_with_round_trips(&self, mutation: &str) -> (Value, Cost, u32) {
        // The client has read the id and the version before.
        let mutation = &self.site.with_ids(mutation).await;
        let before = self.counting.used();
        let body = json!({ "query": format!("mutation {{ {mutation} }}"), "extensions": { "storage": true } });
        let answer = self.site.send(json_request("application/json"), Some(EDITOR_TOKEN), body.to_string()).await;
        assert_eq!(answer.body.get("errors"), None, "{mutation}");
        let round_trips = answer.body["extensions"]["storage"]["roundTrips"].as_u64().expect("a number") as u32;
        let data = answer.body["data"].as_object().expect("data").values().next().cloned().expect("one field");
        assert_eq!(data["userErrors"], json!([]), "{mutation}");
        let (point_reads, range_reads, transactions) = cost_since(&before, &self.counting.used());
        (
            data.clone(),
            (point_reads, range_reads, transactions + u32::from(transactions > 1 && are_claimed_together(&data))),
            round_trips,
        )
    }
}

/// Whether the id of a new post, which is random, is in the bucket of its slug, so that one transaction claims both.
pub(crate) fn are_claimed_together(data: &Value) -> bool {
    let (Some(id), Some(slug)) = (data["post"]["id"].as_str(), data["post"]["slug"].as_str()) else { return false };
    let id: PostId = id.strip_prefix("post-").expect("the id of a post").parse().expect("an id");
    lookup::by_id(&id).partition() == lookup::by_slug(&slug.parse().expect("a slug")).partition()
}

fn cost_since(before: &StorageUse, after: &StorageUse) -> Cost {
    (
        after.point_reads - before.point_reads,
        after.range_reads - before.range_reads,
        after.transactions - before.transactions,
    )
}

/// Published posts, one a day, of one author, one category and three tags.
fn posts(count: u64) -> Vec<WholePost> {
    let day = |n: u64| instant(&format!("20{:02}-{:02}-{:02}T00:00:00Z", 10 + n / 336, 1 + n / 28 % 12, 1 + n % 28));
    (0..count)
        .map(|n| {
            let mut whole = post(n, day(n));
            whole.post.authors = slugs(&["ada"]);
            whole.post.categories = slugs(&["news"]);
            whole.post.tags = slugs(&["a", "b", "c"]);
            whole.post.language = if n == 6 || n == 7 { "de".parse().ok() } else { None };
            whole.post.is_featured = n == 7;
            whole
        })
        .collect()
}

fn id(number: u64) -> String {
    format!("post-{}", post(number, instant("2010-01-01T00:00:00Z")).post.id)
}

const ERRORS: &str = "userErrors { code }";
const CREATED: &str = "post { id slug }";

/// What is done, with which mutation, and its cost on a file and on tables. Each change is of a post of its own.
fn changes() -> Vec<(&'static str, String, [Cost; 2])> {
    let of = |number: u64, version: i32| format!(r#"id: "{}", expectedVersion: {version}"#, id(number));
    let new = r#"title: "New", markdown: "x", authors: ["ada"], categories: ["news"]"#;
    let keyed = format!(
        r#"createPost(input: {{ {new}, slug: "keyed", tags: ["a", "b", "c"], createMissingTags: true, publishAt: "2010-01-05T03:00:00Z", idempotencyKey: "k" }}) {{ {CREATED} {ERRORS} }}"#
    );
    vec![
        (
            "create and publish, 1 author, 1 category, 3 tags",
            format!(
                r#"createPost(input: {{ {new}, tags: ["a", "b", "c"], createMissingTags: true, publishAt: "2010-01-05T02:00:00Z" }}) {{ {CREATED} {ERRORS} }}"#
            ),
            CREATE,
        ),
        (
            "change the title",
            format!(r#"updatePost(input: {{ {}, title: "Other" }}) {{ {ERRORS} }}"#, of(0, 1)),
            RETITLE,
        ),
        (
            "one tag for another",
            format!(
                r#"updatePost(input: {{ {}, tags: ["a", "b", "unused"], createMissingTags: true }}) {{ {ERRORS} }}"#,
                of(1, 1)
            ),
            RETAG,
        ),
        (
            "one language for another",
            format!(r#"updatePost(input: {{ {}, language: "pt-BR" }}) {{ {ERRORS} }}"#, of(6, 1)),
            RETRANSLATE,
        ),
        (
            "a post becomes featured",
            format!(r#"updatePost(input: {{ {}, featured: true }}) {{ {ERRORS} }}"#, of(8, 1)),
            FEATURE,
        ),
        (
            "another day of the month",
            format!(r#"publishPost(input: {{ {}, publishAt: "2010-01-03T01:00:00Z" }}) {{ {ERRORS} }}"#, of(2, 1)),
            REDATE,
        ),
        (
            "another month",
            format!(r#"publishPost(input: {{ {}, publishAt: "2010-02-01T01:00:00Z" }}) {{ {ERRORS} }}"#, of(3, 1)),
            MOVE,
        ),
        ("another slug", format!(r#"updatePost(input: {{ {}, slug: "other" }}) {{ {ERRORS} }}"#, of(4, 1)), RENAME),
        ("delete", format!("deletePost(input: {{ {} }}) {{ {ERRORS} }}", of(5, 1)), DELETE),
        ("the same with an `idempotencyKey`", keyed.clone(), CREATE_KEYED),
        ("the same again with the same key", keyed, REPEAT),
        // The last one, because inputs do not take a former slug.
        ("rename a tag", format!(r#"updateTag(input: {{ @tag(b), slug: "z" }}) {{ {ERRORS} }}"#), RENAME_TAG),
    ]
}

/// One transaction on a file; on tables, the steps of the protocol on a server that wrote the counts last.
const CREATE: [Cost; 2] = [(5, 0, 1), (10, 0, 15)];
const CREATE_KEYED: [Cost; 2] = [(6, 0, 1), (11, 0, 16)];
const REPEAT: [Cost; 2] = [(3, 0, 0), (5, 0, 0)];
const RETITLE: [Cost; 2] = [(2, 0, 1), (3, 0, 6)];
const RETAG: [Cost; 2] = [(5, 0, 1), (9, 0, 9)];
const RETRANSLATE: [Cost; 2] = [(2, 0, 1), (5, 0, 9)];
const FEATURE: [Cost; 2] = [(2, 0, 1), (3, 0, 8)];
const REDATE: [Cost; 2] = [(2, 0, 1), (12, 0, 20)];
const MOVE: [Cost; 2] = [(2, 0, 1), (23, 0, 25)];
const RENAME: [Cost; 2] = [(2, 0, 1), (11, 0, 11)];
const DELETE: [Cost; 2] = [(2, 0, 1), (13, 1, 15)];
const RENAME_TAG: [Cost; 2] = [(1, 0, 1), (8, 1, 9)];

fn file() -> Store {
    Arc::new(EmbeddedStore::in_memory().expect("a store in memory"))
}

async fn assert_costs(store: fn() -> Store, of: usize) {
    for count in [60, 5_000] {
        let counted = Counted::with(store(), &posts(count)).await;
        let mut found = Vec::new();
        for (what, mutation, _) in changes() {
            found.push((what, counted.mutate(&mutation).await.1));
        }
        let expected: Vec<_> = changes().into_iter().map(|(what, _, costs)| (what, costs[of])).collect();
        assert_eq!(found, expected, "among {count} posts");
        counted.site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_change_on_a_file_costs_one_transaction_among_60_posts_and_among_5_000() {
    assert_costs(file, 0).await;
}

#[tokio::test]
async fn a_change_on_tables_costs_the_same_among_60_posts_and_among_5_000() {
    assert_costs(|| MemoryStore::empty(), 1).await;
}

/// The most round trips one after another until the answer to each change, in the order of [`changes`].
const ROUND_TRIPS_MAX: [u32; 12] = [6, 7, 9, 9, 9, 13, 26, 15, 16, 9, 5, 18];

/// Transactions, and round trips.
async fn counted_costs(counting: &Arc<CountingStore>, store: Store) -> Vec<(&'static str, u32, u32)> {
    let site = Site::over(store).await;
    site.publish(&posts(60)).await;
    for kind in TermKind::ALL {
        let term = Term::new(kind, slug("unused"), "Of no post");
        site.content.writer().expect("a writer").save_terms(kind, vec![term]).await.expect("a term");
    }
    let counted = Counted { site, counting: Arc::clone(counting) };
    let mut costs = Vec::new();
    for (what, mutation, _) in changes() {
        // So that no closing is written while the change is counted.
        counted.site.store.finish_writes().await;
        let (_, (_, _, transactions), round_trips) = counted.mutate_with_round_trips(&mutation).await;
        costs.push((what, transactions, round_trips));
    }
    costs
}

/// The time is paused, so that the closing comes after the change.
#[tokio::test(start_paused = true)]
async fn a_change_announces_its_rows_in_one_request() {
    let plain = CountingStore::new(MemoryStore::empty());
    let expected = counted_costs(&plain, Arc::<CountingStore>::clone(&plain)).await;
    let are_at_most = expected.iter().zip(ROUND_TRIPS_MAX).all(|((_, _, trips), max)| *trips <= max);
    assert!(are_at_most, "{expected:?}");
    let counting = CountingStore::new(MemoryStore::empty());
    let feed = FeedStore::new(Arc::<CountingStore>::clone(&counting), Content::FEED, Clock::System);
    let found = counted_costs(&counting, Arc::new(feed)).await;
    let announced = expected
        .into_iter()
        .map(|(what, transactions, trips)| (what, transactions + u32::from(transactions > 0), trips));
    assert_eq!(found, announced.collect::<Vec<_>>());
}

/// A change, its cost on a file and on tables, and the most round trips until the answer.
const TOKEN_CHANGES: [(&str, Cost, Cost, u32); 3] = [
    ("create a token", (0, 1, 1), (2, 1, 4), 7),
    ("revoke a token", (1, 0, 1), (3, 0, 4), 7),
    ("revoke all preview links", (1, 0, 1), (3, 0, 4), 7),
];

/// The costs of [`TOKEN_CHANGES`], among this many tokens.
async fn token_costs(store: Store, tokens: u64) -> Vec<(Cost, u32)> {
    let counted = Counted::with(store, &[]).await;
    let new = |name: &str| {
        format!(r#"createToken(input: {{ name: "{name}", role: READER }}) {{ token {{ id }} userErrors {{ code }} }}"#)
    };
    for number in 0..tokens {
        counted.mutate(&new(&number.to_string())).await;
    }
    let (created, cost, trips) = counted.mutate_with_round_trips(&new("new")).await;
    let mut costs = vec![(cost, trips)];
    let revoke = format!("revokeToken(input: {{ id: {} }}) {{ userErrors {{ code }} }}", created["token"]["id"]);
    for mutation in [revoke, "revokePreviews { revokedAt userErrors { code } }".to_owned()] {
        let (_, cost, trips) = counted.mutate_with_round_trips(&mutation).await;
        costs.push((cost, trips));
    }
    costs
}

#[tokio::test]
async fn a_change_of_a_token_costs_the_same_however_many_there_are() {
    for tokens in [0, 50] {
        let costs = |found: Vec<(Cost, u32)>| found.into_iter().map(|(cost, _)| cost).collect::<Vec<_>>();
        assert_eq!(costs(token_costs(file(), tokens).await), TOKEN_CHANGES.map(|(_, on_a_file, _, _)| on_a_file));
        let on_tables = token_costs(MemoryStore::empty(), tokens).await;
        let expected = TOKEN_CHANGES.map(|(_, _, on_tables, trips)| (on_tables, trips));
        assert_eq!(on_tables, expected, "among {tokens} tokens");
    }
}

async fn rows(store: &dyn tidings::store::TableStore, table: &'static str) -> Vec<Entity> {
    store.scan(table, None).await.expect("a scan").rows
}

#[tokio::test]
async fn a_change_of_the_title_touches_no_index() {
    let counted = Counted::with(file(), &posts(60)).await;
    let indexes =
        ["PostsByAuthor", "PostsByCategory", "PostsByTag", "PostsByLanguage", "FeaturedPosts", "PostKeys", "Months"];
    let mut before = Vec::new();
    for table in indexes {
        before.push(rows(counted.counting.as_ref(), table).await);
    }
    let reads_before = counted.counting.used().reads.len();
    counted.mutate(&changes()[1].1).await;
    let reads = counted.counting.used().reads.split_off(reads_before);
    assert!(reads.iter().all(|read| !read.starts_with("PostsBy")), "{reads:?}");
    for (table, before) in indexes.into_iter().zip(before) {
        // A row that is written again has another ETag, even with the same content.
        assert_eq!(rows(counted.counting.as_ref(), table).await, before, "{table}");
    }
}

#[test]
fn the_docs_name_these_figures() {
    let docs = include_str!("../../../docs/writing.md");
    for ((what, _, [(reads, _, transactions), on_tables]), trips) in changes().into_iter().zip(ROUND_TRIPS_MAX) {
        let (points, ranges, writes) = on_tables;
        let what = what.split(',').next().unwrap_or(what);
        let figures = format!("| {reads}, {transactions} | {points}, {ranges}, {writes} | {trips} |");
        let is_row = |line: &&str| line.starts_with(&format!("| {what}")) && line.ends_with(&figures);
        assert!(docs.lines().any(|line| is_row(&line)), "docs/writing.md, {what}: {figures}");
    }
    for (what, file, tables, trips) in TOKEN_CHANGES {
        let [file, tables] = [file, tables].map(|(points, ranges, writes)| format!("{points}, {ranges}, {writes}"));
        assert!(docs.contains(&format!("| {what} | {file} | {tables} | {trips} |\n")), "docs/writing.md, {what}");
    }
}
