//! Rows of `Webhooks`. The rule: a webhook is one value, because each change replaces the row under its ETag. It contains secrets, so no tool prints rows of
//! this table.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::model::Instant;
use crate::store::{Entity, Properties, StoreError};

use super::packed::{self, TooLarge};
use super::{NewRow, RowFields};

const WEBHOOK: &str = "Webhook";
const OWNER: &str = "Owner";
const DONE: &str = "Done";

/// The server that currently sends, and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderRow {
    /// The random name of the process.
    pub owner: String,
    /// The owner sends until this instant, unless it renews the row.
    pub until: Instant,
    /// All webhooks have received the changes up to this entry of the log; `None` if a server stopped before.
    pub done: Option<i64>,
    /// The instant at which a scheduled post or page appears.
    pub next: Instant,
}

impl SenderRow {
    /// The row of a server that has stopped.
    pub fn stopped() -> Self {
        Self { owner: String::new(), until: Instant::MIN, done: None, next: Instant::MAX }
    }
}

/// # Errors
/// If it does not fit a row.
pub fn row(webhook: &impl Serialize) -> Result<Properties, TooLarge> {
    let mut properties = Properties::new();
    packed::pack(&mut properties, WEBHOOK, &serde_json::to_vec(webhook).expect("a webhook is plain data"))?;
    Ok(properties)
}

pub fn read<T: DeserializeOwned>(row: &Entity) -> Result<T, StoreError> {
    let fields = RowFields(row);
    serde_json::from_slice(&packed::unpack(&fields, WEBHOOK)?).map_err(|_| fields.damaged(WEBHOOK))
}

pub fn sender_row(sender: &SenderRow) -> Properties {
    let row = NewRow::default().text(OWNER, &sender.owner).instant("Until", sender.until).instant("Next", sender.next);
    sender.done.into_iter().fold(row, |row, done| row.int64(DONE, done)).build()
}

pub fn read_sender(row: &Entity) -> Result<SenderRow, StoreError> {
    let fields = RowFields(row);
    Ok(SenderRow {
        owner: fields.text(OWNER)?.to_string(),
        until: fields.instant("Until")?,
        done: row.properties.get(DONE).map(|_| fields.int64(DONE)).transpose()?,
        next: fields.instant("Next")?,
    })
}
