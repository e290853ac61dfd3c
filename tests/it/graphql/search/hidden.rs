//! Drafts in a search (I4b). The rule: until a post or page is public, no hit, rank, word, suggestion or related post tells of it to those who have no
//! access to it; whoever has access finds it.

use serde_json::{Value, json};
use tidings::model::Role;

use super::{assert_found, found, make};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post};

/// Everything that an anonymous client can learn by searching.
async fn answers(site: &Site) -> Vec<Value> {
    let fields =
        "suggestion edges { cursor score node { slug } highlights { html } } pageInfo { hasNextPage endCursor }";
    // Until the index is built.
    found(site, None, "post", "").await;
    let mut all = Vec::new();
    for text in ["secret", "secrit", "secr", "opening", "opening secret", "post -secret", "\"a secret\"", "plan"] {
        all.push(site.ask_as(None, &format!("{{ search(query: {text:?}) {{ {fields} }} }}")).await);
        all.push(site.ask_as(None, &format!("{{ searchTerms(text: {text:?}) }}")).await);
    }
    all.push(site.ask_as(None, "{ post(slug: \"post-1\") { related { slug } } }").await);
    all
}

async fn published() -> Site {
    let site = Site::in_memory().await;
    let posts: Vec<_> = (1..20).map(|number| post(number, instant("2026-01-01T00:00:00Z"))).collect();
    site.publish(&posts).await;
    site
}

#[tokio::test]
async fn drafts_and_scheduled_content_change_no_answer_of_the_public() {
    let (plain, site) = (published().await, published().await);
    let post = |title: &str| json!({ "title": title, "markdown": "opening of a secret plan", "authorSlugs": [] });
    let page = |path: &str| json!({ "path": path, "title": "Secret page", "markdown": "secret opening" });
    let with = |mut input: Value, field: &str, value: Value| {
        input[field] = value;
        input
    };
    make(&site, "createPost", post("Secret draft")).await;
    make(&site, "createPost", with(post("Secret later"), "publishAt", "2026-06-15T13:00:00Z".into())).await;
    make(&site, "createPage", page("secret-draft")).await;
    make(&site, "createPage", with(page("secret-later"), "publishAt", "2026-06-15T13:00:00Z".into())).await;
    let gone = make(&site, "createPost", with(post("Secret gone"), "publish", true.into())).await;
    assert_found(&site, None, "secret ", &["secret-gone"]).await;
    let taken_back = json!({ "id": gone["id"], "expectedVersion": gone["version"] });
    make(&site, "unpublishPost", taken_back).await;
    assert_found(&site, None, "secret ", &[]).await;
    assert_eq!(
        answers(&site).await.iter().map(without_cursors).collect::<Vec<_>>(),
        answers(&plain).await.iter().map(without_cursors).collect::<Vec<_>>()
    );
    let reader = site.token(Role::Reader, None).await;
    for token in [EDITOR_TOKEN, &reader] {
        let mut all = found(&site, Some(token), "secret ", "").await;
        all.sort();
        assert_eq!(all, ["secret-draft", "secret-draft", "secret-gone", "secret-later", "secret-later"]);
    }
    site.clock.set(instant("2026-06-15T13:00:00Z"));
    assert_found(&site, None, "secret ", &["secret-later", "secret-later"]).await;
    // The clock is set back.
    site.clock.set(instant("2026-06-15T12:30:00Z"));
    assert_found(&site, None, "secret ", &[]).await;
}

/// Scores depend on documents that were deleted from the index, until it is merged.
fn without_cursors(answer: &Value) -> Value {
    let mut answer = answer.clone();
    for edge in answer["data"]["search"]["edges"].as_array_mut().into_iter().flatten() {
        edge.as_object_mut().expect("an edge").retain(|name, _| name != "cursor" && name != "score");
    }
    if let Some(page) = answer["data"]["search"]["pageInfo"].as_object_mut() {
        page.remove("endCursor");
    }
    answer
}

#[tokio::test]
async fn an_author_finds_only_own_drafts() {
    let site = Site::in_memory().await;
    for name in ["ada", "grace"] {
        let author = format!(
            "mutation {{ createAuthor(input: {{ slug: \"{name}\", name: \"{name}\" }}) {{ userErrors {{ message }} }} }}"
        );
        site.mutate(&author, json!({}), Some(EDITOR_TOKEN)).await;
        let input = json!({ "title": format!("Secret of {name}"), "markdown": "x", "authorSlugs": [name] });
        make(&site, "createPost", input).await;
    }
    let ada = site.token(Role::Author, Some("ada")).await;
    assert_found(&site, Some(&ada), "secret ", &["secret-of-ada"]).await;
    let first = "{ search(query: \"secret \", first: 1) { nodes { slug } pageInfo { hasNextPage } } }";
    let page = site.ask_as(Some(&ada), first).await["data"]["search"].clone();
    assert_eq!(page["pageInfo"]["hasNextPage"], false, "{page}");
    let grace = site
        .ask_as(Some(&ada), "{ search(query: \"grace \", first: 1) { nodes { slug } pageInfo { hasNextPage } } }")
        .await;
    let nothing = json!({ "nodes": [], "pageInfo": { "hasNextPage": false } });
    assert_eq!(grace["data"]["search"], nothing);
    assert_eq!(found(&site, None, "secret ", "").await, [""; 0]);
}
