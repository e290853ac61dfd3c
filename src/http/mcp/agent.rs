//! The caller of one request: what tools it is shown, and what a tool answers it. The rule: the text of a result is what GraphQL has answered; its
//! errors come first, each with its code.

use std::sync::Arc;

use async_graphql::{Request as GraphqlRequest, Variables};
use axum::http::{HeaderMap, StatusCode};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::tools::{self, Runs, Tool, Tools};
use crate::graphql::{error::Code, guard::CheckedDocument};
use crate::http::answer::{Answer, RequestFailure};
use crate::http::api::{Api, Share};
use crate::http::execution::{CanWrite, run, run_own};
use crate::http::feeds::markdown::{QUERIES, to_markdown};
use crate::http::request_headers::forward_token;
use crate::http::request_id::shortened;

/// The memory of a result, its text and the written answer, for each byte of the answer of GraphQL.
const MEMORY_FACTOR: u64 = 4;

const INSTRUCTIONS: &str = "The posts and pages of a web site. Find some with `search`, read one with `read`, follow what changes with `changes`. \
     With a token that may write, `create_draft` makes a draft, which people publish, and `update` changes a post, a published one at once; for pages \
     there are `create_page_draft` and `update_page`. An error begins with a stable code.";
/// Of a server whose only tools are the documents of its manifests.
const INSTRUCTIONS_OF_DOCUMENTS: &str =
    "Documents that read or change the posts and pages of a web site. An error begins with a stable code.";
/// The first line and the beginning of the second of what `read` returns.
const HEAD: &str = "---\ntitle: ";

#[derive(Clone)]
pub(super) struct Agent {
    pub api: Arc<Api>,
    pub share: Arc<Share>,
    pub headers: Arc<HeaderMap>,
    pub may_write: bool,
}

impl ServerHandler for Agent {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("tidings", env!("CARGO_PKG_VERSION")).with_title(&self.api.settings.site.name);
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(match self.api.settings.trusted_only {
                true => INSTRUCTIONS_OF_DOCUMENTS,
                false => INSTRUCTIONS,
            })
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
                let failed = |failure: RequestFailure| format!("{}: {}", failure.code.as_str(), failure.message);
                Ok(called.unwrap_or_else(|failure| result_of(failed(failure), true)).into())
            }
        }
    }
}

fn result_of(text: String, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(text)];
    if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) }
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
                if arguments.get("markdown").and_then(Value::as_str).is_some_and(|text| text.starts_with(HEAD)) {
                    return Err(bad(
                        "Send `markdown` without the head that `read` shows, down to the second `---`.".to_owned()
                    ));
                }
                if *draft {
                    arguments.insert("publish".to_owned(), json!(false));
                }
                self.run_own(name, json!({ "input": arguments })).await?
            }
            Runs::Changes => {
                let types = arguments.remove("types").filter(|types| !types.is_null());
                let types = types.map(serde_json::from_value::<Vec<String>>).transpose();
                let known = tool.definition.input_schema["properties"]["types"]["items"]["enum"].as_array();
                let is_known = |asked: &String| known.is_some_and(|known| known.iter().any(|of| of == asked));
                let types = types.map_err(drop).and_then(|types| match types {
                    Some(types) if !types.iter().all(is_known) => Err(()),
                    types => Ok(types),
                });
                let types = types.map_err(|()| {
                    let known = known.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
                    bad(format!("`types` must be an array of some of: {known}."))
                })?;
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
            Some(Ok(text)) if errors.is_empty() => match if writes { user_errors(&text) } else { Vec::new() } {
                refused if refused.is_empty() => (text, false),
                refused => (format!("{}\n{text}", refused.join("\n")), true),
            },
            Some(Ok(text)) => (format!("{}\n{text}", errors.join("\n")), true),
            Some(Err(why)) if errors.is_empty() => (why, true),
            Some(Err(_)) | None => (errors.join("\n"), true),
        };
        Ok(result_of(text, is_error))
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
    let data: Value = serde_json::from_str(data.get()).unwrap_or_default();
    let missing = "NOT_FOUND: There is no such post or page, or your token does not show it. Find one with `search`.";
    to_markdown(&data["content"]).ok_or_else(|| missing.to_owned())
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

/// Why a mutation was refused for its input, each with its code.
fn user_errors(data: &str) -> Vec<String> {
    let data: Value = serde_json::from_str(data).unwrap_or_default();
    let payloads = data.as_object().into_iter().flat_map(|fields| fields.values());
    let errors = payloads.filter_map(|payload| payload["userErrors"].as_array()).flatten();
    let text = |error: &Value, name: &str| error[name].as_str().unwrap_or("INVALID").to_owned();
    errors.map(|error| format!("{}: {}", text(error, "code"), text(error, "message"))).collect()
}
