//! The prices of the fields, by the object type that a field is on. The rule: an entry is an upper bound for any content of the tables, and every field
//! that returns objects has one. A field without an entry costs no storage request; a test lists these fields.
//!
//! Interfaces and unions have no entries, because the walk prices a field on each type that an object there can have.

use std::collections::HashMap;

use crate::content::read::pages::{FILTER_SLUGS_MAX, LOOK_UPS_MAX, PAGE_SIZE_MAX, RANGE_READS_MAX};
use crate::content::read::{REVISION_READS_MAX, REVISIONS_PAGE_MAX, SEARCH_READS_MAX};
use crate::model::post::TERMS_MAX;

use super::arguments::Arguments;
use super::bound::Bound;

/// Reads the token of a request and its author, or the key of preview links.
pub const SIGN_IN: Bound = Bound::new(1 + TERM_READS, 0);

/// A list of months costs one range read for each 1,000 months; ten reads cover more months than have passed since the year 1200.
const PARTITION_CATALOG_READS: u64 = 10;
/// Reads that a slug or an id may take if its term was renamed several times.
const TERM_READS: u64 = 8;
/// The maximum for one post: by a former slug, and while the post is being moved.
const POST_READS: u64 = 6;
/// A version of a post by its id, for which the post is read first.
const REVISION_READS: u64 = POST_READS + REVISION_READS_MAX;
/// The maximum for one object by its id: a term or a version of a post.
const NODE_READS: u64 = if TERM_READS > REVISION_READS { TERM_READS } else { REVISION_READS };
/// The terms of one kind that a post may have; an import or a mutation with more is refused.
pub const TERMS_OF_POST: u64 = TERMS_MAX as u64;
/// The maximum number of ids of one `nodes`: the size of the largest page.
pub const NODES_MAX: usize = 100;
/// The months of a century: what `@listSize` says of the archive, because the number of its months is known only when a query is priced.
pub const MONTHS_ASSUMED: u64 = 1200;

const POST: Bound = Bound::new(POST_READS, 0);
const TERM: Bound = Bound::new(TERM_READS, 0);
const NODE: Bound = Bound::new(NODE_READS, 0);
const NEIGHBOUR: Bound = Bound::new(2, PARTITION_CATALOG_READS + 2);
/// Two range reads are 2,000 scheduled posts of the term; more of them would cost more.
const COUNT_OF_TERM: Bound = Bound::new(1, 2);
const COUNT_OF_POSTS: Bound =
    Bound::new(2 * FILTER_SLUGS_MAX as u64, 2 * RANGE_READS_MAX as u64 + PARTITION_CATALOG_READS);
/// A slug begins with one of 36 characters: ten digits and twenty-six letters.
const PAGE_OF_TERMS: Bound = Bound::new(2, 1 + 3 * 36);
/// A change of a post with the maximum number of terms before and after: a few requests for each term.
/// The range reads are for suggestions: five for each kind of terms.
const CHANGE: Bound = Bound::new(6 * 6 * TERMS_OF_POST, 3 * 5);
/// A deletion that is refused counts the posts and drafts that have the term.
const DELETION_OF_TERM: Bound = CHANGE.plus(Bound::new(2, RANGE_READS_MAX as u64 + PARTITION_CATALOG_READS));
/// The list of tokens is bounded to the rows of one range read; a row may be added meanwhile.
const TOKENS: Bound = Bound::new(0, 2);
/// The tokens that exist, the author, and the authors with similar slugs if no author has the slug.
const TO_CREATE_TOKEN: Bound = TOKENS.plus(TERM).plus(Bound::new(0, 1));
/// Reads, repeated while other writers change the same row.
const CHANGE_OF_TOKEN: Bound = Bound::new(100, 0);
/// An author by its first slug, which another author may have meanwhile.
const AUTHOR_OF_ACTOR: Bound = Bound::new(2, 0);
/// A range read for each of two years, and more if the store cuts a page of rows short.
const AUDIT_LOG: Bound = Bound::new(0, 8);
/// The current post, and a range read; more if bodies fill the store's pages.
const REVISIONS: Bound = Bound::new(POST_READS, 1 + REVISIONS_PAGE_MAX as u64);
/// Finds the oldest version that is kept.
const OLDEST_REVISION: Bound = Bound::new(SEARCH_READS_MAX, 0);

