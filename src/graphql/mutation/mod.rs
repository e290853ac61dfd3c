//! The type `Mutation`. The rule: a problem that the client can fix is an entry of `userErrors`, and then nothing was changed; a client without the
//! required role gets an error before any content is read.

mod assets;
mod bulk;
mod inputs;
mod pages;
mod payloads;
mod previews;
mod terms;
mod tokens;
mod user_errors;
mod webhooks;

use async_graphql::{Context, MergedObject, Object};

use self::assets::{UpdateAssetInput, UpdateAssetPayload};
use self::bulk::BulkMutation;
use self::previews::{CreatePreviewInput, CreatePreviewPayload, RevokePreviewsPayload};
use self::tokens::{CreateTokenInput, CreateTokenPayload, RevokeTokenInput, RevokeTokenPayload};
use self::webhooks::WebhookMutation;
use crate::content::access::{Previews, Tokens};
use crate::content::assets::AssetEditor;
use crate::content::editor::PageChanges;
use crate::model::{NodeId, Role, TermKind};

use super::access::editor;
use super::failure::Result;
use super::scalars::DateTime;
use super::{access, context};

use inputs::{
    CreatePostInput, DeleteInput, PublishPostInput, RestoreRevisionInput, UnpublishPostInput, UpdatePostInput,
};
use pages::{
    CreatePageInput, CreatePagePayload, PublishPageInput, PublishPagePayload, UnpublishPageInput, UnpublishPagePayload,
    UpdatePageInput, UpdatePagePayload,
};
use payloads::{
    CreatePostPayload, DeletePayload, PublishPostPayload, RestoreRevisionPayload, UnpublishPostPayload,
    UpdatePostPayload,
};
use terms::{
    CreateAuthorInput, CreateAuthorPayload, CreateCategoryInput, CreateCategoryPayload, CreateSeriesInput,
    CreateSeriesPayload, CreateTagInput, CreateTagPayload, UpdateAuthorInput, UpdateAuthorPayload, UpdateCategoryInput,
    UpdateCategoryPayload, UpdateSeriesInput, UpdateSeriesPayload, UpdateTagInput, UpdateTagPayload,
};

pub(super) use pages::PagePayload;
pub(super) use payloads::PostPayload;

/// All write operations. Each requires a token as `Authorization: Bearer`, and changes everything that it says or nothing (but see docs/writing.md for large
/// merges). What a person can correct is in `userErrors`; a field is null only if `errors` has an entry with its path (docs/errors.md).
#[derive(MergedObject, Default)]
pub struct Mutation(MainMutation, BulkMutation, WebhookMutation);

#[derive(Default)]
struct MainMutation;

