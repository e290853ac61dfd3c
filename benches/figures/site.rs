//! The measured site: a store in a file, the content over it, the service over that. The rule: it is put together as in `app/mod.rs`.

use std::path::Path;
use std::sync::Arc;

use async_graphql::{Request, Response};
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::graphql::error::give_codes;
use tidings::graphql::guard::{Limits, admit};
use tidings::graphql::service::GraphqlService;
use tidings::http::health::Readiness;
use tidings::http::{HttpLimits, HttpSettings, Writes, router};
use tidings::store::embedded::EmbeddedStore;

use crate::Result;

pub async fn open(folder: &Path) -> Result<Content> {
    Ok(open_without_values(folder).await?.caching_values(VALUE_CACHE_BYTES_MAX))
}

/// The content of a server that holds no values, so that every query reads what it needs.
pub async fn open_without_values(folder: &Path) -> Result<Content> {
    open_at(folder, Clock::System).await
}

pub async fn open_at(folder: &Path, clock: Clock) -> Result<Content> {
    Ok(Content::open(Arc::new(EmbeddedStore::open(folder)?), clock, Sharing::Alone).await?)
}

pub fn service(content: &Content) -> ContentService {
    ContentService::new(content.clone(), STORAGE_REQUESTS_MAX)
}

/// `answer_cache_bytes`: how many bytes of answers are cached; with 0, each query runs.
pub fn routes(service: Arc<dyn GraphqlService>, answer_cache_bytes: usize) -> axum::Router {
    let limits = HttpLimits { answer_cache_bytes, ..HttpLimits::default() };
    router(service, Readiness::new(|| async { Ok(None) }), Writes::default(), HttpSettings::from(limits))
}

/// Executes a document and returns the bytes of the answer, as the HTTP handler does.
///
/// # Errors
/// If the answer has errors.
pub async fn answer(service: &dyn GraphqlService, document: &str) -> Result<Vec<u8>> {
    let admitted = admit(Request::new(document), &Limits::default()).map_err(|refusal| refusal.message)?;
    let mut response: Response = service.execute(admitted.request).await;
    give_codes(&mut response, document);
    if !response.errors.is_empty() {
        return Err(format!("{:?}", response.errors).into());
    }
    Ok(serde_json::to_vec(&response)?)
}
