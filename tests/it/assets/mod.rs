//! Pictures and files, through the HTTP door and GraphQL: they are added, read in several widths, listed, changed and deleted.

mod clouds;
mod covers;
mod crashes;
mod drawings;
mod enclosures;
pub(crate) mod files;
mod hostile;
mod lifecycle;
mod open_graph;
mod other_files;
mod places;
pub(crate) mod process;
mod profiles;
mod served;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use serde_json::{Value, json};
use tidings::assets::{AssetLibrary, AssetLimits};
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::graphql::texts::KEPT_BYTES_MAX;
use tidings::http::health::Readiness;
use tidings::http::{HttpSettings, Writes, router};
use tidings::model::site::SiteUrl;
use tidings::store::Store;
use tower::ServiceExt;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

/// A site with a place for pictures.
struct Gallery {
    site: Site,
    library: AssetLibrary,
    router: Router,
}

/// An answer that need not be JSON.
struct Sent {
    status: StatusCode,
    headers: HeaderMap,
    bytes: Bytes,
}

impl Sent {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {:?}", self.bytes))
    }

    /// The status and the code of a refusal.
    fn refusal(&self) -> (u16, String) {
        let code = self.json()["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned();
        (self.status.as_u16(), code)
    }

    fn header(&self, name: header::HeaderName) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }
}

impl Gallery {
    async fn in_memory() -> Self {
        Self::of(Site::in_memory().await)
    }

    async fn over(store: &Store) -> Self {
        Self::of(Site::over(Arc::clone(store)).await)
    }

    fn of(site: Site) -> Self {
        Self::with(site, AssetLibrary::in_memory(AssetLimits { file_bytes: 1024 * 1024, ..AssetLimits::default() }))
    }

    fn with(site: Site, library: AssetLibrary) -> Self {
        Self::at(None, site, library)
    }

    /// With a server at this address.
    fn at(public_url: Option<SiteUrl>, site: Site, library: AssetLibrary) -> Self {
        let content = site.content.clone().with_assets(Some(library.clone()));
        let content = content.rendering(KEPT_BYTES_MAX, public_url.clone());
        let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
        let sign_in = SignIn { editor_token, ..SignIn::default() };
        let service = ContentService::new(content.clone(), STORAGE_REQUESTS_MAX).with_sign_in(sign_in);
        let service = service.with_public_url(public_url);
        let settings = HttpSettings { assets: Some(library.clone()), ..HttpSettings::default() };
        let router = router(Arc::new(service), Readiness::new(async || Ok(None)), Writes::default(), settings);
        Self { site: Site { content, ..site }, library, router }
    }

    async fn send(&self, request: Request<Body>) -> Sent {
        let answered = tokio::spawn(self.router.clone().oneshot(request)).await;
        let response = answered.expect("the router does not panic").expect("the router answers");
        let (head, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.expect("a body");
        Sent { status: head.status, headers: head.headers, bytes }
    }

    async fn upload_as(&self, token: Option<&str>, query: &str, file: impl Into<Body>) -> Sent {
        let request = Request::post(format!("/assets{query}"));
        let request = match token {
            Some(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
            None => request,
        };
        self.send(request.body(file.into()).expect("a request")).await
    }

    async fn upload(&self, file: impl Into<Body>) -> Sent {
        self.upload_as(Some(EDITOR_TOKEN), "", file).await
    }

    /// The asset of a picture that must be accepted.
    async fn add(&self, file: Vec<u8>) -> Value {
        let sent = self.upload(file).await;
        assert!(sent.status.is_success(), "{}", sent.json());
        sent.json()["asset"].clone()
    }

    async fn get(&self, path: &str, headers: &[(header::HeaderName, &str)]) -> Sent {
        let request = headers.iter().fold(Request::get(path), |request, (name, value)| request.header(name, *value));
        self.send(request.body(Body::empty()).expect("a request")).await
    }

    /// The answer to a client with this token.
    async fn ask_as(&self, token: Option<&str>, query: &str) -> Value {
        let request = Request::post("/graphql").header(header::CONTENT_TYPE, "application/json");
        let request = match token {
            Some(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
            None => request,
        };
        let body = json!({ "query": query }).to_string();
        self.send(request.body(body.into()).expect("a request")).await.json()
    }

    async fn ask(&self, query: &str) -> Value {
        self.ask_as(Some(EDITOR_TOKEN), query).await
    }
}
