//! Compares the price table with the schema. The rule: a field that returns objects has a price; any other field has a price or is listed
//! here as free. A new field fails these tests until somebody decides.

use async_graphql::Positioned;
use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{BaseType, FieldDefinition, TypeDefinition, TypeKind, TypeSystemDefinition};

use super::super::priced::Prices;
use super::super::prices::{Objects, PRICES};
use crate::graphql::schema;
use crate::graphql::type_map::{TypeMap, innermost};

/// Fields without a price: their values are in the row, page or payload from which the object was made.
const FREE: &[(&str, &[&str])] = &[
    ("Actor", &["kind", "name"]),
    ("ArchiveMonth", &["year", "month", "postCount"]),
    (
        "Asset",
        &[
            "id",
            "url",
            "srcset",
            "width",
            "height",
            "alt",
            "caption",
            "byteSize",
            "contentType",
            "placeholder",
            "originalName",
            "createdAt",
        ],
    ),
    ("AssetEdge", &["cursor"]),
    ("Author", &["id", "version", "slug", "name", "bio", "jobTitle", "url", "canonicalUrl", "viewerCanUpdate"]),
    ("AuthorLink", &["title", "url"]),
    ("AuthorEdge", &["cursor"]),
    ("Category", &["id", "version", "slug", "name", "description", "canonicalUrl", "viewerCanUpdate"]),
    ("CategoryEdge", &["cursor"]),
    ("Change", &["id", "nodeId", "nodeType", "slug", "version", "actions", "occurredAt"]),
    ("ChangeEdge", &["cursor"]),
    ("ChangeFeed", &["hasNextPage", "endCursor"]),
    ("ConflictError", &["code", "message", "field"]),
    ("ContentChange", &["nodeId", "nodeType", "slug", "formerSlug", "version", "actions", "occurredAt"]),
    ("CreateTokenPayload", &["secret"]),
    ("DeleteAssetPayload", &["deletedId"]),
    ("DeleteAuthorPayload", &["deletedId"]),
    ("DeleteCategoryPayload", &["deletedId"]),
    ("DeletePagePayload", &["deletedId"]),
    ("DeletePostPayload", &["deletedId"]),
    ("DeleteSeriesPayload", &["deletedId"]),
    ("DeleteTagPayload", &["deletedId"]),
    ("FocalPoint", &["x", "y"]),
    ("Heading", &["level", "text", "anchor"]),
    ("InUseError", &["code", "message", "field", "usedByCount"]),
    ("InputError", &["code", "message", "field"]),
    ("NavigationItem", &["label", "url"]),
    ("NotFoundError", &["code", "message", "field", "slug", "suggestions"]),
    ("OpenGraphImage", &["url", "width", "height", "alt"]),
    (
        "OperationCost",
        &["requests", "pointReads", "rangeReads", "transactions", "rows", "roundTrips", "values", "limit", "dearest"],
    ),
    (
        "Page",
        &[
            "id",
            "slug",
            "path",
            "canonicalUrl",
            "title",
            "excerpt",
            "excerptIsGenerated",
            "language",
            "order",
            "status",
            "version",
            "createdAt",
            "updatedAt",
            "viewerCanUpdate",
        ],
    ),
    ("PageLink", &["path", "title", "canonicalUrl", "updatedAt"]),
    ("PageEdge", &["cursor"]),
    ("PageInfo", &["hasNextPage", "hasPreviousPage", "startCursor", "endCursor"]),
    (
        "Post",
        &[
            "id",
            "slug",
            "canonicalUrl",
            "title",
            "excerpt",
            "excerptIsGenerated",
            "language",
            "featured",
            "status",
            "version",
            "createdAt",
            "updatedAt",
            "publishedAt",
            "viewerCanUpdate",
        ],
    ),
    ("PostEdge", &["cursor"]),
    ("PreviewLink", &["token", "expiresAt"]),
    ("RateLimit", &["scope", "limit", "restoreRate", "remaining", "used", "resetAt", "cost"]),
    (
        "Revision",
        &[
            "id",
            "version",
            "changedAt",
            "changedFields",
            "slug",
            "title",
            "excerpt",
            "metadata",
            "language",
            "featured",
            "publishedAt",
        ],
    ),
    ("RevisionEdge", &["cursor"]),
    ("RevokePreviewsPayload", &["revokedAt"]),
    ("RichText", &["markdown", "html", "text", "wordCount", "readingMinutes"]),
    ("Series", &["id", "version", "slug", "name", "description", "canonicalUrl", "order", "viewerCanUpdate"]),
    ("SeriesEdge", &["cursor"]),
    ("Site", &["url", "name", "description", "language", "timeZone"]),
    ("Tag", &["id", "version", "slug", "name", "description", "canonicalUrl", "viewerCanUpdate"]),
    ("TagEdge", &["cursor"]),
    ("Token", &["id", "name", "role", "createdAt", "expiresAt", "revokedAt"]),
    ("TokenConnection", &["totalCount"]),
    ("TokenEdge", &["cursor"]),
    ("Viewer", &["kind", "name", "role"]),
];

