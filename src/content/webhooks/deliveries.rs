//! Decides which server sends, and when. The rule: one server sends at a time, and has a lease in a row; after it has stopped, another continues within
//! seconds. Without webhooks, nothing is read; without writes, nothing is read or written until the next retry or scheduled post is due.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;
use tokio::time::{Instant as Moment, sleep, sleep_until};

use crate::content::Content;
use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::webhook::{self as rows, SenderRow};
use crate::keys::{Table, webhook as keys};
use crate::model::{Instant, WebhookId};
use crate::store::{Etag, PartitionMark, Precondition, StoreError, WriteObserver, WrittenRow};
use crate::telemetry::with_causes;

use super::{SendsMessages, Webhook};

/// The duration of the lease.
const OWNED_FOR: Duration = Duration::from_secs(10);
/// The maximum difference of two servers' clocks.
const CLOCKS_APART_MAX: Duration = Duration::from_secs(10);
const RENEW_EVERY: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Writes within this time are handled together while messages are sent, because each stored position is a write, too.
const LOOK_SOONEST: Duration = Duration::from_millis(100);
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How often the webhooks are read if the store announces no writes.
const UNANNOUNCED_EVERY: Duration = Duration::from_secs(60);

/// The newest write, and the number of writes that may have changed webhooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Written {
    version: u64,
    of_webhooks: u64,
}

/// Is notified of each write before it is visible.
struct Wake(watch::Sender<Written>, PartitionMark);

impl WriteObserver for Wake {
    fn will_commit(&self, version: u64, rows: Option<&[WrittenRow]>) {
        let is_of_webhooks = rows.is_none_or(|rows| rows.iter().any(|row| row.partition == self.1));
        self.0.send_modify(|written| {
            written.version = version;
            written.of_webhooks += u64::from(is_of_webhooks);
        });
    }

    fn was_reopened(&self) {
        self.0.send_modify(|written| written.of_webhooks += 1);
    }
}

/// The lease of this server.
struct Owned {
    row: SenderRow,
    etag: Etag,
}

/// The state of the feed up to which all webhooks have received their changes.
struct Done {
    /// The newest entry of the log.
    head: i64,
    /// The instant at which a scheduled post or page appears.
    next: Instant,
}

/// An instant in the far future comes from a wrong clock and does not count.
fn is_owned(row: &SenderRow, now: Instant) -> bool {
    row.until > now && row.until <= now.plus(OWNED_FOR + CLOCKS_APART_MAX)
}

impl Content {
    /// Sends messages for as long as it is polled.
    pub async fn deliver_webhooks(&self, sends: Arc<dyn SendsMessages>) {
        let mark = PartitionMark::of(Table::Webhooks.name(), keys::PARTITION);
        let wake = Arc::new(Wake(watch::Sender::new(Written::default()), mark));
        let mut written = wake.0.subscribe();
        let observer: Arc<dyn WriteObserver> = Arc::<Wake>::clone(&wake);
        let is_announced = self.store.observe_writes(Arc::<dyn WriteObserver>::downgrade(&observer));
        loop {
            let before = *written.borrow_and_update();
            let next = match self.send_what_is_due(&*sends, &mut written).await {
                Ok(next) => next,
                Err(error) => {
                    tracing::warn!(error = with_causes(&error), "webhook.not_delivered");
                    sleep(AFTER_FAILURE).await;
                    continue;
                }
            };
            match next {
                _ if !is_announced => sleep(UNANNOUNCED_EVERY).await,
                None => drop(written.wait_for(|now| now.of_webhooks != before.of_webhooks).await),
                Some(next) => self.wait_until(next, &mut written).await,
            }
        }
    }

