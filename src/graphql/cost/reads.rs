//! The storage requests of a field, and how many objects it returns, from its price. The rule: what the lists of partitions do not say is assumed to be as
//! dear as it can be.

use crate::content::read::{Catalog, REVISION_READS_MAX, REVISIONS_PAGE_MAX, Sizes};
use crate::model::rules::FORMER_SLUGS_MAX;
use crate::model::{NodeId, TermKind};

use super::arguments::Arguments;
use super::bound::Bound;
use super::circumstances::Sees;
use super::demand::Demand;
use super::pages::{self, List, Requested, Source};
use super::prices::{NODES_MAX, OLDEST_REVISION, Objects, Reads, TERM_READS, TERMS_OF_POST};

/// The row that names its place, and its row there.
const POST_READS: u64 = 2;
/// While it is being moved: its rows at both places.
const MOVED_POST_READS: u64 = 6;
/// The months of an archive whose list is not in memory.
const MONTHS_UNKNOWN: u64 = 10_000;
/// A store of tables returns at most 4 MiB at once, and a version may have 700 KB.
const VERSIONS_OF_RANGE: u64 = 5;

/// Reads, and writes, of a change without those for its terms.
const REQUESTS_OF_CHANGE: u64 = 40;
/// Reads, and writes, for one term.
const REQUESTS_OF_TERM: u64 = 3;
/// Transactions of a change on a file: one, and one more for each time that another change came first.
const TRANSACTIONS: u64 = 5;
/// Range reads for suggestions: five for each kind of terms.
const SUGGESTIONS: u64 = 3 * 5;
/// Numbers that are tried after a title. More posts of one title cost more; a change is not stopped for that.
const SLUGS_TRIED: u64 = 200;

/// What the price of a field depends on.
pub(super) struct Priced<'a> {
    pub arguments: Arguments<'a>,
    pub sizes: &'a Sizes,
    /// The list whose page the field is on.
    pub list: List,
    /// The parts of a page that are selected below the field.
    pub requested: Requested,
    /// Whether the post was read with its body.
    pub has_body: bool,
    pub sees: Sees,
}

impl Reads {
    /// Whether fields that request the same share the reads, because a loader makes them.
    pub(super) fn are_shared(self) -> bool {
        !matches!(
            self,
            Self::Fixed(_)
                | Self::Change
                | Self::Restoration
                | Self::ChangeOfTerm(_)
                | Self::CreatePost
                | Self::Post { .. }
                | Self::Count
                | Self::PageOfRevisions
                | Self::Page(Source::Terms(_))
        )
    }

    /// The list that the field returns a page of.
    pub(super) fn list(self, priced: &Priced<'_>) -> List {
        let source = if let Self::Page(source) = self { source } else { Source::Other };
        List::of(source, &priced.arguments, priced.sees)
    }

    /// `list`: the one that the field returns a page of.
    pub(super) fn demand(self, priced: &Priced<'_>, list: &List) -> Demand {
        let sizes = priced.sizes;
        match self {
            Self::Fixed(bound) | Self::Shared(bound) => Demand::of(bound),
            Self::ByIds(argument) => {
                let of_ids = nodes(&priced.arguments, argument).map(|(_, reads)| {
                    let moved = if reads.is_of_post { post_reads(sizes) - POST_READS } else { 0 };
                    Demand::reads(reads.reads + moved, 0)
                });
                of_ids.fold(Demand::default(), Demand::plus)
            }
            Self::Body if priced.has_body => Demand::default(),
            Self::Body => Demand::reads(if sizes.may_move { 1 + MOVED_POST_READS } else { 1 }, 0),
            Self::Post { more } => Demand::reads(more + post_reads(sizes), 0),
            Self::Page(_) => pages::page(list, &priced.arguments, priced.requested, sizes),
            Self::Count => pages::count(&priced.list, sizes),
            Self::CountOfTerm => pages::count_of_term(sizes),
            Self::TermOfPost(kind) => Demand::of_terms(kind, 1),
            Self::TermsOfPost(kind) => Demand::of_terms(kind, terms_of_post(kind, sizes)),
            Self::TermsOfRevision => Demand::reads(TERM_READS * TERMS_OF_POST, 0),
            Self::Neighbour => pages::neighbour(sizes),
            Self::Archive => pages::count_of_months(sizes),
            Self::PageOfRevisions => page_of_revisions(priced),
            Self::Change => change_of_post(named_terms(priced), sizes),
            Self::Restoration => change_of_post(3 * TERMS_OF_POST, sizes),
            // On tables, each former slug has a row of its own.
            Self::ChangeOfTerm(more) if sizes.may_move => change(2 * FORMER_SLUGS_MAX as u64).plus(Demand::of(more)),
            Self::ChangeOfTerm(more) => change_on_file(0).plus(Demand::of(more)),
            Self::CreatePost => creation(priced),
            Self::Lists => lists(priced),
        }
    }
}

