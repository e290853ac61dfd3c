//! The type `Page`, and its lists. The rule: a page of a list has no body and no metadata until a field requests them, and the pages that
//! one level of a query requests by id are read in one batch.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, ID, Object, SimpleObject};
use tokio::sync::OnceCell;

use crate::content::ContentError;
use crate::content::read::pages::Page as PageOfList;
use crate::content::read::{ChildrenList, ListedPage};
use crate::graphql::arguments::{Paging, requested};
use crate::graphql::connection::PageInfo;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::{DateTime, Json, Url};
use crate::graphql::site_fields::PageFields;
use crate::graphql::{access, context};
use crate::model::page_path::is_root;
use crate::model::site_page::{PAGE_LINKS_DEFAULT, PAGES_MAX};
use crate::model::{Actor, Language, NodeId, PagePath, PostDetails, Role, SitePage, TranslationGroup, WholeSitePage};

use super::asset::Image;
use super::post::{ContentStatus, metadata_keys};
use super::revision::RevisionConnection;
use super::rich_text::RichText;
use super::translation::Translated;

/// A page of the site, with its body and metadata if they are already read.
pub struct PageObject {
    page: Arc<SitePage>,
    details: Option<PostDetails>,
}

impl PageObject {
    pub fn new(page: Arc<SitePage>) -> Self {
        Self { page, details: None }
    }

    /// The page with this current or former path, or its translation into the first of the preferred languages that has one.
    pub async fn find(ctx: &Context<'_>, path: &str, preferred: &[String]) -> Result<Option<Self>> {
        let Some(found) = Self::find_at(ctx, path).await? else { return Ok(None) };
        let preferred = match preferred {
            [] => None,
            languages => found.page.in_first_of(ctx, languages).await?.flatten(),
        };
        Ok(Some(preferred.map_or(found, Self::new)))
    }

    async fn find_at(ctx: &Context<'_>, path: &str) -> Result<Option<Self>> {
        let Some(path) = PagePath::from_address(path) else { return Ok(None) };
        let reader = &context::of(ctx).reader;
        if ["body", "metadata", "fields"].iter().any(|field| ctx.look_ahead().field(field).exists()) {
            return Ok(reader.whole_page_by_path(&path).await?.map(Self::from));
        }
        Ok(reader.page_by_path(&path).await?.map(Self::new))
    }

    async fn details(&self, ctx: &Context<'_>) -> Result<PostDetails> {
        let texts = &context::of(ctx).texts;
        let _place = texts.place_to_load().await?;
        let details = match &self.details {
            Some(details) => details.clone(),
            None => {
                let found = context::of(ctx).loaders.page_details.load(self.page.id().clone()).await?;
                found.ok_or(ContentError::Gone { what: "the page" })?
            }
        };
        texts.hold_details(&details).await?;
        Ok(details)
    }

    fn list(&self, are_drafts: bool) -> ChildrenList {
        ChildrenList { parent: Some(Arc::clone(&self.page)), are_drafts }
    }
}

impl From<WholeSitePage> for PageObject {
    fn from(whole: WholeSitePage) -> Self {
        let details = Some(whole.details());
        Self { page: Arc::new(whole.page), details }
    }
}

/// Content at a place of the site and without a date, such as documentation or an imprint. Pages are a tree: a path is that of the parent and a slug of its
/// own.
#[Object(name = "Page")]
impl PageObject {
    /// An opaque id that never changes and is never reused.
    pub async fn id(&self) -> ID {
        NodeId::Page(self.page.id().clone()).to_string().into()
    }

    /// The name of a post in URLs, unique among posts; it can change, and a former one still finds the post. Of a page, the last part of its `path`.
    pub async fn slug(&self) -> &str {
        self.page.path.slug().as_str()
    }

    /// Without slashes at its ends, such as `guide/install/linux`: unique among pages. It can change; a former path still finds the page until another page
    /// gets it. The page with the path `index` is the home page: its `canonicalUrl` is `Site.url`.
    async fn path(&self) -> String {
        self.page.path.to_string()
    }

