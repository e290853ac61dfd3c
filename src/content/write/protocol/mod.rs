//! The executor for tables: it carries a change out step by step, because a transaction covers one partition. The rule: after every step, any server
//! can finish the change or undo it. docs/design.md has the rows, the rules W1 to W11 and the steps. Their code: the intent in [`intent`] and
//! [`lease`], beside which [`announced`] names the rows; the take and the commit in [`posts`] and [`steps`]; the key of a creation in [`keyed`]; the preparation in [`claim`], [`listing`],
//! [`index`] and [`moving`]; the waiting in [`wait`]; [`reconcile`]; [`undo`]; recovery in [`recover`], [`facts`] and [`fence`]; terms in [`terms`].

mod announced;
pub(super) mod claim;
mod facts;
mod fence;
pub(super) mod index;
pub mod intent;
mod keyed;
pub(super) mod lease;
pub(super) mod listing;
mod moving;
mod posts;
mod reconcile;
pub(super) mod recover;
mod steps;
pub(super) mod terms;
mod undo;
mod wait;

use super::{CONCURRENCY, Writer};
use crate::keys::intent::IntentName;
use crate::store::Store;

/// A change under way: the name of its intent, and a store that refuses every request after the lease has expired.
struct Session<'a> {
    writer: &'a Writer,
    store: Store,
    name: IntentName,
}
