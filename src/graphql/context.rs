//! What every resolver of one request shares. The rule: made for each request, gone with it.

use async_graphql::Context;

use crate::content::{Content, Reader};
use crate::loaders::Loaders;

pub struct RequestContext {
    /// For changes; reads go through the reader.
    pub content: Content,
    pub reader: Reader,
    pub loaders: Loaders,
}

impl RequestContext {
    pub fn new(content: Content, reader: Reader) -> Self {
        let loaders = Loaders::new(&reader);
        Self { content, reader, loaders }
    }
}

/// The request's own context.
pub fn of<'a>(ctx: &Context<'a>) -> &'a RequestContext {
    ctx.data_unchecked()
}
