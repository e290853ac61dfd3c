//! The socket of a connection, and the exchange of a request and its answer on it. The rule: a client that does not read its answer in time is disconnected,
//! and the memory of an answer is charged until its last byte is written.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{body::Body, response::Response};
use http_body_util::BodyExt;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::{Notify, Semaphore},
    time::{Instant, Sleep, sleep},
};

use super::settings::ServerLimits;
use crate::graphql::memory::{AnswerMemory, Charge};

/// A client that has received nothing of an answer for this long is disconnected if others need its slot or memory.
const STALLED: Duration = Duration::from_secs(5);

/// The maximum time between two checks of a client that reads nothing. Such a client must be disconnected within the 8 s that a charge waits for memory.
const LOOK_EVERY_MAX: Duration = Duration::from_secs(1);

/// Marks an answer that is a stream of events of unlimited duration; the time limit of an answer applies to each event. It holds the charge of the last event
/// until that is written.
#[derive(Debug, Clone, Default)]
pub(super) struct EventStream(Arc<Mutex<Option<Charge>>>);

impl EventStream {
    /// Holds the charge of an event. Call it when the event is passed to the connection.
    pub(super) fn keep(&self, charge: Charge) {
        self.set(Some(charge));
    }

    fn set(&self, charge: Option<Charge>) {
        *self.0.lock().expect("no code panics while it holds this lock") = charge;
    }
}

/// The request in progress on a connection. Clones share the state.
#[derive(Debug, Clone)]
pub(super) struct Exchange(Arc<Mutex<ExchangeState>>, Arc<Notify>);

#[derive(Debug)]
struct ExchangeState {
    /// Since when no request is in progress. A request is in progress from its complete head to the last written byte of its answer.
    idle_since: Option<Instant>,
    /// Whether parts of the answer were not passed to the connection yet.
    has_more: bool,
    /// `None` if the answer is not a stream of events.
    events: Option<EventStream>,
    /// The instant by which all pending bytes must be written.
    until: Option<Instant>,
    charge: Option<Charge>,
}

impl Exchange {
    pub(super) fn new() -> Self {
        let idle_since = Some(Instant::now());
        let state = ExchangeState { idle_since, has_more: false, events: None, until: None, charge: None };
        Self(Arc::new(Mutex::new(state)), Arc::default())
    }

    /// Records that a request's head is complete. The answer to an earlier one may not be written yet, so it stays charged.
    pub(super) fn begin(&self, answer_time: Duration) {
        self.with(|state| {
            state.idle_since = None;
            state.has_more = true;
            state.events = None;
            state.until = Some(Instant::now() + answer_time);
        });
    }

    /// Keeps the memory of the answer charged until it is written. All earlier answers were written.
    pub(super) fn send(&self, mut response: Response) -> Response {
        let (charge, events) =
            (response.extensions_mut().remove::<Charge>(), response.extensions_mut().remove::<EventStream>());
        self.with(|state| {
            state.charge = charge;
            if events.is_some() {
                state.until = None;
            }
            state.events = events;
        });
        let passed = Passed(self.clone());
        response.map(|body| kept_with(body, passed))
    }

    /// Whether no request has been in progress for this long.
    pub(super) fn is_idle_for(&self, time: Duration) -> bool {
        self.idle_since().is_some_and(|since| since.elapsed() >= time)
    }

    pub(super) fn idle_since(&self) -> Option<Instant> {
        self.with(|state| state.idle_since)
    }

    /// Asks the connection to close, if it is still idle, to make room for another one.
    pub(super) fn ask_to_close(&self) {
        self.1.notify_one();
    }

    pub(super) async fn asked_to_close(&self) {
        self.1.notified().await;
    }

    /// Whether the connection has ended, so that this is the last clone.
    pub(super) fn has_ended(&self) -> bool {
        Arc::strong_count(&self.1) == 1
    }

    /// The instant by which the pending bytes must be written.
    fn until(&self, answer_time: Duration) -> Instant {
        self.with(|state| *state.until.get_or_insert_with(|| Instant::now() + answer_time))
    }

    /// Records that all passed bytes are written.
    fn note_written(&self) {
        self.with(|state| {
            if state.events.is_some() || !state.has_more {
                state.until = None;
            }
            if let Some(events) = &state.events {
                events.set(None);
            }
            if !state.has_more {
                state.charge = None;
                state.idle_since.get_or_insert_with(Instant::now);
            }
        });
    }

    fn with<T>(&self, look: impl FnOnce(&mut ExchangeState) -> T) -> T {
        look(&mut self.0.lock().expect("no code panics while it holds this lock"))
    }
}

