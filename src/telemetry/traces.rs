//! Traces, sent by OTLP over HTTP. The rule: they are off unless an endpoint is set, they never make a request wait or fail, and a stop sends
//! the remaining ones.

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tokio::runtime::Handle;
use tracing::{Level, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

use super::spans;

/// The path after the endpoint ("OpenTelemetry Protocol", section "OTLP/HTTP Request").
const PATH: &str = "/v1/traces";
/// The maximum time for sending one batch, and the wait of a stop for the last one.
const SEND_TIME: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub struct TracesSettings {
    pub endpoint: String,
    /// Names and values. A value may be secret.
    pub headers: Vec<(String, String)>,
    pub service_name: String,
    /// The fraction of requests that are traced if the client sends no `traceparent`.
    pub ratio: f64,
}

impl std::fmt::Debug for TracesSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TracesSettings").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
// The address may contain a password, so the error does not repeat it.
#[error("traces cannot be sent to the address in traces.endpoint; write one such as http://127.0.0.1:4318")]
pub struct BadTraces {
    #[source]
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// The exporter of traces, if one is configured.
#[derive(Debug, Clone, Default)]
pub struct Tracing(Option<SdkTracerProvider>);

impl Tracing {
    pub(super) fn start(settings: Option<&TracesSettings>) -> Result<Self, BadTraces> {
        let Some(settings) = settings else { return Ok(Self(None)) };
        let exporter = exporter(settings).map_err(|source| BadTraces { source })?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder().with_service_name(settings.service_name.clone()).with_attribute(version);
        let provider = SdkTracerProvider::builder()
            .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(settings.ratio))))
            .with_resource(resource.build())
            .with_batch_exporter(exporter)
            .build();
        Ok(Self(Some(provider)))
    }

    pub(super) fn layer<S>(&self) -> Option<impl Layer<S> + use<S>>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let tracer = self.0.as_ref()?.tracer("tidings");
        let layer = tracing_opentelemetry::layer().with_tracer(tracer);
        // Details for developers of Tidings are omitted.
        let layer = layer.with_location(false).with_threads(false).with_target(false).with_tracked_inactivity(false);
        Some(layer.with_filter(Targets::new().with_target(spans::TARGET, Level::INFO)))
    }

    /// Sends the remaining traces.
    pub async fn stop(self) {
        let Some(provider) = self.0 else { return };
        let stopped = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(SEND_TIME)).await;
        if !matches!(stopped, Ok(Ok(()))) {
            tracing::warn!("traces.not_flushed");
        }
    }
}

fn exporter(settings: &TracesSettings) -> Result<SpanExporter, Box<dyn std::error::Error + Send + Sync>> {
    let client = reqwest::Client::builder().timeout(SEND_TIME).build()?;
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Client { client, runtime: Handle::current() })
        .with_endpoint(format!("{}{PATH}", settings.endpoint.trim_end_matches('/')))
        .with_protocol(Protocol::HttpBinary)
        .with_timeout(SEND_TIME)
        .with_headers(settings.headers.iter().cloned().collect());
    Ok(exporter.build()?)
}

/// The HTTP client that the SDK calls on its own thread; it sends on the server's runtime.
#[derive(Debug)]
struct Client {
    client: reqwest::Client,
    runtime: Handle,
}

#[async_trait::async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sent = self.runtime.spawn(send(self.client.clone(), request)).await?;
        // The SDK does not report failures itself.
        match &sent {
            Ok(response) if response.status().is_success() => {}
            Ok(response) => tracing::warn!(status = response.status().as_u16(), "traces.not_sent"),
            Err(error) => tracing::warn!(error = error.as_ref() as &dyn std::error::Error, "traces.not_sent"),
        }
        sent
    }
}

async fn send(client: reqwest::Client, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let answer = client.execute(request.try_into()?).await.map_err(reqwest::Error::without_url)?;
    let mut response = Response::builder().status(answer.status());
    if let Some(headers) = response.headers_mut() {
        headers.extend(answer.headers().clone());
    }
    Ok(response.body(answer.bytes().await?)?)
}

/// Makes the span a child of the client's span that `traceparent` names ("Trace Context", W3C). `header`: returns a request header by its name.
pub fn join<'h>(span: &Span, header: &'h dyn Fn(&str) -> Option<&'h str>) {
    if span.is_disabled() {
        return;
    }
    let context = TraceContextPropagator::new().extract(&Headers(header));
    // A span that is not sampled has no parent to set.
    let _ = span.set_parent(context);
}

/// The id of the trace of a span, if it has one, for the log lines.
pub fn trace_id(span: &Span) -> Option<String> {
    if span.is_disabled() {
        return None;
    }
    let context = span.context();
    let span = context.span();
    let found = span.span_context();
    found.is_valid().then(|| found.trace_id().to_string())
}

struct Headers<'h>(&'h dyn Fn(&str) -> Option<&'h str>);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0(key)
    }

    fn keys(&self) -> Vec<&str> {
        ["traceparent", "tracestate"].into_iter().filter(|name| self.0(name).is_some()).collect()
    }
}
