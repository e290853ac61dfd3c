//! Sends messages to the endpoints of webhooks. The rule: it connects only to allowed IP addresses, which are checked for each connection; it follows no
//! redirects, and limits the time of a request.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant as Moment};

use chrono::{DateTime, Utc};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, StatusCode, Url, redirect};

use crate::content::webhooks::{Answer, DeliveryOutcome, Message, SendsMessages};
use crate::model::{AllowedHosts, NotAllowed};

/// The time limit of a request with its response.
const ANSWERED_WITHIN: Duration = Duration::from_secs(15);
const CONNECTED_WITHIN: Duration = Duration::from_secs(5);
/// The maximum pause that a receiver can request.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);

pub struct WebhookSender {
    client: Client,
    allowed: Arc<AllowedHosts>,
}

impl WebhookSender {
    /// # Errors
    /// If no HTTP client can be created, for example because the machine has no root certificates.
    pub fn new(allowed: AllowedHosts) -> Result<Self, reqwest::Error> {
        let allowed = Arc::new(allowed);
        let client = Client::builder()
            .connect_timeout(CONNECTED_WITHIN)
            .timeout(ANSWERED_WITHIN)
            .redirect(redirect::Policy::none())
            // A proxy would connect to unchecked addresses.
            .no_proxy()
            .dns_resolver(Arc::new(AllowedAddresses(Arc::clone(&allowed))))
            .user_agent(concat!("Tidings/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client, allowed })
    }

    /// The body of the response is not read; the connection is closed with it.
    async fn answer(&self, url: &str, message: &Message) -> Result<(StatusCode, HeaderMap), DeliveryOutcome> {
        let url: Url = url.parse().map_err(|_| DeliveryOutcome::Unreachable)?;
        self.allowed.check(&url).map_err(|_| DeliveryOutcome::AddressNotAllowed)?;
        let request = self
            .client
            .post(url)
            .header("content-type", "application/json")
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", message.timestamp)
            .header("webhook-signature", &message.signatures)
            .body(message.body.clone());
        let answer = request.send().await.map_err(|error| outcome_of(&error))?;
        Ok((answer.status(), answer.headers().clone()))
    }
}

#[async_trait::async_trait]
impl SendsMessages for WebhookSender {
    async fn send(&self, url: &str, message: &Message) -> Answer {
        let began = Moment::now();
        let answered = self.answer(url, message).await;
        let took = began.elapsed();
        match answered {
            Ok((status, headers)) => {
                let is_busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
                let now = DateTime::from_timestamp(message.timestamp, 0).unwrap_or_default();
                let retry_after = headers.get(RETRY_AFTER).filter(|_| is_busy).and_then(|value| value.to_str().ok());
                Answer {
                    outcome: if status.is_success() { DeliveryOutcome::Delivered } else { DeliveryOutcome::Refused },
                    status: Some(status.as_u16()),
                    retry_after: retry_after.and_then(|text| wait_of(text, now)),
                    took,
                }
            }
            Err(outcome) => Answer { outcome, status: None, retry_after: None, took },
        }
    }
}

/// The wait in `Retry-After`: seconds, or a date.
fn wait_of(text: &str, now: DateTime<Utc>) -> Option<Duration> {
    let until = || Some(DateTime::parse_from_rfc2822(text).ok()?.to_utc() - now);
    let wait = text.parse().ok().map(Duration::from_secs).or_else(|| until()?.to_std().ok())?;
    Some(wait.min(RETRY_AFTER_MAX))
}

fn outcome_of(error: &reqwest::Error) -> DeliveryOutcome {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(found) = cause {
        if found.is::<NotAllowed>() {
            return DeliveryOutcome::AddressNotAllowed;
        }
        cause = found.source();
    }
    if error.is_timeout() { DeliveryOutcome::Timeout } else { DeliveryOutcome::Unreachable }
}

/// Resolves names to their allowed addresses. The client connects to the returned addresses, so later answers of a name server do not matter.
struct AllowedAddresses(Arc<AllowedHosts>);

impl Resolve for AllowedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = Arc::clone(&self.0);
        Box::pin(async move {
            let is_named = allowed.names(name.as_str());
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let (addresses, refused): (Vec<SocketAddr>, Vec<_>) =
                found.partition(|address| is_named || allowed.allows(address.ip()));
            if addresses.is_empty() && !refused.is_empty() {
                return Err(NotAllowed::Address.into());
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_receiver_names_seconds_or_a_date() {
        let now = DateTime::from_timestamp(1_445_412_420, 0).expect("an instant");
        let seconds = |text: &str| wait_of(text, now).map(|wait| wait.as_secs());
        assert_eq!(seconds("120"), Some(120));
        assert_eq!(seconds("Wed, 21 Oct 2015 07:28:00 GMT"), Some(60));
        assert_eq!(seconds("99999999"), Some(86_400));
        assert_eq!(["", "-1", "soon", "Wed, 21 Oct 2015 07:00:00 GMT"].map(seconds), [None; 4]);
    }
}
