//! The activity of one connection, by which the server decides when to close it. The rule: a request is in progress from its head until the
//! last piece of its answer is written, so its memory stays charged until then.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, ready},
};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::{sync::Notify, time::Instant};

use crate::graphql::memory::Charge;

/// An answer is passed on in pieces of this size, each when the client has received enough of the previous one. This shows when a client
/// stops reading, and keeps the buffers of its connection small.
const PIECE_BYTES: usize = 16 * 1024;

/// Clones share the state.
#[derive(Debug, Clone)]
pub(super) struct Activity(Arc<SharedActivity>);

#[derive(Debug)]
struct SharedActivity {
    state: Mutex<ActivityState>,
    asked_to_leave: Notify,
}

#[derive(Debug)]
struct ActivityState {
    in_progress: Vec<RequestState>,
    next_id: u64,
    /// When the last request ended; before the first request, when the connection was opened.
    idle_since: Instant,
    /// Bytes of answers that were passed on and not counted by [`Activity::take_sent`] yet.
    sent: u64,
    has_begun: bool,
    is_asked_to_leave: bool,
}

#[derive(Debug)]
struct RequestState {
    id: u64,
    began: Instant,
    /// If its answer is being sent, when a piece of it was last passed on or written.
    moved: Option<Instant>,
    /// Whether its answer is a stream of events, which lasts as long as the client likes and is sent only now and then.
    is_stream: bool,
    /// The pieces that were passed on and not written yet.
    unwritten: usize,
}

impl RequestState {
    /// When its answer last moved, if the client is to read something of it.
    fn unread_since(&self) -> Option<Instant> {
        self.moved.filter(|_| !self.is_stream || self.unwritten > 0)
    }
}

impl Activity {
    pub(super) fn begin() -> Self {
        let state = ActivityState {
            in_progress: Vec::new(),
            next_id: 0,
            idle_since: Instant::now(),
            sent: 0,
            has_begun: false,
            is_asked_to_leave: false,
        };
        Self(Arc::new(SharedActivity { state: Mutex::new(state), asked_to_leave: Notify::new() }))
    }

    /// Records that a request's head is complete.
    pub(super) fn request(&self) -> InProgress {
        let id = self.with(|state| {
            state.next_id += 1;
            let request =
                RequestState { id: state.next_id, began: Instant::now(), moved: None, is_stream: false, unwritten: 0 };
            state.in_progress.push(request);
            state.has_begun = true;
            state.next_id
        });
        InProgress { activity: self.clone(), id, charge: None }
    }

    /// Asks the connection to close, because another connection needs its slot.
    pub(super) fn ask_to_leave(&self) {
        self.with(|state| state.is_asked_to_leave = true);
        self.0.asked_to_leave.notify_one();
    }

    /// Waits until the connection is asked to close.
    pub(super) async fn asked_to_leave(&self) {
        self.0.asked_to_leave.notified().await;
    }

    pub(super) fn is_asked_to_leave(&self) -> bool {
        self.with(|state| state.is_asked_to_leave)
    }

    /// Whether the connection, or a request of it, still exists.
    pub(super) fn is_open(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Whether this connection has had a request.
    pub(super) fn has_begun(&self) -> bool {
        self.with(|state| state.has_begun)
    }

    /// Since when no request is in progress; `None` while one is.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        self.with(|state| state.in_progress.is_empty().then_some(state.idle_since))
    }

    /// When the oldest request in progress began, except for streams of events.
    pub(super) fn under_way_since(&self) -> Option<Instant> {
        let is_answer = |request: &&RequestState| !request.is_stream;
        self.with(|state| state.in_progress.iter().filter(is_answer).map(|request| request.began).min())
    }

    /// When the client last received something of an answer that is being sent; of several answers, the earliest such time.
    pub(super) fn stalled_since(&self) -> Option<Instant> {
        self.with(|state| state.in_progress.iter().filter_map(RequestState::unread_since).min())
    }

    /// The bytes of answers that were passed on since the last call.
    pub(super) fn take_sent(&self) -> u64 {
        self.with(|state| std::mem::take(&mut state.sent))
    }

    fn with<T>(&self, look: impl FnOnce(&mut ActivityState) -> T) -> T {
        look(&mut self.0.state.lock().expect("no code panics while it holds this lock"))
    }
}

/// A request in progress. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct InProgress {
    activity: Activity,
    id: u64,
    charge: Option<Charge>,
}

impl InProgress {
    /// Keeps the request in progress, and its memory charged, until the last piece of this body is written or dropped.
    /// `is_stream`: whether it is a stream of events.
    pub(super) fn until_sent(mut self, body: Body, charge: Option<Charge>, is_stream: bool) -> Body {
        self.with(|_, request| {
            request.moved = Some(Instant::now());
            request.is_stream = is_stream;
        });
        self.charge = charge;
        Body::new(Sending { body, rest: Bytes::new(), request: Arc::new(self) })
    }

    /// Records that a piece of the answer was passed on. Of a stream, further pieces are passed on even if the client reads nothing.
    fn note_passed(&self, bytes: usize) {
        self.with(|sent, request| {
            *sent += bytes as u64;
            if !request.is_stream || request.unwritten == 0 {
                request.moved = Some(Instant::now());
            }
            request.unwritten += 1;
        });
    }

