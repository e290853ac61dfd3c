//! `GET /assets/{name}`, of a picture also with `?width=` for another width, or `?open-graph=` for the preview image of a link. The rule: the
//! content of an address never changes, so clients and proxies cache it for a year without revalidation; and no script in a file runs, because its type follows
//! from its address, browsers may not guess another one (`http::layers`), and files that are not pictures are downloaded.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderName, HeaderValue, Method, Response, StatusCode, header, request::Parts},
    response::IntoResponse,
};
use url::form_urlencoded;

use super::range::{self, Asked};
use super::refusals::without_place;
use crate::assets::{AssetLibrary, CROP_PLACES, CropPlace, Form, Found, Width};
use crate::graphql::error::Code;
use crate::graphql::memory::Charge;
use crate::http::answer::RequestFailure;
use crate::http::api::Api;
use crate::http::compression::Uncompressed;
use crate::http::etag;
use crate::model::AssetName;
use crate::model::asset::WIDTHS;

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// A drawing that is opened by its address runs nothing and loads nothing, except the pictures in it.
const DRAWING_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox");
const KEPT_FOR_A_YEAR: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

pub(super) async fn answer(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let (head, _) = request.into_parts();
    let Some(assets) = &api.settings.assets else { return without_place().into_response() };
    let share = api.share_of(&head.headers, &head.extensions);
    let mut response = find(assets, &head, &share.charge).await.unwrap_or_else(IntoResponse::into_response);
    response.extensions_mut().insert(share.charge);
    response
}

async fn find(assets: &AssetLibrary, head: &Parts, charge: &Charge) -> Result<Response<Body>, RequestFailure> {
    let name = head.uri.path().strip_prefix("/assets/").and_then(|name| name.parse::<AssetName>().ok());
    let name = name.ok_or_else(not_found)?;
    let form = form_of(head.uri.query().unwrap_or_default())?;
    let tag = tag_of(&name, form);
    let mut response = if etag::is_known(&tag, &head.headers) && assets.has(&name).await? {
        described(StatusCode::NOT_MODIFIED, tag, Body::empty())
    } else {
        let found = assets.find(&name, form).await?.ok_or_else(not_found)?;
        send(assets, &found, tag, (head, charge)).await?
    };
    if name.kind.is_drawing() {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, DRAWING_POLICY);
    }
    Ok(response)
}

async fn send(
    assets: &AssetLibrary,
    found: &Found,
    tag: HeaderValue,
    (head, charge): (&Parts, &Charge),
) -> Result<Response<Body>, RequestFailure> {
    let (size, asked) = (found.byte_size, &head.headers);
    let is_of_tag = asked.get(header::IF_RANGE).is_none_or(|known| *known == tag && !tag.as_bytes().starts_with(b"W/"));
    let range = asked.get(header::RANGE).filter(|_| is_of_tag).and_then(|range| range.to_str().ok());
    let (status, bytes) = match range.map_or(Asked::Whole, |range| range::parse(range, size)) {
        Asked::Whole => (StatusCode::OK, 0..size),
        Asked::Part(bytes) => (StatusCode::PARTIAL_CONTENT, bytes),
        Asked::Unsatisfiable => {
            let mut response = described(StatusCode::RANGE_NOT_SATISFIABLE, tag, Body::empty());
            response.headers_mut().insert(header::CONTENT_RANGE, header_of(format!("bytes */{size}")));
            // The error depends on the range of this request, so it must not be cached for the address.
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            return Ok(response);
        }
    };
    let body = match head.method {
        Method::HEAD => Body::empty(),
        _ => {
            charge.take(assets.piece_bytes().min(bytes.end - bytes.start)).await?;
            Body::from_stream(assets.read(found, bytes.clone()).await?)
        }
    };
    let mut response = described(status, tag, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(found.kind.content_type()));
    if !found.kind.is_image() {
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    }
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes.end - bytes.start));
    if status == StatusCode::PARTIAL_CONTENT {
        let range = format!("bytes {}-{}/{size}", bytes.start, bytes.end - 1);
        headers.insert(header::CONTENT_RANGE, header_of(range));
    }
    if !found.kind.is_image() {
        response.extensions_mut().insert(Uncompressed);
    }
    Ok(response)
}

fn described(status: StatusCode, tag: HeaderValue, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::ETAG, tag);
    response.headers_mut().insert(header::CACHE_CONTROL, KEPT_FOR_A_YEAR);
    response.headers_mut().insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    // Lets pages of other sites show the file, even if they require this header.
    response.headers_mut().insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    response
}

/// The entity tag. It is strong, because the name and the form determine the bytes, except of a drawing, which is compressed for some clients.
fn tag_of(name: &AssetName, form: Option<Form>) -> HeaderValue {
    let weak = if name.kind.is_drawing() { "W/" } else { "" };
    header_of(match form {
        Some(form) => format!("{weak}\"{}-{}\"", name.hash, form.name()),
        None => format!("{weak}\"{}\"", name.hash),
    })
}

fn header_of(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("digits and punctuation are a header value")
}

fn form_of(query: &str) -> Result<Option<Form>, RequestFailure> {
    let value =
        |name: &str| form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value);
    let one_of = |known: Option<Form>, name: &str, values: &[u32]| {
        let values: Vec<_> = values.iter().map(ToString::to_string).collect();
        let bad = || RequestFailure::bad_request(format!("`{name}` must be one of {}.", values.join(", ")));
        known.map(Some).ok_or_else(bad)
    };
    let number = |value: &str| value.parse().ok();
    match (value("width"), value("open-graph")) {
        (None, None) => Ok(None),
        (Some(width), None) => one_of(number(&width).and_then(Width::of).map(Form::Width), "width", &WIDTHS),
        (None, Some(place)) => {
            one_of(number(&place).and_then(CropPlace::of).map(Form::OpenGraph), "open-graph", &CROP_PLACES)
        }
        (Some(_), Some(_)) => {
            Err(RequestFailure::bad_request("`width` and `open-graph` cannot be combined: name one of them."))
        }
    }
}

fn not_found() -> RequestFailure {
    RequestFailure::new(StatusCode::NOT_FOUND, Code::RouteNotFound, "There is no file at this address.")
}
