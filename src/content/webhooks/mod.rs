//! Webhooks: endpoints that receive the changes of public content, signed according to Standard Webhooks (<https://www.standardwebhooks.com>). The rule: a
//! webhook is a position in the feed of changes, not a queue, so an unreachable receiver costs nothing and misses no change within the feed's retention.
//!
//! [`manage`] has the operations of admins, [`deliveries`] decides which server sends and when, [`deliver`] sends the changes of one webhook in order, and
//! [`message`] selects and writes them. The module `webhooks` sends the requests.

mod deliver;
mod deliveries;
mod manage;
mod message;
mod webhook;

pub use deliver::SendsMessages;
pub(crate) use manage::{NewWebhook, Webhooks};
pub use webhook::{
    Answer, DELIVERIES_MAX, Delivery, DeliveryOutcome, Message, WEBHOOKS_MAX, Webhook, WebhookFilter, WebhookSecret,
    WebhookStatus,
};

use crate::keys::{Table, webhook as keys};
use crate::model::WebhookId;
use crate::store::{Batch, Etag, Key, Operation, Precondition, Properties, Store};
use crate::telemetry::with_causes;

use super::Content;
use super::error::{ContentError, Result};
use super::tables::read_all;
use super::tables::rows::change::Action;
use super::tables::rows::packed::TooLarge;
use super::tables::rows::webhook::{self as rows, SenderRow};
use super::write::{RecordedChange, Writer, of_webhook, retry_unless_unknown};

struct Rows {
    /// The readable webhooks, the oldest first.
    webhooks: Vec<Webhook>,
    sender: Option<(SenderRow, Etag)>,
}

impl Rows {
    async fn read(store: &Store) -> Result<Self> {
        let mut found = Self { webhooks: Vec::new(), sender: None };
        for row in read_all(store, Table::Webhooks, &keys::all()).await? {
            match keys::parse(&row.key) {
                Some(id) => match rows::read(&row) {
                    Ok(webhook) => found.webhooks.push(webhook),
                    // The other webhooks are still read.
                    Err(error) => {
                        tracing::error!(webhook = id.as_str(), error = with_causes(&error), "webhook.damaged");
                    }
                },
                None => {
                    let sender = rows::read_sender(&row).unwrap_or_else(|error| {
                        tracing::error!(webhook = row.key.row(), error = with_causes(&error), "webhook.damaged");
                        SenderRow::stopped()
                    });
                    found.sender = Some((sender, row.etag));
                }
            }
        }
        Ok(found)
    }
}

/// Takes one point read.
async fn read_webhook(store: &Store, id: &WebhookId) -> Result<Option<(Webhook, Etag)>> {
    let row = store.get(Table::Webhooks.name(), &keys::webhook(id)).await?;
    row.map(|row| Ok((rows::read(&row)?, row.etag))).transpose()
}

impl Content {
    /// Takes one range read.
    async fn webhook_rows(&self) -> Result<Rows> {
        Rows::read(&self.store).await
    }

    /// Takes one point read.
    async fn webhook(&self, id: &WebhookId) -> Result<Option<(Webhook, Etag)>> {
        read_webhook(&self.store, id).await
    }

    /// Changes the stored webhook. Returns the changed webhook; `None` if it does not exist. Writes nothing if nothing changes. `writer`: that of an admin,
    /// whose changes the audit log has.
    async fn change_webhook(
        &self,
        id: &WebhookId,
        writer: Option<&Writer>,
        change: impl Fn(&mut Webhook),
    ) -> Result<Option<Webhook>> {
        retry_unless_unknown("a webhook", || async {
            let Some((stored, etag)) = self.webhook(id).await? else { return Ok(None) };
            let mut changed = stored.clone();
            change(&mut changed);
            if changed == stored {
                return Ok(Some(changed));
            }
            let row = row_of(&changed)?;
            match writer {
                Some(writer) => writer.change_recorded(recorded(id, Some(row), Some(etag), Action::Updated)).await?,
                None => drop(self.put_webhook_row(&keys::webhook(id), row, Precondition::Match(etag)).await?),
            }
            Ok(Some(changed))
        })
        .await
    }

    /// `None` if the webhook does not exist. The row is not decoded, so a damaged one can be deleted, too.
    async fn delete_webhook(&self, writer: &Writer, id: &WebhookId) -> Result<Option<()>> {
        retry_unless_unknown("a webhook", || async {
            let Some(row) = self.store.get(Table::Webhooks.name(), &keys::webhook(id)).await? else { return Ok(None) };
            writer.change_recorded(recorded(id, None, Some(row.etag), Action::Deleted)).await?;
            Ok(Some(()))
        })
        .await
    }

    async fn put_webhook_row(&self, key: &Key, properties: Properties, precondition: Precondition) -> Result<Etag> {
        let put = Operation::Put { row: key.row().to_owned(), properties, precondition };
        let etags = self.store.commit(Table::Webhooks.name(), &Batch::new(key.partition(), vec![put])?).await?;
        let no_etag = || ContentError::Internal { what: "a row that was put has no ETag", source: None };
        etags.into_iter().next().flatten().ok_or_else(no_etag)
    }
}

/// A change of the row of a webhook by an admin.
fn recorded(id: &WebhookId, row: Option<Properties>, replaced: Option<Etag>, action: Action) -> RecordedChange {
    RecordedChange {
        table: Table::Webhooks,
        key: keys::webhook(id),
        properties: row,
        replaced,
        removed: None,
        items: vec![of_webhook(id, action)],
    }
}

fn row_of(webhook: &Webhook) -> Result<Properties> {
    let too_large =
        |error: TooLarge| ContentError::Internal { what: "a webhook does not fit a row", source: Some(error.into()) };
    rows::row(webhook).map_err(too_large)
}
