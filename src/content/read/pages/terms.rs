//! One page of categories, tags, authors or series, in the order of their slugs or in the reverse order. The rule: the partitions that a page needs are known
//! from their counts, and are read concurrently.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::future::try_join_all;

use crate::content::error::{ContentError, Result};
use crate::content::read::reader::Reader;
use crate::content::tables::rows;
use crate::content::tables::rows::partition_catalog::Listed;
use crate::keys::cursor::{self, ListTag};
use crate::keys::time::Direction;
use crate::keys::{Table, term};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Entity, PAGE_ROWS_MAX, RowRange};

use super::posts::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use super::window::{Page, PageArguments, RequestedFields, Take};

/// All terms of a kind, ordered by slug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermList {
    kind: TermKind,
    /// `Forward` sorts by ascending slug.
    direction: Direction,
}

impl TermList {
    pub fn of(kind: TermKind) -> Self {
        Self { kind, direction: Direction::Forward }
    }

    /// The same terms in the reverse order.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { direction: self.direction.reversed(), ..self }
    }

    pub fn kind(&self) -> TermKind {
        self.kind
    }

    pub(super) fn direction(&self) -> Direction {
        self.direction
    }

    fn tag(&self) -> ListTag {
        let name = Table::Terms(self.kind).name();
        match self.direction {
            Direction::Forward => ListTag::of(name),
            Direction::Backward => ListTag::of(&format!("{name}, reversed")),
        }
    }

    pub fn cursor(&self, term: &Term) -> String {
        cursor::encode(self.tag(), term.slug.as_str())
    }

    /// # Errors
    /// [`ContentError::BadCursor`], which names the argument, if the cursor belongs to another list.
    pub fn decode_cursor(&self, argument: &'static str, text: &str) -> Result<Slug> {
        cursor::decode(self.tag(), text).map_err(|_| ContentError::BadCursor { argument })
    }
}

/// # Errors
/// Those of [`posts::read_page`](super::posts::read_page).
pub async fn read_page(
    reader: &Reader,
    list: &TermList,
    arguments: &PageArguments<Slug>,
    requested: RequestedFields,
) -> Result<Page<Arc<Term>>> {
    let take = Take::of(arguments.first, arguments.last, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)?;
    if requested == RequestedFields::default() {
        return Ok(Page { items: Vec::new(), has_next: false, has_previous: false });
    }
    let (after, before) = (arguments.after.as_ref(), arguments.before.as_ref());
    let ahead = list.direction;
    let (low, high) = match ahead {
        Direction::Forward => (after, before),
        Direction::Backward => (before, after),
    };
    let terms = TermRange { reader, kind: list.kind };
    // One additional item shows whether the list continues.
    let (direction, and_one) = match take {
        Take::First { .. } => (ahead, requested.has_next),
        Take::Last { .. } => (ahead.reversed(), requested.has_previous),
    };
    let page = take.page(terms.take(low, high, direction, take.count() + usize::from(and_one)).await?);
    Ok(Page {
        has_next: requested.has_next && (page.has_next || terms.any_from(before, ahead).await?),
        has_previous: requested.has_previous && (page.has_previous || terms.any_from(after, ahead.reversed()).await?),
        ..page
    })
}

/// All terms of a kind in the order of their slugs, at most `at_most`. The partitions are read concurrently.
pub(super) async fn read_all(reader: &Reader, kind: TermKind, at_most: usize) -> Result<Vec<Arc<Term>>> {
    TermRange { reader, kind }.take(None, None, Direction::Forward, at_most).await
}

/// The current slugs of terms that begin with the first character of a slug, from at most 1,000 rows. One range read.
pub async fn with_first_character_of(reader: &Reader, kind: TermKind, slug: &Slug) -> Result<Vec<Slug>> {
    let rows = term::rows(&term::partition(slug), None, None, Direction::Forward);
    let page = reader.store().range(Table::Terms(kind).name(), &rows, PAGE_ROWS_MAX, None).await?;
    let present = |row: &Entity| -> Result<Option<Slug>> {
        let Some((slug, _)) = term::parse_row(row.key.row()) else { return Ok(None) };
        Ok(rows::term::read(kind, row)?.is_listed_at(&slug).then_some(slug))
    };
    page.rows.iter().filter_map(|row| present(row).transpose()).collect()
}

