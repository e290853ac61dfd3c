//! Compares the price table with the schema. The rule: a field has a price or is listed here as free. A new field fails these tests until
//! somebody decides.

use async_graphql::Positioned;
use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{BaseType, FieldDefinition, TypeDefinition, TypeKind, TypeSystemDefinition};

use super::super::prices::{Objects, PRICES, Prices};
use crate::graphql::schema;
use crate::graphql::type_map::{TypeMap, innermost};

/// Fields without a price: their values are in the row, page or payload from which the object was made.
const FREE: &[(&str, &[&str])] = &[
    ("Actor", &["kind", "name"]),
    ("ArchiveMonth", &["year", "month", "postCount"]),
    ("File", &["id", "url", "byteSize", "contentType", "originalName", "createdAt", "version"]),
    (
        "Image",
        &[
            "id",
            "version",
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
            "focalPoint",
            "openGraphImage",
        ],
    ),
    ("AssetConnection", &["pageInfo"]),
    ("AssetEdge", &["cursor", "node"]),
    ("AuditLogEntryConnection", &["pageInfo"]),
    ("AuditLogEntryEdge", &["cursor", "node"]),
    ("Author", &["id", "version", "slug", "name", "description", "jobTitle", "url", "canonicalUrl", "viewerCanUpdate"]),
    ("AuthorConnection", &["pageInfo"]),
    ("AuthorEdge", &["cursor", "node"]),
    ("AuthorLink", &["title", "url"]),
    ("Category", &["id", "version", "slug", "name", "description", "canonicalUrl", "viewerCanUpdate"]),
    ("CategoryConnection", &["pageInfo"]),
    ("CategoryEdge", &["cursor", "node"]),
    ("Change", &["nodeId", "nodeType", "slug", "formerSlug", "path", "formerPath", "version", "actions", "occurredAt"]),
    ("ChangeFeed", &["hasNextPage", "endCursor"]),
    ("ConflictError", &["code", "message", "field", "current"]),
    (
        "ContentAuditLogEntry",
        &["id", "nodeId", "nodeType", "slug", "path", "version", "actions", "occurredAt", "actor"],
    ),
    ("CreateAuthorPayload", &["author"]),
    ("CreateCategoryPayload", &["category"]),
    ("CreatePagePayload", &["page"]),
    ("CreatePostPayload", &["post"]),
    ("CreatePreviewPayload", &["preview"]),
    ("CreateSeriesPayload", &["series"]),
    ("CreateTagPayload", &["tag"]),
    ("CreateTokenPayload", &["secret", "token"]),
    ("CreateWebhookPayload", &["secret", "webhook"]),
    ("ExpensiveField", &["path", "requests"]),
    ("DeletePayload", &["deletedId"]),
    ("DeletePostsPayload", &["deletedIds"]),
    ("Enclosure", &["url", "byteSize", "contentType"]),
    ("FocalPoint", &["x", "y"]),
    ("Heading", &["level", "text", "anchor"]),
    ("InUseError", &["code", "message", "field", "usedByCount"]),
    ("InputError", &["code", "message", "field"]),
    ("MergeAuthorsPayload", &["author"]),
    ("MergeCategoriesPayload", &["category"]),
    ("MergeSeriesPayload", &["series"]),
    ("MergeTagsPayload", &["tag"]),
    ("NavigationItem", &["label", "url"]),
    ("NotFoundError", &["code", "message", "field", "slug", "suggestions"]),
    ("OpenGraphImage", &["url", "width", "height", "alt"]),
    (
        "OperationCost",
        &[
            "requests",
            "pointReads",
            "rangeReads",
            "transactions",
            "rows",
            "roundTrips",
            "values",
            "limit",
            "mostExpensive",
        ],
    ),
    (
        "Page",
        &[
            "id",
            "slug",
            "path",
            "scheduledFor",
            "canonicalUrl",
            "title",
            "subtitle",
            "excerpt",
            "excerptIsGenerated",
            "language",
            "order",
            "status",
            "unpublishAt",
            "version",
            "createdAt",
            "updatedAt",
            "viewerCanUpdate",
        ],
    ),
    ("PageConnection", &["pageInfo"]),
    ("PageEdge", &["cursor", "node"]),
    ("PopularPost", &["post", "views"]),
    ("ViewsOfDay", &["day", "views"]),
    ("PageInfo", &["hasNextPage", "hasPreviousPage", "startCursor", "endCursor"]),
    ("PageLink", &["path", "title", "canonicalUrl", "updatedAt", "language", "translationKey"]),
    (
        "Post",
        &[
            "id",
            "slug",
            "canonicalUrl",
            "title",
            "subtitle",
            "excerpt",
            "excerptIsGenerated",
            "language",
            "featured",
            "enclosure",
            "status",
            "unpublishAt",
            "version",
            "createdAt",
            "updatedAt",
            "publishedAt",
            "viewerCanUpdate",
        ],
    ),
    ("PostConnection", &["pageInfo"]),
    ("PostEdge", &["cursor", "node"]),
    ("PreviewLink", &["token", "expiresAt"]),
    ("PreviewLinksAuditLogEntry", &["id", "actions", "occurredAt", "actor"]),
    ("PublishedPost", &["post", "endCursor"]),
    ("PublishPagePayload", &["page"]),
    ("PublishPostPayload", &["post"]),
    ("Query", &["rateLimit", "renderedMarkdown", "site", "viewer"]),
    ("RateLimit", &["scope", "limit", "restoreRate", "remaining", "used", "resetAt", "cost"]),
    ("ReplayWebhookPayload", &["webhook"]),
    ("RestoreRevisionPayload", &["page", "post"]),
    (
        "Revision",
        &[
            "id",
            "version",
            "changedAt",
            "changedFields",
            "slug",
            "title",
            "subtitle",
            "excerpt",
            "metadata",
            "language",
            "featured",
            "enclosure",
            "publishedAt",
            "body",
            "changedBy",
        ],
    ),
    ("RevisionConnection", &["pageInfo"]),
    ("RevisionEdge", &["cursor", "node"]),
    ("RevokePreviewsPayload", &["revokedAt"]),
    ("RevokeTokenPayload", &["token"]),
    ("RotateWebhookSecretPayload", &["secret", "webhook"]),
    ("RichText", &["markdown", "html", "text", "wordCount", "readingMinutes"]),
    ("SearchConnection", &["pageInfo", "suggestion"]),
    ("SearchEdge", &["cursor", "node", "score"]),
    ("SearchHighlight", &["field", "html"]),
    ("Series", &["id", "version", "slug", "name", "description", "canonicalUrl", "orderedPostIds", "viewerCanUpdate"]),
    ("SeriesConnection", &["pageInfo"]),
    ("SeriesEdge", &["cursor", "node"]),
    ("SeriesPlace", &["series"]),
    ("Site", &["url", "name", "description", "language", "timeZone"]),
    ("Tag", &["id", "version", "slug", "name", "description", "canonicalUrl", "viewerCanUpdate"]),
    ("TagConnection", &["pageInfo"]),
    ("TagEdge", &["cursor", "node"]),
    ("TestWebhookPayload", &["webhook"]),
    ("Token", &["id", "name", "role", "createdAt", "expiresAt", "revokedAt"]),
    ("TokenAuditLogEntry", &["id", "tokenId", "actions", "occurredAt", "actor"]),
    ("TokenConnection", &["totalCount", "pageInfo"]),
    ("TokenEdge", &["cursor", "node"]),
    ("UnpublishPagePayload", &["page"]),
    ("UnpublishPostPayload", &["post"]),
    ("UpdateAssetPayload", &["asset"]),
    ("UpdateAuthorPayload", &["author"]),
    ("UpdateCategoryPayload", &["category"]),
    ("UpdatePagePayload", &["page"]),
    ("UpdatePostPayload", &["post"]),
    ("UpdateSeriesPayload", &["series"]),
    ("UpdateTagPayload", &["tag"]),
    ("UpdateWebhookPayload", &["webhook"]),
    ("Viewer", &["kind", "name", "role"]),
    (
        "Webhook",
        &[
            "id",
            "url",
            "state",
            "digestSeconds",
            "types",
            "actions",
            "tagSlugs",
            "categorySlugs",
            "authorSlugs",
            "languages",
            "createdAt",
            "nextAttemptAt",
        ],
    ),
    ("WebhookAuditLogEntry", &["id", "webhookId", "actions", "occurredAt", "actor"]),
    ("WebhookDelivery", &["at", "messageId", "outcome", "status", "attempt", "durationMilliseconds", "skipped"]),
];

