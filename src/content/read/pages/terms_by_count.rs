//! Categories, tags or authors, sorted by their number of published posts. The rule: all of them are counted, because no index has this order; so there may be
//! at most [`TERMS_BY_COUNT_MAX`], and the counts are cached, so that after a publication only the terms of its post are counted again.
//!
//! A cursor contains the count and the slug of its term: if counts change between two pages, a term can be on both pages or on none.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::content::cache::{CacheKey, Until};
use crate::content::error::{ContentError, Result};
use crate::content::read::reader::Reader;
use crate::keys::Table;
use crate::keys::cursor::{self, ListTag};
use crate::keys::time::Direction;
use crate::model::{Slug, Term};

use super::posts::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use super::terms::{self, TermList};
use super::total::count_terms;
use super::window::{Page, PageArguments, Take};

/// The maximum number of terms that can be sorted by count: each takes a storage request, unless its count is cached.
pub const TERMS_BY_COUNT_MAX: u64 = 1_000;

/// A list of terms sorted by count. `Forward`: terms with the most posts first, and terms with equal counts by ascending slug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermsByCount(pub TermList);

#[derive(Debug, Clone)]
pub struct CountedTerm {
    pub term: Arc<Term>,
    pub posts: u64,
}

/// The position of a term in the list.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CountPosition {
    posts: Reverse<u64>,
    slug: Slug,
}

impl CountPosition {
    fn of(counted: &CountedTerm) -> Self {
        Self { posts: Reverse(counted.posts), slug: counted.term.slug.clone() }
    }
}

impl TermsByCount {
    fn tag(&self) -> ListTag {
        let name = Table::Terms(self.0.kind()).name();
        match self.0.direction() {
            Direction::Forward => ListTag::of(&format!("{name} by posts")),
            Direction::Backward => ListTag::of(&format!("{name} by posts, reversed")),
        }
    }

    pub fn cursor(&self, counted: &CountedTerm) -> String {
        cursor::encode(self.tag(), &format!("{}-{}", counted.posts, counted.term.slug))
    }

    /// # Errors
    /// [`ContentError::BadCursor`], which names the argument, if the cursor belongs to another list.
    pub fn decode_cursor(&self, argument: &'static str, text: &str) -> Result<CountPosition> {
        let position = |text: String| {
            let (posts, slug) = text.split_once('-')?;
            Some(CountPosition { posts: Reverse(posts.parse().ok()?), slug: slug.parse().ok()? })
        };
        let decoded = cursor::decode(self.tag(), text).ok().and_then(position);
        decoded.ok_or(ContentError::BadCursor { argument })
    }

    /// One page. `all`: all terms of the list.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range.
    pub fn page(
        &self,
        mut all: Vec<CountedTerm>,
        arguments: &PageArguments<CountPosition>,
    ) -> Result<Page<CountedTerm>> {
        let take = size(arguments)?;
        all.sort_by_cached_key(CountPosition::of);
        if self.0.direction() == Direction::Backward {
            all.reverse();
        }
        let is_ahead = |one: &CountPosition, other: &CountPosition| match self.0.direction() {
            Direction::Forward => one < other,
            Direction::Backward => one > other,
        };
        let start = arguments
            .after
            .as_ref()
            .map_or(0, |after| all.partition_point(|counted| !is_ahead(after, &CountPosition::of(counted))));
        let end = arguments
            .before
            .as_ref()
            .map_or(all.len(), |before| all.partition_point(|counted| is_ahead(&CountPosition::of(counted), before)));
        let range = take.range(start, end);
        let (has_next, has_previous) = (range.end < all.len(), range.start > 0);
        all.truncate(range.end);
        Ok(Page { items: all.split_off(range.start), has_next, has_previous })
    }

    /// All terms of the list, unsorted: a range read for each first character, or none if they are cached.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range, or, before any term is read, if there are more than [`TERMS_BY_COUNT_MAX`].
    pub async fn terms(
        &self,
        reader: &Reader,
        arguments: &PageArguments<CountPosition>,
    ) -> Result<Arc<Vec<Arc<Term>>>> {
        size(arguments)?;
        self.check(count_terms(reader, self.0.kind()).await?)?;
        let kind = self.0.kind();
        let read = |reader: Reader| async move {
            terms::read_all(&reader, kind, TERMS_BY_COUNT_MAX as usize + 1).await.map(Arc::new)
        };
        let all: Arc<Vec<_>> = reader.cached(CacheKey::AllTerms(kind), Until::Written, |_| true, read).await?;
        self.check(all.len() as u64)?;
        Ok(all)
    }

