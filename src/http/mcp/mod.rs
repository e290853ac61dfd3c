//! `POST /mcp`: tools for agents, by the Model Context Protocol over stateless Streamable HTTP; `rmcp` speaks its revisions. The rule: a tool is a
//! GraphQL document that runs as a request of its caller, so access, price, limits and errors are those of `/graphql`.
//!
//! What is refused before the protocol begins (an origin, a body, a token) is answered as on every other route. An error of GraphQL is the result
//! of a tool, because only that reaches the model.

mod schema;
pub(super) mod tools;

use std::sync::Arc;

use async_graphql::{Request as GraphqlRequest, Value as GraphqlValue, Variables};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::{Router, routing::post};
use bytes::Bytes;
use http_body_util::Full;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use tracing::Span;

use super::answer::{Answer, RequestFailure};
use super::api::{Api, Share};
use super::execution::{CanWrite, run, run_own};
use super::feeds::markdown::{Found, QUERIES};
use super::parameters::{Bounds, parse_json};
use super::request_headers::{forward_token, has_bearer};
use super::request_id::shortened;
use super::{accept::Media, body, settings::HttpSettings};
use crate::graphql::{error::Code, guard::CheckedDocument};
use tools::{Runs, Tool, Tools};

/// The memory of a result, its text and the written answer, for each byte of the answer of GraphQL.
const MEMORY_FACTOR: u64 = 4;

const INSTRUCTIONS: &str = "The posts and pages of a web site. Find some with `search`, read one with `read`, follow what changes with `changes`. \
     With a token that may write, `create_draft` makes a draft, which people publish. An error begins with a stable code.";

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
    in_our_words(answered.map(Body::new)).await.map_err(refuse)
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

/// Gives the plain texts of the library, which refuse what is no message, the form of all refusals.
async fn in_our_words(response: Response<Body>) -> Result<Response<Body>, RequestFailure> {
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

/// The caller of one request.
#[derive(Clone)]
struct Agent {
    api: Arc<Api>,
    share: Arc<Share>,
    headers: Arc<HeaderMap>,
    may_write: bool,
}

impl ServerHandler for Agent {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("tidings", env!("CARGO_PKG_VERSION")).with_title(&self.api.settings.site.name);
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let shown = self.tools().all.iter().filter(|tool| self.may_write || !tool.writes);
        Ok(ListToolsResult::with_all_items(shown.map(|tool| tool.definition.clone()).collect()))
    }

    async fn call_tool(
        &self,
        CallToolRequestParams { name, arguments, .. }: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools().find(&name) else {
            let message = format!("There is no tool {:?}; `tools/list` lists them.", shortened(&name));
            return Err(ErrorData::invalid_params(message, None));
        };
        // If the client is gone, nobody reads the answer; a mutation that has begun ends all the same.
        tokio::select! {
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            called = self.api.turns.run(self.call(tool, arguments.unwrap_or_default())) => {
                let failed = |failure: RequestFailure| refused(format!("{}: {}", failure.code.as_str(), failure.message));
                Ok(called.unwrap_or_else(failed).into())
            }
        }
    }
}

