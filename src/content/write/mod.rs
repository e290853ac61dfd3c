//! Writing. The rule: an index may hold too much for a moment, never too little, and a change of several partitions stands in an
//! [intent] before its first row is written.
//!
//! 1. the intent: what each post was and is to be ([`plan`]);
//! 2. the claims: the slugs and the id in `PostKeys` ([`claim`]);
//! 3. the new index rows ([`index`]), the month ([`directory`]) and, for a move, the pending rows;
//! 4. the commit: the post's rows, one transaction a partition ([`commit`], [`transaction`]);
//! 5. the settlement: whatever no longer holds goes, whatever the commit made true is put right ([`settle`]).
//!
//! [`recover`] does step 5 for the intents that a stopped server left, for the post as it is found. docs/writing.md tells it at length.

pub mod claim;
pub mod commit;
pub mod directory;
mod fence;
pub mod index;
pub mod intent;
mod moving;
mod outcomes;
pub mod plan;
pub mod record;
pub mod recover;
pub mod rename;
pub mod retry;
pub mod revisions;
pub mod settle;
pub mod term_delete;
mod term_rows;
pub mod terms;
mod transaction;

use std::sync::Arc;

use crate::clock::Clock;
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, lookup};
use crate::model::{Post, PostId};
use crate::store::Store;

use super::directory::Directories;
use super::error::Result;

/// Requests that one change has under way at once.
pub(super) const CONCURRENCY: usize = 32;

/// Writes content, for one server.
#[derive(Clone)]
pub struct Writer {
    pub(super) store: Store,
    pub(super) directories: Arc<Directories>,
    pub(super) clock: Clock,
    /// The partition of this server's intents: made anew at each start.
    server: Arc<str>,
    /// Who the changes are recorded as made by.
    by: Option<Arc<str>>,
}

impl Writer {
    /// # Errors
    /// Where the system gives no random bytes.
    pub fn new(store: Store, directories: Arc<Directories>, clock: Clock) -> Result<Self> {
        let server = PostId::from_bits(random_bits()?).to_string().into();
        Ok(Self { store, directories, clock, server, by: None })
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

    /// Puts the rows of `PostKeys` right for a post that a change has left with old ones.
    pub async fn name_place(&self, post: &Post) -> Result<()> {
        let slugs = post.former_slugs.iter().chain([&post.slug]);
        let keys = slugs.map(lookup::by_slug).chain([lookup::by_id(&post.id)]).collect();
        let name = self.new_intent_name()?;
        claim::settle(&self.store, &name, &post.id, &keys, &[PostPlace::of(post)]).await
    }

    fn new_intent_name(&self) -> Result<IntentName> {
        let random = PostId::from_bits(random_bits()?);
        Ok(IntentName::new(&self.server, self.clock.now(), random.as_str()))
    }
}

fn random_bits() -> Result<u64> {
    getrandom::u64().map_err(|e| crate::store::StoreError::unavailable("the system gives no random bytes", e).into())
}
