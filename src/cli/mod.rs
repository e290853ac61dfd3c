//! The command line, with a file for each command. The rule: a command turns its arguments into settings, calls other modules and prints the result.

mod backup;
mod check;
mod export;
mod flags;
mod grouped;
mod import;
mod install;
mod output;
mod schema;
mod serve;
mod token;
mod webhook;

use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

use crate::config::{self, ConfigError, Sources, StoreSetting};
use crate::telemetry::with_causes;
use flags::{Flags, OfStore};
use output::print_line;

// The text above the commands is the description of the package.
#[derive(Debug, Parser)]
#[command(name = "tidings", version, about, max_term_width = 100)]
pub struct Cli {
    /// The configuration file, in TOML. Flags and environment variables override it. [env: TIDINGS_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Import(import::Import),
    Export(export::Export),
    Backup(backup::Backup),
    Restore(backup::Restore),
    Check(check::Check),
    Schema(schema::PrintSchema),
    Token(token::TokenCommand),
    Webhook(webhook::WebhookCommand),
    Man(install::PrintMan),
    Completions(install::PrintCompletions),
}

/// The store setting, for a command that has no other settings.
fn store_of(sources: &Sources, flags: Flags<OfStore>) -> Result<StoreSetting, ConfigError> {
    config::store(&sources.with(flags.typed))
}

/// A failure as the user reads it: one line, followed by its causes.
type CommandError = Box<dyn std::error::Error + Send + Sync>;

impl Cli {
    /// The boxed future makes the compiler generate the code of all commands in this crate, side by side with the rest, and not in the program.
    pub fn run(self) -> Pin<Box<dyn Future<Output = ExitCode>>> {
        Box::pin(self.carry_out())
    }

    async fn carry_out(self) -> ExitCode {
        let done = match Sources::read(self.config.as_deref()) {
            Ok(sources) => self.command.run(&sources).await,
            Err(error) => Err(error.into()),
        };
        done.unwrap_or_else(|failure| match failure.downcast_ref::<ConfigError>() {
            Some(error) if error.is_typed() => {
                drop(Self::command().error(ErrorKind::ValueValidation, error).print());
                ExitCode::from(MISTYPED)
            }
            _ => {
                print_line(format_args!("tidings: {}", in_one_line(with_causes(failure.as_ref()))));
                ExitCode::FAILURE
            }
        })
    }
}

/// The exit code of an invalid command line; clap uses the same code.
const MISTYPED: u8 = 2;

impl Command {
    async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        match self {
            Self::Serve(serve) => serve.run(sources).await,
            Self::Import(import) => import.run(sources).await,
            Self::Export(export) => export.run(sources).await,
            Self::Backup(backup) => backup.run(sources).await,
            Self::Restore(restore) => restore.run(sources).await,
            Self::Check(check) => check.run(sources).await,
            Self::Schema(schema) => schema.run(sources),
            Self::Token(token) => token.run(sources).await,
            Self::Webhook(webhook) => webhook.run(sources).await,
            Self::Man(man) => man.run(),
            Self::Completions(completions) => completions.run(),
        }
    }
}

/// Text from outside on one line, without control characters that a terminal would obey.
fn in_one_line(text: impl ToString) -> String {
    text.to_string().replace(char::is_control, " ")
}

/// `1 post`, `2 posts`.
fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
