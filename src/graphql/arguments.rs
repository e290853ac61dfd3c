//! Converts arguments from their GraphQL form to what `content` takes. The rule: a cursor is decoded for the list that it is passed to, and for no
//! other.

use async_graphql::{Context, InputObject};

use crate::content;
use crate::content::access::decode_token_cursor;
use crate::content::read::pages::{
    Filter, PageArguments, PostList, RequestedFields, Scope, SlugFilter as Slugs, terms,
};
use crate::model::{PostKey, Slug, TermKind, TokenId};

use super::failure::Result;
use super::scalars::DateTime;

/// A filter for posts, which must meet all given conditions. Slugs name categories, tags and authors.
#[derive(Debug, Clone, Default, InputObject)]
pub struct PostFilter {
    /// Only posts published later than this time.
    published_after: Option<DateTime>,
    /// Only posts published earlier than this time.
    published_before: Option<DateTime>,
    /// Only posts in these categories.
    categories: Option<SlugFilter>,
    /// Only posts with these tags.
    tags: Option<SlugFilter>,
    /// Only posts by these authors.
    authors: Option<SlugFilter>,
}

/// The slugs of the categories, tags or authors that a post must have. No post has an unknown slug.
#[derive(Debug, Clone, Default, InputObject)]
pub struct SlugFilter {
    /// The post has every one of these. An empty list matches all posts.
    all: Option<Vec<String>>,
    /// The post has at least one of these. An empty list matches no post.
    any: Option<Vec<String>>,
}

/// The four paging arguments, as the client sent them.
pub struct Paging {
    pub first: Option<i32>,
    pub after: Option<String>,
    pub last: Option<i32>,
    pub before: Option<String>,
}

impl Paging {
    pub fn of_posts(self, list: &PostList) -> Result<PageArguments<PostKey>> {
        self.decode(|argument, text| list.decode_cursor(argument, text))
    }

    pub fn of_terms(self, kind: TermKind) -> Result<PageArguments<Slug>> {
        self.decode(|argument, text| terms::decode_cursor(kind, argument, text))
    }

    pub fn of_tokens(self) -> Result<PageArguments<TokenId>> {
        self.decode(decode_token_cursor)
    }

    fn decode<C>(self, decode: impl Fn(&'static str, &str) -> content::Result<C>) -> Result<PageArguments<C>> {
        let after = self.after.map(|text| decode("after", &text)).transpose()?;
        let before = self.before.map(|text| decode("before", &text)).transpose()?;
        Ok(PageArguments { first: self.first, last: self.last, after, before })
    }
}

impl PostFilter {
    pub fn into_list(self, scope: Scope) -> Result<PostList> {
        let filter = Filter {
            published_after: self.published_after.map(|at| at.0),
            published_before: self.published_before.map(|at| at.0),
            categories: self.categories.unwrap_or_default().into_slugs(),
            tags: self.tags.unwrap_or_default().into_slugs(),
            authors: self.authors.unwrap_or_default().into_slugs(),
        };
        Ok(PostList::checked(scope, filter)?)
    }
}

impl SlugFilter {
    fn into_slugs(self) -> Slugs {
        let all = self.all.unwrap_or_default();
        let parsed: Result<Vec<Slug>, _> = all.iter().map(|text| text.parse()).collect();
        let any = self.any.map(|any| once_each(any.iter().filter_map(|text| text.parse().ok()).collect()));
        match parsed {
            Ok(all) => Slugs { all: once_each(all), any },
            // A text that is not a valid slug names no term, so no post has it.
            Err(_) => Slugs { all: Vec::new(), any: Some(Vec::new()) },
        }
    }
}

/// Sorted and without duplicates, so that equal filters make the same list whatever their order.
fn once_each(mut slugs: Vec<Slug>) -> Vec<Slug> {
    slugs.sort();
    slugs.dedup();
    slugs
}

/// The parts of the page that the selection requests.
pub fn requested(ctx: &Context<'_>) -> RequestedFields {
    let selection = ctx.look_ahead();
    let page_info = selection.field("pageInfo");
    RequestedFields {
        items: ["nodes", "edges", "pageInfo"].iter().any(|name| selection.field(name).exists()),
        has_next: page_info.field("hasNextPage").exists(),
        has_previous: page_info.field("hasPreviousPage").exists(),
    }
}
