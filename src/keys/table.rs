//! The names of the tables. The rule: a table that is not named here does not exist.

use crate::model::{IndexKind, TermKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    Posts,
    Drafts,
    PostKeys,
    Months,
    /// The index of a kind, such as `PostsByTag`.
    PostsBy(IndexKind),
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
        Self::PostsBy(IndexKind::Term(TermKind::Category)),
        Self::PostsBy(IndexKind::Term(TermKind::Tag)),
        Self::PostsBy(IndexKind::Term(TermKind::Author)),
        Self::PostsBy(IndexKind::Term(TermKind::Series)),
        Self::PostsBy(IndexKind::Language),
        Self::PostsBy(IndexKind::Featured),
        Self::PostsBy(IndexKind::Field),
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

    pub const NAMES: [&str; Self::ALL.len()] = {
        let (mut names, mut at) = ([""; Self::ALL.len()], 0);
        while at < names.len() {
            names[at] = Self::ALL[at].name();
            at += 1;
        }
        names
    };

    pub const fn name(self) -> &'static str {
        match self {
            Self::Posts => "Posts",
            Self::Drafts => "Drafts",
            Self::PostKeys => "PostKeys",
            Self::Months => "Months",
            Self::PostsBy(IndexKind::Term(TermKind::Category)) => "PostsByCategory",
            Self::PostsBy(IndexKind::Term(TermKind::Tag)) => "PostsByTag",
            Self::PostsBy(IndexKind::Term(TermKind::Author)) => "PostsByAuthor",
            Self::PostsBy(IndexKind::Term(TermKind::Series)) => "PostsBySeries",
            Self::PostsBy(IndexKind::Language) => "PostsByLanguage",
            Self::PostsBy(IndexKind::Featured) => "FeaturedPosts",
            Self::PostsBy(IndexKind::Field) => "PostsByField",
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
