//! `POST /assets`: the body is the file, and `name` and `alt` in the query describe it. The rule: nothing is received from a client that is not allowed to add
//! files, and an upload that was received is always completed.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::Request as GraphqlRequest;
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, Response, StatusCode, header, request::Parts},
    response::IntoResponse,
};
use serde_json::json;
use tokio::time::timeout;
use url::form_urlencoded;

use super::{receive::receive, refusals::without_place};
use crate::graphql::error::Code;
use crate::graphql::fair_use::ClientAddress;
use crate::graphql::uploads::{Upload, Uploaded};
use crate::http::accept::Media;
use crate::http::answer::{RequestFailure, failed};
use crate::http::api::Api;
use crate::http::{body, execution, request_headers::forward_token};
use crate::model::ImageFacts;
use crate::model::asset::is_file_name;

/// The maximum time that a file waits for another upload to end.
const WAIT: Duration = Duration::from_secs(10);

pub(super) async fn answer(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let (mut head, mut body) = request.into_parts();
    let share = api.share_of(&head.headers, &head.extensions);
    let mut response = match add(&api, &mut head, &mut body, share.client).await {
        Ok(uploaded) => created(&uploaded),
        Err(refused) => {
            // The body is discarded, so that the client reads the refusal.
            body::discard(&head.headers, body, &api.settings.limits).await;
            refused
        }
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.extensions_mut().insert(share.charge);
    response
}

async fn add(api: &Api, head: &mut Parts, body: &mut Body, client: Option<IpAddr>) -> Result<Uploaded, Response<Body>> {
    let request = client.into_iter().fold(GraphqlRequest::new(""), |of, client| of.data(ClientAddress(client)));
    let signed_in = execution::sign_in(api, forward_token(request, &head.headers)).await;
    let admitted = signed_in.and_then(|request| api.service.check_upload(&request).map(|()| request));
    let request = admitted.map_err(failed)?;
    let upload = receive_upload(api, head, body).await.map_err(IntoResponse::into_response)?;
    let service = Arc::clone(&api.service);
    api.writes.run(async move { service.add_asset(request, upload).await }).await.map_err(failed)
}

async fn receive_upload(api: &Api, head: &mut Parts, body: &mut Body) -> Result<Upload, RequestFailure> {
    let assets = api.settings.assets.as_ref().ok_or_else(without_place)?;
    let (name, alt) = described(head)?;
    let Ok(_receiving) = timeout(WAIT, api.uploading.acquire()).await else {
        let message = "The server receives as many files as it can at the moment. Send this one again later.";
        return Err(RequestFailure::new(StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded, message));
    };
    let file = receive(&mut head.headers, body, assets, name.as_deref()).await?;
    let ready = assets.prepare(file, name.as_deref()).await?;
    Ok(Upload { ready, name, alt })
}

/// The `name` and `alt` of the query. A form is refused, because its parts would be stored as the file.
fn described(head: &Parts) -> Result<(Option<String>, Option<String>), RequestFailure> {
    if head.headers.get(header::CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"multipart/")) {
        let message = "The body must be the file itself, not a form: for example `curl --data-binary @FILE`.";
        return Err(RequestFailure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::UnsupportedMediaType, message));
    }
    let (mut name, mut alt) = (None, None);
    for (key, value) in form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes()) {
        match key.as_ref() {
            "name" => name = Some(value.into_owned()),
            "alt" => alt = Some(value.into_owned()),
            other => {
                let message = format!("{other:?} is not a parameter of /assets; these are `name` and `alt`.");
                return Err(RequestFailure::bad_request(message));
            }
        }
    }
    if name.as_deref().is_some_and(|name| !is_file_name(name)) {
        let message = "`name` must be the name of a file: one part of a path, without / or \\ and control characters.";
        return Err(RequestFailure::new(StatusCode::BAD_REQUEST, Code::BadRequest, message));
    }
    Ok((name, alt))
}

fn created(uploaded: &Uploaded) -> Response<Body> {
    let asset = &uploaded.asset;
    let facts = &asset.facts;
    let mut sent = json!({
        "id": uploaded.id,
        "url": uploaded.url,
        "byteSize": facts.byte_size,
        "contentType": facts.name.kind.content_type(),
        "version": asset.version,
    });
    if let Some(ImageFacts { width, height, placeholder }) = &facts.image {
        sent["width"] = json!(width);
        sent["height"] = json!(height);
        sent["placeholder"] = json!(placeholder);
        sent["alt"] = json!(asset.alt);
    }
    let body = json!({ "asset": sent });
    let status = if uploaded.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, Media::Json.content_type());
    let url = HeaderValue::from_str(&uploaded.url).expect("a URL is ASCII");
    response.headers_mut().insert(header::LOCATION, url);
    response
}
