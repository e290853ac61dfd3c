//! The prices compared with the schema. The rule: a field has a price, or is named here as free with the row that holds it; a new field fails
//! this test until somebody has decided.

use async_graphql::Positioned;
use async_graphql::parser::types::{FieldDefinition, TypeDefinition, TypeKind, TypeSystemDefinition};
use async_graphql::parser::{parse_query, parse_schema};
use serde_json::json;

use super::*;
use crate::graphql::outline::Outline;

/// Fields that cost no storage request: their value is in the row, page or payload that their object was made from. (`pageInfo` is paid for by
/// the page.)
const FREE: [(&str, &[&str]); 30] = [
    ("ArchiveMonth", &["year", "month", "postCount"]),
    ("Author", &["id", "slug", "name", "bio", "url"]),
    ("AuthorPayload", &["userErrors", "author"]),
    ("Category", &["id", "slug", "name", "description"]),
    ("CategoryPayload", &["userErrors", "category"]),
    ("Change", &["at", "by", "items"]),
    ("ChangeConnection", &["edges", "nodes", "pageInfo"]),
    ("ChangeEdge", &["cursor", "node"]),
    ("ChangedItem", &["nodeId", "slug", "action", "version"]),
    ("CreatePreviewPayload", &["token", "expiresAt", "userErrors"]),
    ("CreateTokenPayload", &["token", "text", "userErrors"]),
    ("DeletePostPayload", &["deletedId", "userErrors"]),
    ("DeleteTermPayload", &["deletedId", "userErrors"]),
    ("PageInfo", &["hasNextPage", "hasPreviousPage", "startCursor", "endCursor"]),
    ("Post", &["id", "slug", "title", "excerpt", "status", "version", "createdAt", "updatedAt", "publishedAt"]),
    ("PostBody", &["markdown", "html", "text", "wordCount", "readingMinutes"]),
    ("PostPayload", &["userErrors", "post"]),
    ("Query", &["viewer"]),
    ("Revision", &["version", "changedAt", "changedBy", "changed", "slug", "title", "excerpt", "body", "publishedAt"]),
    ("RevisionConnection", &["edges", "nodes", "pageInfo"]),
    ("RevisionEdge", &["cursor", "node"]),
    ("RevokePreviewsPayload", &["revokedAt", "userErrors"]),
    ("RevokeTokenPayload", &["token", "userErrors"]),
    ("Tag", &["id", "slug", "name", "description"]),
    ("TagPayload", &["userErrors", "tag"]),
    ("Token", &["id", "name", "role", "author", "createdAt", "expiresAt", "revokedAt"]),
    ("TokenConnection", &["edges", "nodes", "pageInfo", "totalCount"]),
    ("TokenEdge", &["cursor", "node"]),
    ("UserError", &["code", "message", "field"]),
    ("Viewer", &["name", "role", "author"]),
];
/// Of every connection and edge of posts and terms.
const FREE_OF_CONNECTIONS: &[&str] = &["edges", "nodes", "node", "pageInfo", "cursor"];

/// The cost place of a type of the schema.
fn place_of(name: &str) -> CostPlace {
    let connection = |of_posts| CostPlace::Connection { of_posts, items: 1, total: Bound::new(1, 1) };
    match name {
        "Query" | "Mutation" => CostPlace::Query,
        "Post" | "Node" => CostPlace::Post,
        "Author" | "Category" | "Tag" => CostPlace::Term,
        "ArchiveMonth" => CostPlace::Months,
        "Revision" | "RevisionConnection" | "RevisionEdge" => CostPlace::Revisions,
        "PostConnection" => connection(true),
        "AuthorConnection" | "CategoryConnection" | "TagConnection" => connection(false),
        "PostEdge" => CostPlace::Edge { of_posts: true },
        "AuthorEdge" | "CategoryEdge" | "TagEdge" => CostPlace::Edge { of_posts: false },
        "PostPayload" | "AuthorPayload" | "CategoryPayload" | "TagPayload" => CostPlace::Payload,
        _ => CostPlace::Plain,
    }
}

fn is_same_place(a: CostPlace, b: CostPlace) -> bool {
    match (a, b) {
        (CostPlace::Connection { of_posts: a, .. }, CostPlace::Connection { of_posts: b, .. }) => a == b,
        (a, b) => a == b,
    }
}

fn is_free(of: &str, field: &str) -> bool {
    let is_connection = matches!(place_of(of), CostPlace::Connection { .. } | CostPlace::Edge { .. });
    let listed = FREE.iter().filter(|(name, _)| *name == of).any(|(_, fields)| fields.contains(&field));
    listed || (is_connection && FREE_OF_CONNECTIONS.contains(&field))
}