    /// The address on the web site, for links, the canonical link and Open Graph. Null for a draft, and if `Site.url` is null.
    pub async fn canonical_url(&self, ctx: &Context<'_>) -> Option<Url> {
        let site = context::of(ctx).site.located().filter(|_| !self.page.is_draft())?;
        Some(Url(site.page(&self.page.path)))
    }

    /// Plain text.
    pub async fn title(&self) -> &str {
        &self.page.post.title
    }

    /// A line below the title; plain text. Null if there is none.
    pub async fn subtitle(&self) -> Option<&str> {
        self.page.post.subtitle.as_deref()
    }

    /// A plain-text summary, written or else generated from the body. Empty if the body has no text.
    pub async fn excerpt(&self) -> &str {
        &self.page.post.excerpt
    }

    /// Whether `excerpt` is generated and changes with the body. If so, send `excerpt` only if the person has changed it: what is sent counts as written.
    pub async fn excerpt_is_generated(&self) -> bool {
        !self.page.post.has_own_excerpt
    }

    /// The text. In a list, each body is a storage read of its own.
    pub async fn body(&self, ctx: &Context<'_>) -> Result<RichText> {
        Ok(RichText::new(self.details(ctx).await?.markdown))
    }

    /// What Tidings has no field for, as a JSON object: of imported content the other keys of its front matter, and what mutations have set. In a list, a
    /// storage read for each item, shared with `body`.
    pub async fn metadata(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only these keys, at most 100; all if omitted or null. A key that is missing is omitted.")]
        keys: Option<Vec<String>>,
    ) -> Result<Option<Json>> {
        let keys = metadata_keys(keys.as_deref())?;
        let details = self.details(ctx).await?;
        Ok(Some(context::of(ctx).texts.metadata(&details.metadata, keys).await?.into()))
    }

    /// The fields that this site declares (`site.fields`); each is the value of `metadata` under its name, null if there is none or it does not fit its type. In a
    /// list, a storage read for each item, shared with `body`.
    async fn fields(&self, ctx: &Context<'_>) -> Result<Option<PageFields>> {
        let Some(declared) = context::of(ctx).content.fields().of_pages.clone() else { return Ok(None) };
        Ok(Some(PageFields::new(declared, self.details(ctx).await?.metadata)))
    }

    /// A tag of BCP 47 such as `en` or `pt-BR`, for the attribute `lang`. Null: the language of the site (`Site.language`).
    pub async fn language(&self) -> Option<&str> {
        self.page.post.language.as_ref().map(Language::as_str)
    }

    /// The same content in other languages, by language: those to which the client has access.
    #[graphql(directive = ListSize::apply(Size::Translations))]
    async fn translations(&self, ctx: &Context<'_>) -> Result<Vec<PageObject>> {
        Ok(self.page.translations(ctx).await?.into_iter().map(Self::new).collect())
    }

    /// The same content in this language, which can be the page itself; null if there is none to which the client has access.
    async fn translation(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Such as `pt-BR`, compared as a whole and without regard to case.")] language: String,
    ) -> Result<Option<PageObject>> {
        let found = self.page.in_first_of(ctx, &[language]).await?;
        Ok(found.map(|other| Self::new(other.unwrap_or_else(|| Arc::clone(&self.page)))))
    }

    /// The picture for lists and links; null if there is none, or if it was deleted.
    pub async fn cover(&self, ctx: &Context<'_>) -> Result<Option<Image>> {
        Image::cover_of(ctx, &self.page.post).await
    }

    /// The position among the pages with the same parent, ascending; those without one come last, by slug.
    async fn order(&self) -> Option<i32> {
        self.page.order
    }

    /// The page above this one; null at the top, and if this request does not show that page.
    async fn parent(&self, ctx: &Context<'_>) -> Result<Option<PageObject>> {
        let Some(id) = self.page.parent() else { return Ok(None) };
        Ok(context::of(ctx).loaders.site_pages.load(id.clone()).await?.map(Self::new))
    }

