//! The cost of a query in storage requests, computed before it runs. The rule: the figure is an upper bound for any content of the tables, and
//! the walk takes time in proportion to the length of the document.
//!
//! The walk follows the fields and their page sizes, and computes the bound of a fragment once for each place where it is spread; the guard bounds
//! the number of places. A field that is not in the schema costs nothing, because validation refuses it.

use std::collections::HashMap;

use async_graphql::{Name, ServerError, Value, Variables};
use async_graphql_value::Value as Literal;

use crate::content::read::REVISIONS_PAGE_MAX;
use crate::content::read::pages::{FILTER_SLUGS_MAX, LOOK_UPS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, RANGE_READS_MAX};

use super::error::{Code, coded};
use super::outline::{Field, OperationOutline, SelectionKind, SetId};
use super::query::NODES_MAX;

/// Terms of one kind that a post may have; an import or a mutation with more is refused.
pub use crate::model::post::TERMS_MAX;

/// The default limit for one query: it allows a page of 100 posts with all their terms three times.
pub const STORAGE_REQUESTS_MAX: u64 = 50_000;
/// The maximum number of values of one answer: 100 posts with 100 terms of each kind are 60,000, with all their fields.
pub const VALUES_MAX: u64 = 500_000;
/// A list of months costs one range read for each 1,000 months; ten reads cover more months than have passed since the year 1200.
const PARTITION_CATALOG_READS: u64 = 10;
/// Reads that a slug or an id may take if its term was renamed several times.
const TERM_READS: u64 = 8;
/// A change of a post with the maximum number of terms before and after: a few requests for each term.
const CHANGE: Bound = Bound { point_reads: 6 * 6 * TERMS_MAX as u64, range_reads: 0, values: 0 };
/// The list of tokens is bounded to the rows of one range read; a row may be added meanwhile.
const TOKENS: Bound = Bound { point_reads: 0, range_reads: 2, values: 0 };
/// Reads, repeated while other writers change the same row.
const CHANGE_OF_TOKEN: Bound = Bound { point_reads: 100, range_reads: 0, values: 0 };
/// Reads the token of a request, and its author.
pub const SIGN_IN: Bound = Bound { point_reads: 1 + TERM_READS, range_reads: 0, values: 0 };
/// A range read for each of two years, and more if the store cuts a page of rows short.
const CHANGES: Bound = Bound { point_reads: 0, range_reads: 8, values: 0 };
/// The current post, and a range read; more if bodies fill the store's pages.
const REVISIONS: Bound = Bound { point_reads: POST_READS, range_reads: 1 + REVISIONS_PAGE_MAX as u64, values: 0 };
/// The maximum for one post: by a former slug, and while the post is being moved.
const POST_READS: u64 = 6;

/// The maximum number of storage requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bound {
    pub point_reads: u64,
    pub range_reads: u64,
    /// Fields of the answer, each multiplied by the maximum number of its parents. They cost no storage requests, but much memory.
    pub values: u64,
}

impl Bound {
    pub fn requests(&self) -> u64 {
        self.point_reads.saturating_add(self.range_reads)
    }

    fn new(point_reads: u64, range_reads: u64) -> Self {
        Self { point_reads, range_reads, values: 0 }
    }

    pub fn plus(self, other: Self) -> Self {
        Self {
            point_reads: self.point_reads.saturating_add(other.point_reads),
            range_reads: self.range_reads.saturating_add(other.range_reads),
            values: self.values.saturating_add(other.values),
        }
    }

    fn times(self, n: u64) -> Self {
        Self {
            point_reads: self.point_reads.saturating_mul(n),
            range_reads: self.range_reads.saturating_mul(n),
            values: self.values.saturating_mul(n),
        }
    }
}

/// The error for too many values. It names the bound and the limit.
pub fn refusal_of_values(bound: &Bound) -> ServerError {
    let message = format!(
        "This query may return {} values; the limit is {VALUES_MAX}. Request smaller pages, fewer fields or aliases, or fewer nested lists.",
        bound.values
    );
    coded(Code::QueryTooComplex, message, None)
}

/// The error for too many storage requests. It names the bound and the limit.
pub fn refusal(bound: &Bound, limit: u64) -> ServerError {
    let requests = bound.requests();
    let message = format!(
        "This query may need {requests} storage requests; the limit is {limit}. Request smaller pages, or fewer nested lists."
    );
    coded(Code::QueryTooComplex, message, None)
}

