//! Operations over a WebSocket with the protocol `graphql-transport-ws`. The rule: a page of a refused origin is refused here, too, because browsers do not
//! apply CORS to WebSockets; and a client that follows the protocol and reads each message in time is never disconnected without a reason.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};

use super::message::{FromClient, ToClient, close};
use super::{Event, Operation, Place, REQUEST_BYTES_MAX, Sent, check_token, of_client, pings, too_many};
use crate::graphql::error::{Code, retry_after_of};
use crate::http::answer::RequestFailure;
use crate::http::api::{Api, Share};
use crate::http::cors::is_own;

const PROTOCOL: &str = "graphql-transport-ws";
/// The maximum time until a client sends `connection_init`.
const INIT_TIME: Duration = Duration::from_secs(10);
/// The maximum size of a received message. For a larger one, the client may not read why the connection is closed.
const RECEIVED_BYTES_MAX: usize = REQUEST_BYTES_MAX * 3 / 2;
const BUFFER_BYTES: usize = 8 * 1024;
/// The maximum time for a client to confirm the close.
const CLOSE_TIME: Duration = Duration::from_secs(2);
/// The maximum number of operations on one connection.
const OPERATIONS_MAX: usize = 32;

pub(in crate::http) fn is_requested(headers: &HeaderMap) -> bool {
    headers.get(header::UPGRADE).is_some_and(|upgrade| upgrade.as_bytes().eq_ignore_ascii_case(b"websocket"))
}

pub(in crate::http) async fn answer(api: Arc<Api>, mut head: Parts) -> Result<Response<Body>, RequestFailure> {
    if let Some(origin) = head.headers.get(header::ORIGIN)
        && !api.settings.cors.allow(origin)
        && !is_own(origin, &head.headers)
    {
        let message = "Pages of this origin may not connect; the setting `cors_origin` allows it.";
        return Err(RequestFailure::new(StatusCode::FORBIDDEN, Code::Forbidden, message));
    }
    let Ok(upgrade) = WebSocketUpgrade::from_request_parts(&mut head, &()).await else {
        return Err(RequestFailure::bad_request("This is no handshake of a WebSocket."));
    };
    if !upgrade.requested_protocols().any(|protocol| protocol == PROTOCOL) {
        return Err(RequestFailure::bad_request(format!("`Sec-WebSocket-Protocol` must be `{PROTOCOL}`.")));
    }
    let share = api.share_of(&head.headers, &head.extensions);
    let Ok(of_connection) = Arc::clone(&share.connection.websocket).try_acquire_owned() else {
        return Err(RequestFailure::bad_request("This connection is a WebSocket already."));
    };
    let places = (of_connection, super::place(&share)?, request_of_client(&api, &share)?);
    let connection = Connection {
        api,
        headers: head.headers,
        share,
        is_acknowledged: false,
        operations: HashMap::new(),
        tasks: JoinSet::new(),
        answers: mpsc::channel(1),
        begun: 0,
        _places: places,
    };
    let upgrade = upgrade.protocols([PROTOCOL]).read_buffer_size(BUFFER_BYTES);
    let upgrade = upgrade.max_message_size(RECEIVED_BYTES_MAX).max_frame_size(RECEIVED_BYTES_MAX);
    Ok(upgrade.on_upgrade(move |socket| connection.serve(socket)))
}

/// A WebSocket, and each further operation on it, counts as a request in progress if a proxy names the client.
fn request_of_client(api: &Api, share: &Share) -> Result<Option<OwnedSemaphorePermit>, RequestFailure> {
    let is_named = api.settings.client_address_header.is_some();
    if is_named { of_client(&api.requests_of_clients, share, "requests in progress") } else { Ok(None) }
}