    /// The pages above this one that this request shows, from the top; at most 9.
    #[graphql(directive = ListSize::apply(Size::Ancestors))]
    async fn breadcrumbs(&self, ctx: &Context<'_>) -> Result<Vec<PageObject>> {
        let found = context::of(ctx).loaders.site_pages.load_many(self.page.ancestors.clone()).await?;
        Ok(found.into_iter().flatten().map(Self::new).collect())
    }

    /// The published pages directly below this one, by `order`, then by slug.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn children(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Items from the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "Items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Items before this cursor of the same list.")] before: Option<String>,
    ) -> Result<PageConnection> {
        Box::pin(PageConnection::read(ctx, self.list(false), Paging { first, after, last, before })).await
    }

    /// The status at the time of the request.
    pub async fn status(&self, ctx: &Context<'_>) -> ContentStatus {
        self.page.status(context::of(ctx).reader.now()).into()
    }

    /// The time for which the page is scheduled; null if it is public or a draft. Pages have no other date.
    async fn scheduled_for(&self, ctx: &Context<'_>) -> Option<DateTime> {
        let now = context::of(ctx).reader.now();
        self.page.scheduled_for().filter(|at| *at > now).map(DateTime)
    }

    /// When it becomes a draft again. Null if that is not set, or if the token of this request gives no access to it as a draft.
    pub async fn unpublish_at(&self, ctx: &Context<'_>) -> Option<DateTime> {
        let sees = context::of(ctx).reader.actor().is_some_and(Actor::sees_all);
        self.page.post.unpublish_at.filter(|_| sees).map(DateTime)
    }

    /// From 1, one more with each change; the `expectedVersion` of mutations.
    pub async fn version(&self) -> i32 {
        self.page.post.version
    }

    /// The versions, the current one first, with at most 100 earlier ones. Requires a token: READER, EDITOR or ADMIN for any content, AUTHOR for its own posts.
    #[graphql(directive = ListSize::apply(Size::Page))]
    pub async fn revisions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Items from the start: 0 to 50; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor of the same list: older versions.")] after: Option<String>,
        #[graphql(desc = "Items from the end: 0 to 50.")] last: Option<i32>,
        #[graphql(desc = "Items before this cursor of the same list: newer versions.")] before: Option<String>,
    ) -> Result<Option<RevisionConnection>> {
        access::require_sight_of_pages(ctx)?;
        let paging = Paging { first, after, last, before };
        Box::pin(RevisionConnection::read_of_page(ctx, &self.page, paging)).await.map(Some)
    }

    /// When it was created; for imported content, as far as its source records it.
    pub async fn created_at(&self) -> DateTime {
        DateTime(self.page.post.created_at)
    }

    /// When the current `version` was made.
    pub async fn updated_at(&self) -> DateTime {
        DateTime(self.page.post.updated_at)
    }

    /// Whether the token of this request can change this object.
    pub async fn viewer_can_update(&self, ctx: &Context<'_>) -> bool {
        context::of(ctx).reader.actor().is_some_and(|actor| actor.role >= Role::Editor)
    }
}

pub struct PageConnection {
    list: ChildrenList,
    page: PageOfList<Arc<SitePage>>,
    /// Counted once, for any number of aliases of `totalCount`.
    total: OnceCell<usize>,
}

impl PageConnection {
    pub async fn read(ctx: &Context<'_>, list: ChildrenList, paging: Paging) -> Result<Self> {
        let arguments = paging.decode(|argument, text| list.decode_cursor(argument, text))?;
        let page = context::of(ctx).reader.children(&list, &arguments, requested(ctx)).await?;
        Ok(Self { list, page, total: OnceCell::new() })
    }
}

impl PageConnection {
    /// The children of the page with this path, or the pages at the top.
    pub async fn read_below(
        ctx: &Context<'_>,
        parent: Option<String>,
        are_drafts: bool,
        paging: Paging,
    ) -> Result<Self> {
        let top = ChildrenList { parent: None, are_drafts };
        let Some(parent) = parent.filter(|parent| !is_root(parent)) else { return Self::read(ctx, top, paging).await };
        let found = match PagePath::from_address(&parent) {
            Some(path) => context::of(ctx).reader.page_by_path(&path).await?,
            None => None,
        };
        match found {
            Some(page) => Self::read(ctx, ChildrenList { parent: Some(page), are_drafts }, paging).await,
            None => {
                let page = PageOfList { items: Vec::new(), has_next: false, has_previous: false };
                Ok(Self { list: top, page, total: OnceCell::new_with(Some(0)) })
            }
        }
    }
}

