//! The interface `Node` of Relay's "GraphQL Global Object Identification Specification". The rule: it lists every type that `node` can find.

use std::sync::Arc;

use async_graphql::{ID, Interface};

use super::post::PostObject;
use super::term::{Author, Category, Tag};
use crate::model::{Term, TermKind};

/// An object with an id, for caches and for `node(id:)`.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "An opaque id that never changes."))]
pub enum Node {
    Post(PostObject),
    Category(Category),
    Tag(Tag),
    Author(Author),
}

pub fn node_of_term(term: Arc<Term>) -> Node {
    match term.kind() {
        TermKind::Category => Node::Category(Category(term)),
        TermKind::Tag => Node::Tag(Tag(term)),
        TermKind::Author => Node::Author(Author(term)),
    }
}
