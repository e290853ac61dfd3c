//! The inputs and payloads of the mutations of preview links. The rule: only the answer that creates a link contains it; the server stores
//! no links.

use async_graphql::{ID, InputObject, SimpleObject};

use crate::content::access::{PREVIEW_MINUTES_DEFAULT, Preview};
use crate::graphql::scalars::DateTime;

use super::user_errors::{UserErrors, payload};

/// What to preview, and how long.
#[derive(InputObject)]
pub(super) struct CreatePreviewInput {
    /// The id of the post or page.
    content_id: ID,
    /// 1 to 43,200 (30 days); 1,440 (one day) if omitted or null.
    expires_in_minutes: Option<i32>,
}

impl CreatePreviewInput {
    pub(super) fn into_parts(self) -> (String, i32) {
        (self.content_id.0, self.expires_in_minutes.unwrap_or(PREVIEW_MINUTES_DEFAULT))
    }
}

/// Access to one post or page as it is, a draft too, for anyone who has the token.
#[derive(SimpleObject)]
pub(super) struct PreviewLink {
    /// The secret. As `Authorization: Bearer` it lets the queries of the site show this one post or page, and nothing else; `preview(token:)` takes it too. The
    /// site adds it to an address of its own.
    token: String,
    /// When the access ends.
    expires_at: DateTime,
}

payload! {
    /// The preview link, or the errors.
    pub(super) CreatePreviewPayload(preview: Preview) {
        /// Null on failure.
        preview: PreviewLink = PreviewLink { token: preview.text, expires_at: DateTime(preview.expires_at) }
    }
}

/// The result of revoking all preview links.
#[derive(SimpleObject)]
pub(super) struct RevokePreviewsPayload {
    /// Links that were created before this time are revoked. Null on failure.
    pub revoked_at: Option<DateTime>,
    /// Empty on success.
    pub user_errors: UserErrors,
}
