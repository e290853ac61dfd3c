//! A webhook: an endpoint with its position in the feed of changes, and the results of the last deliveries. The rule: all functions are pure; the position only
//! moves past changes that the endpoint has accepted, or that failed for three days.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::content::access::secret;
use crate::content::tables::rows::change::Action;
use crate::content::tables::rows::token::Bytes32;
use crate::model::{Instant, TermKind, WebhookId};

pub const WEBHOOKS_MAX: usize = 20;
/// The number of deliveries that are kept for each webhook.
pub const DELIVERIES_MAX: usize = 50;
/// The allowed seconds between two digests.
pub(super) const DIGEST_SECONDS: std::ops::RangeInclusive<u32> = 5..=86_400;
/// How long a replaced secret is also used for signatures.
const BOTH_SECRETS_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the delivery of a change is retried.
const TRIED_FOR: Duration = Duration::from_secs(3 * 24 * 60 * 60);
/// The seconds to wait after each failed attempt, as Standard Webhooks recommends them; the last one repeats.
const WAITS: [u64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webhook {
    pub id: WebhookId,
    pub url: String,
    pub created_at: Instant,
    /// The minimum seconds between two digests, each of which has all changes since the last one; `None` sends a request for each change.
    pub digest_seconds: Option<u32>,
    pub filter: WebhookFilter,
    pub status: WebhookStatus,
    pub secret: WebhookSecret,
    /// The previous secret, and until when it is used for signatures.
    pub former_secret: Option<(WebhookSecret, Instant)>,
    /// The position in the feed of changes. All earlier changes were handled.
    pub position: String,
    /// Nothing is sent before this instant; then the webhook is checked even if nothing was written.
    pub due_at: Option<Instant>,
    /// The time of the first failed attempt of the current message, and the number of attempts.
    pub failing: Option<(Instant, u32)>,
    /// Whether a test message was requested.
    pub is_tested: bool,
    /// The oldest delivery first.
    pub deliveries: Vec<Delivery>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WebhookStatus {
    Active,
    /// An admin has disabled it.
    Disabled,
    /// The endpoint has answered 410 Gone.
    Gone,
}

/// Selects the changes that are sent: a change must match every list, and an empty list matches all. Slugs and languages are as the admin has written them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookFilter {
    /// The kinds of the objects, as the log names them.
    pub kinds: Vec<String>,
    pub actions: Vec<Action>,
    pub tags: Vec<String>,
    pub categories: Vec<String>,
    pub authors: Vec<String>,
    pub languages: Vec<String>,
    /// The first slug of each slug's term, even after the term was deleted.
    #[serde(default)]
    pub first_slugs: BTreeMap<String, String>,
}

impl WebhookFilter {
    pub fn terms(&self) -> [(TermKind, &[String]); 3] {
        [(TermKind::Tag, &self.tags), (TermKind::Category, &self.categories), (TermKind::Author, &self.authors)]
    }

    pub(super) fn first_slug(&self, kind: TermKind, written: &str) -> Option<&str> {
        self.first_slugs.get(&Self::named(kind, written)).map(String::as_str)
    }

    /// A key of `first_slugs`; it contains the kind, because terms of two kinds can have the same slug.
    pub(super) fn named(kind: TermKind, written: &str) -> String {
        format!("{} {written}", kind.noun())
    }
}

/// The signing key, which is shown only when it is created.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookSecret(Bytes32);

impl WebhookSecret {
    pub fn new(key: Bytes32) -> Self {
        Self(key)
    }

    /// The form of Standard Webhooks.
    pub fn reveal(&self) -> String {
        format!("whsec_{}", STANDARD.encode(self.0))
    }

    fn sign(&self, signed: &str) -> String {
        format!("v1,{}", STANDARD.encode(secret::sign(&self.0, signed)))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("whsec_…")
    }
}

/// One attempt to send a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub at: Instant,
    /// The `webhook-id`; empty if nothing was sent because the position had expired.
    pub message: String,
    pub outcome: DeliveryOutcome,
    pub status: Option<u16>,
    pub attempt: u32,
    pub milliseconds: u32,
    /// Whether the message was abandoned after three days of failures.
    pub is_skipped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeliveryOutcome {
    Delivered,
    /// The receiver returned a status other than 2xx.
    Refused,
    Timeout,
    Unreachable,
    AddressNotAllowed,
    /// The changes after the position were deleted.
    PositionExpired,
}

/// The result of an attempt.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    pub outcome: DeliveryOutcome,
    pub status: Option<u16>,
    /// The pause that a busy receiver has requested.
    pub retry_after: Option<Duration>,
    pub took: Duration,
}

/// A message to a receiver.
#[derive(Debug)]
pub struct Message {
    pub id: String,
    pub body: String,
    /// The Unix time in seconds.
    pub timestamp: i64,
    /// `webhook-signature`.
    pub signatures: String,
    /// The position after the message; `None` for a test.
    pub(super) position: Option<String>,
}

