//! The log. The rule: it goes to the standard error, for a command's answer has the standard output; and it holds no secret.
//!
//! A line's message is `room.what_happened`. Of `content.changed`, which is one for each change that is made, the fields are `actor` and `role` (who),
//! `action` (what), and of what it was made to `post`, `slug` and `version`, `kind` and `slug`, or `token`, `name` and `granted`. Of
//! `http.request`, which is one for each request, they are `status`, `duration_ms`, and of GraphQL `operation` and `code`. Lines of dependencies are
//! bounded in number ([`repeats`](super::repeats)).

use std::io::IsTerminal;
use std::str::FromStr;

use tracing::Subscriber;
use tracing_subscriber::filter::FilterExt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use super::repeats::Sampling;
use super::spans;
use super::traces::Tracing;

/// What is logged, in the words of `tracing`.
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

/// How a line of the log looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people on a terminal, JSON elsewhere.
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
            _ => Err(format!("{text:?} is no format of the log; write json, pretty or auto")),
        }
    }
}

pub(super) fn start(directives: &Directives, format: LogFormat, tracing: &Tracing) {
    // Without traces the filter stands before everything: what nobody reads costs nothing.
    let started = match tracing.layer() {
        None => Registry::default().with(filter(directives)).with(lines(format).with_filter(Sampling)).try_init(),
        Some(traces) => {
            let lines = lines(format).with_filter(filter(directives).and(Sampling));
            Registry::default().with(lines).with(traces).try_init()
        }
    };
    // A second start keeps the first log: in tests many servers share a process.
    drop(started);
}

/// What these warn of is what clients and posts make them meet: a table that holds text, a connection that is cut.
const QUIET_BY_DEFAULT: &str = "html5ever=error,h2=error";

fn filter(directives: &Directives) -> EnvFilter {
    // Before the given directives, so that one of these can name them again.
    let filter = EnvFilter::new(format!("{QUIET_BY_DEFAULT},{}", directives.0));
    // At debug the SDK prints its Authorization headers and signed addresses; spans of traces are no matter of the log.
    let quiet = ["azure_core=warn", "azure_storage=warn", "azure_identity=warn"].map(str::to_owned);
    let quiet = quiet.into_iter().chain([format!("{}=off", spans::TARGET)]);
    quiet.fold(filter, |filter, directive| {
        filter.add_directive(directive.parse().expect("a directive as `tracing` takes it"))
    })
}

fn lines<S>(format: LogFormat) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let is_pretty = match format {
        LogFormat::Auto => std::io::stderr().is_terminal(),
        LogFormat::Json => false,
        LogFormat::Pretty => true,
    };
    let lines = fmt::layer().with_writer(std::io::stderr);
    if is_pretty { lines.with_ansi(std::io::stderr().is_terminal()).compact().boxed() } else { lines.json().boxed() }
}