/// The lists of partitions that make the bound of the document in the argument `query` close. Its field names are in its text.
fn lists(priced: &Priced<'_>) -> Demand {
    let documents = priced.arguments.texts("query");
    let is_named = |name: &str| documents.iter().flatten().any(|document| document.contains(name));
    useful_lists(priced.sees, is_named).fold(Demand::default(), Demand::with)
}

/// The lists of partitions that make the bound of an operation close. `has`: whether it has a field of this name.
pub(super) fn useful_lists(sees: Sees, has: impl Fn(&str) -> bool) -> impl Iterator<Item = Catalog> {
    let is_useful = move |catalog: &Catalog| {
        let names: &[&str] = match catalog {
            Catalog::Posts => &["posts", "archive", "newer", "older", "scheduledPosts", "postCount"],
            Catalog::Drafts if sees == Sees::Published => &[],
            Catalog::Drafts => &["draftPosts"],
            Catalog::Terms(TermKind::Category) => &["categories", "category"],
            Catalog::Terms(TermKind::Tag) => &["tags", "tag"],
            Catalog::Terms(TermKind::Author) => &["authors", "author"],
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
            Self::TermsOfPost(kind) => terms_of_post(kind, priced.sizes),
            Self::Page(most) => priced.list.items(priced.sizes).min(most),
            Self::ForEachId => priced.arguments.list_length("ids").min(NODES_MAX as u64),
            Self::Months => months(priced),
        }
    }
}

fn post_reads(sizes: &Sizes) -> u64 {
    if sizes.may_move { MOVED_POST_READS } else { POST_READS }
}

pub(super) fn terms_of_post(kind: TermKind, sizes: &Sizes) -> u64 {
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

/// The reads that find an object by its id.
pub(super) struct IdReads {
    reads: u64,
    /// Whether a post is found first, which may be on the move.
    is_of_post: bool,
}

/// The objects that the ids of an argument name: the type of each, and the reads that find it. A text that is no id finds nothing.
pub(super) fn nodes<'a>(
    arguments: &Arguments<'a>,
    argument: &str,
) -> impl Iterator<Item = (&'static str, IdReads)> + 'a {
    let ids = arguments.texts(argument).into_iter().take(NODES_MAX);
    ids.filter_map(|id| {
        let (of, reads, is_of_post) = match id?.parse().ok()? {
            NodeId::Post(_) => ("Post", POST_READS, true),
            NodeId::Term(id) => match id.key.kind {
                TermKind::Category => ("Category", TERM_READS, false),
                TermKind::Tag => ("Tag", TERM_READS, false),
                TermKind::Author => ("Author", TERM_READS, false),
            },
            NodeId::Revision(..) => ("Revision", POST_READS + REVISION_READS_MAX, true),
            NodeId::Token(_) => ("Token", 1, false),
            NodeId::Change(_) => ("Change", 1, false),
        };
        Some((of, IdReads { reads, is_of_post }))
    })
}

/// A change, with a few reads and writes for each term that the post has before it or after it.
fn change(terms: u64) -> Demand {
    let requests = REQUESTS_OF_CHANGE + REQUESTS_OF_TERM * terms;
    Demand::of(Bound::new(requests, SUGGESTIONS).writing(requests))
}

/// A change on a file: one transaction reads and writes all that it depends on, so that only the terms that are named are looked up before it.
fn change_on_file(terms: u64) -> Demand {
    Demand::of(Bound::new(REQUESTS_OF_CHANGE + REQUESTS_OF_TERM * terms, SUGGESTIONS).writing(TRANSACTIONS))
}

/// On tables, each term that the post has before the change or after it is a row of its own.
fn change_of_post(named: u64, sizes: &Sizes) -> Demand {
    if sizes.may_move { change(2 * 3 * TERMS_OF_POST) } else { change_on_file(named) }
}

/// The terms that the input names.
fn named_terms(priced: &Priced<'_>) -> u64 {
    let named = ["categories", "tags", "authors"].map(|name| priced.arguments.length_in("input", name));
    named.into_iter().map(|count| count.min(TERMS_OF_POST)).sum()
}

/// A new post has the terms that its input names.
fn creation(priced: &Priced<'_>) -> Demand {
    let named = named_terms(priced);
    // A new tag is written by steps of its own on tables.
    let creation = if priced.sizes.may_move { change(named * 4) } else { change_on_file(named) };
    if priced.arguments.has_in("input", "slug") {
        return creation;
    }
    // On tables, a try that fails is a change that is undone.
    let of_try = if priced.sizes.may_move { Bound::new(6, 0).writing(6) } else { Bound::new(3, 0).writing(1) };
    creation.plus(Demand::of(of_try).times(SLUGS_TRIED))
}

/// The current version, and a range read; more if bodies fill the store's pages.
fn page_of_revisions(priced: &Priced<'_>) -> Demand {
    if !priced.requested.items {
        return Demand::default();
    }
    let versions = priced.arguments.page_size().min(REVISIONS_PAGE_MAX as u64) + 1;
    let page = Bound::new(post_reads(priced.sizes), 1 + versions / VERSIONS_OF_RANGE);
    let oldest = if priced.arguments.is_from_end() { OLDEST_REVISION } else { Bound::default() };
    Demand::of(page.plus(oldest))
}
