//! Counts views: which visits count, how they are written, and how long they are kept. The rule: a view is counted once, even if answers of the storage are
//! lost; only a process that ends without [`ViewWriter::flush`] loses the views since the last flush.

mod chunk;

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use futures_util::{StreamExt, stream};

use crate::keys::views as keys;
use crate::model::{Day, Month, PostId};
use crate::store::{Batch, Operation, PAGE_ROWS_MAX, Precondition, Properties, StoreError};
use crate::views::{ViewedPost, Views, Visits};

use super::error::Result;
use super::{Content, Reader, random};
use chunk::{CHUNK_POSTS_MAX, Chunk};

/// The number of posts that are looked up together.
const LOOK_UPS_AT_ONCE: usize = 32;
/// The maximum number of remembered visits: some 16 MiB. Further visits count as new.
const SEEN_MAX: usize = 1_000_000;
/// The maximum number of posts and days with unwritten views.
const COUNTED_MAX: usize = 10_000;

/// Writes the views that a server has collected.
pub struct ViewWriter {
    content: Content,
    views: Arc<Views>,
    seen: Seen,
    /// Views that are not in a chunk yet.
    counted: BTreeMap<(Day, PostId), i64>,
    /// The chunk that is being written, or may have been written.
    chunk: Option<Chunk>,
    /// The number of the last chunk. It starts at a random number, so that it differs from those of earlier processes.
    number: i64,
    /// The months whose tables exist.
    created: HashSet<Month>,
}

/// The visits that were counted, by day.
#[derive(Default)]
struct Seen {
    days: BTreeMap<Day, HashSet<u64>>,
    hasher: RandomState,
}

impl Seen {
    /// Whether this is the visitor's first visit to the post on this day.
    fn is_new(&mut self, day: Day, post: &PostId, visitor: u64) -> bool {
        let is_full = self.days.values().map(HashSet::len).sum::<usize>() >= SEEN_MAX;
        let visit = self.hasher.hash_one((post, visitor));
        let visits = self.days.entry(day).or_default();
        if is_full { !visits.contains(&visit) } else { visits.insert(visit) }
    }

    fn forget_before(&mut self, day: Day) {
        self.days.retain(|of, _| *of >= day);
    }
}

impl ViewWriter {
    /// `None` if no views are counted.
    ///
    /// # Errors
    /// If the system has no random bytes.
    pub fn of(content: &Content) -> Result<Option<Self>> {
        let Some(views) = content.views().cloned() else { return Ok(None) };
        let number = i64::from_le_bytes(random::bytes()?) >> 1;
        let (content, counted, created) = (content.clone(), BTreeMap::new(), HashSet::new());
        Ok(Some(Self { content, views, seen: Seen::default(), counted, chunk: None, number, created }))
    }

    /// Writes all collected views. Looks up each viewed post, often from the cache; then, for up to 98 posts of a day, one point read each, two more, and one
    /// transaction.
    ///
    /// # Errors
    /// If the store fails. No view is lost, and the next call continues.
    pub async fn flush(&mut self) -> Result<()> {
        let (visits, dropped) = self.views.take();
        if dropped > 0 {
            tracing::warn!(dropped, "views.dropped");
        }
        let counted = self.count(visits).await;
        // After a failure, visits of earlier days were put back.
        if counted.is_ok() {
            self.seen.forget_before(self.views.today());
        }
        while let Some(chunk) = self.next_chunk() {
            self.create_table(chunk.day.month()).await?;
            chunk.write(&self.content.store, &self.content.sender_name).await?;
            self.chunk = None;
        }
        counted
    }

    /// Counts the visits to published posts; visits to unreadable posts are put back.
    async fn count(&mut self, visits: Visits) -> Result<()> {
        let mut failed = Ok(());
        for (day, posts) in visits {
            let reader = match self.content.reader().at_one_moment().await {
                Ok(reader) => reader,
                Err(error) => {
                    self.views.give_back(Visits::from([(day, posts)]));
                    failed = Err(error);
                    continue;
                }
            };
            let look_ups = posts.into_iter().map(|(post, visitors)| look_up(&reader, post, visitors));
            let mut found = stream::iter(look_ups.collect::<Vec<_>>()).buffer_unordered(LOOK_UPS_AT_ONCE);
            while let Some((post, visitors, id)) = found.next().await {
                match id {
                    Ok(Some(id)) => {
                        let new = visitors.iter().filter(|visitor| self.seen.is_new(day, &id, **visitor)).count();
                        self.add((day, id), new as i64);
                    }
                    Ok(None) => {}
                    Err(error) => {
                        self.views.give_back(Visits::from([(day, [(post, visitors)].into())]));
                        failed = Err(error);
                    }
                }
            }
        }
        failed
    }

