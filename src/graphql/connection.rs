//! Connections as in Relay's "GraphQL Cursor Connections Specification". The rule: every cursor contains a tag of its list, so that other
//! lists reject it.

use std::sync::Arc;

use async_graphql::{Context, Object, SimpleObject};
use tokio::sync::OnceCell;

use crate::content::read::ChildCategories;
use crate::content::read::pages::terms::TermList;
use crate::content::read::pages::terms_by_count::{CountedTerm, TermsByCount};
use crate::content::read::pages::{Page, PageKey, PostList, RequestedFields, cached, total};
use crate::model::{Post, Term, TermKind};

use super::arguments::{Paging, requested};
use super::context;
use super::engine::ready::ReadyList;
use super::failure::Result;
use super::order::{self, OrderedTerms, TermOrder};
use super::types::post::PostObject;
use super::types::term::{Author, Category, Series, Tag};

/// The position of a page in its list.
#[derive(Debug, Clone, SimpleObject)]
pub struct PageInfo {
    /// Whether items follow; exact also with `before`.
    pub(super) has_next_page: bool,
    /// Whether items come before; exact also with `after`.
    pub(super) has_previous_page: bool,
    /// Null if the page is empty.
    pub(super) start_cursor: Option<String>,
    /// Null if the page is empty.
    pub(super) end_cursor: Option<String>,
}

impl PageInfo {
    pub(super) fn of<T>(page: &Page<T>, cursor: impl Fn(&T) -> String) -> Self {
        Self {
            has_next_page: page.has_next,
            has_previous_page: page.has_previous,
            start_cursor: page.items.first().map(&cursor),
            end_cursor: page.items.last().map(&cursor),
        }
    }
}

pub struct PostConnection {
    list: PostList,
    page: Arc<Page<Arc<Post>>>,
    /// Counted once, for any number of aliases of `totalCount`.
    total: OnceCell<u64>,
}

impl PostConnection {
    pub async fn read(ctx: &Context<'_>, list: PostList, paging: Paging) -> Result<Self> {
        let arguments = paging.decode(|argument, text| list.decode_cursor(argument, text))?;
        let key = PageKey { list: list.clone(), arguments, requested: requested(ctx) };
        let page = context::of(ctx).loaders.pages.load(key).await?;
        Ok(Self { list, page, total: OnceCell::new() })
    }
}

/// An item and its cursor.
#[derive(SimpleObject)]
pub struct PostEdge {
    /// An opaque cursor for `after` and `before`.
    pub(super) cursor: String,
    /// The post.
    pub(super) node: PostObject,
}

/// A part of a list of posts, newest first unless the list says otherwise.
#[Object]
impl PostConnection {
    /// Each item with its cursor.
    async fn edges(&self) -> ReadyList<PostEdge> {
        let cursors = self.list.cursors();
        let edge = |post: &Arc<Post>| PostEdge { cursor: cursors.of(post), node: PostObject::new(Arc::clone(post)) };
        ReadyList(self.page.items.iter().map(edge).collect())
    }

    /// The items.
    async fn nodes(&self) -> ReadyList<PostObject> {
        ReadyList(self.page.items.iter().map(|post| PostObject::new(Arc::clone(post))).collect())
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        let cursors = self.list.cursors();
        PageInfo::of(&self.page, |post| cursors.of(post))
    }

    /// The number of items in the whole list, counted only if requested.
    async fn total_count(&self, ctx: &Context<'_>) -> Result<i32> {
        let reader = &context::of(ctx).reader;
        let total = *self.total.get_or_try_init(|| Box::pin(cached::count_posts(reader, &self.list))).await?;
        Ok(i32::try_from(total).unwrap_or(i32::MAX))
    }
}

enum ListOfTerms {
    All(TermList),
    /// The terms of a page, and the count of each.
    ByCount(TermsByCount, Vec<u64>),
    Children(ChildCategories),
}

pub struct PageOfTerms {
    list: ListOfTerms,
    page: Arc<Page<Arc<Term>>>,
}

impl PageOfTerms {
    /// A page of all terms of a kind, in the requested order.
    pub async fn of(ctx: &Context<'_>, kind: TermKind, order_by: Option<TermOrder>, paging: Paging) -> Result<Self> {
        let list = match order::terms_in(order_by, kind) {
            OrderedTerms::BySlug(list) => list,
            OrderedTerms::ByCount(list) => return Box::pin(Self::read_by_count(ctx, list, paging)).await,
        };
        let arguments = paging.decode(|argument, text| list.decode_cursor(argument, text))?;
        let page = cached::page_of_terms(&context::of(ctx).reader, &list, &arguments, requested(ctx)).await?;
        Ok(Self { list: ListOfTerms::All(list), page })
    }

