//! Random queries and mutations on random content: no operation needs more than its bound, on a file and on tables. The rule: everything is drawn from
//! one seed, which a failure prints.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::Role;
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use super::{Asked, Asking, Way};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::Random;
use crate::support::site::{Site, post, slugs};

/// Sites on each store, and the operations on each site: 3,000 operations in all, which take less than a minute.
const SITES: u64 = 10;
const OPERATIONS: usize = 150;
/// One of so many operations is a mutation.
const MUTATIONS: usize = 12;

/// What a dry run does not count: the look-up of a token with its author.
const SIGN_IN: u64 = 3;

/// The variable of page sizes.
const SIZE: &str = "$size";
/// The variable of conditions.
const IS_ON: &str = "$isOn";

const TERMS: [&str; 3] = ["categories", "tags", "authors"];

/// What the generator knows of the content.
struct Known {
    slugs: Vec<String>,
    terms: [Vec<String>; 3],
    ids: Vec<String>,
    tags: Vec<String>,
    /// Cursors of the list of posts, and of each list of terms.
    cursors: [Vec<String>; 4],
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
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
}

async fn known(asking: &Asking) -> Known {
    let all = "{ posts(first: 100) { edges { cursor node { id slug } } } \
               categories(first: 100) { edges { cursor node { id slug } } } \
               tags(first: 100) { edges { cursor node { id slug } } } authors(first: 100) { edges { cursor node { id slug } } } }";
    let data = asking.ask(all, &json!({}), Way::Header("report")).await.body["data"].take();
    let of = |list: &str, path: &str| -> Vec<String> {
        let edges = data[list]["edges"].as_array().unwrap_or_else(|| panic!("{data}"));
        edges.iter().map(|edge| edge.pointer(path).and_then(Value::as_str).expect("a text").to_owned()).collect()
    };
    let mut ids = vec!["post-x".to_owned(), "nothing".to_owned()];
    ids.extend(["posts", "categories", "tags", "authors"].into_iter().flat_map(|list| of(list, "/node/id")));
    ids.extend(of("posts", "/node/id").iter().map(|id| format!("{}-1", id.replacen("post-", "revision-", 1))));
    Known {
        slugs: of("posts", "/node/slug"),
        tags: of("tags", "/node/id"),
        terms: TERMS.map(|list| of(list, "/node/slug")),
        ids,
        cursors: ["posts", "categories", "tags", "authors"].map(|list| of(list, "/cursor")),
    }
}

/// Writes random operations.
struct Writer<'a> {
    random: &'a mut Random,
    known: &'a Known,
}

