//! The template of an Azure deployment, `packaging/azure/main.bicep`. The rule: it is read by a parser of Bicep, and the settings, paths, roles and files
//! that it names exist. Nothing is deployed.

use std::collections::BTreeSet;
use std::path::Path;

use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use tidings::config::setting::Form;
use tidings::config::table;

use super::{repository, run_with};
use crate::support::python::python;
use crate::support::site::Site;

const TEMPLATE: &str = "packaging/azure/main.bicep";

/// Azure's built-in roles for the data of a storage account, as Microsoft's page "Azure built-in roles for Storage" lists them.
const ROLES: [(&str, &str); 2] = [
    ("Storage Table Data Contributor", "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3"),
    ("Storage Blob Data Contributor", "ba92f5b4-2d11-453d-a403-e96b0029c9fe"),
];

/// Values of the settings that the template takes from its parameters and resources.
const GIVEN: [(&str, &str); 7] = [
    ("TIDINGS_TABLE_PREFIX", "garden"),
    ("TIDINGS_SITE_URL", "https://blog.example/"),
    ("TIDINGS_EDITOR_TOKEN", "a-token-of-more-than-24-characters"),
    ("AZURE_CLIENT_ID", "12345678-1234-1234-1234-123456789012"),
    ("AZURE_STORAGE_ACCOUNT", "myblog"),
    ("AZURE_STORAGE_TABLE_ENDPOINT", "https://myblog.table.core.windows.net/"),
    ("AZURE_STORAGE_BLOB_ENDPOINT", "https://myblog.blob.core.windows.net/"),
];

/// The syntax tree: parameters, variables, resources and outputs by their names.
fn parsed() -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = python("bicep");
    command.arg(root.join("tests/tools/bicep/parse.py")).arg(root.join(TEMPLATE));
    let output = command.output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// The lists that `concat` joins, also those that are joined only if a parameter is set. Those that a parameter lists as a whole are left out.
fn joined<'t>(template: &'t Value, concat: &'t Value) -> Vec<&'t Value> {
    let parts = concat["function"]["parameters"].as_object().unwrap_or_else(|| panic!("no concat: {concat}"));
    let names = parts.values().map(|part| match part.as_str() {
        Some(name) => name,
        None => text(&part["operator"]["operands"]["false_value"]),
    });
    let lists = names.map(|name| &template["variables"][name]["value"]);
    lists.filter_map(Value::as_array).flatten().collect()
}

fn container(template: &Value) -> &Value {
    &template["resources"]["app"]["config"]["properties"]["template"]["containers"][0]
}

/// A text of the template with the values of its port and its container of pictures.
fn filled_in(template: &Value, text: &str) -> String {
    let port = template["variables"]["port"]["value"].to_string();
    let pictures = template["parameters"]["picturesContainer"]["default"].as_str().expect("a name");
    text.replace("${port}", &port).replace("${picturesContainer}", pictures)
}

#[test]
fn the_server_accepts_the_settings_of_the_template() {
    let template = parsed();
    let variables: Vec<(String, String)> = joined(&template, &container(&template)["env"])
        .into_iter()
        .map(|setting| {
            let name = text(&setting["name"]);
            let given = GIVEN.iter().find(|(given, _)| *given == name).map(|(_, value)| (*value).to_owned());
            (name.to_owned(), given.unwrap_or_else(|| filled_in(&template, text(&setting["value"]))))
        })
        .collect();
    let names: BTreeSet<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
    assert!(GIVEN.iter().all(|(name, _)| names.contains(name)) && names.contains("TIDINGS_STORE"), "{names:?}");
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let ran = run_with(&["serve", "--print-config"], &variables);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for name in names {
        // The value of a secret is not shown.
        let sources = [format!("  # environment {name}\n"), format!(" is set, not shown (environment {name})\n")];
        assert!(sources.iter().any(|source| ran.out.contains(source)), "{name}: {}", ran.out);
    }
    assert!(
        ran.out.contains("listen = \"0.0.0.0:8080\"") && ran.out.contains("store = \"az://pictures\""),
        "{}",
        ran.out
    );
    assert!(repository("packaging/Containerfile").contains("\nEXPOSE 8080\n"));
}

