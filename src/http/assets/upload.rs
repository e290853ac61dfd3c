//! `POST /assets`: the body is the file, and `name` and `alt` in the query describe it. The rule: nothing is received from a client that is
//! not allowed to add files, and an addition that has begun runs to its end.

use std::sync::Arc;

use async_graphql::{Request as GraphqlRequest, Response as GraphqlResponse, ServerError};
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, Response, StatusCode, header, request::Parts},
    response::IntoResponse,
};
use serde_json::json;
use url::form_urlencoded;

use super::{receive::receive, refusals::without_place};
use crate::graphql::error::Code;
use crate::graphql::fair_use::ClientAddress;
use crate::graphql::uploads::{Upload, Uploaded};
use crate::http::accept::Media;
use crate::http::answer::{Answer, RequestFailure};
use crate::http::api::Api;
use crate::http::{body, execution, request_headers::forward_token};
use crate::model::ImageFacts;
use crate::model::asset::is_file_name;

pub(super) async fn answer(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let share = match api.share_of(&head.headers, &head.extensions).await {
        Ok(share) => share,
        Err(refused) => return refuse(&api, &head, body, refused.into_response()).await,
    };
    let request = share.client.into_iter().fold(GraphqlRequest::new(""), |of, client| of.data(ClientAddress(client)));
    let signed_in = execution::sign_in(&api, forward_token(request, &head.headers)).await;
    let admitted = signed_in.and_then(|request| api.service.check_upload(&request).map(|()| request));
    let mut response = match admitted {
        Ok(request) => match add(&api, &head, body, request).await {
            Ok(uploaded) => created(&uploaded),
            Err(refused) => refused,
        },
        Err(error) => refuse(&api, &head, body, failed(error)).await,
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.extensions_mut().insert(share.charge);
    response
}

async fn add(api: &Api, head: &Parts, body: Body, request: GraphqlRequest) -> Result<Uploaded, Response<Body>> {
    let (assets, (name, alt)) = match (&api.settings.assets, described(head)) {
        (None, _) => return Err(refuse(api, head, body, without_place().into_response()).await),
        (_, Err(bad)) => return Err(refuse(api, head, body, bad.into_response()).await),
        (Some(assets), Ok(described)) => (assets, described),
    };
    let Some(_receiving) = api.uploading.take(&head.headers).await else {
        let message = "The server receives as many files as it can at the moment. Send this one again later.";
        let busy = RequestFailure::new(StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded, message);
        return Err(refuse(api, head, body, busy.into_response()).await);
    };
    let file = receive(&head.headers, body, assets, name.as_deref()).await.map_err(IntoResponse::into_response)?;
    let prepared = assets.prepare(file, name.as_deref()).await;
    let ready = prepared.map_err(|error| RequestFailure::from(error).into_response())?;
    let service = Arc::clone(&api.service);
    let upload = Upload { ready, name, alt };
    api.writes.run(async move { service.add_asset(request, upload).await }).await.map_err(failed)
}

/// The `name` and `alt` of the query.
fn described(head: &Parts) -> Result<(Option<String>, Option<String>), RequestFailure> {
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

fn failed(error: ServerError) -> Response<Body> {
    let answer = Answer::of(&GraphqlResponse::from_errors(vec![error]));
    let mut response = answer.into_http(Media::GraphqlResponse);
    response.headers_mut().insert(header::CONTENT_TYPE, Media::Json.content_type());
    response
}

/// Discards the body, so that the client reads the refusal.
async fn refuse(api: &Api, head: &Parts, body: Body, refusal: Response<Body>) -> Response<Body> {
    body::discard(&head.headers, body, &api.settings.limits).await;
    refusal
}
