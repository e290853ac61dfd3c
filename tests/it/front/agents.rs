//! The official clients of the Model Context Protocol, with the example blog. The rule: each of them does what a model would ask it to do.

use std::process::Command;

use serde_json::Value;

use super::Example;
use super::editor::{TOKEN, run_with};
use crate::support::node::Package;

const SETTINGS: [(&str, &str); 1] = [("TIDINGS_EDITOR_TOKEN", TOKEN)];

/// Lets the agent of this SDK write its draft.
fn write_draft(example: &Example, sdk: &str, revision: &str) {
    let url = format!("{}/mcp", example.origin());
    Package::at("tests/tools").node(&["agent.mjs", sdk, &url, TOKEN, revision], &[]);
}

#[test]
fn an_agent_writes_a_draft_from_a_brief_and_a_person_publishes_it() {
    let example = Example::start(&[], &SETTINGS);
    write_draft(&example, "current", "2026-07-28");
    run_with(&["agent"], &example.serving, &[]);
}

#[test]
fn an_agent_of_the_earlier_revisions_writes_a_draft_too() {
    let example = Example::start(&[], &SETTINGS);
    write_draft(&example, "earlier", "2025-11-25");
    let draft = example.serving.ask_as(Some(TOKEN), "{ post(slug: \"what-we-know-of-the-lighthouse\") { status } }");
    assert_eq!(draft["data"]["post"]["status"], "DRAFT", "{draft}");
}

#[test]
fn the_inspector_lists_the_tools_and_calls_one() {
    let example = Example::start(&[], &[]);
    let url = format!("{}/mcp", example.origin());
    let inspect = |arguments: &[&str]| -> Value {
        let mut command = Command::new("node");
        command.current_dir(Package::at("tests/tools").path()).arg(INSPECTOR).args([
            "--cli",
            &url,
            "--transport",
            "http",
        ]);
        let output = command.args(arguments).output().expect("node runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
    };
    let listed = inspect(&["--method", "tools/list"]);
    let names: Vec<&Value> = listed["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["search", "read", "changes"]);
    let slug = "slug=how-to-wash-a-mirror";
    let called = inspect(&["--method", "tools/call", "--tool-name", "read", "--tool-arg", slug]);
    assert!(called["content"][0]["text"].as_str().is_some_and(|text| text.starts_with("---\ntitle: ")), "{called}");
}

const INSPECTOR: &str = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
