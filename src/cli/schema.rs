//! `tidings schema`: prints the GraphQL schema. The rule: the output is the schema that the server serves; without declared fields, it is `schema.graphql`,
//! byte for byte.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use super::CommandError;
use super::flags::{Flags, OfFields};
use super::output::output;
use crate::config::{self, Sources};
use crate::graphql::schema;

/// Print the schema in GraphQL's schema definition language, with the fields that the site declares.
#[derive(Debug, Args)]
pub(super) struct PrintSchema {
    #[command(flatten)]
    fields: Flags<OfFields>,
}

impl PrintSchema {
    pub(super) fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let fields = config::site_fields(&sources.with(self.fields.typed))?;
        output().write_all(schema::sdl(&schema::build_with(&fields)).as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}
