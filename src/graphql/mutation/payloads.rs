//! The payloads of the mutations of posts and pages, and of deletions. The rule: either the change was made, or `userErrors` has the reasons.

use async_graphql::{ID, Interface, SimpleObject};

use crate::content::commands::Edited;
use crate::content::editor::Restored;
use crate::graphql::types::page::PageObject;
use crate::graphql::types::post::PostObject;
use crate::model::{NodeId, WholePost, WholeSitePage};

use super::user_errors::{UserErrors, payload, user_errors};

/// Declares the payloads of the mutations that create, change, publish and unpublish one kind of content, and their interface.
macro_rules! content_payloads {
    (
        $noun:tt, $field:ident: $object:ident = $optional:tt of $whole:ty;
        $interface:ident: $create:ident, $update:ident, $publish:ident, $unpublish:ident
    ) => {
        #[doc = concat!("The answer of a mutation that changes a ", $noun, ".")]
        #[derive(Interface)]
        #[graphql(
            field(name = $noun, ty = $optional, desc = "Null on failure."),
            field(name = "user_errors", ty = "&UserErrors", desc = "Empty on success.")
        )]
        pub(in crate::graphql) enum $interface {
            Create($create),
            Update($update),
            Publish($publish),
            Unpublish($unpublish),
            Restore(RestoreRevisionPayload),
        }

        content_payloads! { @each $field: $object of $whole;
            #[doc = concat!("The created ", $noun, ", or the errors.")]
            $create
            #[doc = concat!("The changed ", $noun, ", or the errors.")]
            $update
            #[doc = concat!("The published or scheduled ", $noun, ", or the errors.")]
            $publish
            #[doc = concat!("The ", $noun, ", which is a draft now, or the errors.")]
            $unpublish
        }
    };
    (@each $field:ident: $object:ident of $whole:ty; $($(#[$doc:meta])* $name:ident)*) => {
        $(payload! {
            $(#[$doc])*
            pub(in crate::graphql) $name(whole: $whole) {
                /// Null on failure.
                $field: $object = whole.into()
            }
        })*
    };
}

content_payloads! {
    "post", post: PostObject = "&Option<PostObject>" of WholePost;
    PostPayload: CreatePostPayload, UpdatePostPayload, PublishPostPayload, UnpublishPostPayload
}

content_payloads! {
    "page", page: PageObject = "&Option<PageObject>" of WholeSitePage;
    PagePayload: CreatePagePayload, UpdatePagePayload, PublishPagePayload, UnpublishPagePayload
}

/// The post or page with the restored text, or the errors.
#[derive(SimpleObject)]
pub(in crate::graphql) struct RestoreRevisionPayload {
    /// Null if the version is one of a page, and if `userErrors` is not empty.
    post: Option<PostObject>,
    /// Null if the version is one of a post, and if `userErrors` is not empty.
    page: Option<PageObject>,
    /// Empty on success.
    user_errors: UserErrors,
}

impl From<Edited<Restored>> for RestoreRevisionPayload {
    fn from(edited: Edited<Restored>) -> Self {
        let none = Self { post: None, page: None, user_errors: Vec::new() };
        match edited {
            Ok(Restored::Post(whole)) => Self { post: Some(whole.into()), ..none },
            Ok(Restored::Page(whole)) => Self { page: Some(whole.into()), ..none },
            Err(errors) => Self { user_errors: user_errors(errors), ..none },
        }
    }
}

payload! {
    /// The deleted id, or the errors.
    pub(super) DeletePayload(id: NodeId) {
        /// Null on failure. The id is never given again.
        deleted_id: ID = id.to_string().into()
    }
}
