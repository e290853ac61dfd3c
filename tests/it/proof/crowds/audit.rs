//! The expected result of every list, count and look-up after the editors have stopped. The rule: it follows from all posts as the API returns them
//! one by one, and every server returns the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tidings::model::{Instant, TermKind};

use crate::support::graphql::EDITOR_TOKEN;

use super::client::error;
use super::content::{FIELDS, Shown, ids, plural, text};
use super::readers::{name_of, slug_of, type_name};
use super::scene::Scene;
use super::violations::Kind;
use super::workload::Workload;

/// The items of a page in a walk; few, so that lists have several pages.
const PAGE: usize = 4;
const WHOLE: usize = 100;
/// Queries that are under way at once.
const AT_ONCE: usize = 8;

pub(super) struct Audit<'a> {
    pub scene: &'a Scene,
    pub workload: Workload,
    pub server: usize,
}

/// All content, as lists show it to an administrator.
pub(super) struct Found {
    /// Newest first.
    pub published: Vec<Shown>,
    pub others: Vec<Shown>,
    /// By kind, the ids and slugs in the order of the list.
    pub terms: BTreeMap<TermKind, Vec<(String, String)>>,
}

impl Found {
    pub(super) fn posts(&self) -> impl Iterator<Item = &Shown> {
        self.published.iter().chain(&self.others)
    }

    fn published_ids(&self, belongs: impl Fn(&Shown) -> bool) -> Vec<String> {
        self.published.iter().filter(|shown| belongs(shown)).map(|shown| shown.id.clone()).collect()
    }
}

