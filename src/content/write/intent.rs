//! The record, written first, of what one change will write. The rule: while it stands, whoever finds it can finish the change or undo it.

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::content::error::{ContentError, Result};
use crate::content::rows::packed;
use crate::content::rows::{Fields, NewRow};
use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::model::instant::TICKS_PER_SECOND;
use crate::model::{Instant, TermKind};
use crate::store::{Batch, Entity, Operation, Precondition, Store};

use super::plan::{Brief, Change};

/// How long an intent is its writer's own. A change takes well under a second; behind this time its writer is taken to have stopped.
pub const LEASE_SECONDS: i64 = 15;

const CHANGES: &str = "Changes";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Intent {
    /// Of each post, what it was and what it is to be.
    Posts(Vec<(Option<Brief>, Option<Brief>)>),
    /// The partitions of terms whose counts are to be copied to their directory.
    Terms { kind: String, partitions: Vec<String> },
}

impl Intent {
    pub fn of_posts(changes: &[Change]) -> Self {
        let brief = |post: Option<&_>| post.map(Brief::of);
        Self::Posts(changes.iter().map(|c| (brief(c.before()), brief(c.after()))).collect())
    }

    pub fn of_terms(kind: TermKind, partitions: Vec<String>) -> Self {
        Self::Terms { kind: kind.noun().to_owned(), partitions }
    }
}

pub async fn open(store: &Store, clock: &Clock, name: &IntentName, intent: &Intent) -> Result<()> {
    let json = serde_json::to_vec(intent).expect("an intent is plain data");
    let until = Instant::from_ticks(clock.now().ticks() + LEASE_SECONDS * TICKS_PER_SECOND).unwrap_or(Instant::MAX);
    let mut properties = NewRow::default().instant("OpenUntil", until).build();
    packed::pack(&mut properties, CHANGES, &json)
        .map_err(|e| ContentError::TooLarge { what: "one change".to_owned(), reason: e.to_string() })?;
    let key = name.key();
    let put = Operation::Put { row: key.row().to_owned(), properties, precondition: Precondition::None };
    store.commit(Table::Intents.name(), &Batch::new(key.partition(), vec![put])?).await?;
    Ok(())
}

/// Idempotent: an intent that is gone is closed.
pub async fn close(store: &Store, name: &IntentName) -> Result<()> {
    let key = name.key();
    let delete = Operation::Delete { row: key.row().to_owned(), precondition: Precondition::None };
    match store.commit(Table::Intents.name(), &Batch::new(key.partition(), vec![delete])?).await {
        Ok(_) | Err(crate::store::StoreError::Precondition(_)) => Ok(()),
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
