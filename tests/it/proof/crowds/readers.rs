//! Readers without a token, which check every answer. The rule: each read uses one server, and its possible answers follow from the ledger.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tidings::model::TermKind;

use crate::support::random::Random;

use super::content::{Expected, FIELDS, Shown, id, index, plural, term_id, text};
use super::scene::Scene;
use super::violations::Kind;
use super::watch::{Belongs, Listing, has_term, is_in_month};
use super::workload::Workload;

/// More posts than any workload has.
const WHOLE_LIST: usize = 60;
const PAUSE_MS_MAX: usize = 30;

/// How many reads there were.
#[derive(Debug, Default)]
pub(super) struct Reads {
    checked: AtomicUsize,
    /// Answers whose `totalCount` is not the number of posts in the same answer.
    counts_apart: AtomicUsize,
    failed: Mutex<BTreeMap<String, usize>>,
}

impl Reads {
    pub(super) fn count_checked(&self) {
        self.checked.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn checked(&self) -> usize {
        self.checked.load(Ordering::Relaxed)
    }

    fn count_apart(&self) {
        self.counts_apart.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn counts_apart(&self) -> usize {
        self.counts_apart.load(Ordering::Relaxed)
    }

    pub(super) fn count_failed(&self, code: &str) {
        *self.failed.lock().expect("no panic").entry(code.to_owned()).or_default() += 1;
    }

    pub(super) fn failed(&self) -> BTreeMap<String, usize> {
        self.failed.lock().expect("no panic").clone()
    }
}

pub(super) struct Reader {
    pub scene: Arc<Scene>,
    pub workload: Workload,
    pub random: Random,
}

impl Reader {
    pub(super) async fn read_on(mut self) {
        while !self.scene.is_over() {
            let server = self.random.below(self.scene.servers);
            match self.random.below(10) {
                0..=2 => self.read_term(server).await,
                3..=4 => self.read_all(server).await,
                5..=6 => self.read_by_ids(server).await,
                7 => self.read_by_slugs(server).await,
                8 => self.read_archive(server).await,
                _ => self.read_terms(server).await,
            }
            tokio::time::sleep(Duration::from_millis(1 + self.random.below(PAUSE_MS_MAX) as u64)).await;
        }
    }

    /// The page size: mostly a whole list, otherwise a page that is soon full.
    fn first(&mut self) -> usize {
        if self.random.chance(60) { WHOLE_LIST } else { 1 + self.random.below(3) }
    }

    async fn read_term(&mut self, server: usize) {
        let sent = self.scene.sent();
        // Half of the time an earlier term, whose list is empty unless rows were left in it.
        let sent = if self.random.chance(50) { sent } else { self.random.below(sent + 1) };
        let (kind, slug) = self.workload.any_term(&mut self.random, sent);
        let (requested, first) = (term_id(kind, &slug), self.first());
        let kind_index = index(kind);
        let belongs = |content: &Expected| has_term(content, kind_index, &requested);
        // No filter names series.
        if kind != TermKind::Series && self.workload.has_fixed_terms() && self.random.chance(33) {
            let way = if self.random.chance(50) { "any" } else { "all" };
            let filter = format!(", filter: {{ {}: {{ {way}: [{slug:?}] }} }}", plural(kind));
            let query = format!("{{ {} }}", posts_list(first, &filter));
            self.read_list(server, &query, None, &format!("posts({filter})"), first, &belongs).await;
        } else {
            let list = posts_list(first, "");
            let query = format!("{{ scope: {}(slug: {slug:?}) {{ id slug {list} }} }}", kind.noun());
            self.read_list(server, &query, Some(&requested), &format!("the posts of {requested}"), first, &belongs)
                .await;
        }
    }

    async fn read_all(&mut self, server: usize) {
        let first = self.first();
        let query = format!("{{ {} }}", posts_list(first, ""));
        self.read_list(server, &query, None, "posts", first, &|_| Some(true)).await;
    }

    /// Reads a list of posts. `of`: the term whose list it is; if the answer is of another term, which has its slug by now, the term is gone.
    async fn read_list(
        &self,
        server: usize,
        query: &str,
        of: Option<&str>,
        name: &str,
        first: usize,
        belongs: Belongs<'_>,
    ) {
        let watch = self.scene.ledger().watch(server);
        let Some(data) = self.scene.read(server, None, query, &Value::Null).await else { return };
        let list = match of {
            None => &data["posts"],
            Some(requested) if id(&data["scope"]["id"]) == requested => &data["scope"]["posts"],
            Some(_) => &Value::Null,
        };
        let listing = listing(name, first, list, belongs);
        let is_whole = !listing.has_next && !listing.has_previous;
        if is_whole && list.is_object() && list["totalCount"] != json!(listing.posts.len()) {
            self.scene.reads.count_apart();
            if self.scene.is_on_a_file {
                let (count, posts) = (&list["totalCount"], listing.posts.len());
                let what = format!("{name} shows totalCount {count} beside {posts} posts");
                self.scene.ledger().violate(Kind::Reading, what, Vec::new());
            }
        }
        self.scene.ledger().examine_list(&watch, &listing);
    }

    async fn read_by_ids(&self, server: usize) {
        let (watch, ids) = {
            let ledger = self.scene.ledger();
            (ledger.watch(server), ledger.posts.keys().take(WHOLE_LIST).cloned().collect::<Vec<_>>())
        };
        let query = format!("query($ids: [ID!]!) {{ nodes(ids: $ids) {{ id ... on Post {{ {FIELDS} }} }} }}");
        let Some(data) = self.scene.read(server, None, &query, &json!({ "ids": ids })).await else { return };
        let mut ledger = self.scene.ledger();
        for (number, id) in ids.iter().enumerate() {
            ledger.examine_lookup(&watch, id, Shown::of(&data["nodes"][number]).as_ref(), true);
        }
    }

    async fn read_by_slugs(&mut self, server: usize) {
        let slugs: Vec<String> = (0..4).map(|_| self.workload.any_post_slug(&mut self.random)).collect();
        let watch = self.scene.ledger().watch(server);
        let fields: Vec<String> =
            slugs.iter().zip(0..).map(|(slug, n)| format!("slug{n}: post(slug: {slug:?}) {{ {FIELDS} }}")).collect();
        let query = format!("{{ {} }}", fields.join(" "));
        let Some(data) = self.scene.read(server, None, &query, &Value::Null).await else { return };
        let mut ledger = self.scene.ledger();
        for (slug, n) in slugs.iter().zip(0..) {
            ledger.examine_slug(&watch, slug, Shown::of(&data[format!("slug{n}")]).as_ref());
        }
    }

    /// Reads the list of each month; a month that is not listed must be empty.
    async fn read_archive(&self, server: usize) {
        let watch = self.scene.ledger().watch(server);
        let list = posts_list(WHOLE_LIST, "");
        let query = format!("{{ archive {{ year month postCount {list} }} }}");
        let Some(data) = self.scene.read(server, None, &query, &Value::Null).await else { return };
        let mut ledger = self.scene.ledger();
        for month in self.workload.months() {
            let belongs = |content: &Expected| is_in_month(content, month);
            let listed = data["archive"].as_array().into_iter().flatten().find(|listed| name_of(listed) == *month);
            let list = listed.map_or(&Value::Null, |listed| &listed["posts"]);
            let name = format!("the archive of {month}{}", if listed.is_none() { ", not listed" } else { "" });
            ledger.examine_list(&watch, &listing(&name, WHOLE_LIST, list, &belongs));
        }
    }

    /// Checks that a list of terms shows none of them twice.
    async fn read_terms(&mut self, server: usize) {
        let kind = *self.random.pick(&TermKind::ALL);
        let query =
            format!("{{ terms: {}(first: 100) {{ nodes {{ id slug }} pageInfo {{ hasNextPage }} }} }}", plural(kind));
        let Some(data) = self.scene.read(server, None, &query, &Value::Null).await else { return };
        let mut ids = super::content::ids(&data["terms"]["nodes"]);
        ids.sort();
        for pair in ids.windows(2).filter(|pair| pair[0] == pair[1]) {
            self.scene.ledger().violate(
                Kind::Reading,
                format!("{} shows {} twice", plural(kind), pair[0]),
                vec![pair[0].clone()],
            );
        }
    }
}

pub(super) fn type_name(kind: TermKind) -> &'static str {
    match kind {
        TermKind::Category => "Category",
        TermKind::Tag => "Tag",
        TermKind::Author => "Author",
        TermKind::Series => "Series",
    }
}

/// `yyyy-MM` of a month of the archive.
pub(super) fn name_of(month: &Value) -> String {
    format!("{}-{:02}", month["year"], month["month"].as_i64().unwrap_or_default())
}

pub(super) fn posts_list(first: usize, more: &str) -> String {
    format!(
        "posts(first: {first}{more}) {{ totalCount nodes {{ {FIELDS} }} pageInfo {{ hasNextPage hasPreviousPage endCursor }} }}"
    )
}

fn listing<'a>(name: &'a str, first: usize, list: &Value, belongs: Belongs<'a>) -> Listing<'a> {
    let has = |name: &str| list["pageInfo"][name] == json!(true);
    Listing {
        name,
        first,
        posts: Shown::all_of(&list["nodes"]),
        has_next: has("hasNextPage"),
        has_previous: has("hasPreviousPage"),
        belongs,
    }
}

/// The slug of a term or post in an answer.
pub(super) fn slug_of(node: &Value) -> String {
    text(&node["slug"])
}
