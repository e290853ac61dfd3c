//! The storage requests of a field and the number of objects that it returns, from its price. The rule: what the catalogs do not show is
//! assumed to cost the maximum.

use crate::content::MOVED_PAGES_MAX;
use crate::content::read::{Catalog, REVISION_READS_MAX, REVISIONS_PAGE_MAX, Sizes, all_pages_reads};
use crate::model::site_page::{PAGE_LINKS_DEFAULT, PAGES_MAX};
use crate::model::{NodeId, TermKind};

use super::arguments::{Arguments, NODES_MAX};
use super::bound::Bound;
use super::demand::Demand;
use super::pages::{self, List, Selected, Source};
use super::prices::{ANCESTORS, KEYS_OF_PAGES, OLDEST_REVISION, Objects, PLACE, Reads, TERM_READS, TERMS_OF_POST};

/// The row with the place of a post, and its row there.
const POST_READS: u64 = 2;
/// The object that is found by the most reads: a version of a post.
const NODE_READS_MAX: u64 = POST_READS + REVISION_READS_MAX;
/// The months of an archive if the month catalog is not in memory.
const MONTHS_UNKNOWN: u64 = 10_000;
/// The versions in one range read: a store of tables returns at most 4 MiB at once, and a version may have 700 KB.
const VERSIONS_OF_RANGE: u64 = 5;

/// The input fields that name terms of a change of many posts.
const BULK_TERM_FIELDS: [&str; 5] =
    ["addTagSlugs", "removeTagSlugs", "addCategorySlugs", "removeCategorySlugs", "authorSlugs"];
/// The number of unknown slugs per field for which terms are suggested, with one range read each.
const SUGGESTED_FOR: u64 = 5;
/// The numbers that are appended to a slug that is taken, with one transaction each. If more posts have the same title, it costs more.
const SLUGS_TRIED: u64 = 200;
/// The indexes of a post without those of declared fields: its terms, its series, its language and whether it is featured.
const INDEXES_OF_POST: u64 = 3 * TERMS_OF_POST + 3;

/// What the price of a field depends on.
pub(super) struct Priced<'a> {
    pub arguments: Arguments<'a>,
    pub sizes: &'a Sizes,
    /// The list of the page that the field is on.
    pub on: List,
    /// The list of the page that the field returns.
    pub list: List,
    pub selected: Selected,
}

impl Reads {
    /// Whether a loader makes the reads, so that equal fields share them.
    pub(super) fn are_shared(self) -> bool {
        !matches!(
            self,
            Self::Fixed(_)
                | Self::WithTerms(_)
                | Self::Bulk(_)
                | Self::RestoreRevision(_)
                | Self::UpdatePage(_)
                | Self::Post { .. }
                | Self::Series(_)
                | Self::Count
                | Self::PageOfRevisions
                | Self::AllPages
                | Self::ChildPages { .. }
                | Self::Page(Source::Terms(_))
        )
    }

    pub(super) fn demand(self, priced: &Priced<'_>) -> Demand {
        let (arguments, sizes) = (&priced.arguments, priced.sizes);
        match self {
            Self::Fixed(bound) | Self::Shared(bound) => Demand::of(bound),
            Self::ByIds(argument) => {
                let of_id = |id: Option<NodeId>| id.map_or(NODE_READS_MAX, |id| type_and_reads(&id).1);
                Demand::reads(arguments.ids(argument).into_iter().map(of_id).sum(), 0)
            }
            Self::Body => Demand::reads(1, 0),
            Self::Post { more } => Demand::reads(more + POST_READS, 0),
            Self::Page(_) => pages::page(&priced.list, arguments, priced.selected, sizes),
            Self::Count => pages::count(&priced.on, sizes),
            Self::CountOfTerm => pages::count_of_term(sizes),
            Self::TermOfPost(kind) => Demand::of_terms(kind, 1),
            Self::TermsOfPost(kind) => Demand::of_terms(kind, terms_of_post(kind, sizes)),
            Self::TermsOfRevision => Demand::reads(TERM_READS * TERMS_OF_POST, 0),
            Self::Neighbour => pages::neighbour(sizes),
            Self::Series(posts) => pages::of_series(posts, sizes),
            Self::Archive => pages::count_of_months(sizes),
            Self::PageOfRevisions => page_of_revisions(priced),
            Self::ChildPages { before } => child_pages(priced, before),
            Self::CategoriesAbove => Demand::reads(1, 0).plus(Demand::of_terms(TermKind::Category, ANCESTORS)),
            Self::CategoriesBelow => {
                let page = priced.selected.needed(arguments.page_size()) + priced.selected.sides(arguments);
                Demand::reads(1, 0).plus(Demand::of_terms(TermKind::Category, page))
            }
            Self::AllPages => all_pages(arguments),
            Self::Catalogs => Catalog::ALL.into_iter().fold(Demand::default(), Demand::with),
            Self::WithTerms(bound) => with_terms(bound, arguments),
            Self::Bulk(each) => {
                let terms = named_terms(&BULK_TERM_FIELDS, arguments);
                Demand::of(each.times(priced.list.size).writing(1).plus(terms))
            }
            Self::RestoreRevision(bound) => {
                // A post has at most one index entry for each declared field.
                let restored = TERM_READS * (INDEXES_OF_POST + sizes.indexed_fields);
                Demand::of(bound.plus(Bound::new(restored, 0)))
            }
            Self::UpdatePage(bound) => {
                let moved = if arguments.has(&["input", "path"]) { MOVED_PAGES_MAX as u64 } else { 0 };
                Demand::of(bound.plus(Bound::new(PLACE, 2).times(moved)))
            }
        }
    }
}

