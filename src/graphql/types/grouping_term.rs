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
    field(
        name = "id",
        ty = "ID",
        desc = "An opaque id that never changes and is never given to another object."
    ),
    field(
        name = "slug",
        ty = "&str",
        desc = "The name in URLs and inputs: unique within its type. It can change; a former slug still finds the object."
    ),
    field(
        name = "version",
        ty = "i32",
        desc = "The version number: 1 for a new object; every change increases it by one, and a mutation that changes nothing leaves it."
    ),
    field(
        name = "canonical_url",
        ty = "Option<Url>",
        desc = "The address of the page with its posts on the web site, for links and the canonical link. Null if the server does not know the site\n\
                (`Site.url`)."
    ),
    field(name = "name", ty = "&str", desc = "The display name."),
    field(
        name = "description",
        ty = "Option<&str>",
        desc = "What it is about; plain text. Null if there is no description."
    ),
    field(
        name = "post_count",
        ty = "i32",
        desc = "The number of published posts that have it; scheduled posts do not count. It costs one storage request, and one more for each 1,000\n\
                scheduled posts."
    ),
    field(
        name = "posts",
        ty = "PostConnection",
        desc = "The published posts that have it, newest first, those of a series in its own order, unless `orderBy` says otherwise.",
        directive = ListSize::apply(Size::Page),
        arg(
            name = "first",
            ty = "Option<i32>",
            desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given."
        ),
        arg(
            name = "after",
            ty = "Option<String>",
            desc = "Only items after this cursor, which must come from the same list with the same filter and order."
        ),
        arg(name = "last", ty = "Option<i32>", desc = "The number of items from the end: 0 to 100."),
        arg(
            name = "before",
            ty = "Option<String>",
            desc = "Only items before this cursor, which must come from the same list with the same filter and order."
        ),
        arg(
            name = "order_by",
            ty = "Option<PostOrder>",
            desc = "The order of the list; if omitted, newest first, but a series in its own order. Both directions cost the same."
        ),
        arg(
            name = "filter",
            ty = "Option<PostFilter>",
            desc = "Only posts that match this filter; all posts if omitted."
        )
    ),
    field(
        name = "viewer_can_update",
        ty = "bool",
        desc = "Whether the token of this request allows changes of this object: of a series with the role EDITOR or ADMIN, otherwise only with\n\
                ADMIN. Costs no storage read."
    )
)]
pub enum GroupingTerm {
    Category(Category),
    Tag(Tag),
    Author(Author),
    Series(Series),
}
