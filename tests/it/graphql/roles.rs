//! The table of roles in docs/schema.md, compared with the server. The rule: each field of the table is requested with each role, for a post of the role's
//! own author and for a post of another.

use tidings::model::Role;

use super::access::{ADAS_DRAFT, BOBS_POST, change, create, id, outcome, site};
use crate::schema::policy::table;
use crate::support::graphql::EDITOR_TOKEN;

/// A request of the field, about an own post or another's. Only the permission counts, so the input may name what does not exist.
fn request(field: &str, is_own: bool) -> String {
    let (number, author) = if is_own { (ADAS_DRAFT, "ada") } else { (BOBS_POST, "bob") };
    let id = id(number);
    let mutation = |input: &str, answer: &str| {
        format!("mutation {{ {}(input: {{ {input} }}) {{ {answer} userErrors {{ code }} }} }}", &field[9..])
    };
    match field {
        "Post.revisions" => {
            format!("{{ node(id: \"{id}\") {{ ... on Post {{ revisions(first: 1) {{ nodes {{ version }} }} }} }} }}")
        }
        "Query.scheduledPages" => "{ scheduledPages { __typename } }".to_owned(),
        "Page.revisions" => "{ page(path: \"a\") { revisions(first: 1) { nodes { version } } } }".to_owned(),
        "Series.orderedPostIds" => "{ series(slug: \"walks\") { orderedPostIds } }".to_owned(),
        "Query.renderedMarkdown" => "{ renderedMarkdown(markdown: \"*a*\") { html } }".to_owned(),
        "Query.webhooks" => "{ webhooks { __typename } }".to_owned(),
        "Mutation.createWebhook" => mutation("url: \"https://example.com/\"", ""),
        "Mutation.replayWebhook" => mutation("id: \"x\", since: \"2026-06-15T12:00:00Z\"", ""),
        _ if field.ends_with("Webhook") || field.ends_with("WebhookSecret") => mutation("id: \"x\"", ""),
        "Mutation.createPage" => mutation("path: \"new\", title: \"New\", markdown: \"\"", ""),
        "Mutation.createPost" => create(&format!(", authorSlugs: [\"{author}\"]")),
        "Mutation.updatePost" | "Mutation.publishPost" | "Mutation.unpublishPost" | "Mutation.deletePost" => {
            change(&field[9..], number, "")
        }
        "Mutation.updatePosts" | "Mutation.deletePosts" => {
            mutation(&format!("posts: [{{ id: \"{id}\", expectedVersion: 1 }}]"), "")
        }
        "Mutation.linkTranslations" | "Mutation.unlinkTranslations" => {
            mutation(&format!("contents: [{{ id: \"{id}\", expectedVersion: 1 }}]"), "")
        }
        _ if field.starts_with("Mutation.merge") => {
            mutation("from: { id: \"x\", expectedVersion: 1 }, into: { id: \"y\", expectedVersion: 1 }", "")
        }
        "Mutation.restoreRevision" => {
            let revision = id.replace("post-", "revision-");
            mutation(&format!("revisionId: \"{revision}-1\", expectedVersion: 1"), "")
        }
        "Mutation.createPreview" => mutation(&format!("contentId: \"{id}\""), ""),
        "Mutation.revokePreviews" => "mutation { revokePreviews { revokedAt } }".to_owned(),
        "Mutation.createToken" => mutation("name: \"N\", role: READER", ""),
        "Mutation.revokeToken" => mutation("id: \"000000000000\"", ""),
        _ if field.starts_with("Mutation.create") => mutation("slug: \"new\", name: \"New\"", ""),
        _ if field.starts_with("Mutation.") => mutation("id: \"x\", expectedVersion: 1", ""),
        // A list of its own: an author gets a page without the posts of others.
        _ => format!("{{ {}(first: 1) {{ nodes {{ __typename }} }} }}", field.trim_start_matches("Query.")),
    }
}

/// What the table says about one request.
fn expected(cell: &str, is_anonymous: bool, is_own: bool, is_list: bool) -> &'static str {
    match cell {
        "no" if is_anonymous => "UNAUTHENTICATED",
        "no" => "FORBIDDEN",
        "own" if !is_own && !is_list => "FORBIDDEN",
        _ => "allowed",
    }
}

#[tokio::test]
async fn each_role_is_allowed_what_the_table_says() {
    let roles = [None, Some(Role::Reader), Some(Role::Author), Some(Role::Editor), Some(Role::Admin)];
    let rows = table("Who sees what");
    assert!(rows.len() > 20, "{rows:?}");
    // A subscription needs a stream: `subscriptions::editing` has the roles of this one.
    for row in rows.into_iter().filter(|row| row[0] != "Subscription.editing") {
        let field = row[0].as_str();
        for (role, cell) in roles.into_iter().zip(&row[1..]) {
            let site = site().await;
            let page = "mutation { createPage(input: { path: \"a\", title: \"A\", markdown: \"\", publish: true }) { page { id } } }";
            site.ask_as(Some(EDITOR_TOKEN), page).await;
            let series = "mutation { createSeries(input: { name: \"Walks\" }) { series { id } } }";
            site.ask_as(Some(EDITOR_TOKEN), series).await;
            let token = match role {
                None => None,
                Some(role) => Some(site.token(role, (role == Role::Author).then_some("ada")).await),
            };
            for is_own in [false, true] {
                let document = request(field, is_own);
                let answer = site.ask_as(token.as_deref(), &document).await;
                let found = match outcome(&answer).as_str() {
                    code @ ("UNAUTHENTICATED" | "FORBIDDEN") => code.to_owned(),
                    // The draft itself is hidden.
                    "null" if field == "Post.revisions" => "UNAUTHENTICATED".to_owned(),
                    "done" | "NOT_FOUND" | "INVALID" | "CONFLICT" | "TAKEN" => "allowed".to_owned(),
                    other => panic!("{other}: {document}: {answer}"),
                };
                let expected = expected(cell, role.is_none(), is_own, field.starts_with("Query."));
                assert_eq!(found, expected, "{role:?}: {document}: {answer}");
            }
        }
    }
}