/// The bound of an operation of an admitted request, with the variables that were sent. `months`: the number of months in the archive.
pub fn bound(operation: &OperationOutline, variables: &Variables, months: usize) -> Bound {
    let mut walk = CostWalk { operation, variables, months: months as u64, bounds: HashMap::new() };
    walk.selection(operation.operation().set, CostPlace::Query)
}

/// The type that a selection is on, as far as the cost depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum CostPlace {
    /// The root of a query or of a mutation.
    Query,
    /// The payload of a mutation.
    Payload,
    /// A post, or any object by its id.
    Post,
    /// A category, tag or author.
    Term,
    Months,
    /// Versions of a post, with their connection and its edges.
    Revisions,
    /// A connection of posts or of terms, with its number of items and the cost of its `totalCount`.
    Connection {
        of_posts: bool,
        items: u64,
        total: Bound,
    },
    Edge {
        of_posts: bool,
    },
    /// A type whose fields cost nothing.
    Plain,
}

struct CostWalk<'a> {
    operation: &'a OperationOutline,
    variables: &'a Variables,
    months: u64,
    /// By the set of a fragment, named or inline, and its place.
    bounds: HashMap<(SetId, CostPlace), Bound>,
}

impl CostWalk<'_> {
    fn selection(&mut self, set: SetId, place: CostPlace) -> Bound {
        let operation = self.operation;
        let outline = operation.outline();
        let each = outline.set(set).selections.iter().map(|selection| match &selection.kind {
            SelectionKind::Field(field) => self.field(field, place),
            fragment => match outline.fragment_of(fragment) {
                Some((on, set)) => self.fragment(set, narrow(place, on.map(Name::as_str))),
                None => Bound::default(),
            },
        });
        each.fold(Bound::default(), Bound::plus)
    }

    fn fragment(&mut self, set: SetId, place: CostPlace) -> Bound {
        if let Some(known) = self.bounds.get(&(set, place)) {
            return *known;
        }
        // A fragment that spreads itself, which the guard refuses, costs nothing the second time.
        self.bounds.insert((set, place), Bound::default());
        let bound = self.selection(set, place);
        self.bounds.insert((set, place), bound);
        bound
    }

    fn field(&mut self, field: &Field, place: CostPlace) -> Bound {
        let (own, below, times) = self.step(field, place);
        let value = Bound { values: 1, ..Bound::default() };
        let inside = field.set.map_or_else(Bound::default, |set| self.selection(set, below));
        own.plus(value).plus(inside.times(times))
    }

    /// The cost of the field itself, the type of its selection, and the maximum number of objects that it returns.
    fn step(&self, field: &Field, place: CostPlace) -> (Bound, CostPlace, u64) {
        let none = Bound::default();
        match (place, field.name.as_str()) {
            (CostPlace::Query, "post") => (Bound::new(POST_READS, 0), CostPlace::Post, 1),
            (CostPlace::Query, "preview") => (Bound::new(POST_READS + 1, 0), CostPlace::Post, 1),
            (CostPlace::Query, "createPreview" | "revokePreviews") => (CHANGE_OF_TOKEN, CostPlace::Plain, 1),
            (CostPlace::Query, "node") => (Bound::new(TERM_READS, 0), CostPlace::Post, 1),
            (CostPlace::Query, "nodes") => {
                let ids = self.list_length(field, "ids");
                (Bound::new(TERM_READS, 0).times(ids), CostPlace::Post, ids)
            }
            (CostPlace::Query, "category" | "tag" | "author") => (Bound::new(TERM_READS, 0), CostPlace::Term, 1),
            (CostPlace::Query, "posts") => self.posts(field, self.is_given(field, "filter")),
            (CostPlace::Query, "drafts" | "scheduledPosts") => self.hidden_posts(field),
            (CostPlace::Query, "categories" | "tags" | "authors") => self.terms(field),
            (CostPlace::Query, "changes") => (CHANGES, CostPlace::Plain, 1),
            (CostPlace::Post, "revisions") => (REVISIONS, CostPlace::Revisions, self.revisions_requested(field)),
            (CostPlace::Revisions, "edges" | "nodes" | "node") => (none, CostPlace::Revisions, 1),
            (CostPlace::Revisions, "authors" | "categories" | "tags") => {
                (Bound::new(TERMS_MAX as u64, 0), CostPlace::Term, TERMS_MAX as u64)
            }
            (CostPlace::Query, "tokens") => (TOKENS, CostPlace::Plain, 1),
            (CostPlace::Query, "createToken" | "revokeToken") => (TOKENS.plus(CHANGE_OF_TOKEN), CostPlace::Plain, 1),
            (CostPlace::Query, "createPost" | "updatePost" | "restoreRevision" | "publishPost" | "unpublishPost") => {
                (CHANGE, CostPlace::Payload, 1)
            }
            (CostPlace::Query, "saveCategory" | "saveTag" | "saveAuthor") => (CHANGE, CostPlace::Payload, 1),
            (CostPlace::Query, "deletePost" | "deleteCategory" | "deleteTag" | "deleteAuthor") => {
                (CHANGE, CostPlace::Plain, 1)
            }
            (CostPlace::Payload, "post") => (none, CostPlace::Post, 1),
            (CostPlace::Payload, "category" | "tag" | "author") => (none, CostPlace::Term, 1),
            (CostPlace::Query, "archive") => {
                (Bound::new(0, PARTITION_CATALOG_READS + 1), CostPlace::Months, self.months_requested(field))
            }
            (CostPlace::Months, "posts") => self.posts(field, false),
            (CostPlace::Post | CostPlace::Term, "posts") => self.posts(field, true),
            // Two range reads are 2,000 scheduled posts of the term; more of them would cost more.
            (CostPlace::Post | CostPlace::Term, "postCount") => (Bound::new(1, 2), CostPlace::Plain, 1),
            (CostPlace::Post, "body") => (Bound::new(1 + POST_READS, 0), CostPlace::Plain, 1),
            (CostPlace::Post, "author") => (Bound::new(TERM_READS, 0), CostPlace::Term, 1),
            (CostPlace::Post, "authors" | "categories" | "tags") => {
                (Bound::new(TERMS_MAX as u64, 0), CostPlace::Term, TERMS_MAX as u64)
            }
            (CostPlace::Post, "newer" | "older") => (Bound::new(2, PARTITION_CATALOG_READS + 2), CostPlace::Post, 1),
            (CostPlace::Connection { of_posts, items, .. }, "edges") => (none, CostPlace::Edge { of_posts }, items),
            (CostPlace::Connection { of_posts, items, .. }, "nodes") => (none, item(of_posts), items),
            (CostPlace::Connection { total, .. }, "totalCount") => (total, CostPlace::Plain, 1),
            (CostPlace::Edge { of_posts }, "node") => (none, item(of_posts), 1),
            _ => (none, CostPlace::Plain, 1),
        }
    }

    fn revisions_requested(&self, field: &Field) -> u64 {
        self.page_size(field).min(REVISIONS_PAGE_MAX as u64)
    }

    fn months_requested(&self, field: &Field) -> u64 {
        match (self.is_given(field, "year"), self.is_given(field, "month")) {
            (true, true) => 1,
            (true, false) => self.months.min(12),
            _ => self.months,
        }
    }

    /// One page: the reads of months or of the index with their look-ups, and the reads for `hasNextPage` and `hasPreviousPage`.
    fn posts(&self, field: &Field, by_index: bool) -> (Bound, CostPlace, u64) {
        let items = self.page_size(field);
        let page = if by_index {
            Bound::new(
                2 * (items + 1),
                if self.is_given(field, "filter") { 2 * u64::from(RANGE_READS_MAX) } else { 3 + items },
            )
        } else {
            Bound::new(items + 1, PARTITION_CATALOG_READS + items + 2)
        };
        let has_cursor = self.is_given(field, "after") || self.is_given(field, "before");
        let neighbours = if has_cursor { Bound::new(4, 2 * (PARTITION_CATALOG_READS + 2)) } else { Bound::default() };
        let total = Bound::new(2 * FILTER_SLUGS_MAX as u64, 2 * u64::from(RANGE_READS_MAX) + PARTITION_CATALOG_READS);
        if !self.excludes_terms(field) {
            return (page.plus(neighbours), CostPlace::Connection { of_posts: true, items, total }, 1);
        }
        // Looks up the excluded terms, and examines posts until the page is full, and so for each of its sides. The count is of two lists.
        let first_slugs = Bound::new(TERM_READS * FILTER_SLUGS_MAX as u64, 0);
        let examined = Bound::new(2 * u64::from(LOOK_UPS_MAX), u64::from(RANGE_READS_MAX) + PARTITION_CATALOG_READS);
        let page = page.plus(first_slugs).plus(examined.times(if has_cursor { 3 } else { 1 }));
        let total = total.times(2).plus(first_slugs);
        (page.plus(neighbours), CostPlace::Connection { of_posts: true, items, total }, 1)
    }

    /// Whether `none` is given for categories, tags or authors.
    fn excludes_terms(&self, field: &Field) -> bool {
        let Some(filter) = self.argument(field, "filter") else { return false };
        let of_kind = |kind: &str| filter.entry(kind).and_then(|slugs| self.resolved(slugs)?.entry("none"));
        let none = ["categories", "tags", "authors"].into_iter().filter_map(of_kind);
        none.filter_map(|none| self.resolved(none)).any(|none| !none.is_null())
    }

    /// The actor is not known here. For the role author, own drafts are filtered from all drafts, for the page and for each of its sides.
    fn hidden_posts(&self, field: &Field) -> (Bound, CostPlace, u64) {
        let (page, connection, times) = self.posts(field, true);
        let has_cursor = self.is_given(field, "after") || self.is_given(field, "before");
        let filtered = Bound::new(0, u64::from(RANGE_READS_MAX) + PARTITION_CATALOG_READS);
        (page.plus(filtered.times(if has_cursor { 3 } else { 1 })), connection, times)
    }

    fn terms(&self, field: &Field) -> (Bound, CostPlace, u64) {
        // A slug begins with one of 36 characters: ten digits and twenty-six letters.
        let items = self.page_size(field);
        (Bound::new(2, 1 + 3 * 36), CostPlace::Connection { of_posts: false, items, total: Bound::new(0, 1) }, 1)
    }

    fn page_size(&self, field: &Field) -> u64 {
        // Absent, null, or of a type that validation refuses: the default.
        let size = |name| self.argument(field, name)?.size();
        let size = size("first").or_else(|| size("last")).unwrap_or(PAGE_SIZE_DEFAULT as u64);
        size.min(PAGE_SIZE_MAX as u64)
    }

    fn list_length(&self, field: &Field, name: &str) -> u64 {
        let length = self.argument(field, name).and_then(|argument| argument.list_length()).unwrap_or(1);
        length.min(NODES_MAX) as u64
    }

    fn is_given(&self, field: &Field, name: &str) -> bool {
        self.argument(field, name).is_some_and(|argument| !argument.is_null())
    }

    /// `None` if the argument is absent, or its variable has no value.
    fn argument<'b>(&'b self, field: &'b Field, name: &str) -> Option<Argument<'b>> {
        let (_, literal) = field.arguments.iter().find(|(argument, _)| argument == name)?;
        self.resolved(Argument::Literal(literal))
    }

    /// The value of the variable, if that is what is written.
    fn resolved<'b>(&'b self, argument: Argument<'b>) -> Option<Argument<'b>> {
        match argument {
            Argument::Literal(Literal::Variable(variable)) => {
                self.operation.operation().variable(variable, self.variables).map(Argument::Variable)
            }
            argument => Some(argument),
        }
    }
}