/// Short lists without a fixed maximum, counted as one object: at most one of the objects has fields that cost storage requests.
fn is_short_list(of: &str, field: &str) -> bool {
    field == "userErrors" || matches!((of, field), ("Author", "links") | ("RichText", "headings"))
}

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
    let has_items = matches!(field.ty.node.base, BaseType::List(_));
    let is_list = has_items && types.composite(innermost(&field.ty.node)).is_some();
    match prices.get(of, name) {
        None if DECLARED.contains(&of) || is_list && is_short_list(of, name) => None,
        None if !is_free(of, name) => Some("has no price and is not listed as free"),
        None if is_list => Some("is a list of objects without their number"),
        Some(_) if is_free(of, name) => Some("has a price and is listed as free"),
        // The number of scalars in a list may also be priced.
        Some(price) if if matches!(price.objects, Objects::One) { is_list } else { !has_items } => {
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
    let priced = PRICES.iter().flat_map(|(types, name, _)| types.iter().map(move |of| (*of, *name)));
    let free = FREE.iter().flat_map(|(of, fields)| fields.iter().map(move |name| (*of, *name)));
    let gone = priced.chain(free).filter(|(of, name)| types.object(of).is_none() || types.field(of, name).is_none());
    of_fields.chain(gone.map(|(of, name)| format!("{of}.{name} is no field of an object type"))).collect()
}

#[test]
fn every_field_has_a_price_or_is_free() {
    let sdl = sdl();
    assert_eq!(faults(&sdl), Vec::<String>::new());
    let count: usize = object_types(&sdl).iter().map(|(_, fields)| fields.len()).sum();
    assert!(count > 100, "only {count} fields were looked at");
}

#[test]
fn a_field_without_a_price_and_a_price_without_a_field_are_found() {
    for (old, new, expected) in [
        (
            "parent: Category\n",
            "parent: Category\n\tnext: Category\n",
            "Category.next has no price and is not listed as free",
        ),
        (
            "parent: Category\n",
            "parent: Category\n\tshares: Int!\n",
            "Category.shares has no price and is not listed as free",
        ),
        ("parent: Category\n", "above: Category\n", "Category.parent is no field of an object type"),
        ("type PageInfo ", "interface PageInfo ", "PageInfo.startCursor is no field of an object type"),
        (
            "parent: Category\n",
            "parent: [Category!]\n",
            "Category.parent is a list of objects with the price of one object, or the reverse",
        ),
    ] {
        let changed = sdl().replacen(old, new, 1);
        assert_ne!(changed, sdl(), "{old}");
        let found = faults(&changed);
        assert!(found.iter().any(|fault| fault == expected), "{expected}: {found:?}");
    }
}
