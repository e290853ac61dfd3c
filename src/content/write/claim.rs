//! The rows of `PostKeys`: who owns an id and a slug. The rule (I6): a slug is claimed by an insert that fails where it stands; afterwards a
//! row is read first and its post then, and what is written holds only where the row is still as it was read.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::try_join_all;
use futures_util::{StreamExt, stream};

use crate::content::error::Result;
use crate::content::moves;
use crate::content::rows::lookup::{self as rows, LookupRow};
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, Table, lookup};
use crate::model::{Post, PostId, Slug};
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Properties, Store, StoreError};

use super::CONCURRENCY;
use super::intent;
use super::retry::until_settled;

/// A row that is to be claimed, and for whom.
#[derive(Debug, Clone)]
pub struct Claim {
    pub key: Key,
    pub id: PostId,
    properties: Properties,
    is_former: bool,
}

impl Claim {
    pub fn id(post: &Post, intent: &IntentName) -> Self {
        Self::at(lookup::by_id(&post.id), post, intent)
    }

    pub fn slug(post: &Post, intent: &IntentName) -> Self {
        Self::at(lookup::by_slug(&post.slug), post, intent)
    }

    pub fn former(post: &Post, slug: &Slug, intent: &IntentName) -> Self {
        let properties = rows::former(&post.id, &intent.to_string());
        Self { key: lookup::by_slug(slug), id: post.id.clone(), properties, is_former: true }
    }

    /// `None` for the claim of an id.
    pub fn slug_claimed(&self) -> Option<Slug> {
        match lookup::parse(&self.key)? {
            lookup::Lookup::Slug(slug) => Some(slug),
            lookup::Lookup::Id(_) => None,
        }
    }

    fn at(key: Key, post: &Post, intent: &IntentName) -> Self {
        let properties = rows::place(post, &intent.to_string());
        Self { key, id: post.id.clone(), properties, is_former: false }
    }

    fn put(&self, precondition: Precondition) -> Operation {
        Operation::Put { row: self.key.row().to_owned(), properties: self.properties.clone(), precondition }
    }

    /// Over a row of the same post's, which other intents may need too.
    fn put_over(&self, standing: Etag, marks: &str) -> Operation {
        let properties = rows::marked(self.properties.clone(), marks);
        Operation::Put { row: self.key.row().to_owned(), properties, precondition: Precondition::Match(standing) }
    }
}

/// Claims all that are free, and answers those that belong to another post.
pub async fn take(store: &Store, intent: &IntentName, claims: Vec<Claim>) -> Result<Vec<Claim>> {
    let mut buckets: BTreeMap<String, Vec<Claim>> = BTreeMap::new();
    for claim in claims {
        buckets.entry(claim.key.partition().to_owned()).or_default().push(claim);
    }
    let in_chunks = |claims: Vec<Claim>| claims.chunks(BATCH_OPERATIONS_MAX).map(<[Claim]>::to_vec).collect::<Vec<_>>();
    let chunks: Vec<Vec<Claim>> = buckets.into_values().flat_map(in_chunks).collect();
    let taken: Vec<Result<Vec<Claim>>> =
        stream::iter(chunks.into_iter().map(|chunk| async move { take_chunk(store, intent, &chunk).await }))
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
    let taken: Vec<Vec<Claim>> = taken.into_iter().collect::<Result<_>>()?;
    Ok(taken.into_iter().flatten().collect())
}

async fn take_chunk(store: &Store, intent: &IntentName, chunk: &[Claim]) -> Result<Vec<Claim>> {
    let Some(first) = chunk.first() else { return Ok(Vec::new()) };
    let operations = chunk.iter().map(|claim| claim.put(Precondition::Absent)).collect();
    match store.commit(Table::PostKeys.name(), &Batch::new(first.key.partition(), operations)?).await {
        Ok(_) => Ok(Vec::new()),
        Err(StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. }) => take_singly(store, intent, chunk).await,
        Err(e) => Err(e.into()),
    }
}

async fn take_singly(store: &Store, intent: &IntentName, chunk: &[Claim]) -> Result<Vec<Claim>> {
    let mut refused = Vec::new();
    for claim in chunk {
        if !until_settled("a slug", || take_one(store, intent, claim)).await? {
            refused.push(claim.clone());
        }
    }
    Ok(refused)
}

