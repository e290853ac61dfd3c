//! The interface `Term` of the types that group posts. The rule: it has the fields that all of them share.

use async_graphql::{ID, Interface};

use crate::graphql::connection::PostConnection;
use crate::graphql::filter::PostFilter;
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::order::PostOrder;
use crate::graphql::scalars::Url;

use super::series::Series;
use super::term::{Author, Category, Tag};

/// What groups posts: categories, tags, authors and series.
#[derive(Interface)]
#[graphql(
    name = "Term",
    field(name = "id", ty = "ID", desc = "An opaque id that never changes and is never reused."),
    field(
        name = "slug",
        ty = "&str",
        desc = "Unique within its type. It can change; a former slug still finds the object."
    ),
    field(
        name = "version",
        ty = "i32",
        desc = "From 1, one more with each change; the `expectedVersion` of mutations."
    ),
    field(
        name = "canonical_url",
        ty = "Option<Url>",
        desc = "The page with its posts on the web site; null if `Site.url` is null."
    ),
    field(name = "name", ty = "&str", desc = "The display name."),
    field(name = "description", ty = "Option<&str>", desc = "Plain text; null if there is none."),
    field(name = "post_count", ty = "i32", desc = "The number of its published posts."),
    field(
        name = "posts",
        ty = "PostConnection",
        desc = "Its published posts, newest first, those of a series in its own order, unless `orderBy` says otherwise.",
        directive = ListSize::apply(Size::Page),
        arg(name = "first", ty = "Option<i32>", desc = "Items from the start: 0 to 100; 20 without `last`."),
        arg(name = "after", ty = "Option<String>", desc = "Items after this cursor of the same list."),
        arg(name = "last", ty = "Option<i32>", desc = "Items from the end: 0 to 100."),
        arg(name = "before", ty = "Option<String>", desc = "Items before this cursor of the same list."),
        arg(
            name = "order_by",
            ty = "Option<PostOrder>",
            desc = "If omitted, newest first; of a series, its own order."
        ),
        arg(name = "filter", ty = "Option<PostFilter>", desc = "Only posts that match; all if omitted.")
    ),
    field(name = "viewer_can_update", ty = "bool", desc = "Whether the token of this request can change this object.")
)]
pub enum GroupingTerm {
    Category(Category),
    Tag(Tag),
    Author(Author),
    Series(Series),
}