/// The schema of a site with declared fields, which has every field that a schema can have.
fn sdl() -> String {
    let declared = "extend type PostFields { a: Declared, b: [Declared!] } extend type PageFields { a: Declared } type Declared { c: Int }";
    schema::sdl(&schema::build_with(&schema::site_fields(declared).expect("fields")))
}

/// The declared types. Their values are read together with the object that has the fields.
const DECLARED: [&str; 3] = ["PostFields", "PageFields", "Declared"];

fn is_free(of: &str, field: &str) -> bool {
    FREE.iter().any(|(name, fields)| *name == of && fields.contains(&field))
}

fn object_types(sdl: &str) -> Vec<(String, Vec<Positioned<FieldDefinition>>)> {
    let of_type = |definition: TypeDefinition| match definition.kind {
        TypeKind::Object(object) => Some((definition.name.node.to_string(), object.fields)),
        _ => None,
    };
    let definitions = parse_schema(sdl).expect("the schema parses").definitions.into_iter();
    let types = definitions.filter_map(|definition| match definition {
        TypeSystemDefinition::Type(definition) => of_type(definition.node),
        _ => None,
    });
    types.collect()
}

/// Why the price of a field is wrong.
fn fault(of: &str, field: &FieldDefinition, types: &TypeMap, prices: &Prices) -> Option<&'static str> {
    let name = field.name.node.as_str();
    let price = prices.get(of, name);
    let returns_objects = types.composite(innermost(&field.ty.node)).is_some();
    let is_list = matches!(field.ty.node.base, BaseType::List(_));
    match price {
        None if DECLARED.contains(&of) => None,
        None if returns_objects => Some("returns objects and has no price"),
        None if !is_free(of, name) => Some("has no price and is not listed as free"),
        Some(_) if is_free(of, name) => Some("has a price and is listed as free"),
        Some(price) if returns_objects && is_list == matches!(price.objects, Objects::One) => {
            Some("is a list of objects with the price of one object, or the reverse")
        }
        _ => None,
    }
}

/// The faults of all fields of a schema, and the entries without a field.
fn faults(sdl: &str) -> Vec<String> {
    let (types, prices) = (TypeMap::of(sdl).expect("SDL"), Prices::of(PRICES));
    let object_types = object_types(sdl);
    let fields = object_types.iter().flat_map(|(of, fields)| fields.iter().map(move |field| (of, &field.node)));
    let of_fields = fields.filter_map(|(of, field)| {
        let fault = fault(of, field, &types, &prices)?;
        Some(format!("{of}.{} {fault}", field.name.node))
    });
    let priced = PRICES.iter().flat_map(|(of, fields)| fields.iter().map(move |(name, _)| (*of, *name)));
    let free = FREE.iter().flat_map(|(of, fields)| fields.iter().map(move |name| (*of, *name)));
    let gone = priced.chain(free).filter(|(of, name)| types.object(of).is_none() || types.field(of, name).is_none());
    of_fields.chain(gone.map(|(of, name)| format!("{of}.{name} is no field of an object type"))).collect()
}

#[test]
fn every_field_that_returns_objects_has_a_price() {
    let sdl = sdl();
    assert_eq!(faults(&sdl), Vec::<String>::new());
    let count: usize = object_types(&sdl).iter().map(|(_, fields)| fields.len()).sum();
    assert!(count > 100, "only {count} fields were looked at");
}

#[test]
fn a_field_without_a_price_and_a_price_without_a_field_are_found() {
    for (old, new, expected) in [
        ("newer: Post\n", "newer: Post\n\tnext: Post\n", "Post.next returns objects and has no price"),
        ("newer: Post\n", "newer: Post\n\tshares: Int!\n", "Post.shares has no price and is not listed as free"),
        ("newer: Post\n", "newest: Post\n", "Post.newer is no field of an object type"),
        ("type PageInfo ", "interface PageInfo ", "PageInfo.startCursor is no field of an object type"),
        (
            "newer: Post\n",
            "newer: [Post!]\n",
            "Post.newer is a list of objects with the price of one object, or the reverse",
        ),
    ] {
        let changed = sdl().replacen(old, new, 1);
        assert_ne!(changed, sdl(), "{old}");
        let found = faults(&changed);
        assert!(found.iter().any(|fault| fault == expected), "{expected}: {found:?}");
    }
}
