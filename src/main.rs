//! The `tidings` command: starts the tokio runtime, and runs the command line on it. The rule: `cli` defines the subcommands and their exit codes; only the
//! runtime is configured here.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

/// mimalloc, because other threads free the many small allocations of an answer (docs/decisions.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of task polls after which a thread looks for new connections and data. With tokio's default of 61, a request waits long while the bodies and
/// answers of other clients are processed (docs/decisions.md has the measurements).
const POLLS_BETWEEN_EVENTS: u32 = 2;

fn main() -> ExitCode {
    match tokio::runtime::Builder::new_multi_thread().enable_all().event_interval(POLLS_BETWEEN_EVENTS).build() {
        Ok(runtime) => runtime.block_on(async { tidings::cli::Cli::parse().run().await }),
        Err(error) => report(&error),
    }
}

fn report(error: &std::io::Error) -> ExitCode {
    drop(writeln!(std::io::stderr(), "tidings: the threads of the process cannot be started: {error}"));
    ExitCode::FAILURE
}
