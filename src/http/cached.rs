//! Cached answers: the answer to an anonymous query is found by the bytes of the request, before they are parsed. The rule: a cached answer has
//! the same status, headers and bytes as the answer of an executed query.
//!
//! An answer is cached only if it is for a single query that ran without an error, without `Authorization`, without a secret in its document
//! and without a cost report. A feed is cached like the answer to its query.

use std::sync::Arc;

use async_graphql::Request as GraphqlRequest;
use axum::http::{HeaderMap, header};

use super::{
    accept::Media,
    answer::Answer,
    api::Api,
    cdn::{CdnSettings, Freshness},
    compression::BYTES_MIN,
    json::{CachedJson, Json},
    request_headers::{asked_tags, asks_for_cost},
};
use crate::graphql::{
    cached::{CachedAnswers, Recording},
    memory::Charge,
};

/// Longer requests are not cached, because each waiting request would have a copy of its bytes in memory.
const REQUEST_BYTES_MAX: usize = 16 * 1024;

/// The way of a request. The same bytes in another way are a different request, or get another media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    /// The query string of a GET.
    Get(Media),
    /// The body of a POST.
    Post(Media),
    /// The path of a feed.
    Feed,
}

impl Door {
    /// Whether caches may store answers to such requests.
    fn is_cacheable(self) -> bool {
        matches!(self, Self::Get(_) | Self::Feed)
    }

    /// `has_tags`: the answer shows its tags.
    fn number(self, has_tags: bool) -> u8 {
        let number = match self {
            Self::Get(Media::GraphqlResponse) => 0,
            Self::Get(Media::Json) => 1,
            Self::Post(Media::GraphqlResponse) => 2,
            Self::Post(Media::Json) => 3,
            Self::Feed => 4,
        };
        number + if has_tags { 8 } else { 0 }
    }
}

/// A request whose answer is to be cached.
pub(super) struct ToCache {
    cached: Arc<CachedAnswers<CachedJson>>,
    /// Set if a CDN may cache the answer.
    cdn: Option<Arc<CdnSettings>>,
    door: u8,
    is_cacheable: bool,
    request: Box<[u8]>,
    recording: Recording,
}

/// Finds the cached answer to a request and charges it to the connection. Otherwise returns the key for caching the answer, if it may be cached.
pub(super) fn find(
    api: &Api,
    headers: &HeaderMap,
    (door, request): (Door, &[u8]),
    charge: &Charge,
) -> Result<Answer, Option<ToCache>> {
    let is_plain = !headers.contains_key(header::AUTHORIZATION) && !asks_for_cost(headers);
    let cached = api.cached.as_ref().filter(|_| is_plain);
    let Some(cached) = cached.filter(|_| request.len() <= REQUEST_BYTES_MAX) else { return Err(None) };
    let (number, is_cacheable) = (door.number(asked_tags(headers).is_some()), door.is_cacheable());
    match cached.find(number, request) {
        // Without free memory, the query is executed, which waits for memory or is refused.
        Some(found) if charge.try_take(found.text.len() as u64) => {
            Ok(Answer::cached(Json::cached(found.text.clone(), found.hash), found))
        }
        _ => {
            let (cached, recording) = (Arc::clone(cached), cached.record());
            let cdn = api.settings.cdn.clone().filter(|_| is_cacheable);
            Err(Some(ToCache { cached, cdn, door: number, is_cacheable, request: request.into(), recording }))
        }
    }
}

impl ToCache {
    /// Makes the request record the dependencies of its answer.
    pub(super) fn recorded(&self, request: GraphqlRequest) -> GraphqlRequest {
        request.data(self.recording.clone())
    }

    /// Caches the answer to a query without a secret, if the answer allows it.
    ///
    /// If the content has not changed since it was read, a CDN may cache the answer, too; then the headers of this client's request are removed from it.
    pub(super) fn keep(&self, answer: &mut Answer) {
        if !answer.can_be_cached() {
            return;
        }
        if let Some(cdn) = &self.cdn
            && let Some(current) = self.cached.current(&self.recording)
        {
            answer.set_freshness(cdn.freshness(&current));
        }
        let bytes = usize::try_from(answer.json.length()).unwrap_or(usize::MAX);
        if bytes > self.cached.answer_bytes_max() {
            return;
        }
        let hash = self.is_cacheable.then(|| answer.json.hash());
        let freshness = answer.freshness().cloned();
        let tag_bytes = freshness.as_ref().map_or(0, Freshness::bytes);
        let make = || CachedJson::new(answer.json.to_bytes(), hash, freshness);
        // The compressed form of a long answer is charged from the beginning, with the size of the text.
        let form = if bytes < usize::from(BYTES_MIN) { 0 } else { bytes } + tag_bytes;
        self.cached.keep((self.door, &self.request), &self.recording, (bytes, form), make);
    }
}
