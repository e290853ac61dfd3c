//! `tidings man` and `tidings completions`: files that are installed with the binary. The rule: both are generated from the definition of the
//! command line, so that they match the binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::output::output;
use super::{Cli, CommandError};

/// Print the manual page, or write all manual pages to a folder.
#[derive(Debug, Args)]
pub(super) struct PrintMan {
    /// The folder for tidings.1 and a page for each command. Default: tidings.1 is printed.
    folder: Option<PathBuf>,
}

/// Print a shell script that completes the commands and flags of tidings.
#[derive(Debug, Args)]
#[command(
    after_help = "For bash, for example: tidings completions bash > ~/.local/share/bash-completion/completions/tidings"
)]
pub(super) struct PrintCompletions {
    shell: Shell,
}

impl PrintMan {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        match &self.folder {
            None => output().write_all(&page(command())?)?,
            Some(folder) => write_pages(folder, command())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The command is built, so that each subcommand has its own and the global arguments.
fn command() -> Command {
    let mut command = Cli::command();
    command.build();
    command
}

fn write_pages(folder: &Path, command: Command) -> Result<(), CommandError> {
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        write_pages(folder, inner.clone())?;
    }
    let name = command.get_display_name().unwrap_or(command.get_name());
    let file = folder.join(format!("{name}.1"));
    let written = page(command.clone()).and_then(|page| Ok(std::fs::write(&file, page)?));
    written.map_err(|error| format!("cannot write {}: {error}", file.display()).into())
}

fn page(command: Command) -> Result<Vec<u8>, CommandError> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut page = Vec::new();
    Man::new(command.disable_help_subcommand(true).name(name)).render(&mut page)?;
    Ok(page)
}

impl PrintCompletions {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "tidings", &mut text);
        output().write_all(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}
