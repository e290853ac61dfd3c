//! `Webhooks`: the endpoints to which changes are sent, and the server that sends them. The rule: all rows are in one partition, so one range read returns all.

use crate::model::WebhookId;
use crate::store::{Key, RowRange};

use super::{key, range};

pub const PARTITION: &str = "webhooks";

pub fn webhook(id: &WebhookId) -> Key {
    key(PARTITION, id.as_str())
}

/// The row of the server that sends.
pub fn sender() -> Key {
    key(PARTITION, "!sender")
}

/// All rows, the oldest webhook first.
pub fn all() -> RowRange {
    range(PARTITION, None, None)
}

/// `None` if the row is not a webhook.
pub fn parse(found: &Key) -> Option<WebhookId> {
    (found.partition() == PARTITION).then(|| found.row().parse().ok()).flatten()
}
