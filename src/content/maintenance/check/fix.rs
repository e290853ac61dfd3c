//! The fix of a difference. The rule: each difference that `check` reports has a fix, or the reason why a person must decide.
//!
//! A fix names the rows to look at, never what to write: `maintenance::repair` reads the rows again before it writes.

use crate::content::write::Partition;
use crate::keys::{Collection, PostPlace, Table};
use crate::model::{IndexKind, PostId, PostKey, Slug, TermKind};
use crate::store::Key;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Fix {
    /// Remove the log of changes, so that a new one begins, and followers read everything again.
    ChangeLog,
    /// Move the whole post to the place that its own properties name.
    Misplaced { collection: Collection, whole: Key },
    /// Write the summary and its mirror from the whole post.
    Summary { collection: Collection, whole: Key },
    /// Remove the summary and its mirror: their post is stored elsewhere.
    Stray { place: PostPlace },
    /// Remove the remaining rows of a post whose whole row is lost or unreadable, but only if the user requests it (`--remove-lost`).
    Lost { collection: Collection, partition: String, slug: Option<Slug>, key: Option<PostKey> },
    /// Write a row of `PostKeys` from the posts, or remove it.
    Lookup(Key),
    /// Write a pointer and its mirror from the post, or remove both.
    Pointer { kind: IndexKind, slug: Slug, key: PostKey },
    /// Write the partitions of the index of fields in the rows of a post, from its metadata.
    FieldIndex { collection: Collection, whole: Key },
    /// Write the list of the fields that have an index: a repair does it before and after all other fixes.
    FieldList,
    /// Make a term and its mirror equal.
    Term { kind: TermKind, slug: Slug },
    /// Write the row of a slug that is not its term's first from the identity row, or remove it. `first_slug`: that of the term that has the
    /// slug.
    SlugRow { kind: TermKind, slug: Slug, first_slug: Option<Slug> },
    /// Move a row of a term from the partition of another character to its own.
    MisplacedTerm { kind: TermKind, at: Key },
    /// Count a partition again.
    Count { table: Table, partition: String },
    /// List a partition with its own count.
    Listing(Partition),
    /// Remove a row that lists a partition other than that of its key.
    StrayListing { table: Table, key: Key },
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

impl Fix {
    pub(super) const ORPHAN: Self = Self::Person(
        "this version of Tidings never writes such a row: remove it with a tool for Azure tables; if the store is a file, export the content and import it into a new store",
    );

    pub(in crate::content::maintenance) const TWICE: Self = Self::Person(
        "decide which of the two is right: export, delete the line of the other, and import into a new store; or remove its rows with a tool for Azure tables",
    );

    pub(super) const SHARED_SLUG: Self =
        Self::Person("the other post keeps the slug: give this post another one with the mutation updatePost");

    pub(super) const TOKEN: Self = Self::Person(
        "the row does not show what it gives access to: remove it with a tool for Azure tables, and create a new token",
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

    /// The first phase that counts what the earlier ones have changed.
    pub(in crate::content::maintenance) const COUNTS: u8 = 8;

    /// Whether it is a fix of the index of fields: such fixes of one phase can be made at the same time.
    pub(in crate::content::maintenance) fn is_of_fields(&self) -> bool {
        matches!(self, Self::FieldIndex { .. } | Self::Pointer { kind: IndexKind::Field, .. })
    }

    /// The order of the fixes: rows that others follow from are fixed first, and counts after the rows that they count.
    pub(in crate::content::maintenance) fn phase(&self) -> u8 {
        match self {
            Self::ChangeLog | Self::Misplaced { .. } => 1,
            Self::Summary { .. } | Self::FieldIndex { .. } => 3,
            Self::Stray { .. } | Self::Lost { .. } => 4,
            Self::Lookup(_) | Self::Pointer { .. } => 5,
            Self::Term { .. } => 6,
            Self::MisplacedTerm { .. } | Self::SlugRow { .. } | Self::CategoryTree => 7,
            Self::Count { .. } => Self::COUNTS,
            Self::StrayListing { .. } => 9,
            Self::Listing(_) => 10,
            Self::NewTerm { .. } => 11,
            Self::Pages => 5,
            Self::FieldList | Self::Revisions(_) => 13,
            // After `NewTerm`, which may have created the parent, and `CategoryTree`, because the change reads the tree.
            Self::Parent { .. } => 12,
            Self::Person(_) => 13,
        }
    }
}