/// Also in descriptions and comments.
#[test]
fn every_setting_that_the_template_names_exists() {
    let known: BTreeSet<String> = table::all().iter().map(|setting| setting.variable()).collect();
    let text = repository(TEMPLATE);
    let words = text.split(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
    let named: BTreeSet<&str> =
        words.filter(|word| ["TIDINGS_", "AZURE_"].iter().any(|start| word.starts_with(start))).collect();
    assert!(named.len() > 10, "{named:?}");
    let unknown: Vec<&str> = named.into_iter().filter(|name| !known.contains(*name)).collect();
    assert_eq!(unknown, Vec::<&str>::new());
}

#[test]
fn settings_that_are_secrets_are_secrets_of_the_app() {
    let template = parsed();
    let configuration = &template["resources"]["app"]["config"]["properties"]["configuration"];
    let secrets: Vec<&str> =
        joined(&template, &configuration["secrets"]).into_iter().map(|secret| text(&secret["name"])).collect();
    for setting in joined(&template, &container(&template)["env"]) {
        let name = text(&setting["name"]);
        let own = table::all().into_iter().find(|own| own.variable() == name).unwrap_or_else(|| panic!("{name}"));
        let is_secret = matches!(own.form, Form::Secret(_));
        assert_eq!(setting["secretRef"].as_str().is_some_and(|secret| secrets.contains(&secret)), is_secret, "{name}");
        assert_eq!(setting["value"].is_null(), is_secret, "{name}");
    }
    for name in ["editorToken", "secretSettings"] {
        let decorators = items(&template["parameters"][name]["decorators"]);
        assert!(decorators.contains(&json!({ "type": "secure" })), "{name}: {decorators:?}");
    }
}

#[tokio::test]
async fn the_server_answers_the_probes() {
    let template = parsed();
    let site = Site::in_memory().await;
    let mut kinds = Vec::new();
    for probe in items(&container(&template)["probes"]) {
        let asked = &probe["httpGet"];
        let answer = site.send(Request::get(text(&asked["path"])), None, "").await;
        assert_eq!((answer.status, &asked["port"]), (StatusCode::OK, &json!("port")), "{probe}");
        kinds.push(text(&probe["type"]));
    }
    assert_eq!(kinds, ["Startup", "Liveness", "Readiness"]);
    let properties = &template["resources"]["app"]["config"]["properties"];
    assert_eq!(properties["configuration"]["ingress"]["targetPort"], "port");
    let grace = properties["template"]["terminationGracePeriodSeconds"].as_u64().expect("seconds");
    let stop = table::limits::ALL.iter().find(|setting| setting.key == "limits.stop_seconds").expect("the setting");
    assert!(stop.default.text().is_some_and(|stop| stop.parse::<u64>().is_ok_and(|stop| stop < grace)), "{grace}");
}

#[test]
fn the_identity_has_the_roles_for_the_data_and_the_account_accepts_no_keys() {
    let template = parsed();
    let roles: Vec<(&str, &str)> = items(&template["variables"]["dataRoles"]["value"])
        .iter()
        .map(|role| (text(&role["name"]), text(&role["id"])))
        .collect();
    assert_eq!(roles, ROLES);
    let resources = &template["resources"];
    for (name, list) in [("serverRoles", "dataRoles"), ("operatorRoles", "operatorDataRoles")] {
        let of_each = &resources[name]["config"];
        assert_eq!(
            (&of_each["loop_type"]["detail"]["array_name"], &of_each["config"]["scope"]),
            (&json!(list), &json!("storage"))
        );
    }
    let app = &resources["app"]["config"];
    assert!(items(&app["dependsOn"]).contains(&json!("serverRoles")), "{app}");
    assert_eq!(app["identity"]["type"], "UserAssigned");
    let storage = &resources["storage"]["config"]["properties"];
    for (key, value) in [
        ("allowSharedKeyAccess", json!(false)),
        ("allowBlobPublicAccess", json!(false)),
        ("supportsHttpsTrafficOnly", json!(true)),
        ("minimumTlsVersion", json!("TLS1_2")),
    ] {
        assert_eq!(storage[key], value, "{key}");
    }
}

#[test]
fn every_parameter_and_output_is_described_and_every_parameter_is_used_and_in_the_docs() {
    let template = parsed();
    let (source, docs) = (repository(TEMPLATE), repository("docs/azure.md"));
    for kind in ["parameters", "outputs"] {
        for (name, of_name) in template[kind].as_object().expect("names") {
            let is_description = |decorator: &Value| decorator["type"] == "description";
            assert!(items(&of_name["decorators"]).iter().any(is_description), "{name}");
            assert!(docs.contains(&format!("`{name}`")), "{name} is not in docs/azure.md");
            let is_name = |c: char| c.is_ascii_alphanumeric();
            let uses = source.split(|c| !is_name(c)).filter(|word| word == name).count();
            assert!(kind == "outputs" || uses > 1, "{name} is used {uses} times");
        }
    }
}
