//! The payloads of the mutations of posts. The rule: either the change was made, or `userErrors` has the reasons.

use async_graphql::{ID, Interface, SimpleObject};

use crate::content::commands::Edited;
use crate::graphql::types::post::PostObject;
use crate::model::{NodeId, PostId, WholePost};

use super::user_errors::{UserErrors, user_errors};

/// The answer of a mutation that changes a post, for fragments that all of them share.
#[derive(Interface)]
#[graphql(
    field(
        name = "post",
        ty = "&Option<PostObject>",
        desc = "The post after the change; null if the change was not made."
    ),
    field(
        name = "user_errors",
        ty = "&UserErrors",
        desc = "The reasons why nothing was changed, all of them; empty if the change was made."
    )
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
        $(#[$doc])*
        #[derive(SimpleObject)]
        pub(in crate::graphql) struct $name {
            /// The post after the change; null if the change was not made.
            post: Option<PostObject>,
            /// The reasons why nothing was changed, all of them; empty if the change was made.
            user_errors: UserErrors,
        }

        impl From<Edited<WholePost>> for $name {
            fn from(edited: Edited<WholePost>) -> Self {
                match edited {
                    Ok(whole) => Self { post: Some(whole.into()), user_errors: Vec::new() },
                    Err(errors) => Self { post: None, user_errors: user_errors(errors) },
                }
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

post_payload! {
    /// The post with the restored text and terms, or the errors.
    RestoreRevisionPayload
}

/// The id of the deleted post, or the errors.
#[derive(SimpleObject)]
pub(super) struct DeletePostPayload {
    /// The id of the deleted post; null if it was not deleted. The id is never given again.
    deleted_id: Option<ID>,
    /// The reasons why nothing was changed, all of them; empty if the change was made.
    user_errors: UserErrors,
}

impl From<Edited<PostId>> for DeletePostPayload {
    fn from(deleted: Edited<PostId>) -> Self {
        match deleted {
            Ok(id) => Self { deleted_id: Some(NodeId::Post(id).to_string().into()), user_errors: Vec::new() },
            Err(errors) => Self { deleted_id: None, user_errors: user_errors(errors) },
        }
    }
}
