//! The type `Site`, and the addresses of posts and terms. The rule: all fields are settings of the operator and cost no storage request, except the picture,
//! which has a row, and the languages, which follow from the posts.

use std::sync::Arc;

use async_graphql::{Context, Object};

use crate::content::read::pages::total;
use crate::graphql::context::{self, RequestContext};
use crate::graphql::failure::Result;
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::Url;
use crate::model::{self, Post, Term, navigation};

use super::asset::Image;

pub struct Site(pub Arc<model::site::Site>);

/// The web site that shows the content, as the operator has set it. Its feeds are at `/feed.xml`, `/rss.xml` and `/feed.json` of this server, those of a term
/// or language at paths such as `/tags/moon/feed.xml` and `/languages/de/feed.xml`, and its sitemap is at `/sitemap.xml` (docs/feeds.md).
#[Object]
impl Site {
    /// The home page, with a slash at its end. If it is null, every `canonicalUrl` is null.
    async fn url(&self) -> Option<Url> {
        self.0.url.as_ref().map(|url| Url(url.as_str().to_owned()))
    }

    /// The title of its feeds. If it is not set: the host of `url`, or `Tidings`.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// What the site is about; plain text.
    async fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// The language of the posts: a tag of BCP 47 such as `en` or `pt-BR`.
    async fn language(&self) -> Option<&str> {
        self.0.language.as_deref()
    }

    /// The languages that published posts have of their own: tags of BCP 47, each a value for `PostFilter.languages`. Pages (`PageLink.language`) add none. More
    /// than 100 are BAD_USER_INPUT.
    #[graphql(directive = ListSize::apply(Size::Languages))]
    async fn languages(&self, ctx: &Context<'_>) -> Result<Vec<String>> {
        let languages = total::languages(&context::of(ctx).reader).await?;
        Ok(languages.iter().map(ToString::to_string).collect())
    }

    /// The menu, in its order: at most two levels of at most 20 items in each list.
    #[graphql(directive = ListSize::apply(Size::Navigation))]
    async fn navigation(&self) -> Vec<NavigationItem> {
        NavigationItem::all(self.0.navigation.items())
    }

    /// A name of the IANA database such as `Europe/Berlin`; `UTC` if it is not set. Show dates in it; the addresses of posts have them in it, but months of
    /// `archive` are those of UTC.
    async fn time_zone(&self) -> &str {
        self.0.paths.time_zone.name()
    }

    /// For links to pages without a cover (`openGraphImage`). Null if it is not set, or if the picture does not exist.
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

pub struct NavigationItem(navigation::NavigationItem);

impl NavigationItem {
    pub fn all(items: &[navigation::NavigationItem]) -> Vec<Self> {
        items.iter().cloned().map(Self).collect()
    }
}

/// A link in the menu. It has no id: it is a part of the site.
#[Object]
impl NavigationItem {
    /// Plain text.
    async fn label(&self) -> &str {
        &self.0.label
    }

    /// An absolute URL with `http` or `https`, or a path below `Site.url` with a slash in front, such as `/tags/moon`. It is not checked.
    async fn url(&self) -> &str {
        &self.0.url
    }

    /// The items below this one; an item that is below another has none.
    #[graphql(directive = ListSize::apply(Size::Navigation))]
    async fn children(&self) -> Vec<NavigationItem> {
        Self::all(&self.0.children)
    }
}
