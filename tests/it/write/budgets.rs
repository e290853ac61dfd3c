//! The storage requests of a change, whatever the number of posts. The rule: these are the figures of docs/writing.md, for a file and for tables.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::{Term, TermKind, WholePost};
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{CountingStore, Entity, StorageUse, Store};

use crate::support::graphql::{EDITOR_TOKEN, json_request};
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, instant, post, slug, slugs};

use super::figures::{CHANGES, Cost, TOKEN_CHANGES};

/// A site and the requests to its storage: on tables, those of the log too.
struct Counted {
    site: Site,
    counting: Arc<CountingStore>,
}

impl Counted {
    async fn with(store: Store, posts: &[WholePost]) -> Self {
        let counting = CountingStore::explaining(store);
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

    /// With the round trips, one after another.
    async fn mutate_with_round_trips(&self, mutation: &str) -> (Value, Cost, u32) {
        // The client has read the id and the version before.
        let mutation = &self.site.with_ids(mutation).await;
        let before = self.counting.used();
        let body = json!({ "query": format!("mutation {{ {mutation} }}") });
        let answer = self.site.send(json_request("application/json"), Some(EDITOR_TOKEN), body.to_string()).await;
        assert_eq!(answer.body.get("errors"), None, "{mutation}");
        let after = self.counting.used();
        let data = answer.body["data"].as_object().expect("data").values().next().cloned().expect("one field");
        assert_eq!(data["userErrors"], json!([]), "{mutation}");
        (data, cost_since(&before, &after), after.round_trips - before.round_trips)
    }
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

/// The mutations of [`CHANGES`]. Each changes a post of its own.
fn changes() -> Vec<String> {
    let of = |number: u64, version: i32| format!(r#"id: "{}", expectedVersion: {version}"#, id(number));
    let new = r#"title: "New", markdown: "x", authorSlugs: ["ada"], categorySlugs: ["news"]"#;
    let keyed = format!(
        r#"createPost(input: {{ {new}, slug: "keyed", tagSlugs: ["a", "b", "c"], createMissingTags: true, publishAt: "2010-01-05T03:00:00Z", idempotencyKey: "k" }}) {{ {CREATED} {ERRORS} }}"#
    );
    vec![
        format!(
            r#"createPost(input: {{ {new}, tagSlugs: ["a", "b", "c"], createMissingTags: true, publishAt: "2010-01-05T02:00:00Z" }}) {{ {CREATED} {ERRORS} }}"#
        ),
        format!(r#"updatePost(input: {{ {}, title: "Other" }}) {{ {ERRORS} }}"#, of(0, 1)),
        format!(
            r#"updatePost(input: {{ {}, tagSlugs: ["a", "b", "unused"], createMissingTags: true }}) {{ {ERRORS} }}"#,
            of(1, 1)
        ),
        format!(r#"updatePost(input: {{ {}, language: "pt-BR" }}) {{ {ERRORS} }}"#, of(6, 1)),
        format!(r#"updatePost(input: {{ {}, featured: true }}) {{ {ERRORS} }}"#, of(8, 1)),
        format!(r#"publishPost(input: {{ {}, publishAt: "2010-01-03T01:00:00Z" }}) {{ {ERRORS} }}"#, of(2, 1)),
        format!(r#"publishPost(input: {{ {}, publishAt: "2010-02-01T01:00:00Z" }}) {{ {ERRORS} }}"#, of(3, 1)),
        format!(r#"updatePost(input: {{ {}, slug: "other" }}) {{ {ERRORS} }}"#, of(4, 1)),
        format!("deletePost(input: {{ {} }}) {{ {ERRORS} }}", of(5, 1)),
        keyed.clone(),
        keyed,
        // The last one, because inputs do not take a former slug.
        format!(r#"updateTag(input: {{ @tag(b), slug: "z" }}) {{ {ERRORS} }}"#),
    ]
}

fn file() -> Store {
    Arc::new(EmbeddedStore::in_memory().expect("a store in memory"))
}

/// The cost of each of [`CHANGES`], and the round trips, among this many posts.
async fn costs(store: Store, posts_before: u64) -> Vec<(&'static str, Cost, u32)> {
    let counted = Counted::with(store, &posts(posts_before)).await;
    let mut found = Vec::new();
    for ((what, ..), mutation) in CHANGES.into_iter().zip(changes()) {
        let (_, cost, round_trips) = counted.mutate_with_round_trips(&mutation).await;
        found.push((what, cost, round_trips));
    }
    counted.site.assert_sound().await;
    found
}

#[tokio::test]
async fn a_change_on_a_file_costs_one_transaction_among_60_posts_and_among_5_000() {
    for count in [60, 5_000] {
        let found: Vec<_> = costs(file(), count).await.into_iter().map(|(what, cost, _)| (what, cost)).collect();
        assert_eq!(found, CHANGES.map(|(what, on_a_file, ..)| (what, on_a_file)), "among {count} posts");
    }
}

#[tokio::test]
async fn a_change_on_tables_costs_the_same_among_60_posts_and_among_5_000() {
    for count in [60, 5_000] {
        let found = costs(MemoryStore::empty(), count).await;
        let costs: Vec<_> = found.iter().map(|(what, cost, _)| (*what, *cost)).collect();
        assert_eq!(costs, CHANGES.map(|(what, _, on_tables, _)| (what, on_tables)), "among {count} posts: {found:?}");
        let are_at_most = found.iter().zip(CHANGES).all(|((.., trips), (.., max))| *trips <= max);
        assert!(are_at_most, "among {count} posts: {found:?}");
    }
}

/// The costs of [`TOKEN_CHANGES`], among this many tokens.
async fn token_costs(store: Store, tokens: u64) -> Vec<(Cost, u32)> {
    let counted = Counted::with(store, &[]).await;
    let new = |name: &str| {
        format!(r#"createToken(input: {{ name: "{name}", role: READER }}) {{ token {{ id }} userErrors {{ code }} }}"#)
    };
    // The first one reads the watermark of the table, which the server remembers then.
    for number in 0..tokens.max(1) {
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
    for tokens in [1, 50] {
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
    let requests = || counted.counting.explanation().expect("it is explained").explained().requests;
    let before_it = requests().len();
    counted.mutate(&changes()[1]).await;
    let made = requests().split_off(before_it);
    assert!(!made.is_empty() && made.iter().all(|request| !request.accessed.table.starts_with("PostsBy")), "{made:?}");
    for (table, before) in indexes.into_iter().zip(before) {
        // A row that is written again has another ETag, even with the same content.
        assert_eq!(rows(counted.counting.as_ref(), table).await, before, "{table}");
    }
}

#[test]
fn the_docs_name_these_figures() {
    let docs = include_str!("../../../docs/writing.md");
    for (what, (reads, _, transactions), (points, ranges, writes), trips) in CHANGES {
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
