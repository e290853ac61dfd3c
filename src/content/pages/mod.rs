//! Pages of lists, by Relay's connection specification. The rule: a page costs what it shows, wherever in the list it stands.
//!
//! A list of posts is a sorted stream of keys: the months one after another ([`months`]), one index partition ([`index`]), or a merge of
//! several ([`merge`]). [`posts`] takes from the stream until the page is full, and believes a key only where the post bears it out.

mod index;
pub mod list;
mod merge;
mod months;
pub mod posts;
mod stream;
pub mod terms;
pub mod total;
pub mod window;

pub use list::{Filter, PostList, Scope, SlugFilter};
pub use posts::PostSource;
pub use window::{PageArguments, Wanted};

use std::sync::atomic::{AtomicU32, Ordering};

use super::error::{ContentError, Result};

/// Items of a page with the answers about its neighbours, which are `false` where they were not asked for.
#[derive(Debug, Clone)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub has_next: bool,
    pub has_previous: bool,
}

/// How many range reads one page may take. Only a merge of long, finely interleaved lists comes near it.
pub const RANGE_READS_MAX: u32 = 200;

/// Counts down the range reads of one page.
#[derive(Debug, Default)]
pub(super) struct ReadBudget(AtomicU32);

impl ReadBudget {
    fn spend(&self) -> Result<()> {
        if self.0.fetch_add(1, Ordering::Relaxed) < RANGE_READS_MAX {
            Ok(())
        } else {
            Err(ContentError::TooBroad { limit: RANGE_READS_MAX })
        }
    }
}
