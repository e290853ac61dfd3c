//! The mutations of many posts and of two terms. The rule: `userErrors` names the object at fault by its place in the input.

use std::sync::Arc;

use async_graphql::{Context, ID, InputObject, Object};

use crate::content::editor::{BulkChanges, Linked, NamedVersion};
use crate::graphql::engine::interface_value::InterfaceValue;
use crate::graphql::failure::Result;
use crate::graphql::scalars::DateTime;
use crate::graphql::types::content::ContentObject;
use crate::graphql::types::post::PostObject;
use crate::graphql::types::series::Series;
use crate::graphql::types::term::{Author, Category, Tag};
use crate::model::{NodeId, PostId, Role, Term, TermKind, WholePost};

use super::editing::editor;
use super::user_errors::payload;

/// A post or term, and the version that the change is based on.
#[derive(InputObject)]
pub(super) struct ObjectVersionInput {
    /// The id of the object.
    id: ID,
    /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes.
    expected_version: i32,
}

impl From<ObjectVersionInput> for NamedVersion {
    fn from(input: ObjectVersionInput) -> Self {
        Self { id: input.id.0, version: input.expected_version }
    }
}

fn named(posts: Vec<ObjectVersionInput>) -> Vec<NamedVersion> {
    posts.into_iter().map(Into::into).collect()
}

/// Posts, and what changes of each of them. Null is the same as omitted.
#[derive(InputObject)]
pub(super) struct UpdatePostsInput {
    /// The posts: 1 to 100, each once.
    posts: Vec<ObjectVersionInput>,
    /// The slugs of tags that the posts get; at most 100.
    add_tag_slugs: Option<Vec<String>>,
    /// The slugs of existing tags that are taken away from those posts that have them, before others are added; at most 100.
    remove_tag_slugs: Option<Vec<String>>,
    /// The slugs of existing categories that the posts get; at most 100.
    add_category_slugs: Option<Vec<String>>,
    /// The slugs of existing categories that are taken away from those posts that have them, before others are added; at most 100.
    remove_category_slugs: Option<Vec<String>>,
    /// The slugs of all authors of each post, which must exist; at most 100. Empty: no authors.
    author_slugs: Option<Vec<String>>,
    /// Whether a slug in `addTagSlugs` that no tag has creates a tag, whose name is the slug. If false, such a slug is NOT_FOUND with suggestions.
    #[graphql(default)]
    create_missing_tags: bool,
    /// True publishes the posts: at `publishAt`, or now; published posts keep their time. False makes them drafts again.
    publish: Option<bool>,
    /// The publication time of all posts, in the past or in the future. With `publish: false` it is INVALID.
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
    /// The posts: 1 to 100, each once.
    posts: Vec<ObjectVersionInput>,
}

payload! {
    /// The changed posts, or the errors.
    pub(super) UpdatePostsPayload(posts: Vec<WholePost>) {
        /// The posts after the change, in the order of the input; null if nothing was changed.
        posts: Vec<PostObject> = posts.into_iter().map(Into::into).collect()
    }
}

