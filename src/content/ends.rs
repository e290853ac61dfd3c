//! Makes posts and pages drafts again at the end of their publication. The rule: a row that points to one is only a hint, and the instant in the post decides;
//! the change is based on the version that was read, so only one of several servers succeeds.

use std::time::Duration;

use crate::keys::site_page::PageRow;
use crate::keys::{Table, lookup, site_page};
use crate::model::{Instant, PostId, WholeSitePage};
use crate::store::{Key, PAGE_ROWS_MAX, RowRange};

use super::commands;
use super::error::Result;
use super::tables::rows::change::{KIND_OF_PAGES, KIND_OF_POSTS};
use super::write::{Change, Outcome, PagesWritten, until_made};
use super::{Content, audit};

const TRIES_MAX: u32 = 8;
const WAIT: Duration = Duration::from_millis(20);

impl Content {
    /// Unpublishes all posts and pages that are due. Returns the time until the next one is due, if there is one. Two range reads if nothing is due.
    ///
    /// # Errors
    /// The first error. Posts that were not unpublished stay due.
    pub async fn unpublish_due(&self) -> Result<Option<Duration>> {
        let (of_posts, next_post) = self.due(Table::PostKeys, &lookup::ends(), end_of_post).await?;
        let (of_pages, next_page) = self.due(Table::Pages, &site_page::ends(), end_of_page).await?;
        // A failure of one, such as a damaged post, does not stop the others.
        let mut failed = None;
        for (at, id) in of_posts {
            let ended = until_made(TRIES_MAX, WAIT, || self.unpublish_post(at, &id)).await;
            failed = failed.or(ended.err());
        }
        for (at, id) in of_pages {
            let ended = until_made(TRIES_MAX, WAIT, || self.unpublish_page(at, &id)).await;
            failed = failed.or(ended.err());
        }
        if let Some(error) = failed {
            return Err(error);
        }
        let next = [next_post, next_page].into_iter().flatten().min();
        Ok(next.map(|at| self.clock.now().until(at)))
    }

    /// The posts or pages that are due, and the instant of the next one that is not.
    async fn due(
        &self,
        table: Table,
        ends: &RowRange,
        end_of: fn(&Key) -> Option<(Instant, PostId)>,
    ) -> Result<(Vec<(Instant, PostId)>, Option<Instant>)> {
        let (now, mut due, mut continuation) = (self.clock.now(), Vec::new(), None);
        let range = ends.clone().of_keys();
        loop {
            let page = self.store.range(table.name(), &range, PAGE_ROWS_MAX, continuation.as_ref()).await?;
            for (at, id) in page.rows.iter().filter_map(|row| end_of(&row.key)) {
                if at > now {
                    return Ok((due, Some(at)));
                }
                due.push((at, id));
            }
            continuation = page.continuation;
            if continuation.is_none() {
                return Ok((due, None));
            }
        }
    }

    /// Returns `None` to try again after another change.
    async fn unpublish_post(&self, at: Instant, id: &PostId) -> Result<Option<()>> {
        let stored = self.stored_by_id(id).await?;
        let Some(before) = stored.filter(|stored| stored.whole.post.unpublish_at == Some(at)) else {
            return Ok(Some(()));
        };
        let after = commands::end(&before.whole, self.clock.now());
        let change = Change { before: Some(before), after: Some(after.clone()) };
        if self.writer()?.change_posts_with(vec![change], &[], None).await? != [Outcome::Done] {
            return Ok(None);
        }
        audit::log_end(KIND_OF_POSTS, &after.post);
        Ok(Some(()))
    }

    async fn unpublish_page(&self, at: Instant, id: &PostId) -> Result<Option<()>> {
        let writer = self.writer()?;
        let mut tree = writer.page_tree().await?;
        let page = tree.by_id(id).await?;
        let Some(before) = page.filter(|page| page.page.post.unpublish_at == Some(at)) else { return Ok(Some(())) };
        let ended = commands::end(&before.to_post(), self.clock.now());
        let mut after = WholeSitePage { changed_by: ended.changed_by.clone(), ..before.with_text(ended) };
        after.page.is_scheduled = false;
        tree.put(after.clone());
        if writer.write_pages(tree).await? != PagesWritten::Done {
            return Ok(None);
        }
        audit::log_end(KIND_OF_PAGES, &after.page.post);
        Ok(Some(()))
    }
}

fn end_of_post(key: &Key) -> Option<(Instant, PostId)> {
    match lookup::parse(key)? {
        lookup::Lookup::End(at, id) => Some((at, id)),
        _ => None,
    }
}

fn end_of_page(key: &Key) -> Option<(Instant, PostId)> {
    match site_page::parse(key)? {
        PageRow::End(at, id) => Some((at, id)),
        _ => None,
    }
}
