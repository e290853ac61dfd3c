//! The storage requests of pages and counts of lists. The rule: the figures follow the steps of `content::read::pages`, if nobody changes
//! the content meanwhile; what the catalogs do not show is assumed to cost the maximum.

use crate::content::read::pages::terms_by_count::TERMS_BY_COUNT_MAX;
use crate::content::read::pages::{LOOK_UPS_MAX, PAGE_SIZE_MAX, RANGE_READS_MAX};
use crate::content::read::{Catalog, Sizes, Start};
use crate::model::TermKind;

use super::arguments::Arguments;
use super::bound::ROWS;
use super::circumstances::Sees;
use super::demand::Demand;
use super::filters::{FilteredSlugs, IndexSizes};

/// The point reads of a look-up by a slug that is not the first slug of its term.
const BY_SLUG: u64 = 2;
/// The same if the index is empty, with one more read for the first slug, whose index may be empty too.
const BY_SLUG_OF_EMPTY: u64 = BY_SLUG + 1;
/// A range read may be tried in place of the point reads of this many posts, in vain.
const POSTS_OF_RANGE: u64 = 4;
/// The maximum number of rows of this range read, for each of the posts.
const ROWS_OF_RANGE_BY_POST: u64 = 6;
/// Rows of the first read of each index of an intersection.
const FIRST_ROWS: u64 = 250;
/// Different first characters of slugs: ten digits and twenty-six letters.
const CHARACTERS: u64 = 36;
/// The reads that count scheduled posts if their number is unknown: enough for 10,000 of them.
const COUNT_READS_UNKNOWN: u64 = 10;

/// The content of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// All published posts.
    Posts,
    /// The posts of one month.
    Month,
    /// The posts of a term.
    Term,
    /// The posts of a series in its own order. Ordered by time, they are those of a term.
    Series,
    Drafts,
    Scheduled,
    Terms(TermKind),
    /// The same, ordered by their number of posts.
    TermsByCount(TermKind),
    /// Another list, with a price that does not depend on its arguments.
    Other,
}

/// The properties of a list on which the cost of its pages and its count depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct List {
    pub source: Source,
    pub size: u64,
    slugs: FilteredSlugs,
    has_dates: bool,
    /// Whether the list contains only the posts of one author.
    is_of_author: bool,
}

/// The selected parts of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Requested {
    pub items: bool,
    pub has_next: bool,
    pub has_previous: bool,
}

impl List {
    pub(super) fn of(source: Source, arguments: &Arguments<'_>, sizes: &Sizes, sees: Sees) -> Self {
        let is_hidden = matches!(source, Source::Drafts | Source::Scheduled);
        if is_hidden && sees == Sees::Published {
            return Self::none(Source::Other);
        }
        let source = match source {
            Source::Terms(kind) if arguments.order_field() == Some("POST_COUNT") => Source::TermsByCount(kind),
            Source::Series if arguments.order_field().is_some() => Source::Term,
            source => source,
        };
        let is_of_author = is_hidden && sees == Sees::Own;
        let mut list = Self { size: arguments.page_size(), is_of_author, ..Self::none(source) };
        if matches!(source, Source::Posts | Source::Term) {
            (list.slugs, list.has_dates) = (FilteredSlugs::of(arguments, sizes), arguments.has_dates());
        }
        list
    }

    pub(super) fn none(source: Source) -> Self {
        Self { source, size: 0, slugs: FilteredSlugs::default(), has_dates: false, is_of_author: false }
    }

    /// The maximum number of items of a page.
    pub(super) fn items(&self, sizes: &Sizes) -> u64 {
        let of_list = match self.source {
            Source::Posts | Source::Month | Source::Term | Source::Series => sizes.posts(),
            Source::Drafts => sizes.drafts(),
            Source::Terms(kind) | Source::TermsByCount(kind) => sizes.terms(kind),
            Source::Scheduled | Source::Other => None,
        };
        self.size.min(of_list.unwrap_or(u64::MAX)).min(self.slugs.matches)
    }

    pub(super) fn is_published(&self) -> bool {
        matches!(self.source, Source::Posts | Source::Month | Source::Term | Source::Series)
    }

    /// The index partitions that a page reads. The size of the list's own index is unknown.
    fn indexes(&self) -> IndexSizes {
        let own = matches!(self.source, Source::Term) || (self.source == Source::Scheduled && self.is_of_author);
        self.slugs.read.and_unknown(u64::from(own))
    }