/// The fields with a price, by the object type that they are on.
pub(super) type PriceTable = [(&'static str, &'static [(&'static str, Price)])];

/// The prices of a schema.
#[derive(Debug)]
pub(super) struct Prices(HashMap<&'static str, HashMap<&'static str, Price>>);

/// The price of a field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Price {
    pub reads: Reads,
    pub objects: Objects,
}

/// The storage requests of a field itself, without those of the fields below it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reads {
    Fixed(Bound),
    /// For each value in the list of the argument `ids`.
    ForEachId(Bound),
    /// A page of the posts of all months or of one, newest first. With a filter it is read from an index.
    PageOfPosts,
    /// A page of posts that is read from an index.
    PageOfIndex,
    /// A page of posts that are not published.
    PageOfHiddenPosts,
    /// A page of the versions of a post. A page from the end of the list begins at the oldest version.
    PageOfRevisions,
}

/// The maximum number of objects that a field returns.
#[derive(Debug, Clone, Copy)]
pub(super) enum Objects {
    One,
    /// A short list without a fixed maximum, counted as one object: at most one of its objects has fields that cost storage requests.
    Few,
    AtMost(u64),
    /// The page size that was requested of the connection that the field is on, up to this maximum.
    Page(u64),
    /// One for each value in the list of the argument `ids`.
    ForEachId,
    /// One for each month of the archive that the arguments `year` and `month` select.
    Months,
}

/// A field that returns one object and costs no storage request.
const ONE: Price = Price::of(Bound::new(0, 0));
const FEW: Price = ONE.returning(Objects::Few);
const PAGE: Price = ONE.returning(Objects::Page(PAGE_SIZE_MAX as u64));
const PAGE_OF_REVISIONS: Price = ONE.returning(Objects::Page(REVISIONS_PAGE_MAX as u64));
const TERMS_OF_ONE_KIND: Price = Price::of(Bound::new(TERMS_OF_POST, 0)).returning(Objects::AtMost(TERMS_OF_POST));

/// At most one of the user errors has the object as it is now.
const POST_PAYLOAD_FIELDS: &[(&str, Price)] = &[("post", ONE), ("userErrors", FEW)];
const EDGE_FIELDS: &[(&str, Price)] = &[("node", ONE)];
const TERM_FIELDS: &[(&str, Price)] =
    &[("postCount", Price::of(COUNT_OF_TERM)), ("posts", Price::computed(Reads::PageOfIndex))];
const TERM_CONNECTION_FIELDS: &[(&str, Price)] =
    &[("edges", PAGE), ("nodes", PAGE), ("pageInfo", ONE), ("totalCount", Price::of(Bound::new(0, 1)))];

/// The prices of the schema.
pub(super) const PRICES: &PriceTable = &[
    ("Actor", &[("author", Price::of(AUTHOR_OF_ACTOR))]),
    ("ArchiveMonth", &[("posts", Price::computed(Reads::PageOfPosts))]),
    ("Author", TERM_FIELDS),
    ("AuthorConnection", TERM_CONNECTION_FIELDS),
    ("AuthorEdge", EDGE_FIELDS),
    ("Category", TERM_FIELDS),
    ("CategoryConnection", TERM_CONNECTION_FIELDS),
    ("CategoryEdge", EDGE_FIELDS),
    ("Change", &[("actor", ONE), ("node", Price::of(POST))]),
    ("ChangeConnection", &[("edges", PAGE), ("nodes", PAGE), ("pageInfo", ONE)]),
    ("ChangeEdge", EDGE_FIELDS),
    ("ConflictError", &[("current", ONE)]),
    ("CreateAuthorPayload", &[("author", ONE), ("userErrors", FEW)]),
    ("CreateCategoryPayload", &[("category", ONE), ("userErrors", FEW)]),
    ("CreatePostPayload", POST_PAYLOAD_FIELDS),
    ("CreatePreviewPayload", &[("preview", ONE), ("userErrors", FEW)]),
    ("CreateTagPayload", &[("tag", ONE), ("userErrors", FEW)]),
    ("CreateTokenPayload", &[("token", ONE), ("userErrors", FEW)]),
    ("DeleteAuthorPayload", &[("userErrors", FEW)]),
    ("DeleteCategoryPayload", &[("userErrors", FEW)]),
    ("DeletePostPayload", &[("userErrors", FEW)]),
    ("DeleteTagPayload", &[("userErrors", FEW)]),
    (
        "Mutation",
        &[
            ("createAuthor", Price::of(CHANGE)),
            ("createCategory", Price::of(CHANGE)),
            ("createPost", Price::of(CHANGE)),
            ("createPreview", Price::of(CHANGE_OF_TOKEN)),
            ("createTag", Price::of(CHANGE)),
            ("createToken", Price::of(TO_CREATE_TOKEN.plus(CHANGE_OF_TOKEN))),
            ("deleteAuthor", Price::of(DELETION_OF_TERM)),
            ("deleteCategory", Price::of(DELETION_OF_TERM)),
            ("deletePost", Price::of(CHANGE)),
            ("deleteTag", Price::of(DELETION_OF_TERM)),
            ("publishPost", Price::of(CHANGE)),
            ("restoreRevision", Price::of(CHANGE)),
            ("revokePreviews", Price::of(CHANGE_OF_TOKEN)),
            ("revokeToken", Price::of(TOKENS.plus(CHANGE_OF_TOKEN))),
            ("unpublishPost", Price::of(CHANGE)),
            ("updateAuthor", Price::of(CHANGE)),
            ("updateCategory", Price::of(CHANGE)),
            ("updatePost", Price::of(CHANGE)),
            ("updateTag", Price::of(CHANGE)),
        ],
    ),
    (
        "Post",
        &[
            ("author", Price::of(TERM)),
            ("authors", TERMS_OF_ONE_KIND),
            ("body", Price::of(Bound::new(1 + POST_READS, 0))),
            ("categories", TERMS_OF_ONE_KIND),
            ("newer", Price::of(NEIGHBOUR)),
            ("older", Price::of(NEIGHBOUR)),
            ("revisions", Price::computed(Reads::PageOfRevisions)),
            ("tags", TERMS_OF_ONE_KIND),
        ],
    ),
    (
        "PostConnection",
        &[("edges", PAGE), ("nodes", PAGE), ("pageInfo", ONE), ("totalCount", Price::of(COUNT_OF_POSTS))],
    ),
    ("PostEdge", EDGE_FIELDS),
    ("PublishPostPayload", POST_PAYLOAD_FIELDS),
    (
        "Query",
        &[
            ("archive", Price::of(Bound::new(0, PARTITION_CATALOG_READS + 1)).returning(Objects::Months)),
            ("auditLog", Price::of(AUDIT_LOG)),
            ("author", Price::of(TERM)),
            ("authors", Price::of(PAGE_OF_TERMS)),
            ("categories", Price::of(PAGE_OF_TERMS)),
            ("category", Price::of(TERM)),
            ("draftPosts", Price::computed(Reads::PageOfHiddenPosts)),
            ("node", Price::of(NODE)),
            ("nodes", Price::computed(Reads::ForEachId(NODE)).returning(Objects::ForEachId)),
            ("post", Price::of(POST)),
            ("posts", Price::computed(Reads::PageOfPosts)),
            ("preview", Price::of(Bound::new(POST_READS + 1, 0))),
            ("scheduledPosts", Price::computed(Reads::PageOfHiddenPosts)),
            ("tag", Price::of(TERM)),
            ("tags", Price::of(PAGE_OF_TERMS)),
            ("tokens", Price::of(TOKENS)),
            ("viewer", ONE),
        ],
    ),
    ("RestoreRevisionPayload", POST_PAYLOAD_FIELDS),
    (
        "Revision",
        &[
            ("authors", TERMS_OF_ONE_KIND),
            ("body", ONE),
            ("categories", TERMS_OF_ONE_KIND),
            ("changedBy", ONE),
            ("tags", TERMS_OF_ONE_KIND),
        ],
    ),
    (
        "RevisionConnection",
        &[
            ("edges", PAGE_OF_REVISIONS),
            ("nodes", PAGE_OF_REVISIONS),
            ("pageInfo", ONE),
            ("totalCount", Price::of(OLDEST_REVISION)),
        ],
    ),
    ("RevisionEdge", EDGE_FIELDS),
    ("RevokePreviewsPayload", &[("userErrors", FEW)]),
    ("RevokeTokenPayload", &[("token", ONE), ("userErrors", FEW)]),
    ("Tag", TERM_FIELDS),
    ("TagConnection", TERM_CONNECTION_FIELDS),
    ("TagEdge", EDGE_FIELDS),
    ("Token", &[("author", Price::of(AUTHOR_OF_ACTOR))]),
    ("TokenConnection", &[("edges", PAGE), ("nodes", PAGE), ("pageInfo", ONE)]),
    ("TokenEdge", EDGE_FIELDS),
    ("UnpublishPostPayload", POST_PAYLOAD_FIELDS),
    ("UpdateAuthorPayload", &[("author", ONE), ("userErrors", FEW)]),
    ("UpdateCategoryPayload", &[("category", ONE), ("userErrors", FEW)]),
    ("UpdatePostPayload", POST_PAYLOAD_FIELDS),
    ("UpdateTagPayload", &[("tag", ONE), ("userErrors", FEW)]),
    ("Viewer", &[("author", Price::of(AUTHOR_OF_ACTOR))]),
];

impl Prices {
    pub(super) fn of(table: &PriceTable) -> Self {
        Self(table.iter().map(|(of, fields)| (*of, fields.iter().copied().collect())).collect())
    }

    pub(super) fn get(&self, of: &str, field: &str) -> Option<&Price> {
        self.0.get(of)?.get(field)
    }
}

impl Price {
    /// The price of a field that returns one object.
    pub(super) const fn of(reads: Bound) -> Self {
        Self::computed(Reads::Fixed(reads))
    }

    /// The price of a field that returns one object, and whose reads depend on its arguments.
    pub(super) const fn computed(reads: Reads) -> Self {
        Self { reads, objects: Objects::One }
    }

    pub(super) const fn returning(self, objects: Objects) -> Self {
        Self { objects, ..self }
    }
}

impl Reads {
    pub(super) fn bound(self, arguments: &Arguments<'_>) -> Bound {
        match self {
            Self::Fixed(bound) => bound,
            Self::ForEachId(bound) => bound.times(ids(arguments)),
            Self::PageOfPosts => page_of_posts(arguments, arguments.has("filter")),
            Self::PageOfIndex => page_of_posts(arguments, true),
            Self::PageOfHiddenPosts => page_of_hidden_posts(arguments),
            Self::PageOfRevisions if arguments.has("last") => REVISIONS.plus(OLDEST_REVISION),
            Self::PageOfRevisions => REVISIONS,
        }
    }
}

impl Objects {
    /// `page_size`: the one that was requested of the connection that the field is on. `months`: the number of months in the archive.
    pub(super) fn count(self, arguments: &Arguments<'_>, page_size: u64, months: u64) -> u64 {
        match self {
            Self::One | Self::Few => 1,
            Self::AtMost(count) => count,
            Self::Page(most) => page_size.min(most),
            Self::ForEachId => ids(arguments),
            Self::Months => match (arguments.has("year"), arguments.has("month")) {
                (true, true) => 1,
                (true, false) => months.min(12),
                _ => months,
            },
        }
    }
}

fn ids(arguments: &Arguments<'_>) -> u64 {
    arguments.list_length("ids").min(NODES_MAX as u64)
}

/// One page: the reads of months or of the index with their look-ups, and the reads for `hasNextPage` and `hasPreviousPage`.
fn page_of_posts(arguments: &Arguments<'_>, by_index: bool) -> Bound {
    let items = arguments.page_size();
    let page = match (by_index, arguments.has("filter")) {
        (true, true) => Bound::new(2 * (items + 1), 2 * u64::from(RANGE_READS_MAX)),
        (true, false) => Bound::new(2 * (items + 1), 3 + items),
        (false, _) => Bound::new(items + 1, PARTITION_CATALOG_READS + items + 2),
    };
    let neighbours =
        if arguments.has_cursor() { Bound::new(4, 2 * (PARTITION_CATALOG_READS + 2)) } else { Bound::default() };
    page.plus(neighbours).plus(excluded(arguments))
}

/// What `none` in a filter costs: the look-ups of the excluded terms, the posts that are examined until the page is full, and so for each of its sides;
/// and the second list that `totalCount` counts.
fn excluded(arguments: &Arguments<'_>) -> Bound {
    if !arguments.excludes_terms() {
        return Bound::default();
    }
    let first_slugs = Bound::new(TERM_READS * FILTER_SLUGS_MAX as u64, 0);
    let examined = Bound::new(2 * u64::from(LOOK_UPS_MAX), u64::from(RANGE_READS_MAX) + PARTITION_CATALOG_READS);
    let of_page = first_slugs.plus(examined.times(if arguments.has_cursor() { 3 } else { 1 }));
    of_page.plus(COUNT_OF_POSTS).plus(first_slugs)
}

/// The actor is not known here. For the role author, own drafts are filtered from all drafts, for the page and for each of its sides.
fn page_of_hidden_posts(arguments: &Arguments<'_>) -> Bound {
    let filtered = Bound::new(0, u64::from(RANGE_READS_MAX) + PARTITION_CATALOG_READS);
    page_of_posts(arguments, true).plus(filtered.times(if arguments.has_cursor() { 3 } else { 1 }))
}
