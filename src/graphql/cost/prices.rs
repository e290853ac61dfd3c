//! The prices of the fields, by object type. The rule: an entry is an upper bound if nobody changes the content meanwhile, and every field
//! that returns objects has one. A field without an entry costs no storage request; a test lists these fields.
//!
//! Interfaces and unions have no entries, because the walk prices a field on each possible object type.

use crate::content::read::pages::PAGE_SIZE_MAX;
use crate::content::read::{
    DUE_MAX, DUE_READS_MAX, ENTRY_READS_MAX, PASSING_READS_MAX, REVISIONS_PAGE_MAX, SEARCH_READS_MAX,
};
use crate::model::TermKind;
use crate::model::category_tree::CATEGORY_DEPTH_MAX;
use crate::model::navigation::ITEMS_MAX;
use crate::model::page_path::PATH_DEPTH_MAX;
use crate::model::post::TERMS_MAX;
use crate::model::site_page::PAGES_MAX;

use super::bound::Bound;
use super::pages::Source;

/// The reads of a term by a slug that is not its first one.
pub(super) const TERM_READS: u64 = 2;
/// The maximum number of ancestors of a page or category.
pub const ANCESTORS: u64 = PATH_DEPTH_MAX as u64 - 1;
const _: () = assert!(CATEGORY_DEPTH_MAX == PATH_DEPTH_MAX, "pages and categories have as many levels");
/// The maximum number of terms of one kind of a post. An import or a mutation with more is refused.
pub const TERMS_OF_POST: u64 = TERMS_MAX as u64;
/// The maximum number of ids of one `nodes`: the size of the largest page.
pub const NODES_MAX: usize = 100;
/// The months of a century, for the `@listSize` of the archive, because the actual number is known only when a query is priced.
pub const MONTHS_ASSUMED: u64 = 1200;

/// The list of tokens fits into one range read; a row may be added meanwhile.
pub(super) const TOKENS: Bound = Bound::new(0, 2);
/// A range read for each of two years, and one more for each if the first row has no entry after the cursor.
const AUDIT_LOG: Bound = Bound::new(0, 4);
const ASSET: Bound = Bound::new(1, 0);
/// The picture of an object.
const PICTURE: Price = Price::computed(Reads::Shared(ASSET));
/// A range read, and one more if the picture of the cursor was deleted meanwhile.
const ASSETS: Bound = Bound::new(0, 2);
/// The head of the log, and two point reads for each scheduled post that may have been published. Also the range reads of these posts,
/// those of the entries, which are repeated if there is such a post, and those that skip entries to which the client has no access.
const CHANGES: Bound = Bound::new(1 + 2 * DUE_MAX as u64, DUE_READS_MAX + 2 * ENTRY_READS_MAX + PASSING_READS_MAX);
/// The point reads that find the oldest kept version.
pub(super) const OLDEST_REVISION: Bound = Bound::new(SEARCH_READS_MAX, 0);

