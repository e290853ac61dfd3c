//! The four paging arguments, and the page that they request. The rule: a value out of range is an error that names the argument and the limit, and is never
//! clamped.

use std::cmp::Ordering;
use std::ops::Range;

use crate::content::error::{ContentError, Result};

/// Items of a page, and whether the list has items on either side, which is false if it was not requested.
#[derive(Debug, Clone)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub has_next: bool,
    pub has_previous: bool,
}

/// The arguments as the client sent them; the list decodes its own cursors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PageArguments<C> {
    pub first: Option<i32>,
    pub last: Option<i32>,
    pub after: Option<C>,
    pub before: Option<C>,
}

impl<C> PageArguments<C> {
    /// A page of a list whose items are all in memory, by Relay's algorithm. `order`: compares an item with a cursor in the order of the list.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range.
    pub(in crate::content) fn page_of_all<T: Clone>(
        &self,
        all: &[T],
        (default, page_size_max): (usize, usize),
        order: impl Fn(&T, &C) -> Ordering,
    ) -> Result<Page<T>> {
        let take = Take::of(self.first, self.last, default, page_size_max)?;
        let is_up_to = |item: &T| self.after.as_ref().is_some_and(|after| order(item, after).is_le());
        let is_before = |item: &T| self.before.as_ref().is_none_or(|before| order(item, before).is_lt());
        let range = take.range(all.partition_point(is_up_to), all.partition_point(is_before));
        let (has_next, has_previous) = (range.end < all.len(), range.start > 0);
        Ok(Page { items: all[range].to_vec(), has_next, has_previous })
    }
}

/// This is not derived, because that would require `C: Default`.
impl<C> Default for PageArguments<C> {
    fn default() -> Self {
        Self { first: None, last: None, after: None, before: None }
    }
}

/// The parts of a page that the client requests; each may cost reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RequestedFields {
    /// Whether the items or their cursors are requested.
    pub items: bool,
    pub has_next: bool,
    pub has_previous: bool,
}

/// The size of a page: `first` items from the start, of which the last `last` are kept; or `last` items from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::content) enum Take {
    First { count: usize, then_last: Option<usize> },
    Last { count: usize },
}

impl Take {
    /// The maximum number of items that are read for the page.
    pub(in crate::content) fn count(self) -> usize {
        match self {
            Self::First { count, .. } | Self::Last { count } => count,
        }
    }

    /// The items of a page among those from `start` to `end`.
    pub(in crate::content) fn range(self, start: usize, end: usize) -> Range<usize> {
        let end = end.max(start);
        match self {
            Self::First { count, then_last } => {
                let to = end.min(start + count);
                then_last.map_or(start, |last| to.saturating_sub(last).max(start))..to
            }
            Self::Last { count } => end.saturating_sub(count).max(start)..end,
        }
    }

    /// A page of items that were read in its direction, with one additional item if the list continues and that was requested. The caller adds whether there
    /// are items beyond the cursors.
    pub(in crate::content) fn page<T>(self, mut items: Vec<T>) -> Page<T> {
        let has_more = items.len() > self.count();
        items.truncate(self.count());
        match self {
            Self::First { then_last, .. } => {
                let cut = then_last.map_or(0, |last| items.len().saturating_sub(last));
                items.drain(..cut);
                Page { items, has_next: has_more, has_previous: cut > 0 }
            }
            Self::Last { .. } => {
                items.reverse();
                Page { items, has_next: false, has_previous: has_more }
            }
        }
    }

    /// # Errors
    /// [`ContentError::BadArgument`] if a size is negative or over `page_size_max`.
    pub(in crate::content) fn of(
        first: Option<i32>,
        last: Option<i32>,
        default: usize,
        page_size_max: usize,
    ) -> Result<Self> {
        let first = first.map(|n| check("first", n, page_size_max)).transpose()?;
        let last = last.map(|n| check("last", n, page_size_max)).transpose()?;
        Ok(match (first, last) {
            (Some(count), then_last) => Self::First { count, then_last },
            (None, Some(count)) => Self::Last { count },
            (None, None) => Self::First { count: default, then_last: None },
        })
    }
}

fn check(argument: &'static str, size: i32, page_size_max: usize) -> Result<usize> {
    match usize::try_from(size) {
        Ok(size) if size <= page_size_max => Ok(size),
        Ok(size) => Err(ContentError::BadArgument {
            argument,
            message: format!("`{argument}` is {size}; a page holds at most {page_size_max}"),
        }),
        Err(_) => Err(ContentError::BadArgument {
            argument,
            message: format!("`{argument}` is {size}; it must be 0 to {page_size_max}"),
        }),
    }
}
