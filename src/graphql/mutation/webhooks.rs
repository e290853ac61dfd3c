//! The mutations of webhooks, with their inputs and payloads. The rule: only the answers that create a secret contain it.

use async_graphql::{Context, ID, InputObject, MaybeUndefined, Object, SimpleObject};

use crate::content::commands::Edited;
use crate::content::webhooks::{self, NewWebhook};
use crate::graphql::failure::Result;
use crate::graphql::scalars::DateTime;
use crate::graphql::types::change::{ChangeAction, ChangedType};
use crate::graphql::types::webhook::{Webhook, webhooks};

use super::payloads::DeletePayload;
use super::user_errors::{UserErrors, payload, user_errors};

/// Declares the input of a mutation with the settings of a webhook.
macro_rules! webhook_input {
    ($(#[$doc:meta])* $name:ident { $($own:tt)* } $enabled:expr, $url:expr) => {
        $(#[$doc])*
        #[derive(InputObject)]
        pub(super) struct $name {
            $($own)*
            /// One message for all changes since the last, at most one in 5 to 86,400 seconds: for builds. Null or 0: one for each change.
            digest_seconds: MaybeUndefined<i32>,
            /// Only of objects of these types; if null or empty, of all.
            types: MaybeUndefined<Vec<ChangedType>>,
            /// Only with one of these actions; if null or empty, all.
            actions: MaybeUndefined<Vec<ChangeAction>>,
            /// Only of these tags, and of posts that had or have one; if null or empty, all. At most 20 slugs and languages together.
            tag_slugs: MaybeUndefined<Vec<String>>,
            /// As `tagSlugs`.
            category_slugs: MaybeUndefined<Vec<String>>,
            /// As `tagSlugs`.
            author_slugs: MaybeUndefined<Vec<String>>,
            /// Only of posts and pages in these languages; if null or empty, all.
            languages: MaybeUndefined<Vec<String>>,
        }

        impl From<$name> for NewWebhook {
            fn from(input: $name) -> Self {
                let (enabled, url) = ($enabled(&input), $url(&input));
                Self {
                    url,
                    enabled,
                    digest_seconds: changed(input.digest_seconds),
                    kinds: changed(input.types).map(|types| types.into_iter().map(|of| of.kind()).collect()),
                    actions: changed(input.actions).map(|actions| actions.into_iter().map(Into::into).collect()),
                    tags: changed(input.tag_slugs),
                    categories: changed(input.category_slugs),
                    authors: changed(input.author_slugs),
                    languages: changed(input.languages),
                }
            }
        }
    };
}

webhook_input! {
    /// A new webhook.
    CreateWebhookInput {
        /// An https address of the public Internet, unless the operator allows others; at most 2,000 characters.
        url: String,
    }
    |_: &CreateWebhookInput| None, |input: &CreateWebhookInput| Some(input.url.clone())
}

webhook_input! {
    /// A change of a webhook. What is omitted keeps its value. A message that has failed is sent again at once.
    UpdateWebhookInput {
        /// An `id` of `webhooks`.
        id: ID,
        /// Where messages are sent.
        url: MaybeUndefined<String>,
        /// Whether it gets changes. One that is enabled again gets those that it has missed. Null: not.
        enabled: MaybeUndefined<bool>,
    }
    |input: &UpdateWebhookInput| changed(input.enabled), |input: &UpdateWebhookInput| changed(input.url.clone())
}

/// The new value of a field, or the default for null; `None` if the field was omitted.
fn changed<T: Default>(field: MaybeUndefined<T>) -> Option<T> {
    match field {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(T::default()),
        MaybeUndefined::Value(value) => Some(value),
    }
}

/// A webhook.
#[derive(InputObject)]
pub(super) struct DeleteWebhookInput {
    /// An `id` of `webhooks`.
    id: ID,
}

/// A webhook.
#[derive(InputObject)]
pub(super) struct RotateWebhookSecretInput {
    /// An `id` of `webhooks`.
    id: ID,
}

/// A webhook.
#[derive(InputObject)]
pub(super) struct TestWebhookInput {
    /// An `id` of `webhooks`.
    id: ID,
}

/// What is sent again.
#[derive(InputObject)]
pub(super) struct ReplayWebhookInput {
    /// An `id` of `webhooks`.
    id: ID,
    /// The changes since this time, at most 29 days ago.
    since: DateTime,
}

/// Declares the payload of a mutation that creates a secret.
macro_rules! secret_payload {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(SimpleObject)]
        pub(super) struct $name {
            /// Null on failure.
            webhook: Option<Webhook>,
            /// The key of the signatures, which only this answer contains. Null on failure.
            secret: Option<String>,
            /// Empty on success.
            user_errors: UserErrors,
        }

        impl From<Edited<webhooks::Webhook>> for $name {
            fn from(edited: Edited<webhooks::Webhook>) -> Self {
                match edited {
                    Ok(webhook) => {
                        let secret = Some(webhook.secret.reveal());
                        Self { webhook: Some(Webhook(webhook)), secret, user_errors: Vec::new() }
                    }
                    Err(errors) => Self { webhook: None, secret: None, user_errors: user_errors(errors) },
                }
            }
        }
    };
}

