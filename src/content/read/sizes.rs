//! The size of the content according to the lists of partitions, and the maximum number of ranges that a page reads. The rule: a figure is exact
//! or too high for content that nobody changes meanwhile, and a list that is not in memory is unknown, never assumed to be short.

use std::sync::Arc;

use crate::content::error::Result;
use crate::content::tables::rows::count::Count;
use crate::content::tables::rows::partition_catalog::Listed;
use crate::content::tables::{Catalog, FirstCharacters, Months, PartitionList};
use crate::keys::Collection;
use crate::model::{Instant, Month, PostId, PostKey, TermKind};
use crate::store::PAGE_ROWS_MAX;

use super::reader::Reader;

/// Posts or terms that other servers may add to a store of tables while this server uses a list of partitions: those of one change with many new tags.
const ADDED_MEANWHILE: u64 = 100;

/// The first characters that a slug can have: ten digits and twenty-six letters.
const FIRST_CHARACTERS: u64 = 36;

/// The range reads of a list of months of unknown length.
const MONTHS_READS_UNKNOWN: u64 = 10;

/// Where in its list a page begins to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The newest post, or the first term.
    First,
    /// The oldest post, or the last term.
    Last,
    /// At a cursor, at a date, or unknown.
    Anywhere,
}

/// The lists of partitions that are in memory.
#[derive(Debug, Clone, Default)]
pub struct Sizes {
    posts: Option<Months>,
    drafts: Option<Months>,
    terms: [Option<FirstCharacters>; TermKind::ALL.len()],
    now: Option<Instant>,
    /// Whether other servers can write to the store while a list is cached.
    pub are_shared: bool,
    /// The declared fields whose index rows a change writes.
    pub indexed_fields: u64,
    /// Whether the figures reveal nothing about unpublished posts, for a client that must not know of them: its bound is the same whether they
    /// exist or not, up to a thousand.
    is_coarse: bool,
    /// What a mutation may change while it runs.
    unfixed: Unfixed,
    /// How many tags it may create.
    created_tags: u64,
    /// Whether the client sends no token, so that it gets no drafts and no scheduled posts.
    pub is_anonymous: bool,
}

/// What may change between the price of an operation and its reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Unfixed {
    #[default]
    Nothing,
    Posts,
    PostsAndTerms,
}

impl Reader {
    /// The sizes that are known without a read. `is_coarse`: without what only some clients may know.
    pub fn sizes(&self, is_coarse: bool) -> Sizes {
        Sizes {
            posts: self.known_list(&PartitionList::months(Collection::Posts)),
            drafts: self.known_list(&PartitionList::months(Collection::Drafts)),
            terms: TermKind::ALL.map(|kind| self.known_list(&PartitionList::first_characters(kind))),
            now: Some(self.now()),
            are_shared: self.partition_catalogs.are_shared(),
            indexed_fields: self.indexed_fields,
            is_coarse,
            unfixed: Unfixed::Nothing,
            created_tags: 0,
            is_anonymous: self.actor().is_none(),
        }
    }