/// The value of an argument, as it is written or as its variable has it.
#[derive(Clone, Copy)]
enum Argument<'a> {
    Literal(&'a Literal),
    Variable(&'a Value),
}

impl Argument<'_> {
    /// A field of an input object.
    fn entry(self, name: &str) -> Option<Self> {
        match self {
            Self::Literal(Literal::Object(fields)) => fields.get(name).map(Self::Literal),
            Self::Variable(Value::Object(fields)) => fields.get(name).map(Self::Variable),
            _ => None,
        }
    }

    fn is_null(self) -> bool {
        matches!(self, Self::Literal(Literal::Null) | Self::Variable(Value::Null))
    }

    /// The size of a page; a number that is no size is refused when the field runs, and counts as the largest one.
    fn size(self) -> Option<u64> {
        match self {
            Self::Literal(Literal::Number(n)) | Self::Variable(Value::Number(n)) => {
                Some(n.as_u64().unwrap_or(u64::MAX))
            }
            _ => None,
        }
    }

    fn list_length(self) -> Option<usize> {
        match self {
            Self::Literal(Literal::List(items)) => Some(items.len()),
            Self::Variable(Value::List(items)) => Some(items.len()),
            _ => None,
        }
    }
}

fn item(of_posts: bool) -> CostPlace {
    if of_posts { CostPlace::Post } else { CostPlace::Term }
}

/// `node` and `nodes` return objects of any type; a fragment on a type narrows it.
fn narrow(place: CostPlace, on: Option<&str>) -> CostPlace {
    match (place, on) {
        (CostPlace::Post, Some("Category" | "Tag" | "Author")) => CostPlace::Term,
        (place, _) => place,
    }
}

#[cfg(test)]
mod tests;
