//! The official clients of the Model Context Protocol, with the example blog. The rule: each of them does what a model would ask it to do.

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
