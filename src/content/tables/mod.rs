//! The rows of all tables: one module of [`rows`] for each kind of row, and what reads rows without knowing which list or change needs them. The
//! rule: the properties of each kind of row that content consists of are defined here; the rows of `Intents`, which contain a change of the write
//! protocol, are defined with that protocol.

pub(super) mod moves;
mod partition_catalog;
pub mod rows;

pub use partition_catalog::MonthSpan;
pub(super) use partition_catalog::{CatalogSource, FirstCharacters, Months, PartitionCatalogs};
pub(super) use partition_catalog::{read_all, scan_all};
