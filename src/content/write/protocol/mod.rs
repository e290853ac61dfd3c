//! The executor for tables: it carries a change out step by step, because a transaction covers one partition. The rule: after every step, any server
//! can finish the change or undo it. docs/design.md has the rows, the rules W1 to W11 and the steps. Their code: the intent in [`intent`] and
//! [`lease`], beside which [`announced`] names the rows; the take and the preparation in [`prepare`], with [`claim`], [`listing`], [`index`], [`moving`] and
//! the rows of [`last_written`]; the commit in [`posts`] and [`steps`]; the key of a creation in [`keyed`]; the waiting in [`wait`]; [`reconcile`] with
//! [`logged`]; [`undo`]; recovery in [`recover`], [`facts`] and [`fence`]; terms in [`terms`].

mod announced;
pub(super) mod claim;
mod facts;
mod fence;
pub(super) mod index;
pub mod intent;
mod keyed;
mod last_written;
pub(super) mod lease;
pub(super) mod listing;
mod logged;
mod moving;
mod posts;
mod prepare;
mod reconcile;
pub(super) mod recover;
mod steps;
pub(super) mod terms;
mod undo;
mod wait;

pub(in crate::content) use last_written::LastWritten;

use last_written::Base;

use super::{CONCURRENCY, Writer};
use crate::content::error::Result;
use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::store::{Key, Store};

/// A change under way: the name of its intent, and a store that refuses every request after the lease has expired.
struct Session<'a> {
    writer: &'a Writer,
    store: Store,
    name: IntentName,
    committed_by: CommittedBy,
}

/// Whose commits a session reconciles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommittedBy {
    /// Its own: the counts that this server wrote last include them.
    Itself,
    /// Perhaps those of another server.
    Anyone,
}

impl Session<'_> {
    /// The row that a write of a count, a listing or the head of the log is based on.
    async fn base(&self, table: Table, key: Key) -> Result<Base<'_>> {
        self.writer.last_written.base(&self.store, table, key).await
    }
}

impl Writer {
    fn session(&self, store: Store, name: &IntentName, committed_by: CommittedBy) -> Session<'_> {
        Session { writer: self, store, name: name.clone(), committed_by }
    }
}