    fn has_indexes(&self) -> bool {
        self.indexes() != IndexSizes::default()
    }

    /// Whether a page contains the posts that several indexes have in common.
    fn is_intersection(&self) -> bool {
        u64::from(self.source == Source::Term) + self.slugs.all + self.slugs.any_lists > 1
    }

    fn catalog(&self) -> Catalog {
        if self.source == Source::Drafts { Catalog::Drafts } else { Catalog::Posts }
    }

    /// The catalog that a page or its count reads before anything else.
    pub(super) fn read_first(&self, is_archive: bool, requested: Requested, is_counted: bool) -> Option<Catalog> {
        let is_read = is_counted || (requested != Requested::default() && self.size > 0);
        match self.source {
            _ if is_archive => Some(Catalog::Posts),
            _ if !is_read => None,
            Source::Posts if self.slugs.is_empty() => Some(Catalog::Posts),
            Source::Terms(kind) | Source::TermsByCount(kind) => Some(Catalog::Terms(kind)),
            _ => None,
        }
    }

    fn start(&self, arguments: &Arguments<'_>) -> Start {
        let usual = if matches!(self.source, Source::Terms(_)) { "ASC" } else { "DESC" };
        let is_reversed = arguments.direction().is_some_and(|direction| direction != usual);
        match is_reversed != arguments.is_from_end() {
            _ if self.has_dates || arguments.has("after") || arguments.has("before") => Start::Anywhere,
            false => Start::First,
            true => Start::Last,
        }
    }
}

/// The reads of a page: its items, and the pages before and after it if they are requested.
pub(super) fn page(list: &List, arguments: &Arguments<'_>, requested: Requested, sizes: &Sizes) -> Demand {
    if requested == Requested::default() {
        return Demand::default();
    }
    let and_one = if arguments.is_from_end() { requested.has_previous } else { requested.has_next };
    let need = list.size.min(PAGE_SIZE_MAX as u64) + u64::from(and_one);
    let sides = [(requested.has_previous, "after"), (requested.has_next, "before")];
    let sides = sides.iter().filter(|(is_requested, cursor)| *is_requested && arguments.has(cursor)).count() as u64;
    let (items, side) = match list.source {
        Source::Terms(kind) => (
            terms(kind, need, list.start(arguments), sizes),
            // Checks that the term of the cursor still exists, then reads the first term on that side.
            terms(kind, 1, Start::Anywhere, sizes).plus(Demand::reads(BY_SLUG, 0)),
        ),
        Source::TermsByCount(kind) => return terms_by_count(kind, sizes),
        // The order is read once for the page and its sides.
        Source::Series => (of_series(need, sizes), look_ups(1)),
        Source::Other => return Demand::default(),
        _ => (posts(list, need, list.start(arguments), sizes), posts(list, 1, Start::Anywhere, sizes)),
    };
    let first_slugs = Demand::reads(BY_SLUG * list.slugs.excluded_terms, 0);
    items.plus(side.times(sides)).plus(first_slugs)
}

/// A page of `need` posts.
fn posts(list: &List, need: u64, start: Start, sizes: &Sizes) -> Demand {
    if need == 0 {
        return Demand::default();
    }
    if list.has_indexes() {
        return posts_of_indexes(list, need, start, sizes);
    }
    let ranges = match list.source {
        _ if list.slugs.none > 0 => reads_with_excluded(need, sizes),
        // The posts of a month are one partition.
        Source::Month => Some(1),
        Source::Drafts if list.is_of_author => reads_of_own_drafts(sizes),
        Source::Drafts => sizes.reads_of_drafts(need, start),
        Source::Scheduled => sizes.months_to_come().map(|months| months.min(need + 1)),
        _ => sizes.reads_of_months(need, start),
    };
    // Each month in the catalog contains a post, except the month of the cursor and the current one.
    let unknown = if list.slugs.none > 0 || list.is_of_author { u64::MAX } else { need + 2 };
    let ranges = ranges.unwrap_or(unknown).min(u64::from(RANGE_READS_MAX));
    let rows = if list.slugs.none > 0 || list.is_of_author { FIRST_ROWS.max(2 * need) } else { need };
    Demand::reads_of(0, ranges, ranges * rows).with(list.catalog())
}

