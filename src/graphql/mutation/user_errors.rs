//! The problems of a mutation that the client can fix. The rule: a kind with more data than a message has its own type, and all have the fields of the
//! interface `UserError`.

use std::sync::Arc;

use async_graphql::{Enum, Interface, SimpleObject};

use crate::content::commands::{self, Current, Problem};
use crate::graphql::engine::interface_value::InterfaceValue;
use crate::graphql::types::asset::Asset;
use crate::graphql::types::node::{Node, node_of_asset, node_of_term};

pub(super) type UserErrors = Vec<InterfaceValue<UserError>>;

/// A problem that a person can correct; nothing was changed.
#[expect(clippy::large_enum_variant, reason = "a mutation makes few of them, and passes them on at once")]
#[derive(Interface)]
#[graphql(
    field(name = "code", ty = "&UserErrorCode", desc = "The kind of problem."),
    field(name = "message", ty = "&String", desc = "What is wrong and what to do, for a person; decide by `code`."),
    field(
        name = "field",
        ty = "&Option<Vec<String>>",
        desc = "The path of the rejected input, such as `[\"input\", \"slug\"]`; null if no single one is wrong."
    )
)]
pub(super) enum UserError {
    Input(InputError),
    NotFound(NotFoundError),
    Conflict(ConflictError),
    InUse(InUseError),
}

/// Declares a type of user errors, with the fields of the interface in front of its own.
macro_rules! user_error {
    ($(#[$doc:meta])* $name:ident { $($own:tt)* }) => {
        $(#[$doc])*
        #[derive(SimpleObject)]
        pub(super) struct $name {
            /// The kind of problem.
            code: UserErrorCode,
            /// What is wrong and what to do, for a person; decide by `code`.
            message: String,
            /// The path of the rejected input, such as `["input", "slug"]`; null if no single one is wrong.
            field: Option<Vec<String>>,
            $($own)*
        }
    };
}

user_error! {
    /// INVALID, TAKEN, TOO_LARGE or KEY_REUSED.
    InputError {}
}

user_error! {
    /// NOT_FOUND: the object does not exist, or you have no access to it.
    NotFoundError {
        /// The slug in the input that no object has; null if the object is not named by a slug.
        slug: Option<String>,
        /// At most 3 existing slugs that were probably meant, the most similar first; of categories, tags, authors and series only.
        suggestions: Vec<String>,
    }
}

user_error! {
    /// CONFLICT: the object was changed since `expectedVersion`, which `field` ends with. Show it for the whole form.
    ConflictError {
        /// The object as it is now. To overwrite it after the person has decided, repeat the mutation with its `version`.
        current: InterfaceValue<Node>,
    }
}

user_error! {
    /// IN_USE: posts or drafts have the object, or pages or categories are below it.
    InUseError {
        /// The number of pages or categories directly below the object; if there are none, of posts that have it, with scheduled posts and drafts.
        used_by_count: i32,
    }
}

/// A kind of problem; `errors` has other codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum UserErrorCode {
    /// The value is invalid, or null where null is not allowed.
    Invalid,
    /// The object does not exist, or you have no access to it.
    NotFound,
    /// Another object has this slug, path or name, or is still found by this slug; or another translation has this language.
    Taken,
    /// The object was changed since `expectedVersion`: show both states and let the person decide.
    Conflict,
    /// The value exceeds a limit.
    TooLarge,
    /// Posts or drafts have the object, or pages or categories are below it.
    InUse,
    /// The idempotency key was used for another input, or what was created with it was deleted or is not accessible to you: use a new key.
    KeyReused,
}

impl From<&Problem> for UserErrorCode {
    fn from(problem: &Problem) -> Self {
        match problem {
            Problem::Invalid => Self::Invalid,
            Problem::NotFound { .. } => Self::NotFound,
            Problem::Taken => Self::Taken,
            Problem::Conflict(_) => Self::Conflict,
            Problem::TooLarge => Self::TooLarge,
            Problem::InUse { .. } => Self::InUse,
            Problem::KeyReused => Self::KeyReused,
        }
    }
}

pub(super) fn user_errors(errors: Vec<commands::UserError>) -> UserErrors {
    errors.into_iter().map(|error| InterfaceValue(error.into())).collect()
}

/// Declares the payload of a mutation, and converts the result of the change: the field is null if there are errors.
macro_rules! payload {
    (
        $(#[$doc:meta])*
        $visibility:vis $name:ident($changed:ident: $result:ty) {
            $(#[$of_field:meta])*
            $field:ident: $type:ty = $value:expr
        }
    ) => {
        $(#[$doc])*
        #[derive(async_graphql::SimpleObject)]
        $visibility struct $name {
            $(#[$of_field])*
            $field: Option<$type>,
            /// Empty on success.
            user_errors: $crate::graphql::mutation::user_errors::UserErrors,
        }

        impl From<$crate::content::commands::Edited<$result>> for $name {
            fn from(edited: $crate::content::commands::Edited<$result>) -> Self {
                match edited {
                    Ok($changed) => Self { $field: Some($value), user_errors: Vec::new() },
                    Err(errors) => Self {
                        $field: None,
                        user_errors: $crate::graphql::mutation::user_errors::user_errors(errors),
                    },
                }
            }
        }
    };
}
pub(super) use payload;

impl From<commands::UserError> for UserError {
    fn from(error: commands::UserError) -> Self {
        let path = |name: &str| ["input", name].map(str::to_owned).into_iter().chain(error.inside.clone()).collect();
        let field = error.field.map(path);
        let (code, message) = ((&error.problem).into(), error.message);
        match error.problem {
            Problem::Invalid | Problem::Taken | Problem::TooLarge | Problem::KeyReused => {
                Self::Input(InputError { code, message, field })
            }
            Problem::NotFound { slug, suggestions } => {
                let suggestions = suggestions.iter().map(ToString::to_string).collect();
                let slug = slug.as_ref().map(ToString::to_string);
                Self::NotFound(NotFoundError { code, message, field, slug, suggestions })
            }
            Problem::Conflict(current) => {
                let current = match *current {
                    Current::Post(whole) => Node::Post(whole.into()),
                    Current::Page(whole) => Node::Page(whole.into()),
                    Current::Term(term) => node_of_term(Arc::new(term)),
                    Current::Asset(asset) => node_of_asset(Asset::of(asset)),
                };
                Self::Conflict(ConflictError { code, message, field, current: InterfaceValue(current) })
            }
            Problem::InUse { used_by } => {
                let used_by_count = i32::try_from(used_by).unwrap_or(i32::MAX);
                Self::InUse(InUseError { code, message, field, used_by_count })
            }
        }
    }
}
