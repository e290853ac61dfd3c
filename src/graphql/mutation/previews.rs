//! The inputs and answers of the mutations of preview links. The rule: only the answer that creates a link contains it; the server stores no links.

use async_graphql::{ID, InputObject, SimpleObject};

use crate::content::access::{PREVIEW_MINUTES_DEFAULT, Preview};
use crate::content::commands::Edited;
use crate::graphql::scalars::DateTime;

use super::payloads::{UserError, user_errors};

/// The post to preview and the lifetime of the link.
#[derive(InputObject)]
pub(super) struct CreatePreviewInput {
    /// The id of the post.
    id: ID,
    /// The lifetime of the link in minutes: 1 to 43,200 (30 days); 1,440 (one day) if omitted.
    expires_in_minutes: Option<i32>,
}

impl CreatePreviewInput {
    pub(super) fn into_parts(self) -> (String, i32) {
        (self.id.0, self.expires_in_minutes.unwrap_or(PREVIEW_MINUTES_DEFAULT))
    }
}

/// A preview link: until it expires, anyone with its token can read the post by `preview`, in its current state.
#[derive(SimpleObject)]
pub(super) struct CreatePreviewPayload {
    /// The token for `preview(token:)`; null if no link was created.
    token: Option<String>,
    /// When the link expires; null if no link was created.
    expires_at: Option<DateTime>,
    /// The reasons why no link was created; empty if one was created.
    user_errors: Vec<UserError>,
}

impl From<Edited<Preview>> for CreatePreviewPayload {
    fn from(created: Edited<Preview>) -> Self {
        match created {
            Ok(Preview { text, expires_at }) => {
                Self { token: Some(text), expires_at: Some(DateTime(expires_at)), user_errors: Vec::new() }
            }
            Err(errors) => Self { token: None, expires_at: None, user_errors: user_errors(errors) },
        }
    }
}

/// The result of revoking all preview links.
#[derive(SimpleObject)]
pub(super) struct RevokePreviewsPayload {
    /// Links created before this time are revoked.
    pub revoked_at: DateTime,
    /// Always empty, because the mutation has no input.
    pub user_errors: Vec<UserError>,
}
