//! Observability: the log, the metrics and the traces. The rule: all metrics and spans are defined here, each by a function; other modules call
//! these functions and do not know the exporters.
//!
//! The labels of metrics are constants of the code, never input of a client or an editor, so their number is bounded. docs/telemetry.md lists all
//! names, and tests compare it with the code.

mod causes;
pub mod log;
pub mod metrics;
pub mod spans;
pub mod traces;

pub use causes::with_causes;
pub use log::{Directives, LogFormat};
pub use traces::{TracesSettings, Tracing};

/// Starts the log, and the traces if they are configured. Call it once per process.
///
/// # Errors
/// If the traces' settings cannot be used.
pub fn start(
    directives: &Directives,
    format: LogFormat,
    traces: Option<&TracesSettings>,
) -> Result<Tracing, traces::BadTraces> {
    let tracing = Tracing::start(traces)?;
    log::start(directives, format, &tracing);
    Ok(tracing)
}
