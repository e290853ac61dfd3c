//! The storage requests of pages and counts of lists. The rule: the numbers follow the steps of `content::read::pages`, unless the content changes meanwhile;
//! numbers that the catalogs do not show are assumed to be the maximum. The index of a term, a language or a value may contain every post.

use crate::content::editor::BULK_POSTS_MAX;
use crate::content::read::pages::terms_by_count::TERMS_BY_COUNT_MAX;
use crate::content::read::pages::{LOOK_UPS_MAX, RANGE_READS_MAX};
use crate::content::read::{Catalog, Sizes};
use crate::content::search::TRIES_MAX;
use crate::model::TermKind;

use super::arguments::{Arguments, Filter};
use super::bound::{POST_READS, ROWS};
use super::demand::Demand;

/// The point reads of a look-up by a slug that is not the first slug of its term.
const BY_SLUG: u64 = 2;
/// The point reads if the index is also empty: one more for the first slug, whose index may also be empty.
const BY_SLUG_OF_EMPTY: u64 = BY_SLUG + 1;
/// One range read may be tried in vain in place of the point reads of this many posts.
const POSTS_OF_RANGE: u64 = 4;
/// Rows of the first read of each index of an intersection.
const FIRST_ROWS: u64 = 250;
/// Different first characters of slugs: ten digits and twenty-six letters.
const CHARACTERS: u64 = 36;
/// The reads that count scheduled posts if their number is unknown: enough for 10,000 of them.
const COUNT_READS_UNKNOWN: u64 = 10;
/// The range reads after which a page or a count is refused.
const RANGES_MAX: u64 = RANGE_READS_MAX as u64;

/// The content of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// All published posts.
    Posts,
    /// The posts of one month.
    Month,
    /// The posts of a term.
    Term,
    /// The posts of a series in its own order, which cost no less than in the order of time.
    Series,
    Drafts,
    Scheduled,
    Terms(TermKind),
    /// All terms of the kind, ordered by their number of posts.
    TermsByCount(TermKind),
    /// The hits of a search.
    Search,
    /// The objects of a change.
    Change,
    /// Another list, with a price that does not depend on its arguments.
    Other,
}

/// The properties of a list on which the cost of its pages and its count depend.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    pub source: Source,
    pub size: u64,
    filter: Filter,
}

/// The selected parts of a page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Selected {
    pub items: bool,
    /// `pageInfo`
    pub position: bool,
}

impl List {
    pub(super) fn of(source: Source, arguments: &Arguments<'_>, sizes: &Sizes) -> Self {
        let source = match source {
            // These lists are refused before anything is read.
            Source::Drafts | Source::Scheduled if sizes.is_anonymous => return Self::none(Source::Other),
            Source::Terms(kind) if arguments.is_by_count() => Source::TermsByCount(kind),
            source => source,
        };
        if source == Source::Change {
            let named = |field| arguments.length(&["input", field], BULK_POSTS_MAX);
            return Self { size: named("posts").max(named("contents")), ..Self::none(source) };
        }
        let list = Self { size: arguments.page_size(), ..Self::none(source) };
        let is_filtered = matches!(source, Source::Posts | Source::Term | Source::Series | Source::Search);
        if is_filtered { Self { filter: arguments.filter(), ..list } } else { list }
    }

    pub(super) fn none(source: Source) -> Self {
        Self { source, size: 0, filter: Filter::default() }
    }

    /// The maximum number of items of a page.
    pub(super) fn items(&self, sizes: &Sizes) -> u64 {
        let of_list = match self.source {
            Source::Terms(kind) | Source::TermsByCount(kind) => sizes.terms(kind),
            _ if self.is_published() => sizes.posts(),
            _ => None,
        };
        self.size.min(of_list.unwrap_or(u64::MAX))
    }

    pub(super) fn is_published(&self) -> bool {
        matches!(self.source, Source::Posts | Source::Month | Source::Term | Source::Series)
    }

    /// The index of the list itself: that of its term.
    fn own_index(&self) -> u64 {
        u64::from(matches!(self.source, Source::Term | Source::Series))
    }
}

impl Selected {
    /// The number of items that a page of this size reads, with one more to detect whether others follow.
    pub(super) fn needed(self, size: u64) -> u64 {
        if self.items { size + u64::from(self.position) } else { 0 }
    }

    /// The number of cursors beyond which one more item is searched.
    pub(super) fn sides(self, arguments: &Arguments<'_>) -> u64 {
        let given = ["after", "before"].into_iter().filter(|cursor| arguments.has(&[cursor])).count() as u64;
        if self.position { given } else { 0 }
    }
}

