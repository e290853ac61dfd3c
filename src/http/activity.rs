//! The activity of one connection, by which the server decides when to close it. The rule: a request is in progress from its head until the
//! last piece of its answer is passed on.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, ready},
};

use axum::{body::Body, http::Version};
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
    changed: Notify,
}

#[derive(Debug)]
struct ActivityState {
    /// When each request in progress began.
    under_way: Vec<Instant>,
    /// For each answer that is being sent, when its last piece was passed on.
    sending: Vec<Sent>,
    next_id: u64,
    /// When the last request ended; before the first request, when the connection was opened.
    idle_since: Instant,
    /// When the first byte of an incomplete head arrived.
    head_since: Option<Instant>,
    has_begun: bool,
    is_http2: bool,
    is_asked_to_leave: bool,
}

#[derive(Debug)]
struct Sent {
    id: u64,
    moved: Instant,
}

impl Activity {
    pub(super) fn begin() -> Self {
        let state = ActivityState {
            under_way: Vec::new(),
            sending: Vec::new(),
            next_id: 0,
            idle_since: Instant::now(),
            head_since: None,
            has_begun: false,
            is_http2: false,
            is_asked_to_leave: false,
        };
        Self(Arc::new(SharedActivity { state: Mutex::new(state), changed: Notify::new() }))
    }

    /// Records that a request's head is complete. The request is in progress until its answer is dropped.
    pub(super) fn request(&self, version: Version) -> UnderWay {
        let began = Instant::now();
        self.with(|state| {
            state.under_way.push(began);
            state.has_begun = true;
            state.is_http2 |= version == Version::HTTP_2;
            if !state.is_http2 {
                state.head_since = None;
            }
        });
        self.0.changed.notify_one();
        UnderWay { activity: self.clone(), began }
    }

    /// Records that the client uses HTTP/2, even if it has not sent a request yet.
    pub(super) fn speaks_http2(&self) {
        self.with(|state| state.is_http2 = true);
    }

    /// Records that the first byte of a possible head arrived.
    pub(super) fn head_begins(&self) {
        if self.with(|state| state.head_since.is_none().then(|| state.head_since = Some(Instant::now()))).is_some() {
            self.0.changed.notify_one();
        }
    }

    /// Records that the bytes were not a head, or that the head is complete.
    pub(super) fn head_ends(&self) {
        self.with(|state| state.head_since = None);
    }

    /// Asks the connection to close, because another connection needs its slot.
    pub(super) fn ask_to_leave(&self) {
        self.with(|state| state.is_asked_to_leave = true);
        self.0.changed.notify_one();
    }

    /// Waits until a request or a head begins, or the connection is asked to close.
    pub(super) async fn changed(&self) {
        self.0.changed.notified().await;
    }

    pub(super) fn is_asked_to_leave(&self) -> bool {
        self.with(|state| state.is_asked_to_leave)
    }

    /// Whether this connection has had a request.
    pub(super) fn has_begun(&self) -> bool {
        self.with(|state| state.has_begun)
    }

    pub(super) fn is_http2(&self) -> bool {
        self.with(|state| state.is_http2)
    }

    /// Since when no request is in progress; `None` while one is.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        self.with(|state| state.under_way.is_empty().then_some(state.idle_since))
    }

    /// When the oldest request in progress began.
    pub(super) fn under_way_since(&self) -> Option<Instant> {
        self.with(|state| state.under_way.iter().min().copied())
    }

    /// When the client last received something of an answer; of several answers, the earliest such time.
    pub(super) fn stalled_since(&self) -> Option<Instant> {
        self.with(|state| state.sending.iter().map(|sent| sent.moved).min())
    }

    /// When the first byte of an incomplete head arrived.
    pub(super) fn head_since(&self) -> Option<Instant> {
        self.with(|state| state.head_since)
    }

    fn with<T>(&self, look: impl FnOnce(&mut ActivityState) -> T) -> T {
        look(&mut self.0.state.lock().expect("no code panics while it holds this lock"))
    }
}

#[derive(Debug)]
pub(super) struct UnderWay {
    activity: Activity,
    began: Instant,
}

impl UnderWay {
    /// Ends the request when this body ends. Its memory stays charged until the last piece is written or dropped.
    pub(super) fn until_sent(self, body: Body, charge: Option<Charge>) -> Body {
        let id = self.activity.with(|state| {
            let id = state.next_id;
            state.next_id += 1;
            state.sending.push(Sent { id, moved: Instant::now() });
            id
        });
        Body::new(Sending { body, rest: Bytes::new(), id, charge, under_way: self })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.activity.with(|state| {
            if let Some(at) = state.under_way.iter().position(|began| *began == self.began) {
                state.under_way.swap_remove(at);
            }
            state.idle_since = Instant::now();
        });
    }
}

struct Sending {
    body: Body,
    /// The part of the body's last frame that is not passed on yet.
    rest: Bytes,
    id: u64,
    charge: Option<Charge>,
    under_way: UnderWay,
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.under_way.activity.with(|state| state.sending.retain(|sent| sent.id != self.id));
    }
}

impl Sending {
    fn next_piece(&mut self) -> Bytes {
        self.under_way.activity.with(|state| {
            if let Some(sent) = state.sending.iter_mut().find(|sent| sent.id == self.id) {
                sent.moved = Instant::now();
            }
        });
        let piece = self.rest.split_to(self.rest.len().min(PIECE_BYTES));
        match &self.charge {
            Some(charge) => Bytes::from_owner(ChargedBytes { piece, _charge: charge.clone() }),
            None => piece,
        }
    }
}

/// Keeps the charge while the piece is in the buffers of its connection, possibly after its body has ended.
struct ChargedBytes {
    piece: Bytes,
    _charge: Charge,
}

impl AsRef<[u8]> for ChargedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.piece
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
    use super::*;
    use crate::graphql::memory::{AnswerMemory, OWN_BYTES};

    #[tokio::test(start_paused = true)]
    async fn a_request_is_in_progress_until_its_answer_is_dropped() {
        let activity = Activity::begin();
        let opened = activity.idle_since();
        assert_eq!((activity.has_begun(), opened.is_some()), (false, true));
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        let began = Instant::now();
        let sending = activity.request(Version::HTTP_2).until_sent(Body::from("x"), None);
        assert_eq!((activity.idle_since(), activity.is_http2()), (None, true));
        assert_eq!(activity.under_way_since(), Some(began));
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
        let mut sending = Activity::begin().request(Version::HTTP_11).until_sent(Body::from(text.clone()), None);
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
        let begun = Instant::now();
        let unread = activity.request(Version::HTTP_2).until_sent(Body::from("x"), None);
        let mut taken = activity.request(Version::HTTP_2).until_sent(Body::from("x"), None);
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        assert!(next(&mut taken).await.is_some());
        assert_eq!(activity.stalled_since(), Some(begun));
        drop(unread);
        assert!(activity.stalled_since() > Some(begun));
    }

    #[tokio::test]
    async fn an_answer_is_charged_until_its_last_piece_is_dropped() {
        let memory = AnswerMemory::default();
        let free = memory.free();
        let charge = memory.connection().charge();
        assert!(charge.try_take(OWN_BYTES) && charge.try_take(1024 * 1024));
        let mut body = Activity::begin().request(Version::HTTP_2).until_sent(Body::from("x"), Some(charge));
        let piece = next(&mut body).await;
        drop(body);
        assert_eq!(memory.free(), free - 1024 * 1024);
        drop(piece);
        assert_eq!(memory.free(), free);
    }
}
