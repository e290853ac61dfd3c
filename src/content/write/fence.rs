//! Keeps a commit that comes too late from being made. The rule: before a change is undone for a writer that has not been heard of, its
//! commit is made impossible, for the writer may only have slept.
//!
//! A commit holds the row under the post's slug to the ETag that was read: to write that row again, as it is, is a fence for good. The commit
//! of a new post holds its rows to be absent: a row under its mirror key, which leads nowhere, is a fence for as long as it stands.

use crate::content::error::Result;
use crate::content::rows::post as rows;
use crate::keys::{PostPlace, time};
use crate::model::Post;
use crate::store::{Batch, Entity, Key, Operation, Precondition, Store};

use super::retry::until_settled;

/// Fences off one change. One or two requests.
pub async fn raise(store: &Store, before: Option<&Post>, after: Option<&Post>) -> Result<()> {
    match (before, after) {
        (Some(before), _) => renew(store, before).await,
        (None, Some(after)) => put(store, after).await,
        (None, None) => Ok(()),
    }
}

/// Takes the fence of a new post away.
pub async fn lower(store: &Store, after: &Post) -> Result<()> {
    let (place, key) = fence_of(after)?;
    until_settled("a fence", || async {
        let Some(row) = store.get(place.shelf.name(), &key).await?.filter(rows::is_fence) else { return Ok(()) };
        let delete = Operation::Delete { row: key.row().to_owned(), precondition: Precondition::Match(row.etag) };
        store.commit(place.shelf.name(), &Batch::new(key.partition(), vec![delete])?).await?;
        Ok(())
    })
    .await
}

async fn renew(store: &Store, before: &Post) -> Result<()> {
    let place = PostPlace::of(before);
    until_settled("a post", || async {
        let row = store.get(place.shelf.name(), &place.whole(&before.slug)).await?;
        let Some(row) = row.filter(|row| is_of(row, before)) else { return Ok(()) };
        let (name, precondition) = (row.key.row().to_owned(), Precondition::Match(row.etag));
        let put = Operation::Put { row: name, properties: row.properties, precondition };
        store.commit(place.shelf.name(), &Batch::new(place.partition(), vec![put])?).await?;
        Ok(())
    })
    .await
}

/// Another version is another change's, and has its own ETag already.
fn is_of(row: &Entity, post: &Post) -> bool {
    rows::read_summary(row).is_ok_and(|found| found.id == post.id && found.version == post.version)
}

async fn put(store: &Store, after: &Post) -> Result<()> {
    let (place, key) = fence_of(after)?;
    until_settled("a fence", || async {
        if store.get(place.shelf.name(), &key).await?.is_some() {
            return Ok(());
        }
        let (row, precondition) = (key.row().to_owned(), Precondition::Absent);
        let put = Operation::Put { row, properties: rows::fence(&place), precondition };
        store.commit(place.shelf.name(), &Batch::new(key.partition(), vec![put])?).await?;
        Ok(())
    })
    .await
}

fn fence_of(after: &Post) -> Result<(PostPlace, Key)> {
    let place = PostPlace::of(after);
    let key = Key::new(place.partition(), time::mirror_row(&place.key))?;
    Ok((place, key))
}
