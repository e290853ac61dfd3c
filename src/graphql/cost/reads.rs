//! The storage requests of a field and the number of objects that it returns, from its price. The rule: what the catalogs do not show is
//! assumed to cost the maximum.

use crate::content::read::pages::PAGE_SIZE_MAX;
use crate::content::read::{Catalog, INDEXES_READ_MAX, REVISION_READS_MAX, REVISIONS_PAGE_MAX, Sizes, all_pages_reads};
use crate::model::site_page::{PAGE_LINKS_DEFAULT, PAGES_MAX};
use crate::model::{IndexKind, NodeId, TermKind};

use super::arguments::Arguments;
use super::bound::Bound;
use super::changes::{self, VERSIONS_OF_RANGE};
use super::circumstances::Sees;
use super::demand::Demand;
use super::pages::{self, List, Requested, Source};
use super::priced::Priced;
use super::prices::{ANCESTORS, NODES_MAX, OLDEST_REVISION, Objects, Reads, TERM_READS, TERMS_OF_POST};

/// The row with the place of a post, and its row there.
const POST_READS: u64 = 2;
/// The months of an archive if the month catalog is not in memory.
const MONTHS_UNKNOWN: u64 = 10_000;

impl Reads {
    /// Whether a loader makes the reads, so that equal fields share them.
    pub(super) fn are_shared(self) -> bool {
        !matches!(
            self,
            Self::Fixed(_)
                | Self::Change(_)
                | Self::Post { .. }
                | Self::Series(_)
                | Self::Count
                | Self::PageOfRevisions
                | Self::AllPages
                | Self::ChildPages { .. }
                | Self::Page(Source::Terms(_))
        )
    }

    /// The list of the page that the field returns.
    pub(super) fn list(self, priced: &Priced<'_>) -> List {
        let source = if let Self::Page(source) = self { source } else { Source::Other };
        List::of(source, &priced.arguments, priced.sizes, priced.sees)
    }

    /// `list`: the list of the page that the field returns.
    pub(super) fn demand(self, priced: &Priced<'_>, list: &List) -> Demand {
        let sizes = priced.sizes;
        match self {
            Self::Fixed(bound) | Self::Shared(bound) => Demand::of(bound),
            Self::ByIds(argument) => {
                let of_ids = nodes(&priced.arguments, argument).map(|(_, reads)| Demand::reads(reads, 0));
                of_ids.fold(Demand::default(), Demand::plus)
            }
            Self::Body | Self::BodyOfPage if priced.has_body => Demand::default(),
            Self::Body | Self::BodyOfPage => Demand::reads(1, 0),
            Self::Post { more } => Demand::reads(more + POST_READS, 0),
            Self::Page(_) => pages::page(list, &priced.arguments, priced.requested, sizes),
            Self::Count => pages::count(&priced.list, sizes),
            Self::CountOfTerm => pages::count_of_term(sizes),
            Self::TermOfPost(kind) => Demand::of_terms(kind, 1),
            Self::TermsOfPost(kind) => Demand::of_terms(kind, priced.terms_of_post(kind)),
            Self::TermsOfRevision => Demand::reads(TERM_READS * TERMS_OF_POST, 0),
            Self::Neighbour => pages::neighbour(sizes),
            Self::Series(posts) => pages::of_series(posts, sizes),
            Self::Archive => pages::count_of_months(sizes),
            Self::PageOfRevisions => page_of_revisions(priced),
            Self::ChildPages { before } => child_pages(priced, before),
            Self::CategoriesAbove => Demand::reads(1, 0).plus(Demand::of_terms(TermKind::Category, ANCESTORS)),
            Self::CategoriesBelow => categories_below(priced),
            Self::AllPages => all_pages(priced),
            Self::Change(change) => changes::demand(change, priced),
            Self::Lists => lists(priced),
        }
    }
}

/// The reads for the bound of the document in the argument `query`. The names of its fields and the slugs of its filters are in its text or
/// in that of its variables. A deletion also reads the catalog of drafts.
fn lists(priced: &Priced<'_>) -> Demand {
    let text = |name: &str| priced.arguments.texts(name).pop().flatten().unwrap_or_default();
    let (document, variables) = (text("query"), text("variables"));
    let lists = useful_lists(priced.sees, |name: &str| document.contains(name));
    let lists = lists.chain(document.contains("mutation").then_some(Catalog::Drafts));
    // A post, and the version to restore.
    let of_change = POST_READS + 1;
    let reads = Demand::reads(reads_of_text((document, variables), priced.sizes, of_change), 0);
    lists.fold(reads, Demand::with)
}

/// The maximum number of reads of the objects that a document names, which is known only as a text. `of_change`: those for the objects of a
/// change.
fn reads_of_text((document, variables): (&str, &str), sizes: &Sizes, of_change: u64) -> u64 {
    let indexes = match document.contains("filter") {
        // The value of a field need not be in quotation marks.
        true if sizes.indexed_fields > 0 => INDEXES_READ_MAX,
        // Each slug is in quotation marks, and may be in an index of each kind except three: featured posts, which are not named by a slug,
        // and declared fields and series, which do not apply here.
        true => {
            let texts = (document.matches('"').count() + variables.matches('"').count()) / 2;
            texts * (IndexKind::ALL.len() - 3) + usize::from(document.contains("featured"))
        }
        false => 0,
    };
    let change = if document.contains("mutation") { of_change } else { 0 };
    indexes.min(INDEXES_READ_MAX) as u64 + change
}

