//! The public schema: `schema.graphql` equals the schema that the server serves, describes every element, keeps what docs/schema.md promises, and breaks
//! nothing of the last release.

pub(crate) mod policy;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use async_graphql::Positioned;
use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{
    FieldDefinition, InputValueDefinition, InterfaceType, ObjectType, TypeDefinition, TypeKind, TypeSystemDefinition,
};

#[test]
fn schema_graphql_equals_the_output_of_the_schema_command() {
    let output = Command::new(env!("CARGO_BIN_EXE_tidings")).arg("schema").output().expect("the command runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let file = schema();
    let differing = (1..).zip(lines(&printed).zip(lines(&file))).find(|(_, (printed, file))| printed != file);
    assert!(
        printed == file,
        "schema.graphql differs from the output of `tidings schema` from line {:?} on. If the change is intended, run: \
         cargo run -- schema > schema.graphql",
        differing.map(|(line, _)| line),
    );
}

#[test]
fn every_schema_element_has_a_description() {
    assert_eq!(undescribed(&schema()), Vec::<String>::new());
}

/// Apollo Client matches a fragment on an interface only for the types that it is told.
#[test]
fn the_example_of_apollo_client_names_every_type_of_each_interface() {
    let client = std::fs::read_to_string(root().join("tests/clients/apollo/src/client.ts")).expect("the example");
    let (_, listed) = client.split_once("possibleTypes: {").expect("a list");
    let (listed, _) = listed.split_once('}').expect("its end");
    let named = |line: &str| {
        let (interface, types) = line.trim().split_once(": [")?;
        let types: BTreeSet<String> = types.split('\'').skip(1).step_by(2).map(str::to_owned).collect();
        Some((interface.to_owned(), types))
    };
    let named: BTreeMap<_, _> = listed.lines().filter_map(named).collect();
    let mut implemented: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in schema().lines() {
        let Some((name, interfaces)) = line.strip_prefix("type ").and_then(|line| line.split_once(" implements "))
        else {
            continue;
        };
        for interface in interfaces.trim_end_matches(" {").split(" & ") {
            implemented.entry(interface.to_owned()).or_default().insert(name.to_owned());
        }
    }
    assert_eq!(named, implemented);
}

/// A field of an interface, and the same field of a type that implements it.
struct Implementation {
    interface: String,
    object: String,
    on_interface: FieldDefinition,
    on_object: FieldDefinition,
}

/// The fields of all interfaces, on each type that implements them.
fn implementations(sdl: &str) -> Vec<Implementation> {
    let types = types(sdl);
    let objects = types.iter().filter_map(|of| match &of.kind {
        TypeKind::Object(object) => Some((of.name.node.as_str(), object)),
        _ => None,
    });
    let mut all = Vec::new();
    for (name, object) in objects {
        for interface in &object.implements {
            let found = types.iter().find(|of| of.name.node == interface.node).expect("the interface");
            let TypeKind::Interface(found) = &found.kind else { panic!("{} is no interface", interface.node) };
            for Positioned { node: field, .. } in &found.fields {
                let of_object = object.fields.iter().find(|of_object| of_object.node.name.node == field.name.node);
                let of_object = of_object.unwrap_or_else(|| panic!("{name} has no {}", field.name.node));
                all.push(Implementation {
                    interface: interface.node.to_string(),
                    object: name.to_owned(),
                    on_interface: field.clone(),
                    on_object: of_object.node.clone(),
                });
            }
        }
    }
    assert!(all.len() > 30, "only {} fields were found", all.len());
    all
}

/// A field of a type with an optional argument that its interface does not have.
const MORE_ARGUMENTS: (&str, &str) = ("Image", "url");

/// The resolvers of an interface pass its arguments on in the order of its declaration, and clients read its descriptions in place of those of the type.
#[test]
fn the_fields_of_an_interface_have_the_arguments_of_each_implementer() {
    for Implementation { interface, object, on_interface, mut on_object } in implementations(&schema()) {
        if (object.as_str(), on_object.name.node.as_str()) == MORE_ARGUMENTS {
            on_object.arguments.clear();
        }
        let (mut own, general) = (signature(&on_object), signature(&on_interface));
        if own != general {
            // A field that returns others of its own type.
            own[0] = own[0].replace(&object, &interface);
        }
        assert_eq!(own, general, "{object} and {interface}");
    }
}

/// Fields that a type describes in other words than its interface, with the types and the reason.
const DESCRIBED_OTHERWISE: &[(&str, &[&str], &str)] = &[
    ("AuditLogEntry.actions", &["PreviewLinksAuditLogEntry"], "it has one action"),
    ("Node.id", &["Revision", "Token"], "it also names the mutation that takes the id"),
    ("PagePayload.page", &["RestoreRevisionPayload"], "the version can be one of a post"),
    ("PostPayload.post", &["RestoreRevisionPayload"], "the version can be one of a page"),
    ("Term.posts", &["Author", "Category", "Series", "Tag"], "a series has an order of its own"),
    ("Term.version", &["Series"], "its posts are no part of it"),
];

/// What a field of an interface says is also true of each implementer, and a client that selects the field on the type reads the same.
#[test]
fn the_fields_of_an_interface_have_the_descriptions_of_each_implementer() {
    let text = |field: &FieldDefinition| {
        let text = field.description.as_ref().map(|text| text.node.as_str()).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mut different = Vec::new();
    for Implementation { interface, object, on_interface, on_object } in implementations(&schema()) {
        let field = format!("{interface}.{}", on_interface.name.node);
        let (general, own) = (text(&on_interface), text(&on_object));
        if general == own {
            continue;
        }
        if interface == "Node" {
            assert!(own.starts_with(general.trim_end_matches('.')), "{field} of {object}: {own}");
        }
        different.push((field, object));
    }
    different.sort();
    let listed = DESCRIBED_OTHERWISE
        .iter()
        .flat_map(|(field, objects, _)| objects.iter().map(move |object| ((*field).to_owned(), (*object).to_owned())));
    assert_eq!(different, listed.collect::<Vec<_>>());
}

/// The name of a field, its type, and its arguments with their types, defaults and descriptions.
fn signature(field: &FieldDefinition) -> Vec<String> {
    let arguments = field.arguments.iter().map(|Positioned { node: argument, .. }| {
        let description = argument.description.as_ref().map(|text| text.node.as_str());
        format!("{}: {} = {:?} {description:?}", argument.name.node, argument.ty.node, argument.default_value)
    });
    std::iter::once(format!("{}: {}", field.name.node, field.ty.node)).chain(arguments).collect()
}

/// Lists that are read in one direction only, because a page backward would cost more than a page forward.
const FORWARD_ONLY: &[&str] = &["Category.children", "Query.search", "Query.auditLog", "Query.assets"];

/// graphql-eslint accepts either direction, so that a list can be read forward only.
#[test]
fn every_other_connection_pages_in_both_directions() {
    let schema = schema();
    let types = types(&schema);
    let mut one_way = Vec::new();
    for of in &types {
        let (TypeKind::Object(ObjectType { fields, .. }) | TypeKind::Interface(InterfaceType { fields, .. })) =
            &of.kind
        else {
            continue;
        };
        for Positioned { node: field, .. } in fields {
            let is_connection = field.ty.node.to_string().trim_end_matches('!').ends_with("Connection");
            let has = |name: &str| field.arguments.iter().any(|argument| argument.node.name.node == name);
            if is_connection && !["first", "after", "last", "before"].into_iter().all(has) {
                one_way.push(format!("{}.{}", of.name.node, field.name.node));
            }
        }
    }
    assert_eq!(one_way, FORWARD_ONLY);
}

#[test]
fn missing_descriptions_are_found_on_every_kind_of_element() {
    let sdl = r#"
        "A query." type Query { "A field." a("An argument." x: Int, y: Int): Int  b: Int }
        type Bare { "A field." a: Int }
        "An input." input In { "A field." a: Int  b: Int }
        "An enum." enum E { "A value." A  B }
        "" scalar Date
    "#;
    assert_eq!(undescribed(sdl), ["Query.a(y:)", "Query.b", "Bare", "In.b", "E.B", "Date"]);
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn schema() -> String {
    std::fs::read_to_string(root().join("schema.graphql")).expect("schema.graphql")
}

/// The lines, then `None`, so that a text differs from a longer one that starts with it.
fn lines(text: &str) -> impl Iterator<Item = Option<&str>> {
    text.lines().map(Some).chain([None])
}

fn types(sdl: &str) -> Vec<TypeDefinition> {
    let definitions = parse_schema(sdl).expect("a schema").definitions.into_iter();
    let types = definitions.filter_map(|definition| match definition {
        TypeSystemDefinition::Type(definition) => Some(definition.node),
        _ => None,
    });
    types.collect()
}

/// Types, fields, arguments, enum values and input fields without a description: `Post`, `Post.title`, `Query.post(slug:)`.
fn undescribed(sdl: &str) -> Vec<String> {
    let mut found = Vec::new();
    for definition in types(sdl) {
        check_type(&definition, &mut found);
    }
    found
}

fn check_type(definition: &TypeDefinition, found: &mut Vec<String>) {
    let name = definition.name.node.as_str();
    check_description(&definition.description, name.to_owned(), found);
    match &definition.kind {
        TypeKind::Object(object) => check_fields(name, &object.fields, found),
        TypeKind::Interface(interface) => check_fields(name, &interface.fields, found),
        TypeKind::Enum(values) => {
            for value in &values.values {
                check_description(&value.node.description, format!("{name}.{}", value.node.value.node), found);
            }
        }
        TypeKind::InputObject(input) => {
            for field in &input.fields {
                check_description(&field.node.description, format!("{name}.{}", field.node.name.node), found);
            }
        }
        TypeKind::Scalar | TypeKind::Union(_) => {}
    }
}

fn check_fields(of: &str, fields: &[Positioned<FieldDefinition>], found: &mut Vec<String>) {
    for Positioned { node: field, .. } in fields {
        let name = format!("{of}.{}", field.name.node);
        check_description(&field.description, name.clone(), found);
        for Positioned { node: InputValueDefinition { description, name: argument, .. }, .. } in &field.arguments {
            check_description(description, format!("{name}({}:)", argument.node), found);
        }
    }
}

fn check_description(description: &Option<Positioned<String>>, name: String, found: &mut Vec<String>) {
    if description.as_ref().is_none_or(|text| text.node.trim().is_empty()) {
        found.push(name);
    }
}
