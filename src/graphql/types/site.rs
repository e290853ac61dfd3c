//! The type `Site`, and the addresses of the pages of posts and terms. The rule: they are settings of the operator, so they cost no storage
//! request, except the picture, which has a row.

use std::sync::Arc;

use async_graphql::{Context, Object};

use crate::graphql::context::{self, RequestContext};
use crate::graphql::failure::Result;
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::Url;
use crate::model::{self, Post, Term, navigation};

use super::asset::Image;

pub struct Site(pub Arc<model::site::Site>);

/// The web site that shows the content, as the operator of the server has set it.
#[Object]
impl Site {
    /// The address of the home page, with a slash at its end. Null if the operator has not set it; then every `canonicalUrl` is null.
    async fn url(&self) -> Option<Url> {
        self.0.url.as_ref().map(|url| Url(url.as_str().to_owned()))
    }

    /// The name of the site, which is the title of its feeds. If the operator has not set it: the host of `url`, or `Tidings`.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// What the site is about; plain text. Null if the operator has not set it.
    async fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// The language of the posts by BCP 47, such as `en` or `pt-BR`, for the attribute `lang` of a page. Null if the operator has not set it.
    async fn language(&self) -> Option<&str> {
        self.0.language.as_deref()
    }

    /// The menu of the site, in its order; at most two levels of at most 20 items in each list. Empty if the operator has not set it. It costs no
    /// storage request.
    #[graphql(directive = ListSize::apply(Size::Navigation))]
    async fn navigation(&self) -> Vec<NavigationItem> {
        NavigationItem::all(self.0.navigation.items())
    }

    /// The time zone of the site: a name of the IANA database such as `Europe/Berlin`; `UTC` if the operator has not set it. Show dates in it; those in
    /// the addresses of posts are in it, too. The months of `archive` are those of UTC, whatever the zone is.
    async fn time_zone(&self) -> &str {
        self.0.paths.time_zone.name()
    }

    /// The picture of the site for links to pages without a cover (`openGraphImage`). Null if the operator has not set it (`site.image`), or if the picture
    /// does not exist. Costs one storage read.
    async fn image(&self, ctx: &Context<'_>) -> Result<Option<Image>> {
        Image::named(ctx, self.0.image.as_ref()).await
    }
}

/// The address of the page of a post. `None` without the address of the site, and for a post without a publication time.
pub(super) fn address_of_post(request: &RequestContext, post: &Post) -> Option<String> {
    let (site, published_at) = (request.site.located()?, post.published_at?);
    Some(site.post(post.slug.as_str(), published_at.to_chrono()))
}

/// The address of the page of a term. `None` without the address of the site.
pub(super) fn address_of_term(request: &RequestContext, term: &Term) -> Option<String> {
    request.site.located().map(|site| site.term(term.kind(), term.slug.as_str()))
}

/// Like [`address_of_term`], as a value of the scalar `URL`.
pub(super) fn url_of_term(ctx: &Context<'_>, term: &Term) -> Option<Url> {
    address_of_term(context::of(ctx), term).map(Url)
}

pub struct NavigationItem(navigation::NavigationItem);

impl NavigationItem {
    pub fn all(items: &[navigation::NavigationItem]) -> Vec<Self> {
        items.iter().cloned().map(Self).collect()
    }
}

/// A link in the menu of the site. It has no id of its own: it is a part of the site.
#[Object]
impl NavigationItem {
    /// The text of the link; plain text.
    async fn label(&self) -> &str {
        &self.0.label
    }

    /// Where the link points to: an absolute URL with `http` or `https`, or a path that begins with a slash, such as `/tags/moon`. A path is below
    /// `Site.url`, as the path of each `canonicalUrl` is. It is not checked whether a page exists there.
    async fn url(&self) -> &str {
        &self.0.url
    }

    /// The items below this one, in their order. An item that is below another has none.
    #[graphql(directive = ListSize::apply(Size::Navigation))]
    async fn children(&self) -> Vec<NavigationItem> {
        Self::all(&self.0.children)
    }
}