/// The token in the payload of `connection_init`, if there is one.
fn token_of(payload: &str) -> Result<Option<HeaderValue>, End> {
    let payload = match serde_json::from_str(payload) {
        Ok(serde_json::Value::Null) => return Ok(None),
        Ok(serde_json::Value::Object(payload)) => payload,
        Ok(_) | Err(_) => return Err(Some(close(4400, "The payload must be an object"))),
    };
    let named = payload.iter().find(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    let Some((_, token)) = named.filter(|(_, token)| !token.is_null()) else { return Ok(None) };
    let token = token.as_str().and_then(|token| HeaderValue::from_str(token).ok());
    token.map(Some).ok_or_else(|| Some(close(4400, "`authorization` must be a text as in the header")))
}

/// Why a connection ends: the close frame, or `None` if the client is gone or reads nothing.
type End = Option<CloseFrame>;

/// An answer of an operation, or its end.
struct Sending {
    id: String,
    number: u64,
    event: Option<Event>,
}

type Places = (OwnedSemaphorePermit, Place, Option<OwnedSemaphorePermit>);

struct Connection {
    api: Arc<Api>,
    headers: HeaderMap,
    share: Share,
    is_acknowledged: bool,
    /// The operations by their ids. The number distinguishes an operation from an earlier one with the same id.
    operations: HashMap<String, (u64, AbortHandle)>,
    tasks: JoinSet<()>,
    answers: (mpsc::Sender<Sending>, mpsc::Receiver<Sending>),
    begun: u64,
    /// The slots of the connection; the first operation uses them.
    _places: Places,
}

impl Connection {
    async fn serve(mut self, mut socket: WebSocket) {
        if let Err(Some(frame)) = self.serve_until_end(&mut socket).await {
            tracing::debug!(code = frame.code, reason = frame.reason.as_str(), "http.websocket_closed");
            let closing = async {
                // A client that keeps sending may not have read the reason yet.
                if socket.send(Message::Close(Some(frame))).await.is_ok() {
                    while let Some(Ok(_)) = socket.recv().await {}
                }
            };
            drop(timeout(CLOSE_TIME, closing).await);
        }
        self.tasks.shutdown().await;
    }

    async fn serve_until_end(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        let (server, init_by) = (Arc::clone(&self.share.connection.server), Instant::now() + INIT_TIME);
        let (mut pings, mut is_alive) = (pings(), true);
        loop {
            // The memory of a message is charged until it is sent.
            let mut sent = None;
            let message = tokio::select! {
                received = socket.recv() => {
                    is_alive = true;
                    match received {
                        None | Some(Ok(Message::Close(_))) => return Err(None),
                        Some(Err(_)) => return Err(Some(close(1009, "a message is broken, or too long"))),
                        Some(Ok(Message::Text(text))) if text.len() > REQUEST_BYTES_MAX => {
                            return Err(Some(close(1009, "a message is too long")));
                        }
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => None,
                        Some(Ok(Message::Binary(_))) => return Err(Some(close(4400, "a message must be text"))),
                        Some(Ok(Message::Text(text))) => self.take(&text).await?,
                    }
                }
                Some(sending) = self.answers.1.recv() => {
                    let message = self.message_of(&sending);
                    sent = Some(sending);
                    message
                }
                _ = pings.tick() => {
                    if !std::mem::take(&mut is_alive) {
                        return Err(None);
                    }
                    Some(Message::Ping(bytes::Bytes::new()))
                }
                () = sleep_until(init_by), if !self.is_acknowledged => {
                    return Err(Some(close(4408, "Connection initialisation timeout")));
                }
                () = server.stopped() => return Err(Some(close(1001, "the server is stopping"))),
            };
            if let Some(message) = message {
                // Sending fails if the client does not read the message in time.
                socket.send(message).await.map_err(|_| None)?;
                pings.reset();
            }
            drop(sent);
        }
    }

    /// Handles a message, and returns the reply.
    async fn take(&mut self, text: &str) -> Result<Option<Message>, End> {
        let message = FromClient::parse(text).map_err(|error| {
            tracing::debug!(%error, "http.websocket_message_refused");
            Some(close(4400, "Invalid message received"))
        })?;
        match message {
            FromClient::ConnectionInit { payload } => self.init(payload).await.map(Some),
            FromClient::Ping => Ok(Some(ToClient::Pong.message())),
            FromClient::Pong => Ok(None),
            FromClient::Subscribe { .. } if !self.is_acknowledged => Err(Some(close(4401, "Unauthorized"))),
            FromClient::Subscribe { id, payload } if payload.starts_with('{') => self.subscribe(id, payload).await,
            FromClient::Subscribe { .. } => Err(Some(close(4400, "The payload must be an object"))),
            FromClient::Complete { id } => {
                if let Some((_, task)) = self.operations.remove(&id) {
                    task.abort();
                }
                Ok(None)
            }
        }
    }

    /// A page cannot set headers on a WebSocket, so the payload can contain the token, under the name of the header.
    async fn init(&mut self, payload: Option<&str>) -> Result<Message, End> {
        if std::mem::replace(&mut self.is_acknowledged, true) {
            return Err(Some(close(4429, "Too many initialisation requests")));
        }
        if let Some(token) = token_of(payload.unwrap_or("null"))? {
            self.headers.insert(header::AUTHORIZATION, token);
        }
        match check_token(&self.api, &self.headers, &self.share).await {
            Ok(()) => Ok(ToClient::ConnectionAck.message()),
            Err(later) if retry_after_of(&later).is_some() => Err(Some(close(1013, &later.message))),
            Err(refused) => Err(Some(close(4403, &refused.message))),
        }
    }

    async fn subscribe(&mut self, id: String, payload: &str) -> Result<Option<Message>, End> {
        if self.operations.contains_key(&id) {
            return Err(Some(close(4409, &format!("Subscriber for {id} already exists"))));
        }
        while self.tasks.try_join_next().is_some() {}
        let body = payload.as_bytes().to_vec();
        let share = self.share.of_own_query();
        let (api, headers) = (Arc::clone(&self.api), self.headers.clone());
        let charged = share.charge.take(body.len() as u64).await;
        let (of_client, of_all) = match charged.map_err(RequestFailure::from).and_then(|()| self.places()) {
            Ok(places) => places,
            Err(refused) => return Ok(Some(ToClient::of_answer(&id, &Event::of_refusal(refused)))),
        };
        let mut operation = Operation::new(api, headers, share, Sent::Body(body), of_all);
        self.begun += 1;
        let (number, answers, of) = (self.begun, self.answers.0.clone(), id.clone());
        let task = self.tasks.spawn(async move {
            let _place = of_client;
            loop {
                let event = operation.next().await;
                let is_last = event.is_none();
                let sending = Sending { id: of.clone(), number, event };
                if answers.send(sending).await.is_err() || is_last {
                    return;
                }
            }
        });
        self.operations.insert(id, (number, task));
        Ok(None)
    }

    /// The slots for a further operation.
    fn places(&self) -> Result<(Option<OwnedSemaphorePermit>, Option<Place>), RequestFailure> {
        match self.operations.len() {
            0 => Ok((None, None)),
            OPERATIONS_MAX.. => {
                Err(too_many(format!("A connection can have {OPERATIONS_MAX} operations; complete one first.")))
            }
            _ => Ok((request_of_client(&self.api, &self.share)?, Some(super::place(&self.share)?))),
        }
    }

    /// `None` if the client has completed the operation meanwhile.
    fn message_of(&mut self, sending: &Sending) -> Option<Message> {
        let Sending { id, number, event } = sending;
        self.operations.get(id).filter(|(known, _)| known == number)?;
        let is_last = event.as_ref().is_none_or(|event| event.is_refusal);
        if is_last {
            self.operations.remove(id);
        }
        Some(event.as_ref().map_or_else(|| ToClient::Complete { id }.message(), |event| ToClient::of_answer(id, event)))
    }
}
