//! The rows of all tables: a module of [`rows`] for each kind of row, the partition catalog, the roles of rows, and scans. The rule: the properties of
//! each kind of row are defined here.

mod partition_catalog;
mod role;
pub mod rows;
mod scan;

pub use partition_catalog::MonthSpan;
pub(super) use partition_catalog::{CatalogSource, FirstCharacters, Months, PartitionCatalogs};
pub(super) use role::role as role_of_row;
pub(super) use scan::{Scan, read_all, scan_all};
