//! Compares `@listSize` with the price table. The rule: a list that the price counts as more than one object has the directive with this
//! number; the lists of a connection have it on the field that returns the connection.

use async_graphql::Positioned;
use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{
    BaseType, ConstDirective, FieldDefinition, TypeDefinition, TypeKind, TypeSystemDefinition,
};

use super::super::arguments::NODES_MAX;
use super::super::prices::{MONTHS_ASSUMED, Objects, PRICES, Prices, TERMS_OF_POST};
use crate::content::read::pages::PAGE_SIZE_DEFAULT;
use crate::graphql::type_map::{TypeMap, innermost};

const SDL: &str = include_str!("../../../../schema.graphql");

fn fields(sdl: &str) -> Vec<(String, FieldDefinition)> {
    let of_type = |definition: TypeDefinition| {
        let fields = match definition.kind {
            TypeKind::Object(object) => object.fields,
            TypeKind::Interface(interface) => interface.fields,
            _ => Vec::new(),
        };
        let of = definition.name.node.to_string();
        fields.into_iter().map(move |field| (of.clone(), field.node))
    };
    let definitions = parse_schema(sdl).expect("the schema parses").definitions.into_iter();
    let types = definitions.filter_map(|definition| match definition {
        TypeSystemDefinition::Type(definition) => Some(definition.node),
        _ => None,
    });
    types.flat_map(of_type).collect()
}

/// The directive that the prices require, in its printed form; on an interface, the maximum of its implementers.
fn expected(of: &str, field: &FieldDefinition, types: &TypeMap, prices: &Prices) -> Option<String> {
    let name = field.name.node.as_str();
    if matches!(field.ty.node.base, BaseType::List(_)) {
        let objects = types.objects(of).iter().filter_map(|object| prices.get(object, name)).map(|price| price.objects);
        let objects: Vec<Objects> = objects.collect();
        if objects.iter().any(|objects| matches!(objects, Objects::First)) {
            let size = format!("assumedSize: {PAGE_SIZE_DEFAULT}, slicingArguments: [\"first\"]");
            return Some(format!("@listSize({size}, requireOneSlicingArgument: false)"));
        }
        let sizes = objects.into_iter().filter_map(|objects| match objects {
            Objects::AtMost(count) => Some(count),
            Objects::TermsOfPost(_) => Some(TERMS_OF_POST),
            Objects::ForEachId => Some(NODES_MAX as u64),
            Objects::Months => Some(MONTHS_ASSUMED),
            Objects::Page | Objects::One | Objects::First => None,
        });
        return sizes.max().map(|size| format!("@listSize(assumedSize: {size})"));
    }
    let connection = innermost(&field.ty.node);
    let sized = ["edges", "nodes", "changes"]
        .into_iter()
        .filter(|list| prices.get(connection, list).is_some_and(|price| matches!(price.objects, Objects::Page)));
    let sized: Vec<_> = sized.map(|list| format!("{list:?}")).collect();
    let slicing = ["first", "last"]
        .into_iter()
        .filter(|size| field.arguments.iter().any(|argument| argument.node.name.node == **size));
    let slicing: Vec<_> = slicing.map(|argument| format!("{argument:?}")).collect();
    (!sized.is_empty()).then(|| {
        format!(
            "@listSize(assumedSize: {PAGE_SIZE_DEFAULT}, slicingArguments: [{}], sizedFields: [{}], requireOneSlicingArgument: false)",
            slicing.join(", "),
            sized.join(", ")
        )
    })
}

fn printed(Positioned { node: directive, .. }: &Positioned<ConstDirective>) -> String {
    let arguments = directive.arguments.iter().map(|(name, value)| format!("{}: {}", name.node, value.node));
    format!("@{}({})", directive.name.node, arguments.collect::<Vec<_>>().join(", "))
}

/// The fields whose directive differs from the expected one.
fn faults(sdl: &str) -> Vec<String> {
    let (types, prices) = (TypeMap::of(sdl).expect("SDL"), Prices::of(PRICES));
    let differing = fields(sdl).into_iter().filter_map(|(of, field)| {
        let of_list = field.directives.iter().find(|directive| directive.node.name.node == "listSize");
        let (expected, found) = (expected(&of, &field, &types, &prices), of_list.map(printed));
        (expected != found).then(|| format!("{of}.{} has {found:?} and needs {expected:?}", field.name.node))
    });
    differing.collect()
}

#[test]
fn every_list_of_the_schema_has_the_size_that_is_counted() {
    assert_eq!(faults(SDL), Vec::<String>::new());
    assert!(SDL.matches("@listSize(assumedSize: 20, ").count() > 10);
    let definition = "directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], \
                      requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION";
    assert!(SDL.contains(definition), "the definition of the cost specification");
}

#[test]
fn a_missing_size_and_another_size_are_found() {
    let page = "@listSize(assumedSize: 20, slicingArguments: [\"first\", \"last\"], sizedFields: [\"edges\", \"nodes\"], requireOneSlicingArgument: false)";
    for (old, new, field) in [
        (page, "", "ArchiveMonth.posts"),
        ("assumedSize: 20", "assumedSize: 21", "ArchiveMonth.posts"),
        ("authors: [Author!]! @listSize(assumedSize: 100)", "authors: [Author!]!", "Post.authors"),
        (
            "ids: [ID!]!\n\t): [Node]! @listSize(assumedSize: 100)",
            "ids: [ID!]!\n\t): [Node]! @listSize(assumedSize: 99)",
            "Query.nodes",
        ),
        ("parent: Category\n", "parent: Category @listSize(assumedSize: 1)\n", "Category.parent"),
    ] {
        let changed = SDL.replacen(old, new, 1);
        assert_ne!(changed, SDL, "{old}");
        let found = faults(&changed);
        assert!(found.len() == 1 && found[0].starts_with(&format!("{field} has")), "{field}: {found:?}");
    }
}
