//! Earlier versions of posts and pages. The rule: a version is kept before a change replaces it, whether or not that change is made; so no version is ever
//! lost, and what is kept is never wrong.
//!
//! The newest [`REVISIONS_MAX`] versions of a post before the current one are kept for as long as the post exists.

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::{ContentError, Result};
use crate::content::tables::read_all;
use crate::content::tables::rows::post as rows;
use crate::keys::{Table, history};
use crate::model::post::REVISIONS_MAX;
use crate::model::{PostId, WholePost};
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Operation, Precondition, Store, StoreError};

use super::CONCURRENCY;
use super::retry::retry_on_conflict;

/// Keeps these versions. One transaction each.
pub(super) async fn keep(store: &Store, versions: impl Iterator<Item = &WholePost>) -> Result<()> {
    let versions: Vec<WholePost> = versions.cloned().collect();
    stream::iter(versions.into_iter().map(|version| async move { keep_one(store, &version).await }))
        .buffer_unordered(CONCURRENCY)
        .try_collect()
        .await
}

async fn keep_one(store: &Store, whole: &WholePost) -> Result<()> {
    let post = &whole.post;
    let key = history::revision(&post.id, post.version);
    let properties = rows::whole(whole)
        .map_err(|e| ContentError::TooLarge { what: post.slug.to_string(), reason: e.to_string() })?;
    let put = Operation::Put { row: key.row().to_owned(), properties, precondition: Precondition::None };
    let oldest = post.version.saturating_sub(REVISIONS_MAX);
    let mut operations = vec![put.clone()];
    if oldest >= 1 {
        let row = history::revision(&post.id, oldest).row().to_owned();
        operations.push(Operation::Delete { row, precondition: Precondition::None });
    }
    let commit = |operations| async move { commit(store, &post.id, operations).await };
    match commit_until_known(|| commit(operations.clone())).await {
        // There is no older version to delete.
        Err(ContentError::Store(StoreError::Precondition(_))) => commit_until_known(|| commit(vec![put.clone()])).await,
        kept => kept,
    }
}

/// Sends a commit again if its answer was lost; keeping a version is idempotent.
async fn commit_until_known<F: Future<Output = Result<()>>>(commit: impl Fn() -> F) -> Result<()> {
    for _ in 0..3 {
        match commit().await {
            Err(ContentError::Store(StoreError::OutcomeUnknown { .. })) => {}
            known => return known,
        }
    }
    commit().await
}

async fn commit(store: &Store, id: &PostId, operations: Vec<Operation>) -> Result<()> {
    store.commit(Table::Revisions.name(), &Batch::new(history::revisions_partition(id), operations)?).await?;
    Ok(())
}

/// Deletes all versions of a deleted post or page.
pub(in crate::content) async fn delete_all(store: &Store, id: &PostId) -> Result<()> {
    retry_on_conflict("the versions of a post", || async {
        let kept = read_all(store, Table::Revisions, &history::revisions(id)).await?;
        for rows in kept.chunks(BATCH_OPERATIONS_MAX) {
            let delete = |row: &crate::store::Entity| Operation::Delete {
                row: row.key.row().to_owned(),
                precondition: Precondition::None,
            };
            commit(store, id, rows.iter().map(delete).collect()).await?;
        }
        Ok(())
    })
    .await
}
