//! Index rows: pointer, mirror and count, in one transaction for each partition. The rule: a writer writes every pointer that the post gets under the
//! name of its intent (W2); a removal reads the pointer first, then the intent or the post that permits the removal (W3, W4).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::{ContentError, Result};
use crate::content::tables::moves;
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::pointer;
use crate::content::write::plan::{self, PointerPlace, count_operation};
use crate::content::write::retry::retry_on_conflict;
use crate::keys::{PostPlace, Table, place, term, time};
use crate::model::{IndexKind, Post, PostKey, Slug, TermKind};
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Properties, Store, StoreError};

use super::intent::require_open;
use super::{CONCURRENCY, Session};

/// Pointers in one transaction, which writes two rows for each, and the count.
const POINTERS_PER_BATCH: usize = 49;

/// A pointer that is to be written, with its post.
#[derive(Clone)]
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
    fn of(kind: IndexKind, slug: &Slug) -> Self {
        Self { table: Table::of_index(kind), name: term::posts_partition(slug) }
    }

    fn key(&self, row: String) -> Result<Key> {
        Ok(Key::new(self.name.clone(), row)?)
    }

    /// Sends one transaction, in which the count of the partition changes.
    async fn commit(
        &self,
        session: &Session<'_>,
        mut operations: Vec<Operation>,
        changed: impl FnOnce(Count) -> Count,
    ) -> Result<()> {
        let _lock = session.store.keyed_lock(self.table.name(), &self.name).await;
        let base = session.base(self.table, place::count(self.name.as_str())).await?;
        operations.push(count_operation(&changed(base.count()?), base.precondition()));
        let batch = Batch::new(self.name.clone(), operations)?;
        let etags = session.store.commit(self.table.name(), &batch).await?;
        base.written(&batch, &etags);
        Ok(())
    }
}

/// Inserts pointers that are absent. Returns those that were not inserted: of a transaction that was refused, because one of them exists or another
/// writer has changed the count, or whose answer was lost.
pub(super) async fn insert(session: &Session<'_>, pointers: Vec<NewPointer>) -> Result<Vec<NewPointer>> {
    let inserts = partitions(pointers).map(|(partition, pointers)| async move {
        let mut contested = Vec::new();
        // One after another, because all of them change the count.
        for chunk in pointers.chunks(POINTERS_PER_BATCH) {
            let absent = chunk.iter().map(|_| None).collect();
            match put_chunk(session, &partition, chunk, absent).await {
                Ok(()) => {}
                Err(ContentError::Store(StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. })) => {
                    contested.extend_from_slice(chunk);
                }
                Err(e) => return Err(e),
            }
        }
        Ok(contested)
    });
    let contested: Vec<Vec<_>> = stream::iter(inserts).buffer_unordered(CONCURRENCY).try_collect().await?;
    Ok(contested.into_iter().flatten().collect())
}

/// Writes pointers of posts that are taken. One that exists already is written again under the name of this intent, and not counted again.
pub(super) async fn put(session: &Session<'_>, pointers: Vec<NewPointer>) -> Result<()> {
    let puts = partitions(pointers).map(|(partition, pointers)| async move {
        for chunk in pointers.chunks(POINTERS_PER_BATCH) {
            retry_on_conflict("an index", || async {
                let found = try_join_all(chunk.iter().map(|p| read_pointer(&session.store, &partition, &p.place.key)));
                put_chunk(session, &partition, chunk, found.await?).await
            })
            .await?;
        }
        Ok::<_, ContentError>(())
    });
    stream::iter(puts).buffer_unordered(CONCURRENCY).try_collect().await
}

/// The pointers of each partition.
fn partitions(pointers: Vec<NewPointer>) -> impl Iterator<Item = (IndexPartition, Vec<NewPointer>)> {
    let mut partitions: BTreeMap<(IndexKind, Slug), Vec<NewPointer>> = BTreeMap::new();
    for pointer in pointers {
        partitions.entry((pointer.place.kind, pointer.place.slug.clone())).or_default().push(pointer);
    }
    partitions.into_iter().map(|((kind, slug), pointers)| (IndexPartition::of(kind, &slug), pointers))
}

