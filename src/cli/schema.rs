//! `tidings schema`: the contract. The rule: what it prints is `schema.graphql`, byte for byte.

use std::process::ExitCode;

use clap::Args;

use super::Failure;
use crate::graphql::schema;

/// Print the schema in GraphQL's schema definition language.
#[derive(Debug, Args)]
pub struct PrintSchema {}

impl PrintSchema {
    pub fn run(self) -> Result<ExitCode, Failure> {
        print!("{}", schema::sdl(&schema::build()));
        Ok(ExitCode::SUCCESS)
    }
}
