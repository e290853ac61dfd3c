//! Index rows: pointer, mirror and count, in one transaction a partition. The rule: who needs a pointer puts it, and the row bears the
//! intent that put it last; who takes one away asks the post first.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::{try_join, try_join_all};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::Result;
use crate::content::rows::count::{self, Count};
use crate::content::rows::{pointer, post as post_rows};
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, Shelf, Table, place, term, time};
use crate::model::{Post, PostKey, Slug, TermKind};
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Properties, Store};

use super::CONCURRENCY;
use super::intent;
use super::plan::PointerPlace;
use super::retry::until_settled;

/// Pointers in one transaction: two rows each, and the count.
const POINTERS_PER_BATCH: usize = 49;

/// A pointer that is to stand, with the post that it is put for.
pub struct NewPointer {
    pub place: PointerPlace,
    pub post: Arc<Post>,
}

/// One partition of an index table.
struct Partition {
    table: Table,
    name: String,
}

impl Partition {
    fn of(kind: TermKind, slug: &Slug) -> Self {
        Self { table: Table::PostsBy(kind), name: term::posts_partition(slug) }
    }

    fn key(&self, row: String) -> Result<Key> {
        Ok(Key::new(self.name.clone(), row)?)
    }

    async fn count(&self, store: &Store) -> Result<(Count, Precondition)> {
        let row = store.get(self.table.name(), &place::count(self.name.clone())).await?;
        Ok(match row {
            None => (Count::default(), Precondition::Absent),
            Some(row) => (count::read(&row)?, Precondition::Match(row.etag)),
        })
    }

    async fn commit(&self, store: &Store, operations: Vec<Operation>) -> Result<()> {
        store.commit(self.table.name(), &Batch::new(self.name.clone(), operations)?).await?;
        Ok(())
    }
}

/// Puts pointers; one that stands already is put again under this intent, and not counted again.
pub async fn put(store: &Store, intent: &IntentName, pointers: Vec<NewPointer>) -> Result<()> {
    let mut partitions: BTreeMap<(TermKind, Slug), Vec<NewPointer>> = BTreeMap::new();
    for pointer in pointers {
        partitions.entry((pointer.place.kind, pointer.place.slug.clone())).or_default().push(pointer);
    }
    let puts = partitions.into_iter().map(|((kind, slug), pointers)| async move {
        put_in(store, intent, Partition::of(kind, &slug), &pointers).await
    });
    stream::iter(puts).buffer_unordered(CONCURRENCY).try_collect().await
}

async fn put_in(store: &Store, intent: &IntentName, partition: Partition, pointers: &[NewPointer]) -> Result<()> {
    for chunk in pointers.chunks(POINTERS_PER_BATCH) {
        // First as if none of them stood; only where one does are they read.
        let mut is_first_try = true;
        until_settled("an index", || {
            let known = !std::mem::take(&mut is_first_try);
            put_chunk(store, intent, &partition, chunk, known)
        })
        .await?;
    }
    Ok(())
}

async fn put_chunk(
    store: &Store,
    intent: &IntentName,
    partition: &Partition,
    chunk: &[NewPointer],
    read_first: bool,
) -> Result<()> {
    let standing: Vec<Option<Entity>> = if read_first {
        try_join_all(chunk.iter().map(|p| read_pointer(store, partition, &p.place.key))).await?
    } else {
        chunk.iter().map(|_| None).collect()
    };
    let _turn = store.turn(partition.table.name(), &partition.name).await;
    let (count, unchanged) = partition.count(store).await?;
    let added = standing.iter().filter(|row| row.is_none()).count() as i64;
    let newest = chunk.iter().map(|p| &p.place.key).min();
    let mut operations = Vec::with_capacity(2 * chunk.len() + 1);
    for (new, standing) in chunk.iter().zip(standing) {
        let marks = match &standing {
            None => intent.to_string(),
            Some(row) => intent::marks(store, &pointer::read(row)?.intent, intent).await?,
        };
        let properties = pointer::pointer(&new.post, &marks);
        operations.extend(put_pair(&new.place.key, &properties, standing.map(|row| row.etag)));
    }
    operations.push(put_count(&count.changed(added, newest), unchanged));
    partition.commit(store, operations).await
}

fn put_pair(key: &PostKey, properties: &Properties, standing: Option<Etag>) -> [Operation; 2] {
    let (precondition, mirror) = match standing {
        Some(etag) => (Precondition::Match(etag), Precondition::None),
        None => (Precondition::Absent, Precondition::Absent),
    };
    let put = |row, precondition| Operation::Put { row, properties: properties.clone(), precondition };
    [put(time::time_row(key), precondition), put(time::mirror_row(key), mirror)]
}

pub(in crate::content) fn put_count(count: &Count, precondition: Precondition) -> Operation {
    Operation::Put { row: crate::keys::COUNT_ROW.to_owned(), properties: count::row(count), precondition }
}

async fn read_pointer(store: &Store, partition: &Partition, key: &PostKey) -> Result<Option<Entity>> {
    Ok(store.get(partition.table.name(), &partition.key(time::time_row(key))?).await?)
}

/// Takes pointers away that their posts do not bear out. Those that another open intent has put stay: it settles them.
pub async fn remove(store: &Store, intent: &IntentName, pointers: Vec<PointerPlace>) -> Result<()> {
    let removals = pointers
        .into_iter()
        .map(|pointer| async move { until_settled("an index", || remove_one(store, intent, &pointer)).await });
    stream::iter(removals).buffer_unordered(CONCURRENCY).try_collect().await
}

/// The pointer is read first, for whoever comes to need it later puts it again; then the intent that put it, then the post: an intent that
/// is closed has made its commit.
async fn remove_one(store: &Store, intent: &IntentName, pointer: &PointerPlace) -> Result<()> {
    let partition = Partition::of(pointer.kind, &pointer.slug);
    let Some(row) = read_pointer(store, &partition, &pointer.key).await? else { return Ok(()) };
    if intent::is_open_elsewhere(store, &pointer::read(&row)?.intent, intent).await? {
        return Ok(());
    }
    let _turn = store.turn(partition.table.name(), &partition.name).await;
    let (is_borne, (count, unchanged)) = try_join(bears(store, pointer), partition.count(store)).await?;
    if is_borne {
        return Ok(());
    }
    let delete = |row, precondition| Operation::Delete { row, precondition };
    let operations = vec![
        delete(time::time_row(&pointer.key), Precondition::Match(row.etag)),
        delete(time::mirror_row(&pointer.key), Precondition::None),
        put_count(&count.changed(-1, None), unchanged),
    ];
    partition.commit(store, operations).await
}

/// Whether the post itself stands at the pointer's key and bears its term.
async fn bears(store: &Store, pointer: &PointerPlace) -> Result<bool> {
    let place = PostPlace { shelf: Shelf::Posts, key: pointer.key.clone() };
    let Some(row) = store.get(Table::Posts.name(), &place.summary()).await? else { return Ok(false) };
    if matches!(post_rows::read_move(&row)?, Some(post_rows::Move::ForwardTo(_))) {
        return Ok(false);
    }
    Ok(post_rows::read_summary(&row)?.bears(pointer.kind, &pointer.slug))
}
