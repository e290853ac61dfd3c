//! The order of a list, from its GraphQL form to what `content` takes. The rule: the usual order of a list, written out, is the list without an order,
//! so that a cursor of one is a cursor of the other.

use async_graphql::{Enum, InputObject};

use crate::content::read::pages::PostList;
use crate::content::read::pages::terms::TermList;

/// The order of a list of posts. A cursor is valid only for the order that it comes from.
#[derive(Debug, Clone, Copy, InputObject)]
pub struct PostOrder {
    /// What the posts are ordered by.
    field: PostOrderField,
    /// The direction: DESC is newest first.
    direction: OrderDirection,
}

/// What published posts can be ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum PostOrderField {
    /// By publication time. Posts of one time are in the order of their ids.
    PublishedAt,
}

/// The order of a list of categories, tags or authors. A cursor is valid only for the order that it comes from.
#[derive(Debug, Clone, Copy, InputObject)]
pub struct TermOrder {
    /// What the items are ordered by.
    field: TermOrderField,
    /// The direction: ASC is from a to z.
    direction: OrderDirection,
}

/// What categories, tags and authors can be ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum TermOrderField {
    /// By slug, in the order of ASCII.
    Slug,
}

/// The direction of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum OrderDirection {
    /// Ascending: the earliest time, the first slug of the alphabet first.
    Asc,
    /// Descending: the latest time, the last slug of the alphabet first.
    Desc,
}

/// A list of published posts in the order that the client asks for; newest first without one.
pub fn posts_in(order: Option<PostOrder>, list: PostList) -> PostList {
    match order {
        Some(PostOrder { field: PostOrderField::PublishedAt, direction: OrderDirection::Asc }) => list.reversed(),
        Some(PostOrder { field: PostOrderField::PublishedAt, direction: OrderDirection::Desc }) | None => list,
    }
}

/// A list of terms in the order that the client asks for; by slug from a to z without one.
pub fn terms_in(order: Option<TermOrder>, list: TermList) -> TermList {
    match order {
        Some(TermOrder { field: TermOrderField::Slug, direction: OrderDirection::Desc }) => list.reversed(),
        Some(TermOrder { field: TermOrderField::Slug, direction: OrderDirection::Asc }) | None => list,
    }
}
