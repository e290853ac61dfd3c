//! Converts the order of a list from GraphQL to that of `content`. The rule: an explicit default order is the same list as no order, so that the cursors are
//! interchangeable. Only the order of a series cannot be requested.

use async_graphql::{Enum, InputObject};

use crate::content::read::pages::terms::TermList;
use crate::content::read::pages::terms_by_count::TermsByCount;
use crate::content::read::pages::{PostList, Scope};
use crate::model::{Term, TermKind};

/// The order of a list of posts.
#[derive(Debug, Clone, Copy, InputObject)]
pub struct PostOrder {
    /// What to order by.
    field: PostOrderField,
    /// DESC is newest first.
    direction: OrderDirection,
}

/// What published posts can be ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum PostOrderField {
    /// By publication time, then by id.
    PublishedAt,
}

/// The order of a list of categories, tags, authors or series.
#[derive(Debug, Clone, Copy, InputObject)]
pub struct TermOrder {
    /// What to order by.
    field: TermOrderField,
    /// ASC is from a to z, DESC the most posts first.
    direction: OrderDirection,
}

/// What categories, tags, authors and series can be ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum TermOrderField {
    /// By slug, in the order of ASCII.
    Slug,
    /// By `postCount`; equal counts by slug, in the other direction. All items are counted: at most 1,000, otherwise BAD_USER_INPUT. If counts change between
    /// two pages, an item can be on both or on none.
    PostCount,
}

/// The direction of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum OrderDirection {
    /// The earliest time, the first slug of the alphabet or the fewest posts first.
    Asc,
    /// The latest time, the last slug of the alphabet or the most posts first.
    Desc,
}

/// The posts of a list in the requested order; newest first by default.
pub fn posts_in(order: Option<PostOrder>, list: PostList) -> PostList {
    match order {
        Some(PostOrder { field: PostOrderField::PublishedAt, direction: OrderDirection::Asc }) => list.reversed(),
        Some(PostOrder { field: PostOrderField::PublishedAt, direction: OrderDirection::Desc }) | None => list,
    }
}

/// The published posts of a term: those of a series in its own order, unless another one is requested.
pub fn scope_of(order: Option<PostOrder>, term: &Term) -> Scope {
    match (term.kind(), order) {
        (TermKind::Series, None) => Scope::of_series(term),
        _ => Scope::Term(term.id.clone()),
    }
}

pub enum OrderedTerms {
    BySlug(TermList),
    ByCount(TermsByCount),
}

/// The terms of a kind in the requested order; by default by slug, from a to z.
pub fn terms_in(order: Option<TermOrder>, kind: TermKind) -> OrderedTerms {
    let list = TermList::of(kind);
    let Some(TermOrder { field, direction }) = order else { return OrderedTerms::BySlug(list) };
    match (field, direction) {
        (TermOrderField::Slug, OrderDirection::Asc) => OrderedTerms::BySlug(list),
        (TermOrderField::Slug, OrderDirection::Desc) => OrderedTerms::BySlug(list.reversed()),
        (TermOrderField::PostCount, OrderDirection::Desc) => OrderedTerms::ByCount(TermsByCount(list)),
        (TermOrderField::PostCount, OrderDirection::Asc) => OrderedTerms::ByCount(TermsByCount(list.reversed())),
    }
}