    async fn read_by_count(ctx: &Context<'_>, list: TermsByCount, paging: Paging) -> Result<Self> {
        let arguments = paging.decode(|argument, text| list.decode_cursor(argument, text))?;
        let page = match requested(ctx) == RequestedFields::default() {
            true => Page { items: Vec::new(), has_next: false, has_previous: false },
            false => context::of(ctx).loaders.terms_by_count(&list, &arguments).await?,
        };
        let Page { items, has_next, has_previous } = page;
        let counts = items.iter().map(|counted| counted.posts).collect();
        let items = items.into_iter().map(|counted| counted.term).collect();
        Ok(Self { list: ListOfTerms::ByCount(list, counts), page: Arc::new(Page { items, has_next, has_previous }) })
    }

    /// A page of the direct children of a category.
    pub async fn read_below(
        ctx: &Context<'_>,
        parent: &Term,
        first: Option<i32>,
        after: Option<String>,
    ) -> Result<Self> {
        let list = ChildCategories::of(parent);
        let page = list.page(first, after.as_deref())?;
        let page = context::of(ctx).loaders.categories_below(&list, &page, requested(ctx)).await?;
        Ok(Self { list: ListOfTerms::Children(list), page: Arc::new(page) })
    }

    fn cursor(&self, term: &Arc<Term>) -> String {
        match &self.list {
            ListOfTerms::All(list) => list.cursor(term),
            ListOfTerms::ByCount(list, counts) => {
                let at = self.page.items.iter().position(|item| item.id == term.id);
                let posts = at.and_then(|at| counts.get(at)).copied().unwrap_or_default();
                list.cursor(&CountedTerm { term: Arc::clone(term), posts })
            }
            ListOfTerms::Children(list) => list.cursor(term),
        }
    }

    async fn total(&self, ctx: &Context<'_>) -> Result<i32> {
        let total = match &self.list {
            ListOfTerms::All(list) => total::count_terms(&context::of(ctx).reader, list.kind()).await?,
            ListOfTerms::ByCount(list, _) => total::count_terms(&context::of(ctx).reader, list.0.kind()).await?,
            ListOfTerms::Children(list) => context::of(ctx).loaders.count_categories_below(list).await? as u64,
        };
        Ok(i32::try_from(total).unwrap_or(i32::MAX))
    }
}

/// Defines the connection and the edge of one kind of term.
macro_rules! term_connection {
    ($connection:ident, $edge:ident, $node:ident, $plural:literal) => {
        pub struct $connection(pub PageOfTerms);

        /// An item and its cursor.
        #[derive(SimpleObject)]
        pub struct $edge {
            /// An opaque cursor for `after` and `before`.
            pub(super) cursor: String,
            /// The item.
            pub(super) node: $node,
        }

        #[doc = concat!("A page of ", $plural, ", by slug unless the list says otherwise.")]
        #[Object]
        impl $connection {
            /// Each item with its cursor.
            async fn edges(&self) -> ReadyList<$edge> {
                let edge = |term: &Arc<Term>| $edge { cursor: self.0.cursor(term), node: $node(Arc::clone(term)) };
                ReadyList(self.0.page.items.iter().map(edge).collect())
            }

            /// The items.
            async fn nodes(&self) -> ReadyList<$node> {
                ReadyList(self.0.page.items.iter().map(|term| $node(Arc::clone(term))).collect())
            }

            /// The position of this page in the list.
            async fn page_info(&self) -> PageInfo {
                PageInfo::of(&self.0.page, |term| self.0.cursor(term))
            }

            /// The number of items in the whole list, counted only if requested.
            async fn total_count(&self, ctx: &Context<'_>) -> Result<i32> {
                self.0.total(ctx).await
            }
        }
    };
}

term_connection!(CategoryConnection, CategoryEdge, Category, "categories");
term_connection!(TagConnection, TagEdge, Tag, "tags");
term_connection!(AuthorConnection, AuthorEdge, Author, "authors");
term_connection!(SeriesConnection, SeriesEdge, Series, "series");
