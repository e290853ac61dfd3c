//! Slots for uploads. The rule: one token has at most a share of the slots, so that an author with a slow connection does not keep the
//! others from adding pictures.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::http::clients::Shares;

/// Files that arrive at once; each takes up to its limit on the disk. Further ones are refused, because a slow client would keep them
/// waiting.
const PLACES: usize = 16;
/// Uploads of one token at once. A browser opens six connections to a server; its uploads beyond this share wait.
const PLACES_OF_TOKEN: usize = 4;
/// How long a file waits for another one of its token to end.
const WAIT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(in crate::http) struct UploadPlaces {
    all: Arc<Semaphore>,
    /// By the hash of the token.
    of_tokens: Shares<u64>,
    hasher: RandomState,
}

pub(super) struct UploadPlace {
    _of_all: OwnedSemaphorePermit,
    _of_token: OwnedSemaphorePermit,
}

impl Default for UploadPlaces {
    fn default() -> Self {
        let all = Arc::new(Semaphore::new(PLACES));
        Self { all, of_tokens: Shares::new(PLACES_OF_TOKEN), hasher: RandomState::new() }
    }
}

impl UploadPlaces {
    /// Takes a slot for a request whose token is valid; `None` if no slot is free.
    pub(super) async fn take(&self, headers: &HeaderMap) -> Option<UploadPlace> {
        let token = self.hasher.hash_one(headers.get(header::AUTHORIZATION).map(AsRef::<[u8]>::as_ref));
        let of_token = timeout(WAIT, self.of_tokens.of(token).acquire_owned()).await.ok()?.ok()?;
        let of_all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        Some(UploadPlace { _of_all: of_all, _of_token: of_token })
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn of(token: &str) -> HeaderMap {
        let token = HeaderValue::try_from(format!("Bearer {token}")).expect("a header");
        HeaderMap::from_iter([(header::AUTHORIZATION, token)])
    }

    #[tokio::test(start_paused = true)]
    async fn one_token_takes_its_share_and_leaves_the_others_theirs() {
        let places = UploadPlaces::default();
        let mut held = Vec::new();
        for _ in 0..PLACES_OF_TOKEN {
            held.push(places.take(&of("slow")).await.expect("a place"));
        }
        assert!(places.take(&of("slow")).await.is_none());
        let other = places.take(&of("other")).await.expect("a place");
        let waiting = async { places.take(&of("slow")).await.is_some() };
        let ending = async {
            tokio::time::sleep(WAIT / 2).await;
            held.pop();
        };
        assert!(tokio::join!(waiting, ending).0, "it waits for another one of its token");
        drop((held, other));
        let mut held = Vec::new();
        for token in 0..PLACES {
            held.push(places.take(&of(&token.to_string())).await.expect("a place"));
        }
        assert!(places.take(&of("one more")).await.is_none());
        drop(held);
        places.take(&of("the last")).await.expect("a place");
        assert_eq!(places.of_tokens.owners(), 1);
    }
}
