//! The place of a post's rows. The rule: it follows only from the post, so that it can be computed without a read.

use std::str::FromStr;

use compact_str::CompactString;

use crate::model::instant::TICKS_MAX;
use crate::model::{Instant, Month, Post, PostKey, Slug};
use crate::store::{Key, RowRange};

use super::{COUNT_ROW, Table, key, range, time};

/// The two tables with whole posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collection {
    Drafts,
    Posts,
}

impl Collection {
    pub const ALL: [Self; 2] = [Self::Drafts, Self::Posts];

    pub const fn table(self) -> Table {
        match self {
            Self::Drafts => Table::Drafts,
            Self::Posts => Table::Posts,
        }
    }

    pub const fn name(self) -> &'static str {
        self.table().name()
    }
}

impl FromStr for Collection {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|s| s.name() == text).ok_or(())
    }
}

/// A post's collection, and its key there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PostPlace {
    pub collection: Collection,
    pub key: PostKey,
}

impl PostPlace {
    pub fn of(post: &Post) -> Self {
        let collection = if post.published_at.is_some() { Collection::Posts } else { Collection::Drafts };
        Self { collection, key: post.key() }
    }

    pub fn partition(&self) -> String {
        month_partition(self.key.month())
    }

    pub fn summary(&self) -> Key {
        summary(&self.key)
    }

    /// The row of the whole post.
    pub fn whole(&self, slug: &Slug) -> Key {
        whole(self.key.month(), slug)
    }
}

pub fn month_partition(month: Month) -> String {
    month.to_string()
}

/// The row that lists a post, in either collection.
pub fn summary(post: &PostKey) -> Key {
    key(month_partition(post.month()), time::time_row(post))
}

pub fn whole(month: Month, slug: &Slug) -> Key {
    key(month_partition(month), whole_row(slug))
}

pub fn whole_row(slug: &Slug) -> String {
    format!("s-{slug}")
}

/// Whether the row contains a whole post, and not a summary.
pub fn is_whole_row(row: &str) -> bool {
    row.starts_with("s-")
}

pub fn parse_whole_row(row: &str) -> Option<Slug> {
    row.strip_prefix("s-")?.parse().ok()
}

/// The row that counts a partition of `Posts`, `Drafts`, an index table or a table of terms.
pub fn count(partition: impl Into<CompactString>) -> Key {
    key(partition, COUNT_ROW)
}

/// `Months`: one partition for each collection, so that the list of months is one range read; a row has some 100 bytes, and a century 1,200 rows.
pub const fn months_partition(collection: Collection) -> &'static str {
    match collection {
        Collection::Posts => "all",
        Collection::Drafts => "drafts",
    }
}

/// The row that lists a month of a collection.
pub fn month_row(collection: Collection, month: Month) -> Key {
    key(months_partition(collection), format!("{:019}", time::inverted_ticks(month.first())))
}

/// The rows that list the months of a collection from `newest` to `oldest`, both inclusive; `None` leaves that side open.
pub fn month_rows(collection: Collection, newest: Option<Month>, oldest: Option<Month>) -> RowRange {
    let row = |month| month_row(collection, month).row().to_owned();
    let to = oldest.map(|month| time::just_after(&row(month)));
    range(months_partition(collection), newest.map(row), to)
}

/// The collection and the month of a row of `Months`; `None` if the row lists no month.
pub fn parse_month_row(found: &Key) -> Option<(Collection, Month)> {
    let collection =
        Collection::ALL.into_iter().find(|collection| months_partition(*collection) == found.partition())?;
    let first = Instant::from_ticks(TICKS_MAX.checked_sub(found.row().parse().ok()?)?)?;
    Some((collection, first.month())).filter(|(collection, month)| month_row(*collection, *month) == *found)
}
