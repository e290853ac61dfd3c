//! The mutations of categories, tags, authors and series. The rule: a creation changes nothing that exists; a
//! change names the object by its id and the version on which it is based.

use std::sync::Arc;

use async_graphql::{Context, ID, InputObject, MaybeUndefined, Object};

use crate::content::commands::{NamedPicture, Patch};
use crate::content::editor::{NamedParent, TermChanges};
use crate::graphql::access::editor;
use crate::graphql::failure::Result;
use crate::graphql::types::term::{Author, Category, Series, Tag};
use crate::model::{NodeId, ProfileLink, Role, Term, TermKind};

use super::inputs::{DeleteInput, ObjectVersionInput, patch};
use super::payloads::DeletePayload;
use super::user_errors::payload;

/// A page elsewhere about or by an author.
#[derive(InputObject)]
pub(super) struct AuthorLinkInput {
    /// The text of the link, such as "Mastodon": 1 to 100 characters, not only spaces.
    title: String,
    /// An absolute URL with `http` or `https`, at most 500 characters.
    url: String,
}

fn profile_links(links: Vec<AuthorLinkInput>) -> Vec<ProfileLink> {
    links
        .into_iter()
        .map(|AuthorLinkInput { title, url }| ProfileLink { title: title.trim().to_owned(), url })
        .collect()
}

