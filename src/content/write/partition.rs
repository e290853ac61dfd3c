//! Listed partitions: months of posts, first characters of terms, and languages of posts. The rule: the row that lists a partition is a copy of its count.

use crate::keys::{Collection, Table, place, term};
use crate::model::{IndexKind, Month, Slug, TermKind};
use crate::store::Key;

const LANGUAGES: Table = Table::PostsBy(IndexKind::Language);

/// A partition that has a listing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Partition {
    Month(Collection, Month),
    Terms(TermKind, String),
    /// The index of a language; its tag in lower case.
    Language(Slug),
}

impl Partition {
    /// The row that lists the partition.
    pub(crate) fn listing(&self) -> (Table, Key) {
        match self {
            Self::Month(collection, month) => (Table::Months, place::month_row(*collection, *month)),
            Self::Terms(kind, partition) => (Table::Terms(*kind), term::catalog_row(partition)),
            Self::Language(tag) => (LANGUAGES, term::catalog_row(tag.as_str())),
        }
    }

    /// The row that counts the partition.
    pub(crate) fn count(&self) -> (Table, Key) {
        match self {
            Self::Month(collection, _) => (collection.table(), place::count(self.name())),
            Self::Terms(kind, _) => (Table::Terms(*kind), place::count(self.name())),
            Self::Language(_) => (LANGUAGES, place::count(self.name())),
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Month(_, month) => place::month_partition(*month),
            Self::Terms(_, partition) => partition.clone(),
            Self::Language(tag) => term::posts_partition(tag),
        }
    }
}
