//! The types `Webhook` and `WebhookDelivery`, which only admins can read. The rule: no field contains a secret of a signature.

use async_graphql::{Context, Enum, ID, Object, SimpleObject};

use crate::content::webhooks::{self, DeliveryOutcome, WebhookStatus, Webhooks};
use crate::graphql::failure::Result;
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::DateTime;
use crate::graphql::{access, context};
use crate::model::{self, NodeId};

use super::change::{ChangeAction, ChangedType};

/// Whether a webhook gets changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum WebhookState {
    /// It gets them.
    Active,
    /// The last attempt has failed; the next one is at `nextAttemptAt`.
    Failing,
    /// An admin has disabled it.
    Disabled,
    /// The receiver has answered 410 Gone; it can be enabled again.
    Gone,
}

/// What came of an attempt to send a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "DeliveryOutcome")]
pub enum WebhookOutcome {
    /// The answer was 2xx.
    Delivered,
    /// It was another one.
    Refused,
    /// There was none within 15 seconds.
    Timeout,
    /// There was no connection.
    Unreachable,
    /// The address is not public, or not https, and the operator does not allow it.
    AddressNotAllowed,
    /// Changes that were not kept any more were left out: read everything again.
    PositionExpired,
}

/// An attempt to send a message.
#[derive(SimpleObject)]
pub struct WebhookDelivery {
    /// When it ended.
    at: DateTime,
    /// The `webhook-id`; null if nothing was sent.
    message_id: Option<String>,
    /// What came of it.
    outcome: WebhookOutcome,
    /// The HTTP status of the answer; null if there was none.
    status: Option<i32>,
    /// 1 for the first attempt to send the message; 0 if nothing was sent.
    attempt: i32,
    /// How long it took.
    duration_milliseconds: i32,
    /// Whether it was given up, after three days.
    skipped: bool,
}

pub struct Webhook(pub webhooks::Webhook);

/// An endpoint that gets the changes of what is public, signed as Standard Webhooks defines it (docs/webhooks.md). Only the role ADMIN can read webhooks.
#[Object]
impl Webhook {
    /// Opaque, permanent, never reused.
    pub async fn id(&self) -> ID {
        NodeId::Webhook(self.0.id.clone()).to_string().into()
    }

    /// Where messages are sent.
    async fn url(&self) -> &str {
        &self.0.url
    }

    /// Whether it gets changes.
    async fn state(&self) -> WebhookState {
        match self.0.status {
            WebhookStatus::Disabled => WebhookState::Disabled,
            WebhookStatus::Gone => WebhookState::Gone,
            WebhookStatus::Active if self.0.failing.is_some() => WebhookState::Failing,
            WebhookStatus::Active => WebhookState::Active,
        }
    }

    /// Null: a message for each change.
    async fn digest_seconds(&self) -> Option<i32> {
        self.0.digest_seconds.and_then(|seconds| i32::try_from(seconds).ok())
    }

    /// Of which objects it gets changes; if empty, of all.
    async fn types(&self) -> Vec<ChangedType> {
        self.0.filter.kinds.iter().filter_map(|kind| ChangedType::of_kind(kind)).collect()
    }

    /// Which of them; if empty, all.
    async fn actions(&self) -> Vec<ChangeAction> {
        self.0.filter.actions.iter().map(|action| (*action).into()).collect()
    }

    /// As in `createWebhook`.
    async fn tag_slugs(&self) -> &[String] {
        &self.0.filter.tags
    }

    /// As in `createWebhook`.
    async fn category_slugs(&self) -> &[String] {
        &self.0.filter.categories
    }

    /// As in `createWebhook`.
    async fn author_slugs(&self) -> &[String] {
        &self.0.filter.authors
    }

    /// As in `createWebhook`.
    async fn languages(&self) -> &[String] {
        &self.0.filter.languages
    }

    /// When it was created.
    async fn created_at(&self) -> DateTime {
        DateTime(self.0.created_at)
    }

    /// When a failed message is sent again; null if none has failed.
    async fn next_attempt_at(&self) -> Option<DateTime> {
        self.0.due_at.filter(|_| self.0.failing.is_some()).map(DateTime)
    }

    /// The last 50 attempts, newest first.
    #[graphql(directive = ListSize::apply(Size::Deliveries))]
    async fn deliveries(&self) -> Vec<WebhookDelivery> {
        self.0.deliveries.iter().rev().map(WebhookDelivery::of).collect()
    }
}

impl WebhookDelivery {
    fn of(delivery: &webhooks::Delivery) -> Self {
        let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        Self {
            at: DateTime(delivery.at),
            message_id: Some(delivery.message.clone()).filter(|id| !id.is_empty()),
            outcome: delivery.outcome.into(),
            status: delivery.status.map(i32::from),
            attempt: number(delivery.attempt),
            duration_milliseconds: number(delivery.milliseconds),
            skipped: delivery.is_skipped,
        }
    }
}

/// Checks the role before webhooks are read or changed.
pub fn webhooks<'a>(ctx: &Context<'a>) -> Result<Webhooks<'a>> {
    let actor = access::require(ctx, model::Role::Admin)?;
    let request = context::of(ctx);
    Ok(Webhooks::new(&request.content, &request.reader, actor)?)
}
