//! The size of the content, from the lists of partitions, and the maximum number of ranges that a page reads. The rule: unless content changes meanwhile, a
//! number is exact or too high, and an uncached list is unknown, never assumed to be short.

use crate::content::error::Result;
use crate::content::tables::rows::partition_catalog::Listed;
use crate::content::tables::{Catalog, FirstCharacters, Months, PartitionList};
use crate::keys::Collection;
use crate::model::{Instant, Month, TermKind};
use crate::store::PAGE_ROWS_MAX;

use super::reader::Reader;

/// The number of posts or terms that other servers may add while this server uses a cached list of partitions: those of one change with many new tags.
const ADDED_MEANWHILE: u64 = 100;

/// The assumed range reads of a list of months of unknown length.
const MONTHS_READS_UNKNOWN: u64 = 10;

/// The maximum number of terms that one change may create: tags of a post or of many posts, or one of another kind.
const CREATED: u64 = 200;

/// The lists of partitions that are cached.
#[derive(Debug, Clone, Default)]
pub struct Sizes {
    posts: Option<Months>,
    drafts: Option<Months>,
    terms: [Option<FirstCharacters>; TermKind::ALL.len()],
    now: Option<Instant>,
    /// Whether other servers can write to the store while a list is cached.
    pub are_shared: bool,
    /// Whether the numbers must not reveal unpublished posts: then an estimate is the same with and without them, up to a thousand.
    is_coarse: bool,
    /// The maximum number of terms that a mutation creates.
    created: u64,
    /// Whether the client sends no token, so that it gets no drafts and no scheduled posts.
    pub is_anonymous: bool,
}

impl Reader {
    /// The sizes that are known without a read. `is_coarse`: whether the client must not know of unpublished posts.
    pub fn sizes(&self, is_coarse: bool) -> Sizes {
        Sizes {
            posts: self.known_list(&PartitionList::months(Collection::Posts)),
            drafts: self.known_list(&PartitionList::months(Collection::Drafts)),
            terms: TermKind::ALL.map(|kind| self.known_list(&PartitionList::first_characters(kind))),
            now: Some(self.now()),
            are_shared: self.partition_catalogs.are_shared(),
            is_coarse,
            created: 0,
            is_anonymous: self.actor().is_none(),
        }
    }

    /// Reads an uncached list. One range read for each 1,000 months, or one for terms.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn read_catalog(&self, catalog: Catalog) -> Result<()> {
        match catalog {
            // These reads are not recorded, because a cost is not part of a cached answer.
            Catalog::Posts => self.unnoted_months(Collection::Posts).await.map(drop),
            Catalog::Drafts => self.unnoted_months(Collection::Drafts).await.map(drop),
            Catalog::Terms(kind) => self.first_characters(kind).await.map(drop),
        }
    }

    /// From now on, a query that makes more storage requests than this is stopped, because its estimate is wrong; `None` removes the limit.
    pub fn stop_at(&self, requests: Option<u64>) {
        self.source.counted.stop_at(requests);
    }
}

impl Sizes {
    pub fn knows(&self, catalog: Catalog) -> bool {
        match catalog {
            Catalog::Posts => self.posts.is_some(),
            Catalog::Drafts => self.known_drafts().is_some(),
            Catalog::Terms(kind) => self.terms[kind as usize].is_some(),
        }
    }

    /// Whether reading the list makes unknown numbers known.
    pub fn can_read(&self, catalog: Catalog) -> bool {
        !(self.knows(catalog) || self.is_coarse && catalog == Catalog::Drafts)
    }

    /// The range reads of a list; if its length is unknown, enough for 10,000 months.
    pub fn reads_of_catalog(&self, catalog: Catalog) -> u64 {
        let months = match catalog {
            Catalog::Posts => self.posts.as_ref(),
            Catalog::Drafts => self.known_drafts(),
            Catalog::Terms(_) => return 1,
        };
        months.map_or(MONTHS_READS_UNKNOWN, |months| (months.len() / PAGE_ROWS_MAX) as u64 + 1)
    }

    /// `None` if the client must not know of drafts.
    fn known_drafts(&self) -> Option<&Months> {
        self.drafts.as_ref().filter(|_| !self.is_coarse)
    }