fn refused(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

impl Agent {
    fn tools(&self) -> &Tools {
        let Api { service, settings, tools, .. } = &*self.api;
        tools.get_or_init(|| Tools::of(&service.sdl(), settings))
    }

    async fn call(&self, tool: &Tool, mut arguments: JsonObject) -> Result<CallToolResult, RequestFailure> {
        let bad = |message| RequestFailure::new(StatusCode::UNPROCESSABLE_ENTITY, Code::BadUserInput, message);
        if let Some(unknown) = arguments.keys().find(|name| !tool.takes(name)) {
            let known = tool.arguments().collect::<Vec<_>>().join(", ");
            return Err(bad(format!("The tool has no argument {:?}; it has: {known}.", shortened(unknown))));
        }
        let name = tool.definition.name.as_ref();
        let answer = match &tool.runs {
            Runs::Persisted { text, operation } => self.run_persisted(text, operation, arguments.into()).await?,
            Runs::Own => self.run_own(name, arguments.into()).await?,
            Runs::OwnInput { draft } => {
                if *draft {
                    arguments.insert("publish".to_owned(), json!(false));
                }
                self.run_own(name, json!({ "input": arguments })).await?
            }
            Runs::Changes => {
                let types = arguments.remove("types").filter(|types| !types.is_null());
                let types = types.map(serde_json::from_value::<Vec<String>>).transpose();
                let types = types.map_err(|_| bad("`types` must be an array of types.".to_owned()))?;
                let answer = self.run_own(name, arguments.into()).await?;
                return self.result(&answer, |data| Ok(of_types(data, types.as_deref())), false).await;
            }
            Runs::Read => {
                arguments.retain(|_, value| !value.is_null());
                let operations = [("slug", "Post"), ("path", "Page"), ("id", "Node")];
                let operation = operations.into_iter().find(|(argument, _)| arguments.contains_key(*argument));
                let Some((_, operation)) = operation.filter(|_| arguments.len() == 1) else {
                    return Err(bad("Give one of: the `slug` of a post, the `path` of a page, an `id`.".to_owned()));
                };
                let answer = self.run_document((QUERIES.text, &QUERIES.checked), operation, arguments.into()).await?;
                return self.result(&answer, markdown, false).await;
            }
        };
        self.result(&answer, |data| Ok(data.get().to_owned()), tool.writes).await
    }

    fn request(&self, text: &str, operation: &str, variables: Value) -> GraphqlRequest {
        let request = GraphqlRequest::new(text).operation_name(operation).variables(Variables::from_json(variables));
        forward_token(request, &self.headers)
    }

    async fn run_own(&self, operation: &str, variables: Value) -> Result<Answer, RequestFailure> {
        self.run_document((tools::TEXT, &tools::DOCUMENT), operation, variables).await
    }

    async fn run_document(
        &self,
        (text, checked): (&str, &Arc<CheckedDocument>),
        operation: &str,
        variables: Value,
    ) -> Result<Answer, RequestFailure> {
        let (request, share) = (self.request(text, operation, variables), self.share.of_own_query());
        run_own(&self.api, request, checked, CanWrite::Yes, &share).await
    }

    /// As a request of a client with this document.
    async fn run_persisted(&self, text: &str, operation: &str, variables: Value) -> Result<Answer, RequestFailure> {
        let (request, share) = (self.request(text, operation, variables), self.share.of_own_query());
        Ok(run(&self.api, request, (CanWrite::Yes, None), &share, &mut None).await?.answer)
    }

    /// The data as `text` writes it, after the errors, if there are any.
    async fn result(
        &self,
        answer: &Answer,
        text: impl FnOnce(&RawValue) -> Result<String, String>,
        writes: bool,
    ) -> Result<CallToolResult, RequestFailure> {
        let charged = self.share.charge.take(answer.json.length().saturating_mul(MEMORY_FACTOR)).await;
        // What a mutation has changed is reported in any case.
        if !writes {
            charged?;
        }
        let json = answer.json.to_bytes();
        let Answered { errors, data } = serde_json::from_slice(&json).map_err(|_| RequestFailure::internal())?;
        let errors: Vec<String> = errors.iter().map(GraphqlError::to_line).collect();
        let (text, is_error) = match data.map(text) {
            Some(Ok(text)) if errors.is_empty() => {
                let is_refused = writes && has_user_errors(&text);
                (text, is_refused)
            }
            Some(Ok(text)) => (format!("{}\n{text}", errors.join("\n")), true),
            Some(Err(why)) if errors.is_empty() => (why, true),
            Some(Err(_)) | None => (errors.join("\n"), true),
        };
        let content = vec![ContentBlock::text(text)];
        Ok(if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) })
    }
}

#[derive(Deserialize)]
struct Answered<'a> {
    #[serde(default)]
    errors: Vec<GraphqlError>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct GraphqlError {
    message: String,
    extensions: Extensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extensions {
    code: String,
    retry_after_ms: Option<u64>,
}

impl GraphqlError {
    fn to_line(&self) -> String {
        let Extensions { code, retry_after_ms } = &self.extensions;
        let retry = retry_after_ms.map(|ms| format!(" Try again in {ms} ms.")).unwrap_or_default();
        format!("{code}: {}{retry}", self.message)
    }
}

fn markdown(data: &RawValue) -> Result<String, String> {
    let found = serde_json::from_str::<Found>(data.get()).ok().and_then(Found::whole);
    let missing = "NOT_FOUND: There is no such post or page, or your token does not show it. Find one with `search`.";
    found.map(|whole| whole.to_markdown()).ok_or_else(|| missing.to_owned())
}

/// Only the changes of objects of these types, which are written as in `ChangedType`.
fn of_types(data: &RawValue, types: Option<&[String]>) -> String {
    let Some(types) = types else { return data.get().to_owned() };
    let mut data: Value = serde_json::from_str(data.get()).unwrap_or_default();
    let is_asked = |change: &Value| {
        let node_type = change["nodeType"].as_str().unwrap_or_default();
        types.iter().any(|asked| asked.replace('_', "").eq_ignore_ascii_case(node_type))
    };
    if let Some(changes) = data["changes"]["changes"].as_array_mut() {
        changes.retain(is_asked);
    }
    data.to_string()
}

/// Whether a mutation was refused for its input.
fn has_user_errors(data: &str) -> bool {
    let data: Value = serde_json::from_str(data).unwrap_or_default();
    let mut payloads = data.as_object().into_iter().flat_map(|fields| fields.values());
    payloads.any(|payload| payload["userErrors"].as_array().is_some_and(|errors| !errors.is_empty()))
}