impl Audit<'_> {
    pub(super) async fn ask(&self, query: &str, variables: Value) -> Value {
        let answer = match self.scene.client.ask(self.server, Some(EDITOR_TOKEN), query, &variables).await {
            Ok(answer) => answer,
            Err(error) => {
                self.violate(Kind::Quiet, format!("{query} has no answer: {error:?}"), &[]);
                return Value::Null;
            }
        };
        if let Some((code, message)) = error(&answer) {
            self.violate(Kind::Quiet, format!("{query} {variables} answers {code}: {message}"), &[]);
        }
        answer["data"].clone()
    }

    pub(super) fn violate(&self, kind: Kind, what: String, subjects: &[String]) {
        self.scene.ledger().violate(kind, format!("at the end, server {}: {what}", self.server), subjects.to_vec());
    }

    fn compare(&self, name: &str, expected: &Value, found: &Value, subjects: &[String]) {
        if expected != found {
            self.violate(Kind::Quiet, format!("{name} is {found}, expected {expected}"), subjects);
        }
    }

    /// Compares the ids of a list. The subjects are the ids that are in only one of the two.
    fn compare_ids(&self, name: &str, expected: &[String], found: &[String]) {
        let sets: [BTreeSet<&String>; 2] = [expected.iter().collect(), found.iter().collect()];
        let subjects: Vec<String> = sets[0].symmetric_difference(&sets[1]).map(|id| (*id).clone()).collect();
        self.compare(name, &json!(expected), &json!(found), &subjects);
    }

    /// A list, walked page by page, and its `totalCount`.
    async fn walk(&self, field: &str, nodes: &str) -> (Vec<Value>, Value) {
        let (mut all, mut after, mut total) = (Vec::new(), Value::Null, Value::Null);
        loop {
            let query = format!(
                "query($after: String) {{ list: {field}(first: {PAGE}, after: $after) {{ totalCount nodes {{ {nodes} }} \
                 pageInfo {{ hasNextPage endCursor }} }} }}"
            );
            let list = self.ask(&query, json!({ "after": after })).await["list"].take();
            all.extend(list["nodes"].as_array().into_iter().flatten().cloned());
            total = if total.is_null() { list["totalCount"].clone() } else { total };
            after = list["pageInfo"]["endCursor"].clone();
            if list["pageInfo"]["hasNextPage"] != json!(true) {
                return (all, total);
            }
        }
    }

    /// Reads all lists, and checks their counts and the order of the terms.
    pub(super) async fn find(&self) -> Found {
        let mut lists = Vec::new();
        for field in ["posts", "draftPosts", "scheduledPosts"] {
            let (nodes, total) = self.walk(field, FIELDS).await;
            self.compare(&format!("totalCount of {field}"), &json!(nodes.len()), &total, &[]);
            lists.push(Shown::all_of(&json!(nodes)));
        }
        let others = lists.split_off(1).concat();
        let mut terms = BTreeMap::new();
        for kind in TermKind::ALL {
            let (nodes, total) = self.walk(plural(kind), "id slug").await;
            self.compare(&format!("totalCount of {}", plural(kind)), &json!(nodes.len()), &total, &[]);
            let pairs: Vec<(String, String)> =
                nodes.iter().map(|node| (super::content::id(&node["id"]), slug_of(node))).collect();
            if !pairs.is_sorted_by(|a, b| a.1 < b.1) {
                self.violate(
                    Kind::Quiet,
                    format!("{} are not in the order of their slugs: {pairs:?}", plural(kind)),
                    &[],
                );
            }
            terms.insert(kind, pairs);
        }
        Found { published: lists.remove(0), others, terms }
    }

    /// Compares everything that can be read with the posts.
    pub(super) async fn compare_all(&self, found: &Found) {
        self.compare_posts(found).await;
        for (kind, terms) in &found.terms {
            let compared = stream::iter(terms);
            compared.for_each_concurrent(AT_ONCE, |(id, slug)| self.compare_term(found, *kind, id, slug)).await;
            self.compare_filters(found, *kind).await;
        }
        self.compare_archive(found).await;
        self.compare_slugs(found).await;
    }

    async fn compare_posts(&self, found: &Found) {
        let mut sorted = found.published.clone();
        sorted.sort_by_key(|shown| (Reverse(published_at(shown)), shown.id.clone()));
        let order: Vec<String> = sorted.iter().map(|shown| shown.id.clone()).collect();
        self.compare_ids("posts", &order, &found.published_ids(|_| true));
        let back = self.ask(&format!("{{ posts(last: {WHOLE}) {{ nodes {{ id }} }} }}"), Value::Null).await;
        self.compare_ids("posts read backward", &order, &ids(&back["posts"]["nodes"]));
        let listed: BTreeMap<String, Shown> = found.posts().map(|shown| (shown.id.clone(), shown.clone())).collect();
        let watch = self.scene.ledger().watch_newest();
        let known: Vec<String> = self.scene.ledger().all_posts().map(|(id, _)| id.clone()).collect();
        let mut by_id = BTreeMap::new();
        for ids in known.chunks(WHOLE) {
            let query = format!("query($ids: [ID!]!) {{ nodes(ids: $ids) {{ id ... on Post {{ {FIELDS} }} }} }}");
            let nodes = self.ask(&query, json!({ "ids": ids })).await["nodes"].take();
            by_id.extend(
                ids.iter().zip(nodes.as_array().into_iter().flatten()).map(|(id, node)| (id.clone(), Shown::of(node))),
            );
        }
        for (id, shown) in &by_id {
            self.scene.ledger().examine_lookup(&watch, id, shown.as_ref(), false);
            let (by_id, listed) =
                (shown.as_ref().map(|shown| shown.version), listed.get(id).map(|shown| shown.version));
            if by_id != listed {
                self.violate(
                    Kind::Quiet,
                    format!("node shows version {by_id:?}, the lists show {listed:?}"),
                    std::slice::from_ref(id),
                );
            }
        }
        for shown in found.posts() {
            self.scene.ledger().examine_shown(&watch, "at the end, a list", shown, false);
        }
        for pair in sorted.windows(2) {
            let query = "query($a: ID!, $b: ID!) { a: node(id: $a) { ... on Post { older { id } } } \
                 b: node(id: $b) { ... on Post { newer { id } } } }";
            let data = self.ask(query, json!({ "a": pair[0].id, "b": pair[1].id })).await;
            let expected = json!({ "a": { "older": { "id": pair[1].id } }, "b": { "newer": { "id": pair[0].id } } });
            self.compare("the neighbours", &expected, &data, &[pair[0].id.clone(), pair[1].id.clone()]);
        }
    }

    async fn compare_term(&self, found: &Found, kind: TermKind, id: &str, slug: &str) {
        let lists = format!(
            "id slug posts(first: {WHOLE}) {{ totalCount nodes {{ id }} }} back: posts(last: {WHOLE}) {{ nodes {{ id }} }}"
        );
        let query = format!("{{ term: {}(slug: {slug:?}) {{ {lists} }} }}", kind.noun());
        let by_slug = self.ask(&query, Value::Null).await["term"].take();
        let query = format!("{{ term: node(id: {}) {{ ... on {} {{ {lists} }} }} }}", by_slug["id"], type_name(kind));
        let by_id = self.ask(&query, Value::Null).await["term"].take();
        let mut expected = found.published_ids(|shown| shown.content.has(kind, id));
        // No editor puts the posts of a series in order, so the earliest is the first.
        if kind == TermKind::Series {
            expected.reverse();
        }
        for (way, term) in [("by id", &by_id), ("by slug", &by_slug)] {
            let name = format!("{} {slug} {way}", kind.noun());
            self.compare(&name, &json!([id, slug]), &json!([super::content::id(&term["id"]), term["slug"]]), &[]);
            self.compare_ids(&format!("the posts of {name}"), &expected, &ids(&term["posts"]["nodes"]));
            self.compare_ids(&format!("the posts of {name}, backward"), &expected, &ids(&term["back"]["nodes"]));
            self.compare(
                &format!("totalCount of {name}"),
                &json!(expected.len()),
                &term["posts"]["totalCount"],
                &[id.to_owned()],
            );
        }
    }

    /// Filters by every slug that a term may ever have had: each filter finds the posts of the term that the slug points to.
    async fn compare_filters(&self, found: &Found, kind: TermKind) {
        let listed = found.terms[&kind].iter().map(|(_, slug)| slug.clone());
        let slugs: BTreeSet<String> = self.workload.term_slugs(kind, 0).into_iter().chain(listed).collect();
        // No filter names series.
        let compared = stream::iter(slugs.iter().filter(|_| kind != TermKind::Series));
        compared.for_each_concurrent(AT_ONCE, |slug| self.compare_filter(found, kind, slug)).await;
        let listed: BTreeSet<&String> = found.terms[&kind].iter().map(|(id, _)| id).collect();
        let of_posts = found.posts().flat_map(|shown| &shown.content.terms[super::content::index(kind)]);
        for missing in of_posts.filter(|id| !listed.contains(id)) {
            self.violate(
                Kind::Quiet,
                format!("{} lacks {missing}, which a post has", plural(kind)),
                std::slice::from_ref(missing),
            );
        }
    }

    async fn compare_filter(&self, found: &Found, kind: TermKind, slug: &str) {
        let filtered = ["any", "all"].map(|way| {
            format!(
                "{way}: posts(first: {WHOLE}, filter: {{ {}: {{ {way}: [{slug:?}] }} }}) {{ totalCount nodes {{ id }} }}",
                plural(kind)
            )
        });
        let query = format!("{{ term: {}(slug: {slug:?}) {{ id }} {} }}", kind.noun(), filtered.join(" "));
        let data = self.ask(&query, Value::Null).await;
        let id = super::content::id(&data["term"]["id"]);
        let expected = found.published_ids(|shown| shown.content.has(kind, &id));
        for way in ["any", "all"] {
            let name = format!("the filter {way} [{slug}] of {} (the slug of {id:?})", plural(kind));
            self.compare_ids(&name, &expected, &ids(&data[way]["nodes"]));
            self.compare(
                &format!("totalCount of {name}"),
                &json!(expected.len()),
                &data[way]["totalCount"],
                std::slice::from_ref(&id),
            );
        }
    }

    async fn compare_archive(&self, found: &Found) {
        let query =
            format!("{{ archive {{ year month postCount posts(first: {WHOLE}) {{ totalCount nodes {{ id }} }} }} }}");
        let archive = self.ask(&query, Value::Null).await["archive"].take();
        let mut months: Vec<String> = found.published.iter().map(|shown| shown.content.month().to_owned()).collect();
        months.dedup();
        let listed: Vec<&Value> = archive.as_array().into_iter().flatten().collect();
        let names: Vec<String> = listed.iter().map(|month| name_of(month)).collect();
        self.compare("the months of the archive", &json!(months), &json!(names), &[]);
        for (name, month) in names.iter().zip(listed) {
            let expected = found.published_ids(|shown| shown.content.is_in(name));
            self.compare_ids(&format!("the archive of {name}"), &expected, &ids(&month["posts"]["nodes"]));
            let counts = json!([month["postCount"], month["posts"]["totalCount"]]);
            self.compare(&format!("the counts of {name}"), &json!([expected.len(), expected.len()]), &counts, &[]);
        }
    }

    /// Checks that each slug points to the post that has or had it, and to no other.
    async fn compare_slugs(&self, found: &Found) {
        for slug in self.workload.post_slugs() {
            let data = self.ask(&format!("{{ post(slug: {slug:?}) {{ id }} }}"), Value::Null).await;
            let id = text(&data["post"]["id"]);
            let ledger = self.scene.ledger();
            let has_had = |shown: &&Shown| {
                let tracked = ledger.posts.get(&shown.id);
                shown.content.slug == slug
                    || tracked.is_some_and(|tracked| tracked.versions.values().any(|v| v.content.slug == slug))
            };
            let owners: Vec<String> = found.posts().filter(has_had).map(|shown| shown.id.clone()).collect();
            let is_sound = match owners.as_slice() {
                [] => id.is_empty() || ledger.may_have_slug(&id, &slug),
                [owner] => *owner == id,
                _ => false,
            };
            drop(ledger);
            if !is_sound {
                let subjects = [owners.clone(), vec![id.clone()]].concat();
                self.violate(
                    Kind::Quiet,
                    format!("post(slug: {slug:?}) shows {id:?}; posts that have or had it: {owners:?}"),
                    &subjects,
                );
            }
        }
    }
}

fn published_at(shown: &Shown) -> Option<Instant> {
    shown.content.published_at.as_deref().and_then(|at| at.parse().ok())
}