impl Objects {
    pub(super) fn count(self, priced: &Priced<'_>) -> u64 {
        match self {
            Self::One => 1,
            Self::AtMost(count) => count,
            Self::TermsOfPost(kind) => terms_of_post(kind, priced.sizes),
            Self::Page => priced.on.items(priced.sizes),
            Self::ForEachId => priced.arguments.length(&["ids"], NODES_MAX),
            Self::Months => months(priced),
        }
    }
}

/// The maximum number of terms of one kind that a post has.
fn terms_of_post(kind: TermKind, sizes: &Sizes) -> u64 {
    TERMS_OF_POST.min(sizes.terms(kind).unwrap_or(u64::MAX))
}

fn months(priced: &Priced<'_>) -> u64 {
    let (year, month) = (priced.arguments.number("year"), priced.arguments.number("month"));
    let most = match (year, month) {
        (Some(_), Some(_)) => 1,
        (Some(_), None) => 12,
        _ => MONTHS_UNKNOWN,
    };
    priced.sizes.months(year, month).unwrap_or(most)
}

/// The type of an id's object, and the point reads that find the object.
pub(super) fn type_and_reads(id: &NodeId) -> (&'static str, u64) {
    match id {
        NodeId::Post(_) => ("Post", POST_READS),
        NodeId::Page(_) => ("Page", 1),
        NodeId::Term(id) => match id.key.kind {
            TermKind::Category => ("Category", TERM_READS),
            TermKind::Tag => ("Tag", TERM_READS),
            TermKind::Author => ("Author", TERM_READS),
            TermKind::Series => ("Series", TERM_READS),
        },
        NodeId::Revision(..) => ("Revision", NODE_READS_MAX),
        NodeId::Token(_) => ("Token", 1),
        NodeId::Change(_) => ("AuditLogEntry", 1),
        // Or `File`, whose fields cost as little.
        NodeId::Asset(_) => ("Image", 1),
    }
}

/// The range reads of a part of a list of pages: a second one, of as many rows as possible, if the first one meets scheduled pages.
const LIST_READS: u64 = 2;
/// The rows of this second one.
const PAGE_ROWS: u64 = 1_000;

/// A page of children: one range read, one for each cursor on whose other side a page is searched, and the keys of the list if it is counted from the end.
fn child_pages(priced: &Priced<'_>, before: u64) -> Demand {
    let need = priced.selected.needed(priced.arguments.page_size());
    let ranges = if need > 0 { LIST_READS } else { 0 };
    let before = if priced.arguments.has(&["parentPath"]) { before } else { 0 };
    let sides = priced.selected.sides(&priced.arguments);
    let rows = (ranges + sides) * PAGE_ROWS;
    let page = Demand::reads_of(before, ranges + LIST_READS * sides, need + sides + rows);
    if need > 0 && priced.arguments.is_from_end() { page.plus(Demand::of(KEYS_OF_PAGES)) } else { page }
}

/// The published pages up to `atMost`. A value that is out of range is refused without a read.
fn all_pages(arguments: &Arguments<'_>) -> Demand {
    let unknown = if arguments.has(&["atMost"]) { PAGES_MAX as u64 } else { PAGE_LINKS_DEFAULT };
    let at_most = arguments.number("atMost").unwrap_or(unknown).min(PAGES_MAX as u64);
    // One more read, if some are scheduled.
    Demand::reads_of(0, all_pages_reads(at_most) + 1, at_most + 1 + PAGE_ROWS)
}

/// The current version, and one or more range reads, depending on the size of the bodies.
fn page_of_revisions(priced: &Priced<'_>) -> Demand {
    if !priced.selected.items {
        return Demand::default();
    }
    let versions = priced.arguments.page_size().min(REVISIONS_PAGE_MAX as u64) + 1;
    let page = Bound::new(POST_READS, 1 + versions / VERSIONS_OF_RANGE);
    let oldest = if priced.arguments.is_from_end() { OLDEST_REVISION } else { Bound::default() };
    Demand::of(page.plus(oldest))
}

/// A change of a post whose input names terms: two reads for a former slug, and suggestions for unknown slugs.
fn with_terms(change: Bound, arguments: &Arguments<'_>) -> Demand {
    let is_numbered = arguments.field.name == "createPost" && !arguments.surely_has(&["input", "slug"]);
    let numbers = if is_numbered { SLUGS_TRIED } else { 0 };
    Demand::of(change.plus(named_terms(&TermKind::ALL.map(TermKind::slugs_field), arguments).writing(numbers)))
}

fn named_terms(fields: &[&str], arguments: &Arguments<'_>) -> Bound {
    let named = fields.iter().map(|field| arguments.length(&["input", field], TERMS_OF_POST as usize));
    named.fold(Bound::NONE, |all, count| all.plus(Bound::new(TERM_READS * count, count.min(SUGGESTED_FOR))))
}