/// Dropped with the body of an answer, after all of it was passed to the connection.
struct Passed(Exchange);

impl Drop for Passed {
    fn drop(&mut self) {
        self.0.with(|state| state.has_more = false);
    }
}

/// Keeps a value until the whole body was passed on.
pub(super) fn kept_with(body: Body, value: impl Send + 'static) -> Body {
    Body::new(body.map_err(move |error| {
        let _kept = &value;
        error
    }))
}

pub(super) struct Socket {
    pub stream: TcpStream,
    pub exchange: Exchange,
    pub limits: Arc<ServerLimits>,
    pub memory: AnswerMemory,
    /// The slots of connections.
    pub slots: Arc<Semaphore>,
    /// Since when the client reads nothing, and the next check.
    pub stalled: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Socket {
    /// Fails if the client has not taken the answer in time.
    fn write(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let Self { stream, exchange, limits, memory, slots, stalled } = self;
        let until = exchange.until(limits.answer_time);
        let written = write(Pin::new(stream), context);
        if written.is_ready() && Instant::now() < until {
            *stalled = None;
            return written;
        }
        let look_every = (limits.write_time.min(limits.answer_time) / 8).min(LOOK_EVERY_MAX);
        let (since, look) = stalled.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(look_every))));
        loop {
            let others_wait = memory.is_short() || slots.available_permits() == 0;
            let write_time = if others_wait { limits.write_time.min(STALLED) } else { limits.write_time };
            if Instant::now() >= until || since.elapsed() >= write_time {
                tracing::debug!("http.answer_not_taken");
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            ready!(look.as_mut().poll(context));
            look.as_mut().reset(Instant::now() + look_every);
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.write(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(context, |stream, context| stream.poll_write_vectored(context, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// The connection calls this when it has no more bytes to write.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.exchange.note_written();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphql::memory::OWN_BYTES;

    fn answer(exchange: &Exchange, charge: Option<Charge>, events: Option<EventStream>) -> Response {
        exchange.begin(Duration::from_secs(60));
        let mut response = Response::new(Body::from("x"));
        if let Some(charge) = charge {
            response.extensions_mut().insert(charge);
        }
        if let Some(events) = events {
            response.extensions_mut().insert(events);
        }
        exchange.send(response)
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_is_in_progress_and_charged_until_its_answer_is_written() {
        let memory = AnswerMemory::default();
        let (free, charge) = (memory.free(), memory.charge());
        assert!(charge.try_take(OWN_BYTES + 1024 * 1024));
        let exchange = Exchange::new();
        assert!(exchange.is_idle_for(Duration::ZERO));
        let answer = answer(&exchange, Some(charge), None);
        tokio::time::advance(Duration::from_secs(10)).await;
        let until = exchange.until(Duration::ZERO);
        exchange.note_written();
        assert_eq!((exchange.until(Duration::ZERO), until), (until, Instant::now() + Duration::from_secs(50)));
        drop(answer);
        assert!(!exchange.is_idle_for(Duration::ZERO), "its last piece is not written");
        assert_eq!(memory.free(), free - 1024 * 1024);
        exchange.note_written();
        assert!(exchange.is_idle_for(Duration::ZERO) && !exchange.is_idle_for(Duration::from_secs(1)));
        assert_eq!(memory.free(), free);
    }

    #[tokio::test(start_paused = true)]
    async fn each_event_of_a_stream_has_the_time_of_an_answer() {
        let (exchange, time) = (Exchange::new(), Duration::from_secs(60));
        let _events = answer(&exchange, None, Some(EventStream::default()));
        for _ in 0..3 {
            tokio::time::advance(10 * time).await;
            let until = exchange.until(time);
            assert_eq!(until, Instant::now() + time);
            tokio::time::advance(Duration::from_secs(30)).await;
            assert_eq!(exchange.until(time), until, "the client has taken a part of the event");
            exchange.note_written();
        }
        assert!(!exchange.is_idle_for(Duration::ZERO));
    }

    #[tokio::test]
    async fn an_event_is_charged_until_it_is_written() {
        let (exchange, memory, stream) = (Exchange::new(), AnswerMemory::default(), EventStream::default());
        let free = memory.free();
        let _events = answer(&exchange, None, Some(stream.clone()));
        for _ in 0..3 {
            let charge = memory.charge();
            assert!(charge.try_take(OWN_BYTES + 1024 * 1024));
            stream.keep(charge);
            assert_eq!(memory.free(), free - 1024 * 1024);
            exchange.note_written();
            assert_eq!(memory.free(), free, "the client waits for the next one");
        }
    }
}
