//! Documents of an earlier schema. The rule: the error for each name that was removed has the name that replaces it.

use serde_json::{Value, json};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

/// A document with a name that was removed, and what the message must end with.
const CASES: &[(&str, &str)] = &[
    (r#"mutation { createPreview(input: { contentId: "x" }) { token } }"#, r#""preview { token expiresAt }"."#),
    (r#"mutation { createPreview(input: { contentId: "x" }) { expiresAt } }"#, r#""preview { token expiresAt }"."#),
    (r#"mutation { createToken(input: { name: "n", role: READER }) { text } }"#, r#""secret"."#),
    (r#"mutation { saveTag(input: { slug: "x" }) { tag { id } } }"#, r#""updateTag" with the id and expectedVersion."#),
    (r#"mutation { saveCategory(input: { slug: "x" }) { category { id } } }"#, r#"the id and expectedVersion."#),
    (r#"mutation { saveAuthor(input: { slug: "x" }) { author { id } } }"#, r#"the id and expectedVersion."#),
    (r#"mutation { deleteTag(input: { slug: "x" }) { deletedId } }"#, r#""id"; a slug changes and deletes nothing."#),
    (r#"mutation($i: SaveTagInput!) { updateTag(input: $i) { tag { id } } }"#, r#""UpdateTagInput"."#),
    (
        r#"mutation($i: SaveCategoryInput!) { updateCategory(input: $i) { category { id } } }"#,
        r#""UpdateCategoryInput"."#,
    ),
    (r#"mutation($i: SaveAuthorInput!) { updateAuthor(input: $i) { author { id } } }"#, r#""UpdateAuthorInput"."#),
    (r#"mutation($i: DeleteTermInput!) { deleteTag(input: $i) { deletedId } }"#, "with the id and expectedVersion."),
    (r#"{ post(slug: "x") { revisions { nodes { changedBy } } } }"#, r#"Select "changedBy { name kind }"."#),
    ("{ viewer { author } }", r#"Select "author { slug }"."#),
    ("{ tokens { nodes { author } } }", r#"Select "author { slug }"."#),
    ("{ changes { nodes { id } } }", "each entry is one changed object."),
    ("{ auditLog { nodes { at } } }", r#""occurredAt"."#),
    ("{ auditLog { nodes { by } } }", r#""actor { kind name }"."#),
    ("{ auditLog { nodes { items { slug } } } }", r#""nodeId slug actions version" on it."#),
    (r#"{ node(id: "x") { ... on ChangedItem { slug } } }"#, r#"It is now "Change"."#),
    ("{ drafts { totalCount } }", r#""draftPosts"."#),
    (r#"{ node(id: "x") { ... on Revision { changed } } }"#, r#""changedFields", an enum; version 1 has none."#),
    (r#"{ preview(token: "x") { slug publishedAt } }"#, r#""... on Post { }"."#),
    (r#"{ preview(token: "x") { authors { slug } } }"#, r#""... on Post { }"."#),
    (r#"{ node(id: "x") { ... on PostBody { html } } }"#, r#""RichText"."#),
    ("query($i: PostStatus) { posts { totalCount } }", r#""ContentStatus"."#),
    ("query($i: SlugFilter) { posts(filter: { tags: $i }) { totalCount } }", r#""AuthorFilter"."#),
    (r#"{ node(id: "x") { ... on TagPayload { tag { id } } } }"#, r#""UpdateTagPayload"."#),
    (r#"{ node(id: "x") { ... on CategoryPayload { category { id } } } }"#, r#""UpdateCategoryPayload"."#),
    (r#"{ node(id: "x") { ... on AuthorPayload { author { id } } } }"#, r#""UpdateAuthorPayload"."#),
    (r#"{ node(id: "x") { ... on DeleteTermPayload { deletedId } } }"#, r#""DeleteAuthorPayload"."#),
    (r#"mutation($i: VersionedPostInput!) { deletePost(input: $i) { deletedId } }"#, r#""DeletePostInput"."#),
    (r#"{ posts(filter: { publishedAfter: "2024-01-01T00:00:00Z" }) { totalCount } }"#, "gte to include the time."),
    (r#"{ posts(filter: { publishedBefore: "2024-01-01T00:00:00Z" }) { totalCount } }"#, "lte to include the time."),
    (
        r#"mutation { publishPost(input: { id: "x", expectedVersion: 1, at: "2024-01-01T00:00:00Z" }) { post { id } } }"#,
        r#""publishAt"."#,
    ),
    (r#"mutation { publishPost(input: { id: "x", version: 1 }) { post { id } } }"#, r#"is now "expectedVersion"."#),
    (r#"mutation { updatePost(input: { id: "x", version: 1 }) { post { id } } }"#, r#"is now "expectedVersion"."#),
    (r#"mutation { unpublishPost(input: { id: "x", version: 1 }) { post { id } } }"#, r#"is now "expectedVersion"."#),
    (r#"mutation { deletePost(input: { id: "x", version: 1 }) { deletedId } }"#, r#"is now "expectedVersion"."#),
    (r#"mutation { createPreview(input: { id: "x" }) { preview { token } } }"#, r#"is now "contentId"."#),
    (
        r#"mutation { restoreRevision(input: { id: "x", version: 2, revision: 1 }) { post { id } } }"#,
        r#"an "id" of "revisions"."#,
    ),
];

/// The messages of the errors, each of which must be of the request.
fn messages(answer: &Value) -> Vec<&str> {
    assert!(answer.get("data").is_none(), "{answer}");
    let errors = answer["errors"].as_array().expect("errors").iter();
    errors.map(|error| error["message"].as_str().unwrap_or_default()).collect()
}

#[tokio::test]
async fn the_error_for_a_removed_name_has_the_new_one() {
    let site = Site::in_memory().await;
    for (document, hint) in CASES {
        let answer = site.mutate(document, json!({ "i": { "id": "x" } }), Some(EDITOR_TOKEN)).await.body;
        assert!(messages(&answer).iter().any(|message| message.ends_with(hint)), "{document}: {answer}");
    }
}

/// A variable has the same fault as a literal.
#[tokio::test]
async fn a_variable_with_a_removed_field_gets_the_hint() {
    let site = Site::in_memory().await;
    let update = "mutation($input: UpdatePostInput!) { updatePost(input: $input) { post { id } } }";
    let variables = json!({ "input": { "id": "x", "version": 1 } });
    let answer = site.mutate(update, variables, Some(EDITOR_TOKEN)).await.body;
    assert!(messages(&answer)[0].ends_with(r#""version" is now "expectedVersion"."#), "{answer}");
}

#[tokio::test]
async fn a_name_that_never_existed_gets_no_hint_and_keeps_the_suggestion() {
    let site = Site::in_memory().await;
    let answer = site.ask_as(None, "{ postz { totalCount } }").await;
    assert!(messages(&answer)[0].contains("Did you mean") && !messages(&answer)[0].contains("It is now"), "{answer}");
}
