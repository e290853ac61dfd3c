//! The prices of the fields, by object type. The rule: an entry is an upper bound unless the content changes meanwhile. A field without an entry costs no
//! storage request and returns at most one object; a test lists these fields, so that no new field is forgotten.
//!
//! Interfaces and unions have no entries, because the walk prices a field on each possible object type.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::content::MOVED_PAGES_MAX;
use crate::content::editor::{MERGE_READ_AHEAD, MERGE_TRIES_MAX, MERGED_POSTS_MAX};
use crate::content::read::pages::total::LANGUAGES_MAX;
use crate::content::read::pages::{FILTER_SLUGS_MAX, PAGE_SIZE_MAX, RANGE_READS_MAX};
use crate::content::read::{
    DUE_MAX, DUE_READS_MAX, ENTRY_READS_MAX, PASSING_READS_MAX, SEARCH_READS_MAX, TAGS_MAX, VIEW_DAYS_MAX,
    all_pages_reads,
};
use crate::content::search::{RELATED_MAX, TERMS_MAX as SEARCH_TERMS_MAX};
use crate::content::webhooks::{DELIVERIES_MAX, WEBHOOKS_MAX};
use crate::graphql::presence::OTHERS_MAX;
use crate::model::TermKind;
use crate::model::category_tree::CATEGORY_DEPTH_MAX;
use crate::model::navigation::ITEMS_MAX;
use crate::model::page_path::PATH_DEPTH_MAX;
use crate::model::post::{TERMS_MAX, TRANSLATIONS_MAX};
use crate::model::site_page::PAGES_MAX;

use super::bound::{Bound, POST_READS};
use super::pages::Source;

/// The reads of a term by a slug that is not its first one.
pub(super) const TERM_READS: u64 = 2;
/// The maximum number of ancestors of a page or category.
pub const ANCESTORS: u64 = PATH_DEPTH_MAX as u64 - 1;
const _: () = assert!(CATEGORY_DEPTH_MAX == PATH_DEPTH_MAX, "pages and categories have as many levels");
/// The maximum number of terms of one kind of a post. An import or a mutation with more is refused.
pub const TERMS_OF_POST: u64 = TERMS_MAX as u64;
/// The reads of a page's place: its parent and the page with the requested path, each with its path row.
const PLACE: u64 = 4;
/// The maximum number of other translations of a post or page.
pub const TRANSLATIONS: u64 = TRANSLATIONS_MAX as u64 - 1;
/// The months of a century, for the `@listSize` of the archive, because the actual number is known only when a query is priced.
pub const MONTHS_ASSUMED: u64 = 1200;

/// The point reads that find the oldest kept version.
pub(super) const OLDEST_REVISION: Bound = Bound::new(SEARCH_READS_MAX, 0);

/// The keys of a list of pages, and the scheduled pages.
pub(super) const KEYS_OF_PAGES: Bound = Bound::new(0, all_pages_reads(PAGES_MAX as u64) + 1);

