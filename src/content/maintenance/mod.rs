//! Work on the whole content: the check and the repair, the checks of links and of declared fields, and the reads of all posts and terms for
//! imports and exports. The rule: only this module scans the tables of posts and terms. The module `write` scans the small table `Idempotency`;
//! queries of clients scan nothing.

mod check;
mod field_indexes;
mod fields;
mod inventory;
mod links;
mod repair;

pub(crate) use check::CheckReport;
pub use check::Difference;
pub(super) use check::check;
pub(crate) use inventory::{Inventory, InventoryPost, InventoryWalk};
pub(super) use repair::repair;
pub use repair::{RepairOptions, Repaired};
