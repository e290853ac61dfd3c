//! The `tidings` command: parse, dispatch, exit code.

use std::process::ExitCode;

use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    tidings::cli::Cli::parse().run().await
}
