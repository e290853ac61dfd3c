//! Converts the paging arguments from GraphQL to those of `content`. The rule: a cursor is valid only for the list from which it comes.

use async_graphql::Context;

use crate::content;
use crate::content::read::pages::{PageArguments, RequestedFields};

use super::failure::Result;

/// The four paging arguments, as the client sent them.
pub struct Paging {
    pub first: Option<i32>,
    pub after: Option<String>,
    pub last: Option<i32>,
    pub before: Option<String>,
}

impl Paging {
    /// `decode`: reads a cursor of the list, sent as this argument.
    pub fn decode<C>(self, decode: impl Fn(&'static str, &str) -> content::Result<C>) -> Result<PageArguments<C>> {
        let after = self.after.map(|text| decode("after", &text)).transpose()?;
        let before = self.before.map(|text| decode("before", &text)).transpose()?;
        Ok(PageArguments { first: self.first, last: self.last, after, before })
    }
}

/// The parts of the page that the client selects.
pub fn requested(ctx: &Context<'_>) -> RequestedFields {
    let selection = ctx.look_ahead();
    let page_info = selection.field("pageInfo");
    RequestedFields {
        items: ["nodes", "edges", "pageInfo"].iter().any(|name| selection.field(name).exists()),
        has_next: page_info.field("hasNextPage").exists(),
        has_previous: page_info.field("hasPreviousPage").exists(),
    }
}
