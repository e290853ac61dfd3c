//! The payloads of the mutations of posts, and of deletions. The rule: either the change was made, or `userErrors` has the reasons.

use async_graphql::{ID, Interface, SimpleObject};

use crate::content::commands::Edited;
use crate::content::editor::Restored;
use crate::graphql::types::page::PageObject;
use crate::graphql::types::post::PostObject;
use crate::model::{NodeId, WholePost};

use super::user_errors::{UserErrors, payload, user_errors};

/// The answer of a mutation that changes a post.
#[derive(Interface)]
#[graphql(
    field(name = "post", ty = "&Option<PostObject>", desc = "Null if `userErrors` is not empty."),
    field(name = "user_errors", ty = "&UserErrors", desc = "Why nothing was changed; empty on success.")
)]
pub(in crate::graphql) enum PostPayload {
    Create(CreatePostPayload),
    Update(UpdatePostPayload),
    Publish(PublishPostPayload),
    Unpublish(UnpublishPostPayload),
    Restore(RestoreRevisionPayload),
}

/// Declares a payload of a mutation that changes a post.
macro_rules! post_payload {
    ($(#[$doc:meta])* $name:ident) => {
        payload! {
            $(#[$doc])*
            pub(in crate::graphql) $name(whole: WholePost) {
                /// Null if `userErrors` is not empty.
                post: PostObject = whole.into()
            }
        }
    };
}

post_payload! {
    /// The created post, or the errors.
    CreatePostPayload
}

post_payload! {
    /// The changed post, or the errors.
    UpdatePostPayload
}

post_payload! {
    /// The published or scheduled post, or the errors.
    PublishPostPayload
}

post_payload! {
    /// The post, which is a draft now, or the errors.
    UnpublishPostPayload
}

/// The post or page with the restored text, or the errors.
#[derive(SimpleObject)]
pub(in crate::graphql) struct RestoreRevisionPayload {
    /// Null if the version is one of a page, and if `userErrors` is not empty.
    post: Option<PostObject>,
    /// Null if the version is one of a post, and if `userErrors` is not empty.
    pub(super) page: Option<PageObject>,
    /// Why nothing was changed; empty on success.
    pub(super) user_errors: UserErrors,
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
        /// Null if `userErrors` is not empty. The id is never given again.
        deleted_id: ID = id.to_string().into()
    }
}
