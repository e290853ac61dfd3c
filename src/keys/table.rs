//! The names of the tables. The rule: a table that is not named here does not exist.

use crate::model::{IndexKind, TermKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    Posts,
    Drafts,
    PostKeys,
    Months,
    /// `PostsByCategory`, `PostsByTag`, `PostsByAuthor`, `PostsBySeries`
    PostsBy(TermKind),
    PostsByLanguage,
    FeaturedPosts,
    /// Posts by the values of declared fields.
    PostsByField,
    /// `Categories`, `Tags`, `Authors`, `Series`
    Terms(TermKind),
    /// Earlier versions of posts.
    Revisions,
    /// The records of changes: what was changed, and by whom.
    Changes,
    /// The committed changes in their order, for followers.
    ChangeLog,
    Tokens,
    /// Which post or page was created with an idempotency key.
    Idempotency,
    /// The pictures and files of the site.
    Assets,
    /// The pages of the site, in one partition.
    Pages,
    /// The log of a store that several servers share; [`LogStore`](crate::store::LogStore) alone reads and writes it.
    Log,
}

impl Table {
    pub const ALL: [Self; 23] = [
        Self::Posts,
        Self::Drafts,
        Self::PostKeys,
        Self::Months,
        Self::PostsBy(TermKind::Category),
        Self::PostsBy(TermKind::Tag),
        Self::PostsBy(TermKind::Author),
        Self::PostsBy(TermKind::Series),
        Self::PostsByLanguage,
        Self::FeaturedPosts,
        Self::PostsByField,
        Self::Terms(TermKind::Category),
        Self::Terms(TermKind::Tag),
        Self::Terms(TermKind::Author),
        Self::Terms(TermKind::Series),
        Self::Revisions,
        Self::Changes,
        Self::ChangeLog,
        Self::Tokens,
        Self::Idempotency,
        Self::Assets,
        Self::Pages,
        Self::Log,
    ];

    pub const NAMES: [&str; 23] = {
        let (mut names, mut at) = ([""; 23], 0);
        while at < names.len() {
            names[at] = Self::ALL[at].name();
            at += 1;
        }
        names
    };

    /// The table of an index of posts.
    pub const fn of_index(kind: IndexKind) -> Self {
        match kind {
            IndexKind::Term(kind) => Self::PostsBy(kind),
            IndexKind::Language => Self::PostsByLanguage,
            IndexKind::Featured => Self::FeaturedPosts,
            IndexKind::Field => Self::PostsByField,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Posts => "Posts",
            Self::Drafts => "Drafts",
            Self::PostKeys => "PostKeys",
            Self::Months => "Months",
            Self::PostsBy(TermKind::Category) => "PostsByCategory",
            Self::PostsBy(TermKind::Tag) => "PostsByTag",
            Self::PostsBy(TermKind::Author) => "PostsByAuthor",
            Self::PostsBy(TermKind::Series) => "PostsBySeries",
            Self::PostsByLanguage => "PostsByLanguage",
            Self::FeaturedPosts => "FeaturedPosts",
            Self::PostsByField => "PostsByField",
            Self::Terms(TermKind::Category) => "Categories",
            Self::Terms(TermKind::Tag) => "Tags",
            Self::Terms(TermKind::Author) => "Authors",
            Self::Terms(TermKind::Series) => "Series",
            Self::Revisions => "Revisions",
            Self::Changes => "Changes",
            Self::ChangeLog => "ChangeLog",
            Self::Tokens => "Tokens",
            Self::Idempotency => "Idempotency",
            Self::Assets => "Assets",
            Self::Pages => "Pages",
            Self::Log => "Log",
        }
    }
}
