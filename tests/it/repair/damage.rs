//! A site to be damaged, and the damages, which are written directly to the store. The rule: the rows after a repair are compared with those before
//! the damage, without what says nothing about the content: ETags, the log, sequences.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidings::clock::Clock;
use tidings::content::Content;
use tidings::keys::{COUNT_ROW, Table};
use tidings::model::{Term, TermKind, WholePost};
use tidings::store::{Entity, Key, Operation, Precondition, Properties, Store, Value};
use tidings::testing::{RepairOptions, Repaired};

use crate::support::rows::{batch, delete, properties, put, scan};
use crate::support::site::{NOW, Site, creation_of, indexed, indexing_fields, instant, post, slug, slugs};

/// One damage to a row.
#[derive(Debug, Clone)]
pub enum Act {
    Delete(Table, Key),
    Put(Table, Key, Properties),
    /// One property is changed or removed.
    Set(Table, Key, &'static str, Option<Value>),
    /// The row of the first key is also written under the second.
    Copy(Table, Key, Key),
}

pub async fn act(store: &Store, act: &Act) {
    let (table, operation, partition) = match act {
        Act::Delete(table, key) => (table, delete(key.row(), Precondition::None), key.partition()),
        Act::Put(table, key, row) => (table, put_row(key, row.clone()), key.partition()),
        Act::Set(table, key, name, value) => {
            let old = row(store, *table, key).await.properties;
            let kept = old.iter().filter(|(n, _)| n != name).map(|(n, v)| (n, v.clone()));
            let changed: Vec<_> = kept.chain(value.clone().map(|value| (*name, value))).collect();
            (table, put_row(key, properties(&changed)), key.partition())
        }
        Act::Copy(table, from, to) => (table, put_row(to, row(store, *table, from).await.properties), to.partition()),
    };
    store.commit(table.name(), &batch(partition, vec![operation])).await.unwrap_or_else(|e| panic!("{act:?}: {e}"));
}

fn put_row(key: &Key, row: Properties) -> Operation {
    put(key.row(), row, Precondition::None)
}

async fn row(store: &Store, table: Table, key: &Key) -> Entity {
    let found = store.get(table.name(), key).await.expect("a read");
    found.unwrap_or_else(|| panic!("{}{key} does not exist", table.name()))
}

/// A site that other servers may change too, as on Azure.
pub async fn shared_site(store: Store) -> Site {
    Site::shared(store, &Clock::fixed(instant(NOW))).await
}

/// Three posts of two months, one of them scheduled, and a draft; with terms and former slugs.
pub fn posts() -> Vec<WholePost> {
    let times = ["2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z", "2026-07-01T00:00:00Z", "2026-04-01T00:00:00Z"];
    let mut posts: Vec<_> = times.iter().zip(0..).map(|(at, n)| post(n, instant(at))).collect();
    for (n, whole) in posts.iter_mut().enumerate() {
        whole.post.tags = slugs(if n == 0 { &["a", "b"] } else { &["b"] });
        whole.post.authors = slugs(&["ada"]);
        whole.post.categories = slugs(&["news"]);
        whole.post.language = ["pt-BR", "de"].get(n % 3).and_then(|tag| tag.parse().ok());
        whole.post.is_featured = n == 0;
        whole.post.series = Some(slug("walks")).filter(|_| n != 1);
        whole.metadata = indexed(if n == 0 { 5 } else { 3 }, "REVIEW");
        whole.post.former_slugs = slugs(&[&format!("once-{n}")]);
        whole.post.origin = Some(format!("posts/{n}.md"));
    }
    posts[3].post.published_at = None;
    posts
}

/// Saves the posts and their terms; the tag `b` has the former slug `bee`, and the category `news` has others below it.
pub async fn fill(site: &Site) {
    indexing_fields(site.content.clone()).prepare_field_indexes().await.expect("the list of indexed fields");
    site.publish(&posts()).await;
    let renamed = Term { former_slugs: slugs(&["bee"]), ..Term::new(TermKind::Tag, slug("b"), "The tag b") };
    let order = posts().into_iter().rev().map(|whole| whole.post.id).collect();
    let ordered = Term { order, ..Term::new(TermKind::Series, slug("walks"), "The series walks") };
    let writer = site.content.writer().expect("a writer");
    let below = |of: &str, parent: &str| Term {
        creation: Some(creation_of(of)),
        parent: Some(slug(parent)),
        ..Term::new(TermKind::Category, slug(of), of)
    };
    let categories = vec![below("local", "news"), below("town", "local")];
    writer.save_terms(TermKind::Category, categories).await.expect("categories are saved");
    for (kind, term) in [(TermKind::Tag, renamed), (TermKind::Series, ordered)] {
        writer.save_terms(kind, vec![term]).await.expect("a term is saved");
    }
}

/// All that readers see, and the places and slugs of all posts.
pub async fn view(site: &Site) -> String {
    site.invalidate_cached();
    let content = indexing_fields(site.content.clone());
    let site = Site { content, store: Arc::clone(&site.store), clock: site.clock.clone() };
    let fields = "id slug title version excerpt publishedAt tags { slug name } authors { name } body { markdown }";
    let query = format!(
        "{{ posts(first: 100) {{ totalCount nodes {{ {fields} }} }} back: posts(last: 100) {{ nodes {{ slug }} }} \
           tags {{ totalCount nodes {{ slug name posts {{ totalCount nodes {{ slug }} }} }} }} \
           backTags: tags(last: 100) {{ nodes {{ slug }} }} \
           allSeries {{ nodes {{ slug name postCount posts {{ totalCount nodes {{ slug series {{ number }} }} }} }} }} \
           authors {{ nodes {{ slug name posts {{ totalCount }} }} }} categories {{ nodes {{ slug name parent {{ slug }} children {{ nodes {{ slug }} }} }} }} \
           site {{ languages }} archive {{ year month postCount }} de: posts(filter: {{ languages: [\"de\", \"pt-BR\"] }}) {{ totalCount nodes {{ slug language }} }} \
           featured: posts(filter: {{ featured: true }}) {{ totalCount nodes {{ slug featured }} }} \
           rated: posts(filter: {{ fields: {{ rating: 5, kind: REVIEW }} }}) {{ totalCount nodes {{ slug }} }} \
           others: posts(filter: {{ featured: false }}) {{ totalCount nodes {{ slug featured }} }} \
           one: post(slug: \"post-1\") {{ id title body {{ markdown }} }} \
           bee: tag(slug: \"bee\") {{ slug }} once: post(slug: \"once-0\") {{ slug }} draft: post(slug: \"post-3\") {{ slug }} }}"
    );
    let seen = site.query(&query).await;
    let inventory = site.content.inventory().await.expect("the inventory");
    let places: BTreeMap<_, _> = inventory.posts.iter().map(|(id, found)| (id, format!("{found:?}"))).collect();
    let slugs: BTreeMap<_, _> = inventory.slugs.iter().collect();
    format!("{seen} {places:?} {slugs:?}")
}

/// Every row, without the properties that say nothing about the content.
pub async fn content_rows(store: &Store) -> BTreeMap<String, String> {
    let mut rows = BTreeMap::new();
    // A repair changes neither the history nor the tokens, and begins the log of changes again.
    let is_content = |table: &Table| {
        let is_kept = matches!(table, Table::Revisions | Table::Changes | Table::ChangeLog | Table::Tokens);
        !is_kept && table.name() != Content::LOG.table
    };
    for table in Table::ALL.into_iter().filter(is_content) {
        for row in scan(store, table.name()).await {
            let is_whole = matches!(table, Table::Posts | Table::Drafts);
            let kept = row
                .properties
                .iter()
                .filter(|(name, _)| !["Sequence", "Newest"].contains(name) && (is_whole || *name != "Version"));
            // If a count was overwritten with a listing, the other properties of the listing do no harm.
            let kept: BTreeMap<_, _> = kept.filter(|(name, _)| row.key.row() != COUNT_ROW || *name == "Rows").collect();
            let is_empty = kept.get("Rows") == Some(&&Value::Int64(0));
            // A partition that holds nothing may be counted and listed as empty, or not at all.
            let is_count = row.key.row() == COUNT_ROW || kept.contains_key("Partition");
            if !(is_count && is_empty) {
                rows.insert(format!("{}{}", table.name(), row.key), format!("{kept:?}"));
            }
        }
    }
    rows
}

pub async fn differences(site: &Site) -> Vec<String> {
    let report = site.content.check().await.expect("the check reads everything");
    report.differences.iter().map(ToString::to_string).collect()
}

/// Repairs, and returns the reported lines.
pub async fn repair(site: &Site) -> (Repaired, Vec<String>) {
    let mut lines = Vec::new();
    let repaired = site.content.repair(RepairOptions::default(), |line| lines.push(line)).await.expect("a repair");
    (repaired, lines)
}