    /// The number of terms of a kind.
    pub fn terms(&self, kind: TermKind) -> Option<u64> {
        let listed: u64 = self.terms[kind as usize].as_ref()?.iter().map(rows_of).sum();
        Some(listed + self.margin() + self.created)
    }

    /// The number of posts or terms that other servers may add while a list is cached.
    fn margin(&self) -> u64 {
        if self.are_shared { ADDED_MEANWHILE } else { 0 }
    }

    /// The number of published and scheduled posts; if the client must not know of scheduled ones, only the published ones, rounded up.
    pub fn posts(&self) -> Option<u64> {
        let now = self.now?;
        let months = self.posts.as_ref()?.iter();
        if !self.is_coarse {
            return Some(months.map(rows_of).sum::<u64>() + self.margin());
        }
        let (month, mut over, mut present) = (now.month(), 0, 0);
        for listed in months.filter(|listed| listed.partition <= month) {
            *(if listed.partition < month { &mut over } else { &mut present }) += rows_of(listed);
        }
        Some(over + rounded(present) + self.margin())
    }

    /// The number of months with posts.
    pub fn months(&self) -> Option<u64> {
        Some(self.visible()?.len() as u64)
    }

    /// The range reads of a page of `need` posts over all months.
    pub fn reads_of_months(&self, need: u64) -> Option<u64> {
        Some(reads(&self.visible()?, need))
    }

    /// The range reads of all drafts, with at least this many rows in each read but the last two of a month.
    pub fn reads_of_drafts(&self, rows: u64) -> Option<u64> {
        let months = self.known_drafts()?.iter().filter(|month| month.may_hold_rows());
        let (months, drafts) = months.fold((0, 0), |(months, drafts), month| (months + 1, drafts + rows_of(month)));
        Some(2 * months + drafts / rows + 1)
    }

    /// The number of months that may contain scheduled posts, and of the posts in them; `None` if the client must not know of these.
    pub fn to_come(&self) -> Option<(u64, u64)> {
        self.posts_to_come().filter(|_| !self.is_coarse)
    }

    fn posts_to_come(&self) -> Option<(u64, u64)> {
        let present = self.now?.month();
        let to_come =
            self.posts.as_ref()?.iter().filter(|listed| listed.partition >= present && listed.may_hold_rows());
        Some(to_come.fold((0, 0), |(months, posts), month| (months + 1, posts + rows_of(month))))
    }

    /// The range reads that count the scheduled posts of the current month or of a term.
    pub fn reads_to_count_scheduled(&self) -> Option<u64> {
        Some(self.posts_to_come()?.1 / PAGE_ROWS_MAX as u64 + 1)
    }

    /// The number of partitions that a page of `need` terms reads.
    pub fn partitions_of_terms(&self, kind: TermKind, need: u64) -> Option<u64> {
        let listed = self.terms[kind as usize].as_ref()?;
        let rows: Vec<u64> = listed.iter().filter(|listed| listed.may_hold_rows()).map(rows_of).collect();
        Some(reads(&rows, need))
    }

    /// The minimum number of published posts of each month up to now, the newest first.
    fn visible(&self) -> Option<Vec<u64>> {
        let now = self.now?;
        let present = now.month();
        let months = self.posts.as_ref()?.iter();
        let months = months.filter(|listed| listed.may_hold_rows() && listed.partition <= present);
        // The number of scheduled posts in the current month is unknown.
        let is_published = |listed: &Listed<Month>| listed.count.newest.as_ref().is_some_and(|newest| newest.at <= now);
        let visible = |listed: &Listed<Month>| if is_published(listed) { rows_of(listed) } else { 0 };
        if !self.is_coarse {
            return Some(months.map(visible).collect());
        }
        let before = months.filter(|listed| listed.partition < present).map(visible);
        Some(std::iter::once(0).chain(before).collect())
    }

    /// The sizes for the reads after a change, which may have created a few terms.
    #[must_use]
    pub fn before_a_change(self) -> Self {
        Self { posts: None, drafts: None, created: CREATED, ..self }
    }
}

/// Rounded up, so that up to a thousand scheduled posts of the current month are not revealed.
fn rounded(rows: u64) -> u64 {
    (rows / PAGE_ROWS_MAX as u64 + 1) * PAGE_ROWS_MAX as u64
}

fn rows_of<P>(listed: &Listed<P>) -> u64 {
    u64::try_from(listed.count.rows).unwrap_or(0)
}

