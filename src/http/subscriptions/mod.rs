//! Operations with any number of answers: subscriptions, and live queries ([`live`]), over Server-Sent Events ([`events`]) and WebSockets ([`websocket`]). The
//! rule: each answer belongs to a separate request, which `execution` checks and runs like any other; so a revoked token gets no more events.

pub(super) mod events;
mod live;
mod message;
mod patch;
pub(super) mod websocket;

use std::sync::Arc;
use std::time::Duration;

use async_graphql::{Request as GraphqlRequest, Response as GraphqlResponse, ServerError};
use axum::http::{HeaderMap, StatusCode, Uri};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Interval, MissedTickBehavior, interval_at, sleep, timeout};

use super::answer::{Answer, RequestFailure};
use super::api::{Api, Share};
use super::clients::Shares;
use super::execution::{CanWrite, run, sign_in};
use super::json::Json;
use super::parameters::{self, SentRequest};
use super::request_headers::{forward, forward_token};
use crate::graphql::access::has_preview_token;
use crate::graphql::error::{Code, OK, retry_after_of};
use crate::graphql::fair_use::ClientAddress;
use crate::graphql::subscription::Subscribed;
use crate::telemetry::metrics::{self, GaugeGuard};
use live::{Live, LiveAnswer};

pub(super) use live::LiveQueries;

/// Proxies commonly close a connection without traffic for 60 s.
const PING_EVERY: Duration = Duration::from_secs(30);

fn pings() -> Interval {
    let mut pings = interval_at(tokio::time::Instant::now() + PING_EVERY, PING_EVERY);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings
}

/// How often the token of a live query is checked while nothing changes.
const TOKEN_CHECKED_EVERY: Duration = Duration::from_secs(30);

/// Checks the token in the headers, if there is one.
async fn check_token(api: &Api, headers: &HeaderMap, share: &Share) -> Result<(), ServerError> {
    let request = forward_token(GraphqlRequest::new(""), headers);
    let request = share.client.into_iter().fold(request, |request, client| request.data(ClientAddress(client)));
    sign_in(api, request).await.map(drop)
}

/// A slot for an operation or a WebSocket, and one of the client's address.
type Place = (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>);

/// One address gets only a share of the slots, so that others remain.
fn place(share: &Share) -> Result<Place, RequestFailure> {
    let server = &share.connection.server;
    let of_all = Arc::clone(&server.streams).try_acquire_owned().map_err(|_| {
        let message = "This server has as many subscriptions as its connections allow. Try again later.";
        RequestFailure::new(StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded, message)
    })?;
    Ok((of_all, of_client(&server.streams_of_clients, share, "subscriptions")?))
}

/// A slot of the client, if its address is known.
fn of_client(shares: &Shares, share: &Share, of_what: &str) -> Result<Option<OwnedSemaphorePermit>, RequestFailure> {
    let Some(client) = share.client else { return Ok(None) };
    let slot = shares.take(client);
    slot.map(Some).ok_or_else(|| too_many(format!("This client address has as many {of_what} as it may have.")))
}

fn too_many(message: String) -> RequestFailure {
    RequestFailure::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, message)
}

/// The longest request with events, which stays in memory as long as its operation. Longer ones, such as those with the text of a post, must be POSTs with one
/// answer.
pub(super) const REQUEST_BYTES_MAX: usize = 64 * 1024;

/// The text of a request, which is parsed for each of its answers.
pub(super) enum Sent {
    Body(Vec<u8>),
    Url(Uri),
}

/// A request, and the state that its answers share.
struct Operation {
    api: Arc<Api>,
    headers: HeaderMap,
    share: Share,
    sent: Sent,
    subscribed: Arc<Subscribed>,
    /// Set once a live query has an answer.
    live: Option<Live>,
    has_ended: bool,
    /// Set while it waits for events.
    waiting: Option<GaugeGuard>,
    _place: Option<Place>,
}

/// An answer, with the memory that it uses until it is dropped.
struct Event {
    json: Json,
    /// Whether it consists of errors only; then it is the last answer.
    is_refusal: bool,
    share: Option<Share>,
}

impl Event {
    fn of_refusal(refused: impl Into<GraphqlResponse>) -> Self {
        Self { json: Answer::of(&refused.into()).json, is_refusal: true, share: None }
    }
}

impl Operation {
    /// `place`: a slot for operations; `None` if it uses the slot of its WebSocket.
    fn new(api: Arc<Api>, headers: HeaderMap, share: Share, sent: Sent, place: Option<Place>) -> Self {
        let subscribed = Arc::default();
        Self { api, headers, share, sent, subscribed, live: None, has_ended: false, waiting: None, _place: place }
    }

    /// The next answer; `None` after the last one.
    async fn next(&mut self) -> Option<Event> {
        while !self.has_ended {
            if let Err(ended) = self.wait().await {
                self.has_ended = true;
                return Some(Event::of_refusal(GraphqlResponse::from_errors(vec![ended])));
            }
            if let Some(event) = self.execute().await {
                return Some(event);
            }
        }
        None
    }

