//! Hints for clients that were written to an earlier schema. The rule: the error for a name that was removed ends with the name that replaces it.
//!
//! The engine quotes the names of its errors, so a hint is found by the form of the message and by its names; the test `graphql::renamed` sends a document
//! for each. docs/upgrading.md has the same changes.

use async_graphql::Response;

use super::code_of;

/// Fields of an object type that were removed, with the hint.
const FIELDS: &[(&str, &str, &str)] = &[
    ("Change", "at", r#"It is now "occurredAt"."#),
    ("Change", "by", r#"It is now "actor { kind name }"."#),
    ("Change", "items", r#"Each Change is one object now: select "nodeId slug actions version" on it."#),
    ("ContentChange", "id", r#"The record for editors is now "auditLog"; each entry is one changed object."#),
    ("CreatePreviewPayload", "token", r#"It is now "preview { token expiresAt }"."#),
    ("CreatePreviewPayload", "expiresAt", r#"It is now "preview { token expiresAt }"."#),
    ("CreateTokenPayload", "text", r#"It is now "secret"."#),
    ("Mutation", "saveAuthor", r#"Use "createAuthor", or "updateAuthor" with the id and expectedVersion."#),
    ("Mutation", "saveCategory", r#"Use "createCategory", or "updateCategory" with the id and expectedVersion."#),
    ("Mutation", "saveTag", r#"Use "createTag", or "updateTag" with the id and expectedVersion."#),
    ("Query", "drafts", r#"It is now "draftPosts"."#),
    ("Revision", "changed", r#"It is now "changedFields", an enum; version 1 has none."#),
];

/// What `preview` returned in an earlier schema has these fields; the interface that it returns now has not.
const FIELDS_OF_POSTS: &[&str] = &["publishedAt", "author", "authors", "categories", "tags", "newer", "older"];

/// Types that were removed.
const TYPES: &[(&str, &str)] = &[
    ("AuthorPayload", r#"It is now "CreateAuthorPayload" or "UpdateAuthorPayload"."#),
    ("CategoryPayload", r#"It is now "CreateCategoryPayload" or "UpdateCategoryPayload"."#),
    ("ChangedItem", r#"It is now "Change"."#),
    (
        "DeleteTermInput",
        r#"Each mutation has its own input: "DeleteCategoryInput", "DeleteTagInput" or "DeleteAuthorInput", with the id and expectedVersion."#,
    ),
    ("DeleteTermPayload", r#"It is now "DeleteCategoryPayload", "DeleteTagPayload" or "DeleteAuthorPayload"."#),
    ("PostBody", r#"It is now "RichText"."#),
    ("PostStatus", r#"It is now "ContentStatus"."#),
    ("SaveAuthorInput", r#"It is now "CreateAuthorInput" or "UpdateAuthorInput"."#),
    ("SaveCategoryInput", r#"It is now "CreateCategoryInput" or "UpdateCategoryInput"."#),
    ("SaveTagInput", r#"It is now "CreateTagInput" or "UpdateTagInput"."#),
    ("SlugFilter", r#"It is now "CategoryFilter", "TagFilter" or "AuthorFilter"."#),
    ("TagPayload", r#"It is now "CreateTagPayload" or "UpdateTagPayload"."#),
    ("VersionedPostInput", r#"Each mutation has its own input: "UnpublishPostInput", "DeletePostInput"."#),
];

/// Fields of an input object that were removed.
const INPUT_FIELDS: &[(&str, &str, &str)] = &[
    ("PostFilter", "publishedAfter", r#"Use "publishedAt: { gt: … }", or gte to include the time."#),
    ("PostFilter", "publishedBefore", r#"Use "publishedAt: { lt: … }", or lte to include the time."#),
    ("PublishPostInput", "at", r#"It is now "publishAt"."#),
];

/// Required fields of an input object, which the engine reports before the removed field that they replace.
const REQUIRED: &[(&str, &str)] = &[
    ("contentId", r#""id" is now "contentId"."#),
    ("id", r#"Name the object by its "id"; a slug changes and deletes nothing."#),
    ("expectedVersion", r#""version" is now "expectedVersion"."#),
    ("revisionId", r#"Name the version by "revisionId", an "id" of "revisions"."#),
];

/// Fields that were texts and are objects now, by the field and its type.
const OBJECTS: &[(&str, &str, &str)] = &[
    ("author", "Author", r#"Select "author { slug }"."#),
    ("changedBy", "Actor", r#"Select "changedBy { name kind }"."#),
];

/// Adds the hint to each error of the engine that has one. The errors of the engine are those without a code.
pub fn add_new_names(response: &mut Response) {
    for error in response.errors.iter_mut().filter(|error| code_of(error).is_none()) {
        if let Some(hint) = hint(&error.message) {
            // A suggested name is the most similar one, which is seldom the new one.
            let message = error.message.split(" Did you mean ").next().unwrap_or_default().trim_end_matches('.');
            error.message = format!("{message}. {hint}");
        }
    }
}

fn hint(message: &str) -> Option<&'static str> {
    let message = message.split(" Did you mean ").next().unwrap_or_default().trim_end_matches('.');
    let quoted: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
    let of_two = |table: &[(&str, &str, &'static str)], of: &str, name: &str| {
        table.iter().find(|(a, b, _)| (*a, *b) == (of, name)).map(|(_, _, hint)| *hint)
    };
    let of_one =
        |table: &[(&str, &'static str)], name: &str| table.iter().find(|(a, _)| *a == name).map(|(_, hint)| *hint);
    match quoted.as_slice() {
        [name, "Content", ..] if message.starts_with("Unknown field ") && FIELDS_OF_POSTS.contains(name) => {
            Some(r#""preview" returns "Content": select this field in "... on Post { }"."#)
        }
        [name, of, ..] if message.starts_with("Unknown field ") => of_two(FIELDS, of, name),
        [name, of] if message.ends_with(" must have a selection of subfields") => of_two(OBJECTS, name, of),
        [name, ..] if message.starts_with("Unknown type ") => of_one(TYPES, name),
        [.., name, of] if message.contains(", unknown field ") => of_two(INPUT_FIELDS, of, name),
        [.., name, _] if message.ends_with(" is required but not provided") => of_one(REQUIRED, name),
        _ => None,
    }
}
