//! The storage requests of a field and the number of objects that it returns, from its price. The rule: what the catalogs do not show is
//! assumed to cost the maximum.

use crate::content::read::{Catalog, REVISION_READS_MAX, REVISIONS_PAGE_MAX, Sizes, all_pages_reads};
use crate::model::site_page::{PAGE_LINKS_DEFAULT, PAGES_MAX};
use crate::model::{NodeId, TermKind};

use super::arguments::{Arguments, NODES_MAX};
use super::bound::Bound;
use super::demand::Demand;
use super::pages::{self, List, Selected, Source};
use super::prices::{
    ANCESTORS, GROUP, KEYS_OF_PAGES, OLDEST_REVISION, Objects, POST_READS, Reads, SavedPost, TERM_READS, TERMS_OF_POST,
};

/// The object that is found by the most reads: a version of a post.
const NODE_READS_MAX: u64 = POST_READS + REVISION_READS_MAX;
/// The months of an archive if the month catalog is not in memory.
const MONTHS_UNKNOWN: u64 = 10_000;
/// The versions in one range read: a store of tables returns at most 4 MiB at once, and a version may have 700 KB.
const VERSIONS_OF_RANGE: u64 = 5;

/// What the price of a field depends on.
pub(super) struct Priced<'a> {
    pub arguments: Arguments<'a>,
    pub sizes: &'a Sizes,
    /// The list of the page that the field is on.
    pub on: List,
    /// The list of the page that the field returns.
    pub list: List,
    pub selected: Selected,
    /// Set if the field is on the post of a payload.
    pub saved: Option<Saved<'a>>,
}

/// A post that a mutation with these arguments has changed.
#[derive(Clone, Copy)]
pub(super) struct Saved<'a> {
    pub by: Arguments<'a>,
    pub post: SavedPost,
}

impl Reads {
    /// Whether a loader makes the reads, so that equal fields share them.
    pub(super) fn are_shared(self) -> bool {
        !matches!(
            self,
            Self::Fixed(_)
                | Self::Change(..)
                | Self::Bulk(..)
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
            Self::Post { more } => {
                let preferred = if arguments.has(&["preferredLanguages"]) { GROUP } else { Bound::NONE };
                Demand::reads(more + POST_READS, 0).plus(Demand::of(preferred))
            }
            Self::Page(_) => pages::page(&priced.list, arguments, priced.selected, sizes),
            Self::Count => pages::count(&priced.on, sizes),
            Self::CountOfTerm => pages::count_of_term(sizes),
            Self::TermOfPost(kind) => Demand::of_terms(kind, 1),
            Self::TermsOfPost(kind) => {
                let TermsOfPost { named, others } = terms_of_post(kind, priced);
                Demand::of_named_terms(named).plus(Demand::of_terms(kind, others))
            }
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
            Self::Change(always, input) => {
                Demand::of(input.iter().fold(always, |bound, cost| bound.plus(cost.bound(arguments))))
            }
            Self::Bulk(each, input) => {
                let always = each.times(priced.list.size).writing(1);
                Demand::of(input.iter().fold(always, |bound, cost| bound.plus(cost.bound(arguments))))
            }
        }
    }
}

impl Objects {
    pub(super) fn count(self, priced: &Priced<'_>) -> u64 {
        match self {
            Self::One | Self::Saved(_) => 1,
            Self::ErrorsAlone => 0,
            Self::AtMost(count) => count,
            Self::TermsOfPost(kind) => {
                let TermsOfPost { named, others } = terms_of_post(kind, priced);
                named.max(others)
            }
            Self::Page => priced.on.items(priced.sizes),
            Self::ForEachId => priced.arguments.length(&["ids"], NODES_MAX),
            Self::Months => months(priced),
        }
    }
}

/// The maximum number of terms of one kind of a post: those that the input of a change has named, or the others.
struct TermsOfPost {
    named: u64,
    others: u64,
}

fn terms_of_post(kind: TermKind, priced: &Priced<'_>) -> TermsOfPost {
    let any = TERMS_OF_POST.min(priced.sizes.terms(kind).unwrap_or(u64::MAX));
    let Some(Saved { by, post }) = priced.saved else { return TermsOfPost { named: 0, others: any } };
    let named = by.length(&["input", kind.slugs_field()], TERMS_OF_POST as usize);
    match post {
        SavedPost::Created => {
            let others = if by.has(&["input", "idempotencyKey"]) { any } else { 0 };
            TermsOfPost { named: named.max(u64::from(kind == TermKind::Author)), others }
        }
        SavedPost::Updated => {
            TermsOfPost { named, others: if by.has(&["input", kind.slugs_field()]) { 0 } else { any } }
        }
        SavedPost::Restored if kind == TermKind::Tag => TermsOfPost { named: TERMS_OF_POST, others: 0 },
        SavedPost::Restored => TermsOfPost { named: 0, others: any },
    }
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
        NodeId::Asset(_) => ("Asset", 1),
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
