//! The server as those meet it who operate it: its settings, what it tells of itself, and what they install it with.

mod config;
mod counted;
mod install;
mod log;
mod metrics;
mod packaging;
mod receiver;
mod settings_told;
mod traces;

use std::path::Path;

use crate::support::command::{Ran, finish, tidings};

/// A file of this repository.
fn repository(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// A command that runs to its end under these variables.
fn run_with(arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = tidings(arguments);
    command.envs(variables.iter().copied());
    finish(command)
}
