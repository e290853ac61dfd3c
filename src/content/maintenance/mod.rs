//! Work on the whole content: check, repair, migration, and reads of all posts and terms for imports and exports. The rule: only
//! this module scans the tables of posts and terms. The write protocol scans the small tables `Intents` and `Idempotency`; queries of clients scan
//! nothing.

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
