//! The Python environments of the tests, which `scripts/test` creates below target/tools.

use std::path::Path;
use std::process::Command;

/// Python with the packages of one environment. It writes no bytecode.
pub fn python(environment: &str) -> Command {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the folder above tmp");
    let python = target.join(format!("tools/{environment}/bin/python"));
    assert!(
        python.is_file(),
        "there is no {}: run `scripts/test`, which creates it; it needs Python 3.11 or later with venv (Debian: apt-get install python3-venv)",
        python.display()
    );
    let mut command = Command::new(python);
    command.arg("-B");
    command
}
