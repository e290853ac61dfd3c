//! Work on the whole content: check, repair, migration, and reads of all posts and terms for imports and exports. The rule: no query of a client
//! scans a table; whatever does is here.

mod check;
mod inventory;
mod migrate;
mod repair;

pub(super) use check::check;
pub use check::{CheckReport, Difference, Fix};
pub use inventory::{Inventory, InventoryPost, InventoryWalk};
pub use migrate::Migrated;
pub(super) use repair::repair;
pub use repair::{RepairOptions, Repaired};
