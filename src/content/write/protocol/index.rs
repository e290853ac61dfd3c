//! Index rows: pointer, mirror and count, in one transaction for each partition. The rule: a writer writes every pointer that the post gets under the
//! name of its intent (W2); a removal reads the pointer first, then the intent or the post that permits the removal (W3, W4).

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::Result;
use crate::content::tables::moves;
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::pointer;
use crate::content::write::plan::{self, PointerPlace, count_operation};
use crate::content::write::retry::retry_on_conflict;
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, Table, place, term, time};
use crate::model::{Post, PostKey, Slug, TermKind};
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Properties, Store};

use super::CONCURRENCY;
use super::intent::require_open;

/// Pointers in one transaction, which writes two rows for each, and the count.
const POINTERS_PER_BATCH: usize = 49;

/// A pointer that is to be written, with its post.
pub(super) struct NewPointer {
    pub place: PointerPlace,
    pub post: Arc<Post>,
}

/// One partition of an index table.
struct IndexPartition {
    table: Table,
    name: String,
}

impl IndexPartition {
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

/// Writes pointers. One that exists already is written again under the name of this intent, and not counted again.
pub(super) async fn put(store: &Store, intent: &IntentName, pointers: Vec<NewPointer>) -> Result<()> {
    let mut partitions: BTreeMap<(TermKind, Slug), Vec<NewPointer>> = BTreeMap::new();
    for pointer in pointers {
        partitions.entry((pointer.place.kind, pointer.place.slug.clone())).or_default().push(pointer);
    }
    let puts = partitions.into_iter().map(|((kind, slug), pointers)| async move {
        put_in(store, intent, IndexPartition::of(kind, &slug), &pointers).await
    });
    stream::iter(puts).buffer_unordered(CONCURRENCY).try_collect().await
}

async fn put_in(store: &Store, intent: &IntentName, partition: IndexPartition, pointers: &[NewPointer]) -> Result<()> {
    for chunk in pointers.chunks(POINTERS_PER_BATCH) {
        // The first try assumes that none of them exists; they are read only if that fails.
        let mut is_first_try = true;
        retry_on_conflict("an index", || {
            let is_read = !std::mem::take(&mut is_first_try);
            put_chunk(store, intent, &partition, chunk, is_read)
        })
        .await?;
    }
    Ok(())
}

async fn put_chunk(
    store: &Store,
    intent: &IntentName,
    partition: &IndexPartition,
    chunk: &[NewPointer],
    is_read: bool,
) -> Result<()> {
    let found: Vec<Option<Entity>> = if is_read {
        try_join_all(chunk.iter().map(|p| read_pointer(store, partition, &p.place.key))).await?
    } else {
        chunk.iter().map(|_| None).collect()
    };
    let _lock = store.keyed_lock(partition.table.name(), &partition.name).await;
    let (count, unchanged) = partition.count(store).await?;
    let added = found.iter().filter(|row| row.is_none()).count() as i64;
    let newest = chunk.iter().map(|p| &p.place.key).min();
    let mut operations = Vec::with_capacity(2 * chunk.len() + 1);
    for (new, found) in chunk.iter().zip(found) {
        let properties = pointer::pointer(&new.post, &intent.to_string());
        operations.extend(put_pair(&new.place.key, &properties, found.map(|row| row.etag)));
    }
    operations.push(count_operation(&count.changed(added, newest), unchanged));
    partition.commit(store, operations).await
}

fn put_pair(key: &PostKey, properties: &Properties, found: Option<Etag>) -> [Operation; 2] {
    let (precondition, mirror) = match found {
        Some(etag) => (Precondition::Match(etag), Precondition::None),
        None => (Precondition::Absent, Precondition::Absent),
    };
    let put = |row, precondition| Operation::Put { row, properties: properties.clone(), precondition };
    [put(time::time_row(key), precondition), put(time::mirror_row(key), mirror)]
}

async fn read_pointer(store: &Store, partition: &IndexPartition, key: &PostKey) -> Result<Option<Entity>> {
    Ok(store.get(partition.table.name(), &partition.key(time::time_row(key))?).await?)
}

/// Removes pointers that the post no longer has after a change that was made; its intent must still be open (W3).
pub(super) async fn remove(store: &Store, intent: &IntentName, pointers: Vec<PointerPlace>) -> Result<()> {
    let removals = pointers.into_iter().map(|pointer| async move {
        retry_on_conflict("an index", || async {
            let partition = IndexPartition::of(pointer.kind, &pointer.slug);
            let Some(row) = read_pointer(store, &partition, &pointer.key).await? else { return Ok(()) };
            require_open(store, intent).await?;
            delete(store, &partition, &pointer, row.etag).await
        })
        .await
    });
    stream::iter(removals).buffer_unordered(CONCURRENCY).try_collect().await
}

/// Removes the pointers that name an intent whose change was not made, unless the post has them (W4).
pub(super) async fn remove_named(store: &Store, intent: &IntentName, pointers: Vec<PointerPlace>) -> Result<()> {
    let removals = pointers.into_iter().map(|pointer| async move {
        retry_on_conflict("an index", || async {
            let partition = IndexPartition::of(pointer.kind, &pointer.slug);
            let Some(row) = read_pointer(store, &partition, &pointer.key).await? else { return Ok(()) };
            if pointer::read(&row)?.intent != intent.to_string() || has(store, &pointer).await? {
                return Ok(());
            }
            delete(store, &partition, &pointer, row.etag).await
        })
        .await
    });
    stream::iter(removals).buffer_unordered(CONCURRENCY).try_collect().await
}

async fn delete(store: &Store, partition: &IndexPartition, pointer: &PointerPlace, etag: Etag) -> Result<()> {
    let _lock = store.keyed_lock(partition.table.name(), &partition.name).await;
    let (count, unchanged) = partition.count(store).await?;
    let delete = |row, precondition| Operation::Delete { row, precondition };
    let operations = vec![
        delete(time::time_row(&pointer.key), Precondition::Match(etag)),
        delete(time::mirror_row(&pointer.key), Precondition::None),
        count_operation(&count.changed(-1, None), unchanged),
    ];
    partition.commit(store, operations).await
}

/// Whether the post, as it is now, has the pointer.
async fn has(store: &Store, pointer: &PointerPlace) -> Result<bool> {
    let place = PostPlace { collection: crate::keys::Collection::Posts, key: pointer.key.clone() };
    let post = moves::find(store, &pointer.key.id, &[place]).await?;
    Ok(post.is_some_and(|post| plan::pointers(&post).contains(pointer)))
}

/// Whether the index of a term's first slug has any post. One point read.
pub(super) async fn is_listed(store: &Store, kind: TermKind, slug: &Slug) -> Result<bool> {
    let row = store.get(Table::PostsBy(kind).name(), &place::count(term::posts_partition(slug))).await?;
    Ok(row.as_ref().map(count::read).transpose()?.is_some_and(|count| count.rows > 0))
}