impl Webhook {
    pub fn is_active(&self) -> bool {
        self.status == WebhookStatus::Active
    }

    /// The time at which to check the webhook even if nothing is written.
    pub(super) fn looks_at(&self) -> Option<Instant> {
        if self.is_tested { Some(Instant::MIN) } else { self.due_at.filter(|_| self.is_active()) }
    }

    /// Signs a message, for a day also with the previous secret.
    pub(super) fn signed(&self, id: String, body: String, position: Option<String>, now: Instant) -> Message {
        let timestamp = now.to_chrono().timestamp();
        let signed = format!("{id}.{timestamp}.{body}");
        let former = self.former_secret.iter().filter(|(_, until)| now < *until).map(|(secret, _)| secret);
        let signatures: Vec<String> = [&self.secret].into_iter().chain(former).map(|key| key.sign(&signed)).collect();
        Message { id, body, timestamp, signatures: signatures.join(" "), position }
    }

    pub(super) fn rotate(&mut self, secret: WebhookSecret, now: Instant) {
        let former = std::mem::replace(&mut self.secret, secret);
        self.former_secret = Some((former, now.plus(BOTH_SECRETS_FOR)));
    }

    /// Continues from this position at once.
    pub(super) fn go_on_from(&mut self, position: String, now: Instant) {
        (self.position, self.failing, self.due_at) = (position, None, Some(now));
    }

    /// Whether the result of a message from the state `self` applies to the stored state.
    pub(super) fn is_noted_on(&self, stored: &Self, message: &Message, is_delivered: bool) -> bool {
        let is_test = message.position.is_none();
        let is_same = stored.position == self.position && (is_delivered || stored.due_at == self.due_at);
        stored.url == self.url && (is_test || is_same)
    }

    /// `jitter`: a random factor near 1.
    pub(super) fn note(&mut self, message: &Message, answer: &Answer, now: Instant, jitter: f64) {
        let is_delivered = answer.outcome == DeliveryOutcome::Delivered;
        let mut delivery = self.delivery(message, answer, now);
        match &message.position {
            _ if answer.status == Some(410) => {
                (self.status, self.failing) = (WebhookStatus::Gone, None);
                self.is_tested &= message.position.is_some();
            }
            None => {
                self.is_tested = false;
                // A failed message is retried at once.
                self.due_at = if is_delivered && self.failing.is_some() { Some(now) } else { self.due_at };
            }
            Some(position) => {
                let (since, failed) = self.failing.unwrap_or((now, 0));
                let last = since.plus(TRIED_FOR);
                delivery.is_skipped = !is_delivered && now >= last;
                if is_delivered || delivery.is_skipped {
                    // The next digest includes the changes of an abandoned one, because some are newer than three days.
                    match self.digest_seconds.filter(|_| delivery.is_skipped) {
                        Some(_) => self.failing = Some((now, 0)),
                        None => (self.position, self.failing) = (position.clone(), None),
                    }
                    self.due_at = self.digest_seconds.map(|seconds| now.plus(Duration::from_secs(seconds.into())));
                } else {
                    let wait = Duration::from_secs(WAITS[(failed as usize).min(WAITS.len() - 1)]).mul_f64(jitter);
                    let wait = answer.retry_after.map_or(wait, |asked| asked.max(wait));
                    (self.failing, self.due_at) = (Some((since, delivery.attempt)), Some(now.plus(wait).min(last)));
                }
            }
        }
        self.keep(delivery);
    }

    pub(super) fn delivery(&self, message: &Message, answer: &Answer, now: Instant) -> Delivery {
        let failed = self.failing.filter(|_| message.position.is_some()).map_or(0, |(_, failed)| failed);
        Delivery {
            at: now,
            message: message.id.clone(),
            outcome: answer.outcome,
            status: answer.status,
            attempt: failed + 1,
            milliseconds: u32::try_from(answer.took.as_millis()).unwrap_or(u32::MAX),
            is_skipped: false,
        }
    }

    /// Records that the changes after the position were deleted.
    pub(super) fn note_expired(&mut self, now_position: String, now: Instant) {
        self.go_on_from(now_position, now);
        self.keep(Delivery {
            at: now,
            message: String::new(),
            outcome: DeliveryOutcome::PositionExpired,
            status: None,
            attempt: 0,
            milliseconds: 0,
            is_skipped: true,
        });
    }

    pub(super) fn keep(&mut self, delivery: Delivery) {
        // The delivery is already recorded if an earlier write had an unknown outcome.
        if self.deliveries.last() != Some(&delivery) {
            self.deliveries.push(delivery);
        }
        let surplus = self.deliveries.len().saturating_sub(DELIVERIES_MAX);
        self.deliveries.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        "2026-06-15T12:00:00Z".parse::<Instant>().expect("an instant").plus(Duration::from_secs(seconds))
    }

