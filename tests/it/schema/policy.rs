//! What docs/schema.md promises, compared with `schema.graphql`. The rule: the page has the lists, and these tests read them from it.

use async_graphql::Positioned;
use async_graphql::parser::types::{ConstDirective, FieldDefinition, InputValueDefinition, TypeDefinition, TypeKind};

use super::{root, schema, types};

/// An element of the schema: its name such as `Post.title` or `Query.post(slug:)`, its description and its directives.
struct Element {
    name: String,
    description: String,
    directives: Vec<ConstDirective>,
}

/// The types, fields, arguments, values and input fields of a schema.
fn elements(sdl: &str) -> Vec<Element> {
    types(sdl).into_iter().flat_map(of_type).collect()
}

fn of_type(of: TypeDefinition) -> Vec<Element> {
    let name = of.name.node.to_string();
    let mut found = vec![element(name.clone(), of.description, of.directives)];
    match of.kind {
        TypeKind::Object(object) => {
            found.extend(object.fields.into_iter().flat_map(|field| of_field(&name, field.node)));
        }
        TypeKind::Interface(interface) => {
            found.extend(interface.fields.into_iter().flat_map(|field| of_field(&name, field.node)));
        }
        TypeKind::Enum(values) => found.extend(values.values.into_iter().map(|Positioned { node: value, .. }| {
            element(format!("{name}.{}", value.value.node), value.description, value.directives)
        })),
        TypeKind::InputObject(input) => {
            found.extend(
                input.fields.into_iter().map(|field| of_input(format!("{name}.{}", field.node.name.node), field.node)),
            );
        }
        TypeKind::Scalar | TypeKind::Union(_) => {}
    }
    found
}

fn of_field(of: &str, field: FieldDefinition) -> Vec<Element> {
    let name = format!("{of}.{}", field.name.node);
    let mut found = vec![element(name.clone(), field.description, field.directives)];
    found.extend(
        field
            .arguments
            .into_iter()
            .map(|Positioned { node: argument, .. }| of_input(format!("{name}({}:)", argument.name.node), argument)),
    );
    found
}

fn of_input(name: String, input: InputValueDefinition) -> Element {
    element(name, input.description, input.directives)
}

fn element(
    name: String,
    description: Option<Positioned<String>>,
    directives: Vec<Positioned<ConstDirective>>,
) -> Element {
    let description = description.map(|text| text.node.split_whitespace().collect::<Vec<_>>().join(" "));
    let directives = directives.into_iter().map(|directive| directive.node).collect();
    Element { name, description: description.unwrap_or_default(), directives }
}

/// The rows of the table below a heading of docs/schema.md, without its head; each cell without backquotes.
pub(crate) fn table(heading: &str) -> Vec<Vec<String>> {
    let page = std::fs::read_to_string(root().join("docs/schema.md")).expect("docs/schema.md");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
    rows.map(cells).collect()
}

/// The columns of the table of roles that a description states, for no token and the four roles.
fn stated(description: &str) -> Option<[&'static str; 5]> {
    let phrases = [
        (
            "Requires a token; the role AUTHOR gets only the posts of its own author.",
            ["no", "yes", "own", "yes", "yes"],
        ),
        (
            "Requires a token: READER, EDITOR or ADMIN for any content, AUTHOR for its own posts.",
            ["no", "yes", "own", "yes", "yes"],
        ),
        (
            "Requires the role AUTHOR for the posts of its own author, EDITOR for others.",
            ["no", "no", "own", "yes", "yes"],
        ),
        (
            "Requires the role AUTHOR for the posts of its own author, EDITOR for others and for pages.",
            ["no", "no", "own", "yes", "yes"],
        ),
        ("Requires the role AUTHOR, EDITOR or ADMIN.", ["no", "no", "yes", "yes", "yes"]),
        ("Requires a token of the role READER, EDITOR or ADMIN.", ["no", "yes", "no", "yes", "yes"]),
        ("Requires the role EDITOR.", ["no", "no", "no", "yes", "yes"]),
        ("Requires the role EDITOR or ADMIN.", ["no", "no", "no", "yes", "yes"]),
        ("Requires the role ADMIN.", ["no", "no", "no", "no", "yes"]),
    ];
    let found = phrases.into_iter().find(|(phrase, _)| description.contains(phrase));
    let is_gated = description.contains("Requires a token") || description.contains("Requires the role");
    assert!(found.is_some() || !is_gated, "this test does not know the phrase in: {description}");
    found.map(|(_, columns)| columns)
}