/// The catalogs that refine the bound of an operation. `has`: whether the operation has a field of this name.
pub(super) fn useful_lists(sees: Sees, has: impl Fn(&str) -> bool) -> impl Iterator<Item = Catalog> {
    let is_useful = move |catalog: &Catalog| {
        let names: &[&str] = match catalog {
            Catalog::Posts => &["posts", "archive", "newer", "older", "series", "scheduledPosts", "postCount"],
            Catalog::Drafts if sees == Sees::Published => &[],
            Catalog::Drafts => &["draftPosts"],
            Catalog::Terms(TermKind::Category) => &["categories", "category"],
            Catalog::Terms(TermKind::Tag) => &["tags", "tag"],
            Catalog::Terms(TermKind::Author) => &["authors", "author"],
            Catalog::Terms(TermKind::Series) => &["allSeries", "series"],
        };
        names.iter().any(|name| has(name))
    };
    Catalog::ALL.into_iter().filter(is_useful)
}

impl Objects {
    pub(super) fn count(self, priced: &Priced<'_>) -> u64 {
        match self {
            Self::One | Self::Few => 1,
            Self::AtMost(count) => count,
            Self::TermsOfPost(kind) => priced.terms_of_post(kind),
            Self::Page(most) => priced.list.items(priced.sizes).min(most),
            Self::ForEachId => priced.arguments.list_length("ids").min(NODES_MAX as u64),
            Self::Months => months(priced),
        }
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

/// The object type of each id of an argument, and the point reads that find the object. A text that is not an id finds nothing.
pub(super) fn nodes<'a>(arguments: &Arguments<'a>, argument: &str) -> impl Iterator<Item = (&'static str, u64)> + 'a {
    let ids = arguments.texts(argument).into_iter().take(NODES_MAX);
    ids.filter_map(|id| {
        Some(match id?.parse().ok()? {
            NodeId::Post(_) => ("Post", POST_READS),
            NodeId::Page(_) => ("Page", 1),
            NodeId::Term(id) => match id.key.kind {
                TermKind::Category => ("Category", TERM_READS),
                TermKind::Tag => ("Tag", TERM_READS),
                TermKind::Author => ("Author", TERM_READS),
                TermKind::Series => ("Series", TERM_READS),
            },
            NodeId::Revision(..) => ("Revision", POST_READS + REVISION_READS_MAX),
            NodeId::Token(_) => ("Token", 1),
            NodeId::Change(_) => ("Change", 1),
            NodeId::Asset(_) => ("Asset", 1),
        })
    })
}

/// A page of children: one range read, and one for the page before the cursor.
fn child_pages(priced: &Priced<'_>, before: u64) -> Demand {
    let size = priced.arguments.page_size().min(PAGE_SIZE_MAX as u64);
    let Requested { items, has_next, has_previous } = priced.requested;
    let need = if items { size + u64::from(has_next) } else { 0 };
    let ranges = if need > 0 { 1 } else { 0 };
    let before = if priced.arguments.has("parent") { before } else { 0 };
    let sides = u64::from(has_previous && priced.arguments.has("after"));
    Demand::reads_of(before, ranges + sides, need + sides)
}

/// The tree of categories, and the categories of the page; one more if `hasNextPage` is requested, and the one before the cursor.
fn categories_below(priced: &Priced<'_>) -> Demand {
    let size = priced.arguments.page_size().min(PAGE_SIZE_MAX as u64);
    let Requested { items, has_next, has_previous } = priced.requested;
    let need = if items { size + u64::from(has_next) } else { 0 };
    let side = u64::from(has_previous && priced.arguments.has("after"));
    Demand::reads(1, 0).plus(Demand::of_terms(TermKind::Category, need + side))
}

/// The published pages up to `atMost`. A value that is out of range is refused without a read.
fn all_pages(priced: &Priced<'_>) -> Demand {
    let at_most = priced.arguments.number("atMost").unwrap_or(PAGE_LINKS_DEFAULT).min(PAGES_MAX as u64);
    Demand::reads_of(0, all_pages_reads(at_most), at_most + 1)
}

/// The current version, and one or more range reads, depending on the size of the bodies.
fn page_of_revisions(priced: &Priced<'_>) -> Demand {
    if !priced.requested.items {
        return Demand::default();
    }
    let versions = priced.arguments.page_size().min(REVISIONS_PAGE_MAX as u64) + 1;
    let page = Bound::new(POST_READS, 1 + versions / VERSIONS_OF_RANGE);
    let oldest = if priced.arguments.is_from_end() { OLDEST_REVISION } else { Bound::default() };
    Demand::of(page.plus(oldest))
}
