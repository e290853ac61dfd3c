//! The type `Page`: its fields in addition to [`content`](super::content), and the lists of pages. The rule: the pages that one level of a query requests by id
//! are read in one batch.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, ID, Object, SimpleObject};
use tokio::sync::OnceCell;

use crate::content::read::pages::Page as PageOfList;
use crate::content::read::{ChildrenList, ListedPage, RevisionList, decode_scheduled_cursor, scheduled_cursor};
use crate::graphql::arguments::{Paging, requested};
use crate::graphql::connection::PageInfo;
use crate::graphql::context::RequestContext;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::{DateTime, Json, Url};
use crate::graphql::site_fields::PageFields;
use crate::graphql::{access, context};
use crate::model::page_path::is_root;
use crate::model::site_page::{PAGE_LINKS_DEFAULT, PAGES_MAX};
use crate::model::{Instant, Language, NodeId, PagePath, Post, PostDetails, PostStatus, SitePage, TranslationGroup};

use super::asset::Image;
pub use super::content::PageObject;
use super::content::{Content, ContentStatus, Written, content_object, wants_details};
use super::revision::{RevisionConnection, checked_keys, shown_metadata};
use super::rich_text::RichText;

impl Content for SitePage {
    const NOUN: &'static str = "the page";

    fn post(&self) -> &Post {
        &self.post
    }

    fn node_id(&self) -> NodeId {
        NodeId::Page(self.id().clone())
    }

    fn address(&self, request: &RequestContext) -> Option<String> {
        Some(request.site.located().filter(|_| !self.is_draft())?.page(&self.path))
    }

    fn status_at(&self, now: Instant) -> PostStatus {
        self.status(now)
    }

    fn versions(&self, ctx: &Context<'_>) -> Result<RevisionList> {
        access::require_sight_of_pages(ctx)?;
        Ok(RevisionList::of_page(self))
    }

    async fn load_details(&self, ctx: &Context<'_>) -> Result<Option<PostDetails>> {
        Ok(context::of(ctx).loaders.page_details.load(self.id().clone()).await?)
    }

    async fn load_group(ctx: &Context<'_>, group: &TranslationGroup) -> Result<Arc<Vec<Arc<Self>>>> {
        Ok(context::of(ctx).loaders.translated_pages.load(group.clone()).await?)
    }
}

impl PageObject {
    /// The page with this current or former path, or its translation into the first available preferred language.
    pub async fn find(ctx: &Context<'_>, path: &str, preferred: &[String]) -> Result<Option<Self>> {
        let Some(path) = PagePath::from_address(path) else { return Ok(None) };
        let reader = &context::of(ctx).reader;
        let found = match wants_details(ctx) {
            true => reader.whole_page_by_path(&path).await?.map(Self::from),
            false => reader.page_by_path(&path).await?.map(Self::new),
        };
        match found {
            Some(found) => found.preferred(ctx, preferred).await.map(Some),
            None => Ok(None),
        }
    }

    fn list(&self, are_drafts: bool) -> ChildrenList {
        ChildrenList { parent: Some(Arc::clone(&self.item)), are_drafts }
    }
}

content_object! {
    /// Content at a place of the site and without a date, such as documentation or an imprint. Pages are a tree: a path is that of the parent and a slug of its
    /// own.
    type "Page" of SitePage, with PageFields of of_pages;
    slug {
        /// Without slashes at its ends, such as `guide/install/linux`: unique among pages. It can change; a former path still finds the page until another page
        /// gets it. The page with the path `index` is the home page: its `canonicalUrl` is `Site.url`.
        async fn path(&self) -> String {
            self.item.path.to_string()
        }
    }
    translation {}
    cover {
        /// The position among the pages with the same parent, ascending; those without one come last, by slug.
        async fn order(&self) -> Option<i32> {
            self.item.order
        }

        /// The page above this one; null at the top, and if this request does not show that page.
        async fn parent(&self, ctx: &Context<'_>) -> Result<Option<PageObject>> {
            let Some(id) = self.item.parent() else { return Ok(None) };
            Ok(context::of(ctx).loaders.site_pages.load(id.clone()).await?.map(Self::new))
        }

        /// The pages above this one that this request shows, from the top; at most 9.
        #[graphql(directive = ListSize::apply(Size::Ancestors))]
        async fn breadcrumbs(&self, ctx: &Context<'_>) -> Result<Vec<PageObject>> {
            let found = context::of(ctx).loaders.site_pages.load_many(self.item.ancestors.clone()).await?;
            Ok(found.into_iter().flatten().map(Self::new).collect())
        }

        /// The published pages directly below this one, by `order`, then by slug.
        #[graphql(directive = ListSize::apply(Size::Page))]
        async fn children(
            &self,
            ctx: &Context<'_>,
            #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
            #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
            #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
            #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
        ) -> Result<PageConnection> {
            Box::pin(PageConnection::read(ctx, self.list(false), Paging { first, after, last, before })).await
        }
    }
    status {
        /// The time for which the page is scheduled; null if it is public or a draft. Pages have no other date.
        async fn scheduled_for(&self, ctx: &Context<'_>) -> Option<DateTime> {
            let now = context::of(ctx).reader.now();
            self.item.scheduled_for().filter(|at| *at > now).map(DateTime)
        }
    }
    updated_at {}
}

enum ListOfPages {
    Children(ChildrenList),
    Scheduled,
}

impl ListOfPages {
    fn cursor(&self, page: &SitePage) -> String {
        match self {
            Self::Children(list) => list.cursor(page),
            Self::Scheduled => scheduled_cursor(page),
        }
    }
}

pub struct PageConnection {
    list: ListOfPages,
    page: PageOfList<Arc<SitePage>>,
    /// Counted once, for any number of aliases of `totalCount`.
    total: OnceCell<usize>,
}

impl PageConnection {
    pub async fn read(ctx: &Context<'_>, list: ChildrenList, paging: Paging) -> Result<Self> {
        let arguments = paging.decode(|argument, text| list.decode_cursor(argument, text))?;
        let page = context::of(ctx).reader.children(&list, &arguments, requested(ctx)).await?;
        Ok(Self { list: ListOfPages::Children(list), page, total: OnceCell::new() })
    }

    pub async fn read_scheduled(ctx: &Context<'_>, paging: Paging) -> Result<Self> {
        let arguments = paging.decode(decode_scheduled_cursor)?;
        let (page, total) = context::of(ctx).reader.scheduled_pages(&arguments, requested(ctx)).await?;
        Ok(Self { list: ListOfPages::Scheduled, page, total: OnceCell::new_with(Some(total)) })
    }

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
                Ok(Self { list: ListOfPages::Children(top), page, total: OnceCell::new_with(Some(0)) })
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

/// A part of a list of pages, by `order`, then by slug, unless the list says otherwise.
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
        let total = match &self.list {
            ListOfPages::Children(list) => self.total.get_or_try_init(|| Box::pin(reader.count_children(list))).await?,
            ListOfPages::Scheduled => self.total.get().expect("it was counted when it was read"),
        };
        Ok(i32::try_from(*total).unwrap_or(i32::MAX))
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