fn schema_types() -> Vec<TypeDefinition> {
    let schema = parse_schema(include_str!("../../../schema.graphql")).expect("schema.graphql parses");
    let types = schema.definitions.into_iter().filter_map(|definition| match definition {
        TypeSystemDefinition::Type(definition) => Some(definition.node),
        _ => None,
    });
    types.collect()
}

fn fields(definition: &TypeDefinition) -> &[Positioned<FieldDefinition>] {
    match &definition.kind {
        TypeKind::Object(object) => &object.fields,
        TypeKind::Interface(interface) => &interface.fields,
        _ => &[],
    }
}

#[test]
fn every_field_of_the_schema_has_a_price_or_is_listed_as_free() {
    let types = schema_types();
    let mut seen = 0;
    for definition in types.iter().filter(|definition| definition.name.node != "Node") {
        let of = definition.name.node.as_str();
        for field in fields(definition) {
            let name = field.node.name.node.as_str();
            let text = format!("{{ {name} }}");
            let outline = Outline::of(&parse_query(&text).expect("a document"));
            let operation = OperationOutline::select(outline, None).expect("an operation");
            let selections = &operation.outline().set(operation.operation().set).selections;
            let SelectionKind::Field(selected) = &selections[0].kind else { panic!("a field") };
            let variables = Variables::default();
            let walk = CostWalk { operation: &operation, variables: &variables, months: 3, bounds: HashMap::new() };
            let (own, below, _) = walk.step(selected, place_of(of));
            let is_priced = own.requests() > 0;
            assert!(is_priced != is_free(of, name), "{of}.{name} costs {own:?}; listed as free: {}", is_free(of, name));
            let returned = named_type(&field.node.ty.node.base);
            let is_term_of_a_node = returned == "Node";
            assert!(
                is_same_place(below, place_of(returned)) || is_term_of_a_node,
                "{of}.{name} returns {returned}, and what is selected of it is priced as of {below:?}"
            );
            seen += 1;
        }
    }
    assert!(seen > 100, "only {seen} fields were looked at");
}

#[test]
fn every_field_that_is_listed_as_free_exists() {
    let types = schema_types();
    for (of, names) in FREE {
        let definition = types.iter().find(|definition| definition.name.node == of).expect(of);
        for name in names {
            assert!(fields(definition).iter().any(|field| field.node.name.node == *name), "{of}.{name}");
        }
    }
}

fn named_type(base: &async_graphql::parser::types::BaseType) -> &str {
    match base {
        async_graphql::parser::types::BaseType::Named(name) => name,
        async_graphql::parser::types::BaseType::List(inner) => named_type(&inner.base),
    }
}

/// The bound of the only operation of a document.
fn bound_of(document: &str, variables: serde_json::Value) -> Bound {
    let outline = Outline::of(&parse_query(document).expect("a document"));
    let operation = OperationOutline::select(outline, None).expect("an operation");
    bound(&operation, &Variables::from_json(variables), 3)
}

#[test]
fn a_filter_that_excludes_terms_costs_the_posts_that_it_examines() {
    let with = |filter: &str| bound_of(&format!("{{ posts(filter: {filter}) {{ totalCount }} }}"), json!({}));
    let plain = with(r#"{ tags: { any: ["a"] } }"#);
    let dear = with(r#"{ tags: { none: ["a"] } }"#);
    assert!(dear.point_reads > plain.point_reads + u64::from(LOOK_UPS_MAX), "{plain:?} {dear:?}");
    for kind in ["categories", "tags", "authors"] {
        assert_eq!(with(&format!(r#"{{ {kind}: {{ any: ["b"], none: ["a"] }} }}"#)), dear, "{kind}");
        assert_eq!(with(&format!("{{ {kind}: {{ none: null }} }}")), plain, "{kind}");
    }
    for (parameter, filter, variables) in [
        ("$v: PostFilter", "$v", json!({ "v": { "tags": { "none": ["a"] } } })),
        ("$v: TagFilter", "{ tags: $v }", json!({ "v": { "none": ["a"] } })),
        ("$v: [String!]", "{ tags: { none: $v } }", json!({ "v": ["a"] })),
    ] {
        let document = format!("query({parameter}) {{ posts(filter: {filter}) {{ totalCount }} }}");
        assert_eq!(bound_of(&document, variables), dear, "{parameter}");
        assert!(bound_of(&document, json!({})).point_reads <= plain.point_reads, "{parameter}");
    }
}
