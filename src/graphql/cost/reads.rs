//! The storage requests of a field and the number of objects that it returns, from its price. The rule: numbers that the catalogs do not show are assumed to be
//! the maximum.

use crate::content::read::pages::FILTER_SLUGS_MAX;
use crate::content::read::pages::total::LANGUAGES_MAX;
use crate::content::read::{Catalog, REVISION_READS_MAX, REVISIONS_PAGE_MAX, Sizes, all_pages_reads, considered};
use crate::model::site_page::{PAGE_LINKS_DEFAULT, PAGES_MAX};
use crate::model::{NodeId, TermKind};

use super::arguments::{Arguments, NODES_MAX};
use super::bound::{Bound, POST_READS};
use super::demand::Demand;
use super::pages::{self, List, Selected, Source};
use super::prices::{
    ANCESTORS, GROUP, KEYS_OF_PAGES, MOVE, OF_NAME, OLDEST_REVISION, Objects, Reads, TERM_READS, TERMS_OF_POST,
};

/// The object that is found by the most reads: a version of a post.
const NODE_READS_MAX: u64 = POST_READS + REVISION_READS_MAX;
/// The months of an archive if the month catalog is not in memory.
const MONTHS_UNKNOWN: u64 = 10_000;
/// The maximum number of months of a span of 366 days, which includes the default of 30 days and the 90 days of a list of popular posts.
const MONTHS_OF_SPAN: u64 = 13;
const MONTHS_OF_DEFAULT: u64 = 3;
const MONTHS_OF_POPULAR: u64 = 4;
/// The versions in one range read: a store of tables returns at most 4 MiB at once, and a version may have 700 KB.
const VERSIONS_OF_RANGE: u64 = 5;

/// The input of the price of a field.
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
                | Self::Values(_)
                | Self::Change(_)
                | Self::UpdateOfPage(_)
                | Self::Post { .. }
                | Self::Series(_)
                | Self::Count
                | Self::PageOfRevisions
                | Self::AllPages
                | Self::Languages
                | Self::Popular
                | Self::ChildPages { .. }
                | Self::Page(Source::Terms(_) | Source::Search)
        )
    }

    /// The values of the field itself on one object.
    pub(super) fn values(self) -> u64 {
        if let Self::Values(count) = self { count } else { 1 }
    }

    pub(super) fn demand(self, priced: &Priced<'_>) -> Demand {
        let (arguments, sizes) = (&priced.arguments, priced.sizes);
        match self {
            Self::Fixed(bound) | Self::Shared(bound) => Demand::of(bound),
            Self::Values(_) => Demand::default(),
            Self::ByIds(argument) => {
                Demand::reads(arguments.ids(argument).iter().map(|id| type_and_reads(id).1).sum(), 0)
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
            Self::TermsOfPost(kind) => Demand::of_terms(kind, TERMS_OF_POST),
            Self::TermsOfRevision => Demand::reads(TERM_READS * TERMS_OF_POST, 0),
            Self::Neighbour => pages::neighbour(arguments, sizes),
            Self::Series(posts) => pages::of_series(posts, sizes),
            Self::Archive => pages::count_of_months(sizes),
            // Each language has a post.
            Self::Languages => {
                let languages = sizes.posts().unwrap_or(u64::MAX).min(LANGUAGES_MAX as u64);
                Demand::reads(0, 1 + languages).with(Catalog::Posts)
            }
            Self::PageOfRevisions => page_of_revisions(priced),
            Self::ChildPages { before } => child_pages(priced, before),
            Self::CategoriesAbove => Demand::reads(1, 0).plus(Demand::of_terms(TermKind::Category, ANCESTORS)),
            Self::CategoriesBelow => {
                let page = priced.selected.needed(arguments.page_size()) + priced.selected.sides(arguments);
                Demand::reads(1, 0).plus(Demand::of_terms(TermKind::Category, page))
            }
            Self::AllPages => all_pages(arguments),
            Self::Catalogs => Catalog::ALL.into_iter().fold(Demand::default(), Demand::with),
            Self::Views => {
                let has_span = arguments.has(&["from"]) || arguments.has(&["to"]);
                Demand::reads(if has_span { MONTHS_OF_SPAN } else { MONTHS_OF_DEFAULT }, 0)
            }
            Self::Popular => {
                let is_filtered = arguments.has(&["filter"]);
                let posts = considered(arguments.page_size() as usize, is_filtered) as u64;
                let named = if is_filtered { 1 + FILTER_SLUGS_MAX as u64 * TERM_READS } else { 0 };
                Demand::reads(POST_READS * posts + named, MONTHS_OF_POPULAR)
            }
            Self::Change(always) => Demand::of(always.plus(OF_NAME.times(arguments.names_in_input()))),
            Self::UpdateOfPage(always) => {
                let moved = if arguments.has(&["input", "path"]) { MOVE } else { Bound::NONE };
                Self::Change(always.plus(moved)).demand(priced)
            }
        }
    }
}