    /// Reads a list that is not in memory. One range read for each 1,000 months, or one.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn read_catalog(&self, catalog: Catalog) -> Result<()> {
        match catalog {
            // Not noted, because a price is not part of a cached answer.
            Catalog::Posts => self.unnoted_months(Collection::Posts).await.map(drop),
            Catalog::Drafts => self.unnoted_months(Collection::Drafts).await.map(drop),
            Catalog::Terms(kind) => self.first_characters(kind).await.map(drop),
        }
    }

    /// From now on, a query that needs more storage requests than this is stopped, because its bound is wrong; `None`: any number.
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

    /// Whether reading the list makes figures known.
    pub fn can_read(&self, catalog: Catalog) -> bool {
        let is_fixed = match self.unfixed {
            Unfixed::Nothing => true,
            Unfixed::Posts => matches!(catalog, Catalog::Terms(_)),
            Unfixed::PostsAndTerms => false,
        };
        is_fixed && !(self.knows(catalog) || self.is_coarse && catalog == Catalog::Drafts)
    }

    /// The range reads of a list; if its length is unknown, enough for all months since the year 1200.
    pub fn reads_of_catalog(&self, catalog: Catalog) -> u64 {
        let months = match catalog {
            Catalog::Posts => self.posts.as_ref(),
            Catalog::Drafts => self.known_drafts(),
            Catalog::Terms(_) => return 1,
        };
        months.map_or(MONTHS_READS_UNKNOWN, |months| (months.len() / PAGE_ROWS_MAX) as u64 + 1)
    }

    /// `None` for a client that must not know of drafts.
    fn known_drafts(&self) -> Option<&Months> {
        self.drafts.as_ref().filter(|_| !self.is_coarse)
    }

    /// The number of terms of a kind.
    pub fn terms(&self, kind: TermKind) -> Option<u64> {
        let listed: u64 = self.terms[kind as usize].as_ref()?.iter().map(rows_of).sum();
        let created = if kind == TermKind::Tag { self.created_tags } else { 0 };
        Some(listed + self.margin() + created)
    }

    /// How much other servers may add while a list is cached. A mutation is not stopped at its bound.
    fn margin(&self) -> u64 {
        if self.are_shared && self.unfixed == Unfixed::Nothing { ADDED_MEANWHILE } else { 0 }
    }

    /// The number of posts that are not drafts, scheduled ones included; for a client that must not know of these, only the published ones,
    /// rounded up.
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

    /// The number of months that hold posts, of a year and of a month of the year if they are given.
    pub fn months(&self, year: Option<u64>, month: Option<u64>) -> Option<u64> {
        let is_meant = |of: &Month| {
            year.is_none_or(|year| u64::from(of.year()) == year)
                && month.is_none_or(|month| u64::from(of.month()) == month)
        };
        Some(self.visible()?.into_iter().filter(|(of, _)| is_meant(of)).count() as u64)
    }

    /// The range reads of a page of `need` posts of all months.
    pub fn reads_of_months(&self, need: u64, start: Start) -> Option<u64> {
        let rows: Vec<u64> = self.visible()?.into_iter().map(|(_, rows)| rows).collect();
        Some(reads(&rows, need, start))
    }

    /// The range reads of all drafts, with at least this many rows in each but the last two of a month.
    pub fn reads_of_drafts(&self, rows: u64) -> Option<u64> {
        let months = self.known_drafts()?.iter().filter(|month| month.may_hold_rows());
        let (months, drafts) = months.fold((0, 0), |(months, drafts), month| (months + 1, drafts + rows_of(month)));
        Some(2 * months + drafts / rows + 1)
    }

    /// The months whose posts may be scheduled, and how many posts they hold; `None` for a client that must not know of these.
    pub fn to_come(&self) -> Option<(u64, u64)> {
        self.posts_to_come().filter(|_| !self.is_coarse)
    }

    fn posts_to_come(&self) -> Option<(u64, u64)> {
        let present = self.now?.month();
        let to_come =
            self.posts.as_ref()?.iter().filter(|listed| listed.partition >= present && listed.may_hold_rows());
        Some(to_come.fold((0, 0), |(months, posts), month| (months + 1, posts + rows_of(month))))
    }

    /// The range reads that count the scheduled posts of the current month, or of a term.
    pub fn reads_to_count_scheduled(&self) -> Option<u64> {
        Some(self.posts_to_come()?.1 / PAGE_ROWS_MAX as u64 + 1)
    }

    /// The range reads that count the posts of a month, or of all months. Only the current month can have both published and scheduled posts.
    pub fn reads_to_count_months(&self) -> Option<u64> {
        let now = self.now?;
        let may_be_both = |listed: &Listed<Month>| {
            listed.may_hold_rows() && listed.count.newest.as_ref().is_none_or(|newest| newest.at > now)
        };
        let mut months = self.posts.as_ref()?.iter();
        let is_none = !self.is_coarse && !months.any(may_be_both);
        if is_none { Some(0) } else { self.reads_to_count_scheduled() }
    }

    /// The range reads that count the posts of the two months in which a range of dates begins and ends.
    pub fn reads_to_count_dates(&self) -> Option<u64> {
        let largest = self.posts.as_ref()?.iter().map(rows_of).max().unwrap_or(0);
        Some(2 * (largest / PAGE_ROWS_MAX as u64 + 1))
    }

    /// The partitions that a page of `need` terms reads.
    pub fn partitions_of_terms(&self, kind: TermKind, need: u64, start: Start) -> Option<u64> {
        let listed = self.terms[kind as usize].as_ref()?;
        let rows: Vec<u64> = listed.iter().filter(|listed| listed.may_hold_rows()).map(rows_of).collect();
        Some(reads(&rows, need, start))
    }

    /// The months up to now that may hold published posts, the newest first, and how many they hold at least.
    fn visible(&self) -> Option<Vec<(Month, u64)>> {
        let now = self.now?;
        let present = now.month();
        let months = self.posts.as_ref()?.iter();
        let months = months.filter(|listed| listed.may_hold_rows() && listed.partition <= present);
        // How many posts of the current month are scheduled is not known.
        let is_published = |listed: &Listed<Month>| listed.count.newest.as_ref().is_some_and(|newest| newest.at <= now);
        let visible = months.map(|listed| (listed.partition, if is_published(listed) { rows_of(listed) } else { 0 }));
        if !self.is_coarse {
            return Some(visible.collect());
        }
        let before = visible.filter(|(month, _)| *month < present);
        Some([(present, 0)].into_iter().chain(before).collect())
    }

    /// The sizes for a request that changes content: what it reads after the change is not known before. `created_tags`: how many tags it may
    /// create, if it makes one change; then the terms that exist are known.
    #[must_use]
    pub fn before_a_change(self, created_tags: Option<u64>) -> Self {
        let unfixed = if created_tags.is_some() { Unfixed::Posts } else { Unfixed::PostsAndTerms };
        let terms = if created_tags.is_some() { self.terms } else { Default::default() };
        Self { posts: None, drafts: None, terms, unfixed, created_tags: created_tags.unwrap_or_default(), ..self }
    }

    /// The same for a client that must not know of unpublished posts.
    pub fn coarse(&self) -> Self {
        Self { is_coarse: true, ..self.clone() }
    }

    /// Sizes with these numbers of published posts in consecutive months, newest first, as many drafts, and these numbers of categories, tags,
    /// authors and series, whose slugs begin with different characters: for bounds without a store.
    pub fn assumed(now: Instant, posts: &[u64], terms: [u64; TermKind::ALL.len()]) -> Self {
        let mut month = now.month();
        let months = posts.iter().map(|rows| {
            let newest = PostKey { at: month.first(), id: PostId::from_bits(0) };
            let count = Count { rows: *rows as i64, newest: Some(newest), ..Count::default() };
            let this = Listed { partition: month, count };
            month = month.first().previous().map_or(month, |last| last.month());
            this
        });
        let posts: Months = Arc::new(months.collect());
        let terms = terms.map(|rows| {
            let of_character = |(at, character): (u64, char)| {
                let rows = rows / FIRST_CHARACTERS + u64::from(at < rows % FIRST_CHARACTERS);
                let count = Count { rows: rows as i64, ..Count::default() };
                Listed { partition: character.to_string(), count }
            };
            let characters = (0..).zip(('0'..='9').chain('a'..='z')).map(of_character);
            Some(Arc::new(characters.filter(Listed::may_hold_rows).collect()))
        });
        Self { drafts: Some(Arc::clone(&posts)), posts: Some(posts), terms, now: Some(now), ..Self::default() }
    }
}