/// The fields with a price, by object type.
pub(super) type PriceTable = [(&'static str, &'static [(&'static str, Price)])];

#[derive(Debug, Clone, Copy)]
pub(super) struct Price {
    pub reads: Reads,
    pub objects: Objects,
}

/// The storage requests of a field itself, without those of its selection.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reads {
    Fixed(Bound),
    /// As `Fixed`, but a loader makes the requests, so that equal fields share them.
    Shared(Bound),
    /// A post, after this many other point reads.
    Post {
        more: u64,
    },
    /// The objects of the argument `id` or `ids`.
    ByIds(&'static str),
    /// The body or the metadata of a post, unless the post was read with them.
    Body,
    /// The body or the metadata of a page of the site, unless the page was read with them.
    BodyOfPage,
    /// A page of a list.
    Page(Source),
    /// The count of the list of the page that the field is on.
    Count,
    /// The number of posts of a term.
    CountOfTerm,
    /// One term of a post, or the parent of a category.
    TermOfPost(TermKind),
    /// The terms of a post.
    TermsOfPost(TermKind),
    /// The terms of a version, which may have been deleted.
    TermsOfRevision,
    /// The next or previous post.
    Neighbour,
    /// The order of a series, and this many of its posts.
    Series(u64),
    /// The month catalog with the counts.
    Archive,
    Change(Change),
    /// The catalogs that the bound of another operation needs.
    Lists,
    /// A page of the versions of a post. If it is counted from the end, the oldest version is searched first.
    PageOfRevisions,
    /// All published pages of the site, up to the number in the argument `atMost`.
    AllPages,
    /// The children of a page, after this many point reads.
    ChildPages {
        before: u64,
    },
    /// The ancestors of a category: the tree, and each category.
    CategoriesAbove,
    /// The children of a category: the tree, and each category.
    CategoriesBelow,
}

/// A mutation field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    CreatePost,
    UpdatePost,
    /// Publishes a post, or makes it a draft again.
    Publish,
    DeletePost,
    RestoreRevision,
    CreateTerm(TermKind),
    UpdateTerm(TermKind),
    DeleteTerm(TermKind),
    CreatePreview,
    RevokePreviews,
    CreatePage,
    UpdatePage,
    DeletePage,
    CreateToken,
    RevokeToken,
    UpdateAsset,
    DeleteAsset,
}

/// The maximum number of objects that a field returns.
#[derive(Debug, Clone, Copy)]
pub(super) enum Objects {
    One,
    /// A short list without a fixed maximum, counted as one object: at most one of its objects has fields that cost storage requests.
    Few,
    AtMost(u64),
    /// The terms of one kind of a post.
    TermsOfPost(TermKind),
    /// The requested page size of the connection that the field is on, up to this maximum.
    Page(u64),
    /// One for each id of the argument `ids`.
    ForEachId,
    /// One for each month of the archive that the arguments `year` and `month` select.
    Months,
}

const ONE: Price = Price::of(Bound::new(0, 0));
const FEW: Price = ONE.returning(Objects::Few);
const PAGE: Price = ONE.returning(Objects::Page(PAGE_SIZE_MAX as u64));
const PAGE_OF_REVISIONS: Price = ONE.returning(Objects::Page(REVISIONS_PAGE_MAX as u64));

/// At most one of the user errors contains the current object.
const POST_PAYLOAD_FIELDS: &[(&str, Price)] = &[("post", ONE), ("userErrors", FEW)];
const PAGE_PAYLOAD_FIELDS: &[(&str, Price)] = &[("page", ONE), ("userErrors", FEW)];
const NAVIGATION: Price = ONE.returning(Objects::AtMost(ITEMS_MAX as u64));
const EDGE_FIELDS: &[(&str, Price)] = &[("node", ONE)];
const POST_COUNT: Price = Price::computed(Reads::CountOfTerm);
const POSTS_OF_TERM: Price = Price::computed(Reads::Page(Source::Term));
const TAG_FIELDS: &[(&str, Price)] = &[("postCount", POST_COUNT), ("posts", POSTS_OF_TERM)];
const CATEGORY_FIELDS: &[(&str, Price)] = &[
    ("breadcrumbs", Price::computed(Reads::CategoriesAbove).returning(Objects::AtMost(ANCESTORS))),
    ("children", Price::computed(Reads::CategoriesBelow)),
    ("parent", Price::computed(Reads::TermOfPost(TermKind::Category))),
    ("postCount", POST_COUNT),
    ("posts", POSTS_OF_TERM),
];
const AUTHOR_FIELDS: &[(&str, Price)] =
    &[("avatar", PICTURE), ("links", FEW), ("postCount", POST_COUNT), ("posts", POSTS_OF_TERM)];
const CONNECTION_FIELDS: &[(&str, Price)] =
    &[("edges", PAGE), ("nodes", PAGE), ("pageInfo", ONE), ("totalCount", Price::computed(Reads::Count))];
const TERMS_OF_REVISION: Price = Price::computed(Reads::TermsOfRevision).returning(Objects::AtMost(TERMS_OF_POST));
const NUMBER: Price = Price::computed(Reads::Series(0));
const BESIDE: Price = Price::computed(Reads::Series(1));
/// A term by one of its slugs. The first slug of an actor's author may belong to another author meanwhile.
const TERM: Price = Price::computed(Reads::Shared(Bound::new(TERM_READS, 0)));

const fn change(change: Change) -> Price {
    Price::computed(Reads::Change(change))
}

pub(super) const PRICES: &PriceTable = &[
    ("Actor", &[("author", TERM)]),
    ("ArchiveMonth", &[("posts", Price::computed(Reads::Page(Source::Month)))]),
    ("Asset", &[("focalPoint", ONE), ("openGraphImage", ONE)]),
    ("AssetConnection", &[("edges", PAGE), ("nodes", PAGE), ("pageInfo", ONE)]),
    ("AssetEdge", EDGE_FIELDS),
    ("Author", AUTHOR_FIELDS),
    ("AuthorConnection", CONNECTION_FIELDS),
    ("AuthorEdge", EDGE_FIELDS),
    ("Category", CATEGORY_FIELDS),
    ("CategoryConnection", CONNECTION_FIELDS),
    ("CategoryEdge", EDGE_FIELDS),
    ("Change", &[("actor", ONE), ("node", Price::computed(Reads::Post { more: 0 }))]),
    ("ChangeConnection", &[("edges", PAGE), ("nodes", PAGE), ("pageInfo", ONE)]),
    ("ChangeEdge", EDGE_FIELDS),
    ("ChangeFeed", &[("nodes", PAGE)]),
    ("ConflictError", &[("current", ONE)]),
    ("CreateAuthorPayload", &[("author", ONE), ("userErrors", FEW)]),
    ("CreateCategoryPayload", &[("category", ONE), ("userErrors", FEW)]),
    ("CreatePagePayload", PAGE_PAYLOAD_FIELDS),
    ("CreatePostPayload", POST_PAYLOAD_FIELDS),
    ("CreatePreviewPayload", &[("preview", ONE), ("userErrors", FEW)]),
    ("CreateSeriesPayload", &[("series", ONE), ("userErrors", FEW)]),
    ("CreateTagPayload", &[("tag", ONE), ("userErrors", FEW)]),
    ("CreateTokenPayload", &[("token", ONE), ("userErrors", FEW)]),
    ("DeleteAssetPayload", &[("userErrors", FEW)]),
    ("DeleteAuthorPayload", &[("userErrors", FEW)]),
    ("DeleteCategoryPayload", &[("userErrors", FEW)]),
    ("DeletePagePayload", &[("userErrors", FEW)]),
    ("DeletePostPayload", &[("userErrors", FEW)]),
    ("DeleteSeriesPayload", &[("userErrors", FEW)]),
    ("DeleteTagPayload", &[("userErrors", FEW)]),
    (
        "Mutation",
        &[
            ("createAuthor", change(Change::CreateTerm(TermKind::Author))),
            ("createCategory", change(Change::CreateTerm(TermKind::Category))),
            ("createPage", change(Change::CreatePage)),
            ("createPost", change(Change::CreatePost)),
            ("createPreview", change(Change::CreatePreview)),
            ("createSeries", change(Change::CreateTerm(TermKind::Series))),
            ("createTag", change(Change::CreateTerm(TermKind::Tag))),
            ("createToken", change(Change::CreateToken)),
            ("deleteAsset", change(Change::DeleteAsset)),
            ("deleteAuthor", change(Change::DeleteTerm(TermKind::Author))),
            ("deleteCategory", change(Change::DeleteTerm(TermKind::Category))),
            ("deletePage", change(Change::DeletePage)),
            ("deletePost", change(Change::DeletePost)),
            ("deleteSeries", change(Change::DeleteTerm(TermKind::Series))),
            ("deleteTag", change(Change::DeleteTerm(TermKind::Tag))),
            ("publishPage", change(Change::UpdatePage)),
            ("publishPost", change(Change::Publish)),
            ("restoreRevision", change(Change::RestoreRevision)),
            ("revokePreviews", change(Change::RevokePreviews)),
            ("revokeToken", change(Change::RevokeToken)),
            ("unpublishPage", change(Change::UpdatePage)),
            ("unpublishPost", change(Change::Publish)),
            ("updateAsset", change(Change::UpdateAsset)),
            ("updateAuthor", change(Change::UpdateTerm(TermKind::Author))),
            ("updateCategory", change(Change::UpdateTerm(TermKind::Category))),
            ("updatePage", change(Change::UpdatePage)),
            ("updatePost", change(Change::UpdatePost)),
            ("updateSeries", change(Change::UpdateTerm(TermKind::Series))),
            ("updateTag", change(Change::UpdateTerm(TermKind::Tag))),
        ],
    ),
    ("NavigationItem", &[("children", NAVIGATION)]),
    (
        "Page",
        &[
            ("body", Price::computed(Reads::BodyOfPage)),
            (
                "breadcrumbs",
                Price::computed(Reads::Shared(Bound::new(ANCESTORS, 0))).returning(Objects::AtMost(ANCESTORS)),
            ),
            ("children", Price::computed(Reads::ChildPages { before: 0 })),
            ("cover", PICTURE),
            // With `body`, these are the same read.
            ("fields", Price::computed(Reads::BodyOfPage)),
            ("metadata", Price::computed(Reads::BodyOfPage)),
            ("parent", Price::computed(Reads::Shared(Bound::new(1, 0)))),
            ("revisions", Price::computed(Reads::PageOfRevisions)),
        ],
    ),
    ("PageConnection", &[("edges", PAGE), ("nodes", PAGE), ("pageInfo", ONE)]),
    ("PageEdge", EDGE_FIELDS),
    (
        "Post",
        &[
            ("author", Price::computed(Reads::TermOfPost(TermKind::Author))),
            ("authors", Price::of_terms(TermKind::Author)),
            ("body", Price::computed(Reads::Body)),
            ("categories", Price::of_terms(TermKind::Category)),
            ("cover", PICTURE),
            // With `body`, these are the same read.
            ("fields", Price::computed(Reads::Body)),
            ("metadata", Price::computed(Reads::Body)),
            ("newer", Price::computed(Reads::Neighbour)),
            ("older", Price::computed(Reads::Neighbour)),
            ("revisions", Price::computed(Reads::PageOfRevisions)),
            ("series", Price::computed(Reads::TermOfPost(TermKind::Series))),
            ("tags", Price::of_terms(TermKind::Tag)),
        ],
    ),
    ("PostConnection", CONNECTION_FIELDS),
    ("PostEdge", EDGE_FIELDS),
    ("PublishPagePayload", PAGE_PAYLOAD_FIELDS),
    ("PublishPostPayload", POST_PAYLOAD_FIELDS),
    (
        "Query",
        &[
            ("allSeries", Price::computed(Reads::Page(Source::Terms(TermKind::Series)))),
            ("archive", Price::computed(Reads::Archive).returning(Objects::Months)),
            ("asset", Price::of(ASSET)),
            ("assets", Price::of(ASSETS)),
            ("auditLog", Price::of(AUDIT_LOG)),
            ("author", TERM),
            ("authors", Price::computed(Reads::Page(Source::Terms(TermKind::Author)))),
            ("categories", Price::computed(Reads::Page(Source::Terms(TermKind::Category)))),
            ("category", TERM),
            ("changes", Price::of(CHANGES)),
            ("draftPages", Price::computed(Reads::ChildPages { before: 2 })),
            ("draftPosts", Price::computed(Reads::Page(Source::Drafts))),
            ("node", Price::computed(Reads::ByIds("id"))),
            ("nodes", Price::computed(Reads::ByIds("ids")).returning(Objects::ForEachId)),
            ("operationCost", Price::computed(Reads::Lists)),
            ("page", Price::of(Bound::new(2, 0))),
            ("pageLinks", Price::computed(Reads::AllPages).returning(Objects::AtMost(PAGES_MAX as u64))),
            ("pages", Price::computed(Reads::ChildPages { before: 2 })),
            // A former slug takes one more read.
            ("post", Price::computed(Reads::Post { more: 1 })),
            ("posts", Price::computed(Reads::Page(Source::Posts))),
            // The key of preview links, then the post.
            ("preview", Price::computed(Reads::Post { more: 1 })),
            ("rateLimit", ONE),
            ("scheduledPosts", Price::computed(Reads::Page(Source::Scheduled))),
            ("series", TERM),
            ("site", ONE),
            ("tag", TERM),
            ("tags", Price::computed(Reads::Page(Source::Terms(TermKind::Tag)))),
            ("tokens", Price::of(TOKENS)),
            ("viewer", ONE),
        ],
    ),
    ("RestoreRevisionPayload", POST_PAYLOAD_FIELDS),
    (
        "Revision",
        &[
            ("authors", TERMS_OF_REVISION),
            ("body", ONE),
            ("categories", TERMS_OF_REVISION),
            ("changedBy", ONE),
            ("cover", PICTURE),
            ("series", TERM),
            ("tags", TERMS_OF_REVISION),
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
    ("RichText", &[("headings", FEW)]),
    ("Series", &[("postCount", POST_COUNT), ("posts", Price::computed(Reads::Page(Source::Series)))]),
    ("SeriesConnection", CONNECTION_FIELDS),
    ("SeriesEdge", EDGE_FIELDS),
    ("SeriesPlace", &[("next", BESIDE), ("number", NUMBER), ("previous", BESIDE), ("series", ONE)]),
    ("Site", &[("image", PICTURE), ("navigation", NAVIGATION)]),
    ("Tag", TAG_FIELDS),
    ("TagConnection", CONNECTION_FIELDS),
    ("TagEdge", EDGE_FIELDS),
    ("Token", &[("author", TERM)]),
    ("TokenConnection", &[("edges", PAGE), ("nodes", PAGE), ("pageInfo", ONE)]),
    ("TokenEdge", EDGE_FIELDS),
    ("UnpublishPagePayload", PAGE_PAYLOAD_FIELDS),
    ("UnpublishPostPayload", POST_PAYLOAD_FIELDS),
    ("UpdateAssetPayload", &[("asset", ONE), ("userErrors", FEW)]),
    ("UpdateAuthorPayload", &[("author", ONE), ("userErrors", FEW)]),
    ("UpdateCategoryPayload", &[("category", ONE), ("userErrors", FEW)]),
    ("UpdatePagePayload", PAGE_PAYLOAD_FIELDS),
    ("UpdatePostPayload", POST_PAYLOAD_FIELDS),
    ("UpdateSeriesPayload", &[("series", ONE), ("userErrors", FEW)]),
    ("UpdateTagPayload", &[("tag", ONE), ("userErrors", FEW)]),
    ("Viewer", &[("author", TERM)]),
];

impl Price {
    pub(super) const fn of(reads: Bound) -> Self {
        Self::computed(Reads::Fixed(reads))
    }

    /// Like [`of`](Self::of), with reads that depend on the arguments.
    pub(super) const fn computed(reads: Reads) -> Self {
        Self { reads, objects: Objects::One }
    }

    const fn of_terms(kind: TermKind) -> Self {
        Self::computed(Reads::TermsOfPost(kind)).returning(Objects::TermsOfPost(kind))
    }

    pub(super) const fn returning(self, objects: Objects) -> Self {
        Self { objects, ..self }
    }
}
