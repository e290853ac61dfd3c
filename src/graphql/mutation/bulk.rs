//! The mutations of many posts or pages. The rule: `userErrors` names the object at fault by its place in the input.

use async_graphql::{Context, ID, InputObject, Object};

use crate::content::editor::{BulkChanges, Linked, NamedVersion};
use crate::graphql::access::editor;
use crate::graphql::engine::interface_value::InterfaceValue;
use crate::graphql::failure::Result;
use crate::graphql::scalars::DateTime;
use crate::graphql::types::content::ContentObject;
use crate::graphql::types::post::PostObject;
use crate::model::{NodeId, PostId, Role, WholePost};

use super::inputs::ObjectVersionInput;
use super::user_errors::payload;

fn named(posts: Vec<ObjectVersionInput>) -> Vec<NamedVersion> {
    posts.into_iter().map(Into::into).collect()
}

/// Posts, and what changes of each. Null is the same as omitted.
#[derive(InputObject)]
pub(super) struct UpdatePostsInput {
    /// 1 to 100 posts, each once.
    posts: Vec<ObjectVersionInput>,
    /// Tags that the posts get; at most 100.
    add_tag_slugs: Option<Vec<String>>,
    /// Existing tags that the posts lose, before others are added; at most 100.
    remove_tag_slugs: Option<Vec<String>>,
    /// Existing categories that the posts get; at most 100.
    add_category_slugs: Option<Vec<String>>,
    /// Existing categories that the posts lose, before others are added; at most 100.
    remove_category_slugs: Option<Vec<String>>,
    /// All authors of each post, which must exist; at most 100. Empty: none.
    author_slugs: Option<Vec<String>>,
    /// Whether unknown slugs in `addTagSlugs` create tags with the slug as name; otherwise they are NOT_FOUND with suggestions.
    #[graphql(default)]
    create_missing_tags: bool,
    /// True publishes the posts: at `publishAt`, or now; published posts keep their time. False makes them drafts again.
    publish: Option<bool>,
    /// When all posts are published, in the past or the future. With `publish: false` it is INVALID.
    publish_at: Option<DateTime>,
}

impl UpdatePostsInput {
    fn into_parts(self) -> (Vec<NamedVersion>, BulkChanges) {
        let changes = BulkChanges {
            add_tags: self.add_tag_slugs,
            remove_tags: self.remove_tag_slugs,
            add_categories: self.add_category_slugs,
            remove_categories: self.remove_category_slugs,
            authors: self.author_slugs,
            create_missing_tags: self.create_missing_tags,
            publish: self.publish,
            publish_at: self.publish_at.map(|at| at.0),
        };
        (named(self.posts), changes)
    }
}

/// Posts to delete.
#[derive(InputObject)]
pub(super) struct DeletePostsInput {
    /// 1 to 100 posts, each once.
    posts: Vec<ObjectVersionInput>,
}

payload! {
    /// The changed posts, or the errors.
    pub(super) UpdatePostsPayload(posts: Vec<WholePost>) {
        /// In the order of the input. Null on failure.
        posts: Vec<PostObject> = posts.into_iter().map(Into::into).collect()
    }
}

payload! {
    /// The ids of the deleted posts, or the errors.
    pub(super) DeletePostsPayload(ids: Vec<PostId>) {
        /// In the order of the input. Null on failure.
        deleted_ids: Vec<ID> = ids.into_iter().map(|id| NodeId::Post(id).to_string().into()).collect()
    }
}

/// Posts, or pages, that are one content in several languages.
#[derive(InputObject)]
pub(super) struct LinkTranslationsInput {
    /// Posts only, or pages only: 1 to 50, each once. No two of the linked ones may have the same language.
    contents: Vec<ObjectVersionInput>,
}

/// Posts, or pages, that are no translations any more.
#[derive(InputObject)]
pub(super) struct UnlinkTranslationsInput {
    /// Posts only, or pages only: 1 to 50, each once.
    contents: Vec<ObjectVersionInput>,
}

fn contents(linked: Linked) -> Vec<InterfaceValue<ContentObject>> {
    let contents: Vec<ContentObject> = match linked {
        Linked::Posts(posts) => posts.into_iter().map(|whole| ContentObject::Post(whole.into())).collect(),
        Linked::Pages(pages) => pages.into_iter().map(|whole| ContentObject::Page(whole.into())).collect(),
    };
    contents.into_iter().map(InterfaceValue).collect()
}

payload! {
    /// The linked posts or pages, or the errors.
    pub(super) LinkTranslationsPayload(linked: Linked) {
        /// The posts or pages after the change, in the order of the input; null if nothing was changed.
        contents: Vec<InterfaceValue<ContentObject>> = contents(linked)
    }
}

payload! {
    /// The posts or pages that were unlinked, or the errors.
    pub(super) UnlinkTranslationsPayload(linked: Linked) {
        /// The posts or pages after the change, in the order of the input; null if nothing was changed.
        contents: Vec<InterfaceValue<ContentObject>> = contents(linked)
    }
}

#[derive(Default)]
pub(super) struct BulkMutation;

#[Object]
impl BulkMutation {
    /// Changes 1 to 100 posts, all or none; if they are too large for one change, TOO_LARGE. Requires the role AUTHOR for the posts of its own author, EDITOR
    /// for others.
    async fn update_posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The posts and their changes.")] input: UpdatePostsInput,
    ) -> Result<Option<UpdatePostsPayload>> {
        let (posts, changes) = input.into_parts();
        Ok(Some(editor(ctx, Role::Author)?.update_posts(&posts, &changes).await?.into()))
    }

    /// Deletes 1 to 100 posts, all or none; if they are too large for one change, TOO_LARGE. Requires the role AUTHOR for the posts of its own author, EDITOR
    /// for others.
    async fn delete_posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The posts.")] input: DeletePostsInput,
    ) -> Result<Option<DeletePostsPayload>> {
        Ok(Some(editor(ctx, Role::Author)?.delete_posts(&named(input.posts)).await?.into()))
    }

    /// Links posts, or pages, as translations of each other: they join those of the first that has some, and leave others. A language that another has is TAKEN.
    /// Requires the role EDITOR.
    async fn link_translations(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The posts or pages.")] input: LinkTranslationsInput,
    ) -> Result<Option<LinkTranslationsPayload>> {
        Ok(Some(editor(ctx, Role::Editor)?.link_translations(&named(input.contents), false).await?.into()))
    }

    /// Takes posts, or pages, out of the translations that they have, each by itself. Requires the role EDITOR.
    async fn unlink_translations(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The posts or pages.")] input: UnlinkTranslationsInput,
    ) -> Result<Option<UnlinkTranslationsPayload>> {
        Ok(Some(editor(ctx, Role::Editor)?.link_translations(&named(input.contents), true).await?.into()))
    }
}
