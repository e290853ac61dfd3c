//! What every resolver of one request shares. The rule: made for each request, gone with it.

use async_graphql::Context;

use crate::content::Reader;
use crate::loaders::Loaders;

pub struct RequestContext {
    pub reader: Reader,
    pub loaders: Loaders,
}

impl RequestContext {
    pub fn new(reader: Reader) -> Self {
        let loaders = Loaders::new(&reader);
        Self { reader, loaders }
    }
}

/// The request's own context.
pub fn of<'a>(ctx: &Context<'a>) -> &'a RequestContext {
    ctx.data_unchecked()
}
