//! The deliveries of one webhook. The rule: its changes are sent one by one in the order of the feed, and the position is stored after the receiver has
//! answered, so each change is delivered at least once.

use std::collections::VecDeque;

use crate::content::error::{ContentError, Result};
use crate::content::read::{DeliveredEvent, DeliveredPage};
use crate::content::{Content, random};
use crate::model::WebhookId;
use crate::telemetry::metrics;

use super::{Answer, DeliveryOutcome, Message, Webhook};

/// The maximum number of changes in a digest; it only counts further ones.
const DIGEST_EVENTS_MAX: usize = 100;

/// Sends requests.
#[async_trait::async_trait]
pub trait SendsMessages: Send + Sync {
    async fn send(&self, url: &str, message: &Message) -> Answer;
}

/// Changes that were read but not sent yet.
struct Ahead {
    /// The position before the first change.
    position: String,
    events: VecDeque<DeliveredEvent>,
    has_next: bool,
    /// The position after all changes.
    end: String,
    is_far: bool,
}

impl Content {
    /// Sends messages one by one until none is due.
    pub(super) async fn deliver_to(&self, id: &WebhookId, sends: &dyn SendsMessages) -> Result<()> {
        let mut ahead = None;
        while let Some((webhook, _)) = self.webhook(id).await? {
            let now = self.clock.now();
            if webhook.is_tested {
                self.attempt(&webhook, webhook.test_message(now), sends).await?;
                continue;
            }
            if !webhook.is_active() || webhook.due_at.is_some_and(|due| due > now) {
                return Ok(());
            }
            let next = match webhook.digest_seconds {
                None => self.next_event(&webhook, &mut ahead).await,
                Some(_) => self.digest(&webhook).await,
            };
            match next {
                Ok(Some(message)) => self.attempt(&webhook, message, sends).await?,
                Ok(None) => return Ok(()),
                Err(ContentError::PositionExpired { .. } | ContentError::BadCursor { .. }) => {
                    let position = self.changes(&self.reader(), None, None).await?.position;
                    tracing::warn!(webhook = id.as_str(), "webhook.position_expired");
                    let note = |stored: &mut Webhook| {
                        // If the positions differ, an admin has reset the webhook meanwhile.
                        if stored.position == webhook.position {
                            stored.note_expired(position.clone(), now);
                        }
                    };
                    self.change_webhook(id, None, note).await?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn next_event(&self, webhook: &Webhook, ahead: &mut Option<Ahead>) -> Result<Option<Message>> {
        let wanted = self.wanted(&webhook.filter).await?;
        let mut read = match ahead.take().filter(|ahead| ahead.position == webhook.position) {
            Some(read) => read,
            None => self.read_ahead(&webhook.position).await?,
        };
        loop {
            while let Some(found) = read.events.pop_front() {
                read.position.clone_from(&found.position);
                if self.is_wanted(&wanted, &found.event).await? {
                    let position = found.position.clone();
                    *ahead = Some(read);
                    return Ok(Some(webhook.message(&[found], 0, position, self.clock.now())));
                }
            }
            if !read.has_next {
                self.pass(webhook, &read).await?;
                return Ok(None);
            }
            read = Ahead { is_far: true, ..self.read_ahead(&read.end).await? };
        }
    }

    async fn digest(&self, webhook: &Webhook) -> Result<Option<Message>> {
        let wanted = self.wanted(&webhook.filter).await?;
        let (mut events, mut omitted) = (Vec::new(), 0);
        let mut read = self.read_ahead(&webhook.position).await?;
        loop {
            for found in std::mem::take(&mut read.events) {
                match self.is_wanted(&wanted, &found.event).await? {
                    true if events.len() < DIGEST_EVENTS_MAX => events.push(found),
                    is_wanted => omitted += usize::from(is_wanted),
                }
            }
            if !read.has_next {
                break;
            }
            read = Ahead { is_far: true, ..self.read_ahead(&read.end).await? };
        }
        if events.is_empty() {
            self.pass(webhook, &read).await?;
            return Ok(None);
        }
        Ok(Some(webhook.message(&events, omitted, read.end, self.clock.now())))
    }

    async fn read_ahead(&self, position: &str) -> Result<Ahead> {
        let DeliveredPage { events, has_next, position: end, is_far } = self.delivered_changes(position).await?;
        Ok(Ahead { position: position.to_owned(), events: events.into(), has_next, end, is_far })
    }

    /// No change up to this position matches. Stores the position if reading the same changes again would take too long.
    async fn pass(&self, webhook: &Webhook, read: &Ahead) -> Result<()> {
        if !read.is_far && webhook.due_at.is_none() && webhook.failing.is_none() {
            return Ok(());
        }
        let pass = |stored: &mut Webhook| {
            if (&stored.position, stored.due_at) == (&webhook.position, webhook.due_at) {
                stored.position = if read.is_far { read.end.clone() } else { webhook.position.clone() };
                // The failed message is not sent any more.
                (stored.due_at, stored.failing) = (None, None);
            }
        };
        self.change_webhook(&webhook.id, None, pass).await.map(drop)
    }

    async fn attempt(&self, webhook: &Webhook, message: Message, sends: &dyn SendsMessages) -> Result<()> {
        let answer = sends.send(&webhook.url, &message).await;
        let is_delivered = answer.outcome == DeliveryOutcome::Delivered;
        metrics::webhook_sent(if is_delivered { "ok" } else { "failed" });
        // The factor is 0.8 to 1.2, so that messages that failed together are not retried together.
        let (now, jitter) = (self.clock.now(), 0.8 + (random::bits()? % 400) as f64 / 1e3);
        let note = |stored: &mut Webhook| {
            // If this is false, an admin has changed the webhook meanwhile, and the message is sent again.
            if webhook.is_noted_on(stored, &message, is_delivered) {
                stored.note(&message, &answer, now, jitter);
            } else {
                stored.keep(webhook.delivery(&message, &answer, now));
            }
        };
        let noted = self.change_webhook(&webhook.id, None, note).await?;
        if let (false, Some(failed)) = (is_delivered, noted.as_ref().and_then(|noted| noted.deliveries.last())) {
            let (outcome, status, attempt) = (failed.outcome, failed.status, failed.attempt);
            let (webhook, message) = (webhook.id.as_str(), failed.message.as_str());
            match failed.is_skipped {
                true => tracing::error!(webhook, message, ?outcome, status, attempt, "webhook.skipped"),
                false => tracing::warn!(webhook, message, ?outcome, status, attempt, "webhook.failed"),
            }
        }
        Ok(())
    }
}
