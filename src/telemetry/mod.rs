//! What an operator sees of the server: the log, the metrics, the traces. The rule: the words of all three stand here, each with what it means;
//! the other rooms say what happened, and know nothing of who reads it.
//!
//! No metric bears what a client or an editor wrote: its labels are words of the code, so that their number is bounded. docs/telemetry.md is the
//! list of every name, and a test holds the two together.

pub mod log;
pub mod metrics;
pub mod repeats;
pub mod spans;
pub mod traces;

pub use log::{Directives, LogFormat};
pub use traces::{Sampler, TracesSettings, Tracing};

/// Starts the log, and traces where they are wanted; of one process, once.
///
/// # Errors
/// Where the traces' settings cannot be used.
pub fn start(
    directives: &Directives,
    format: LogFormat,
    traces: Option<&TracesSettings>,
) -> Result<Tracing, traces::BadTraces> {
    let tracing = Tracing::start(traces)?;
    log::start(directives, format, &tracing);
    Ok(tracing)
}
