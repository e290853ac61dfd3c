//! The rows of `PostKeys`, which say which post owns an id or a slug. The rule (I6): a slug is claimed by an insert that fails if the row exists; a
//! row that names another post is always resolved.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::lookup::{self as rows, LookupRow};
use crate::content::tables::{moves, scan_all};
use crate::content::write::plan;
use crate::content::write::retry::retry_on_conflict;
use crate::keys::intent::IntentName;
use crate::keys::{Table, lookup};
use crate::model::{Post, PostId, Slug};
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Entity, Key, Operation, Precondition, Properties, Store, StoreError};

use super::intent::{self, StoredIntent, require_open};
use super::{CONCURRENCY, Session};

/// A row that is to be claimed for a post.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub key: Key,
    pub id: PostId,
    properties: Properties,
}

/// Why a claim was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The slug belongs to another post.
    Taken(Slug),
    /// A post with the id exists already.
    Exists,
}

impl Claim {
    /// The claim of the row `key` for a post; `None` if the post does not own it.
    pub(crate) fn of(key: &Key, post: &Post, intent: &str) -> Option<Self> {
        let properties = plan::claim_row(key, post, intent)?;
        Some(Self { key: key.clone(), id: post.id.clone(), properties })
    }

    fn put(&self, precondition: Precondition) -> Operation {
        Operation::Put { row: self.key.row().to_owned(), properties: self.properties.clone(), precondition }
    }

    fn slug(&self) -> Option<Slug> {
        match lookup::parse(&self.key)? {
            lookup::Lookup::Slug(slug) => Some(slug),
            lookup::Lookup::Id(_) => None,
        }
    }
}

/// The claims of each partition of `PostKeys`.
fn in_buckets(claims: Vec<Claim>) -> impl Iterator<Item = Vec<Claim>> {
    let mut buckets: BTreeMap<String, Vec<Claim>> = BTreeMap::new();
    for claim in claims {
        buckets.entry(claim.key.partition().to_owned()).or_default().push(claim);
    }
    buckets.into_values()
}

