//! The next scheduled post. The rule: until its instant, the time alone changes no answer to an anonymous query.

use std::sync::Arc;

use crate::content::error::Result;
use crate::content::held::{HeldValue, ValueKey};
use crate::keys::time::{self, Direction, Span};
use crate::keys::{Collection, place};
use crate::model::Instant;
use crate::store::{MovingBounds, ReadSet};

use super::reader::Reader;

/// The instant of the first post after the reader's own instant; `None` if no post is scheduled. It reads only the list of months, and makes one
/// range read for each month from now on that had a scheduled post, until it finds one. These reads come after the query, and are not part of its
/// cost.
///
/// It notes in `reads` the rows of the months up to that post, so that a post which is scheduled for an earlier instant of these months is noticed. The
/// list of months is not noted, because every published post writes it: a query that depends on other months has read it, or the rows themselves.
///
/// These rows have no tags: a CDN holds no answer beyond the next instant, and is purged of everything if a post is scheduled for an earlier one.
pub(in crate::content) async fn next_scheduled(reader: &Reader, reads: &mut ReadSet) -> Result<Option<Instant>> {
    if let Some(HeldValue::NextScheduled(next, rows)) = reader.held_beside(&ValueKey::NextScheduled) {
        reads.merge(&rows);
        return Ok(next);
    }
    let part = reader.uncounted().part();
    let mut rows = ReadSet::tagged(MovingBounds::default(), Some(|_, _, _| None));
    let next = look(part.reader(), &mut rows).await?;
    let Some(rows) = rows.completed() else {
        reads.break_off();
        return Ok(next);
    };
    reads.merge(&rows);
    // This value depends on the list of months too, which the part has noted.
    part.keep_until(ValueKey::NextScheduled, HeldValue::NextScheduled(next, Arc::new(rows)), next);
    Ok(next)
}

async fn look(reader: &Reader, reads: &mut ReadSet) -> Result<Option<Instant>> {
    let Some(since) = reader.now().next() else { return Ok(None) };
    let months = reader.months(Collection::Posts).await?;
    // The months are listed newest first.
    for month in months.iter().rev() {
        let is_over = month.count.newest.as_ref().is_some_and(|newest| newest.at < since);
        if !month.may_hold_rows() || month.partition < since.month() || is_over {
            continue;
        }
        let span = Span { since: Some(since), ..Span::default() };
        let rows = span.rows(&place::month_partition(month.partition), Direction::Backward).of_keys();
        let page = reader.store().range(Collection::Posts.name(), &rows, 1, None).await?;
        reads.note_page(Collection::Posts.name(), &rows, &page);
        if let Some(row) = page.rows.first() {
            // The key of the first row may be invalid. Then the next instant is not known, and may be immediate.
            return Ok(Some(time::parse_mirror_row(row.key.row()).map_or(since, |key| key.at)));
        }
    }
    Ok(None)
}
