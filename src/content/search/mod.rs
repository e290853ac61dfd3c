//! Searches posts and pages, and finds related posts. The rule: a hit is only a candidate until the row of its post or page confirms it; and public content and
//! drafts have separate indexes, so that no rank, word or suggestion reveals a draft (I4b).
//!
//! [`follower`] decides when the indexes are updated, [`indexing`] updates them, [`view`] is the snapshot for one search, and [`documents`] selects the indexed
//! text of a post or page.

mod documents;
mod follower;
mod indexing;
mod pair;
mod view;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tidings_search::{Condition, Hit, Matcher, Page, Place, Query};

use crate::content::Content;
use crate::content::error::{ContentError, Result};
use crate::content::read::Reader;
use crate::content::read::pages::{Filter, PostList, SlugFilter, Take, of_first_slugs};
use crate::keys::cursor::{self, ListTag};
use crate::model::{IndexKind, Post, SitePage, Slug};

use documents::{KIND_OF_PAGES, KIND_OF_POSTS, Key, label};
pub(in crate::content) use follower::SearchIndexes;

pub(crate) const FOUND_DEFAULT: usize = 20;
pub(crate) const FOUND_MAX: usize = 100;
/// The maximum number of posts that [`Content::related`] returns.
pub(crate) const RELATED_MAX: usize = 10;
/// The maximum number of words that [`Content::search_terms`] returns.
pub(crate) const TERMS_MAX: usize = 20;
/// The maximum number of hits that are looked up for one page, as a multiple of its size, if some are not confirmed.
pub(crate) const TRIES_MAX: usize = 2;
/// The number of posts that are looked up together.
const LOOK_UPS: usize = 50;

/// The settings of search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchSettings {
    /// The folder of the index; `None` keeps it in memory.
    pub folder: Option<PathBuf>,
    /// The language of posts and pages without their own.
    pub language: Option<String>,
}

/// A post or page that was found.
#[derive(Clone)]
pub(crate) enum Searched {
    Post(Arc<Post>),
    Page(Arc<SitePage>),
}

impl Searched {
    pub(crate) fn post(&self) -> &Post {
        match self {
            Self::Post(post) => post,
            Self::Page(page) => &page.post,
        }
    }
}

/// A page of hits, the best first.
pub(crate) struct SearchPage {
    pub items: Vec<(Searched, Place)>,
    /// The last examined hit, whether it is shown or not.
    pub end: Option<Place>,
    pub has_next: bool,
    pub has_previous: bool,
    pub matcher: Arc<Matcher>,
    /// The query with corrected typing errors, if there are any.
    pub suggestion: Option<String>,
    list: ListTag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentKind {
    Post,
    Page,
}

impl ContentKind {
    /// The label of all documents of this kind.
    fn label(self) -> String {
        match self {
            Self::Post => KIND_OF_POSTS,
            Self::Page => KIND_OF_PAGES,
        }
        .to_owned()
    }
}

/// The filter of a search.
pub(crate) struct SearchList {
    pub query: Query,
    pub posts: PostList,
    /// `None` searches all kinds.
    pub kinds: Option<Vec<ContentKind>>,
}

impl SearchList {
    fn tag(&self) -> ListTag {
        ListTag::of(&format!("search {:?} {:?} {}", self.query.text(), self.kinds, self.posts.tag_text()))
    }
}

impl SearchPage {
    pub(crate) fn cursor(&self, place: &Place) -> String {
        let words = u8::from(place.has_all_words);
        let position = format!("{words},{},{},{},{}", place.score.to_bits(), place.order, place.key, place.rank);
        cursor::encode(self.list, &position)
    }
}

/// The position in a cursor.
struct Position(Place);

impl FromStr for Position {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split(',');
        let mut next = || parts.next().ok_or(());
        let has_all_words = next()? == "1";
        let score = f32::from_bits(next()?.parse().map_err(drop)?);
        let (order, key) = (next()?.parse().map_err(drop)?, next()?.parse().map_err(drop)?);
        let rank = next()?.parse().map_err(drop)?;
        Ok(Self(Place { has_all_words, score, order, key, rank }))
    }
}