/// `graphql::roles` compares the same table with the server.
#[test]
fn the_table_of_roles_is_what_the_descriptions_state() {
    let gated = elements(&schema()).into_iter().filter(|element| !element.name.starts_with("Content."));
    let mut described: Vec<Vec<String>> = gated
        .filter_map(|element| {
            let mut columns = stated(&element.description)?;
            // The description is that of `Content`; a page belongs to no author.
            if element.name == "Page.revisions" {
                columns[2] = "no";
            }
            Some(std::iter::once(element.name).chain(columns.map(str::to_owned)).collect())
        })
        .collect();
    let mut documented = table("Who sees what");
    described.sort();
    documented.sort();
    assert_eq!(documented, described);
}

/// Front-end developers read them in their editors; docs/schema.md has the rules that hold for many fields.
#[test]
fn descriptions_fit_a_tooltip() {
    let all = elements(&schema());
    let long = all.iter().filter(|element| element.description.chars().count() > 360).map(|element| &element.name);
    assert_eq!(long.collect::<Vec<_>>(), Vec::<&String>::new());
    let bytes: usize = all.iter().map(|element| element.description.len()).sum();
    assert!(bytes <= 70_000, "{bytes} bytes");
}

#[test]
fn reserved_names_are_not_used() {
    let names: Vec<String> = elements(&schema()).into_iter().map(|element| element.name).collect();
    let reserved: Vec<String> = table("Reserved names").into_iter().map(|row| row[0].clone()).collect();
    assert!(reserved.len() >= 9, "{reserved:?}");
    for name in &reserved {
        let of = name.split('.').next().unwrap_or_default();
        assert!(name == of || names.iter().any(|known| known == of), "{name}: there is no {of}");
        assert!(
            !names.contains(name),
            "{name} is reserved in docs/schema.md; remove it there if it now has the reserved meaning"
        );
    }
}

/// What is wrong with the deprecations of a schema: the reason ends with the last day of the promise, so that a client knows when to be done.
fn deprecation_faults(sdl: &str) -> Vec<String> {
    let fault = |element: Element| {
        let deprecated = element.directives.iter().find(|directive| directive.name.node == "deprecated")?;
        let reason = deprecated
            .arguments
            .iter()
            .find(|(name, _)| name.node == "reason")
            .map(|(_, value)| value.node.to_string());
        let reason = reason.unwrap_or_default();
        let date = reason.trim_matches('"').strip_suffix('.').and_then(|text| text.rsplit_once(" Removed after "));
        let is_day = |day: &str| {
            let parts: Vec<&str> = day.split('-').collect();
            day.len() == 10 && parts.len() == 3 && parts.iter().all(|part| part.parse::<u16>().is_ok())
        };
        (!date.is_some_and(|(use_instead, day)| !use_instead.is_empty() && is_day(day)))
            .then(|| format!("{}: {reason}", element.name))
    };
    elements(sdl).into_iter().filter_map(fault).collect()
}

#[test]
fn the_reason_of_a_deprecation_says_what_to_use_and_ends_with_a_date() {
    assert_eq!(deprecation_faults(&schema()), Vec::<String>::new());
    let sdl = r#"
        type Query {
            good: Int @deprecated(reason: "Use \"better\". Removed after 2027-06-01.")
            undated: Int @deprecated(reason: "Use better.")
            bare: Int @deprecated
            only(date: Int @deprecated(reason: "Removed after 2027-06-01.")): Int
        }
        enum E { OLD @deprecated(reason: "Use NEW. Removed after soon.") NEW }
        input I { old: Int @deprecated(reason: "Use new. Removed after 2027-6-1.") }
    "#;
    let found: Vec<String> =
        deprecation_faults(sdl).into_iter().filter_map(|fault| Some(fault.split_once(':')?.0.to_owned())).collect();
    assert_eq!(found, ["Query.undated", "Query.bare", "Query.only(date", "E.OLD", "I.old"]);
}
