//! The rows of all tables: a module of [`rows`] for each kind of row, the partition catalog, the roles of rows, and scans. The rule: the properties of
//! each kind of row are defined here.

mod partition_catalog;
mod role;
pub mod rows;
mod scan;

pub(crate) use partition_catalog::Catalog;
pub use partition_catalog::MonthSpan;
pub(super) use partition_catalog::{CatalogSource, PartitionCatalogs, QueryCatalogs};
pub(super) use partition_catalog::{FirstCharacters, Listable, Months, PartitionList, Partitions};
pub(super) use role::role as role_of_row;
pub(super) use scan::{Scan, get_each, read_all, read_first, scan_all};
