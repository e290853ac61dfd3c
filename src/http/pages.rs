//! The pages that are embedded in the binary: the playground, GraphiQL at `/`, and the editor at `/editor`, each built in its folder `dist`.
//! The rule: a page runs only scripts of this server and connects only to this server; its content security policy enforces this.

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

use super::{accept, answer::RequestFailure, etag, persisted::DocumentName, settings::HttpSettings};

/// A build: its files, and the content security policy of its page and workers. Scripts and workers must be files of this server, without exception.
///
/// Only styles may be inline: the code editors position each line by a `style` attribute, and write their themes to `style` elements. Such a style cannot load
/// anything from elsewhere, because the other directives also apply to it.
struct Build {
    files: LazyLock<Vec<File>>,
    policy: HeaderValue,
}

static PLAYGROUND: Build = Build {
    files: LazyLock::new(|| served(include!(concat!(env!("OUT_DIR"), "/playground.rs")))),
    policy: HeaderValue::from_static(
        "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; \
         font-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    ),
};

/// The page shows the pictures of posts, which may be on other servers.
static EDITOR: Build = Build {
    files: LazyLock::new(|| served(include!(concat!(env!("OUT_DIR"), "/editor.rs")))),
    policy: HeaderValue::from_static(
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    ),
};

/// The devices and features that the page must not request.
const PERMISSIONS: &str = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()";

/// Used for the files in `assets/`, whose names contain a hash of their content, so they never change.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Used for the page, which names the files of its build, so a cached page must be revalidated.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// The routes of the pages that are enabled, and of their files.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(settings: &HttpSettings) -> Router<S> {
    let has_editor = settings.editor;
    let mut routes = Router::new();
    if settings.playground {
        routes = routes
            .route("/", get(async |headers: HeaderMap| PLAYGROUND.serve("index.html", &headers)))
            .route("/playground/{*path}", get(serve_file));
    } else {
        routes = routes.route("/", get(async move || signpost(has_editor)));
    }
    if has_editor {
        let start = get(async |headers: HeaderMap| EDITOR.serve("index.html", &headers));
        routes =
            routes.route("/editor", start.clone()).route("/editor/", start).route("/editor/{*path}", get(serve_view));
    }
    routes
}

/// A path that is not UTF-8 is not found.
async fn serve_file(path: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Response<Body> {
    path.map_or_else(|_| RequestFailure::not_found().into_response(), |Path(path)| PLAYGROUND.serve(&path, &headers))
}

/// A file of the editor; every other path is a view of its page.
async fn serve_view(path: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Response<Body> {
    let Ok(Path(path)) = path else { return RequestFailure::not_found().into_response() };
    let is_file = path.starts_with("assets/") || EDITOR.find(&path).is_some();
    EDITOR.serve(if is_file { &path } else { "index.html" }, &headers)
}

/// The answer at `/` if the playground is disabled.
fn signpost(has_editor: bool) -> Json<Value> {
    let mut paths = json!({
        "server": "tidings",
        "graphql": "/graphql",
        "schema": "/schema.graphql",
        "health": "/healthz",
        "readiness": "/readyz",
    });
    if has_editor {
        paths["editor"] = json!("/editor");
    }
    Json(paths)
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

/// `files`: the path in the folder, and the content, of each.
fn served(files: &'static [(&str, &[u8])]) -> Vec<File> {
    files.iter().map(|&(path, content)| File { path, content, tag: etag::tag_of(content) }).collect()
}

impl Build {
    fn find(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    fn serve(&self, path: &str, headers: &HeaderMap) -> Response<Body> {
        let Some(file) = self.find(path) else {
            return RequestFailure::not_found().into_response();
        };
        let mut response = Response::new(Body::from(Bytes::from_static(file.content)));
        let sent = response.headers_mut();
        sent.insert(header::CONTENT_TYPE, HeaderValue::from_static(type_of(path)));
        sent.insert(header::CACHE_CONTROL, if path.starts_with("assets/") { FOR_EVER } else { ASK_AGAIN });
        sent.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        sent.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
        sent.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
        sent.insert("permissions-policy", HeaderValue::from_static(PERMISSIONS));
        etag::apply(&file.tag, headers, &mut response);
        response
    }
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
        for build in [&PLAYGROUND, &EDITOR] {
            let paths = || build.files.iter().map(|file| file.path);
            let unknown: Vec<&str> = paths().filter(|path| type_of(path) == "application/octet-stream").collect();
            assert_eq!(unknown, [""; 0]);
            let others: Vec<&str> = paths().filter(|path| !path.starts_with("assets/")).collect();
            assert_eq!(others, ["favicon.svg", "index.html", "licenses.md"]);
        }
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
