//! Tests for operators: settings, help and manual, log, metrics, traces, packaging, and releases.

mod azure;
mod cdn;
mod config;
mod counted;
mod dashboard;
mod install;
mod log;
mod metrics;
mod packaging;
mod receiver;
mod release;
mod settings_documented;
mod traces;

use std::path::Path;

use crate::support::command::{Ran, finish, tidings};

/// A file of this repository.
fn repository(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Runs a command to its end with these environment variables.
fn run_with(arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = tidings(arguments);
    command.envs(variables.iter().copied());
    finish(command)
}
