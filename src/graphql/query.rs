//! The fields of the type `Query` except those of series. The rule: an unknown slug or id is null, never an error. So is an unpublished
//! post, unless the actor has access to it or the client has its preview link.

use std::sync::Arc;

use async_graphql::{Context, ID, Object};

use crate::content::read::pages::{PostList, Scope};
use crate::model::{Role, TermKind};

use super::arguments::Paging;
use super::connection::{AuthorConnection, CategoryConnection, PageOfTerms, PostConnection, TagConnection};
use super::dry_run::DryOperation;
use super::engine::interface_value::InterfaceValue;
use super::failure::Result;
use super::filter::{self, PostFilter};
use super::list_size::{ListSize, Size};
use super::order::{PostOrder, TermOrder};
use super::scalars::Json;
use super::types::archive::ArchiveMonth;
use super::types::asset::Asset;
use super::types::asset_connection::AssetConnection;
use super::types::audit_log::AuditLogEntryConnection;
use super::types::change::ChangeFeed;
use super::types::content::ContentObject;
use super::types::node::{Node, find, find_all};
use super::types::operation_cost::OperationCost;
use super::types::operation_cost::RateLimit;
use super::types::page::PageLink;
use super::types::page::{PageConnection, PageObject};
use super::types::post::PostObject;
use super::types::site::Site;
use super::types::term::{Author, Category, Tag, find as term};
use super::types::token::{TokenConnection, Viewer};
use super::{access, context, order};

#[derive(Default)]
pub struct MainQuery;

