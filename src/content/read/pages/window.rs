//! The four paging arguments, and the page that they request. The rule: a value out of range is an error that names the argument and the limit;
//! nothing is clamped.

use crate::content::error::{ContentError, Result};

/// Items of a page, and whether the list has items on either side, which is `false` if it was not requested.
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

/// Not derived, because that would require `C: Default`.
impl<C> Default for PageArguments<C> {
    fn default() -> Self {
        Self { first: None, last: None, after: None, before: None }
    }
}

/// The parts of a page that the client requests; each may cost reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RequestedFields {
    /// The items, or their cursors.
    pub items: bool,
    pub has_next: bool,
    pub has_previous: bool,
}

/// The size of a page: `first` items from the start, of which the `last` are kept; or `last` items from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::content) enum Take {
    First { count: usize, then_last: Option<usize> },
    Last { count: usize },
}

impl Take {
    /// The maximum number of items that are read for it.
    pub(super) fn count(self) -> usize {
        match self {
            Self::First { count, .. } | Self::Last { count } => count,
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
