//! The type `Mutation`. The rule: a problem that the client can fix is an entry of `userErrors`, and then nothing was changed; a client without the
//! required role gets an error before any content is read.

mod assets;
mod bulk;
mod inputs;
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
use crate::model::{NodeId, Role};

use super::access::editor;
use super::failure::Result;
use super::scalars::DateTime;
use super::{access, context};

use inputs::{
    CreatePageInput, CreatePostInput, DeleteInput, PublishPageInput, PublishPostInput, RestoreRevisionInput,
    UnpublishPageInput, UnpublishPostInput, UpdatePageInput, UpdatePostInput,
};
use payloads::{
    CreatePagePayload, CreatePostPayload, DeletePayload, PublishPagePayload, PublishPostPayload,
    RestoreRevisionPayload, UnpublishPagePayload, UnpublishPostPayload, UpdatePagePayload, UpdatePostPayload,
};
use terms::{
    AuthorMerge, AuthorMutation, CategoryMerge, CategoryMutation, SeriesMerge, SeriesMutation, TagMerge, TagMutation,
};

pub(super) use payloads::{PagePayload, PostPayload};

/// All write operations. Each requires a token as `Authorization: Bearer`, and changes everything that it says or nothing (but see docs/writing.md for large
/// merges). What a person can correct is in `userErrors`; a field is null only if `errors` has an entry with its path (docs/errors.md).
#[derive(MergedObject, Default)]
pub struct Mutation(
    ContentMutation,
    CategoryMutation,
    TagMutation,
    AuthorMutation,
    SeriesMutation,
    OtherMutation,
    BulkMutation,
    WebhookMutation,
    CategoryMerge,
    TagMerge,
    AuthorMerge,
    SeriesMerge,
);

#[derive(Default)]
struct ContentMutation;

#[Object]
impl ContentMutation {
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
}

#[derive(Default)]
struct OtherMutation;

#[Object]
impl OtherMutation {
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
