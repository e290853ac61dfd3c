//! The inputs and payloads of the mutations of preview links. The rule: only the answer that creates a link contains it; the server stores
//! no links.

use async_graphql::{ID, InputObject, SimpleObject};

use crate::content::access::{PREVIEW_MINUTES_DEFAULT, Preview};
use crate::graphql::scalars::DateTime;

use super::user_errors::{UserErrors, payload};

/// The post or page to preview and the lifetime of the link.
#[derive(InputObject)]
pub(super) struct CreatePreviewInput {
    /// The id of the post or page.
    content_id: ID,
    /// The lifetime in minutes: 1 to 43,200 (30 days); 1,440 (one day) if omitted or null.
    expires_in_minutes: Option<i32>,
}

impl CreatePreviewInput {
    pub(super) fn into_parts(self) -> (String, i32) {
        (self.content_id.0, self.expires_in_minutes.unwrap_or(PREVIEW_MINUTES_DEFAULT))
    }
}

/// Access to one post or page as it is, a draft too, until a time. Anyone who has the token has the access.
#[derive(SimpleObject)]
pub(super) struct PreviewLink {
    /// The secret: send it as `Authorization: Bearer`, and the queries that the site uses show this one post or page even if it is not published; nothing else
    /// becomes visible, and a field that needs a role is UNAUTHENTICATED. `preview(token:)` takes it too. The server does not know the addresses of
    /// the site: the site adds the token to an address of its own.
    token: String,
    /// When the access ends.
    expires_at: DateTime,
}

payload! {
    /// The preview link, or the errors.
    pub(super) CreatePreviewPayload(preview: Preview) {
        /// The preview link; null if none was created.
        preview: PreviewLink = PreviewLink { token: preview.text, expires_at: DateTime(preview.expires_at) }
    }
}

/// The result of revoking all preview links.
#[derive(SimpleObject)]
pub(super) struct RevokePreviewsPayload {
    /// Links that were created before this time are revoked; null if they were not.
    pub revoked_at: Option<DateTime>,
    /// The reasons why nothing was changed, all of them; empty if the change was made.
    pub user_errors: UserErrors,
}