    fn add(&mut self, post: (Day, PostId), views: i64) {
        let is_full = self.counted.len() >= COUNTED_MAX;
        match self.counted.get_mut(&post) {
            Some(counted) => *counted += views,
            None if views == 0 || is_full => {}
            None => drop(self.counted.insert(post, views)),
        }
    }

    /// The next chunk to write; a chunk that may already be written comes first.
    fn next_chunk(&mut self) -> Option<Chunk> {
        if self.chunk.is_none() {
            let ((day, _), _) = self.counted.first_key_value()?;
            let (day, mut views) = (*day, Vec::new());
            while views.len() < CHUNK_POSTS_MAX
                && let Some(first) = self.counted.first_entry()
                && first.key().0 == day
            {
                let ((_, post), more) = first.remove_entry();
                views.push((post, more));
            }
            self.number += 1;
            self.chunk = Some(Chunk { day, number: self.number, views });
        }
        self.chunk.clone()
    }

    /// Creates the table of a month and lists the month, once in each process: three requests.
    async fn create_table(&mut self, month: Month) -> Result<()> {
        if self.created.contains(&month) {
            return Ok(());
        }
        let store = &self.content.store;
        store.create_tables(&[keys::MONTHS, keys::table(month)]).await?;
        let (key, properties) = (keys::month(month), Properties::new());
        let row = Operation::Put { row: key.row().to_owned(), properties, precondition: Precondition::None };
        store.commit(keys::MONTHS, &Batch::new(key.partition(), vec![row])?).await?;
        self.created.insert(month);
        Ok(())
    }
}

type LookedUp = (ViewedPost, HashSet<u64>, Result<Option<PostId>>);

/// The published post of a visit.
async fn look_up(reader: &Reader, post: ViewedPost, visitors: HashSet<u64>) -> LookedUp {
    let found = match &post {
        ViewedPost::Id(id) => reader.post_by_id(id).await,
        ViewedPost::Slug(slug) => reader.post_by_slug(slug).await,
    };
    (post, visitors, found.map(|found| found.map(|post| post.id.clone())))
}

impl Content {
    /// Today, and the first day whose views are kept; `None` if views are not counted.
    pub(crate) fn days_with_views(&self) -> Option<(Day, Day)> {
        let views = self.views()?;
        let (today, mut oldest) = (views.today(), Day::first_of(views.today().month()));
        for _ in 1..views.months() {
            oldest = Day::first_of(oldest.minus(1).month());
        }
        Some((today, oldest))
    }

    /// Drops the tables of expired months, one request for each. One range read if there are none.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn delete_old_views(&self) -> Result<()> {
        let Some((_, oldest)) = self.days_with_views() else { return Ok(()) };
        self.store.create_tables(&[keys::MONTHS]).await?;
        for row in self.store.range(keys::MONTHS, &keys::months(), PAGE_ROWS_MAX, None).await?.rows {
            let Some(month) = keys::parse_month(&row.key).filter(|month| *month < oldest.month()) else { continue };
            self.store.drop_table(keys::table(month)).await?;
            let delete = Operation::Delete { row: row.key.row().to_owned(), precondition: Precondition::None };
            match self.store.commit(keys::MONTHS, &Batch::new(row.key.partition(), vec![delete])?).await {
                // Another server, or an earlier request, has deleted it.
                Ok(_) | Err(StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. }) => {
                    tracing::info!(%month, "views.month_deleted");
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_is_known_again_until_too_many_are_known() {
        let (mut seen, post, other) = (Seen::default(), PostId::from_bits(1), PostId::from_bits(2));
        let day = Day::of("2026-11-30T00:00:00Z".parse().expect("an instant"));
        assert!((0..SEEN_MAX as u64).all(|visitor| seen.is_new(day, &post, visitor)));
        assert!(!seen.is_new(day, &post, 0) && !seen.is_new(day, &post, SEEN_MAX as u64 - 1));
        assert!(seen.is_new(day, &other, 0) && seen.is_new(day, &other, 0), "no place is left");
        let next = Day::of(day.start().plus(std::time::Duration::from_secs(86_400)));
        seen.forget_before(next);
        assert!(seen.is_new(next, &post, 0) && !seen.is_new(next, &post, 0));
    }
}
