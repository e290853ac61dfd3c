//! GraphQL clients that front ends use, each in a program of its own in tests/clients. The rule: all code that a client generates is generated
//! in the test run. The program gets the server's address in TIDINGS_URL and an admin's token in TIDINGS_TOKEN.

mod persisted;
mod python;
mod rust;

use super::Example;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::node::Package;

/// A server of the example blog, with [`EDITOR_TOKEN`] as the token of an admin.
fn start() -> Example {
    Example::start(&[], &[("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN)])
}

/// Runs the script of this name in tests/clients/package.json against a server of its own.
fn run(client: &str) {
    with_server(|package, variables| package.script(client, &[], variables));
}

fn with_server(work: impl FnOnce(&Package, &[(&str, &str)])) {
    let example = start();
    let url = format!("{}/graphql", example.origin());
    work(&Package::at("tests/clients"), &[("TIDINGS_URL", &url), ("TIDINGS_TOKEN", EDITOR_TOKEN)]);
}

#[test]
fn graphql_codegen_generates_types_that_tsc_accepts_and_documents_that_run() {
    run("codegen");
}

#[test]
fn gql_tada_checks_each_document_and_types_the_answers() {
    run("tada");
}

#[test]
fn a_site_lists_shows_edits_and_counts_posts_and_merges_conflicts() {
    run("site");
}

#[test]
fn pages_and_routes_of_next_js_list_show_preview_and_revalidate_posts() {
    run("next");
}

#[test]
fn apollo_client_merges_pages_and_objects_and_shows_errors_with_their_codes() {
    run("apollo");
}

#[test]
fn urql_with_graphcache_merges_pages_and_follows_mutations() {
    run("urql");
}

#[test]
fn relay_compiles_its_documents_pages_refetches_by_node_and_updates_its_store() {
    run("relay");
}

#[test]
fn the_clients_follow_posts_over_websockets_and_server_sent_events() {
    run("subscriptions");
}

#[test]
fn introspection_with_every_option_equals_the_served_schema() {
    let arguments = ["--test", "introspection/introspection.test.js"];
    with_server(|package, variables| drop(package.node(&arguments, variables)));
}