secret_payload! {
    /// The created webhook and its secret, or the errors.
    CreateWebhookPayload
}

secret_payload! {
    /// The webhook and its new secret, or the errors.
    RotateWebhookSecretPayload
}

payload! {
    /// The changed webhook, or the errors.
    pub(super) UpdateWebhookPayload(webhook: webhooks::Webhook) {
        /// Null on failure.
        webhook: Webhook = Webhook(webhook)
    }
}

payload! {
    /// The webhook, or the errors. Its first of `deliveries` with a `messageId` like `test_…` shows what came of it, soon.
    pub(super) TestWebhookPayload(webhook: webhooks::Webhook) {
        /// Null on failure.
        webhook: Webhook = Webhook(webhook)
    }
}

payload! {
    /// The webhook, or the errors.
    pub(super) ReplayWebhookPayload(webhook: webhooks::Webhook) {
        /// Null on failure.
        webhook: Webhook = Webhook(webhook)
    }
}

#[derive(Default)]
pub(super) struct WebhookMutation;

#[Object]
impl WebhookMutation {
    /// Creates a webhook, which gets the changes from now on. A site has at most 20. Requires the role ADMIN.
    async fn create_webhook(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The webhook.")] input: CreateWebhookInput,
    ) -> Result<Option<CreateWebhookPayload>> {
        Ok(Some(webhooks(ctx)?.create(input.into()).await?.into()))
    }

    /// Changes what a webhook gets, or enables or disables it. Requires the role ADMIN.
    async fn update_webhook(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The change.")] input: UpdateWebhookInput,
    ) -> Result<Option<UpdateWebhookPayload>> {
        let id = input.id.clone();
        Ok(Some(webhooks(ctx)?.update(&id, input.into()).await?.into()))
    }

    /// Deletes a webhook with its deliveries. Requires the role ADMIN.
    async fn delete_webhook(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The webhook to delete.")] input: DeleteWebhookInput,
    ) -> Result<Option<DeletePayload>> {
        Ok(Some(webhooks(ctx)?.delete(&input.id).await?.into()))
    }

    /// Gives a webhook a new secret. For a day, the former one signs too. Requires the role ADMIN.
    async fn rotate_webhook_secret(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The webhook.")] input: RotateWebhookSecretInput,
    ) -> Result<Option<RotateWebhookSecretPayload>> {
        Ok(Some(webhooks(ctx)?.rotate(&input.id).await?.into()))
    }

    /// Sends a message of the type `webhook.test`. If it is delivered, one that has failed is sent again at once. Requires the role ADMIN.
    async fn test_webhook(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The webhook to test.")] input: TestWebhookInput,
    ) -> Result<Option<TestWebhookPayload>> {
        Ok(Some(webhooks(ctx)?.test(&input.id).await?.into()))
    }

    /// Sends the changes since a time again, then those that follow. Requires the role ADMIN.
    async fn replay_webhook(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What is sent again.")] input: ReplayWebhookInput,
    ) -> Result<Option<ReplayWebhookPayload>> {
        Ok(Some(webhooks(ctx)?.replay(&input.id, input.since.0).await?.into()))
    }
}