/// The range reads if posts are excluded. If the rows of a month do not suffice, it is read again together with the months after it.
fn reads_with_excluded(need: u64, sizes: &Sizes) -> Option<u64> {
    let months = sizes.months(None, None)?;
    let rows = (2 * need).min(FIRST_ROWS);
    Some(if sizes.posts()? <= rows { months } else { 2 * months + sizes.posts()? / rows + 1 })
}

fn reads_of_own_drafts(sizes: &Sizes) -> Option<u64> {
    Some(2 * sizes.draft_months()? + sizes.drafts()? / FIRST_ROWS + 1)
}

fn posts_of_indexes(list: &List, need: u64, start: Start, sizes: &Sizes) -> Demand {
    let (indexes, all_posts) = (list.indexes(), sizes.posts());
    let excludes = list.slugs.none > 0;
    let first_rows = if list.is_intersection() { FIRST_ROWS.max(need) } else { need };
    let ranges = match list.is_intersection() || excludes {
        false => indexes.known + indexes.unknown,
        true => indexes.reads(all_posts, |rows| reads_of_index(rows, first_rows)),
    };
    let ranges = ranges.min(u64::from(RANGE_READS_MAX));
    let posts = if excludes { u64::from(LOOK_UPS_MAX) } else { need };
    let posts = posts.min(all_posts.unwrap_or(u64::MAX)).min(list.slugs.matches);
    // The slug of an empty index may not be the first one of its term; then the indexes are read again.
    let times = if list.slugs.read.unknown > 0 { 2 } else { 1 };
    let rows = if list.is_intersection() || excludes { indexes.rows(all_posts) } else { need };
    let ranges = ranges * times;
    look_ups(posts).plus(Demand::reads_of(renamed(list.slugs.read, start), ranges, ranges * rows.min(ROWS)))
}

/// The look-ups of posts that an index names.
fn look_ups(posts: u64) -> Demand {
    Demand::reads_of(posts, posts.div_ceil(POSTS_OF_RANGE), ROWS_OF_RANGE_BY_POST * posts)
}

/// The whole index of a series, which may contain every post, and the look-ups of this many of its posts.
pub(super) fn of_series(posts: u64, sizes: &Sizes) -> Demand {
    let (all_posts, most) = (sizes.posts().unwrap_or(u64::MAX), u64::from(RANGE_READS_MAX));
    let ranges = (all_posts / ROWS + 1).min(most);
    Demand::reads_of(0, ranges, all_posts.min(ranges * ROWS)).plus(look_ups(posts.min(all_posts)))
}

/// The point reads for slugs whose indexes may be found empty: all of unknown size, and the others if the page starts at a cursor or date,
/// or if all of their posts may be scheduled.
fn renamed(indexes: IndexSizes, start: Start) -> u64 {
    let of_known = if start == Start::Anywhere || indexes.has_scheduled { BY_SLUG * indexes.known } else { 0 };
    BY_SLUG_OF_EMPTY * indexes.unknown + of_known
}

/// The range reads of a whole index with this many rows: each requests twice as many rows as the previous one, and the last one may be
/// empty.
fn reads_of_index(rows: u64, first_rows: u64) -> u64 {
    let (mut reads, mut read, mut next) = (1, first_rows, (2 * first_rows).min(ROWS));
    while read <= rows && reads < u64::from(RANGE_READS_MAX) {
        (reads, read, next) = (reads + 1, read + next, (2 * next).min(ROWS));
    }
    reads
}

/// A page of `need` terms. A partition is read twice if it also contains rows of former slugs, and a term whose slug is not its first one
/// is looked up.
fn terms(kind: TermKind, need: u64, start: Start, sizes: &Sizes) -> Demand {
    if need == 0 {
        return Demand::default().with(Catalog::Terms(kind));
    }
    let partitions = sizes.partitions_of_terms(kind, need, start).unwrap_or_else(|| CHARACTERS.min(need + 2));
    let renamed = (3 * need).min(sizes.terms(kind).unwrap_or(u64::MAX));
    // The first read of a partition requests as many rows as the page needs.
    Demand::reads_of(renamed, 2 * partitions, partitions * (need + ROWS)).with(Catalog::Terms(kind))
}

