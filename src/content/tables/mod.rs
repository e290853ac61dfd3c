//! The rows of all tables: a module of [`rows`] for each kind of row, the partition catalog, and the roles of rows. The rule: the properties of
//! each kind of row are defined here.

mod partition_catalog;
mod role;
pub mod rows;

pub use partition_catalog::MonthSpan;
pub(super) use partition_catalog::{CatalogSource, FirstCharacters, Months, PartitionCatalogs};
pub(super) use partition_catalog::{read_all, scan_all};
pub(super) use role::role as role_of_row;
