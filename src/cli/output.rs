//! The output of commands. The rule: if the reader of the output has closed it, as `| head` does, the command continues and ends with its own exit code.

use std::fmt::Display;
use std::io::{ErrorKind, Result, Stdout, Write};

/// The standard output. Writes to a pipe that its reader has closed succeed.
pub(super) struct Output(Stdout);

pub(super) fn output() -> Output {
    Output(std::io::stdout())
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

fn unless_closed<T>(written: Result<T>, all: T) -> Result<T> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(all),
        written => written,
    }
}

/// Prints a line to the standard error, and ignores errors, which could not be reported anywhere.
pub(super) fn print_line(line: impl Display) {
    drop(writeln!(std::io::stderr(), "{line}"));
}
