//! What puts a difference right. The rule: each difference that `check` names bears its fix, or the reason why a person must decide; so none can
//! be named that nobody has thought about.
//!
//! A fix names what is to be looked at, never what is to be written: `content::repair` reads again before it writes.

use crate::content::write::listing;
use crate::keys::{Collection, PostPlace, Table};
use crate::model::{PostId, PostKey, Slug, TermKind};
use crate::store::Key;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Fix {
    /// A change that was left unfinished is settled.
    Intent(Key),
    /// The whole post goes to where its own properties say that it belongs.
    Misplaced { collection: Collection, whole: Key },
    /// One end of a move stays.
    Move { id: PostId, ends: Vec<(PostPlace, Slug)> },
    /// The summary and its mirror are made from the whole post.
    Summary { collection: Collection, whole: Key },
    /// The summary and its mirror go; their post stands elsewhere.
    Stray { place: PostPlace },
    /// What is left of a post whose whole row is gone or does not read. It goes only where that is asked for.
    Lost { collection: Collection, partition: String, slug: Option<Slug>, key: Option<PostKey> },
    /// A row of `PostKeys` is made what the posts say, or goes.
    Lookup(Key),
    /// Pointer and mirror are made what the post says, or go.
    Pointer { kind: TermKind, slug: Slug, key: PostKey },
    /// A term and its mirror are made the same.
    Term { kind: TermKind, slug: Slug },
    /// The row of a slug that is not a term's first is made what the identity row says, or goes. `first_slug`: of the term that has the slug.
    SlugRow { kind: TermKind, slug: Slug, first_slug: Option<Slug> },
    /// A row that a change has left goes.
    Left { table: Table, key: Key },
    /// A row of a term goes from the partition of another character to its own.
    MisplacedTerm { kind: TermKind, at: Key },
    /// A partition is counted anew.
    Count { table: Table, partition: String },
    /// A partition is listed as it counts itself.
    Listing(listing::Partition),
    /// A row that lists no partition, or another than its key says, goes.
    StrayListing { table: Table, key: Key },
    /// A term that posts bear is made, with its slug for a name.
    NewTerm { kind: TermKind, slug: Slug },
    /// Nobody but a person can say what is right; this is what to do.
    Person(&'static str),
}

impl Fix {
    /// A row that nothing of this version writes.
    pub(super) const ORPHAN: Self = Self::Person(
        "nothing of this version writes such a row: remove it with a tool for Azure tables; of a store file, export the content and import it into a new one",
    );

    pub(in crate::content) const TWICE: Self = Self::Person(
        "decide which of the two is right: export, take the other's line out, and import into a new store; or remove its rows with a tool for Azure tables",
    );

    pub(super) const SHARED_SLUG: Self =
        Self::Person("the slug stays with the other post: give this one another with the mutation updatePost");

    pub(super) const BAD_MARK: Self = Self::Person(
        "whether the post has moved cannot be told: take PendingFrom and ForwardTo off its rows with a tool for Azure tables, or import it into a new store",
    );

    pub(super) const TOKEN: Self = Self::Person(
        "whom it lets in cannot be told: remove the row with a tool for Azure tables, and create a token anew",
    );

    pub(super) const HISTORY: Self = Self::Person(
        "nothing follows from it and nothing tells what it was: bring the row back from a copy, or remove it with a tool for Azure tables",
    );

    pub(super) const READERS: Self =
        Self::Person("the rows agree with each other, so this is a defect of Tidings: report it with this line");

    pub(super) const TAKEN_TERM: Self = Self::Person(
        "a term of its own has the slug that another once had: it stays; rename one of the two where that is wrong",
    );

    /// The first phase that counts what the earlier ones have changed.
    pub(in crate::content) const COUNTS: u8 = 8;

    /// In which order mends are made: what others follow from comes first, counts behind what they count.
    pub(in crate::content) fn phase(&self) -> u8 {
        match self {
            Self::Misplaced { .. } => 1,
            Self::Move { .. } => 2,
            Self::Summary { .. } => 3,
            Self::Stray { .. } | Self::Lost { .. } => 4,
            Self::Lookup(_) | Self::Pointer { .. } => 5,
            Self::Term { .. } => 6,
            Self::MisplacedTerm { .. } | Self::SlugRow { .. } | Self::Left { .. } => 7,
            Self::Count { .. } => Self::COUNTS,
            Self::StrayListing { .. } => 9,
            Self::Listing(_) => 10,
            Self::NewTerm { .. } => 11,
            // The others have put right what would stand in its way.
            Self::Intent(_) => 12,
            Self::Person(_) => 13,
        }
    }
}
