//! The types `Category`, `Tag` and `Author`. The rule: they differ in their descriptions, and an author has `url` and a profile; their ids, counts and lists of posts are implemented once.

use std::sync::Arc;

use async_graphql::{Context, ID, Object, SimpleObject};

use crate::content::read::pages::Scope;
use crate::graphql::arguments::Paging;
use crate::graphql::connection::{CategoryConnection, PageOfTerms, PostConnection};
use crate::graphql::context;
use crate::graphql::failure::Result;
use crate::graphql::filter::{self, PostFilter};
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::order::{self, PostOrder};
use crate::graphql::scalars::Url;
use crate::model::{ProfileLink, Slug, Term, TermKind};

use super::asset::Image;
use super::site::url_of_term;

pub struct Category(pub Arc<Term>);
pub struct Tag(pub Arc<Term>);
pub struct Author(pub Arc<Term>);

/// The term with this current or former slug.
pub async fn find(ctx: &Context<'_>, kind: TermKind, slug: &str) -> Result<Option<Arc<Term>>> {
    let Some(slug) = Slug::from_address(slug) else { return Ok(None) };
    Ok(context::of(ctx).loaders.term(kind, &slug).await?)
}

impl From<Term> for Category {
    fn from(term: Term) -> Self {
        Self(Arc::new(term))
    }
}

impl From<Term> for Tag {
    fn from(term: Term) -> Self {
        Self(Arc::new(term))
    }
}

impl From<Term> for Author {
    fn from(term: Term) -> Self {
        Self(Arc::new(term))
    }
}

pub(super) fn id(term: &Term) -> ID {
    term.node_id().to_string().into()
}

pub(super) async fn post_count(ctx: &Context<'_>, term: &Term) -> Result<i32> {
    let count = context::of(ctx).loaders.post_count(&term.id).await?;
    Ok(i32::try_from(count).unwrap_or(i32::MAX))
}

async fn posts(
    ctx: &Context<'_>,
    term: &Term,
    paging: Paging,
    order_by: Option<PostOrder>,
    filter: Option<PostFilter>,
) -> Result<PostConnection> {
    let scope = Scope::Term(term.id.clone());
    let list = order::posts_in(order_by, filter::list_of(ctx, filter, scope).await?);
    // Boxed, because each field of an object has a future of the same size, which this one would enlarge.
    Box::pin(PostConnection::read(ctx, list, paging)).await
}

pub(super) fn viewer_can_update(ctx: &Context<'_>, term: &Term) -> bool {
    context::of(ctx).reader.actor().is_some_and(|actor| actor.may_change_terms(term.kind()))
}

/// A category: a subject that groups posts.
#[Object]
impl Category {
    /// An opaque id that never changes and is never reused.
    pub async fn id(&self) -> ID {
        id(&self.0)
    }

    /// Unique within its type. It can change; a former slug still finds the object.
    pub async fn slug(&self) -> &str {
        self.0.slug.as_str()
    }

    /// The page with its posts on the web site; null if `Site.url` is null.
    pub async fn canonical_url(&self, ctx: &Context<'_>) -> Option<Url> {
        url_of_term(ctx, &self.0)
    }

    /// The display name.
    pub async fn name(&self) -> &str {
        &self.0.name
    }

    /// Plain text; null if there is none.
    pub async fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// From 1, one more with each change; the `expectedVersion` of mutations.
    pub async fn version(&self) -> i32 {
        self.0.version
    }

    /// The number of its published posts.
    pub async fn post_count(&self, ctx: &Context<'_>) -> Result<i32> {
        post_count(ctx, &self.0).await
    }

    /// Its published posts, newest first unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    pub async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Items from the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "Items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Items before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "If omitted, newest first; of a series, its own order.")] order_by: Option<PostOrder>,
        #[graphql(desc = "Only posts that match; all if omitted.")] filter: Option<PostFilter>,
    ) -> Result<PostConnection> {
        posts(ctx, &self.0, Paging { first, after, last, before }, order_by, filter).await
    }

    /// The category above this one; null at the top. Posts of this one do not count as posts of the parent.
    async fn parent(&self, ctx: &Context<'_>) -> Result<Option<Category>> {
        let Some(parent) = &self.0.parent else { return Ok(None) };
        let found = context::of(ctx).loaders.terms_of_post(TermKind::Category, std::slice::from_ref(parent)).await?;
        Ok(found.into_iter().next().map(Category))
    }

    /// The categories above this one, from the top; at most 9.
    #[graphql(directive = ListSize::apply(Size::Ancestors))]
    async fn breadcrumbs(&self, ctx: &Context<'_>) -> Result<Vec<Category>> {
        let above = context::of(ctx).loaders.categories_above(&self.0).await?;
        Ok(above.into_iter().map(Category).collect())
    }

    /// The categories directly below this one, by slug.
    #[graphql(directive = ListSize::apply(Size::PageForward))]
    async fn children(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "0 to 100; 20 if omitted.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor of the same list.")] after: Option<String>,
    ) -> Result<CategoryConnection> {
        let page = Box::pin(PageOfTerms::read_below(ctx, &self.0, first, after)).await?;
        Ok(CategoryConnection(page))
    }

    /// Whether the token of this request can change this object.
    pub async fn viewer_can_update(&self, ctx: &Context<'_>) -> bool {
        viewer_can_update(ctx, &self.0)
    }
}

