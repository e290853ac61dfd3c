//! The partitions that a list names: months of posts, and first characters of terms. The rule: the row that lists a partition is a copy of its count.

use crate::keys::{Collection, Table, place, term};
use crate::model::{Month, TermKind};
use crate::store::Key;

/// A partition that has a listing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Partition {
    Month(Collection, Month),
    Terms(TermKind, String),
}

impl Partition {
    /// The row that lists it.
    pub(crate) fn listing(&self) -> (Table, Key) {
        match self {
            Self::Month(collection, month) => (Table::Months, place::month_row(*collection, *month)),
            Self::Terms(kind, partition) => (Table::Terms(*kind), term::catalog_row(partition)),
        }
    }

    /// The partition's own count.
    pub(crate) fn count(&self) -> (Table, Key) {
        match self {
            Self::Month(collection, _) => (collection.table(), place::count(self.name())),
            Self::Terms(kind, _) => (Table::Terms(*kind), place::count(self.name())),
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Month(_, month) => place::month_partition(*month),
            Self::Terms(_, partition) => partition.clone(),
        }
    }
}
