//! `POST /mcp`: tools for agents, by the Model Context Protocol over stateless Streamable HTTP; `rmcp` speaks its revisions. The rule: a tool is a
//! GraphQL document that runs as a request of its caller, so access, price, limits and errors are those of `/graphql`.
//!
//! What is refused before the protocol begins (an origin, a body, a token) is answered as on every other route. An error of GraphQL is the result
//! of a tool, because only that reaches the model.

mod agent;
mod schema;
pub(super) mod tools;

use std::sync::Arc;

use async_graphql::{Request as GraphqlRequest, Value as GraphqlValue};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::{Json, Router, routing::post};
use bytes::Bytes;
use http_body_util::Full;
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tracing::Span;

use super::accept::Media;
use super::answer::RequestFailure;
use super::api::{Api, Share};
use super::execution::{CanWrite, run_own};
use super::parameters::{Bounds, parse_json};
use super::request_headers::{forward_token, has_bearer};
use super::request_id::shortened;
use super::{body, settings::HttpSettings};
use crate::graphql::error::Code;
use agent::Agent;

pub(super) fn routes(settings: &HttpSettings) -> Router<Arc<Api>> {
    if settings.mcp { Router::new().route("/mcp", post(answer)) } else { Router::new() }
}

async fn answer(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let share = Arc::new(api.share_of(request.headers(), request.extensions()));
    let mut response = Box::pin(serve(api, request, &share)).await.unwrap_or_else(|refused| *refused);
    response.extensions_mut().insert(share.charge.clone());
    response
}

/// # Errors
/// The answer to a request that is refused before the protocol begins.
async fn serve(api: Arc<Api>, request: Request, share: &Arc<Share>) -> Result<Response<Body>, Box<Response<Body>>> {
    let refuse = |failure: RequestFailure| Box::new(failure.into_response());
    let (head, body) = request.into_parts();
    check_origin(&api, &head.headers).map_err(refuse)?;
    let limits = &api.settings.limits;
    let received = body::read(&head.headers, body, limits, (&share.charge, &api.long_bodies)).await.map_err(refuse)?;
    let message = check_message(&api, &received, share).await.map_err(refuse)?;
    if let Some(refused) = refuse_malformed_call(&message) {
        return Ok(Json(refused).into_response());
    }
    if let Some(span) = head.extensions.get::<Span>() {
        span.record("client", client_name(&message, &head.headers));
    }
    drop(message);
    let may_write = may_write(&api, &head.headers, share).await?;
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(usize::MAX);
    let agent = Agent { api, share: Arc::clone(share), headers: Arc::new(head.headers.clone()), may_write };
    let service =
        StreamableHttpService::new(move || Ok(agent.clone()), Arc::new(NeverSessionManager::default()), config);
    let answered = service.handle(Request::from_parts(head, Full::new(Bytes::from(received)))).await;
    with_error_code(answered.map(Body::new)).await.map_err(refuse)
}

/// A page that has made a browser believe that its own host is this one sends that host too, so only the setting allows an origin.
fn check_origin(api: &Api, headers: &HeaderMap) -> Result<(), RequestFailure> {
    match headers.get(header::ORIGIN) {
        Some(origin) if !api.settings.cors.allow(origin) => {
            let message = "Pages of this origin may not use the tools; the setting `cors_origins` allows it.";
            Err(RequestFailure::new(StatusCode::FORBIDDEN, Code::Forbidden, message))
        }
        _ => Ok(()),
    }
}

/// Parses the body within the limits of a request before the library parses it without limits.
async fn check_message(api: &Api, body: &[u8], share: &Share) -> Result<GraphqlValue, RequestFailure> {
    let text = std::str::from_utf8(body).map_err(|_| RequestFailure::bad_request("The body is not UTF-8."))?;
    let bounds = Bounds { batch_max: 0, ..api.parameter_bounds() };
    match parse_json("The body", text, bounds, &share.charge).await? {
        message @ GraphqlValue::Object(_) => Ok(message),
        _ => Err(RequestFailure::bad_request("The body must be one message, a JSON object.")),
    }
}

/// The answer to a call of a tool whose parameters have another form. The library would take it for a method that it does not know.
fn refuse_malformed_call(message: &GraphqlValue) -> Option<Value> {
    let field = |of: &GraphqlValue, name: &str| match of {
        GraphqlValue::Object(fields) => fields.get(name).cloned().unwrap_or_default(),
        _ => GraphqlValue::Null,
    };
    let params = field(message, "params");
    let is_named = matches!(field(&params, "name"), GraphqlValue::String(_));
    let is_object = matches!(field(&params, "arguments"), GraphqlValue::Object(_) | GraphqlValue::Null);
    if field(message, "method") != GraphqlValue::from("tools/call") || is_named && is_object {
        return None;
    }
    let text = "`params` must have the `name` of a tool, a string, and its `arguments`, an object.";
    let error = json!({ "code": ErrorCode::INVALID_PARAMS.0, "message": text });
    Some(json!({ "jsonrpc": "2.0", "id": field(message, "id").into_json().unwrap_or_default(), "error": error }))
}

/// What the client calls itself: in each request of the current revision; before, only by its `User-Agent`.
fn client_name<'a>(message: &'a GraphqlValue, headers: &'a HeaderMap) -> &'a str {
    let keys = ["params", "_meta", "io.modelcontextprotocol/clientInfo", "name"];
    let named = keys.into_iter().try_fold(message, |value, key| match value {
        GraphqlValue::Object(fields) => fields.get(key),
        _ => None,
    });
    shortened(match named {
        Some(GraphqlValue::String(name)) => name,
        _ => headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default(),
    })
}

/// Whether the role of the token may change anything. A refused token refuses the request, as HTTP clients of the protocol expect it.
async fn may_write(api: &Api, headers: &HeaderMap, share: &Share) -> Result<bool, Box<Response<Body>>> {
    if !has_bearer(headers) {
        return Ok(false);
    }
    let request = forward_token(GraphqlRequest::new(tools::TEXT).operation_name("viewer"), headers);
    let ran = run_own(api, request, &tools::DOCUMENT, CanWrite::No, &share.of_own_query()).await;
    let answer = ran.map_err(|failure| Box::new(failure.into_response()))?;
    if !answer.can_be_cached() {
        let mut refused = answer.into_http(Media::GraphqlResponse);
        refused.headers_mut().insert(header::CONTENT_TYPE, Media::Json.content_type());
        return Err(Box::new(refused));
    }
    let answer: Value = serde_json::from_slice(&answer.json.to_bytes()).unwrap_or_default();
    let role = answer["data"]["viewer"]["role"].as_str();
    Ok(!api.settings.reads_only && role.is_some_and(|role| role != "READER"))
}

/// Turns a refusal by the library, which is plain text, into the JSON of all refusals, with a code.
async fn with_error_code(response: Response<Body>) -> Result<Response<Body>, RequestFailure> {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|of| of == "application/json");
    if is_json || !(response.status().is_client_error() || response.status().is_server_error()) {
        return Ok(response);
    }
    let status = response.status();
    let text = to_bytes(response.into_body(), 4096).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    Err(match status {
        StatusCode::NOT_ACCEPTABLE => RequestFailure::new(status, Code::NotAcceptable, text),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => RequestFailure::bad_request("The body is no message of JSON-RPC 2.0."),
        _ if status.is_server_error() => RequestFailure::internal(),
        _ => RequestFailure::new(status, Code::BadRequest, text),
    })
}
