//! `Mutation`. The rule: what the caller can mend is a `userErrors` entry, and then nothing was written; who may not write is told so before
//! anything is read.

mod inputs;
mod payloads;
mod previews;
mod tokens;

use async_graphql::{Context, Object, Result};

use crate::content::editor::{Edited, Editor};
use crate::content::tokens::Tokens;
use crate::model::{NodeId, Role, Term, TermKind, WholePost};

use self::previews::{CreatePreviewInput, CreatePreviewPayload, RevokePreviewsPayload};
use self::tokens::{CreateTokenInput, CreateTokenPayload, RevokeTokenInput, RevokeTokenPayload};
use super::access;
use super::context;
use super::failure::ReadFailure;
use super::scalars::DateTime;
use crate::content::tokens::preview::Previews;
use inputs::{
    CreatePostInput, DeleteTermInput, PublishPostInput, RestoreRevisionInput, SaveAuthorInput, SaveCategoryInput,
    SaveTagInput, UpdatePostInput, VersionedPostInput,
};
use payloads::{
    AuthorPayload, CategoryPayload, DeletePostPayload, DeleteTermPayload, PostPayload, TagPayload, user_errors,
};

pub struct Mutation;

/// Everything that can be changed. Each change needs `Authorization: Bearer` with a token: of the role author for posts that bear one's own
/// author, editor for all posts, admin for all else. Without one the error is UNAUTHENTICATED, with a lower role FORBIDDEN.
#[Object]
impl Mutation {
    /// Makes a post: a draft, or with `publishAt` published or scheduled at once. With an `idempotencyKey` it can be sent again without creating a
    /// second post.
    async fn create_post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The post.")] input: CreatePostInput,
    ) -> Result<PostPayload> {
        let editor = editor(ctx, Role::Author)?;
        let (key, slug, new, terms) = input.into_parts();
        let created = match key {
            Some(key) => editor.create_post_once(&key, slug, new, terms).await,
            None => editor.create_post(slug, new, terms).await,
        };
        Ok(post_payload(created.map_err(ReadFailure::from)?))
    }

    /// Changes a post; what is left out stays as it is.
    async fn update_post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The changes.")] input: UpdatePostInput,
    ) -> Result<PostPayload> {
        let editor = editor(ctx, Role::Author)?;
        let (id, version, slug, changes, terms) = input.into_parts();
        Ok(post_payload(editor.update_post(&id, version, slug, changes, terms).await.map_err(ReadFailure::from)?))
    }

    /// Makes the text and the terms of an earlier version a new version. The slug and the publication stay as they are.
    async fn restore_revision(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which post, and which of its versions.")] input: RestoreRevisionInput,
    ) -> Result<PostPayload> {
        let (id, version, revision) = input.into_parts();
        let editor = editor(ctx, Role::Author)?;
        Ok(post_payload(editor.restore_revision(&id, version, revision).await.map_err(ReadFailure::from)?))
    }

    /// Publishes a post now, or at the instant `at`: in the past it is backdated, in the future it is scheduled.
    async fn publish_post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which post, and when.")] input: PublishPostInput,
    ) -> Result<PostPayload> {
        let (id, version, at) = input.into_parts();
        Ok(post_payload(editor(ctx, Role::Author)?.publish_post(&id, version, at).await.map_err(ReadFailure::from)?))
    }

    /// Makes a published or scheduled post a draft again: readers no longer see it.
    async fn unpublish_post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which post.")] input: VersionedPostInput,
    ) -> Result<PostPayload> {
        let (id, version) = input.into_parts();
        Ok(post_payload(editor(ctx, Role::Author)?.unpublish_post(&id, version).await.map_err(ReadFailure::from)?))
    }

    /// Deletes a post for good. Its slugs are free again, its id is never given to another.
    async fn delete_post(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which post.")] input: VersionedPostInput,
    ) -> Result<DeletePostPayload> {
        let (id, version) = input.into_parts();
        Ok(match editor(ctx, Role::Author)?.delete_post(&id, version).await.map_err(ReadFailure::from)? {
            Ok(id) => {
                DeletePostPayload { deleted_id: Some(NodeId::Post(id).to_string().into()), user_errors: Vec::new() }
            }
            Err(errors) => DeletePostPayload { deleted_id: None, user_errors: user_errors(errors) },
        })
    }

    /// Makes a category, or changes it where its slug stands.
    async fn save_category(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The category.")] input: SaveCategoryInput,
    ) -> Result<CategoryPayload> {
        let (slug, changes) = input.into_parts();
        let saved =
            editor(ctx, Role::Admin)?.save_term(TermKind::Category, &slug, changes).await.map_err(ReadFailure::from)?;
        let (category, user_errors) = parted(saved);
        Ok(CategoryPayload { category: category.map(Into::into), user_errors })
    }

    /// Makes a tag, or changes it where its slug stands.
    async fn save_tag(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The tag.")] input: SaveTagInput,
    ) -> Result<TagPayload> {
        let (slug, changes) = input.into_parts();
        let saved =
            editor(ctx, Role::Admin)?.save_term(TermKind::Tag, &slug, changes).await.map_err(ReadFailure::from)?;
        let (tag, user_errors) = parted(saved);
        Ok(TagPayload { tag: tag.map(Into::into), user_errors })
    }

    /// Makes an author, or changes it where its slug stands.
    async fn save_author(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The author.")] input: SaveAuthorInput,
    ) -> Result<AuthorPayload> {
        let (slug, changes) = input.into_parts();
        let saved =
            editor(ctx, Role::Admin)?.save_term(TermKind::Author, &slug, changes).await.map_err(ReadFailure::from)?;
        let (author, user_errors) = parted(saved);
        Ok(AuthorPayload { author: author.map(Into::into), user_errors })
    }

    /// Deletes a category that no post bears, drafts included; otherwise `userErrors` says IN_USE. Its former slugs are free again too.
    async fn delete_category(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which category.")] input: DeleteTermInput,
    ) -> Result<DeleteTermPayload> {
        delete_term(ctx, TermKind::Category, input).await
    }

    /// Deletes a tag that no post bears, drafts included; otherwise `userErrors` says IN_USE. Its former slugs are free again too.
    async fn delete_tag(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which tag.")] input: DeleteTermInput,
    ) -> Result<DeleteTermPayload> {
        delete_term(ctx, TermKind::Tag, input).await
    }

    /// Deletes an author that no post bears, drafts included; otherwise `userErrors` says IN_USE. Its former slugs are free again too.
    async fn delete_author(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which author.")] input: DeleteTermInput,
    ) -> Result<DeleteTermPayload> {
        delete_term(ctx, TermKind::Author, input).await
    }

    /// Makes a preview link: whoever has its token sees this one post by `preview`, as it is then, until the link expires. For those who may
    /// change the post.
    async fn create_preview(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which post, and for how long.")] input: CreatePreviewInput,
    ) -> Result<CreatePreviewPayload> {
        let actor = access::require(ctx, Role::Author)?;
        let (id, minutes) = input.into_parts();
        Ok(previews(ctx).create(actor, &id, minutes).await.map_err(ReadFailure::from)?.into())
    }

    /// Ends every preview link that was ever given: on this server at once, on any other within 2 seconds. It needs a token of the role admin.
    async fn revoke_previews(&self, ctx: &Context<'_>) -> Result<RevokePreviewsPayload> {
        let actor = access::require(ctx, Role::Admin)?;
        previews(ctx).revoke_all(actor).await.map_err(ReadFailure::from)?;
        let revoked_at = DateTime(context::of(ctx).reader.now());
        Ok(RevokePreviewsPayload { revoked_at, user_errors: Vec::new() })
    }

    /// Makes a token. Its text is in this answer, and cannot be had again.
    async fn create_token(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The token.")] input: CreateTokenInput,
    ) -> Result<CreateTokenPayload> {
        Ok(tokens(ctx)?.create(input.into()).await.map_err(ReadFailure::from)?.into())
    }

    /// Revokes a token: from now on it opens nothing on this server, and within 2 seconds nothing on any other.
    async fn revoke_token(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which token.")] input: RevokeTokenInput,
    ) -> Result<RevokeTokenPayload> {
        Ok(tokens(ctx)?.revoke(&input.id).await.map_err(ReadFailure::from)?.into())
    }
}

