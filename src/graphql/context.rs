//! The context that all resolvers of one request share. The rule: a context is created for one request and dropped with it.

use std::sync::Arc;

use async_graphql::Context;

use super::budget::Budget;
use super::dry_run::DryRun;
use super::fair_use::LimitedClient;
use super::memory::Charge;
use super::presence::Presence;
use super::texts::Texts;
use crate::content::{Content, Reader};
use crate::loaders::Loaders;
use crate::model::site::{Site, SiteUrl};

pub struct RequestContext {
    /// Used for writes and for the declared fields of the site; all other reads use `reader`.
    pub content: Content,
    pub reader: Reader,
    pub loaders: Loaders,
    pub texts: Texts,
    /// Whether lists are written as JSON if all of their fields are ready ([`ready`](super::engine::ready)).
    pub writes_text: bool,
    pub dry_run: DryRun,
    /// The rate limit of the client, and the bound of the operation; `None` if the client has no limit.
    pub rate_limit: Option<(LimitedClient, u64)>,
    /// Who has which text open.
    pub presence: Presence,
    /// The web site that shows the content.
    pub site: Arc<Site>,
    /// The address of this server, if it is known.
    pub public_url: Option<Arc<SiteUrl>>,
}

impl RequestContext {
    /// `budget`: the one of the batch, or the request's own. `charge`: the memory charge of the answer.
    pub fn new(
        (content, site): (Content, Arc<Site>),
        reader: Reader,
        budget: Arc<Budget>,
        charge: Option<Charge>,
        dry_run: DryRun,
    ) -> Self {
        let loaders = Loaders::new(&reader);
        let texts = Texts::new(Arc::clone(content.renderer()), budget, charge);
        let (rate_limit, public_url) = (None, None);
        let presence = Presence::default();
        Self { content, reader, loaders, texts, writes_text: false, dry_run, rate_limit, presence, site, public_url }
    }

    /// The address of a path of this server; the path itself if its address is not known.
    pub fn address(&self, path: &str) -> String {
        SiteUrl::address(self.public_url.as_deref(), path)
    }
}

pub fn of<'a>(ctx: &Context<'a>) -> &'a RequestContext {
    ctx.data_unchecked()
}