/// Rounded up, so that up to a thousand scheduled posts of the current month do not show.
fn rounded(rows: u64) -> u64 {
    (rows / PAGE_ROWS_MAX as u64 + 1) * PAGE_ROWS_MAX as u64
}

fn rows_of<P>(listed: &Listed<P>) -> u64 {
    u64::try_from(listed.count.rows).unwrap_or(0)
}

/// How many of these partitions, in the order of their list, a page of `need` items reads at most: all whose rows it may need, and at a cursor the
/// partition of the cursor, which may hold nothing on its side.
fn reads(rows: &[u64], need: u64, start: Start) -> u64 {
    match start {
        Start::First => reads_of_first(rows.iter(), need),
        Start::Last => reads_of_first(rows.iter().rev(), need),
        Start::Anywhere => (longest_without(rows, need) + 2).min(rows.len() as u64),
    }
}

fn reads_of_first<'r>(rows: impl Iterator<Item = &'r u64>, need: u64) -> u64 {
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

/// The most partitions in a row that together hold fewer than `need` rows.
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
    use super::*;

    /// Every page, read step by step: from each partition on, in both directions, with nothing left in the first one.
    fn dearest_page(rows: &[u64], need: u64) -> u64 {
        let mut dearest = 0;
        for begin in 0..rows.len() {
            let forward: Vec<u64> = rows[begin..].to_vec();
            let backward: Vec<u64> = rows[..=begin].iter().rev().copied().collect();
            for mut page in [forward, backward] {
                page[0] = 0;
                dearest = dearest.max(reads(&page, need, Start::First));
            }
        }
        dearest
    }

    #[test]
    fn a_page_from_anywhere_reads_at_most_what_the_dearest_page_reads() {
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..2_000 {
            let rows: Vec<u64> = (0..next(12)).map(|_| next(6)).collect();
            let need = 1 + next(15);
            let (bound, dearest) = (reads(&rows, need, Start::Anywhere), dearest_page(&rows, need));
            assert!(bound >= dearest, "{rows:?} {need}: {bound} < {dearest}");
            assert!(bound <= dearest + 1, "{rows:?} {need}: {bound} > {dearest} + 1");
        }
        assert_eq!(reads(&[3, 0, 5, 9], 8, Start::First), 3);
        assert_eq!(reads(&[3, 0, 5, 9], 8, Start::Last), 1);
        assert_eq!(reads(&[3, 5], 100, Start::First), 2);
        assert_eq!(reads(&[], 1, Start::Anywhere), 0);
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
                (
                    sizes.posts(),
                    sizes.reads_of_drafts(250),
                    sizes.months(None, None),
                    sizes.months(Some(2026), Some(6)),
                ),
                (sizes.reads_of_months(3, Start::First), sizes.reads_of_months(30, Start::Anywhere)),
                (sizes.reads_to_count_months(), sizes.reads_to_count_scheduled()),
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
        assert_eq!(sizes.reads_of_months(1, Start::First), None);
    }
}
