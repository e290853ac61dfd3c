//! `Node`: Relay's global object identification.

use async_graphql::{ID, Interface};

use super::post::PostObject;
use super::term::{Author, Category, Tag};

/// Anything with an id that stays the same for as long as it exists.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "Opaque, and the same for as long as the object exists."))]
pub enum Node {
    Post(PostObject),
    Category(Category),
    Tag(Tag),
    Author(Author),
}