impl Objects {
    pub(super) fn count(self, priced: &Priced<'_>) -> u64 {
        match self {
            Self::One => 1,
            Self::AtMost(count) => count,
            Self::TermsOfPost(kind) => priced.sizes.terms(kind).unwrap_or(u64::MAX).min(TERMS_OF_POST),
            Self::Page => priced.on.items(priced.sizes),
            Self::First => priced.arguments.page_size(),
            Self::ForEachId => priced.arguments.length(&["ids"], NODES_MAX),
            Self::Months => months(priced),
        }
    }
}

fn months(priced: &Priced<'_>) -> u64 {
    let most = match (priced.arguments.number("year"), priced.arguments.number("month")) {
        (Some(_), Some(_)) => 1,
        (Some(_), None) => 12,
        _ => MONTHS_UNKNOWN,
    };
    priced.sizes.months().unwrap_or(MONTHS_UNKNOWN).min(most)
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
        NodeId::Webhook(_) => ("Webhook", 1),
        NodeId::Change(_) => ("AuditLogEntry", 1),
        NodeId::Asset(_) => ("Asset", 1),
    }
}

/// The range reads of a part of a list of pages: a second one, of as many rows as possible, if the first one meets scheduled pages.
const LIST_READS: u64 = 2;

/// A page of children: the reads of its items, those beyond each cursor, and the keys of the list if it may be counted from the end.
fn child_pages(priced: &Priced<'_>, before: u64) -> Demand {
    let parts =
        u64::from(priced.selected.needed(priced.arguments.page_size()) > 0) + priced.selected.sides(&priced.arguments);
    let before = if priced.arguments.has(&["parentPath"]) { before } else { 0 };
    let page = Demand::reads(before, LIST_READS * parts);
    if parts > 0 && priced.arguments.has(&["last"]) { page.plus(Demand::of(KEYS_OF_PAGES)) } else { page }
}

/// The published pages up to `atMost`, with one more read if some are scheduled. An out-of-range value is refused without a read.
fn all_pages(arguments: &Arguments<'_>) -> Demand {
    let at_most = arguments.number("atMost").unwrap_or(PAGE_LINKS_DEFAULT).min(PAGES_MAX as u64);
    Demand::reads(0, all_pages_reads(at_most) + 1)
}

/// The current version, and one or more range reads, depending on the size of the bodies. From the end, the oldest version is searched first.
fn page_of_revisions(priced: &Priced<'_>) -> Demand {
    if !priced.selected.items {
        return Demand::default();
    }
    let versions = priced.arguments.page_size().min(REVISIONS_PAGE_MAX as u64) + 1;
    let page = Bound::new(POST_READS, 1 + versions / VERSIONS_OF_RANGE);
    let oldest = if priced.arguments.has(&["last"]) { OLDEST_REVISION } else { Bound::NONE };
    Demand::of(page.plus(oldest))
}
