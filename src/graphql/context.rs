//! What every resolver of one request shares. The rule: made for each request, gone with it.

use std::sync::Arc;

use async_graphql::Context;

use super::budget::Budget;
use super::memory::Charge;
use super::texts::Texts;
use crate::content::{Content, Reader};
use crate::loaders::Loaders;

pub struct RequestContext {
    /// For changes; reads go through the reader.
    pub content: Content,
    pub reader: Reader,
    pub loaders: Loaders,
    pub texts: Texts,
}

impl RequestContext {
    /// `budget`: of the batch that the request is one of, or its own. `charge`: of the answer.
    pub fn new(content: Content, reader: Reader, budget: Arc<Budget>, charge: Option<Charge>) -> Self {
        let loaders = Loaders::new(&reader);
        let texts = Texts::new(Arc::clone(content.renderer()), budget, charge);
        Self { content, reader, loaders, texts }
    }
}

/// The request's own context.
pub fn of<'a>(ctx: &Context<'a>) -> &'a RequestContext {
    ctx.data_unchecked()
}
