//! The audit log, with one entry for each changed object. The rule: the newest changes are first, the objects of one change are in the order of its row, and a
//! page reads at most two rows more than it returns entries. A row of an import has an entry for each of its posts, so rows are decoded one by one, until there
//! are enough entries.

use std::sync::Arc;

use crate::content::Reader;
use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::change::{self as rows, ChangedItem};
use crate::keys::cursor::{self, ListTag};
use crate::keys::{Table, history};
use crate::model::{ActorSnapshot, ChangeId, Instant};
use crate::store::{Entity, RowRange};

use super::pages::{Page, Take};

/// The maximum number of entries on one page.
const PAGE_MAX: usize = 100;
const PAGE_DEFAULT: usize = 20;

/// A change of one object.
#[derive(Debug, Clone)]
pub struct AuditEntry {
    pub id: ChangeId,
    /// The start of the change.
    pub at: Instant,
    pub by: Option<ActorSnapshot>,
    pub item: ChangedItem,
}

impl AuditEntry {
    pub fn cursor(&self) -> String {
        cursor::encode(list_tag(), &self.id.to_string())
    }
}

fn list_tag() -> ListTag {
    ListTag::of("audit log")
}

impl Reader {
    /// The entries of this year and the last.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range, [`ContentError::BadCursor`] for a cursor of another list.
    pub async fn audit_log(&self, first: Option<i32>, after: Option<&str>) -> Result<Page<Arc<AuditEntry>>> {
        let count = Take::of(first, None, PAGE_DEFAULT, PAGE_MAX)?.count();
        let bad_cursor = || ContentError::BadCursor { argument: "after" };
        let after =
            after.map(|text| cursor::decode::<ChangeId>(list_tag(), text)).transpose().map_err(|_| bad_cursor())?;
        let dated =
            |id: ChangeId| Ok::<_, ContentError>((history::year_of_change(&id.row).ok_or_else(bad_cursor)?, id));
        let after = after.map(dated).transpose()?;
        let this_year = self.now().month().year();
        let mut entries = Vec::new();
        for year in (this_year.saturating_sub(1)..=this_year).rev() {
            if after.as_ref().is_none_or(|(of, _)| year <= *of) && entries.len() <= count {
                let after = after.as_ref().filter(|(of, _)| *of == year).map(|(_, id)| id);
                let rows = history::changes(year, after.map(|id| id.row.as_str()));
                self.read_entries(&rows, after, count + 1, &mut entries).await?;
            }
        }
        let has_next = entries.len() > count;
        entries.truncate(count);
        Ok(Page { items: entries, has_next, has_previous: after.is_some() })
    }

    /// One entry; `None` if no entry has this id. One point read.
    pub async fn audit_entry(&self, id: &ChangeId) -> Result<Option<Arc<AuditEntry>>> {
        let Some(key) = history::change_at(&id.row) else { return Ok(None) };
        let Some(row) = self.store().get(Table::Changes.name(), &key).await? else { return Ok(None) };
        Ok(entries_of(&row)?.nth(id.index).map(Arc::new))
    }

    /// Adds the entries of a range, without those up to `after`, until there are `need`.
    async fn read_entries(
        &self,
        range: &RowRange,
        after: Option<&ChangeId>,
        need: usize,
        entries: &mut Vec<Arc<AuditEntry>>,
    ) -> Result<()> {
        let mut continuation = None;
        while entries.len() < need {
            // Each row has at least one entry after the cursor, except the first one, which may have none.
            let limit = need - entries.len() + usize::from(after.is_some());
            let page = self.store().range(Table::Changes.name(), range, limit, continuation.as_ref()).await?;
            for row in &page.rows {
                let is_after =
                    |entry: &AuditEntry| after.is_none_or(|id| entry.id.row != id.row || entry.id.index > id.index);
                entries.extend(entries_of(row)?.filter(is_after).take(need - entries.len()).map(Arc::new));
                if entries.len() == need {
                    return Ok(());
                }
            }
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
        }
        Ok(())
    }
}

fn entries_of(row: &Entity) -> Result<impl Iterator<Item = AuditEntry>> {
    let change = rows::read(row)?;
    let row = row.key.row().to_owned();
    Ok(change.items.into_iter().enumerate().map(move |(index, item)| AuditEntry {
        id: ChangeId { row: row.clone(), index },
        at: change.at,
        by: change.by.clone(),
        item,
    }))
}