    fn note_written(&self) {
        self.with(|_, request| {
            request.moved = Some(Instant::now());
            request.unwritten = request.unwritten.saturating_sub(1);
        });
    }

    fn with(&self, change: impl FnOnce(&mut u64, &mut RequestState)) {
        self.activity.with(|state| {
            if let Some(request) = state.in_progress.iter_mut().find(|request| request.id == self.id) {
                change(&mut state.sent, request);
            }
        });
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.activity.with(|state| {
            state.in_progress.retain(|request| request.id != self.id);
            state.idle_since = Instant::now();
        });
    }
}

struct Sending {
    body: Body,
    /// The part of the body's last frame that is not passed on yet.
    rest: Bytes,
    request: Arc<InProgress>,
}

impl Sending {
    fn next_piece(&mut self) -> Bytes {
        let bytes = self.rest.split_to(self.rest.len().min(PIECE_BYTES));
        self.request.note_passed(bytes.len());
        Bytes::from_owner(Piece { bytes, request: Arc::clone(&self.request) })
    }
}

/// A piece in the buffers of its connection, possibly after its body has ended.
struct Piece {
    bytes: Bytes,
    request: Arc<InProgress>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.request.note_written();
    }
}

impl HttpBody for Sending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(context)?) else { return Poll::Ready(None) };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(self.next_piece()))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(body.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::graphql::memory::{AnswerMemory, OWN_BYTES};

    #[tokio::test(start_paused = true)]
    async fn a_request_is_in_progress_until_its_answer_is_dropped() {
        let activity = Activity::begin();
        let opened = activity.idle_since();
        assert_eq!((activity.has_begun(), opened.is_some()), (false, true));
        tokio::time::advance(Duration::from_secs(1)).await;
        let began = Instant::now();
        let sending = activity.request().until_sent(Body::from("x"), None, false);
        assert_eq!((activity.idle_since(), activity.under_way_since()), (None, Some(began)));
        drop(sending);
        assert!(activity.idle_since() > opened);
        assert_eq!(activity.under_way_since(), None);
    }

    async fn next(body: &mut Body) -> Option<Bytes> {
        let frame = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await?;
        Some(frame.expect("a piece").into_data().expect("data"))
    }

    #[tokio::test]
    async fn an_answer_is_passed_on_completely_in_pieces() {
        let text = Bytes::from(vec![7; 2 * PIECE_BYTES + 1]);
        let mut sending = Activity::begin().request().until_sent(Body::from(text.clone()), None, false);
        let (mut pieces, mut whole) = (Vec::new(), Vec::new());
        assert_eq!(sending.size_hint().exact(), Some(text.len() as u64));
        while let Some(piece) = next(&mut sending).await {
            pieces.push(piece.len());
            whole.extend_from_slice(&piece);
            assert_eq!(sending.size_hint().exact(), Some((text.len() - whole.len()) as u64));
        }
        assert_eq!((pieces, Bytes::from(whole)), (vec![PIECE_BYTES, PIECE_BYTES, 1], text));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_not_read_is_noticed_while_others_are_read() {
        let activity = Activity::begin();
        let _running = activity.request();
        assert_eq!(activity.stalled_since(), None, "nothing is sent yet");
        let mut answer = activity.request().until_sent(Body::from("x"), None, false);
        let begun = activity.stalled_since();
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!((begun, activity.stalled_since()), (Some(Instant::now() - Duration::from_secs(1)), begun));
        let piece = next(&mut answer).await;
        assert_eq!((activity.stalled_since(), activity.take_sent()), (Some(Instant::now()), 1));
        drop(answer);
        assert!(activity.stalled_since().is_some(), "its last piece is not written");
        let _unread = activity.request().until_sent(Body::from("x"), None, false);
        let begun = activity.stalled_since();
        tokio::time::advance(Duration::from_secs(1)).await;
        drop(piece);
        assert_eq!(activity.stalled_since(), begun);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_of_events_is_unread_only_while_one_of_its_pieces_is() {
        let activity = Activity::begin();
        let mut events = activity.request().until_sent(Body::from(vec![7; PIECE_BYTES + 1]), None, true);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!((activity.stalled_since(), activity.under_way_since()), (None, None));
        let first = next(&mut events).await;
        let passed = activity.stalled_since();
        tokio::time::advance(Duration::from_secs(1)).await;
        let second = next(&mut events).await;
        assert_eq!((passed.is_some(), activity.stalled_since()), (true, passed), "the client has read nothing");
        drop((first, second));
        assert_eq!(activity.stalled_since(), None);
    }

    #[tokio::test]
    async fn an_answer_is_charged_until_its_last_piece_is_dropped() {
        let memory = AnswerMemory::default();
        let free = memory.free();
        let charge = memory.connection().charge();
        assert!(charge.try_take(OWN_BYTES) && charge.try_take(1024 * 1024));
        let mut body = Activity::begin().request().until_sent(Body::from("x"), Some(charge), false);
        let piece = next(&mut body).await;
        drop(body);
        assert_eq!(memory.free(), free - 1024 * 1024);
        drop(piece);
        assert_eq!(memory.free(), free);
    }
}