/// An item and its cursor.
#[derive(SimpleObject)]
pub struct PageEdge {
    /// An opaque cursor for `after` and `before`.
    cursor: String,
    /// The page.
    node: PageObject,
}

/// A part of a list of pages, by `order`, then by slug.
#[Object]
impl PageConnection {
    /// Each item with its cursor.
    async fn edges(&self) -> Vec<PageEdge> {
        let edge =
            |page: &Arc<SitePage>| PageEdge { cursor: self.list.cursor(page), node: PageObject::new(Arc::clone(page)) };
        self.page.items.iter().map(edge).collect()
    }

    /// The items.
    async fn nodes(&self) -> Vec<PageObject> {
        self.page.items.iter().map(|page| PageObject::new(Arc::clone(page))).collect()
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.page, |page| self.list.cursor(page))
    }

    /// The number of items in the whole list, counted only if requested.
    async fn total_count(&self, ctx: &Context<'_>) -> Result<i32> {
        let reader = &context::of(ctx).reader;
        let total = *self.total.get_or_try_init(|| Box::pin(reader.count_children(&self.list))).await?;
        Ok(i32::try_from(total).unwrap_or(i32::MAX))
    }
}

/// A published page in a menu or sitemap; `Query.page` with its `path` has the rest. It has no id: it is a part of the list.
#[derive(SimpleObject)]
pub struct PageLink {
    /// Without slashes at its ends, such as `guide/install/linux`. A page is below another if its path begins with that of the other and a slash.
    path: String,
    /// Plain text.
    title: String,
    /// The address on the web site; null if `Site.url` is null.
    canonical_url: Option<Url>,
    /// When the page was last changed.
    updated_at: DateTime,
    /// A tag of BCP 47; null: the language of the site (`Site.language`).
    language: Option<String>,
    /// The same for those pages of this list that are one content in several languages: the path of the first of them. Null if no other is in the list.
    translation_key: Option<String>,
}

impl PageLink {
    /// All published pages, in the order of [`all_pages`](crate::content::Reader::all_pages).
    pub async fn all(ctx: &Context<'_>, at_most: Option<i32>) -> Result<Vec<Self>> {
        let at_most = at_most.map_or(Ok(PAGE_LINKS_DEFAULT), u64::try_from).unwrap_or_default() as usize;
        if !(1..=PAGES_MAX).contains(&at_most) {
            return Err(bad_input("atMost", format!("`atMost` must be 1 to {PAGES_MAX}")));
        }
        let request = context::of(ctx);
        let Some(pages) = request.reader.all_pages(at_most).await? else {
            let text = format!("the site has more than {at_most} published pages; `atMost` can be up to {PAGES_MAX}");
            return Err(bad_input("atMost", text));
        };
        let site = request.site.located();
        let mut groups: HashMap<TranslationGroup, (String, usize)> = HashMap::new();
        for page in &pages {
            let Some(group) = &page.translation_group else { continue };
            groups.entry(group.clone()).or_insert_with(|| (page.path.to_string(), 0)).1 += 1;
        }
        let translation_key = |group: TranslationGroup| {
            groups.get(&group).filter(|(_, pages)| *pages > 1).map(|(first, _)| first.clone())
        };
        let link = |ListedPage { path, title, updated_at, language, translation_group }| Self {
            canonical_url: site.map(|site| Url(site.page(&path))),
            path: path.to_string(),
            title,
            updated_at: DateTime(updated_at),
            language: language.map(|language| language.to_string()),
            translation_key: translation_group.and_then(&translation_key),
        };
        Ok(pages.into_iter().map(link).collect())
    }
}