#[Object]
impl MainMutation {
    /// Creates a draft, or with `publish` or `publishAt` a published or scheduled post. Requires the role AUTHOR for the posts of its own author, EDITOR for
    /// others.
    async fn create_post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The post.")] input: CreatePostInput,
    ) -> Result<Option<CreatePostPayload>> {
        let editor = editor(ctx, Role::Author)?;
        let (key, slug, new, terms) = input.into_parts();
        Ok(Some(editor.create_post(key.as_deref(), slug, new, terms).await?.into()))
    }

    /// Changes a post, and with `publish` or `publishAt` its publication. Requires the role AUTHOR for the posts of its own author, EDITOR for others.
    async fn update_post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The post and its changes.")] input: UpdatePostInput,
    ) -> Result<Option<UpdatePostPayload>> {
        let editor = editor(ctx, Role::Author)?;
        let (id, version, slug, changes, terms) = input.into_parts();
        Ok(Some(editor.update_post(&id, version, slug, changes, terms).await?.into()))
    }

    /// Publishes a post now, or at a time in the past or in the future. Requires the role AUTHOR for the posts of its own author, EDITOR for others.
    async fn publish_post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The post and the time.")] input: PublishPostInput,
    ) -> Result<Option<PublishPostPayload>> {
        let PublishPostInput { id, expected_version, publish_at } = input;
        let at = publish_at.map(|at| at.0);
        Ok(Some(editor(ctx, Role::Author)?.publish_post(&id, expected_version, at).await?.into()))
    }

    /// Makes a published or scheduled post a draft again. Requires the role AUTHOR for the posts of its own author, EDITOR for others.
    async fn unpublish_post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The post.")] input: UnpublishPostInput,
    ) -> Result<Option<UnpublishPostPayload>> {
        let UnpublishPostInput { id, expected_version } = input;
        Ok(Some(editor(ctx, Role::Author)?.unpublish_post(&id, expected_version).await?.into()))
    }

    /// Makes the text, metadata and terms of an earlier version a new version; slug or path, order and publication stay, deleted tags are created again.
    /// Requires the role AUTHOR for the posts of its own author, EDITOR for others and for pages.
    async fn restore_revision(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The version.")] input: RestoreRevisionInput,
    ) -> Result<Option<RestoreRevisionPayload>> {
        let RestoreRevisionInput { revision_id, expected_version } = input;
        Ok(Some(editor(ctx, Role::Author)?.restore_revision(&revision_id, expected_version).await?.into()))
    }

    /// Deletes a post. Its slugs can be used again. Requires the role AUTHOR for the posts of its own author, EDITOR for others.
    async fn delete_post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The post.")] input: DeleteInput,
    ) -> Result<Option<DeletePayload>> {
        let DeleteInput { id, expected_version } = input;
        Ok(Some(editor(ctx, Role::Author)?.delete_post(&id, expected_version).await?.map(NodeId::Post).into()))
    }

    /// Creates a draft, or with `publish` or `publishAt` a published or scheduled page. Requires the role EDITOR.
    async fn create_page(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The page.")] input: CreatePageInput,
    ) -> Result<Option<CreatePagePayload>> {
        let editor = editor(ctx, Role::Editor)?;
        let (key, new) = input.into_parts();
        Ok(Some(editor.create_page(key.as_deref(), new).await?.into()))
    }

    /// Changes a page, and with `publish` or `publishAt` its publication. Requires the role EDITOR.
    async fn update_page(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The page and its changes.")] input: UpdatePageInput,
    ) -> Result<Option<UpdatePagePayload>> {
        let (id, version, changes) = input.into_parts();
        Ok(Some(editor(ctx, Role::Editor)?.update_page(&id, version, changes).await?.into()))
    }

    /// Publishes a page now, or at a time. Requires the role EDITOR.
    async fn publish_page(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The page and the time.")] input: PublishPageInput,
    ) -> Result<Option<PublishPagePayload>> {
        let PublishPageInput { id, expected_version, publish_at } = input;
        let changes = PageChanges::of_publication(true, publish_at.map(|at| at.0));
        Ok(Some(editor(ctx, Role::Editor)?.update_page(&id, expected_version, changes).await?.into()))
    }

    /// Makes a published or scheduled page a draft again, but not the pages below it. Requires the role EDITOR.
    async fn unpublish_page(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The page.")] input: UnpublishPageInput,
    ) -> Result<Option<UnpublishPagePayload>> {
        let UnpublishPageInput { id, expected_version } = input;
        let changes = PageChanges::of_publication(false, None);
        Ok(Some(editor(ctx, Role::Editor)?.update_page(&id, expected_version, changes).await?.into()))
    }

    /// Deletes a page that has no pages below it. Requires the role EDITOR.
    async fn delete_page(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The page.")] input: DeleteInput,
    ) -> Result<Option<DeletePayload>> {
        let DeleteInput { id, expected_version } = input;
        let deleted = editor(ctx, Role::Editor)?.delete_page(&id, expected_version).await?;
        Ok(Some(deleted.map(|whole| NodeId::Page(whole.id().clone())).into()))
    }

    /// Creates a category. Requires the role ADMIN.
    async fn create_category(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The category.")] input: CreateCategoryInput,
    ) -> Result<Option<CreateCategoryPayload>> {
        Ok(Some(editor(ctx, Role::Admin)?.create_term(TermKind::Category, input.into()).await?.into()))
    }

    /// Changes a category. Requires the role ADMIN.
    async fn update_category(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The category and its changes.")] input: UpdateCategoryInput,
    ) -> Result<Option<UpdateCategoryPayload>> {
        let (id, version, changes) = input.into_parts();
        Ok(Some(editor(ctx, Role::Admin)?.update_term(TermKind::Category, &id, version, changes).await?.into()))
    }

    /// Deletes a category that no post or draft has and that has none below it. Its slugs can be used again. Requires the role ADMIN.
    async fn delete_category(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The category.")] input: DeleteInput,
    ) -> Result<Option<DeletePayload>> {
        delete_term(ctx, TermKind::Category, input).await
    }

    /// Creates a tag. Requires the role ADMIN.
    async fn create_tag(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The tag.")] input: CreateTagInput,
    ) -> Result<Option<CreateTagPayload>> {
        Ok(Some(editor(ctx, Role::Admin)?.create_term(TermKind::Tag, input.into()).await?.into()))
    }

    /// Changes a tag. Requires the role ADMIN.
    async fn update_tag(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The tag and its changes.")] input: UpdateTagInput,
    ) -> Result<Option<UpdateTagPayload>> {
        let (id, version, changes) = input.into_parts();
        Ok(Some(editor(ctx, Role::Admin)?.update_term(TermKind::Tag, &id, version, changes).await?.into()))
    }

    /// Deletes a tag that no post or draft has. Its slugs can be used again. Requires the role ADMIN.
    async fn delete_tag(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The tag.")] input: DeleteInput,
    ) -> Result<Option<DeletePayload>> {
        delete_term(ctx, TermKind::Tag, input).await
    }

    /// Creates an author. Requires the role ADMIN.
    async fn create_author(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The author.")] input: CreateAuthorInput,
    ) -> Result<Option<CreateAuthorPayload>> {
        Ok(Some(editor(ctx, Role::Admin)?.create_term(TermKind::Author, input.into()).await?.into()))
    }

    /// Changes an author. Requires the role ADMIN.
    async fn update_author(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The author and its changes.")] input: UpdateAuthorInput,
    ) -> Result<Option<UpdateAuthorPayload>> {
        let (id, version, changes) = input.into_parts();
        Ok(Some(editor(ctx, Role::Admin)?.update_term(TermKind::Author, &id, version, changes).await?.into()))
    }

    /// Deletes an author that no post or draft has. Its slugs can be used again. Requires the role ADMIN.
    async fn delete_author(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The author.")] input: DeleteInput,
    ) -> Result<Option<DeletePayload>> {
        delete_term(ctx, TermKind::Author, input).await
    }

    /// Creates a series. Requires the role EDITOR.
    async fn create_series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The series.")] input: CreateSeriesInput,
    ) -> Result<Option<CreateSeriesPayload>> {
        Ok(Some(editor(ctx, Role::Editor)?.create_term(TermKind::Series, input.into()).await?.into()))
    }

    /// Changes a series, also the order of its posts. Requires the role EDITOR.
    async fn update_series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The series and its changes.")] input: UpdateSeriesInput,
    ) -> Result<Option<UpdateSeriesPayload>> {
        let (id, version, changes) = input.into_parts();
        Ok(Some(editor(ctx, Role::Editor)?.update_term(TermKind::Series, &id, version, changes).await?.into()))
    }

    /// Deletes a series that no post or draft has. Its slugs can be used again. Requires the role EDITOR.
    async fn delete_series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The series.")] input: DeleteInput,
    ) -> Result<Option<DeletePayload>> {
        delete_term(ctx, TermKind::Series, input).await
    }

    /// Changes what is said of a picture. Requires the role AUTHOR, EDITOR or ADMIN.
    async fn update_asset(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The picture and its changes.")] input: UpdateAssetInput,
    ) -> Result<Option<UpdateAssetPayload>> {
        let (id, version, changes) = input.into_parts();
        Ok(Some(assets(ctx, Role::Author)?.update(&id, version, changes).await?.into()))
    }

    /// Deletes a picture or file. Posts that show it are not changed. Requires the role EDITOR or ADMIN.
    async fn delete_asset(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The picture or file.")] input: DeleteInput,
    ) -> Result<Option<DeletePayload>> {
        let DeleteInput { id, expected_version } = input;
        Ok(Some(assets(ctx, Role::Editor)?.delete(&id, expected_version).await?.map(NodeId::Asset).into()))
    }

    /// Creates a preview link: until it expires, its token shows this one post or page to anyone. Requires the role AUTHOR for the posts of its own author,
    /// EDITOR for others and for pages.
    async fn create_preview(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What to preview, and how long.")] input: CreatePreviewInput,
    ) -> Result<Option<CreatePreviewPayload>> {
        let actor = access::require(ctx, Role::Author)?;
        let (id, minutes) = input.into_parts();
        Ok(Some(previews(ctx).create(actor, &id, minutes).await?.into()))
    }

    /// Revokes all preview links: on this server at once, on others within 2 seconds. Requires the role ADMIN.
    async fn revoke_previews(&self, ctx: &Context<'_>) -> Result<Option<RevokePreviewsPayload>> {
        let actor = access::require(ctx, Role::Admin)?;
        previews(ctx).revoke_all(actor).await?;
        let revoked_at = Some(DateTime(context::of(ctx).reader.now()));
        Ok(Some(RevokePreviewsPayload { revoked_at, user_errors: Vec::new() }))
    }

    /// Creates an access token. Only this answer contains its secret. Requires the role ADMIN.
    async fn create_token(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The token.")] input: CreateTokenInput,
    ) -> Result<Option<CreateTokenPayload>> {
        Ok(Some(tokens(ctx)?.create(input.into()).await?.into()))
    }

    /// Revokes an access token: on this server at once, on others within 2 seconds. Requires the role ADMIN.
    async fn revoke_token(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The token to revoke.")] input: RevokeTokenInput,
    ) -> Result<Option<RevokeTokenPayload>> {
        Ok(Some(tokens(ctx)?.revoke(&input.id).await?.into()))
    }
}

fn previews<'a>(ctx: &Context<'a>) -> Previews<'a> {
    let request = context::of(ctx);
    Previews::new(&request.content, &request.reader)
}

/// Checks the role before every mutation of pictures and files.
fn assets<'a>(ctx: &Context<'a>, needed: Role) -> Result<AssetEditor<'a>> {
    let actor = access::require(ctx, needed)?;
    let request = context::of(ctx);
    Ok(AssetEditor::new(&request.content, &request.reader, actor)?)
}

/// Checks the role before every mutation of tokens.
fn tokens<'a>(ctx: &Context<'a>) -> Result<Tokens<'a>> {
    let actor = access::require(ctx, Role::Admin)?;
    let request = context::of(ctx);
    Ok(Tokens::new(&request.content, &request.reader, actor)?)
}

async fn delete_term(ctx: &Context<'_>, kind: TermKind, input: DeleteInput) -> Result<Option<DeletePayload>> {
    let deleted = editor(ctx, kind.role_to_change())?.delete_term(kind, &input.id, input.expected_version).await?;
    Ok(Some(deleted.map(NodeId::Term).into()))
}