impl Writer<'_> {
    fn quoted(&mut self, from: &[String]) -> String {
        format!("{:?}", if from.is_empty() || self.random.chance(5) { "unknown" } else { self.random.pick(from) })
    }

    fn term(&mut self, kind: usize) -> String {
        let known = self.known;
        self.quoted(&known.terms[kind])
    }

    /// `cursors`: of the list, if the generator knows them.
    fn page(&mut self, cursors: Option<usize>, more: Vec<String>) -> String {
        let mut arguments = more;
        let mut size = [0, 1, 2, 3, 5, 20, 100][self.random.below(7)].to_string();
        if self.random.chance(30) {
            size = SIZE.to_owned();
        }
        match self.random.below(4) {
            0 => {}
            1 => arguments.push(format!("last: {size}")),
            2 if self.random.chance(20) => arguments.push(format!("first: {size}, last: {}", self.random.below(8))),
            _ => arguments.push(format!("first: {size}")),
        }
        let known = self.known;
        if let Some(cursors) = cursors.map(|list| &known.cursors[list]).filter(|cursors| !cursors.is_empty()) {
            for name in ["after", "before"] {
                if self.random.chance(25) {
                    arguments.push(format!("{name}: {:?}", self.random.pick(cursors)));
                }
            }
        }
        if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) }
    }

    fn filter(&mut self) -> Vec<String> {
        if self.random.chance(60) {
            return Vec::new();
        }
        let mut conditions = Vec::new();
        for (kind, name) in TERMS.iter().enumerate() {
            if self.random.chance(45) {
                let mut named = Vec::new();
                for condition in ["all", "any", "none"] {
                    if self.random.chance(40) {
                        let count = if self.random.chance(5) { 25 } else { self.random.below(4) };
                        let slugs: Vec<String> = (0..count).map(|_| self.term(kind)).collect();
                        named.push(format!("{condition}: [{}]", slugs.join(", ")));
                    }
                }
                conditions.push(format!("{name}: {{ {} }}", named.join(", ")));
            }
        }
        if self.random.chance(30) {
            let bounds =
                ["gt: \"2025-03-05T00:00:00Z\"", "lte: \"2026-02-03T04:05:06Z\"", "gte: \"2027-01-01T00:00:00Z\""];
            conditions.push(format!("publishedAt: {{ {} }}", self.random.pick(&bounds)));
        }
        vec![format!("filter: {{ {} }}", conditions.join(", "))]
    }

    fn order(&mut self, field: &str) -> Vec<String> {
        let direction = if self.random.chance(50) { "ASC" } else { "DESC" };
        if self.random.chance(70) {
            return Vec::new();
        }
        vec![format!("orderBy: {{ field: {field}, direction: {direction} }}")]
    }

    /// Some of these fields, at least one.
    fn some(&mut self, mut fields: Vec<String>) -> String {
        let first = self.random.below(fields.len());
        let mut chosen = vec![fields.swap_remove(first)];
        chosen.extend(fields.into_iter().filter(|_| self.random.chance(35)));
        let chosen: Vec<String> = chosen.into_iter().map(|field| self.now_and_then(field)).collect();
        chosen.join(" ")
    }

    /// The field, sometimes under a condition.
    fn now_and_then(&mut self, field: String) -> String {
        match self.random.below(24) {
            0 => format!("... @include(if: {}) {{ {field} }}", self.random.chance(50)),
            1 => format!("... @skip(if: {}) {{ {field} }}", self.random.chance(50)),
            2 => format!("... @include(if: {IS_ON}) {{ {field} }}"),
            3 => format!("... @skip(if: {IS_ON}) {{ {field} }}"),
            _ => field,
        }
    }

    fn connection(&mut self, depth: usize, node: fn(&mut Self, usize) -> String) -> String {
        let item = node(self, depth);
        let nodes = if self.random.chance(70) {
            format!("nodes {{ {item} }}")
        } else {
            format!("edges {{ cursor node {{ {item} }} }}")
        };
        let info = self.some(["hasNextPage", "hasPreviousPage", "endCursor"].map(str::to_owned).to_vec());
        self.some(vec![
            nodes.clone(),
            nodes,
            format!("pageInfo {{ {info} }}"),
            "totalCount".to_owned(),
            "__typename".to_owned(),
        ])
    }

    fn posts(&mut self, depth: usize, (cursors, is_filtered): (Option<usize>, bool)) -> String {
        let mut more = self.order("PUBLISHED_AT");
        more.extend(if is_filtered { self.filter() } else { Vec::new() });
        // A cursor is of the list without a filter and in the usual order.
        let cursors = cursors.filter(|_| more.is_empty());
        format!("posts{} {{ {} }}", self.page(cursors, more), self.connection(depth, Self::post))
    }

    fn post(&mut self, depth: usize) -> String {
        let mut fields = ["id", "title", "body { wordCount }", "excerpt"].map(str::to_owned).to_vec();
        fields.push("... on Node { ... on Revision { tags { slug } authors { slug } } }".to_owned());
        if depth > 0 {
            for name in TERMS {
                fields.push(format!("{name} {{ {} }}", self.term_fields(depth - 1)));
            }
            fields.push(format!("author {{ {} }}", self.term_fields(depth - 1)));
            fields.push(format!("newer {{ {} }}", self.post(depth - 1)));
            fields.push(format!("older {{ {} }}", self.post(depth - 1)));
            let version = self.some(["version", "tags { slug }", "body { wordCount }"].map(str::to_owned).to_vec());
            fields.push(format!("revisions(first: 5) {{ nodes {{ {version} }} totalCount }}"));
        }
        self.some(fields)
    }

    fn term_fields(&mut self, depth: usize) -> String {
        let mut fields = ["name", "slug", "postCount"].map(str::to_owned).to_vec();
        if depth > 0 {
            fields.push(self.posts(depth - 1, (None, true)));
        }
        self.some(fields)
    }

    fn root(&mut self) -> String {
        let depth = self.random.below(4);
        let kind = self.random.below(3);
        let known = self.known;
        match self.random.below(12) {
            0..=2 => self.posts(depth, (Some(0), true)),
            3 => format!("post(slug: {}) {{ {} }}", self.quoted(&known.slugs), self.post(depth)),
            4 => format!("{}(slug: {}) {{ {} }}", ["category", "tag", "author"][kind], self.term(kind), self.term_fields(depth)),
            5 | 6 => {
                let more = self.order("SLUG");
                let cursors = Some(1 + kind).filter(|_| more.is_empty());
                format!("{}{} {{ {} }}", TERMS[kind], self.page(cursors, more), self.connection(depth, Self::term_fields))
            }
            7 => {
                let year = ["", "(year: 2026)", "(year: 2025, month: 11)"][self.random.below(3)];
                format!("archive{year} {{ month postCount {} }}", self.posts(depth, (None, false)))
            }
            8 => {
                let list = ["draftPosts", "scheduledPosts"][self.random.below(2)];
                format!("{list}{} {{ {} }}", self.page(None, Vec::new()), self.connection(depth, Self::post))
            }
            9 | 10 => {
                let ids: Vec<String> = (0..1 + self.random.below(6)).map(|_| self.quoted(&known.ids)).collect();
                let (post, term) = (self.post(depth), self.term_fields(depth));
                format!("nodes(ids: [{}]) {{ id ... on Post {{ {post} }} ... on Term {{ {term} }} ... on Revision {{ tags {{ slug }} }} }}", ids.join(", "))
            }
            _ => "auditLog(first: 20) { nodes { slug actor { author { name } } node { ... on Post { tags { name } } } } }".to_owned(),
        }
    }

    fn query(&mut self) -> String {
        let mut root = |n: usize| {
            let root = self.root();
            self.now_and_then(format!("r{n}: {root}"))
        };
        let roots = [0, 1, 2].map(&mut root);
        let query = format!("{{ {} }}", roots[..1 + self.random.below(3)].join(" "));
        let declared = [(SIZE, "Int"), (IS_ON, "Boolean = true")].into_iter().filter(|(name, _)| query.contains(name));
        let declared: Vec<String> = declared.map(|(name, of)| format!("{name}: {of}")).collect();
        if declared.is_empty() { query } else { format!("query({}) {query}", declared.join(", ")) }
    }

    fn mutation(&mut self, number: usize) -> String {
        let known = self.known;
        let (id, tag) = (self.quoted(&known.ids), self.quoted(&known.tags));
        let at = ["null", "\"2027-01-02T03:04:05Z\"", "\"2026-06-20T00:00:00Z\""][self.random.below(3)];
        let term = term(self.random, 1);
        let change = match self.random.below(8) {
            0 | 1 => format!(
                "createPost(input: {{ title: \"Title\", markdown: \"x\", publishAt: {at}, tags: [{term:?}, \"new-{number}\"], createMissingTags: true }}) {{ post {{ id tags {{ name postCount }} }} userErrors {{ code }} }}"
            ),
            2 => format!(
                "publishPost(input: {{ id: {id}, expectedVersion: 1 }}) {{ post {{ id }} userErrors {{ code }} }}"
            ),
            3 => format!(
                "unpublishPost(input: {{ id: {id}, expectedVersion: 1 }}) {{ post {{ id }} userErrors {{ code }} }}"
            ),
            4 => format!(
                "updatePost(input: {{ id: {id}, expectedVersion: 1, title: \"Other\", tags: [] }}) {{ post {{ version }} userErrors {{ code }} }}"
            ),
            _ => format!(
                "updateTag(input: {{ id: {tag}, expectedVersion: 1, slug: \"r{number}\" }}) {{ tag {{ slug }} userErrors {{ code }} }}"
            ),
        };
        format!("mutation {{ {change} }}")
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
    let mut created: Vec<String> = Vec::new();
    let author = match known.terms[2].first() {
        Some(author) => Some(site.token(Role::Author, Some(author)).await),
        None => None,
    };
    let (mut answered, mut most) = (0, 0);
    for number in 0..OPERATIONS {
        let is_change = random.below(MUTATIONS) == 0;
        let mut writer = Writer { random: &mut random, known: &known };
        let operation = if is_change { writer.mutation(number) } else { writer.query() };
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
        let way = if random.chance(50) { Way::Header("report") } else { Way::Storage };
        if random.chance(50) {
            site.invalidate_cached();
        }
        // A client that may not know the cost has another bound, which says nothing of drafts. Its dry run reads the lists of partitions, and does not count
        // them; then the operation reads none.
        let is_closed = asking.token.as_deref() != Some(EDITOR_TOKEN) && random.chance(50);
        let closed_bound = match is_closed {
            true => Some(closed.with_token(asking.token.as_deref()).dry_run(&operation, &variables).await),
            false => None,
        };
        let Asked { spent, body, .. } = asking.ask(&operation, &variables, way).await;
        let place = format!("seed {seed}, operation {number}: {operation}\n{body:.2000}");
        let codes = body["errors"].as_array().into_iter().flatten().map(|error| error["extensions"]["code"].as_str());
        let faults = ["INTERNAL_SERVER_ERROR", "GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED"];
        assert!(!codes.flatten().any(|code| faults.contains(&code)), "{place}");
        if let Some(bound) = closed_bound {
            let sign_in = if asking.token.is_some() { SIGN_IN } else { 0 };
            assert!(spent <= bound + sign_in, "{spent} spent, bounded at {bound}: {place}");
        }
        answered += usize::from(spent > 0 && !body["data"].is_null());
        most = most.max(spent);
        if is_change {
            known = self::known(&admin).await;
            created.extend(body["data"]["createPost"]["post"]["id"].as_str().map(str::to_owned));
            known.ids.extend_from_slice(&created);
        }
    }
    (answered, most)
}

async fn hold(store: fn() -> Store) {
    for seed in 0..SITES {
        let (answered, most) = run(store(), seed).await;
        assert!(answered > OPERATIONS / 2 && most > 50, "seed {seed}: {answered} answered, at most {most} requests");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_operation_exceeds_its_bound_on_a_file() {
    hold(|| Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_operation_exceeds_its_bound_on_tables() {
    hold(|| MemoryStore::empty()).await;
}
