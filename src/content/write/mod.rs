//! Writes content. The rule: pure functions plan a change ([`plan`]), and [`atomic`] makes and records it in one transaction over all tables.

mod atomic;
mod change_log;
mod deletion;
mod keyed;
mod outcomes;
mod partition;
mod plan;
mod record;
mod retry;
mod site_pages;
mod terms;

pub(super) use atomic::{Overlay, RecordedChange, of_revoked_previews, of_token, of_webhook};
pub(super) use change_log::{DELIVERED_DAYS, KEPT_DAYS, begin as begin_log, days_before, delete_all as delete_log};
pub(crate) use keyed::{NewKey, Used};
pub(crate) use outcomes::Together;
pub use outcomes::{GoneTerm, Outcome};
pub(crate) use partition::Partition;
pub(crate) use plan::Planned;
pub(super) use plan::StoredTerm;
pub use plan::{Change, Stored};
pub(super) use plan::{claim_row, tags_of_post, term_rows};
pub(super) use retry::{retry_on_conflict, retry_unless_unknown, until_made};
pub(in crate::content) use site_pages::is_whole as is_whole_page;
pub(crate) use site_pages::{BadPlace, MOVED_MAX, PageTree, PagesWritten};
pub(crate) use terms::SavedTerms;
pub use terms::{Deleted, Renamed};

use std::sync::Arc;

use crate::clock::Clock;
use crate::keys::change_name::ChangeName;
use crate::keys::lookup;
use crate::model::{ActorSnapshot, CreationId, IndexedFields, Instant, PostId, Slug};
use crate::store::Store;

use super::error::Result;
use super::random;
use super::tables::PartitionCatalogs;

/// The maximum number of concurrent reads of one import of terms.
const CONCURRENCY: usize = 32;

#[derive(Clone)]
pub struct Writer {
    store: Store,
    partition_catalogs: Arc<PartitionCatalogs>,
    clock: Clock,
    /// A random part of the names of this writer's changes.
    server: Arc<str>,
    /// The declared fields that have an index.
    indexed: IndexedFields,
    /// The actor for the audit log.
    by: Option<Arc<ActorSnapshot>>,
}

impl Writer {
    /// # Errors
    /// If the operating system provides no random bytes.
    pub(super) fn new(
        store: Store,
        partition_catalogs: Arc<PartitionCatalogs>,
        clock: Clock,
        indexed: IndexedFields,
    ) -> Result<Self> {
        let server = PostId::from_bits(random::bits()?).to_string().into();
        Ok(Self { store, partition_catalogs, clock, server, indexed, by: None })
    }

    /// A writer for the changes of this actor.
    #[must_use]
    pub fn by(self, actor: ActorSnapshot) -> Self {
        Self { by: Some(Arc::new(actor)), ..self }
    }

    /// A new id of 62 random bits, which no post has had before.
    pub fn new_post_id(&self) -> Result<PostId> {
        Ok(PostId::from_bits(random::bits()?))
    }

    /// A new id whose row in `PostKeys` is in the bucket of a slug, so that one transaction of tables claims both: one id of 16 is.
    ///
    /// # Errors
    /// If the operating system provides no random bytes.
    pub fn new_post_id_beside(&self, slug: &Slug) -> Result<PostId> {
        loop {
            let id = self.new_post_id()?;
            if lookup::by_id(&id).partition() == lookup::by_slug(slug).partition() {
                return Ok(id);
            }
        }
    }

    /// The earlier use of an idempotency key; `None` if it is unused. One point read.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn use_of(&self, key: &NewKey) -> Result<Option<Used>> {
        key.use_before(&self.store, &self.clock).await
    }

    fn new_creation_id(&self) -> Result<CreationId> {
        Ok(CreationId::from_bits(random::bits()?))
    }

    fn new_change_name(&self) -> Result<ChangeName> {
        let random = PostId::from_bits(random::bits()?);
        Ok(ChangeName::new(&self.server, self.clock.now(), random.as_str()))
    }
}

/// Deletes expired rows: old rows of the audit log, old segments of the log of changes, and expired idempotency keys. One range read, the four reads of the
/// log, and one scan if there is nothing to delete. The file that defines how long a kind of row is kept deletes it.
pub(super) async fn delete_old(store: &Store, now: Instant) -> Result<()> {
    record::delete_old(store, now).await?;
    change_log::delete_old(store, now).await?;
    keyed::delete_old(store, now).await
}