async fn delete_term(ctx: &Context<'_>, kind: TermKind, input: DeleteTermInput) -> Result<DeleteTermPayload> {
    Ok(match editor(ctx, Role::Admin)?.delete_term(kind, &input.into_slug()).await.map_err(ReadFailure::from)? {
        Ok(id) => DeleteTermPayload { deleted_id: Some(NodeId::Term(id).to_string().into()), user_errors: Vec::new() },
        Err(errors) => DeleteTermPayload { deleted_id: None, user_errors: user_errors(errors) },
    })
}

fn previews<'a>(ctx: &Context<'a>) -> Previews<'a> {
    let request = context::of(ctx);
    Previews::new(&request.content, &request.reader)
}

/// The door of every mutation of tokens.
fn tokens<'a>(ctx: &Context<'a>) -> Result<Tokens<'a>> {
    let actor = access::require(ctx, Role::Admin)?;
    let request = context::of(ctx);
    Ok(Tokens::new(&request.content, &request.reader, actor).map_err(ReadFailure::from)?)
}

/// The door of every mutation of content.
fn editor<'a>(ctx: &Context<'a>, needed: Role) -> Result<Editor<'a>> {
    let actor = access::require(ctx, needed)?;
    let request = context::of(ctx);
    Ok(Editor::new(&request.content, &request.reader, actor).map_err(ReadFailure::from)?)
}

fn post_payload(edited: Edited<WholePost>) -> PostPayload {
    match edited {
        Ok(whole) => PostPayload { post: Some(whole.into()), user_errors: Vec::new() },
        Err(errors) => PostPayload { post: None, user_errors: user_errors(errors) },
    }
}

fn parted(edited: Edited<Term>) -> (Option<Term>, Vec<payloads::UserError>) {
    match edited {
        Ok(term) => (Some(term), Vec::new()),
        Err(errors) => (None, user_errors(errors)),
    }
}
