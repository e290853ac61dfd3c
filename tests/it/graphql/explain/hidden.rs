//! Plans and posts that a client has no access to. The rule: a client that may not see all drafts gets no keys.

use serde_json::{Value, json};
use tidings::model::WholePost;
use tidings::testing::Change;

use super::{AS_EDITOR, EXPLAIN, Server, fill, requests};
use crate::support::site::{Site, instant, post, slugs};

fn draft() -> WholePost {
    let mut draft = post(900, instant("2026-05-05T00:00:00Z"));
    draft.post.published_at = None;
    draft.post.authors = slugs(&["author-0"]);
    draft
}

async fn site() -> Site {
    let site = Site::in_memory().await;
    fill(&site).await;
    let changes = vec![Change { before: None, after: Some(draft()) }];
    site.content.writer().expect("a writer").change_posts_with(changes, &[], None).await.expect("a post is written");
    site.invalidate_cached();
    site
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_sees_the_requests_for_a_draft() {
    let site = site().await;
    let query = format!("{{ post(slug: \"{}\") {{ title }} }}", draft().post.slug);
    let answer = Server::of(&site, false).ask(&[EXPLAIN, AS_EDITOR], &json!({ "query": query })).await;
    let tables: Vec<&Value> =
        requests(&answer["extensions"]["explain"]).iter().map(|request| &request["table"]).collect();
    assert_eq!(tables, ["PostKeys", "Drafts"]);
}

/// An author can make the server read a draft of another, to refuse a change of it.
#[tokio::test(flavor = "multi_thread")]
async fn the_plan_of_an_author_has_no_keys() {
    let site = site().await;
    let token = format!("Bearer {}", site.token(tidings::model::Role::Author, Some("author-1")).await);
    let deletes = format!(
        "mutation {{ deletePost(input: {{ id: \"{}\", expectedVersion: 1 }}) {{ userErrors {{ code }} }} }}",
        draft().post.id
    );
    let server = Server::of(&site, true);
    let answer = server.ask(&[EXPLAIN, ("Authorization", &token)], &json!({ "query": deletes })).await;
    let found = requests(&answer["extensions"]["explain"]);
    assert!(found.len() >= 2 && found.iter().all(|request| request["partitionKey"] == "(secret)"), "{answer:#}");
    assert!(found.iter().all(|request| request.get("rowKey").is_none_or(|key| key == "(secret)")), "{answer:#}");
}
