//! The command line, a file for each command. The rule: what was typed becomes settings here; what it means is the other rooms' matter.

#![expect(clippy::print_stderr, reason = "a command tells its reader how it goes")]

mod check;
mod export;
mod import;
mod schema;
mod serve;
mod token;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::config::StoreSetting;

/// A GraphQL content server over tables: posts, categories, tags and authors, newest first.
#[derive(Debug, Parser)]
#[command(name = "tidings", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Import(import::Import),
    Export(export::Export),
    Check(check::Check),
    Schema(schema::PrintSchema),
    Token(token::TokenCommand),
}

/// Where the content is; the same for every command.
#[derive(Debug, Args)]
struct StoreOptions {
    /// The store: file:PATH, or azure with AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_ACCOUNT set.
    #[arg(long, env = "TIDINGS_STORE", default_value = "file:tidings-data", value_name = "STORE")]
    store: StoreSetting,
    /// Put before the name of each table, for several sites in one account. Letters and digits.
    #[arg(long, env = "TIDINGS_TABLE_PREFIX", default_value = "", value_name = "PREFIX")]
    table_prefix: String,
}

/// A failure as the user reads it: one line, and its causes behind it.
type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Cli {
    pub async fn run(self) -> ExitCode {
        let done = match self.command {
            Command::Serve(serve) => serve.run().await,
            Command::Import(import) => import.run().await,
            Command::Export(export) => export.run().await,
            Command::Check(check) => check.run().await,
            Command::Schema(schema) => schema.run(),
            Command::Token(token) => token.run().await,
        };
        done.unwrap_or_else(|failure| {
            eprintln!("tidings: {}", in_one_line(with_causes(failure.as_ref())));
            ExitCode::FAILURE
        })
    }
}

/// A text of somebody else's making on one line, and without a sign that a terminal would obey.
fn in_one_line(text: impl ToString) -> String {
    text.to_string().replace(char::is_control, " ")
}

/// The error and its causes, each once.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !line.contains(&text) {
            line = format!("{line}: {text}");
        }
        cause = inner.source();
    }
    line
}