impl Session<'_> {
    /// Makes the claims whose rows are absent. Returns the others: those of a transaction that was refused or had no answer.
    pub(super) async fn insert_claims(&self, claims: Vec<Claim>) -> Result<Vec<Claim>> {
        let in_chunks =
            |claims: Vec<Claim>| claims.chunks(BATCH_OPERATIONS_MAX).map(<[Claim]>::to_vec).collect::<Vec<_>>();
        let chunks: Vec<Vec<Claim>> = in_buckets(claims).flat_map(in_chunks).collect();
        let contested: Vec<Vec<Claim>> = stream::iter(chunks.into_iter().map(|chunk| self.insert_chunk(chunk)))
            .buffer_unordered(CONCURRENCY)
            .try_collect()
            .await?;
        Ok(contested.into_iter().flatten().collect())
    }

    async fn insert_chunk(&self, chunk: Vec<Claim>) -> Result<Vec<Claim>> {
        let Some(first) = chunk.first() else { return Ok(Vec::new()) };
        let operations = chunk.iter().map(|claim| claim.put(Precondition::Absent)).collect();
        let batch = Batch::new(first.key.partition(), operations)?;
        match self.store.commit(Table::PostKeys.name(), &batch).await {
            Ok(_) => Ok(Vec::new()),
            Err(StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. }) => Ok(chunk),
            Err(e) => Err(e.into()),
        }
    }

    /// Makes the claims that can be made, of posts that are taken. Returns the claims that were refused, and why.
    pub(super) async fn resolve_claims(&self, contested: Vec<Claim>) -> Result<Vec<(PostId, Refused)>> {
        let each = in_buckets(contested).map(|claims| async move {
            let mut refused = Vec::new();
            for claim in &claims {
                let one = retry_on_conflict("a slug", || self.claim_one(claim)).await?;
                refused.extend(one.map(|why| (claim.id.clone(), why)));
            }
            Ok::<_, ContentError>(refused)
        });
        let refused: Vec<Vec<_>> = stream::iter(each).buffer_unordered(CONCURRENCY).try_collect().await?;
        Ok(refused.into_iter().flatten().collect())
    }

    async fn claim_one(&self, claim: &Claim) -> Result<Option<Refused>> {
        let precondition = match self.store.get(Table::PostKeys.name(), &claim.key).await? {
            None => Precondition::Absent,
            Some(row) => {
                let read = rows::read(&row)?;
                if read.intent() == self.name.to_string() && *read.id() == claim.id {
                    // An earlier try has written it, and its answer was lost.
                    return Ok(None);
                }
                match self.owner(claim, &read).await? {
                    RowOwner::None => Precondition::Match(row.etag),
                    RowOwner::Itself => return Ok(Some(Refused::Exists)),
                    RowOwner::Other(slug) => return Ok(Some(Refused::Taken(slug))),
                    RowOwner::Unknown(open) => {
                        self.writer.wait_until_closed(&open).await?;
                        return Err(StoreError::precondition("a claim that was waited for").into());
                    }
                }
            }
        };
        let batch = Batch::new(claim.key.partition(), vec![claim.put(precondition)])?;
        self.store.commit(Table::PostKeys.name(), &batch).await?;
        Ok(None)
    }

    /// The owner of an existing row. The intents are read after the row, and the post after the intents: the post then shows the result of every
    /// change that was closed before.
    async fn owner(&self, claim: &Claim, row: &LookupRow) -> Result<RowOwner> {
        let open = self.open_changes_of(row.id()).await?;
        if !open.is_empty() {
            return Ok(RowOwner::Unknown(open));
        }
        let post = moves::find(&self.store, row.id(), &[]).await?;
        let is_same_post = *row.id() == claim.id;
        Ok(match (claim.slug(), post) {
            // The row is of this post, which is about to get the slug.
            (Some(_), Some(_)) if is_same_post => RowOwner::None,
            (None, Some(_)) => RowOwner::Itself,
            (Some(slug), Some(post)) if post.slug == slug || post.former_slugs.contains(&slug) => RowOwner::Other(slug),
            _ => RowOwner::None,
        })
    }

    /// The open intents of other changes of this post.
    async fn open_changes_of(&self, id: &PostId) -> Result<Vec<IntentName>> {
        let rows = scan_all(&self.store, Table::Intents).await?;
        let named = rows.iter().map(|row| (IntentName::of_key(&row.key), row)).filter(|(name, _)| *name != self.name);
        let changes = |row: &Entity| match intent::read(row) {
            Ok(StoredIntent::Open { intent, .. }) => intent.changes_post(id),
            Ok(StoredIntent::Kept { .. } | StoredIntent::Foreign) | Err(_) => false,
        };
        Ok(named.filter(|(_, row)| changes(row)).map(|(name, _)| name).collect())
    }

    /// Writes the rows that the post owns, and deletes those that it does not own. `after`: the post after this change. No rows are inserted here,
    /// because the change has claimed all that it needs before its commit (W3).
    pub(super) async fn reconcile_claims(&self, id: &PostId, keys: BTreeSet<Key>, after: Option<&Post>) -> Result<()> {
        let keys: Vec<Key> = keys.into_iter().collect();
        if keys.is_empty() {
            return Ok(());
        }
        retry_on_conflict("a slug", || async {
            let found = self.store.get_many(Table::PostKeys.name(), &keys).await;
            let found: Vec<Option<Entity>> = found.into_iter().collect::<Result<_, _>>()?;
            let mut operations = Vec::new();
            for (key, row) in keys.iter().zip(&found) {
                if let Some(row) = row {
                    operations.extend(self.reconcile_one(key, row, id, after)?.map(|operation| (key, operation)));
                }
            }
            if operations.is_empty() {
                return Ok(());
            }
            require_open(&self.store, &self.name).await?;
            let commits = operations.into_iter().map(|(key, operation)| async move {
                let batch = Batch::new(key.partition(), vec![operation])?;
                self.store.commit(Table::PostKeys.name(), &batch).await?;
                Ok::<_, ContentError>(())
            });
            try_join_all(commits).await.map(drop)
        })
        .await
    }

    fn reconcile_one(&self, key: &Key, row: &Entity, id: &PostId, after: Option<&Post>) -> Result<Option<Operation>> {
        let read = rows::read(row)?;
        if read.id() != id {
            return Ok(None);
        }
        let precondition = Precondition::Match(row.etag.clone());
        let claimed = after.and_then(|post| Claim::of(key, post, &self.name.to_string()).map(|claim| (claim, post)));
        Ok(match claimed {
            Some((claim, post)) => {
                let is_former = |slug: &Slug| *slug != post.slug;
                let is_former_slug = claim.slug().as_ref().is_some_and(is_former);
                let is_right = is_former_slug == matches!(read, LookupRow::Former { .. }) && read.names(post);
                (!is_right).then(|| claim.put(precondition))
            }
            None => Some(Operation::Delete { row: key.row().to_owned(), precondition }),
        })
    }
}

/// Removes the claims that name an intent whose change was not made, unless the post owns them (W4).
pub(crate) async fn remove_named(store: &Store, name: &IntentName, id: &PostId, keys: BTreeSet<Key>) -> Result<()> {
    let removals = keys.into_iter().map(|key| async move {
        retry_on_conflict("a slug", || async {
            let Some(row) = store.get(Table::PostKeys.name(), &key).await? else { return Ok(()) };
            let read = rows::read(&row)?;
            if read.id() != id || read.intent() != name.to_string() {
                return Ok(());
            }
            let post = moves::find(store, id, &[]).await?;
            if post.is_some_and(|post| Claim::of(&key, &post, "").is_some()) {
                return Ok(());
            }
            let precondition = Precondition::Match(row.etag);
            let delete = Operation::Delete { row: key.row().to_owned(), precondition };
            store.commit(Table::PostKeys.name(), &Batch::new(key.partition(), vec![delete])?).await?;
            Ok(())
        })
        .await
    });
    stream::iter(removals).buffer_unordered(CONCURRENCY).try_collect().await
}

/// The owner of a row of `PostKeys`.
enum RowOwner {
    None,
    /// The post that claims the row; it exists already.
    Itself,
    /// Another post, which has this slug.
    Other(Slug),
    /// It is known only after these intents are closed.
    Unknown(Vec<IntentName>),
}
