//! Step 5, after the commit: writes the record and the log of changes, creates new tags, removes the rows that the post no longer has, corrects those that name
//! its place, and copies counts. The rule (W3): every part can be repeated, and a row that a later change could need is removed or overwritten only
//! if the intent, read after the row, is open.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::future::join;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::Result;
use crate::content::write::log::{self, Changed};
use crate::content::write::plan::{self, PointerPlace, is_move};
use crate::content::write::{record, revisions};
use crate::keys::{PostPlace, lookup};
use crate::model::{ActorSnapshot, Post, Slug};
use crate::store::{Etag, Key};

use super::listing::{self, CountFrom};
use super::undo::months;
use super::{CONCURRENCY, CommittedBy, Session, fence, index};

/// A change of a post that was made.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub before: Option<Post>,
    pub after: Option<Post>,
    /// Whether it replaces the title, the excerpt, the cover, the language, the body or the metadata, or whether the post is featured.
    pub replaces_text: bool,
    /// Pointers that the post loses, with the ETags that they had before the commit while the intent was open.
    pub leaving: Arc<BTreeMap<PointerPlace, Etag>>,
}

impl Session<'_> {
    /// Reconciles the changes that an intent has made. `by`: who made the changes, for the record.
    pub(super) async fn reconcile(&self, by: Option<&ActorSnapshot>, made: Vec<Made>, new_tags: &[Slug]) -> Result<()> {
        // First, because the record and the log have them too.
        let created = self.create_new_tags(&made, new_tags).await?;
        let item = |m: &Made| log::of_post(&self.name, m.before.as_ref(), m.after.as_ref(), m.replaces_text);
        let changed = Changed {
            objects: made.iter().filter_map(item).collect(),
            new_tags: created.iter().filter_map(|tag| log::of_new_tag(&self.name, tag)).collect(),
        };
        let record = record::write(&self.store, &self.name, by, changed.recorded());
        // Whether a deletion was made is known from the record after its marker is removed (W5).
        if made.iter().any(|made| made.after.is_none()) {
            record.await?;
            return self.reconcile_rows(made, changed).await;
        }
        let (recorded, reconciled) = join(record, self.reconcile_rows(made, changed)).await;
        recorded.and(reconciled)
    }

    /// Appends the change to the log, and reconciles the rows of the posts at the same time.
    async fn reconcile_rows(&self, made: Vec<Made>, changed: Changed) -> Result<()> {
        let each = made.into_iter().map(|made| async move { self.reconcile_post(&made).await });
        let reconciling = stream::iter(each).buffer_unordered(CONCURRENCY).try_collect();
        let (appended, reconciled): (_, Result<()>) = join(self.append(changed), reconciling).await;
        appended.and(reconciled)
    }

    async fn reconcile_post(&self, made: &Made) -> Result<()> {
        let (before, after) = (made.before.as_ref(), made.after.as_ref());
        let has = after.map(plan::pointers).unwrap_or_default();
        let had = before.map(plan::pointers).unwrap_or_default();
        index::remove(self, had.difference(&has).cloned().collect(), &made.leaving).await?;
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