    fn check(&self, terms: u64) -> Result<()> {
        if terms <= TERMS_BY_COUNT_MAX {
            return Ok(());
        }
        let table = Table::Terms(self.0.kind()).name().to_lowercase();
        Err(ContentError::BadArgument {
            argument: "orderBy",
            message: format!(
                "the site has {terms} {table}; at most {TERMS_BY_COUNT_MAX} can be ordered by POST_COUNT, because each of them is counted: order them by SLUG"
            ),
        })
    }
}

fn size(arguments: &PageArguments<CountPosition>) -> Result<Take> {
    Take::of(arguments.first, arguments.last, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TermKind;

    fn counted(slug: &str, posts: u64) -> CountedTerm {
        let slug: Slug = slug.parse().expect("a slug");
        CountedTerm { term: Arc::new(Term::new(TermKind::Tag, slug.clone(), slug.as_str())), posts }
    }

    /// Ten terms, two with each count.
    fn all() -> Vec<CountedTerm> {
        (0..10).map(|n| counted(&format!("t{n}"), n / 2)).collect()
    }

    fn slugs(page: &Page<CountedTerm>) -> Vec<String> {
        page.items.iter().map(|counted| counted.term.slug.to_string()).collect()
    }

    #[test]
    fn pages_forward_and_backward_join_to_the_list_in_both_orders() {
        let expected = ["t8", "t9", "t6", "t7", "t4", "t5", "t2", "t3", "t0", "t1"].map(str::to_owned);
        let forward = TermsByCount(TermList::of(TermKind::Tag));
        for list in [forward, TermsByCount(forward.0.reversed())] {
            let mut order = expected.to_vec();
            if list != forward {
                order.reverse();
            }
            for size in 1..=11 {
                let (mut found, mut after) = (Vec::new(), None);
                loop {
                    let arguments = PageArguments { first: Some(size), after, ..PageArguments::default() };
                    let page = list.page(all(), &arguments).expect("a page");
                    assert_eq!(page.has_previous, !found.is_empty());
                    found.extend(slugs(&page));
                    assert_eq!(page.has_next, found.len() < 10);
                    after = page
                        .items
                        .last()
                        .map(|last| list.decode_cursor("after", &list.cursor(last)).expect("a cursor"));
                    if !page.has_next {
                        break;
                    }
                }
                assert_eq!(found, order, "pages of {size}");
                let (mut found, mut before) = (Vec::new(), None);
                loop {
                    let arguments = PageArguments { last: Some(size), before, ..PageArguments::default() };
                    let page = list.page(all(), &arguments).expect("a page");
                    assert_eq!(page.has_next, !found.is_empty());
                    found = [slugs(&page), found].concat();
                    before = page.items.first().map(CountPosition::of);
                    if !page.has_previous {
                        break;
                    }
                }
                assert_eq!(found, order, "pages of {size} from the end");
            }
        }
    }

    #[test]
    fn a_page_is_between_its_cursors_and_the_last_of_the_first_are_its_end() {
        let list = TermsByCount(TermList::of(TermKind::Tag));
        let at = |slug: &str, posts: u64| Some(CountPosition::of(&counted(slug, posts)));
        let page = |first, last, after, before| {
            list.page(all(), &PageArguments { first, last, after, before }).expect("a page")
        };
        assert_eq!(slugs(&page(Some(4), Some(2), None, None)), ["t6", "t7"]);
        assert_eq!(slugs(&page(None, Some(1), at("t9", 4), at("t5", 2))), ["t4"]);
        assert_eq!(slugs(&page(None, None, at("t5", 2), at("t9", 4))), [""; 0]);
        // The cursor's term has more posts now: the list continues at its former position.
        assert_eq!(slugs(&page(Some(2), None, at("t8", 2), None)), ["t2", "t3"]);
        assert!(list.page(all(), &PageArguments { first: Some(101), ..PageArguments::default() }).is_err());
    }

    #[test]
    fn a_cursor_of_another_list_or_damaged_is_refused() {
        let list = TermsByCount(TermList::of(TermKind::Tag));
        let cursor = list.cursor(&counted("a-b", 7));
        assert_eq!(list.decode_cursor("after", &cursor).ok(), Some(CountPosition::of(&counted("a-b", 7))));
        for other in [TermsByCount(list.0.reversed()), TermsByCount(TermList::of(TermKind::Author))] {
            assert!(other.decode_cursor("after", &cursor).is_err());
        }
        for position in ["", "7", "-a", "x-a", "7-", "7-A", "-7-a"] {
            assert!(list.decode_cursor("after", &cursor::encode(list.tag(), position)).is_err(), "{position}");
        }
    }
}
