//! Writing. The rule: a change is planned by pure functions ([`plan`]) and carried out by one of two executors: on a store with transactions over all partitions at
//! once ([`atomic`]), on tables step by step ([`protocol`]). docs/design.md defines both.

mod atomic;
pub mod keyed;
pub mod outcomes;
pub mod plan;
mod posts;
mod protocol;
pub mod record;
pub mod retry;
pub mod revisions;
mod terms;

pub use protocol::{index, intent, listing, recover};
pub use terms::{Deleted, Renamed, SavedTerms};

use std::sync::Arc;

use crate::clock::Clock;
use crate::keys::intent::IntentName;
use crate::model::PostId;
use crate::store::Store;

use super::error::Result;
use super::partition_catalog::PartitionCatalogs;

/// Requests that one change has under way at once.
const CONCURRENCY: usize = 32;

/// Writes content, for one server.
#[derive(Clone)]
pub struct Writer {
    store: Store,
    partition_catalogs: Arc<PartitionCatalogs>,
    clock: Clock,
    /// The partition of this server's intents: made anew at each start.
    server: Arc<str>,
    /// Who the changes are recorded as made by.
    by: Option<Arc<str>>,
}

impl Writer {
    /// # Errors
    /// If the system gives no random bytes.
    pub fn new(store: Store, partition_catalogs: Arc<PartitionCatalogs>, clock: Clock) -> Result<Self> {
        let server = PostId::from_bits(random_bits()?).to_string().into();
        Ok(Self { store, partition_catalogs, clock, server, by: None })
    }

    /// A writer whose changes are recorded as made by this one.
    #[must_use]
    pub fn by(self, name: &str) -> Self {
        Self { by: Some(name.into()), ..self }
    }

    /// An id that no post has had: 62 random bits.
    pub fn new_post_id(&self) -> Result<PostId> {
        Ok(PostId::from_bits(random_bits()?))
    }

    fn new_intent_name(&self) -> Result<IntentName> {
        let random = PostId::from_bits(random_bits()?);
        Ok(IntentName::new(&self.server, self.clock.now(), random.as_str()))
    }
}

fn random_bits() -> Result<u64> {
    getrandom::u64().map_err(|e| crate::store::StoreError::unavailable("the system gives no random bytes", e).into())
}
