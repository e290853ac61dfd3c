//! The log. The rule: it is written to the standard error, because the standard output has the results of commands; and it contains no secrets.
//!
//! The message of most lines is `module.event`. `content.changed` is logged for each change; its fields are `actor` and `role`, `action`, and the changed
//! object: `post`, `slug` and `version`, or `kind` and `slug`, or `token`, `name` and `granted`. `http.request` is logged for each request; its fields are
//! `status`, `duration_ms`, and for GraphQL `operation` and `code`.

use std::io::IsTerminal;
use std::str::FromStr;

use chrono::Utc;
use tracing::Subscriber;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use super::spans;
use super::traces::Tracing;

/// The log directives, in the syntax of `tracing`.
#[derive(Debug, Clone)]
pub struct Directives(String);

impl FromStr for Directives {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        EnvFilter::try_new(text)
            .map_err(|error| format!("{text:?}: {error}; write directives such as info or tidings=debug"))?;
        Ok(Self(text.to_owned()))
    }
}

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// [`Pretty`](Self::Pretty) on a terminal, [`Json`](Self::Json) elsewhere.
    Auto,
    Json,
    Pretty,
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "json" => Ok(Self::Json),
            "pretty" => Ok(Self::Pretty),
            _ => Err(format!("{text:?} is not a log format; write json, pretty or auto")),
        }
    }
}

pub(super) fn start(directives: &Directives, format: LogFormat, tracing: &Tracing) {
    // Without traces, the filter applies to the whole registry, so that disabled spans and events cost nothing.
    let started = match tracing.layer() {
        None => Registry::default().with(filter(directives)).with(lines(format)).try_init(),
        Some(traces) => Registry::default().with(lines(format).with_filter(filter(directives))).with(traces).try_init(),
    };
    // A second start in the same process keeps the first log, because in tests many servers share a process.
    drop(started);
}

/// The warnings of `html5ever` are about posts: text inside an HTML table. `rmcp` reports each request, as the line `http.request` does.
const QUIET_BY_DEFAULT: &str = "html5ever=error,rmcp=error";

fn filter(directives: &Directives) -> EnvFilter {
    // This comes before the given directives, so that they can override it.
    let filter = EnvFilter::new(format!("{QUIET_BY_DEFAULT},{}", directives.0));
    // At the level debug, the SDK prints its Authorization headers and signed URLs. The spans of traces do not belong in the log.
    let quiet = ["azure_core=warn", "azure_storage=warn", "azure_identity=warn"].map(str::to_owned);
    let quiet = quiet.into_iter().chain([format!("{}=off", spans::TARGET)]);
    quiet.fold(filter, |filter, directive| {
        filter.add_directive(directive.parse().expect("the directive is well-formed"))
    })
}

/// Hours, minutes and seconds of UTC.
struct TimeOfDay;

impl FormatTime for TimeOfDay {
    #[expect(
        clippy::disallowed_methods,
        reason = "a line of the log has the time of the machine, also in tests that set a clock"
    )]
    fn format_time(&self, writer: &mut Writer<'_>) -> std::fmt::Result {
        write!(writer, "{}", Utc::now().format("%H:%M:%S"))
    }
}

fn lines<S>(format: LogFormat) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let is_terminal = std::io::stderr().is_terminal();
    let lines = fmt::layer().with_writer(std::io::stderr);
    // Lines are in colours by default, unless NO_COLOR is set (https://no-color.org).
    let lines = if is_terminal { lines } else { lines.with_ansi(false) };
    match format {
        LogFormat::Pretty => lines.compact().boxed(),
        // The lines are shorter for a person at a terminal.
        LogFormat::Auto if is_terminal => lines.compact().with_target(false).with_timer(TimeOfDay).boxed(),
        LogFormat::Auto | LogFormat::Json => lines.json().with_span_list(false).boxed(),
    }
}
