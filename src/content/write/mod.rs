//! Writes posts and terms. The rule: pure functions plan a change ([`plan`]), and one of two executors carries it out: [`atomic`] in one transaction,
//! on a store whose transactions cover all partitions, or [`protocol`] step by step, on tables. docs/design.md defines both, and
//! lists the files on the path of one write.

mod announcing;
mod atomic;
mod in_time;
mod keyed;
mod log;
mod old;
mod outcomes;
mod plan;
mod posts;
mod protocol;
mod record;
mod retry;
mod revisions;
mod site_pages;
mod terms;
mod tokens;

use in_time::in_time;
pub(crate) use keyed::{NewKey, Used};
pub(super) use log::{KEPT_DAYS, begin as begin_log, days_before, delete_all as delete_log};
pub(super) use old::delete_old;
pub use outcomes::Outcome;
pub(crate) use plan::Planned;
pub use plan::{Change, Stored};
pub(super) use plan::{PostRows, count_operation, put_rows};
pub(super) use protocol::LastWritten;
pub use protocol::intent;
pub use protocol::intent::Intent;
pub(crate) use protocol::intent::{LEASE_SECONDS, StoredIntent};
pub(crate) use protocol::listing::Partition;
pub use protocol::recover::Recovered;
pub(super) use retry::{jitter, retry_on_conflict};
pub(in crate::content) use revisions::delete_all as delete_revisions;
pub(in crate::content) use site_pages::is_whole as is_whole_page;
pub(crate) use site_pages::{BadPlace, MOVED_MAX, PageTree, PagesWritten};
pub(crate) use terms::SavedTerms;
pub use terms::{Deleted, Renamed};
pub(super) use tokens::{TokenRowChange, of_revoked_previews, of_token};

use std::sync::Arc;

use crate::clock::Clock;
use crate::keys::intent::IntentName;
use crate::model::{ActorSnapshot, CreationId, IndexedFields, PostId};
use crate::store::Store;

use super::error::Result;
use super::random;
use super::tables::PartitionCatalogs;

/// Requests of one kind that one change has under way at once.
const CONCURRENCY: usize = 32;

/// Writes content, for one server.
#[derive(Clone)]
pub struct Writer {
    store: Store,
    partition_catalogs: Arc<PartitionCatalogs>,
    last_written: Arc<LastWritten>,
    clock: Clock,
    /// The partition of this server's intents. Each start chooses a new one.
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
        last_written: Arc<LastWritten>,
        clock: Clock,
        indexed: IndexedFields,
    ) -> Result<Self> {
        let server = PostId::from_bits(u64::from_le_bytes(random::bytes()?)).to_string().into();
        Ok(Self { store, partition_catalogs, last_written, clock, server, indexed, by: None })
    }

    /// A writer whose changes are recorded as changes by this actor.
    #[must_use]
    pub fn by(self, actor: ActorSnapshot) -> Self {
        Self { by: Some(Arc::new(actor)), ..self }
    }

    /// A new id of 62 random bits, which no post has had before.
    pub fn new_post_id(&self) -> Result<PostId> {
        Ok(PostId::from_bits(u64::from_le_bytes(random::bytes()?)))
    }

    fn new_creation_id(&self) -> Result<CreationId> {
        Ok(CreationId::from_bits(u64::from_le_bytes(random::bytes()?)))
    }

    fn new_intent_name(&self) -> Result<IntentName> {
        let random = PostId::from_bits(u64::from_le_bytes(random::bytes()?));
        Ok(IntentName::new(&self.server, self.clock.now(), random.as_str()))
    }
}