    fn webhook() -> Webhook {
        Webhook {
            id: WebhookId::new(at(0), 1),
            url: "https://example.com/".to_owned(),
            created_at: at(0),
            digest_seconds: None,
            filter: WebhookFilter::default(),
            status: WebhookStatus::Active,
            secret: WebhookSecret::new([1; 32]),
            former_secret: None,
            position: "a".to_owned(),
            due_at: None,
            failing: None,
            is_tested: false,
            deliveries: Vec::new(),
        }
    }

    fn answer(status: u16) -> Answer {
        let outcome = if status == 200 { DeliveryOutcome::Delivered } else { DeliveryOutcome::Refused };
        Answer { outcome, status: Some(status), retry_after: None, took: Duration::from_millis(7) }
    }

    #[test]
    fn a_change_is_tried_for_three_days_at_growing_intervals_and_then_skipped() {
        let mut webhook = webhook();
        let (mut now, mut waits) = (at(0), Vec::new());
        loop {
            let message = webhook.signed("m".to_owned(), "{}".to_owned(), Some("b".to_owned()), now);
            webhook.note(&message, &answer(500), now, 1.0);
            let Some(due) = webhook.due_at else { break };
            waits.push(now.until(due).as_secs());
            now = due;
        }
        assert_eq!(waits[..8], WAITS[..8]);
        assert_eq!(waits.iter().sum::<u64>(), TRIED_FOR.as_secs(), "the last attempt is at the end");
        assert_eq!((webhook.position.as_str(), webhook.failing), ("b", None));
        let last = webhook.deliveries.last().expect("a delivery");
        assert_eq!((last.attempt, last.is_skipped), (waits.len() as u32 + 1, true));
        assert_eq!(webhook.deliveries.iter().filter(|delivery| delivery.is_skipped).count(), 1);
    }

    #[test]
    fn the_changes_of_a_digest_that_is_given_up_are_in_the_next_one() {
        let mut webhook = Webhook { digest_seconds: Some(60), ..webhook() };
        let message = webhook.signed("m".to_owned(), "{}".to_owned(), Some("b".to_owned()), at(0));
        webhook.note(&message, &answer(500), at(0), 1.0);
        let last = at(TRIED_FOR.as_secs());
        webhook.note(&message, &answer(500), last, 1.0);
        assert!(webhook.deliveries.last().is_some_and(|last| last.is_skipped));
        assert_eq!((webhook.position.as_str(), webhook.failing), ("a", Some((last, 0))));
        assert_eq!(webhook.due_at, Some(last.plus(Duration::from_secs(60))));
        webhook.note(&message, &answer(200), last, 1.0);
        assert_eq!((webhook.position.as_str(), webhook.failing), ("b", None));
    }

    #[test]
    fn a_busy_receiver_says_when_and_one_that_is_gone_gets_no_more() {
        let mut webhook = webhook();
        let message = webhook.signed("m".to_owned(), "{}".to_owned(), Some("b".to_owned()), at(0));
        let busy = Answer { retry_after: Some(Duration::from_secs(77)), ..answer(503) };
        webhook.note(&message, &busy, at(0), 1.0);
        assert_eq!(webhook.due_at, Some(at(77)));
        let hasty = Answer { retry_after: Some(Duration::ZERO), ..answer(503) };
        webhook.note(&message, &hasty, at(77), 1.0);
        assert_eq!(webhook.due_at, Some(at(77 + WAITS[1])));
        webhook.note(&message, &answer(200), at(77), 1.0);
        assert_eq!((webhook.position.as_str(), webhook.due_at, webhook.failing), ("b", None, None));
        webhook.note(&message, &answer(410), at(78), 1.0);
        assert_eq!(webhook.status, WebhookStatus::Gone);
        for second in 79..=79 + DELIVERIES_MAX as u64 {
            webhook.note(&message, &answer(200), at(second), 1.0);
        }
        assert_eq!(webhook.deliveries.len(), DELIVERIES_MAX);
    }

    #[test]
    fn a_signature_is_that_of_the_specification_and_both_secrets_sign_for_a_day() {
        let mut webhook = webhook();
        assert_eq!(webhook.secret.reveal(), "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=");
        assert_eq!(format!("{:?}", webhook.secret), "whsec_…");
        // The expected signature is from the reference library for JavaScript.
        let begin = Instant::from_chrono(chrono::DateTime::UNIX_EPOCH).expect("an instant");
        let message = webhook.signed("m".to_owned(), "{}".to_owned(), None, begin);
        assert_eq!(message.signatures, "v1,oYy8ydyQZUxnk0VuVprbqYnq0GXFYEQoAG2SnfKFPak=");
        let signed = |webhook: &Webhook, now| webhook.signed("m".to_owned(), "{}".to_owned(), None, now).signatures;
        let one = signed(&webhook, at(0));
        webhook.rotate(WebhookSecret::new([2; 32]), at(0));
        let both = signed(&webhook, at(0));
        assert!(both.ends_with(&format!(" {one}")) && both.split(' ').count() == 2, "{both}");
        assert_eq!(signed(&webhook, at(24 * 3_600)).split(' ').count(), 1);
    }
}