/// Declares the mutations of one kind with their inputs and payloads. The fields of the kind come after the description: those of a creation, and those of a
/// change. `to`: the field of the change in `content`, and the conversion of the value.
macro_rules! term_mutations {
    (
        $type:ident($field:ident, $noun:literal, $a_noun:literal) with $role:ident($role_name:literal) as $mutation:ident
        $create_field:ident($of_created:tt): $create:ident -> $created:ident {
            $($(#[$of_new:meta])* $new:ident: $new_type:ty, to $new_to:ident by $new_by:expr;)*
        }
        $update_field:ident($of_updated:tt$(, $and_changes:literal)?): $update:ident -> $updated:ident {
            $($(#[$of_change:meta])* $change:ident: $change_type:ty, to $change_to:ident by $change_by:expr;)*
        }
        $delete_field:ident$((and $but:literal))?
        $(#[$of_merge:meta])*
        $merge_field:ident($of_merging:tt): $merge:ident($plural:literal) -> $merged:ident as $merger:ident
    ) => {
        #[derive(Default)]
        pub(super) struct $mutation;

        #[Object]
        impl $mutation {
            #[doc = concat!("Creates ", $a_noun, ". Requires the role ", $role_name, ".")]
            async fn $create_field(
                &self,
                ctx: &Context<'_>,
                #[graphql(desc = $of_created)] input: $create,
            ) -> Result<Option<$created>> {
                Ok(Some(editor(ctx, Role::$role)?.create_term(TermKind::$type, input.into()).await?.into()))
            }

            #[doc = concat!("Changes ", $a_noun, $($and_changes,)? ". Requires the role ", $role_name, ".")]
            async fn $update_field(
                &self,
                ctx: &Context<'_>,
                #[graphql(desc = $of_updated)] input: $update,
            ) -> Result<Option<$updated>> {
                let (id, version, changes) = input.into_parts();
                Ok(Some(editor(ctx, Role::$role)?.update_term(TermKind::$type, &id, version, changes).await?.into()))
            }

            #[doc = concat!(
                "Deletes ",
                $a_noun,
                " that no post or draft has",
                $($but,)?
                ". Its slugs can be used again. Requires the role ",
                $role_name,
                "."
            )]
            async fn $delete_field(
                &self,
                ctx: &Context<'_>,
                #[graphql(desc = $of_created)] input: DeleteInput,
            ) -> Result<Option<DeletePayload>> {
                let DeleteInput { id, expected_version } = input;
                let deleted = editor(ctx, Role::$role)?.delete_term(TermKind::$type, &id, expected_version).await?;
                Ok(Some(deleted.map(NodeId::Term).into()))
            }
        }

        #[derive(Default)]
        pub(super) struct $merger;

        #[Object]
        impl $merger {
            $(#[$of_merge])*
            async fn $merge_field(
                &self,
                ctx: &Context<'_>,
                #[graphql(desc = $of_merging)] input: $merge,
            ) -> Result<Option<$merged>> {
                let (from, into) = (input.from.into(), input.into.into());
                Ok(Some(editor(ctx, Role::$role)?.merge_terms(TermKind::$type, &from, &into).await?.into()))
            }
        }

        #[doc = concat!("A new ", $noun, ". Null is the same as omitted.")]
        #[derive(InputObject)]
        pub(super) struct $create {
            /// 1 to 500 characters, not only spaces.
            name: String,
            #[doc = concat!(
                "At most 200 of a-z, 0-9, `.`, `_` and `-`; generated from the name if omitted. One that another ",
                $noun,
                " has or has had is TAKEN."
            )]
            slug: Option<String>,
            /// Plain text of at most 5,000 characters.
            description: Option<String>,
            $($(#[$of_new])* $new: Option<$new_type>,)*
            /// The same input sent again returns what was created. At most 255 printable ASCII characters.
            idempotency_key: Option<String>,
        }

        impl From<$create> for TermChanges {
            fn from(input: $create) -> Self {
                Self {
                    name: Patch::Set(input.name),
                    slug: input.slug.into(),
                    description: input.description.into(),
                    idempotency_key: input.idempotency_key,
                    $($new_to: input.$new.map($new_by).into(),)*
                    ..Self::default()
                }
            }
        }

        #[doc = concat!(
            "Changes to ",
            $a_noun,
            ". An omitted field is unchanged; null clears it or, where it cannot be empty, is INVALID."
        )]
        #[derive(InputObject)]
        pub(super) struct $update {
            #[doc = concat!("The id of the ", $noun, ".")]
            id: ID,
            /// The current `version`; for another one, a ConflictError.
            expected_version: i32,
            #[doc = concat!("A new slug; the old one still finds the ", $noun, ".")]
            slug: MaybeUndefined<String>,
            /// 1 to 500 characters, not only spaces.
            name: MaybeUndefined<String>,
            /// Plain text of at most 5,000 characters.
            description: MaybeUndefined<String>,
            $($(#[$of_change])* $change: MaybeUndefined<$change_type>,)*
        }

        impl $update {
            pub(super) fn into_parts(self) -> (String, i32, TermChanges) {
                let changes = TermChanges {
                    name: patch(self.name),
                    description: patch(self.description),
                    slug: patch(self.slug),
                    $($change_to: patch(self.$change).map($change_by),)*
                    ..TermChanges::default()
                };
                (self.id.0, self.expected_version, changes)
            }
        }

        #[doc = concat!("Two ", $plural, " to merge.")]
        #[derive(InputObject)]
        pub(super) struct $merge {
            /// Its posts get the other one; then it is deleted.
            from: ObjectVersionInput,
            /// The object that remains.
            into: ObjectVersionInput,
        }

        payload! {
            #[doc = concat!("The created ", $noun, ", or the errors.")]
            pub(super) $created(term: Term) {
                /// Null on failure.
                $field: $type = $type(Arc::new(term))
            }
        }

        payload! {
            #[doc = concat!("The changed ", $noun, ", or the errors.")]
            pub(super) $updated(term: Term) {
                /// Null on failure.
                $field: $type = $type(Arc::new(term))
            }
        }

        payload! {
            #[doc = concat!("The merged ", $noun, ", or the errors.")]
            pub(super) $merged(term: Term) {
                /// The object that remains. Null on failure.
                $field: $type = $type(Arc::new(term))
            }
        }
    };
}

term_mutations! {
    Category(category, "category", "a category") with Admin("ADMIN") as CategoryMutation
    create_category("The category."): CreateCategoryInput -> CreateCategoryPayload {
        /// The id of the category above this one. At most 10 levels, and 1,000 categories with a parent.
        parent_id: ID, to parent by |id| NamedParent::from(id.0);
    }
    update_category("The category and its changes."): UpdateCategoryInput -> UpdateCategoryPayload {
        /// The id of the category above this one; those below move with it. It must not be this one or below it. At most 10 levels, and 1,000 categories with a
        /// parent.
        parent_id: ID, to parent by |id| NamedParent::from(id.0);
    }
    delete_category(and " and that has none below it")
    /// Merges a category into another, which gets its posts and slugs; at most 1,000 posts and drafts (docs/writing.md). A category below `from` is IN_USE.
    /// Requires the role ADMIN.
    merge_categories("The categories."): MergeCategoriesInput("categories") -> MergeCategoriesPayload as CategoryMerge
}

term_mutations! {
    Tag(tag, "tag", "a tag") with Admin("ADMIN") as TagMutation
    create_tag("The tag."): CreateTagInput -> CreateTagPayload {}
    update_tag("The tag and its changes."): UpdateTagInput -> UpdateTagPayload {}
    delete_tag
    /// Merges a tag into another, which gets its posts and slugs; at most 1,000 posts and drafts (docs/writing.md). Requires the role ADMIN.
    merge_tags("The tags."): MergeTagsInput("tags") -> MergeTagsPayload as TagMerge
}

term_mutations! {
    Author(author, "author", "an author") with Admin("ADMIN") as AuthorMutation
    create_author("The author."): CreateAuthorInput -> CreateAuthorPayload {
        /// The author's own web page: an absolute URL with `http` or `https`, at most 2,000 characters.
        url: String, to url by |url| url;
        /// The id of an `Image`.
        avatar_id: ID, to avatar by |id| NamedPicture::from(id.0);
        /// What the author does, such as "Editor": plain text of at most 200 characters.
        job_title: String, to job_title by |title| title;
        /// At most 10 pages elsewhere about or by the author.
        links: Vec<AuthorLinkInput>, to links by profile_links;
    }
    update_author("The author and its changes."): UpdateAuthorInput -> UpdateAuthorPayload {
        /// The author's own web page: an absolute URL with `http` or `https`, at most 2,000 characters.
        url: String, to url by |url| url;
        /// The id of an `Image`.
        avatar_id: ID, to avatar by |id| NamedPicture::from(id.0);
        /// What the author does, such as "Editor": plain text of at most 200 characters.
        job_title: String, to job_title by |title| title;
        /// All pages elsewhere about or by the author; at most 10.
        links: Vec<AuthorLinkInput>, to links by profile_links;
    }
    delete_author
    /// Merges an author into another, which gets its posts and slugs; at most 1,000 posts and drafts (docs/writing.md). Tokens of `from` lose their author.
    /// Requires the role ADMIN.
    merge_authors("The authors."): MergeAuthorsInput("authors") -> MergeAuthorsPayload as AuthorMerge
}

term_mutations! {
    Series(series, "series", "a series") with Editor("EDITOR") as SeriesMutation
    create_series("The series."): CreateSeriesInput -> CreateSeriesPayload {}
    update_series("The series and its changes.", ", also the order of its posts"): UpdateSeriesInput -> UpdateSeriesPayload {
        /// The posts that come first, in this order: all of them, each once, at most 500; the others follow, the earliest first. Posts that are not in the series
        /// have no effect until they join it.
        ordered_post_ids: Vec<ID>, to order by |ids| ids.into_iter().map(|id| id.0).collect();
    }
    delete_series
    /// Merges a series into another, which gets its posts and slugs but keeps its order; at most 1,000 posts and drafts (docs/writing.md). Requires the role
    /// EDITOR.
    merge_series("The series."): MergeSeriesInput("series") -> MergeSeriesPayload as SeriesMerge
}
