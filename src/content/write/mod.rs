//! Writes content. The rule: pure functions plan a change ([`plan`]), and [`atomic`] makes it in one transaction over all tables, which also records it.

mod atomic;
mod deletion;
mod keyed;
mod log;
mod old;
mod outcomes;
mod partition;
mod plan;
mod posts;
mod record;
mod retry;
mod site_pages;
mod terms;
mod tokens;

pub(crate) use keyed::{NewKey, Used};
pub(super) use log::{KEPT_DAYS, begin as begin_log, days_before, delete_all as delete_log};
pub(super) use old::delete_old;
pub use outcomes::Outcome;
pub(crate) use partition::Partition;
pub(crate) use plan::Planned;
pub use plan::{Change, Stored};
pub(super) use retry::{jitter, retry_on_conflict, until_made};
pub(in crate::content) use site_pages::is_whole as is_whole_page;
pub(crate) use site_pages::{BadPlace, MOVED_MAX, PageTree, PagesWritten};
pub(crate) use terms::SavedTerms;
pub use terms::{Deleted, Renamed};
pub(super) use tokens::{TokenRowChange, of_revoked_previews, of_token};

use std::sync::Arc;

use crate::clock::Clock;
use crate::keys::change_name::ChangeName;
use crate::model::{ActorSnapshot, CreationId, IndexedFields, PostId};
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
    /// Who makes the changes, for the record of changes.
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

    /// A writer whose changes are recorded as changes by this actor.
    #[must_use]
    pub fn by(self, actor: ActorSnapshot) -> Self {
        Self { by: Some(Arc::new(actor)), ..self }
    }

    /// A new id of 62 random bits, which no post has had before.
    pub fn new_post_id(&self) -> Result<PostId> {
        Ok(PostId::from_bits(random::bits()?))
    }

    fn new_creation_id(&self) -> Result<CreationId> {
        Ok(CreationId::from_bits(random::bits()?))
    }

    fn new_change_name(&self) -> Result<ChangeName> {
        let random = PostId::from_bits(random::bits()?);
        Ok(ChangeName::new(&self.server, self.clock.now(), random.as_str()))
    }
}