/// `found`: the existing rows of these pointers.
async fn put_chunk(
    session: &Session<'_>,
    partition: &IndexPartition,
    chunk: &[NewPointer],
    found: Vec<Option<Entity>>,
) -> Result<()> {
    let added = found.iter().filter(|row| row.is_none()).count() as i64;
    let newest = chunk.iter().map(|p| &p.place.key).min();
    let mut operations = Vec::with_capacity(2 * chunk.len() + 1);
    for (new, found) in chunk.iter().zip(found) {
        let properties = pointer::pointer(&new.post, &session.name.to_string());
        operations.extend(put_pair(&new.place.key, &properties, found.map(|row| row.etag)));
    }
    partition.commit(session, operations, |count| count.changed(added, newest)).await
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

/// The ETags of those pointers that exist. They are read together.
pub(super) async fn read(store: &Store, pointers: BTreeSet<PointerPlace>) -> Result<BTreeMap<PointerPlace, Etag>> {
    let reads = pointers.into_iter().map(|place| async move {
        let row = read_pointer(store, &IndexPartition::of(place.kind, &place.slug), &place.key).await?;
        Ok::<_, ContentError>(row.map(|row| (place, row.etag)))
    });
    let found: Vec<Option<_>> = stream::iter(reads).buffer_unordered(CONCURRENCY).try_collect().await?;
    Ok(found.into_iter().flatten().collect())
}

/// Removes pointers that the post no longer has after a change that was made (W3). `seen`: the ETags of pointers that were read after the intent was
/// opened and before the commit, which shows that the intent was open in between; any other pointer is read here, and then the intent.
pub(super) async fn remove(
    session: &Session<'_>,
    pointers: Vec<PointerPlace>,
    seen: &BTreeMap<PointerPlace, Etag>,
) -> Result<()> {
    let store = &session.store;
    let removals = pointers.into_iter().map(|pointer| async move {
        let mut seen = seen.get(&pointer).cloned();
        retry_on_conflict("an index", || {
            let (pointer, seen) = (&pointer, seen.take());
            async move {
                let partition = IndexPartition::of(pointer.kind, &pointer.slug);
                let etag = match seen {
                    Some(etag) => etag,
                    None => {
                        let Some(row) = read_pointer(store, &partition, &pointer.key).await? else { return Ok(()) };
                        require_open(store, &session.name).await?;
                        row.etag
                    }
                };
                delete(session, &partition, pointer, etag).await
            }
        })
        .await
    });
    stream::iter(removals).buffer_unordered(CONCURRENCY).try_collect().await
}

/// Removes the pointers that name an intent whose change was not made, unless the post has them (W4).
pub(super) async fn remove_named(session: &Session<'_>, pointers: Vec<PointerPlace>) -> Result<()> {
    let store = &session.store;
    let removals = pointers.into_iter().map(|pointer| async move {
        retry_on_conflict("an index", || async {
            let partition = IndexPartition::of(pointer.kind, &pointer.slug);
            let Some(row) = read_pointer(store, &partition, &pointer.key).await? else { return Ok(()) };
            if pointer::read(&row)?.intent != session.name.to_string() || has(store, &pointer).await? {
                return Ok(());
            }
            delete(session, &partition, &pointer, row.etag).await
        })
        .await
    });
    stream::iter(removals).buffer_unordered(CONCURRENCY).try_collect().await
}

async fn delete(session: &Session<'_>, partition: &IndexPartition, pointer: &PointerPlace, etag: Etag) -> Result<()> {
    let delete = |row, precondition| Operation::Delete { row, precondition };
    let operations = vec![
        delete(time::time_row(&pointer.key), Precondition::Match(etag)),
        delete(time::mirror_row(&pointer.key), Precondition::None),
    ];
    partition.commit(session, operations, |count| count.changed(-1, None)).await
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
