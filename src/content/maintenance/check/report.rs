//! The report of `check`: the differences, in the order of their rows, each with its fix, and how much was read. The rule: each difference has a fix, or the
//! reason why a person must decide.
//!
//! A fix names only the rows: `maintenance::repair` reads them again before it writes.

use std::fmt;

use crate::keys::{Collection, Table};
use crate::model::{IndexKind, PostId, PostKey, Slug, TermKind};
use crate::store::{Entity, Key, StoreError};

/// A row that is missing, wrong or unreadable, or a wrong answer to a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub table: &'static str,
    pub key: String,
    pub what: String,
    /// Differences with the same value are removed by one fix.
    pub fix: Fix,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", self.table, self.key, self.what)
    }
}

#[derive(Debug, Clone, Default)]
pub struct CheckReport {
    pub rows: u64,
    pub posts: u64,
    pub drafts: u64,
    pub terms: u64,
    pub differences: Vec<Difference>,
}

impl CheckReport {
    pub(super) fn add(&mut self, table: Table, key: &Key, what: impl Into<String>, fix: Fix) {
        self.differences.push(Difference { table: table.name(), key: key.to_string(), what: what.into(), fix });
    }

    pub(super) fn add_unreadable(&mut self, table: Table, row: &Entity, error: &StoreError, fix: Fix) {
        self.add(table, &row.key, error.to_string(), fix);
    }

    pub(super) fn add_orphan(&mut self, table: Table, key: &Key) {
        self.add(table, key, "is not a row of this table", Fix::ORPHAN);
    }

    /// Whether it is about the index of declared fields.
    pub(in crate::content::maintenance) fn concerns_fields(&self) -> bool {
        let concerns = |difference: &Difference| {
            difference.table == Table::PostsBy(IndexKind::Field).name()
                || matches!(difference.fix, Fix::FieldIndex { .. })
        };
        self.differences.iter().any(concerns)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Fix {
    /// Remove the log of changes, so that a new one begins, and followers read everything again.
    ChangeLog,
    /// Move the whole post to the place that its own properties name.
    Misplaced { collection: Collection, whole: Key },
    /// Write a row that follows from a post, and its mirror, from the post, or remove both: a summary, a pointer, or a row of `PostKeys`.
    Row { table: Table, key: Key },
    /// Remove the remaining rows of a post whose whole row is lost or unreadable, but only if the user requests it (`--remove-lost`).
    Lost { collection: Collection, partition: String, slug: Option<Slug>, key: Option<PostKey> },
    /// Write the partitions of the index of fields in the rows of a post, from its metadata.
    FieldIndex { collection: Collection, whole: Key },
    /// Write the list of the fields that have an index: a repair does it before and after all other fixes.
    FieldList,
    /// Write the row of a slug and its mirror from the term that has the slug, or remove both.
    Term { kind: TermKind, slug: Slug },
    /// Move a row of a term from the partition of another character to its own.
    MisplacedTerm { kind: TermKind, at: Key },
    /// Count a partition again, and list it with its count.
    Count { table: Table, partition: String },
    /// Create a term that posts have, with its slug as its name.
    NewTerm { kind: TermKind, slug: Slug },
    /// Write the row of the tree of categories from the categories.
    CategoryTree,
    /// Remove the parent of a category, which does not exist or is below the category.
    Parent { category: Slug },
    /// Write the rows of pages from the whole pages.
    Pages,
    /// Delete the versions that are kept of a post or page that does not exist.
    Revisions(PostId),
    /// Only a person can decide what is right; the text describes what to do.
    Person(&'static str),
}

/// The advice for a post that is stored at two places.
pub(in crate::content::maintenance) const TWICE: &str = "decide which of the two is right: export, delete the line of the other, and import into a new store; or remove its rows with a tool for Azure tables";

impl Fix {
    pub(super) const ORPHAN: Self = Self::Person(
        "this version of Tidings never writes such a row: remove it with a tool for Azure tables; if the store is a file, export the content and import it into a new store",
    );

    pub(super) const SHARED_SLUG: Self =
        Self::Person("the other post keeps the slug: give this post another one with the mutation updatePost");

    pub(super) const SHARED_PATH: Self = Self::Person(
        "readers find the other page at this path: give this page another one with the mutation updatePage, then repair again",
    );

    pub(super) const SHARED_LANGUAGE: Self = Self::Person(
        "the other post keeps it: take this post out of the group with the mutation unlinkTranslations, or give it another language",
    );

    pub(super) const TOKEN: Self = Self::Person(
        "the row does not show what it gives access to: remove it with a tool for Azure tables, and create a new token",
    );

    pub(super) const WEBHOOK: Self = Self::Person(
        "the row does not show where changes are sent: remove it with a tool for Azure tables, and create a new webhook",
    );

    pub(super) const ASSET: Self = Self::Person(
        "the two rows of the picture must be equal: delete it with the mutation deleteAsset and add it again, or remove its rows with a tool for Azure tables",
    );

    pub(super) const HISTORY: Self = Self::Person(
        "no other row follows from it, and none shows what it was: restore the row from a copy, or remove it with a tool for Azure tables",
    );

    pub(super) const PAGE: Self = Self::Person(
        "the whole row of a page is the truth, and no other row shows what it was: restore the row from a copy, or correct its properties with a tool for Azure tables",
    );

    pub(super) const ACTOR: Self = Self::Person(
        "a later version of Tidings may have written it, and readers see an unknown actor: use that version, or remove the property with a tool for Azure tables",
    );

    pub(super) const READERS: Self =
        Self::Person("the rows agree with each other, so this is a defect of Tidings: report it with this line");

    pub(super) const TAKEN_TERM: Self = Self::Person(
        "this former slug is now the first slug of another term, which keeps it: rename one of the two if that is wrong",
    );

    /// The order of the fixes: rows from which others follow are fixed first, and counts after the rows that they count.
    pub(in crate::content::maintenance) fn phase(&self) -> u8 {
        match self {
            Self::ChangeLog | Self::Misplaced { .. } => 0,
            Self::Row { table: Table::Posts | Table::Drafts, .. } | Self::FieldIndex { .. } => 1,
            Self::Lost { .. } => 2,
            Self::Row { .. } | Self::Term { .. } | Self::Pages => 3,
            Self::MisplacedTerm { .. } => 4,
            Self::Count { .. } => 5,
            // These come after rows of terms were restored and moved.
            Self::NewTerm { .. } | Self::CategoryTree => 6,
            // This comes after `NewTerm`, which may have created the parent, and after `CategoryTree`, because the change reads the tree.
            Self::Parent { .. } => 7,
            Self::FieldList | Self::Revisions(_) | Self::Person(_) => 8,
        }
    }
}
