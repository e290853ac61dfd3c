//! Runs all audits of the npm package graphql-http against the server.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::Example;
use crate::support::node::Package;

#[derive(Debug, Deserialize)]
struct Audit {
    id: String,
    #[expect(dead_code, reason = "shown when the test fails")]
    name: String,
    status: String,
    #[expect(dead_code, reason = "shown when the test fails")]
    reason: Option<String>,
}

/// A failed audit of a MUST is an error, of a SHOULD a warning, of a MAY a notice. The table in docs/http.md lists the failed audits by id.
#[test]
fn no_must_audit_fails_and_every_other_failure_is_documented() {
    let example = Example::start(&[], &[]);
    let audits = audits(&format!("{}/graphql", example.origin()));
    assert!(audits.len() >= 60, "{} audits", audits.len());
    let failed: Vec<&Audit> = audits.iter().filter(|audit| audit.status != "ok").collect();
    let musts: Vec<&&Audit> =
        failed.iter().filter(|audit| !["warn", "notice"].contains(&audit.status.as_str())).collect();
    assert!(musts.is_empty(), "{musts:#?}");
    let ids: BTreeSet<&str> = failed.iter().map(|audit| audit.id.as_str()).collect();
    let docs =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/http.md")).expect("docs/http.md");
    let documented = ids_of_the_table(&docs);
    let undocumented: Vec<&&Audit> = failed.iter().filter(|audit| !documented.contains(audit.id.as_str())).collect();
    assert_eq!(ids, documented, "not documented: {undocumented:#?}");
}

/// A row starts with the ids, each between backticks.
fn ids_of_the_table(docs: &str) -> BTreeSet<&str> {
    let firsts = docs.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" |")).map(|(ids, _)| ids);
    firsts.flat_map(|ids| ids.split('`').filter(|id| id.len() == 4)).collect()
}

fn audits(url: &str) -> Vec<Audit> {
    let tools = Package::at("tests/tools");
    let output = Command::new("node").arg("audits.js").arg(url).current_dir(tools.path()).output().expect("node runs");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{errors}");
    said.lines().map(|line| serde_json::from_str(line).expect("an audit")).collect()
}