/// All terms of a kind, and the count of each, up to the maximum.
fn terms_by_count(kind: TermKind, sizes: &Sizes) -> Demand {
    // More terms are refused, but the size may be too high an estimate.
    let counted = sizes.terms(kind).unwrap_or(TERMS_BY_COUNT_MAX).min(TERMS_BY_COUNT_MAX);
    terms(kind, TERMS_BY_COUNT_MAX + 1, Start::First, sizes).plus(count_of_term(sizes).times(counted))
}

/// The next or previous post.
pub(super) fn neighbour(sizes: &Sizes) -> Demand {
    posts(&List::none(Source::Posts), 1, Start::Anywhere, sizes)
}

/// The number of posts of a term. A count row keeps the newest post, even if that was scheduled and withdrawn.
pub(super) fn count_of_term(sizes: &Sizes) -> Demand {
    Demand::reads(1, sizes.reads_to_count_scheduled().unwrap_or(COUNT_READS_UNKNOWN))
}

/// The number of posts of a month, or of all months.
pub(super) fn count_of_months(sizes: &Sizes) -> Demand {
    Demand::reads(0, sizes.reads_to_count_months().unwrap_or(COUNT_READS_UNKNOWN)).with(Catalog::Posts)
}

pub(super) fn count(list: &List, sizes: &Sizes) -> Demand {
    match list.source {
        Source::Terms(kind) | Source::TermsByCount(kind) => return Demand::default().with(Catalog::Terms(kind)),
        Source::Series => return count_of_term(sizes),
        Source::Other => return Demand::default(),
        _ => {}
    }
    let slugs = list.slugs;
    let whole = count_without_excluded(list, list.indexes(), sizes);
    if slugs.none == 0 {
        return whole;
    }
    let excluded = count_without_excluded(list, list.indexes().and(slugs.excluded), sizes);
    whole.plus(excluded).plus(Demand::reads(BY_SLUG * slugs.excluded_terms, 0))
}

/// `indexes`: the index partitions that the count reads.
fn count_without_excluded(list: &List, indexes: IndexSizes, sizes: &Sizes) -> Demand {
    let most = u64::from(RANGE_READS_MAX);
    match list.source {
        Source::Drafts if list.is_of_author => {
            let months = sizes.draft_months().zip(sizes.drafts()).map(|(months, rows)| months + rows / FIRST_ROWS + 1);
            Demand::reads(0, months.unwrap_or(most).min(most)).with(Catalog::Drafts)
        }
        Source::Drafts => Demand::default().with(Catalog::Drafts),
        Source::Scheduled if list.is_of_author => Demand::reads(0, most),
        Source::Scheduled => {
            let ranges = sizes.reads_to_count_scheduled().unwrap_or(COUNT_READS_UNKNOWN);
            Demand::reads(0, ranges).with(Catalog::Posts)
        }
        _ if indexes == IndexSizes::default() => {
            let dates = match list.has_dates {
                true => sizes.reads_to_count_dates().unwrap_or(2 * COUNT_READS_UNKNOWN),
                false => 0,
            };
            count_of_months(sizes).plus(Demand::reads(0, dates))
        }
        Source::Term if list.slugs.is_empty() && !list.has_dates => count_of_term(sizes),
        _ if indexes.known + indexes.unknown == 1 && !list.has_dates => count_of_index(indexes, sizes),
        _ => {
            let ranges = indexes.reads(sizes.posts(), |rows| rows / ROWS + 1).min(most);
            let times = if indexes.unknown > 0 { 2 } else { 1 };
            // The same reads as for a page. A range of dates may be unbounded; then a count row is read as above.
            let start = if list.has_dates { Start::Anywhere } else { Start::First };
            let of_index = if list.has_dates { count_of_index(indexes, sizes) } else { Demand::default() };
            Demand::reads(renamed(indexes, start) + indexes.unknown, times * ranges).plus(of_index)
        }
    }
}

/// The count of the posts of one index that a filter names. The price has already read its count row if the size is known. Otherwise, the
/// reads include the count row of the first slug, and the look-up of this slug.
fn count_of_index(indexes: IndexSizes, sizes: &Sizes) -> Demand {
    let scheduled = sizes.reads_to_count_scheduled().unwrap_or(COUNT_READS_UNKNOWN);
    match indexes.unknown {
        0 if !indexes.has_scheduled => Demand::default(),
        0 => Demand::reads(0, scheduled),
        _ => count_of_term(sizes).plus(Demand::reads(1 + BY_SLUG_OF_EMPTY, 0)),
    }
}
