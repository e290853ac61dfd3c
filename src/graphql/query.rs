//! The type `Query`. The rule: an unknown slug or id is null, never an error. So is an unpublished
//! post, unless the actor has access to it or the client has its preview link.

use std::sync::Arc;

use async_graphql::{Context, ID, Object};

use crate::content::read::pages::{PostList, Scope};
use crate::model::{Role, TermKind};

use super::arguments::Paging;
use super::connection::{
    AuthorConnection, CategoryConnection, PageOfTerms, PostConnection, SeriesConnection, TagConnection,
};
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
use super::types::operation_cost::{OperationCost, RateLimit};
use super::types::page::{PageConnection, PageLink, PageObject};
use super::types::post::PostObject;
use super::types::rich_text::RichText;
use super::types::search::{ContentType, SearchConnection, search_terms};
use super::types::site::Site;
use super::types::term::{Author, Category, Series, Tag, find as term};
use super::types::token::{TokenConnection, Viewer};
use super::types::views::{PopularPost, popular};
use super::types::webhook::{self, Webhook};
use super::{access, context, order};

pub struct Query;

/// All read operations, by POST as JSON to `/graphql`. Lists are connections as in the Relay specification. A field that requires a role says so and is null without it; all others are public. Each entry of `errors` has `extensions.code` and
/// `extensions.retryable` (docs/errors.md).
#[Object]
impl Query {
    /// Any object with an id; null if it does not exist or the client has no access to it. An access token needs the role ADMIN, an entry of the audit log
    /// EDITOR or ADMIN.
    async fn node(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "An `id` of this server.")] id: ID,
    ) -> Result<Option<InterfaceValue<Node>>> {
        Ok(find(ctx, &id).await?.map(InterfaceValue))
    }

    /// At most 100 objects as by `node`, in the order of the ids; null for each that is not found.
    #[graphql(directive = ListSize::apply(Size::Ids))]
    async fn nodes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Ids of this server.")] ids: Vec<ID>,
    ) -> Result<Vec<Option<InterfaceValue<Node>>>> {
        let found = find_all(ctx, &ids).await?;
        Ok(found.into_iter().map(|node| node.map(InterfaceValue)).collect())
    }

    /// By its current slug or a former one: redirect if `slug` differs. Null if it does not exist, or is a draft or scheduled post to which the client has no
    /// access by a token or a preview link.
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

    /// By its current path or a former one: redirect if `path` differs. Null if it does not exist, or is a draft or scheduled page to which the client has no
    /// access by a token or a preview link.
    async fn page(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "Such as `docs/install`; a slash at its ends is ignored. The root, `/` or an empty text, is the home page, `index`."
        )]
        path: String,
        #[graphql(
            desc = "Tags of BCP 47, the most preferred first: the answer is the translation into the first of them that has one, or else the page itself. Without it, nothing stands in."
        )]
        preferred_languages: Option<Vec<String>>,
    ) -> Result<Option<PageObject>> {
        PageObject::find(ctx, &path, &preferred_languages.unwrap_or_default()).await
    }

    /// The published pages directly below a page, or at the top, by `order`, then by slug. Empty if the page does not exist or the client has no access to it.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn pages(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The path of the page above; if omitted, null or the root (`/`), the pages at the top.")]
        parent_path: Option<String>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
    ) -> Result<PageConnection> {
        PageConnection::read_below(ctx, parent_path, false, Paging { first, after, last, before }).await
    }

    /// All published pages, each followed by those below it, for a menu or a sitemap; without those below a draft. More than `atMost` are BAD_USER_INPUT: the
    /// list is never cut off.
    #[graphql(directive = ListSize::apply(Size::AllPages))]
    async fn page_links(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "1 to 10,000; 1,000 if omitted.")] at_most: Option<i32>,
    ) -> Result<Vec<PageLink>> {
        PageLink::all(ctx, at_most).await
    }

    /// The drafts of pages directly below a page, or at the top, by `order`, then by slug. Requires a token of the role READER, EDITOR or ADMIN.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn draft_pages(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The path of the page above; if omitted, null or the root (`/`), the pages at the top.")]
        parent_path: Option<String>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
    ) -> Result<Option<PageConnection>> {
        access::require_sight_of_pages(ctx)?;
        PageConnection::read_below(ctx, parent_path, true, Paging { first, after, last, before }).await.map(Some)
    }

    /// The scheduled pages, the next to be published first; at most 500. Requires a token of the role READER, EDITOR or ADMIN.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn scheduled_pages(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
    ) -> Result<Option<PageConnection>> {
        access::require_sight_of_pages(ctx)?;
        PageConnection::read_scheduled(ctx, Paging { first, after, last, before }).await.map(Some)
    }

    /// The content of a preview link, drafts included, without another token; null if it was deleted. An invalid or revoked link is BAD_PREVIEW, an expired one
    /// PREVIEW_EXPIRED.
    async fn preview(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The `token` that `createPreview` returned.")] token: String,
    ) -> Result<Option<InterfaceValue<ContentObject>>> {
        Ok(ContentObject::previewed(ctx, &token).await?.map(InterfaceValue))
    }

    /// By its current slug or a former one: redirect if `slug` differs. Null if it does not exist.
    async fn category(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
    ) -> Result<Option<Category>> {
        Ok(term(ctx, TermKind::Category, &slug).await?.map(Category))
    }

    /// By its current slug or a former one: redirect if `slug` differs. Null if it does not exist.
    async fn tag(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
    ) -> Result<Option<Tag>> {
        Ok(term(ctx, TermKind::Tag, &slug).await?.map(Tag))
    }

    /// By the current slug or a former one: redirect if `slug` differs. Null if the author does not exist.
    async fn author(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
    ) -> Result<Option<Author>> {
        Ok(term(ctx, TermKind::Author, &slug).await?.map(Author))
    }

    /// The owner of the token of this request; null without a token, and with that of a preview link. An invalid token fails the whole request.
    async fn viewer(&self, ctx: &Context<'_>) -> Option<Viewer> {
        context::of(ctx).reader.actor().cloned().map(Viewer)
    }

    /// The web site that shows the content.
    async fn site(&self, ctx: &Context<'_>) -> Site {
        Site(Arc::clone(&context::of(ctx).site))
    }

    /// What this client has left of its limit of storage requests; null if there is no limit. It costs nothing.
    async fn rate_limit(&self, ctx: &Context<'_>) -> Option<RateLimit> {
        let (client, cost) = context::of(ctx).rate_limit.as_ref()?;
        Some(RateLimit { state: client.state(), cost: *cost })
    }

    /// The most that an operation can cost, computed without running it; once in a request. For a client that may not know costs, the figures do not depend on
    /// drafts and scheduled posts, and are higher.
    async fn operation_cost(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "A query or a mutation.")] query: String,
        #[graphql(desc = "An object.")] variables: Option<Json>,
        #[graphql(desc = "Required if the document has several operations.")] operation_name: Option<String>,
    ) -> Result<Option<OperationCost>> {
        let variables = variables.map(|json| json.0);
        let operation = DryOperation { document: query, variables, operation_name };
        Ok(Some(OperationCost(context::of(ctx).dry_run.price(operation).await?)))
    }

    /// Published posts, newest first unless `orderBy` says otherwise. A page costs the same anywhere in the list; a filter that needs too many reads is
    /// FILTER_TOO_BROAD. Pages have no numbers: a static site reads the whole list, 100 posts at a time, and divides it itself.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "Newest first if omitted.")] order_by: Option<PostOrder>,
        #[graphql(desc = "Only posts that match; all if omitted.")] filter: Option<PostFilter>,
    ) -> Result<PostConnection> {
        let list = order::posts_in(order_by, filter::list_of(ctx, filter, Scope::All).await?);
        PostConnection::read(ctx, list, Paging { first, after, last, before }).await
    }

    /// Posts and pages that have the words of a query in any form, the best 1,000 first (docs/search.md): `"a phrase"`, `-without`, an unfinished last word, and
    /// longer words with typing errors. With access to drafts, these too.
    #[graphql(directive = ListSize::apply(Size::PageForward))]
    async fn search(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What a person typed, as it is: at most 1,000 bytes and 32 words.")] query: String,
        #[graphql(desc = "Only these; both if omitted or null.")] types: Option<Vec<ContentType>>,
        #[graphql(desc = "Only what matches; pages match languages alone.")] filter: Option<PostFilter>,
        #[graphql(desc = "1 to 100; 20 if omitted.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
    ) -> Result<SearchConnection> {
        let list = filter::list_of(ctx, filter, Scope::All).await?;
        Box::pin(SearchConnection::read(ctx, &query, types, list, (first, after.as_deref()))).await
    }

    /// The text with its last word completed, for a search box: words of published posts and pages, those of titles first. Empty for texts without spaces.
    #[graphql(directive = ListSize::apply(Size::SearchTerms))]
    async fn search_terms(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What a person has typed so far, at most 1,000 bytes.")] text: String,
        #[graphql(desc = "1 to 20; 10 if omitted.")] first: Option<i32>,
    ) -> Result<Vec<String>> {
        search_terms(ctx, text, first).await
    }

    /// The posts with the most views on the last days; with a filter, among the first 200. Empty if the server counts no views.
    #[graphql(directive = ListSize::apply(Size::First))]
    async fn popular(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "1 to 90, today included; 30 if omitted.")] days: Option<i32>,
        #[graphql(desc = "0 to 100; 20 if omitted.")] first: Option<i32>,
        #[graphql(desc = "Only posts that match; all if omitted.")] filter: Option<PostFilter>,
    ) -> Result<Vec<PopularPost>> {
        popular(ctx, (days, first), &filter::list_of(ctx, filter, Scope::All).await?).await
    }

    /// Drafts, the most recently created first. Requires a token; the role AUTHOR gets only the posts of its own author.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn draft_posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
    ) -> Result<Option<PostConnection>> {
        let list = PostList::drafts(access::require(ctx, Role::Reader)?)?;
        PostConnection::read(ctx, list, Paging { first, after, last, before }).await.map(Some)
    }

    /// Scheduled posts, the next to be published first. Requires a token; the role AUTHOR gets only the posts of its own author.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn scheduled_posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
    ) -> Result<Option<PostConnection>> {
        let list = PostList::scheduled(access::require(ctx, Role::Reader)?)?;
        PostConnection::read(ctx, list, Paging { first, after, last, before }).await.map(Some)
    }

    /// All categories, also those without posts, by slug unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn categories(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "By slug from a to z if omitted.")] order_by: Option<TermOrder>,
    ) -> Result<CategoryConnection> {
        let page = PageOfTerms::of(ctx, TermKind::Category, order_by, Paging { first, after, last, before }).await?;
        Ok(CategoryConnection(page))
    }

    /// All tags, also those without posts, by slug unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn tags(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "By slug from a to z if omitted.")] order_by: Option<TermOrder>,
    ) -> Result<TagConnection> {
        let page = PageOfTerms::of(ctx, TermKind::Tag, order_by, Paging { first, after, last, before }).await?;
        Ok(TagConnection(page))
    }

    /// All authors, also those without posts, by slug unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn authors(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "By slug from a to z if omitted.")] order_by: Option<TermOrder>,
    ) -> Result<AuthorConnection> {
        let page = PageOfTerms::of(ctx, TermKind::Author, order_by, Paging { first, after, last, before }).await?;
        Ok(AuthorConnection(page))
    }

    /// Who changed what, access tokens and preview links included, newest first: the changes of this year and the last. Requires the role EDITOR or ADMIN.
    #[graphql(directive = ListSize::apply(Size::PageForward))]
    async fn audit_log(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "0 to 100; 20 if omitted.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor: older entries.")] after: Option<String>,
    ) -> Result<Option<AuditLogEntryConnection>> {
        access::require(ctx, Role::Editor)?;
        let page = context::of(ctx).reader.audit_log(first, after.as_deref()).await?;
        Ok(Some(AuditLogEntryConnection(page)))
    }

    /// What has changed after a position, the oldest first, to keep a copy up to date (docs/changes.md). Everyone gets the changes of what is public, READER,
    /// EDITOR and ADMIN those of all content, ADMIN also those of tokens and preview links.
    #[graphql(directive = ListSize::apply(Size::ChangesForward))]
    async fn changes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "0 to 100; 20 if omitted.")] first: Option<i32>,
        #[graphql(
            desc = "The `endCursor` of an earlier answer; if omitted, the answer has only the position of now. If the changes after it are not kept any more, the error is POSITION_EXPIRED: read everything again."
        )]
        after: Option<String>,
    ) -> Result<ChangeFeed> {
        let request = context::of(ctx);
        Ok(ChangeFeed(request.content.changes(&request.reader, first, after.as_deref()).await?))
    }

    /// The access tokens of this site, newest first, without their secrets. Requires the role ADMIN.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn tokens(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
    ) -> Result<Option<TokenConnection>> {
        TokenConnection::read(ctx, Paging { first, after, last, before }).await.map(Some)
    }

    /// The webhooks of this site, the oldest first; `node` finds one. Requires the role ADMIN.
    #[graphql(directive = ListSize::apply(Size::Webhooks))]
    async fn webhooks(&self, ctx: &Context<'_>) -> Result<Option<Vec<Webhook>>> {
        Ok(Some(webhook::webhooks(ctx)?.list().await?.into_iter().map(Webhook).collect()))
    }

    /// Null if it does not exist. As `node`, but the fields of an `Asset` need no fragment.
    async fn asset(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The id of a picture or file.")] id: ID,
    ) -> Result<Option<InterfaceValue<Asset>>> {
        Ok(Asset::read(ctx, &id).await?.map(InterfaceValue))
    }

    /// All pictures and files, newest first, also those that no post shows. Requires the role AUTHOR, EDITOR or ADMIN.
    #[graphql(directive = ListSize::apply(Size::PageForward))]
    async fn assets(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "0 to 100; 20 if omitted.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor: older assets.")] after: Option<String>,
    ) -> Result<Option<AssetConnection>> {
        AssetConnection::read(ctx, first, after.as_deref()).await.map(Some)
    }

    /// A text that is not stored, rendered as a body, for the preview of an editor; one in an operation. Requires the role AUTHOR, EDITOR or ADMIN.
    async fn rendered_markdown(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "As `markdown` of a post.")] markdown: String,
    ) -> Result<Option<RichText>> {
        access::require(ctx, Role::Author)?;
        RichText::unsaved(ctx, markdown).await.map(Some)
    }

    /// The months with published posts, newest first: all of them, or those of one year, or one month.
    #[graphql(directive = ListSize::apply(Size::Months))]
    async fn archive(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "1 to 9999.")] year: Option<i32>,
        #[graphql(desc = "1 to 12, with `year`.")] month: Option<i32>,
    ) -> Result<Vec<ArchiveMonth>> {
        ArchiveMonth::read(ctx, year, month).await
    }

    /// By its current slug or a former one: redirect if `slug` differs. Null if it does not exist.
    async fn series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The current slug, or a former one.")] slug: String,
    ) -> Result<Option<Series>> {
        Ok(term(ctx, TermKind::Series, &slug).await?.map(Series))
    }

    /// All series, also those without posts, by slug unless `orderBy` says otherwise.
    #[graphql(directive = ListSize::apply(Size::Page))]
    async fn all_series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "By slug from a to z if omitted.")] order_by: Option<TermOrder>,
    ) -> Result<SeriesConnection> {
        let page = PageOfTerms::of(ctx, TermKind::Series, order_by, Paging { first, after, last, before }).await?;
        Ok(SeriesConnection(page))
    }
}
