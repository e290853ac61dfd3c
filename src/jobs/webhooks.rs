//! Sends the changes to webhooks. The rule: if no HTTP client can be created, the server runs without webhooks and logs that.

use std::sync::Arc;

use crate::content::Content;
use crate::model::AllowedHosts;
use crate::telemetry::with_causes;
use crate::webhooks::WebhookSender;

pub(super) async fn for_ever(content: Content, allowed: AllowedHosts) {
    match WebhookSender::new(allowed) {
        Ok(sender) => content.deliver_webhooks(Arc::new(sender)).await,
        Err(error) => tracing::warn!(error = with_causes(&error), "webhook.not_delivered"),
    }
}
