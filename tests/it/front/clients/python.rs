//! The Python client `gql`.

use std::path::Path;
use std::process::Command;

use super::start;
use crate::support::graphql::EDITOR_TOKEN;

/// `scripts/test` creates the Python environment below target/tools.
#[test]
fn python_gql_validates_queries_against_the_schema_and_pages_by_cursor() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the folder above tmp");
    let python = target.join("tools/python/bin/python");
    assert!(
        python.is_file(),
        "there is no {}: run `scripts/test`, which creates it; it needs Python 3.11 or later with venv (Debian: apt-get install python3-venv)",
        python.display()
    );
    let example = start();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/python");
    let mut command = Command::new(python);
    command.args(["-B", "-m", "unittest"]).current_dir(folder);
    command.env("TIDINGS_URL", format!("{}/graphql", example.origin())).env("TIDINGS_TOKEN", EDITOR_TOKEN);
    let output = command.output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
