//! Step 5, after the commit: writes the record and the log of changes, creates new tags, removes the rows that the post no longer has, corrects those that name
//! its place, and copies counts. The rule (W3): every part can be repeated, and a row that a later change could need is removed or overwritten only
//! if the intent, read after the row, is open.

use std::collections::BTreeSet;

use futures_util::future::try_join;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::Result;
use crate::content::write::log::{self, Changed};
use crate::content::write::plan::{self, is_move};
use crate::content::write::{record, revisions};
use crate::keys::{PostPlace, lookup};
use crate::model::{ActorSnapshot, Post, Slug};
use crate::store::Key;

use super::listing::{self, CountFrom};
use super::undo::months;
use super::{CONCURRENCY, CommittedBy, Session, fence, index};

/// A change of a post that was made.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub before: Option<Post>,
    pub after: Option<Post>,
    /// Whether it replaces the title, the excerpt, the body or the metadata.
    pub replaces_text: bool,
}

impl Session<'_> {
    /// Reconciles the changes that an intent has made. `by`: who made the changes, for the record.
    pub(super) async fn reconcile(&self, by: Option<&ActorSnapshot>, made: Vec<Made>, new_tags: &[Slug]) -> Result<()> {
        let item = |m: &Made| log::of_post(&self.name, m.before.as_ref(), m.after.as_ref(), m.replaces_text);
        let objects = made.iter().filter_map(item).collect();
        let mut changed = Changed { objects, new_tags: Vec::new() };
        let recording = record::write(&self.store, &self.name, by, changed.recorded());
        let logging = async {
            let created = self.create_new_tags(&made, new_tags).await?;
            changed.new_tags.extend(created.iter().filter_map(|tag| log::of_new_tag(&self.name, tag)));
            self.append(changed).await
        };
        try_join(recording, logging).await?;
        let each = made.into_iter().map(|made| async move { self.reconcile_post(&made).await });
        stream::iter(each).buffer_unordered(CONCURRENCY).try_collect().await
    }

    async fn reconcile_post(&self, made: &Made) -> Result<()> {
        let (before, after) = (made.before.as_ref(), made.after.as_ref());
        let has = after.map(plan::pointers).unwrap_or_default();
        let had = before.map(plan::pointers).unwrap_or_default();
        index::remove(self, had.difference(&has).cloned().collect()).await?;
        if let (Some(before), Some(after)) = (before, after) {
            if is_move(before, after) {
                self.clear_mark(after).await?;
            }
            self.reconcile_claims(&after.id, claims_to_reconcile(before, after), Some(after)).await?;
            // The redirects are needed until `PostKeys` names the new place.
            if is_move(before, after) || before.slug != after.slug {
                self.remove_redirects(before).await?;
            }
        }
        if let (Some(before), None) = (before, after) {
            self.reconcile_claims(&before.id, plan::lookups(before), None).await?;
            revisions::delete_all(&self.store, &before.id).await?;
            fence::remove_marker(&self.store, &self.name, before).await?;
        }
        let is_counted = match (before, after) {
            (Some(before), Some(after)) => is_move(before, after) || before.key() != after.key(),
            _ => true,
        };
        if is_counted {
            let from = match (self.committed_by, before) {
                (CommittedBy::Itself, None) => CountFrom::OwnCommit,
                _ => CountFrom::Row,
            };
            for month in months(before, after) {
                listing::copy_count(self, &month, from).await?;
            }
        }
        Ok(())
    }
}

/// The rows of `PostKeys` whose content the change may alter. Rows that it has claimed have their new content already.
fn claims_to_reconcile(before: &Post, after: &Post) -> BTreeSet<Key> {
    let place = |post: &Post| (PostPlace::of(post), post.slug.clone(), post.origin.clone());
    let mut keys: BTreeSet<Key> = BTreeSet::new();
    if place(before) != place(after) {
        keys.extend([lookup::by_id(&after.id), lookup::by_slug(&after.slug), lookup::by_slug(&before.slug)]);
    }
    // Slugs that the post no longer has.
    keys.extend(plan::lookups(before).difference(&plan::lookups(after)).cloned());
    keys
}