/// A tag: a keyword of posts.
#[Object]
impl Tag {
    /// An opaque id that never changes and is never reused.
    pub async fn id(&self) -> ID {
        id(&self.0)
    }

    /// Unique within its type. It can change; a former slug still finds the object.
    pub async fn slug(&self) -> &str {
        self.0.slug.as_str()
    }

    /// The page with its posts on the web site; null if `Site.url` is null.
    pub async fn canonical_url(&self, ctx: &Context<'_>) -> Option<Url> {
        url_of_term(ctx, &self.0)
    }

    /// The display name.
    pub async fn name(&self) -> &str {
        &self.0.name
    }

    /// Plain text; null if there is none.
    pub async fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// From 1, one more with each change; the `expectedVersion` of mutations.
    pub async fn version(&self) -> i32 {
        self.0.version
    }

    /// The number of its published posts.
    pub async fn post_count(&self, ctx: &Context<'_>) -> Result<i32> {
        post_count(ctx, &self.0).await
    }

    /// Its published posts, newest first unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    pub async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Items from the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "Items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Items before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "If omitted, newest first; of a series, its own order.")] order_by: Option<PostOrder>,
        #[graphql(desc = "Only posts that match; all if omitted.")] filter: Option<PostFilter>,
    ) -> Result<PostConnection> {
        posts(ctx, &self.0, Paging { first, after, last, before }, order_by, filter).await
    }

    /// Whether the token of this request can change this object.
    pub async fn viewer_can_update(&self, ctx: &Context<'_>) -> bool {
        viewer_can_update(ctx, &self.0)
    }
}

/// An author of posts.
#[Object]
impl Author {
    /// An opaque id that never changes and is never reused.
    pub async fn id(&self) -> ID {
        id(&self.0)
    }

    /// Unique within its type. It can change; a former slug still finds the object.
    pub async fn slug(&self) -> &str {
        self.0.slug.as_str()
    }

    /// The page with its posts on the web site; null if `Site.url` is null.
    pub async fn canonical_url(&self, ctx: &Context<'_>) -> Option<Url> {
        url_of_term(ctx, &self.0)
    }

    /// The display name.
    pub async fn name(&self) -> &str {
        &self.0.name
    }

    /// Plain text; null if there is none.
    pub async fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// The author's own web page, if one is given.
    async fn url(&self) -> Option<Url> {
        self.0.url.clone().map(Url)
    }

    /// Null if the author has no picture, or if it was deleted.
    async fn avatar(&self, ctx: &Context<'_>) -> Result<Option<Image>> {
        Image::named(ctx, self.0.profile.avatar.as_ref()).await
    }

    /// What the author does, such as "Editor"; plain text.
    async fn job_title(&self) -> Option<&str> {
        self.0.profile.job_title.as_deref()
    }

    /// At most 10 pages elsewhere about or by the author, in the order in which they were given.
    async fn links(&self) -> Vec<AuthorLink> {
        self.0.profile.links.iter().map(AuthorLink::of).collect()
    }

    /// From 1, one more with each change; the `expectedVersion` of mutations.
    pub async fn version(&self) -> i32 {
        self.0.version
    }

    /// The number of its published posts.
    pub async fn post_count(&self, ctx: &Context<'_>) -> Result<i32> {
        post_count(ctx, &self.0).await
    }

    /// Its published posts, newest first unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    pub async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Items from the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "Items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Items before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "If omitted, newest first; of a series, its own order.")] order_by: Option<PostOrder>,
        #[graphql(desc = "Only posts that match; all if omitted.")] filter: Option<PostFilter>,
    ) -> Result<PostConnection> {
        posts(ctx, &self.0, Paging { first, after, last, before }, order_by, filter).await
    }

    /// Whether the token of this request can change this object.
    pub async fn viewer_can_update(&self, ctx: &Context<'_>) -> bool {
        viewer_can_update(ctx, &self.0)
    }
}

/// A page elsewhere about or by an author. It has no id: it is a part of the author.
#[derive(SimpleObject)]
pub struct AuthorLink {
    /// The text of the link, such as "Mastodon".
    title: String,
    /// The address.
    url: Url,
}

impl AuthorLink {
    pub fn of(link: &ProfileLink) -> Self {
        Self { title: link.title.clone(), url: Url(link.url.clone()) }
    }
}
