//! The answers of mutations. The rule: either the change was made, or `userErrors` says why not.

use async_graphql::{Enum, ID, SimpleObject};

use crate::content::commands;
use crate::graphql::types::post::PostObject;
use crate::graphql::types::term::{Author, Category, Tag};

/// The changed post, or the errors.
#[derive(SimpleObject)]
pub(super) struct PostPayload {
    /// The post after the change; null if the change was not made.
    pub post: Option<PostObject>,
    /// The reasons why the change was not made; empty if it was made.
    pub user_errors: Vec<UserError>,
}

/// The id of the deleted post, or the errors.
#[derive(SimpleObject)]
pub(super) struct DeletePostPayload {
    /// The id of the deleted post; null if the post was not deleted.
    pub deleted_id: Option<ID>,
    /// The reasons why the change was not made; empty if it was made.
    pub user_errors: Vec<UserError>,
}

/// The id of the deleted category, tag or author, or the errors.
#[derive(SimpleObject)]
pub(super) struct DeleteTermPayload {
    /// The id of the deleted object; null if the object was not deleted.
    pub deleted_id: Option<ID>,
    /// The reasons why the change was not made; empty if it was made.
    pub user_errors: Vec<UserError>,
}

/// The saved category, or the errors.
#[derive(SimpleObject)]
pub(super) struct CategoryPayload {
    /// The category after the change; null if the change was not made.
    pub category: Option<Category>,
    /// The reasons why the change was not made; empty if it was made.
    pub user_errors: Vec<UserError>,
}

/// The saved tag, or the errors.
#[derive(SimpleObject)]
pub(super) struct TagPayload {
    /// The tag after the change; null if the change was not made.
    pub tag: Option<Tag>,
    /// The reasons why the change was not made; empty if it was made.
    pub user_errors: Vec<UserError>,
}

/// The saved author, or the errors.
#[derive(SimpleObject)]
pub(super) struct AuthorPayload {
    /// The author after the change; null if the change was not made.
    pub author: Option<Author>,
    /// The reasons why the change was not made; empty if it was made.
    pub user_errors: Vec<UserError>,
}

/// A problem that the client can fix: the input named by `field` was rejected, and nothing changed.
#[derive(Debug, SimpleObject)]
pub(super) struct UserError {
    /// The kind of problem.
    code: UserErrorCode,
    /// What is wrong, and what to do.
    message: String,
    /// The path of the rejected input, such as `["input", "slug"]`; null if the problem has no single input.
    field: Option<Vec<String>>,
}

/// The kinds of problems that the client can fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum UserErrorCode {
    /// The value is invalid.
    Invalid,
    /// The object that the value names does not exist.
    NotFound,
    /// Another object already has this slug or name.
    Taken,
    /// The object was changed since it was read, or another change of it is in progress.
    Conflict,
    /// The value exceeds a limit.
    TooLarge,
    /// Posts or drafts still use the object.
    InUse,
}

pub(super) fn user_errors(errors: Vec<commands::UserError>) -> Vec<UserError> {
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
