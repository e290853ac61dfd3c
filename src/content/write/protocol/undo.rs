//! Undoes changes of posts that were not made. The rule (W4): only rows that name the intent are removed, and only if the post, read after the row,
//! does not have them.

use futures_util::future::try_join_all;

use crate::content::error::Result;
use crate::content::tables::moves;
use crate::content::write::plan::{self, is_move};
use crate::content::write::revisions;
use crate::keys::PostPlace;
use crate::model::Post;

use super::listing::{self, CountFrom, Partition};
use super::{Session, claim, fence, index, moving};

/// Undoes one change of a post. `keeps_fence`: the marker of a creation is kept until the intent is swept.
pub(super) async fn undo_post(
    session: &Session<'_>,
    before: Option<&Post>,
    after: Option<&Post>,
    keeps_fence: bool,
) -> Result<()> {
    let Some(after) = after else { return Ok(()) };
    let (store, name) = (&session.store, &session.name);
    if before.is_some_and(|before| is_move(before, after)) {
        moving::remove_named(store, name, after).await?;
    }
    let had = before.map(plan::pointers).unwrap_or_default();
    let new = plan::pointers(after).difference(&had).cloned().collect();
    index::remove_named(session, new).await?;
    let owned = before.map(plan::lookups).unwrap_or_default();
    let claims = plan::lookups(after).difference(&owned).cloned().collect();
    claim::remove_named(store, name, &after.id, claims).await?;
    match before {
        None if !keeps_fence => fence::remove_marker(store, name, after).await?,
        None => {}
        // The change has kept the version that it was to replace, and the post was deleted since.
        Some(before) if moves::find(store, &before.id, &[PostPlace::of(before)]).await?.is_none() => {
            revisions::delete_all(store, &before.id).await?;
        }
        Some(_) => {}
    }
    let months = months(before, Some(after)).into_iter();
    try_join_all(months.map(|month| async move { listing::copy_count(session, &month, CountFrom::Row).await })).await?;
    Ok(())
}

/// The months of the two states, each once.
pub(super) fn months(before: Option<&Post>, after: Option<&Post>) -> Vec<Partition> {
    let month = |post: &Post| {
        let place = PostPlace::of(post);
        Partition::Month(place.collection, place.key.month())
    };
    let mut months: Vec<Partition> = before.into_iter().chain(after).map(month).collect();
    months.dedup();
    months
}