/// Whether the row is now this post's.
async fn take_one(store: &Store, intent: &IntentName, claim: &Claim) -> Result<bool> {
    let operation = match store.get(Table::PostKeys.name(), &claim.key).await? {
        None => claim.put(Precondition::Absent),
        Some(row) => {
            let read = rows::read(&row)?;
            if *read.id() != claim.id {
                return Ok(false);
            }
            claim.put_over(row.etag, &intent::marks(store, read.intent(), intent).await?)
        }
    };
    store.commit(Table::PostKeys.name(), &Batch::new(claim.key.partition(), vec![operation])?).await?;
    Ok(true)
}

/// Puts these rows right for the post as it stands; what belongs to another post is left alone. `known`: where the post may be.
pub async fn settle(
    store: &Store,
    intent: &IntentName,
    id: &PostId,
    keys: &BTreeSet<Key>,
    known: &[PostPlace],
) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let keys: Vec<Key> = keys.iter().cloned().collect();
    until_settled("a slug", || async {
        let found = store.get_many(Table::PostKeys.name(), &keys).await;
        let found: Vec<Option<Entity>> = found.into_iter().collect::<Result<_, _>>()?;
        // After the rows: whoever changes the post from now on puts them right behind us, or has changed them already.
        let post = moves::find(store, id, known).await?;
        let post = post.as_ref();
        let settled = keys.iter().zip(found).map(|(key, row)| async move {
            let wanted = post.and_then(|post| wanted(key, post, intent));
            match (row, wanted) {
                (None, None) => Ok(()),
                (row, Some(wanted)) => put(store, intent, row, &wanted, post).await,
                (Some(row), None) => release(store, intent, row, id, known).await,
            }
        });
        try_join_all(settled).await.map(drop)
    })
    .await
}

async fn put(
    store: &Store,
    intent: &IntentName,
    found: Option<Entity>,
    wanted: &Claim,
    post: Option<&Post>,
) -> Result<()> {
    let operation = match found {
        None => wanted.put(Precondition::Absent),
        Some(row) => {
            let read = rows::read(&row)?;
            let is_former = matches!(read, LookupRow::Former { .. });
            let stands = is_former == wanted.is_former && post.is_some_and(|post| read.names(post));
            if stands || *read.id() != wanted.id {
                return Ok(());
            }
            wanted.put_over(row.etag, &intent::marks(store, read.intent(), intent).await?)
        }
    };
    store.commit(Table::PostKeys.name(), &Batch::new(wanted.key.partition(), vec![operation])?).await?;
    Ok(())
}

/// Deletes a row of this post's that it does not bear. One that another open intent has put stays: it settles it.
async fn release(store: &Store, intent: &IntentName, row: Entity, id: &PostId, known: &[PostPlace]) -> Result<()> {
    let read = rows::read(&row)?;
    if read.id() != id || intent::is_open_elsewhere(store, read.intent(), intent).await? {
        return Ok(());
    }
    // Once more, for that intent may have closed only now, its commit made.
    let post = moves::find(store, id, known).await?;
    if post.is_some_and(|post| wanted(&row.key, &post, intent).is_some()) {
        return Ok(());
    }
    let delete = Operation::Delete { row: row.key.row().to_owned(), precondition: Precondition::Match(row.etag) };
    store.commit(Table::PostKeys.name(), &Batch::new(row.key.partition(), vec![delete])?).await?;
    Ok(())
}

/// What the row should say; `None` where the post does not own it.
fn wanted(key: &Key, post: &Post, intent: &IntentName) -> Option<Claim> {
    match lookup::parse(key)? {
        lookup::Lookup::Id(_) => Some(Claim::id(post, intent)),
        lookup::Lookup::Slug(slug) if slug == post.slug => Some(Claim::slug(post, intent)),
        lookup::Lookup::Slug(slug) if post.former_slugs.contains(&slug) => Some(Claim::former(post, &slug, intent)),
        lookup::Lookup::Slug(_) => None,
    }
}
