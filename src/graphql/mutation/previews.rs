//! Mutations of preview links: their inputs and what they answer. The rule: a link is in one answer; the server keeps none.

use async_graphql::{ID, InputObject, SimpleObject};

use super::payloads::{UserError, user_errors};
use crate::content::editor::Edited;
use crate::content::tokens::preview::{MINUTES_DEFAULT, Preview};
use crate::graphql::scalars::DateTime;

/// Which post, and for how long.
#[derive(InputObject)]
pub struct CreatePreviewInput {
    /// The post's id.
    id: ID,
    /// How long the link is good: 1 to 43,200 (30 days); 1,440 (a day) where it is left out.
    expires_in_minutes: Option<i32>,
}

impl CreatePreviewInput {
    pub fn into_parts(self) -> (String, i32) {
        (self.id.0, self.expires_in_minutes.unwrap_or(MINUTES_DEFAULT))
    }
}

/// A preview link: whoever has its token sees the post by `preview`, as it is then, until the link expires.
#[derive(SimpleObject)]
pub struct CreatePreviewPayload {
    /// For `preview(token:)`; null where none was made.
    token: Option<String>,
    /// From when on it shows nothing; null where none was made.
    expires_at: Option<DateTime>,
    /// Why none was made; empty where one was.
    user_errors: Vec<UserError>,
}

impl From<Edited<Preview>> for CreatePreviewPayload {
    fn from(made: Edited<Preview>) -> Self {
        match made {
            Ok(Preview { text, expires_at }) => {
                Self { token: Some(text), expires_at: Some(DateTime(expires_at)), user_errors: Vec::new() }
            }
            Err(errors) => Self { token: None, expires_at: None, user_errors: user_errors(errors) },
        }
    }
}

/// That every preview link given so far shows nothing any more.
#[derive(SimpleObject)]
pub struct RevokePreviewsPayload {
    /// Links from before this instant are ended.
    pub revoked_at: DateTime,
    /// Always empty: there is nothing that a caller could mend.
    pub user_errors: Vec<UserError>,
}