/// The reads of a page: its items, and the pages before and after it if its position is requested.
pub(super) fn page(list: &List, arguments: &Arguments<'_>, selected: Selected, sizes: &Sizes) -> Demand {
    if !selected.items {
        return Demand::default();
    }
    let mut side = items(list, 1, sizes);
    if let Source::Terms(kind) | Source::TermsByCount(kind) = list.source {
        // Checks that the term of the cursor still exists, then reads the first term on that side.
        side = terms(kind, 1, sizes).plus(Demand::reads(BY_SLUG, 0));
    }
    items(list, selected.needed(list.size), sizes).plus(side.times(selected.sides(arguments)))
}

/// `need` items of a list.
fn items(list: &List, need: u64, sizes: &Sizes) -> Demand {
    match list.source {
        Source::Terms(kind) => terms(kind, need, sizes),
        Source::TermsByCount(kind) => terms_by_count(kind, sizes),
        // The order is read also for a page without items.
        Source::Series if list.filter.named == 0 && list.filter.excluded == 0 => of_series(need, sizes),
        Source::Series => of_indexes(list, need, sizes),
        // The terms in the filter are looked up nevertheless.
        _ if need == 0 => Demand::reads(BY_SLUG_OF_EMPTY * (list.filter.named + list.filter.excluded), 0),
        Source::Posts if list.filter.named == 0 => of_months(list, need, sizes),
        Source::Posts | Source::Term => of_indexes(list, need, sizes),
        // The posts of a month are one partition.
        Source::Month => Demand::reads(0, 1).with(Catalog::Posts),
        // The drafts of an author are found among all drafts.
        Source::Drafts => drafts(sizes),
        Source::Scheduled => {
            let (months, posts) = sizes.to_come().unwrap_or((u64::MAX, u64::MAX));
            // Scheduled posts of an author are read by the author's index.
            let of_author = look_ups(need.min(posts)).plus(Demand::reads(0, 1));
            Demand::reads(0, months.min(need + 2)).plus(of_author).with(Catalog::Posts)
        }
        Source::Search => {
            let looked_at = POST_READS * TRIES_MAX as u64 * list.size;
            Demand::reads(looked_at + BY_SLUG * (list.filter.named + list.filter.excluded), 0)
        }
        Source::Change | Source::Other => Demand::default(),
    }
}

/// All drafts.
fn drafts(sizes: &Sizes) -> Demand {
    let ranges = sizes.reads_of_drafts(FIRST_ROWS).unwrap_or(RANGES_MAX).min(RANGES_MAX);
    Demand::reads(0, ranges).with(Catalog::Drafts)
}

/// A page of posts from their months.
fn of_months(list: &List, need: u64, sizes: &Sizes) -> Demand {
    let ranges = match list.filter.excluded {
        // Each month in the catalog contains a post, except the month of the cursor and the current one.
        0 => sizes.reads_of_months(need).unwrap_or(need + 2),
        _ => reads_with_excluded(need, sizes).unwrap_or(RANGES_MAX),
    };
    Demand::reads(BY_SLUG * list.filter.excluded, ranges.min(RANGES_MAX)).with(Catalog::Posts)
}

/// The range reads if posts are excluded. If the rows of a month do not suffice, it is read again together with the months after it.
fn reads_with_excluded(need: u64, sizes: &Sizes) -> Option<u64> {
    let (months, rows) = (sizes.months()?, (2 * need).min(FIRST_ROWS));
    Some(2 * months + sizes.posts()? / rows + 1)
}

/// A page of posts from indexes.
fn of_indexes(list: &List, need: u64, sizes: &Sizes) -> Demand {
    let Filter { named, excluded, .. } = list.filter;
    let (indexes, all_posts) = (list.own_index() + named, sizes.posts().unwrap_or(u64::MAX));
    // Several indexes are merged, and a series reads its indexes whole, unless it is ordered by time.
    let is_one = indexes == 1 && excluded == 0 && list.source != Source::Series;
    let first_rows = if excluded > 0 { need.max(1) } else { need.max(FIRST_ROWS) };
    let ranges = if is_one { 1 } else { indexes * reads_of_index(all_posts, first_rows) };
    let posts = if excluded > 0 { u64::from(LOOK_UPS_MAX) } else { need };
    // The slug of an empty index may not be the first one of its term; then the indexes are read again.
    let ranges = ranges.min(RANGES_MAX) * if named > 0 { 2 } else { 1 };
    let of_ranges = Demand::reads(BY_SLUG_OF_EMPTY * (named + excluded), ranges);
    look_ups(posts.min(all_posts)).plus(of_ranges).with(Catalog::Posts)
}

/// The look-ups of posts that an index names.
fn look_ups(posts: u64) -> Demand {
    Demand::reads(posts, posts.div_ceil(POSTS_OF_RANGE))
}

