//! Any rows except for whole posts and terms, lost or altered at random. The rule: every row that is derived from whole posts and terms comes back.

use std::sync::Arc;

use tidings::keys::time::Direction;
use tidings::keys::{Table, place, term};
use tidings::model::WholePost;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{Entity, Properties, Store, Value};

use super::damage::{Act, act, content_rows, repair, view};
use crate::support::rows::scan;
use crate::support::site::{Site, instant, post, slug, slugs};

const POSTS: u64 = 50;
const SEEDS: u64 = 40;

/// xorshift64*: the same numbers for a seed, everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % below
    }
}

fn many() -> Vec<WholePost> {
    let of = |n: u64| {
        let mut whole = post(n, instant(&format!("2026-{:02}-{:02}T00:00:00Z", 1 + n % 7, 1 + n % 28)));
        whole.post.tags = slugs(&[["a", "b", "c", "d"][n as usize % 4], "every"]);
        whole.post.authors = slugs(&[["ada", "grace"][n as usize % 2]]);
        whole.post.categories = slugs(&["news"]);
        whole.post.language = ["de", "pt-BR"].get(n as usize % 3).and_then(|tag| tag.parse().ok());
        whole.post.is_featured = n.is_multiple_of(5);
        whole.post.series = n.is_multiple_of(3).then(|| slug("walks"));
        whole.post.former_slugs = slugs(&[&format!("once-{n}")]);
        if n.is_multiple_of(9) {
            whole.post.published_at = None;
        }
        whole
    };
    (0..POSTS).map(of).collect()
}

fn is_truth(table: Table, row: &Entity) -> bool {
    match table {
        Table::Posts | Table::Drafts => place::parse_whole_row(row.key.row()).is_some(),
        Table::Terms(_) => {
            let is_term = matches!(term::parse_row(row.key.row()), Some((_, Direction::Forward)));
            is_term && row.key.partition() != term::CATALOG_PARTITION
        }
        // No row is derived from these, and they are not derived.
        Table::Revisions | Table::Changes | Table::Tokens => true,
        _ => false,
    }
}

/// One value is changed or removed; or the row gets the properties of another row of its table.
fn alter(row: &Entity, others: &[Entity], numbers: &mut Numbers) -> Properties {
    if row.properties.is_empty() || numbers.next(4) == 0 {
        return others[numbers.next(others.len())].properties.clone();
    }
    let at = numbers.next(row.properties.len());
    let mut altered = Properties::new();
    for (i, (name, value)) in row.properties.iter().enumerate() {
        match (i == at, numbers.next(3), value) {
            (false, ..) => altered.set(name, value.clone()),
            (true, 0, _) => {}
            (true, 1, Value::String(text)) => altered.set(name, Value::String(format!("{text}x").into())),
            (true, 1, Value::Int64(n)) => altered.set(name, Value::Int64(n + 1)),
            (true, 1, Value::Int32(n)) => altered.set(name, Value::Int32(n + 1)),
            (true, 1, Value::DateTime(at)) => altered.set(name, Value::DateTime(at - 1)),
            (true, ..) => altered.set(name, Value::Boolean(true)),
        }
    }
    altered
}

#[tokio::test]
async fn a_repair_restores_every_derived_row() {
    for seed in 1..=SEEDS {
        let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
        let site = Site::over(store).await.indexing_fields().await;
        site.publish(&many()).await;
        let (seen, rows) = (view(&site).await, content_rows(&site.store).await);
        let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut done = Vec::new();
        for _ in 0..1 + numbers.next(60) {
            let table = Table::ALL[numbers.next(Table::ALL.len())];
            let all = scan(&site.store, table.name()).await;
            let found: Vec<&Entity> = all.iter().filter(|row| !is_truth(table, row)).collect();
            let Some(row) = (!found.is_empty()).then(|| found[numbers.next(found.len())]) else { continue };
            let damage = match numbers.next(2) {
                0 => Act::Delete(table, row.key.clone()),
                _ => Act::Put(table, row.key.clone(), alter(row, &all, &mut numbers)),
            };
            act(&site.store, &damage).await;
            done.push(format!("{damage:?}"));
        }
        let (repaired, lines) = repair(&site).await;
        let story = format!("seed {seed}: {done:#?}\n{lines:#?}");
        assert_eq!(repaired.left, [], "{story}");
        let now = content_rows(&site.store).await;
        let differing: Vec<_> = rows.iter().filter(|(key, row)| now.get(*key) != Some(row)).collect();
        let beside: Vec<_> = now.iter().filter(|(key, row)| rows.get(*key) != Some(row)).collect();
        assert!(now == rows, "{story}\nexpected: {differing:#?}\nfound: {beside:#?}");
        assert_eq!(view(&site).await, seen, "{story}");
        assert_eq!(repair(&site).await.0.fixed, 0, "{story}");
    }
}
