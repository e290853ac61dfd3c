//! Documents that clients name in place of sending them: Apollo's and urql's links for automatic persisted queries, and the manifests of graphql-codegen and
//! relay-compiler, which both generate in the test run.

use super::super::Example;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::node::Package;

#[test]
fn clients_register_and_name_their_documents_and_their_manifests_are_taken() {
    let package = Package::at("tests/clients");
    package.script("manifests", &[], &[]);
    let generated = package.path().join("persisted/generated");
    let manifests =
        ["gql/persisted-documents.json", "relay.json"].map(|name| generated.join(name).display().to_string());
    let token = ("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN);
    let automatic = Example::start(&[], &[token]);
    let off = Example::start(&[], &[token, ("TIDINGS_LIMITS_PERSISTED_BYTES", "0")]);
    let flags = ["--manifest", &manifests[0], "--manifest", &manifests[1], "--manifests-only"];
    let trusted = Example::start(&flags, &[token]);
    let urls = [&automatic, &off, &trusted].map(|example| format!("{}/graphql", example.origin()));
    let variables = [
        ("TIDINGS_URL", urls[0].as_str()),
        ("TIDINGS_URL_OFF", &urls[1]),
        ("TIDINGS_URL_TRUSTED", &urls[2]),
        ("TIDINGS_TOKEN", EDITOR_TOKEN),
    ];
    package.script("persisted", &[], &variables);
}
