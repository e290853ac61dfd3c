//! The Python client `gql`.

use std::path::Path;

use super::start;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::python::python;

#[test]
fn python_gql_validates_queries_against_the_schema_and_pages_by_cursor() {
    let example = start();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/python");
    let mut command = python("python");
    command.args(["-m", "unittest"]).current_dir(folder);
    command.env("TIDINGS_URL", format!("{}/graphql", example.origin())).env("TIDINGS_TOKEN", EDITOR_TOKEN);
    let output = command.output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
