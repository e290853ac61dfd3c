//! What goes on on one connection. The rule: a request is under way from its head to the last byte of its answer's body; who closes a
//! connection asks here whether there is one.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use axum::{body::Body, http::Version};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::Instant;

/// Clones are the same.
#[derive(Debug, Clone)]
pub struct Activity(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    under_way: usize,
    /// When the last request ended; the opening, until there was one.
    idle_since: Instant,
    version: Option<Version>,
}

impl Activity {
    pub fn begin() -> Self {
        Self(Arc::new(Mutex::new(State { under_way: 0, idle_since: Instant::now(), version: None })))
    }

    /// A request's head is here. It is under way until what is answered is dropped.
    pub fn request(&self, version: Version) -> UnderWay {
        self.with(|state| {
            state.under_way += 1;
            state.version = Some(version);
        });
        UnderWay(self.clone())
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
        self.with(|state| (state.under_way == 0).then_some(state.idle_since))
    }

    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.0.lock().expect("no panic happens while this is held"))
    }
}

/// A request that is under way.
#[derive(Debug)]
pub struct UnderWay(Activity);

impl UnderWay {
    /// The request ends with this body.
    pub fn until_sent(self, body: Body) -> Body {
        Body::new(Sending { body, _under_way: self })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.with(|state| {
            state.under_way -= 1;
            state.idle_since = Instant::now();
        });
    }
}

struct Sending {
    body: Body,
    _under_way: UnderWay,
}

impl HttpBody for Sending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
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
        let sending = activity.request(Version::HTTP_2).until_sent(Body::from("x"));
        assert_eq!((activity.idle_since(), activity.is_http2()), (None, true));
        drop(sending);
        assert!(activity.idle_since() > opened);
    }
}