struct TermRange<'a> {
    reader: &'a Reader,
    kind: TermKind,
}

impl TermRange<'_> {
    /// The partitions that may have slugs between the two, in order.
    async fn partitions(&self, after: Option<&Slug>, before: Option<&Slug>) -> Result<Vec<Listed<String>>> {
        let (low, high) = (after.map(term::partition), before.map(term::partition));
        let partition_catalog = self.reader.first_characters(self.kind).await?;
        let within = |p: &&Listed<String>| {
            p.may_hold_rows()
                && low.as_ref().is_none_or(|low| p.partition >= *low)
                && high.as_ref().is_none_or(|high| p.partition <= *high)
        };
        Ok(partition_catalog.iter().filter(within).cloned().collect())
    }

    /// The first `need` terms after `after` and before `before`, in this direction.
    async fn take(
        &self,
        after: Option<&Slug>,
        before: Option<&Slug>,
        direction: Direction,
        need: usize,
    ) -> Result<Vec<Arc<Term>>> {
        let mut rest = self.partitions(after, before).await?;
        let start = match direction {
            Direction::Forward => after,
            Direction::Backward => {
                rest.reverse();
                before
            }
        };
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        while found.len() < need && !rest.is_empty() {
            // It is unknown how many terms of the cursor's own partition are on this side of the cursor.
            let edge = start.map(term::partition).filter(|_| found.is_empty());
            let batch: Vec<_> = rest.drain(..enough(&rest, need - found.len(), edge.as_deref())).collect();
            let reads = batch.iter().map(|p| self.read(term::rows(&p.partition, after, before, direction), need));
            let read = try_join_all(reads).await?;
            // A term that was renamed between two reads may be in both partitions; only its first occurrence is listed.
            found.extend(read.into_iter().flatten().filter(|term: &Arc<Term>| seen.insert(term.id.clone())));
        }
        found.truncate(need);
        Ok(found)
    }

    /// Whether a term is at or after the cursor in this direction. False without a cursor.
    async fn any_from(&self, cursor: Option<&Slug>, direction: Direction) -> Result<bool> {
        let Some(cursor) = cursor else { return Ok(false) };
        if self.reader.is_term_listed(self.kind, cursor).await? {
            return Ok(true);
        }
        let (after, before) = match direction {
            Direction::Forward => (Some(cursor), None),
            Direction::Backward => (None, Some(cursor)),
        };
        Ok(!self.take(after, before, direction, 1).await?.is_empty())
    }

    /// Up to `need` terms of one partition; rows that only point to another slug are skipped. After a skipped row, the next read takes the maximum number of
    /// rows.
    async fn read(&self, rows: RowRange, need: usize) -> Result<Vec<Arc<Term>>> {
        let table = Table::Terms(self.kind).name();
        let mut found = Vec::new();
        let mut continuation = None;
        while found.len() < need {
            let limit = if continuation.is_none() { need.min(PAGE_ROWS_MAX) } else { PAGE_ROWS_MAX };
            let page = self.reader.store().range(table, &rows, limit, continuation.as_ref()).await?;
            let mut rows = page.rows.as_slice();
            while !rows.is_empty() && found.len() < need {
                let (terms, looked_at) = self.reader.listed_terms(self.kind, rows, need - found.len()).await?;
                found.extend(terms);
                rows = &rows[looked_at..];
            }
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
        }
        Ok(found)
    }
}

/// The number of partitions that certainly have enough terms; the cursor's own partition is not counted.
fn enough(partitions: &[Listed<String>], need: usize, edge: Option<&str>) -> usize {
    let mut terms = 0;
    for (i, listed) in partitions.iter().enumerate() {
        if edge != Some(listed.partition.as_str()) {
            terms += listed.count.rows.max(0) as usize;
        }
        if terms >= need {
            return i + 1;
        }
    }
    partitions.len()
}