payload! {
    /// The ids of the deleted posts, or the errors.
    pub(super) DeletePostsPayload(ids: Vec<PostId>) {
        /// The ids of the deleted posts, in the order of the input; null if nothing was deleted.
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

/// Declares the input and the payload of a merge.
macro_rules! merge {
    ($type:ident, $field:ident; $(#[$of_input:meta])* $input:ident; $(#[$of_payload:meta])* $payload:ident) => {
        $(#[$of_input])*
        #[derive(InputObject)]
        pub(super) struct $input {
            /// The object whose posts get the other one. It is deleted.
            from: ObjectVersionInput,
            /// The object that remains.
            into: ObjectVersionInput,
        }

        payload! {
            $(#[$of_payload])*
            pub(super) $payload(term: Term) {
                /// The object that remains; null if they were not merged.
                $field: $type = $type(Arc::new(term))
            }
        }
    };
}

merge! {
    Category, category;
    /// Two categories to merge.
    MergeCategoriesInput;
    /// The merged category, or the errors.
    MergeCategoriesPayload
}

merge! {
    Tag, tag;
    /// Two tags to merge.
    MergeTagsInput;
    /// The merged tag, or the errors.
    MergeTagsPayload
}

merge! {
    Author, author;
    /// Two authors to merge.
    MergeAuthorsInput;
    /// The merged author, or the errors.
    MergeAuthorsPayload
}

merge! {
    Series, series;
    /// Two series to merge.
    MergeSeriesInput;
    /// The merged series, or the errors.
    MergeSeriesPayload
}

#[derive(Default)]
pub(super) struct BulkMutation;

#[Object]
impl BulkMutation {
    /// Changes 1 to 100 posts: all of them, in one change, or none. Each post that changes gets a version and a revision. If one change cannot hold them,
    /// `userErrors` has TOO_LARGE (docs/writing.md). Requires the role AUTHOR for the posts of its own author, EDITOR for others.
    async fn update_posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The posts and their changes.")] input: UpdatePostsInput,
    ) -> Result<Option<UpdatePostsPayload>> {
        let (posts, changes) = input.into_parts();
        Ok(Some(editor(ctx, Role::Author)?.update_posts(&posts, &changes).await?.into()))
    }

    /// Deletes 1 to 100 posts permanently: all of them, in one change, or none. If one change cannot hold them, `userErrors` has TOO_LARGE. Requires the
    /// role AUTHOR for the posts of its own author, EDITOR for others.
    async fn delete_posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The posts.")] input: DeletePostsInput,
    ) -> Result<Option<DeletePostsPayload>> {
        Ok(Some(editor(ctx, Role::Author)?.delete_posts(&named(input.posts)).await?.into()))
    }

    /// Links posts, or pages, as translations of each other: they join the translations of the first of them that has some, and leave others that they had. Each
    /// that changes gets a version. A language that another of them has is TAKEN, and nothing is changed. Requires the role EDITOR.
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

    /// Merges a category into another: its posts get the other one, and its slugs find the other one. At most 1,000 posts and drafts; if one change cannot hold
    /// them, the posts are changed in groups first (docs/writing.md). A category below `from` is IN_USE. Requires the role ADMIN.
    async fn merge_categories(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The categories.")] input: MergeCategoriesInput,
    ) -> Result<Option<MergeCategoriesPayload>> {
        let (from, into) = (input.from.into(), input.into.into());
        Ok(Some(editor(ctx, Role::Admin)?.merge_terms(TermKind::Category, &from, &into).await?.into()))
    }

    /// Merges a tag into another: its posts get the other one, and its slugs find the other one. At most 1,000 posts and drafts; if one change cannot hold them,
    /// the posts are changed in groups first (docs/writing.md). Requires the role ADMIN.
    async fn merge_tags(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The tags.")] input: MergeTagsInput,
    ) -> Result<Option<MergeTagsPayload>> {
        let (from, into) = (input.from.into(), input.into.into());
        Ok(Some(editor(ctx, Role::Admin)?.merge_terms(TermKind::Tag, &from, &into).await?.into()))
    }

    /// Merges an author into another: its posts get the other one, and its slugs find the other one. Tokens of `from` have no author after it. At most 1,000
    /// posts and drafts; if one change cannot hold them, the posts are changed in groups first (docs/writing.md). Requires the role ADMIN.
    async fn merge_authors(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The authors.")] input: MergeAuthorsInput,
    ) -> Result<Option<MergeAuthorsPayload>> {
        let (from, into) = (input.from.into(), input.into.into());
        Ok(Some(editor(ctx, Role::Admin)?.merge_terms(TermKind::Author, &from, &into).await?.into()))
    }

    /// Merges a series into another, which keeps its order: its posts get the other one, and its slugs find the other one. At most 1,000 posts and drafts; if one
    /// change cannot hold them, the posts are changed in groups first (docs/writing.md). Requires the role EDITOR.
    async fn merge_series(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The series.")] input: MergeSeriesInput,
    ) -> Result<Option<MergeSeriesPayload>> {
        let (from, into) = (input.from.into(), input.into.into());
        Ok(Some(editor(ctx, Role::Editor)?.merge_terms(TermKind::Series, &from, &into).await?.into()))
    }
}
