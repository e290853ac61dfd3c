//! The playground: GraphiQL at `/`, built in `playground/dist` and embedded in the binary. The rule: the page runs only scripts of this
//! server and connects only to this server; its content security policy enforces this.

use std::sync::LazyLock;

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{Path, rejection::PathRejection},
    http::{HeaderMap, HeaderValue, Response, header},
    response::{IntoResponse, Redirect},
    routing::get,
};
use serde_json::{Value, json};

use super::{accept, answer::RequestFailure, etag, persisted::DocumentName};

/// Each file of the build: its path in `playground/dist`, and its content.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/playground.rs"));

/// The content security policy of the page and its workers. Scripts and workers must be files of this server, without exception.
///
/// Only styles may be inline: Monaco positions each line by a `style` attribute in generated HTML, and writes its themes to `style`
/// elements. Such a style cannot load anything from elsewhere, because the other directives apply to it too.
const POLICY: &str = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; \
                      font-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

/// The devices and features that the page must not request.
const PERMISSIONS: &str = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()";

/// For the files in `assets/`: their names contain a hash of their content, so they never change.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// For the page, which names the files of its build: a cached page must be revalidated.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// The routes of `/` and, if the playground is enabled, of its files.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(is_shown: bool) -> Router<S> {
    if !is_shown {
        return Router::new().route("/", get(signpost));
    }
    Router::new()
        .route("/", get(async |headers: HeaderMap| serve("index.html", &headers)))
        .route("/playground/{*path}", get(serve_file))
}

/// A path that is not UTF-8 is not found.
async fn serve_file(path: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Response<Body> {
    path.map_or_else(|_| RequestFailure::not_found().into_response(), |Path(path)| serve(&path, &headers))
}

/// The answer at `/` if the playground is disabled.
async fn signpost() -> Json<Value> {
    Json(json!({
        "server": "tidings",
        "graphql": "/graphql",
        "schema": "/schema.graphql",
        "health": "/healthz",
        "readiness": "/readyz",
    }))
}

/// Redirects a person who opened `/graphql` in a browser to the playground.
pub(super) fn show_instead() -> Response<Body> {
    let mut response = Redirect::to("/").into_response();
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// Whether a person sent the request from a browser: it prefers HTML to JSON and names no document.
pub(super) fn is_for_a_person(headers: &HeaderMap, query: Option<&str>) -> bool {
    let mut names =
        query.unwrap_or_default().split('&').map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name));
    let names_document =
        names.any(|name| matches!(name, "query" | "extensions") || DocumentName::PARAMETERS.contains(&name));
    !names_document && accept::prefers_html(headers)
}

struct File {
    path: &'static str,
    content: &'static [u8],
    tag: HeaderValue,
}

static SERVED: LazyLock<Vec<File>> = LazyLock::new(|| {
    let files = FILES.iter().map(|&(path, content)| File { path, content, tag: etag::tag_of(content) });
    files.collect()
});

fn serve(path: &str, headers: &HeaderMap) -> Response<Body> {
    let Some(file) = SERVED.iter().find(|file| file.path == path) else {
        return RequestFailure::not_found().into_response();
    };
    let mut response = Response::new(Body::from(Bytes::from_static(file.content)));
    let sent = response.headers_mut();
    sent.insert(header::CONTENT_TYPE, HeaderValue::from_static(type_of(path)));
    sent.insert(header::CACHE_CONTROL, if path.starts_with("assets/") { FOR_EVER } else { ASK_AGAIN });
    sent.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    sent.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    sent.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    sent.insert("permissions-policy", HeaderValue::from_static(PERMISSIONS));
    etag::apply(&file.tag, headers, &mut response);
    response
}

fn type_of(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("md") => "text/plain; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("ttf") => "font/ttf",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_a_type_and_only_three_files_have_no_hash_in_their_names() {
        let unknown: Vec<&str> =
            FILES.iter().map(|(path, _)| *path).filter(|path| type_of(path) == "application/octet-stream").collect();
        assert_eq!(unknown, [""; 0]);
        let others: Vec<&str> =
            FILES.iter().map(|(path, _)| *path).filter(|path| !path.starts_with("assets/")).collect();
        assert_eq!(others, ["favicon.svg", "index.html", "licenses.md"]);
    }

    #[test]
    fn a_request_of_a_person_prefers_html_and_has_no_query() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let asked = |accept: &str, query: Option<&str>| {
            let accept = HeaderValue::from_str(accept).expect("an ASCII header");
            is_for_a_person(&HeaderMap::from_iter([(header::ACCEPT, accept)]), query)
        };
        assert!(asked(browser, None));
        assert!(asked(browser, Some("source=mail")));
        assert!(!asked(browser, Some("query={__typename}")));
        assert!(!asked(browser, Some("extensions={}&query=")));
        assert!(!asked("*/*", None));
        assert!(!asked("application/json", None));
        assert!(!asked("text/html, application/graphql-response+json", None));
        assert!(!asked("text/html;q=0", None));
        assert!(!is_for_a_person(&HeaderMap::new(), None));
    }
}