#[Object]
impl MainQuery {
    /// An object by its id: a post, page, category, tag, author, series, version of a post or page, picture, file, access token or entry of
    /// the audit log. Null if it does not exist, or if the client has no access to it: the two cannot be distinguished. A draft or scheduled post needs a token with access to it: READER, EDITOR or ADMIN, AUTHOR for its own
    /// posts, or the token of its preview link. A version needs such a token too, but not that of a preview link; an entry of the audit log needs the role EDITOR or
    /// ADMIN,
    /// an access token the role ADMIN.
    async fn node(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "An `id` that this server returned.")] id: ID,
    ) -> Result<Option<InterfaceValue<Node>>> {
        Ok(find(ctx, &id).await?.map(InterfaceValue))
    }

    /// Objects by their ids, in the order of the ids; null for each object that does not exist or to which the client has no access. At most 100 ids. Each
    /// object costs as much as with `node`.
    #[graphql(directive = ListSize::apply(Size::Ids))]
    async fn nodes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Ids that this server returned.")] ids: Vec<ID>,
    ) -> Result<Vec<Option<InterfaceValue<Node>>>> {
        let found = find_all(ctx, &ids).await?;
        Ok(found.into_iter().map(|node| node.map(InterfaceValue)).collect())
    }

    /// A post by its current slug or a former one (if `slug` of the answer differs, redirect to it); null if it does not exist or the client has no access to it. A draft or scheduled post is found with a
    /// token that has access to it: READER, EDITOR or ADMIN, AUTHOR for its own posts, or the token of its preview link.
    async fn post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
        #[graphql(
            desc = "Tags of BCP 47, the most preferred first: the answer is the translation into the first of them that has one, or else the post itself. Without it, nothing stands in."
        )]
        preferred_languages: Option<Vec<String>>,
    ) -> Result<Option<PostObject>> {
        PostObject::find(ctx, &slug, &preferred_languages.unwrap_or_default()).await
    }

    /// A page by its current path or a former one (if `path` of the answer differs, redirect to it); null if it does not exist or the client has no access to
    /// it. A draft or scheduled page is found with a token of the role READER, EDITOR or ADMIN, or the token of its preview link. Costs two storage reads.
    async fn page(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The path, such as `docs/install`; a slash at its ends is ignored.")] path: String,
        #[graphql(
            desc = "Tags of BCP 47, the most preferred first: the answer is the translation into the first of them that has one, or else the page itself. Without it, nothing stands in."
        )]
        preferred_languages: Option<Vec<String>>,
    ) -> Result<Option<PageObject>> {
        PageObject::find(ctx, &path, &preferred_languages.unwrap_or_default()).await
    }

    /// The published pages directly below a page, or at the top, by `order`, then by slug; none if the page does not exist or the client has no access to
    /// it. Costs one storage read, with `parentPath` three; with `last` without `first`, one more for each 1,000 pages of the list.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn pages(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The path of the page above; if omitted or null, the pages at the top.")] parent_path: Option<
            String,
        >,
        #[graphql(desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only items after this cursor, which must come from the same list.")] after: Option<String>,
        #[graphql(desc = "The number of items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only items before this cursor, which must come from the same list.")] before: Option<String>,
    ) -> Result<PageConnection> {
        PageConnection::read_below(ctx, parent_path, false, Paging { first, after, last, before }).await
    }

    /// The titles and addresses of all published pages, each followed by the pages below it, for a menu or a sitemap; without those below a draft. The list is
    /// never cut off: if there are more than `atMost`, the error is BAD_USER_INPUT. Costs one storage read for each 1,000 pages, and one more at such a number.
    #[graphql(directive = ListSize::apply(Size::AllPages))]
    async fn page_links(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The most pages that are published: 1 to 10,000; 1,000 if omitted.")] at_most: Option<i32>,
    ) -> Result<Vec<PageLink>> {
        PageLink::all(ctx, at_most).await
    }

    /// The drafts of pages directly below a page, or at the top, by `order`, then by slug; none if the page does not exist.
    /// Requires a token of the role READER, EDITOR or ADMIN. Otherwise the field is null and `errors` has UNAUTHENTICATED or FORBIDDEN; the other fields of
    /// the query have their values.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn draft_pages(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The path of the page above; if omitted or null, the pages at the top.")] parent_path: Option<
            String,
        >,
        #[graphql(desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only items after this cursor, which must come from the same list.")] after: Option<String>,
        #[graphql(desc = "The number of items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only items before this cursor, which must come from the same list.")] before: Option<String>,
    ) -> Result<Option<PageConnection>> {
        access::require_sight_of_pages(ctx)?;
        PageConnection::read_below(ctx, parent_path, true, Paging { first, after, last, before }).await.map(Some)
    }

    /// The scheduled pages, the next to be published first; at most 500. Requires a token of the role READER, EDITOR or ADMIN. Otherwise the field is null and `errors`
    /// has UNAUTHENTICATED or FORBIDDEN; the other fields of the query have their values. Costs one storage read, and one for each page.
    #[graphql(directive = ListSize::apply(Size::ScheduledPages))]
    async fn scheduled_pages(&self, ctx: &Context<'_>) -> Result<Option<Vec<PageObject>>> {
        access::require_sight_of_pages(ctx)?;
        let pages = context::of(ctx).reader.scheduled_pages().await?;
        Ok(Some(pages.into_iter().map(PageObject::new).collect()))
    }

    /// The content of a preview link in its current state, drafts included, whatever its slug is; no other token is needed. A site that has only the link
    /// asks here what it shows; if it sends the token as `Authorization: Bearer` instead, the queries of its own pages show that content. What only posts or only pages
    /// have is selected with `... on Post` or `... on Page`. Null if the content was deleted. An invalid or revoked link is the error BAD_PREVIEW, an expired
    /// one PREVIEW_EXPIRED.
    async fn preview(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The `token` that `createPreview` returned.")] token: String,
    ) -> Result<Option<InterfaceValue<ContentObject>>> {
        Ok(ContentObject::previewed(ctx, &token).await?.map(InterfaceValue))
    }

    /// A category by its current slug or a former one (if `slug` of the answer differs, redirect to it); null if it does not exist.
    async fn category(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
    ) -> Result<Option<Category>> {
        Ok(term(ctx, TermKind::Category, &slug).await?.map(Category))
    }

    /// A tag by its current slug or a former one (if `slug` of the answer differs, redirect to it); null if it does not exist.
    async fn tag(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
    ) -> Result<Option<Tag>> {
        Ok(term(ctx, TermKind::Tag, &slug).await?.map(Tag))
    }

    /// An author by the current slug or a former one (if `slug` of the answer differs, redirect to it); null if the author does not exist.
    async fn author(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
    ) -> Result<Option<Author>> {
        Ok(term(ctx, TermKind::Author, &slug).await?.map(Author))
    }

    /// The authenticated user; null for an anonymous request, and with a preview token, which is nobody's. An invalid token fails the whole request.
    async fn viewer(&self, ctx: &Context<'_>) -> Option<Viewer> {
        context::of(ctx).reader.actor().cloned().map(Viewer)
    }

    /// The web site that shows the content. It costs nothing, but for its `image`.
    async fn site(&self, ctx: &Context<'_>) -> Site {
        Site(Arc::clone(&context::of(ctx).site))
    }

    /// What this client has left of its limit of storage requests; null if the server sets no limit for it. `{ rateLimit { remaining } }` costs nothing.
    async fn rate_limit(&self, ctx: &Context<'_>) -> Option<RateLimit> {
        let (client, cost) = context::of(ctx).rate_limit.as_ref()?;
        Some(RateLimit { state: client.state(), cost: *cost })
    }

    /// The most that an operation can cost, computed without running it: a dry run for one's own limits and budgets. Null with the error BAD_USER_INPUT if
    /// the operation is not valid. Can be selected once in a request. For a client that may not know what a request has cost, the figures say nothing of
    /// drafts and scheduled posts, and are higher.
    async fn operation_cost(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The document: a query or a mutation.")] query: String,
        #[graphql(desc = "Its variables: an object.")] variables: Option<Json>,
        #[graphql(desc = "The operation, if the document has several.")] operation_name: Option<String>,
    ) -> Result<Option<OperationCost>> {
        let variables = variables.map(|json| json.0);
        let operation = DryOperation { document: query, variables, operation_name };
        Ok(Some(OperationCost(context::of(ctx).dry_run.price(operation).await?)))
    }

    /// Published posts, newest first unless `orderBy` says otherwise. A page costs the same wherever it is in the list. With a filter
    /// it costs more; if it would need too many reads, the error is FILTER_TOO_BROAD. A filter by one term finds the `posts` of that term; the cursors of
    /// the two lists cannot be exchanged.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(
            desc = "Only items after this cursor, which must come from the same list with the same filter and order."
        )]
        after: Option<String>,
        #[graphql(desc = "The number of items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(
            desc = "Only items before this cursor, which must come from the same list with the same filter and order."
        )]
        before: Option<String>,
        #[graphql(desc = "The order of the list: newest first if omitted. Both directions cost the same.")]
        order_by: Option<PostOrder>,
        #[graphql(desc = "Only posts that match this filter; all posts if omitted.")] filter: Option<PostFilter>,
    ) -> Result<PostConnection> {
        let list = order::posts_in(order_by, filter::list_of(ctx, filter, Scope::All).await?);
        PostConnection::read(ctx, list, Paging { first, after, last, before }).await
    }

    /// Drafts, the most recently created first. Requires a token; the role AUTHOR gets only the posts of its own author. Without the role the field
    /// is null and `errors` has UNAUTHENTICATED or FORBIDDEN; the other fields of the query have their values.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn draft_posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only items after this cursor, which must come from the same list.")] after: Option<String>,
        #[graphql(desc = "The number of items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only items before this cursor, which must come from the same list.")] before: Option<String>,
    ) -> Result<Option<PostConnection>> {
        let list = PostList::drafts(access::require(ctx, Role::Reader)?)?;
        PostConnection::read(ctx, list, Paging { first, after, last, before }).await.map(Some)
    }

    /// Scheduled posts, the next to be published first. Requires a token; the role AUTHOR gets only the posts of its own author. Without the role the
    /// field is null and `errors` has UNAUTHENTICATED or FORBIDDEN; the other fields of the query have their values.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn scheduled_posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only items after this cursor, which must come from the same list.")] after: Option<String>,
        #[graphql(desc = "The number of items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only items before this cursor, which must come from the same list.")] before: Option<String>,
    ) -> Result<Option<PostConnection>> {
        let list = PostList::scheduled(access::require(ctx, Role::Reader)?)?;
        PostConnection::read(ctx, list, Paging { first, after, last, before }).await.map(Some)
    }

    /// All categories, also those that no post has, ordered by slug from a to z unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn categories(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only items after this cursor, which must come from the same list with the same order.")]
        after: Option<String>,
        #[graphql(desc = "The number of items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only items before this cursor, which must come from the same list with the same order.")]
        before: Option<String>,
        #[graphql(desc = "The order of the list: by slug from a to z if omitted. POST_COUNT counts every item.")]
        order_by: Option<TermOrder>,
    ) -> Result<CategoryConnection> {
        let page = PageOfTerms::of(ctx, TermKind::Category, order_by, Paging { first, after, last, before }).await?;
        Ok(CategoryConnection(page))
    }

    /// All tags, also those that no post has, ordered by slug from a to z unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn tags(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only items after this cursor, which must come from the same list with the same order.")]
        after: Option<String>,
        #[graphql(desc = "The number of items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only items before this cursor, which must come from the same list with the same order.")]
        before: Option<String>,
        #[graphql(desc = "The order of the list: by slug from a to z if omitted. POST_COUNT counts every item.")]
        order_by: Option<TermOrder>,
    ) -> Result<TagConnection> {
        let page = PageOfTerms::of(ctx, TermKind::Tag, order_by, Paging { first, after, last, before }).await?;
        Ok(TagConnection(page))
    }

    /// All authors, also those that no post has, ordered by slug from a to z unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn authors(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only items after this cursor, which must come from the same list with the same order.")]
        after: Option<String>,
        #[graphql(desc = "The number of items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only items before this cursor, which must come from the same list with the same order.")]
        before: Option<String>,
        #[graphql(desc = "The order of the list: by slug from a to z if omitted. POST_COUNT counts every item.")]
        order_by: Option<TermOrder>,
    ) -> Result<AuthorConnection> {
        let page = PageOfTerms::of(ctx, TermKind::Author, order_by, Paging { first, after, last, before }).await?;
        Ok(AuthorConnection(page))
    }

    /// Who changed what, access tokens and preview links included, the newest change first; the changes of this year and the last are kept. Requires the role
    /// EDITOR or ADMIN. Without the role the field is null and `errors` has UNAUTHENTICATED or FORBIDDEN; the other fields of the query have their values.
    /// It pages forward only and has no count, because the log is stored newest first and is not counted.
    #[graphql(directive = ListSize::apply(Size::PageForward))]
    async fn audit_log(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The number of entries: 0 to 100; 20 if omitted.")] first: Option<i32>,
        #[graphql(desc = "Only entries after this cursor, that is, older ones.")] after: Option<String>,
    ) -> Result<Option<AuditLogEntryConnection>> {
        access::require(ctx, Role::Editor)?;
        let page = context::of(ctx).reader.audit_log(first, after.as_deref()).await?;
        Ok(Some(AuditLogEntryConnection(page)))
    }

    /// What has changed after a position, the oldest change first, to keep a copy or a cache up to date: request a position without `after`, read what you
    /// keep, then ask again and again with the `endCursor` of the last answer. Everyone gets the changes of what is public: a post or page that is published,
    /// also at the instant for which it was scheduled, changed, made a draft again or deleted; categories, tags, authors and series. With the role READER, EDITOR or
    /// ADMIN all changes of content, also of drafts and scheduled posts; with the role ADMIN also those of access tokens and preview links. If the changes after `after` are not kept any more, the error is POSITION_EXPIRED: read everything again.
    #[graphql(directive = ListSize::apply(Size::ChangesForward))]
    async fn changes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The most changes of the answer: 0 to 100; 20 if omitted.")] first: Option<i32>,
        #[graphql(
            desc = "The `endCursor` of an earlier answer. If omitted, the answer has no changes, only the position of now."
        )]
        after: Option<String>,
    ) -> Result<ChangeFeed> {
        let request = context::of(ctx);
        Ok(ChangeFeed(request.content.changes(&request.reader, first, after.as_deref()).await?))
    }

    /// The access tokens of this site, newest first, without their secrets. Requires the role ADMIN. Without the role the field is null and `errors`
    /// has UNAUTHENTICATED or FORBIDDEN; the other fields of the query have their values.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn tokens(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The number of items from the start: 0 to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only items after this cursor, which must come from the same list.")] after: Option<String>,
        #[graphql(desc = "The number of items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only items before this cursor, which must come from the same list.")] before: Option<String>,
    ) -> Result<Option<TokenConnection>> {
        TokenConnection::read(ctx, Paging { first, after, last, before }).await.map(Some)
    }

    /// A picture or file by its id; null if it does not exist. It is what `node` returns, as an `Asset`, whose fields need no fragment.
    async fn asset(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The `id` of the picture or file.")] id: ID,
    ) -> Result<Option<InterfaceValue<Asset>>> {
        Ok(Asset::read(ctx, &id).await?.map(InterfaceValue))
    }

    /// All pictures and files, newest first, also those that no post shows. Requires the role AUTHOR, EDITOR or ADMIN. Without the role the field is null and `errors` has
    /// UNAUTHENTICATED or FORBIDDEN; the other fields of the query have their values. It pages forward only and has no count.
    #[graphql(directive = ListSize::apply(Size::PageForward))]
    async fn assets(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The number of assets: 0 to 100; 20 if omitted.")] first: Option<i32>,
        #[graphql(desc = "Only assets after this cursor, that is, older ones.")] after: Option<String>,
    ) -> Result<Option<AssetConnection>> {
        AssetConnection::read(ctx, first, after.as_deref()).await.map(Some)
    }

    /// The months with published posts, newest first: all of them, or those of one year, or one month; empty if none has posts. The list costs one storage
    /// request for each 1,000 months; the `posts` of each month are a page of their own.
    #[graphql(directive = ListSize::apply(Size::Months))]
    async fn archive(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only months of this year: 1 to 9999.")] year: Option<i32>,
        #[graphql(desc = "Only this month of the year: 1 to 12. Requires `year`.")] month: Option<i32>,
    ) -> Result<Vec<ArchiveMonth>> {
        ArchiveMonth::read(ctx, year, month).await
    }
}