    /// Waits until an execution can have an event.
    async fn wait(&self) -> Result<(), ServerError> {
        let Some(live) = &self.live else { return self.subscribed.wait().await };
        while timeout(TOKEN_CHECKED_EVERY, live.wait()).await.is_err() {
            match check_token(&self.api, &self.headers, &self.share).await {
                Err(refused) if retry_after_of(&refused).is_none() => return Err(refused),
                Ok(()) | Err(_) => {}
            }
        }
        sleep(live.pause()).await;
        Ok(())
    }

    /// Executes the request once. `None` if there is no event yet.
    async fn execute(&mut self) -> Option<Event> {
        let share = self.share.of_own_query();
        let limit = self.api.settings.limits.request_time;
        let api = Arc::clone(&self.api);
        let running = Box::pin(api.turns.run(self.run(&share)));
        let ran = timeout(limit, running).await.unwrap_or_else(|_| Err(RequestFailure::timed_out(limit)));
        let mut answer = ran.unwrap_or_else(|failure| Answer::of(&failure.into()));
        // The text of the event is a copy of the answer.
        if let Err(over) = share.charge.take(2 * answer.json.length()).await {
            answer = Answer::of(&RequestFailure::from(over).into());
        }
        let is_refusal = !answer.has_data && answer.code() != OK;
        // A query that was only validated never changes.
        let is_validated = self.subscribed.is_live() && self.live.is_none();
        self.has_ended = is_refusal || is_validated || !self.subscribed.has_begun();
        if !self.has_ended && self.waiting.is_none() {
            self.waiting = Some(metrics::subscription_begun());
        }
        let json = match &mut self.live {
            Some(live) if !self.has_ended => match live.news().await {
                Ok(news) => news?,
                Err(over) => {
                    self.has_ended = true;
                    return Some(Event::of_refusal(RequestFailure::from(over)));
                }
            },
            _ => answer.json,
        };
        (self.has_ended || answer.has_data).then(|| Event { json, is_refusal, share: Some(share) })
    }

    /// Runs the request; a live query only if no other client has a current answer.
    async fn run(&mut self, share: &Share) -> Result<Answer, RequestFailure> {
        let (request, can_write) = self.request(share).await?;
        let request = forward(request, &self.headers).data(Arc::clone(&self.subscribed));
        // The answers of preview links are not shared: each request checks whether its link was revoked.
        let key = (!self.subscribed.has_begun() && !has_preview_token(&request))
            .then(|| live::key_of(&request, &self.headers));
        let shared = match &self.live {
            Some(live) => Some(Arc::clone(&live.shared)),
            None => key.as_ref().and_then(|key| self.api.live.find(key)),
        };
        let mut last = match &shared {
            Some(shared) => Some(Arc::clone(shared).lock_owned().await),
            None => None,
        };
        let known = last.as_ref().and_then(|last| last.as_ref());
        if let Some(live) = shared.clone().and_then(|shared| Live::current(shared, known, self.live.as_ref())) {
            // The answer comes from another request, and this client's token may have been revoked since.
            if self.live.is_none()
                && let Err(refused) = check_token(&self.api, &self.headers, share).await
            {
                return Ok(Answer::of(&GraphqlResponse::from_errors(vec![refused])));
            }
            self.subscribed.begin_live(false, false);
            return Ok(self.live.insert(live).answer());
        }
        let begun = self.api.live.begin();
        let request = begun.recording().into_iter().fold(request, |request, recording| request.data(recording));
        let answer = run(&self.api, request, (can_write, None), share, &mut None).await?.answer;
        if !self.subscribed.is_live() || !answer.has_data {
            return Ok(answer);
        }
        let (charge, before) = (share.charge.beside(), known.map(|known| &**known));
        let live = LiveAnswer::of(&answer.json, charge, begun, before, self.subscribed.is_patched()).await?;
        let shared = match (shared, key) {
            (Some(shared), _) => shared,
            (None, Some(key)) if !self.subscribed.is_of_one() => self.api.live.share(key),
            (None, _) => Arc::default(),
        };
        match &mut last {
            Some(last) => **last = Some(Arc::clone(&live)),
            None => {
                let mut last = shared.lock().await;
                if last.as_ref().is_none_or(|last| live.is_newer_than(last)) {
                    *last = Some(Arc::clone(&live));
                }
            }
        }
        self.live = Some(Live::new(shared, live, self.live.as_ref()));
        Ok(answer)
    }

    async fn request(&self, share: &Share) -> Result<(GraphqlRequest, CanWrite), RequestFailure> {
        match &self.sent {
            Sent::Url(uri) => Ok((self.api.request_of(uri, share).await?, CanWrite::No)),
            Sent::Body(body) => match parameters::from_body(body, self.api.parameter_bounds(), &share.charge).await? {
                SentRequest::One(request) => Ok((*request, CanWrite::Yes)),
                SentRequest::Batch(_) => {
                    Err(RequestFailure::bad_request("A batch has no stream of events; send its requests one by one."))
                }
            },
        }
    }
}