impl Content {
    /// The hits of a query. Two point reads for each uncached post that is looked up, and one for each uncached page.
    ///
    /// # Errors
    /// [`ContentError::SearchNotReady`] while the index is being built; [`ContentError::BadArgument`], [`ContentError::BadCursor`].
    pub(crate) async fn search(
        &self,
        reader: &Reader,
        list: SearchList,
        (first, after): (Option<i32>, Option<&str>),
    ) -> Result<SearchPage> {
        let count = Take::of(first, None, FOUND_DEFAULT, FOUND_MAX)?.count();
        // The answer depends on the index, which is not a row, so it is not cached.
        reader.note_uncached();
        let tag = list.tag();
        let after: Option<Position> = after
            .map(|after| cursor::decode(tag, after).map_err(|_| ContentError::BadCursor { argument: "after" }))
            .transpose()?;
        let posts = of_first_slugs(reader, &list.posts).await?;
        let mut conditions = conditions(&posts.filter);
        if let Some(kinds) = &list.kinds {
            let kinds: BTreeSet<String> = kinds.iter().map(|kind| kind.label()).collect();
            conditions.push(Condition::Any(kinds.into_iter().collect()));
        }
        let view = self.search_view(reader).await?;
        let has_previous = after.is_some();
        let mut page = Page { first: count, after: after.map(|Position(place)| place), conditions: &conditions };
        let found = view.find(&list.query, &page).await?;
        let (mut items, mut has_next, matcher) = (Vec::new(), found.has_next, Arc::new(found.matcher));
        let mut hits = found.hits;
        for _ in 0..TRIES_MAX {
            page.after = hits.last().map(|hit| hit.place).or(page.after);
            items.extend(self.confirmed(reader, &posts, hits).await?);
            page.first = count.saturating_sub(items.len());
            if page.first == 0 || !has_next {
                break;
            }
            let found = view.find(&list.query, &page).await?;
            (hits, has_next) = (found.hits, found.has_next);
        }
        let suggestion = view.public()?.suggestion(&list.query).await?;
        Ok(SearchPage { items, end: page.after, has_next, has_previous, matcher, suggestion, list: tag })
    }

    /// The published posts that are most similar to this one in terms and in the words of title and excerpt.
    ///
    /// # Errors
    /// [`ContentError::SearchNotReady`] while the index is being built.
    pub(crate) async fn related(&self, reader: &Reader, post: &Post, first: usize) -> Result<Vec<Arc<Post>>> {
        reader.note_uncached();
        let view = self.search_view(reader).await?.public()?;
        let text = format!("{} {}", post.title, post.excerpt);
        let of_terms = post.indexes().filter(|(kind, _)| kind.term().is_some());
        let labels: Vec<String> = of_terms.map(|(kind, slug)| label(kind, &slug)).collect();
        let mut conditions = vec![Condition::All(vec![KIND_OF_POSTS.to_owned()])];
        if post.language.is_some() {
            let languages = post.indexed(IndexKind::Language);
            conditions.push(Condition::All(languages.iter().map(|slug| label(IndexKind::Language, slug)).collect()));
        }
        let hits = view.similar(text, labels, Key::of_post(&post.id).0, first, conditions).await?;
        let confirmed = self.confirmed(reader, &PostList::all(), hits).await?;
        let posts = confirmed.into_iter().filter_map(|(found, _)| match found {
            Searched::Post(post) => Some(post),
            Searched::Page(_) => None,
        });
        Ok(posts.filter(|post| post.published_at.is_some_and(|at| at <= reader.now())).collect())
    }

    /// Completions of this text for a search box, with words of published content only.
    ///
    /// # Errors
    /// [`ContentError::SearchNotReady`] while the index is being built.
    pub(crate) async fn search_terms(&self, reader: &Reader, text: String, first: usize) -> Result<Vec<String>> {
        reader.note_uncached();
        self.search_view(reader).await?.public()?.continuations(text, first).await
    }

    /// The posts and pages of these hits that are visible to the reader and match the list.
    async fn confirmed(&self, reader: &Reader, list: &PostList, hits: Vec<Hit>) -> Result<Vec<(Searched, Place)>> {
        let look_ups = hits.into_iter().map(|hit| async move {
            let found = match Key(hit.key).id() {
                (id, false) => reader.post_by_id(&id).await?.map(Searched::Post),
                (id, true) => reader.page_by_id(&id).await?.map(Searched::Page),
            };
            Ok::<_, ContentError>(found.map(|found| (found, hit.place)))
        });
        let mut look_ups = stream::iter(look_ups).buffered(LOOK_UPS);
        let mut confirmed = Vec::new();
        while let Some(found) = look_ups.next().await {
            confirmed.extend(found?.filter(|(found, _)| list.has(found.post())));
        }
        Ok(confirmed)
    }
}

/// The filter as conditions on the labels and times of documents.
fn conditions(filter: &Filter) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for kind in IndexKind::ALL {
        for SlugFilter { all, any, none } in filter.slugs(kind) {
            let labels = |slugs: &[Slug]| slugs.iter().map(|slug| label(kind, slug)).collect::<Vec<_>>();
            if !all.is_empty() {
                conditions.push(Condition::All(labels(all)));
            }
            conditions.extend(any.as_deref().map(|any| Condition::Any(labels(any))));
            if !none.is_empty() {
                conditions.push(Condition::None(labels(none)));
            }
        }
    }
    let (after, before) = (filter.published_after, filter.published_before);
    if after.is_some() || before.is_some() {
        conditions.push(Condition::All(vec![KIND_OF_POSTS.to_owned()]));
        conditions.push(Condition::Between(after.map(|at| at.ticks()), before.map(|at| at.ticks())));
    }
    conditions
}