/// Prices by object types and field.
pub(super) type PriceTable = [(&'static [&'static str], &'static str, Price)];

#[derive(Debug, Clone, Copy)]
pub(super) struct Price {
    pub reads: Reads,
    pub objects: Objects,
}

/// The storage requests of a field itself, without those of its selection.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reads {
    Fixed(Bound),
    /// Like `Fixed`, but a loader makes the requests, so that equal fields share them.
    Shared(Bound),
    /// A post, after this many other point reads.
    Post {
        more: u64,
    },
    /// No requests, but at most this many values.
    Values(u64),
    /// The objects of the argument `id` or `ids`.
    ByIds(&'static str),
    /// The body or the metadata of a post or page.
    Body,
    /// A page, by its list, size and filter.
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
    /// The list of languages, and one range read for each to find a published post.
    Languages,
    /// The catalogs that the bound of another operation needs.
    Catalogs,
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
    /// The rows of the months of the arguments `from` and `to`.
    Views,
    /// The ranks of some months, the posts that are looked up, and the terms in the filter.
    Popular,
    /// A change, and the reads for each text in its input.
    Change(Bound),
    /// Like `Change`, for a page, which may be moved.
    UpdateOfPage(Bound),
}

/// The maximum number of objects that a field returns.
#[derive(Debug, Clone, Copy)]
pub(super) enum Objects {
    One,
    AtMost(u64),
    /// The terms of one kind of a post.
    TermsOfPost(TermKind),
    /// The requested page size of the connection that the field is on, or the number of posts of a change.
    Page,
    /// The number in the argument `first`.
    First,
    /// One for each id of the argument `ids`.
    ForEachId,
    /// One for each month of the archive that the arguments `year` and `month` select.
    Months,
}

/// A list of tokens fits into one range read; a row may be added meanwhile.
const TOKENS: Price = fixed(0, 2);
/// A range read for each of two years, and one more for each if the first row has no entry after the cursor.
const AUDIT_LOG: Price = fixed(0, 4);
/// A range read, and one more if the picture of the cursor was deleted meanwhile.
const ASSETS: Price = fixed(0, 2);
const LANGUAGES: Price = Price::of(Reads::Languages).returning(Objects::AtMost(LANGUAGES_MAX as u64));
/// One for each field that is searched.
pub const HIGHLIGHTS_MAX: u64 = 3;
/// The picture of an object.
const PICTURE: Price = shared(1);
/// The head of the log, and three point reads for each scheduled post that may have been published: one without access is also looked up among the pages. Then
/// the range reads of these posts, those of the entries, which are repeated if there is such a post, and those that skip inaccessible entries.
const CHANGES: Price = fixed(1 + 3 * DUE_MAX as u64, DUE_READS_MAX + 2 * ENTRY_READS_MAX + PASSING_READS_MAX);
/// A group of translations.
pub(super) const GROUP: Bound = Bound::new(0, 1);
/// The reads of a subscription for each event until it has reached the end of the log: those of `CHANGES`, and the head of the log again when it begins.
pub const BEHIND: Bound = Bound::new(2 + 3 * DUE_MAX as u64, DUE_READS_MAX + 2 * ENTRY_READS_MAX + PASSING_READS_MAX);
/// One more for the index of a field in the filter; then the post, and the terms that the filter names.
const PUBLISHED: Price =
    fixed(BEHIND.point_reads + 1 + POST_READS + FILTER_SLUGS_MAX as u64 * TERM_READS, BEHIND.range_reads);
/// A term by one of its slugs. The first slug of an actor's author may belong to another author meanwhile.
const TERM: Price = shared(TERM_READS);
const TERMS_OF_REVISION: Price = Price::of(Reads::TermsOfRevision).returning(Objects::AtMost(TERMS_OF_POST));
const COUNTED_CONNECTIONS: &[&str] =
    &["AuthorConnection", "CategoryConnection", "PostConnection", "SeriesConnection", "TagConnection"];
const LINKS: &[&str] = &["LinkTranslationsPayload", "UnlinkTranslationsPayload"];
const PAGE: Price = Price::of(Reads::Fixed(Bound::NONE)).returning(Objects::Page);
const NAVIGATION: Price = Price::of(Reads::Fixed(Bound::NONE)).returning(Objects::AtMost(ITEMS_MAX as u64));

// Changes: an upper bound without conflicts. Each retry after a conflict costs more, and no mutation is stopped at its bound. Numbers that the input does not
// determine are assumed to be the maximum, however rare: a post with 100 terms of each kind (if there are as many) in a payload that selects them, and 44 pages
// below one that is moved.

/// The reads for a text in an input, which may name a post (the row with its place, its row there, and the first one again if the post was just deleted), a
/// term (if no term has the slug, similar ones are suggested), the owner of a slug, a page and its group, or a picture.
pub(super) const OF_NAME: Bound = Bound::new(FIND_POST, 1);
const FIND_POST: u64 = 3;
/// A change with the reads for the texts in its input.
const CHANGE: Price = change(0, 0);
/// A used idempotency key takes one more read for its post. If the slug from the title is taken, a free number is searched, and the post is created with it.
const CREATE_POST: Price = Price::of(Reads::Change(Bound::new(1, 0).writing(3)));
/// The version, of a post or else of a page; the post again if terms were merged since.
const RESTORE_REVISION: Price = Price::of(Reads::Change(Bound::new(FIND_POST + PAGE_STEPS + 1, 0).writing(2)));
/// The key of links.
const CREATE_PREVIEW: Price = change(2, 0);
/// The row of the tree of pages.
const LINK: Price = change(1, 0);
const MERGE_TRIES: u64 = MERGE_TRIES_MAX as u64;
/// In each try: both terms, the tree of categories, the index of the term, and all drafts. Each post is changed once, in the worst case in its own transaction;
/// posts that are read in advance for a group are read again.
const MERGE: Price = Price::of(Reads::Fixed(
    Bound::new(
        MERGE_TRIES * (2 * TERM_READS + 1)
            + FIND_POST * (MERGED_POSTS_MAX + MERGE_TRIES_MAX as usize * MERGE_READ_AHEAD) as u64,
        MERGE_TRIES * (RANGE_READS_MAX as u64 + 12),
    )
    .writing(MERGED_POSTS_MAX as u64 + MERGE_TRIES),
));
/// The row of the tree, and the page.
const PAGE_STEPS: u64 = 2;
/// A translation also reads its group.
const CREATE_PAGE: Price = change(PAGE_STEPS + PLACE, 1);
const UPDATE_PAGE: Price = Price::of(Reads::UpdateOfPage(Bound::new(0, 0).writing(1)));
/// The place of the page that is moved; each page below it, with its path row and the page that had its path; and the children of each.
pub(super) const MOVE: Bound = Bound::new(PLACE + 3 * (MOVED_PAGES_MAX as u64 - 1), 2 * MOVED_PAGES_MAX as u64);
/// The children because of which it cannot be deleted.
const DELETE_PAGE: Price = change(0, 2 + 2 * PAGES_MAX as u64 / 1_000);
/// The webhooks, and the head of the log.
const CREATE_WEBHOOK: Price = change(1, 1);
/// The webhook, the head of the log, its first entry, and a binary search.
const REPLAY_WEBHOOK: Price = change(20, 1);
const WEBHOOKS: Price = Price::of(Reads::Fixed(Bound::new(0, 1))).returning(Objects::AtMost(WEBHOOKS_MAX as u64));
const DELIVERIES: Price = Price::of(Reads::Fixed(Bound::NONE)).returning(Objects::AtMost(DELIVERIES_MAX as u64));
/// The tokens.
const CREATE_TOKEN: Price = change(0, 2);
/// The asset becomes a removal, which ends when the bytes are deleted.
const DELETE_ASSET: Price = Price::of(Reads::Change(Bound::NONE.writing(2)));

const fn fixed(point_reads: u64, range_reads: u64) -> Price {
    Price::of(Reads::Fixed(Bound::new(point_reads, range_reads)))
}

const fn shared(point_reads: u64) -> Price {
    Price::of(Reads::Shared(Bound::new(point_reads, 0)))
}

/// The reads of a change, and its transaction.
const fn change(point_reads: u64, range_reads: u64) -> Price {
    Price::of(Reads::Change(Bound::new(point_reads, range_reads).writing(1)))
}

const fn terms_of_post(kind: TermKind) -> Price {
    Price::of(Reads::TermsOfPost(kind)).returning(Objects::TermsOfPost(kind))
}

pub(super) const PRICES: &PriceTable = &[
    (&["Actor", "Token", "Viewer"], "author", TERM),
    (&["ArchiveMonth"], "posts", Price::of(Reads::Page(Source::Month))),
    (&["Author"], "avatar", PICTURE),
    (&["Author", "Category", "Series", "Tag"], "postCount", Price::of(Reads::CountOfTerm)),
    (&["Author", "Category", "Tag"], "posts", Price::of(Reads::Page(Source::Term))),
    (&["Category"], "breadcrumbs", Price::of(Reads::CategoriesAbove).returning(Objects::AtMost(ANCESTORS))),
    (&["Category"], "children", Price::of(Reads::CategoriesBelow)),
    (&["Category"], "parent", Price::of(Reads::TermOfPost(TermKind::Category))),
    (&["Change"], "tags", Price::of(Reads::Values(TAGS_MAX as u64))),
    (&["ChangeFeed"], "changes", PAGE),
    (&["ContentAuditLogEntry"], "node", Price::of(Reads::Post { more: 0 })),
    (COUNTED_CONNECTIONS, "totalCount", Price::of(Reads::Count)),
    (&["Mutation"], "createAuthor", CHANGE),
    (&["Mutation"], "createCategory", CHANGE),
    (&["Mutation"], "createPage", CREATE_PAGE),
    (&["Mutation"], "createPost", CREATE_POST),
    (&["Mutation"], "createPreview", CREATE_PREVIEW),
    (&["Mutation"], "createSeries", CHANGE),
    (&["Mutation"], "createTag", CHANGE),
    (&["Mutation"], "createToken", CREATE_TOKEN),
    (&["Mutation"], "createWebhook", CREATE_WEBHOOK),
    (&["Mutation"], "deleteAsset", DELETE_ASSET),
    (&["Mutation"], "deleteAuthor", CHANGE),
    (&["Mutation"], "deleteCategory", CHANGE),
    (&["Mutation"], "deletePage", DELETE_PAGE),
    (&["Mutation"], "deletePost", CHANGE),
    (&["Mutation"], "deletePosts", CHANGE),
    (&["Mutation"], "deleteSeries", CHANGE),
    (&["Mutation"], "deleteTag", CHANGE),
    (&["Mutation"], "deleteWebhook", CHANGE),
    (&["Mutation"], "linkTranslations", LINK),
    (&["Mutation"], "mergeAuthors", MERGE),
    (&["Mutation"], "mergeCategories", MERGE),
    (&["Mutation"], "mergeSeries", MERGE),
    (&["Mutation"], "mergeTags", MERGE),
    (&["Mutation"], "publishPage", UPDATE_PAGE),
    (&["Mutation"], "publishPost", CHANGE),
    (&["Mutation"], "replayWebhook", REPLAY_WEBHOOK),
    (&["Mutation"], "restoreRevision", RESTORE_REVISION),
    (&["Mutation"], "revokePreviews", change(1, 0)),
    (&["Mutation"], "revokeToken", CHANGE),
    (&["Mutation"], "rotateWebhookSecret", CHANGE),
    (&["Mutation"], "testWebhook", CHANGE),
    (&["Mutation"], "unlinkTranslations", LINK),
    (&["Mutation"], "unpublishPage", UPDATE_PAGE),
    (&["Mutation"], "unpublishPost", CHANGE),
    (&["Mutation"], "updateAsset", CHANGE),
    (&["Mutation"], "updateAuthor", CHANGE),
    (&["Mutation"], "updateCategory", CHANGE),
    (&["Mutation"], "updatePage", UPDATE_PAGE),
    (&["Mutation"], "updatePost", CHANGE),
    (&["Mutation"], "updatePosts", CHANGE),
    (&["Mutation"], "updateSeries", CHANGE),
    (&["Mutation"], "updateTag", CHANGE),
    (&["Mutation"], "updateWebhook", CHANGE),
    (&["NavigationItem"], "children", NAVIGATION),
    (&["Page"], "breadcrumbs", shared(ANCESTORS).returning(Objects::AtMost(ANCESTORS))),
    (&["Page"], "children", Price::of(Reads::ChildPages { before: 0 })),
    (&["Page"], "parent", shared(1)),
    // With `body`, `fields` and `metadata` are the same read.
    (&["Page", "Post"], "body", Price::of(Reads::Body)),
    (&["Page", "Post"], "fields", Price::of(Reads::Body)),
    (&["Page", "Post"], "metadata", Price::of(Reads::Body)),
    (&["Page", "Post"], "revisions", Price::of(Reads::PageOfRevisions)),
    (&["Page", "Post"], "translation", Price::of(Reads::Shared(GROUP))),
    (&["Page", "Post"], "translations", Price::of(Reads::Shared(GROUP)).returning(Objects::AtMost(TRANSLATIONS))),
    (&["Page", "Post", "Revision"], "cover", PICTURE),
    (&["Post"], "author", Price::of(Reads::TermOfPost(TermKind::Author))),
    (&["Post"], "authors", terms_of_post(TermKind::Author)),
    (&["Post"], "categories", terms_of_post(TermKind::Category)),
    (&["Post"], "newer", Price::of(Reads::Neighbour)),
    (&["Post"], "older", Price::of(Reads::Neighbour)),
    (&["Post"], "related", fixed(POST_READS * RELATED_MAX as u64, 0).returning(Objects::AtMost(RELATED_MAX as u64))),
    (&["Post"], "series", Price::of(Reads::TermOfPost(TermKind::Series))),
    (&["Post"], "tags", terms_of_post(TermKind::Tag)),
    (&["Post"], "views", Price::of(Reads::Views)),
    (&["Post"], "viewsByDay", Price::of(Reads::Views).returning(Objects::AtMost(VIEW_DAYS_MAX as u64))),
    (&["PageConnection"], "totalCount", Price::of(Reads::Fixed(KEYS_OF_PAGES))),
    (&["Query"], "allSeries", Price::of(Reads::Page(Source::Terms(TermKind::Series)))),
    (&["Query"], "archive", Price::of(Reads::Archive).returning(Objects::Months)),
    (&["Query"], "asset", fixed(1, 0)),
    (&["Query"], "assets", ASSETS),
    (&["Query"], "auditLog", AUDIT_LOG),
    (&["Query"], "author", TERM),
    (&["Query"], "authors", Price::of(Reads::Page(Source::Terms(TermKind::Author)))),
    (&["Query"], "categories", Price::of(Reads::Page(Source::Terms(TermKind::Category)))),
    (&["Query"], "category", TERM),
    (&["Query"], "changes", CHANGES),
    (&["Query"], "draftPages", Price::of(Reads::ChildPages { before: 2 })),
    (&["Query"], "draftPosts", Price::of(Reads::Page(Source::Drafts))),
    (&["Query"], "node", Price::of(Reads::ByIds("id"))),
    (&["Query"], "nodes", Price::of(Reads::ByIds("ids")).returning(Objects::ForEachId)),
    (&["Query"], "operationCost", Price::of(Reads::Catalogs)),
    (&["Query"], "page", Price::of(Reads::Post { more: 0 })),
    (&["Query"], "pageLinks", Price::of(Reads::AllPages).returning(Objects::AtMost(PAGES_MAX as u64))),
    (&["Query"], "pages", Price::of(Reads::ChildPages { before: 2 })),
    (&["Query"], "popular", Price::of(Reads::Popular).returning(Objects::First)),
    // A former slug takes one more read.
    (&["Query"], "post", Price::of(Reads::Post { more: 1 })),
    (&["Query"], "posts", Price::of(Reads::Page(Source::Posts))),
    // The key of preview links, then the post.
    (&["Query"], "preview", Price::of(Reads::Post { more: 1 })),
    (&["Query"], "scheduledPosts", Price::of(Reads::Page(Source::Scheduled))),
    (&["Query"], "scheduledPages", fixed(PAGE_SIZE_MAX as u64, 1)),
    (&["Query"], "search", Price::of(Reads::Page(Source::Search))),
    (
        &["Query"],
        "searchTerms",
        Price::of(Reads::Fixed(Bound::NONE)).returning(Objects::AtMost(SEARCH_TERMS_MAX as u64)),
    ),
    (&["Query"], "series", TERM),
    (&["Query"], "tag", TERM),
    (&["Query"], "tags", Price::of(Reads::Page(Source::Terms(TermKind::Tag)))),
    (&["Query"], "tokens", TOKENS),
    (&["Query"], "webhooks", WEBHOOKS),
    (&["Revision"], "authors", TERMS_OF_REVISION),
    (&["Revision"], "categories", TERMS_OF_REVISION),
    (&["Revision"], "series", TERM),
    (&["Revision"], "tags", TERMS_OF_REVISION),
    (&["RevisionConnection"], "totalCount", Price::of(Reads::Fixed(OLDEST_REVISION))),
    (&["SearchEdge"], "highlights", Price::of(Reads::Body).returning(Objects::AtMost(HIGHLIGHTS_MAX))),
    (&["Series"], "posts", Price::of(Reads::Page(Source::Series))),
    (&["SeriesPlace"], "next", Price::of(Reads::Series(1))),
    (&["SeriesPlace"], "number", Price::of(Reads::Series(0))),
    (&["SeriesPlace"], "previous", Price::of(Reads::Series(1))),
    (&["Site"], "image", PICTURE),
    (&["Site"], "languages", LANGUAGES),
    (&["Site"], "navigation", NAVIGATION),
    (&["Subscription"], "changes", Price::of(Reads::Fixed(BEHIND))),
    (&["Subscription"], "editing", fixed(POST_READS, 0).returning(Objects::AtMost(OTHERS_MAX as u64))),
    (&["Subscription"], "postPublished", PUBLISHED),
    (LINKS, "contents", PAGE),
    (&["UpdatePostsPayload"], "posts", PAGE),
    (&["DeletePostsPayload", "UpdatePostsPayload"], "userErrors", PAGE),
    (LINKS, "userErrors", PAGE),
    (&["TokenAuditLogEntry"], "token", fixed(1, 0)),
    (&["Webhook"], "deliveries", DELIVERIES),
    (&["WebhookAuditLogEntry"], "webhook", fixed(1, 0)),
];

impl Price {
    pub(super) const fn of(reads: Reads) -> Self {
        Self { reads, objects: Objects::One }
    }

    pub(super) const fn returning(self, objects: Objects) -> Self {
        Self { objects, ..self }
    }
}

/// A price table by object type and field.
#[derive(Debug)]
pub(super) struct Prices(HashMap<&'static str, HashMap<&'static str, Price, RandomState>, RandomState>);

impl Prices {
    pub(super) fn of(table: &PriceTable) -> Self {
        let mut prices: HashMap<_, HashMap<_, _, _>, _> = HashMap::default();
        for (types, field, price) in table {
            for of in *types {
                prices.entry(*of).or_default().insert(*field, *price);
            }
        }
        Self(prices)
    }

    pub(super) fn get(&self, of: &str, field: &str) -> Option<&Price> {
        if of.ends_with("Connection") && matches!(field, "edges" | "nodes") {
            return Some(&PAGE);
        }
        self.0.get(of)?.get(field)
    }
}
