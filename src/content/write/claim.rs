//! The rows of `PostKeys`: who owns an id and a slug. The rule (I6): a slug is claimed by an insert that fails where it stands.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use futures_util::stream;

use crate::content::error::Result;
use crate::content::rows::lookup::{self as rows, LookupRow};
use crate::keys::intent::IntentName;
use crate::keys::{Table, lookup};
use crate::model::{Post, PostId, Slug};
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Entity, Key, Operation, Precondition, Properties, Store, StoreError};

use super::CONCURRENCY;
use super::retry::until_settled;

/// A row that is to be claimed, and for whom.
#[derive(Debug, Clone)]
pub struct Claim {
    pub key: Key,
    pub id: PostId,
    properties: Properties,
}

impl Claim {
    pub fn id(post: &Post, intent: &IntentName) -> Self {
        Self::at(lookup::by_id(&post.id), post, intent)
    }

    pub fn slug(post: &Post, intent: &IntentName) -> Self {
        Self::at(lookup::by_slug(&post.slug), post, intent)
    }

    pub fn former(post: &Post, slug: &Slug) -> Self {
        Self { key: lookup::by_slug(slug), id: post.id.clone(), properties: rows::former(&post.id) }
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
        Self { key, id: post.id.clone(), properties }
    }

    fn put(&self, precondition: Precondition) -> Operation {
        Operation::Put { row: self.key.row().to_owned(), properties: self.properties.clone(), precondition }
    }
}

/// Claims all that are free, and answers those that belong to another post.
pub async fn take(store: &Store, claims: Vec<Claim>) -> Result<Vec<Claim>> {
    let mut buckets: BTreeMap<String, Vec<Claim>> = BTreeMap::new();
    for claim in claims {
        buckets.entry(claim.key.partition().to_owned()).or_default().push(claim);
    }
    let in_chunks = |claims: Vec<Claim>| claims.chunks(BATCH_OPERATIONS_MAX).map(<[Claim]>::to_vec).collect::<Vec<_>>();
    let chunks: Vec<Vec<Claim>> = buckets.into_values().flat_map(in_chunks).collect();
    let taken: Vec<Result<Vec<Claim>>> =
        stream::iter(chunks.into_iter().map(|chunk| async move { take_chunk(store, &chunk).await }))
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
    let taken: Vec<Vec<Claim>> = taken.into_iter().collect::<Result<_>>()?;
    Ok(taken.into_iter().flatten().collect())
}

async fn take_chunk(store: &Store, chunk: &[Claim]) -> Result<Vec<Claim>> {
    let Some(first) = chunk.first() else { return Ok(Vec::new()) };
    let operations = chunk.iter().map(|claim| claim.put(Precondition::Absent)).collect();
    match store.commit(Table::PostKeys.name(), &Batch::new(first.key.partition(), operations)?).await {
        Ok(_) => Ok(Vec::new()),
        Err(StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. }) => take_singly(store, chunk).await,
        Err(e) => Err(e.into()),
    }
}

async fn take_singly(store: &Store, chunk: &[Claim]) -> Result<Vec<Claim>> {
    let mut refused = Vec::new();
    for claim in chunk {
        if !until_settled("a slug", || take_one(store, claim)).await? {
            refused.push(claim.clone());
        }
    }
    Ok(refused)
}

/// Whether the row is now this post's.
async fn take_one(store: &Store, claim: &Claim) -> Result<bool> {
    let precondition = match store.get(Table::PostKeys.name(), &claim.key).await? {
        None => Precondition::Absent,
        Some(row) if owner(&row)? == claim.id => Precondition::Match(row.etag),
        Some(_) => return Ok(false),
    };
    let batch = Batch::new(claim.key.partition(), vec![claim.put(precondition)])?;
    store.commit(Table::PostKeys.name(), &batch).await?;
    Ok(true)
}

/// Puts a row of this post's where it is free or its own; what belongs to another post is left alone.
pub async fn put(store: &Store, claim: &Claim) -> Result<()> {
    until_settled("a slug", || take_one(store, claim)).await.map(|_| ())
}

/// Deletes a row where it is this post's.
pub async fn release(store: &Store, key: &Key, id: &PostId) -> Result<()> {
    until_settled("a slug", || async {
        let Some(row) = store.get(Table::PostKeys.name(), key).await? else { return Ok(()) };
        if owner(&row)? != *id {
            return Ok(());
        }
        let delete = Operation::Delete { row: key.row().to_owned(), precondition: Precondition::Match(row.etag) };
        store.commit(Table::PostKeys.name(), &Batch::new(key.partition(), vec![delete])?).await?;
        Ok(())
    })
    .await
}

fn owner(row: &Entity) -> Result<PostId> {
    Ok(match rows::read(row)? {
        LookupRow::Place { place, .. } => place.key.id,
        LookupRow::Former { id } => id,
    })
}
