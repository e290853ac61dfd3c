//! `tidings schema`: prints the GraphQL schema. The rule: the output is `schema.graphql`, byte for byte.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use super::CommandError;
use crate::graphql::schema;

/// Print the schema in GraphQL's schema definition language.
#[derive(Debug, Args)]
pub(super) struct PrintSchema {}

impl PrintSchema {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        std::io::stdout().lock().write_all(schema::sdl(&schema::build()).as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}