    /// Releases the lease, so that another server can continue at once.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn release_webhooks(&self) -> Result<()> {
        let Some((row, etag)) = self.webhook_rows().await?.sender else { return Ok(()) };
        if *row.owner == *self.sender_name && row.until > self.clock.now() {
            let released = SenderRow { until: self.clock.now(), ..row };
            self.put_webhook_row(&keys::sender(), rows::sender_row(&released), Precondition::Match(etag)).await?;
        }
        Ok(())
    }

    /// Returns when to check again if nothing is written; `None` if there are no webhooks.
    async fn send_what_is_due(
        &self,
        sends: &dyn SendsMessages,
        written: &mut watch::Receiver<Written>,
    ) -> Result<Option<Instant>> {
        let version = written.borrow().version;
        let is_visible = self.wait_until_visible(version).await?;
        let (stored, now) = (self.webhook_rows().await?, self.clock.now());
        if stored.webhooks.is_empty() {
            return Ok((!is_visible).then(|| Self::next_look(Instant::MAX, is_visible, now)));
        }
        let head = self.log_head(&self.reader()).await?.sequence;
        let sender = stored.sender.as_ref().map(|(row, _)| row);
        if let Some(other) = sender.filter(|row| *row.owner != *self.sender_name && is_owned(row, now)) {
            return Ok(Some(other.until));
        }
        let appears = sender.filter(|row| row.done == Some(head)).map_or(Instant::MIN, |row| row.next);
        let next = stored.webhooks.iter().filter_map(Webhook::looks_at).fold(appears, Instant::min);
        if next > now {
            return Ok(Some(Self::next_look(next, is_visible, now)));
        }
        let Some(mut owned) = self.own(stored.sender).await? else { return Ok(Some(now.plus(LOOK_EVERY))) };
        let ids = stored.webhooks.into_iter().map(|webhook| webhook.id).collect();
        let done = Done { head, next: Self::next_look(self.next_due(now).await?, is_visible, now) };
        let Done { head, next } = self.send_all(sends, written, &mut owned, (ids, done)).await?;
        let row = SenderRow { until: self.clock.now(), done: Some(head), next, ..owned.row.clone() };
        self.put_owned(&mut owned, row).await?;
        // The write of the row wakes this task again.
        Ok(Some(next))
    }

    /// `None` if another server has taken the lease first.
    async fn own(&self, stored: Option<(SenderRow, Etag)>) -> Result<Option<Owned>> {
        let now = self.clock.now();
        let (next, precondition) = match stored {
            Some((row, etag)) => (row.next, Precondition::Match(etag)),
            None => (now, Precondition::Absent),
        };
        let until = now.plus(OWNED_FOR);
        let row = SenderRow { owner: self.sender_name.to_string(), until, done: None, next };
        match self.put_webhook_row(&keys::sender(), rows::sender_row(&row), precondition).await {
            Ok(etag) => Ok(Some(Owned { row, etag })),
            Err(ContentError::Store(StoreError::Precondition(_))) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn put_owned(&self, owned: &mut Owned, row: SenderRow) -> Result<()> {
        let precondition = Precondition::Match(owned.etag.clone());
        owned.etag = self.put_webhook_row(&keys::sender(), rows::sender_row(&row), precondition).await?;
        owned.row = row;
        Ok(())
    }

    /// Sends until no webhook has pending changes. Webhooks are served concurrently, so one that hangs does not delay others.
    async fn send_all(
        &self,
        sends: &dyn SendsMessages,
        written: &mut watch::Receiver<Written>,
        owned: &mut Owned,
        (mut waiting, mut done): (BTreeSet<WebhookId>, Done),
    ) -> Result<Done> {
        let (mut sending, mut busy, mut has_news) = (FuturesUnordered::new(), BTreeSet::new(), false);
        let mut renew_at = Moment::now() + RENEW_EVERY;
        loop {
            if done.next <= self.clock.now() {
                let version = written.borrow().version;
                waiting.extend(self.with_news(version, &mut done).await?);
            }
            for id in waiting.difference(&busy).cloned().collect::<Vec<_>>() {
                waiting.remove(&id);
                busy.insert(id.clone());
                sending.push(self.deliver_or_wait(id, sends));
            }
            if busy.is_empty() && !has_news {
                return Ok(done);
            }
            tokio::select! {
                Some((id, has_more)) = sending.next() => {
                    busy.remove(&id);
                    waiting.extend(Some(id).filter(|_| has_more));
                }
                _ = written.changed(), if !has_news => has_news = true,
                () = sleep(LOOK_SOONEST), if has_news => {
                    has_news = false;
                    let version = written.borrow_and_update().version;
                    waiting.extend(self.with_news(version, &mut done).await?);
                }
                // A scheduled post may have appeared.
                () = self.sleep_until_next(done.next) => {}
                () = sleep_until(renew_at) => {
                    renew_at = Moment::now() + RENEW_EVERY;
                    let row = SenderRow { until: self.clock.now().plus(OWNED_FOR), ..owned.row.clone() };
                    self.put_owned(owned, row).await?;
                }
            }
        }
    }

    /// Returns whether there may be more to send. A failure does not delay other webhooks.
    async fn deliver_or_wait(&self, id: WebhookId, sends: &dyn SendsMessages) -> (WebhookId, bool) {
        let Err(error) = self.deliver_to(&id, sends).await else { return (id, false) };
        tracing::warn!(webhook = id.as_str(), error = with_causes(&error), "webhook.not_delivered");
        sleep(AFTER_FAILURE).await;
        (id, true)
    }

    /// The webhooks that may have pending changes since `done`.
    async fn with_news(&self, version: u64, done: &mut Done) -> Result<Vec<WebhookId>> {
        let is_visible = self.wait_until_visible(version).await?;
        let (now, webhooks) = (self.clock.now(), self.webhook_rows().await?.webhooks);
        let head = self.log_head(&self.reader()).await?.sequence;
        let is_changed = head != done.head || done.next <= now;
        if is_changed {
            *done = Done { head, next: self.next_due(now).await? };
        }
        done.next = Self::next_look(done.next, is_visible, now);
        let has_news = |webhook: &Webhook| is_changed || webhook.looks_at().is_some_and(|at| at <= now);
        Ok(webhooks.into_iter().filter(has_news).map(|webhook| webhook.id).collect())
    }

    /// Waits for a write, or for this instant.
    async fn wait_until(&self, next: Instant, written: &mut watch::Receiver<Written>) {
        loop {
            tokio::select! {
                _ = written.changed() => return,
                () = self.sleep_until_next(next) => {}
            }
            if next <= self.clock.now() {
                return;
            }
            // This call makes the store follow the writes of other servers, with one request a second.
            self.store.is_followed();
        }
    }
    /// Sleeps for at most [`LOOK_EVERY`], because the clock may be set meanwhile.
    async fn sleep_until_next(&self, next: Instant) {
        sleep(self.clock.now().until(next).clamp(Duration::from_millis(10), LOOK_EVERY)).await;
    }
}
