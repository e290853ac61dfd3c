//! The record, written first, of what one change will write. The rule: while it stands, whoever finds it can finish the change or undo it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::content::error::{ContentError, Result};
use crate::content::rows::Fields;
use crate::content::rows::packed;
use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::model::instant::TICKS_PER_SECOND;
use crate::model::{Instant, Slug, TermKind};
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Properties, Store, StoreError, Value};

use super::plan::{Brief, Change};

/// How long an intent is its writer's own without being renewed; behind this time its writer is taken to have stopped.
pub const LEASE_SECONDS: i64 = 15;

/// Three tries before a lease ends.
const RENEW_EVERY: Duration = Duration::from_secs(5);

const CHANGES: &str = "Changes";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Intent {
    /// Of each post, what it was and what it is to be; and the tags that are made for them, once they stand.
    Posts { changes: Vec<(Option<Brief>, Option<Brief>)>, new_tags: Vec<String> },
    /// The partitions of terms whose counts are to be copied to their directory.
    Terms { kind: String, partitions: Vec<String> },
}

impl Intent {
    pub fn of_posts(changes: &[Change], new_tags: &[Slug]) -> Self {
        let brief = |post: Option<&_>| post.map(Brief::of);
        Self::Posts {
            changes: changes.iter().map(|c| (brief(c.before()), brief(c.after()))).collect(),
            new_tags: new_tags.iter().map(Slug::to_string).collect(),
        }
    }

    pub fn of_terms(kind: TermKind, partitions: Vec<String>) -> Self {
        Self::Terms { kind: kind.noun().to_owned(), partitions }
    }
}

/// Writes the intent, leased from now on.
pub async fn open(store: &Store, clock: &Clock, name: &IntentName, intent: &Intent) -> Result<Leased> {
    let json = serde_json::to_vec(intent).expect("an intent is plain data");
    let mut properties = Properties::new();
    packed::pack(&mut properties, CHANGES, &json)
        .map_err(|e| ContentError::TooLarge { what: "one change".to_owned(), reason: e.to_string() })?;
    let mut leased = Leased { store: Arc::clone(store), clock: clock.clone(), key: name.key(), properties, etag: None };
    leased.renew().await?;
    Ok(leased)
}

/// An intent whose writer is at work.
pub struct Leased {
    store: Store,
    clock: Clock,
    key: Key,
    properties: Properties,
    etag: Option<Etag>,
}

impl Leased {
    /// Does the work, and renews the lease for as long as it takes.
    ///
    /// # Errors
    /// The work's own; or [`ContentError::Conflict`] where another server has taken the intent for left and settled it.
    pub async fn while_renewed<T>(mut self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let renewing = async {
            loop {
                tokio::time::sleep(RENEW_EVERY).await;
                if let Err(error) = self.renew().await {
                    return error;
                }
            }
        };
        tokio::select! {
            done = work => done,
            error = renewing => Err(error),
        }
    }

    async fn renew(&mut self) -> Result<()> {
        let until = self.clock.now().ticks() + LEASE_SECONDS * TICKS_PER_SECOND;
        let mut properties = self.properties.clone();
        properties.set("OpenUntil", Value::DateTime(until.min(Instant::MAX.ticks())));
        let precondition = self.etag.clone().map_or(Precondition::None, Precondition::Match);
        let put = Operation::Put { row: self.key.row().to_owned(), properties, precondition };
        let batch = Batch::new(self.key.partition(), vec![put])?;
        match self.store.commit(Table::Intents.name(), &batch).await {
            Ok(etags) => self.etag = etags.into_iter().next().flatten(),
            Err(StoreError::Precondition(_)) => return Err(ContentError::Conflict { what: "the change".to_owned() }),
            Err(e) => return Err(e.into()),
        }
        Ok(())
    }
}

/// Idempotent: an intent that is gone is closed.
pub async fn close(store: &Store, name: &IntentName) -> Result<()> {
    let key = name.key();
    let delete = Operation::Delete { row: key.row().to_owned(), precondition: Precondition::None };
    match store.commit(Table::Intents.name(), &Batch::new(key.partition(), vec![delete])?).await {
        Ok(_) | Err(StoreError::Precondition(_)) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

/// Whether the intent's writer may still be at work.
pub fn is_leased(row: &Entity, now: Instant) -> Result<bool> {
    Ok(Fields(row).instant("OpenUntil")? > now)
}

pub fn read(row: &Entity) -> Result<Intent> {
    let fields = Fields(row);
    let json = packed::unpack(&fields, CHANGES)?;
    serde_json::from_slice(&json).map_err(|_| fields.damaged(CHANGES).into())
}