/// The maximum number of partitions that a page of `need` items reads: those with the needed rows, and the cursor's partition, which may have no items after
/// the cursor.
fn reads(rows: &[u64], need: u64) -> u64 {
    (longest_without(rows, need) + 2).min(rows.len() as u64)
}

/// The maximum number of consecutive partitions that together have fewer than `need` rows.
fn longest_without(rows: &[u64], need: u64) -> u64 {
    let (mut longest, mut begin, mut sum) = (0, 0, 0);
    for (end, of_end) in rows.iter().enumerate() {
        sum += of_end;
        while sum >= need && begin <= end {
            sum -= rows[begin];
            begin += 1;
        }
        longest = longest.max(end + 1 - begin);
    }
    longest as u64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::content::tables::rows::count::Count;
    use crate::model::{PostId, PostKey};

    fn reads_step_by_step(rows: &[u64], need: u64) -> u64 {
        let (mut count, mut sum) = (0, 0);
        for of_partition in rows {
            if sum >= need {
                break;
            }
            count += 1;
            sum += of_partition;
        }
        count
    }

    /// Simulates every page: from each partition, in both directions, with no rows left in the first one.
    fn most_expensive_page(rows: &[u64], need: u64) -> u64 {
        let mut most_expensive = 0;
        for begin in 0..rows.len() {
            let forward: Vec<u64> = rows[begin..].to_vec();
            let backward: Vec<u64> = rows[..=begin].iter().rev().copied().collect();
            for mut page in [forward, backward] {
                page[0] = 0;
                most_expensive = most_expensive.max(reads_step_by_step(&page, need));
            }
        }
        most_expensive
    }

    #[test]
    fn a_page_from_anywhere_reads_at_most_what_the_most_expensive_page_reads() {
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..2_000 {
            let rows: Vec<u64> = (0..next(12)).map(|_| next(6)).collect();
            let need = 1 + next(15);
            let (bound, most_expensive) = (reads(&rows, need), most_expensive_page(&rows, need));
            assert!(bound >= most_expensive, "{rows:?} {need}: {bound} < {most_expensive}");
            assert!(bound <= most_expensive + 1, "{rows:?} {need}: {bound} > {most_expensive} + 1");
        }
        assert_eq!(reads(&[3, 5], 100), 2);
        assert_eq!(reads(&[], 1), 0);
    }

    #[test]
    fn what_a_client_must_not_know_changes_no_coarse_figure() {
        let now: Instant = "2026-06-15T12:00:00Z".parse().expect("an instant");
        let figures = |scheduled: &[(&str, i64)]| {
            let count = |rows, newest: Option<&str>| Count {
                rows,
                newest: newest.map(|at| PostKey { at: at.parse().expect("an instant"), id: PostId::from_bits(1) }),
                ..Default::default()
            };
            let mut months: Vec<Listed<Month>> = Vec::new();
            for (at, rows) in scheduled {
                let partition = at.parse::<Instant>().expect("an instant").month();
                months.push(Listed { partition, count: count(*rows, Some(at)) });
            }
            let past: Instant = "2026-04-01T00:00:00Z".parse().expect("an instant");
            months.push(Listed { partition: past.month(), count: count(7, Some("2026-04-02T00:00:00Z")) });
            let posts = Some(Arc::new(months));
            let sizes =
                Sizes { posts, drafts: Some(Arc::default()), now: Some(now), is_coarse: true, ..Sizes::default() };
            (
                (sizes.posts(), sizes.reads_of_drafts(250), sizes.months()),
                (sizes.reads_of_months(3), sizes.reads_of_months(30)),
                sizes.reads_to_count_scheduled(),
            )
        };
        let without = figures(&[]);
        assert_eq!(figures(&[("2026-06-20T00:00:00Z", 3)]), without);
        assert_eq!(figures(&[("2026-08-20T00:00:00Z", 5), ("2026-06-20T00:00:00Z", 3)]), without);
    }

    #[test]
    fn what_is_not_at_hand_is_unknown() {
        let sizes = Sizes::default();
        assert!(Catalog::ALL.iter().all(|catalog| !sizes.knows(*catalog)));
        assert_eq!((sizes.posts(), sizes.terms(TermKind::Tag), sizes.to_come()), (None, None, None));
        assert_eq!(sizes.reads_of_months(1), None);
    }
}
