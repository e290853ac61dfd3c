//! What goes on on one connection. The rule: a request is under way from its head until its answer is handed on to the last piece; who closes
//! a connection asks here whether there is one, and for how long.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, ready},
};

use axum::{body::Body, http::Version};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::{sync::Notify, time::Instant};

/// An answer is handed on in pieces of this size, each when the client has made room for it, so that one who takes nothing is noticed.
const PIECE_BYTES: usize = 16 * 1024;

/// Clones are the same.
#[derive(Debug, Clone)]
pub struct Activity(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    request_came: Notify,
}

#[derive(Debug)]
struct State {
    /// When each request that is under way began.
    under_way: Vec<Instant>,
    /// Answers that are being sent.
    sending: usize,
    /// When a request began or ended, or a piece of an answer was handed on, for the last time.
    moved: Instant,
    /// When the last request ended; the opening, until there was one.
    idle_since: Instant,
    version: Option<Version>,
}

impl Activity {
    pub fn begin() -> Self {
        let now = Instant::now();
        let state = State { under_way: Vec::new(), sending: 0, moved: now, idle_since: now, version: None };
        Self(Arc::new(Shared { state: Mutex::new(state), request_came: Notify::new() }))
    }

    /// A request's head is here. It is under way until what is answered is dropped.
    pub fn request(&self, version: Version) -> UnderWay {
        let began = Instant::now();
        self.with(|state| {
            state.under_way.push(began);
            state.moved = began;
            state.version = Some(version);
        });
        self.0.request_came.notify_one();
        UnderWay { activity: self.clone(), began }
    }

    /// Waits for the next request.
    pub async fn request_came(&self) {
        self.0.request_came.notified().await;
    }

    /// Whether there was a request on this connection yet.
    pub fn has_begun(&self) -> bool {
        self.with(|state| state.version.is_some())
    }

    pub fn is_http2(&self) -> bool {
        self.with(|state| state.version == Some(Version::HTTP_2))
    }

    /// Since when there is nothing under way; `None` while there is.
    pub fn idle_since(&self) -> Option<Instant> {
        self.with(|state| state.under_way.is_empty().then_some(state.idle_since))
    }

    /// Since when the longest of the requests is under way.
    pub fn under_way_since(&self) -> Option<Instant> {
        self.with(|state| state.under_way.iter().min().copied())
    }

    /// Since when a client that is being answered has taken nothing.
    pub fn stalled_since(&self) -> Option<Instant> {
        self.with(|state| (state.sending > 0 && state.sending == state.under_way.len()).then_some(state.moved))
    }

    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.0.state.lock().expect("no panic happens while this is held"))
    }
}

/// A request that is under way.
#[derive(Debug)]
pub struct UnderWay {
    activity: Activity,
    began: Instant,
}

impl UnderWay {
    /// The request ends with this body.
    pub fn until_sent(self, body: Body) -> Body {
        self.activity.with(|state| {
            state.sending += 1;
            state.moved = Instant::now();
        });
        Body::new(Sending { body, rest: Bytes::new(), under_way: self })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.activity.with(|state| {
            if let Some(at) = state.under_way.iter().position(|began| *began == self.began) {
                state.under_way.swap_remove(at);
            }
            state.idle_since = Instant::now();
            state.moved = state.idle_since;
        });
    }
}

struct Sending {
    body: Body,
    /// Of the last piece that the body gave, what is not handed on yet.
    rest: Bytes,
    under_way: UnderWay,
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.under_way.activity.with(|state| state.sending -= 1);
    }
}

impl Sending {
    fn next_piece(&mut self) -> Bytes {
        self.under_way.activity.with(|state| state.moved = Instant::now());
        self.rest.split_to(self.rest.len().min(PIECE_BYTES))
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

    #[tokio::test(start_paused = true)]
    async fn a_request_is_under_way_until_its_answer_is_dropped() {
        let activity = Activity::begin();
        let opened = activity.idle_since();
        assert_eq!((activity.has_begun(), opened.is_some()), (false, true));
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        let began = Instant::now();
        let sending = activity.request(Version::HTTP_2).until_sent(Body::from("x"));
        assert_eq!((activity.idle_since(), activity.is_http2()), (None, true));
        assert_eq!(activity.under_way_since(), Some(began));
        drop(sending);
        assert!(activity.idle_since() > opened);
        assert_eq!(activity.under_way_since(), None);
    }

    #[tokio::test]
    async fn an_answer_is_handed_on_in_pieces_and_whole() {
        let text = Bytes::from(vec![7; 2 * PIECE_BYTES + 1]);
        let mut sending = Activity::begin().request(Version::HTTP_11).until_sent(Body::from(text.clone()));
        let (mut pieces, mut whole) = (Vec::new(), Vec::new());
        assert_eq!(sending.size_hint().exact(), Some(text.len() as u64));
        while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut sending).poll_frame(context)).await {
            let piece = frame.expect("a piece").into_data().expect("data");
            pieces.push(piece.len());
            whole.extend_from_slice(&piece);
            assert_eq!(sending.size_hint().exact(), Some((text.len() - whole.len()) as u64));
        }
        assert_eq!((pieces, Bytes::from(whole)), (vec![PIECE_BYTES, PIECE_BYTES, 1], text));
    }
}
