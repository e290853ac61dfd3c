//! The names of the tables. The rule: no other table exists.

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
    /// The audit log.
    Changes,
    /// The committed changes in their order, for followers.
    ChangeLog,
    Tokens,
    /// The webhooks, and the server that sends to them.
    Webhooks,
    /// The post or page that was created with each idempotency key.
    Idempotency,
    /// The pictures and files of the site.
    Assets,
    /// The pages of the site, in one partition.
    Pages,
    /// The log of a store that several servers share; only [`LogStore`](crate::store::LogStore) reads and writes it.
    Log,
}

/// Declares the list of all tables, and their names.
macro_rules! tables {
    ($(($($table:tt)+) $name:literal,)+) => {
        impl Table {
            pub const NAMES: [&str; [$($name),+].len()] = [$($name),+];
            pub const ALL: [Self; Self::NAMES.len()] = [$($($table)+),+];

            pub const fn name(self) -> &'static str {
                match self {
                    $($($table)+ => $name,)+
                }
            }
        }
    };
}

tables! {
    (Self::Posts) "Posts",
    (Self::Drafts) "Drafts",
    (Self::PostKeys) "PostKeys",
    (Self::Months) "Months",
    (Self::PostsBy(IndexKind::Term(TermKind::Category))) "PostsByCategory",
    (Self::PostsBy(IndexKind::Term(TermKind::Tag))) "PostsByTag",
    (Self::PostsBy(IndexKind::Term(TermKind::Author))) "PostsByAuthor",
    (Self::PostsBy(IndexKind::Term(TermKind::Series))) "PostsBySeries",
    (Self::PostsBy(IndexKind::Language)) "PostsByLanguage",
    (Self::PostsBy(IndexKind::Featured)) "FeaturedPosts",
    (Self::PostsBy(IndexKind::Field)) "PostsByField",
    (Self::Terms(TermKind::Category)) "Categories",
    (Self::Terms(TermKind::Tag)) "Tags",
    (Self::Terms(TermKind::Author)) "Authors",
    (Self::Terms(TermKind::Series)) "Series",
    (Self::Revisions) "Revisions",
    (Self::Changes) "Changes",
    (Self::ChangeLog) "ChangeLog",
    (Self::Tokens) "Tokens",
    (Self::Webhooks) "Webhooks",
    (Self::Idempotency) "Idempotency",
    (Self::Assets) "Assets",
    (Self::Pages) "Pages",
    (Self::Log) "Log",
}
