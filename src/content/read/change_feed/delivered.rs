//! The changes as webhooks get them. The rule: each is visible to the public (L3), and has its own position, so that a webhook can continue after any of them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::content::access::secret;
use crate::content::error::Result;
use crate::content::tables::rows::change_log as rows;
use crate::content::write::{DELIVERED_DAYS, days_before};
use crate::content::{Content, Reader};
use crate::keys::{Table, change_log, change_log_mark};
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;

use super::event::{Access, ContentEvent};
use super::position::{Due, Position};
use super::{ALL_ITEMS, ChangesPage, LogKey, PAGE_MAX, expired};

/// If a webhook's position is older than this, a newer one is stored even without a change, long before the position expires.
const POSITION_AGE_MAX: i64 = 24 * 60 * 60 * TICKS_PER_SECOND;
/// If more entries than this had no change for a webhook, a newer position is stored, because they are read again each time.
const ENTRIES_AHEAD_MAX: i64 = 50;

/// Changes for one webhook.
pub(in crate::content) struct DeliveredPage {
    /// The events, each with the position after it and an id that is the same at each read.
    pub events: Vec<DeliveredEvent>,
    pub has_next: bool,
    /// The position after all events.
    pub position: String,
    /// Whether the position should be stored even if no change is delivered.
    pub is_far: bool,
}

#[derive(Debug)]
pub(in crate::content) struct DeliveredEvent {
    pub id: String,
    pub event: ContentEvent,
    pub position: String,
}

impl Content {
    /// # Errors
    /// Those of [`changes`](Self::changes); but the position expires with the entries after it, or else after [`DELIVERED_DAYS`].
    pub(in crate::content) async fn delivered_changes(&self, after: &str) -> Result<DeliveredPage> {
        let reader = self.reader();
        let (key, start) = self.opened(&reader, after).await?;
        if start.due.at < days_before(reader.now(), DELIVERED_DAYS) {
            return Err(expired());
        }
        let ChangesPage { events, has_next, position, end, due, ends } =
            reader.changes_after(&key, start.clone(), (PAGE_MAX, Access::Public)).await?;
        let (mut delivered, count) = (Vec::with_capacity(events.len()), events.len());
        for (index, (event, after)) in (1..).zip(events.into_iter().zip(ends)) {
            let named =
                format!("{:?} {} {:?} {:?}", event.place, event.item.node_id(), event.item.version, event.item.actions);
            let id = URL_SAFE_NO_PAD.encode(&secret::sign(&key, &named)[..18]);
            let position = if index == count { position.clone() } else { after.seal(&key)? };
            delivered.push(DeliveredEvent { id, event, position });
        }
        let is_far = end.0 - start.sequence >= ENTRIES_AHEAD_MAX
            || due.ticks() - start.due.at.ticks() >= POSITION_AGE_MAX
            || count > 0;
        Ok(DeliveredPage { events: delivered, has_next, position, is_far })
    }

    /// The position before the changes since this instant, if they still exist. Some twenty point reads.
    pub(in crate::content) async fn position_since(&self, reader: &Reader, since: Instant) -> Result<String> {
        let head = self.log_head(reader).await?;
        let first = reader.store().range(Table::ChangeLog.name(), &change_log::entries(0, None), 1, None).await?.rows;
        let first = first.first().and_then(|row| change_log::parse(&row.key));
        let (mut before, mut after) = match first {
            Some(LogKey::Entry(first)) => (first, head.sequence + 1),
            _ => (head.sequence, head.sequence + 1),
        };
        // Binary search: entry `before` is earlier than the instant or is the first one, and entry `after` is not earlier.
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            match reader.store().get(Table::ChangeLog.name(), &change_log::entry(middle)).await? {
                Some(row) if rows::read_logged_at(&row)? >= since => after = middle,
                _ => before = middle,
            }
        }
        let row = reader.store().get(Table::ChangeLog.name(), &change_log::entry(before)).await?;
        let (change, items) = match &row {
            Some(row) => (rows::read_change(row)?, if rows::read_logged_at(row)? < since { ALL_ITEMS } else { 0 }),
            None => (head.change.as_str(), ALL_ITEMS),
        };
        let due = Due { at: since, id: None };
        Position { sequence: before, items, mark: change_log_mark(change), due }.seal(&head.key)
    }
}
