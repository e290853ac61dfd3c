//! What mutations answer. The rule: either what was asked for stands, or `userErrors` says why not.

use async_graphql::{Enum, ID, SimpleObject};

use crate::content::commands;
use crate::graphql::types::post::PostObject;
use crate::graphql::types::term::{Author, Category, Tag};

/// A post as it stands after the change.
#[derive(SimpleObject)]
pub struct PostPayload {
    /// Null where the change was not made.
    pub post: Option<PostObject>,
    /// Why the change was not made; empty where it was.
    pub user_errors: Vec<UserError>,
}

/// A post that is gone.
#[derive(SimpleObject)]
pub struct DeletePostPayload {
    /// The id that the post had; null where it was not deleted.
    pub deleted_id: Option<ID>,
    /// Why the change was not made; empty where it was.
    pub user_errors: Vec<UserError>,
}

/// A category, tag or author that is gone.
#[derive(SimpleObject)]
pub struct DeleteTermPayload {
    /// The id that it had; null where it was not deleted.
    pub deleted_id: Option<ID>,
    /// Why the change was not made; empty where it was.
    pub user_errors: Vec<UserError>,
}

/// A category as it stands after the change.
#[derive(SimpleObject)]
pub struct CategoryPayload {
    /// Null where the change was not made.
    pub category: Option<Category>,
    /// Why the change was not made; empty where it was.
    pub user_errors: Vec<UserError>,
}

/// A tag as it stands after the change.
#[derive(SimpleObject)]
pub struct TagPayload {
    /// Null where the change was not made.
    pub tag: Option<Tag>,
    /// Why the change was not made; empty where it was.
    pub user_errors: Vec<UserError>,
}

/// An author as it stands after the change.
#[derive(SimpleObject)]
pub struct AuthorPayload {
    /// Null where the change was not made.
    pub author: Option<Author>,
    /// Why the change was not made; empty where it was.
    pub user_errors: Vec<UserError>,
}

/// What the caller can mend: the input named by `field` was not taken, and nothing changed.
#[derive(Debug, SimpleObject)]
pub struct UserError {
    /// What kind of fault it is.
    code: UserErrorCode,
    /// What was wrong, and what to do.
    message: String,
    /// The way to the input at fault: `["input", "slug"]`
    field: Option<Vec<String>>,
}

/// Kinds of faults that the caller can mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum UserErrorCode {
    /// The value cannot be taken as it is.
    Invalid,
    /// What it names is not there.
    NotFound,
    /// What it names belongs to another.
    Taken,
    /// The post has moved on since it was read.
    Conflict,
    /// The value is over a limit.
    TooLarge,
    /// Others need it.
    InUse,
}

pub fn user_errors(errors: Vec<commands::UserError>) -> Vec<UserError> {
    errors.into_iter().map(UserError::from).collect()
}

impl From<commands::UserError> for UserError {
    fn from(error: commands::UserError) -> Self {
        let field = error.field.map(|name| vec!["input".to_owned(), name.to_owned()]);
        let code = match error.code {
            commands::UserErrorCode::Invalid => UserErrorCode::Invalid,
            commands::UserErrorCode::NotFound => UserErrorCode::NotFound,
            commands::UserErrorCode::Taken => UserErrorCode::Taken,
            commands::UserErrorCode::Conflict => UserErrorCode::Conflict,
            commands::UserErrorCode::TooLarge => UserErrorCode::TooLarge,
            commands::UserErrorCode::InUse => UserErrorCode::InUse,
        };
        Self { code, message: error.message, field }
    }
}
