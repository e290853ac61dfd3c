//! The result of `Query.search`. The rule: a highlight is made from the current text of the row, and only from fields that the client can read.

use std::sync::Arc;

use async_graphql::{Context, Enum, Object, SimpleObject};
use tidings_search::{Matcher, Place, QUERY_BYTES_MAX, Query};

use crate::content::read::pages::{Page, PostList};
use crate::content::search::{ContentKind, SearchList, SearchPage, Searched, TERMS_MAX};
use crate::graphql::connection::PageInfo;
use crate::graphql::context;
use crate::graphql::engine::interface_value::InterfaceValue;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::json_text::JsonText;
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::HtmlText;

use super::content::ContentObject;
use super::page::PageObject;
use super::post::PostObject;
use super::rich_text::RichText;

/// The length of a highlight of a body, in bytes.
const HIGHLIGHT_BYTES: usize = 240;
const TERMS_DEFAULT: i32 = 10;

/// A type of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "ContentKind")]
pub enum ContentType {
    /// Posts.
    Post,
    /// Pages of the site.
    Page,
}

/// A field in which words of a query were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum SearchField {
    /// `title`
    Title,
    /// `subtitle`
    Subtitle,
    /// The text of `body`.
    Body,
}

/// Where a field has words of the query.
#[derive(SimpleObject)]
pub struct SearchHighlight {
    /// The field.
    field: SearchField,
    /// The title, the subtitle, or a part of the body: escaped text, with `<mark>` around the words.
    html: HtmlText,
}

pub struct SearchConnection(SearchPage);

impl SearchConnection {
    /// # Errors
    /// If the query is too long, or while the index is built.
    pub async fn read(
        ctx: &Context<'_>,
        text: &str,
        types: Option<Vec<ContentType>>,
        posts: PostList,
        (first, after): (Option<i32>, Option<&str>),
    ) -> Result<Self> {
        let query = Query::parse(text).map_err(|bad| bad_input("query", bad.to_string()))?;
        let kinds = types.map(|types| types.into_iter().map(ContentKind::from).collect());
        let request = context::of(ctx);
        let list = SearchList { query, kinds, posts };
        Ok(Self(request.content.search(&request.reader, list, (first, after)).await?))
    }

    fn node(found: &Searched) -> ContentObject {
        match found {
            Searched::Post(post) => ContentObject::Post(PostObject::new(Arc::clone(post))),
            Searched::Page(page) => ContentObject::Page(PageObject::new(Arc::clone(page))),
        }
    }
}

/// What a search has found: first what has all words of the query, then what has at least half of them.
#[Object]
impl SearchConnection {
    /// Each item with its cursor.
    async fn edges(&self) -> Vec<SearchEdge> {
        let edge = |(found, place): &(Searched, Place)| SearchEdge {
            cursor: self.0.cursor(place),
            score: f64::from(place.score),
            found: found.clone(),
            matcher: Arc::clone(&self.0.matcher),
        };
        self.0.items.iter().map(edge).collect()
    }

    /// The items.
    async fn nodes(&self) -> Vec<InterfaceValue<ContentObject>> {
        self.0.items.iter().map(|(found, _)| InterfaceValue(Self::node(found))).collect()
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        let SearchPage { items, has_next, has_previous, .. } = &self.0;
        let page = Page { items: items.clone(), has_next: *has_next, has_previous: *has_previous };
        let info = PageInfo::of(&page, |(_, place)| self.0.cursor(place));
        // A page whose hits were all deleted meanwhile also has a next page.
        PageInfo {
            end_cursor: self.0.end.filter(|_| *has_next).map(|place| self.0.cursor(&place)).or(info.end_cursor),
            ..info
        }
    }

    /// The query with known words in place of misspelt ones, for "Did you mean". Null if there are none.
    async fn suggestion(&self) -> Option<&str> {
        self.0.suggestion.as_deref()
    }
}

pub struct SearchEdge {
    cursor: String,
    score: f64,
    found: Searched,
    matcher: Arc<Matcher>,
}

/// A post or page that was found.
#[Object]
impl SearchEdge {
    /// An opaque cursor for `after`.
    async fn cursor(&self) -> &str {
        &self.cursor
    }

    /// The post or page.
    async fn node(&self) -> InterfaceValue<ContentObject> {
        InterfaceValue(SearchConnection::node(&self.found))
    }

    /// By BM25, with more weight for titles and headings. Comparable within one answer only.
    async fn score(&self) -> f64 {
        self.score
    }

    /// Where the words of the query are: at most one for each field. A storage read, shared with `body`.
    #[graphql(directive = ListSize::apply(Size::Highlights))]
    async fn highlights(&self, ctx: &Context<'_>) -> Result<Vec<SearchHighlight>> {
        let post = self.found.post();
        let details = match &self.found {
            Searched::Post(post) => PostObject::new(Arc::clone(post)).details(ctx).await?,
            Searched::Page(page) => PageObject::new(Arc::clone(page)).details(ctx).await?,
        };
        let body = RichText::new(details.markdown);
        let rendered = body.rendered(ctx).await?;
        let subtitle = post.subtitle.as_deref().unwrap_or_default();
        let found = [
            (SearchField::Title, self.matcher.whole(&post.title)),
            (SearchField::Subtitle, self.matcher.whole(subtitle)),
            (SearchField::Body, self.matcher.part(&rendered.text, HIGHLIGHT_BYTES)),
        ];
        let highlight = |(field, html): (SearchField, Option<String>)| {
            Some(SearchHighlight { field, html: HtmlText(JsonText::of(&html?)) })
        };
        Ok(found.into_iter().filter_map(highlight).collect())
    }
}

/// Completions for a search box.
///
/// # Errors
/// If an argument is out of range, or while the index is being built.
pub async fn search_terms(ctx: &Context<'_>, text: String, first: Option<i32>) -> Result<Vec<String>> {
    let first = usize::try_from(first.unwrap_or(TERMS_DEFAULT)).unwrap_or_default();
    if !(1..=TERMS_MAX).contains(&first) {
        return Err(bad_input("first", format!("`first` must be 1 to {TERMS_MAX}")));
    }
    if text.len() > QUERY_BYTES_MAX {
        return Err(bad_input(
            "text",
            format!("`text` has {} bytes; at most {QUERY_BYTES_MAX} are allowed", text.len()),
        ));
    }
    let request = context::of(ctx);
    Ok(Box::pin(request.content.search_terms(&request.reader, text, first)).await?)
}