/// The whole index of a series, which may contain every post, and the look-ups of this many of its posts.
pub(super) fn of_series(posts: u64, sizes: &Sizes) -> Demand {
    let all_posts = sizes.posts().unwrap_or(u64::MAX);
    let index = Demand::reads(0, (all_posts / ROWS + 1).min(RANGES_MAX));
    index.plus(look_ups(posts.min(all_posts))).with(Catalog::Posts)
}

/// The range reads of a whole index with this many rows: each requests twice as many rows as the previous one, and the last one may be
/// empty.
fn reads_of_index(rows: u64, first_rows: u64) -> u64 {
    let (mut reads, mut read, mut next) = (1, first_rows, (2 * first_rows).min(ROWS));
    while read <= rows && reads < RANGES_MAX {
        (reads, read, next) = (reads + 1, read + next, (2 * next).min(ROWS));
    }
    reads
}

/// A page of `need` terms. A partition is read twice if it also contains rows of former slugs, and a term whose slug is not its first one
/// is looked up.
fn terms(kind: TermKind, need: u64, sizes: &Sizes) -> Demand {
    if need == 0 {
        return Demand::default().with(Catalog::Terms(kind));
    }
    let partitions = sizes.partitions_of_terms(kind, need).unwrap_or_else(|| CHARACTERS.min(need + 2));
    let renamed = (3 * need).min(sizes.terms(kind).unwrap_or(u64::MAX));
    Demand::reads(renamed, 2 * partitions).with(Catalog::Terms(kind))
}

/// All terms of a kind, and the count of each, up to the maximum.
fn terms_by_count(kind: TermKind, sizes: &Sizes) -> Demand {
    // More terms are refused, but the size may be too high an estimate.
    let counted = sizes.terms(kind).unwrap_or(TERMS_BY_COUNT_MAX).min(TERMS_BY_COUNT_MAX);
    terms(kind, TERMS_BY_COUNT_MAX + 1, sizes).plus(count_of_term(sizes).times(counted))
}

/// The next or previous post that matches the filter.
pub(super) fn neighbour(arguments: &Arguments<'_>, sizes: &Sizes) -> Demand {
    items(&List { filter: arguments.filter(), ..List::none(Source::Posts) }, 1, sizes)
}

/// The number of posts of a term. A count row keeps the newest post, even if that was scheduled and withdrawn.
pub(super) fn count_of_term(sizes: &Sizes) -> Demand {
    Demand::reads(1, 0).plus(count_of_months(sizes))
}

/// The number of posts of a month, or of all months.
pub(super) fn count_of_months(sizes: &Sizes) -> Demand {
    Demand::reads(0, sizes.reads_to_count_scheduled().unwrap_or(COUNT_READS_UNKNOWN)).with(Catalog::Posts)
}

pub(super) fn count(list: &List, sizes: &Sizes) -> Demand {
    match list.source {
        Source::Terms(kind) | Source::TermsByCount(kind) => Demand::default().with(Catalog::Terms(kind)),
        Source::Search | Source::Change | Source::Other => Demand::default(),
        Source::Drafts => drafts(sizes),
        Source::Scheduled => {
            let ranges = sizes.reads_to_count_scheduled().unwrap_or(RANGES_MAX);
            Demand::reads(0, ranges).with(Catalog::Posts)
        }
        Source::Posts | Source::Month | Source::Term | Source::Series => count_of_posts(list, sizes),
    }
}

fn count_of_posts(list: &List, sizes: &Sizes) -> Demand {
    let Filter { named, excluded, has_dates } = list.filter;
    let indexes = list.own_index() + named + excluded;
    // The count row of the first slug too, and the look-up of this slug.
    let renamed = Demand::reads(1 + BY_SLUG_OF_EMPTY, 0);
    match (indexes, excluded, has_dates) {
        (0, _, false) => count_of_months(sizes),
        (1, 0, false) => count_of_term(sizes).plus(renamed.times(named)),
        _ => {
            let whole = sizes.posts().map(|posts| posts / ROWS + 1);
            let merged = indexes.saturating_mul(whole.unwrap_or(RANGES_MAX)).min(RANGES_MAX);
            // The two months in which a range of dates begins and ends. It may be unbounded; then a count row is read.
            let dates = if has_dates { 2 * whole.unwrap_or(COUNT_READS_UNKNOWN) } else { 0 };
            let once = count_of_months(sizes).plus(count_of_term(sizes)).plus(Demand::reads(0, 2 * merged + dates));
            // With exclusions, all posts and the excluded ones are counted.
            once.plus(renamed.times(indexes + 1)).times(if excluded > 0 { 2 } else { 1 })
        }
    }
}
