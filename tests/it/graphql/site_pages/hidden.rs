//! Drafts of pages (I4b): to a client without access, a draft is as if it had never existed.

use std::sync::Arc;

use serde_json::json;
use tidings::model::{Role, TermKind};

use super::{create, done, paths, sites};
use crate::support::site::{Site, instant};

#[tokio::test]
async fn a_draft_is_found_only_with_access_to_all_posts() {
    for site in sites().await {
        create(&site, "docs", None).await;
        let draft = done(&site, "createPage", json!({ "path": "docs/secret", "title": "S", "markdown": "" })).await;
        create(&site, "docs/secret/open", None).await;
        let id = draft["id"].as_str().expect("an id");
        let query = format!(
            "{{ page(path: \"docs/secret\") {{ id }} node(id: \"{id}\") {{ id }} nodes(ids: [\"{id}\"]) {{ id }} \
               pages(parentPath: \"docs\") {{ nodes {{ path }} }} below: pages(parentPath: \"docs/secret\") {{ nodes {{ path }} }} \
               pageLinks {{ path }} open: page(path: \"docs/secret/open\") {{ parent {{ id }} breadcrumbs {{ path }} }} }}"
        );
        let hidden = json!({ "page": null, "node": null, "nodes": [null], "pages": { "nodes": [] }, "below": { "nodes": [] },
            "pageLinks": [{ "path": "docs" }],
            "open": { "parent": null, "breadcrumbs": [{ "path": "docs" }] } });
        assert_eq!(site.ask_as(None, &query).await["data"], hidden);
        let mutation = "mutation { createAuthor(input: { name: \"Ada\", slug: \"ada\" }) { author { id } } }";
        site.ask_as(Some(crate::support::graphql::EDITOR_TOKEN), mutation).await;
        assert_eq!(site.named(TermKind::Author, "ada").await.1, 1);
        let author = site.token(Role::Author, Some("ada")).await;
        assert_eq!(site.ask_as(Some(&author), &query).await["data"], hidden, "an author");
        let reader = site.token(Role::Reader, None).await;
        let seen = site.ask_as(Some(&reader), &query).await;
        assert_eq!((&seen["data"]["page"]["id"], &seen["data"]["node"]["id"]), (&draft["id"], &draft["id"]));
        assert_eq!(seen["data"]["pages"]["nodes"], json!([]), "the list of published pages");
        let drafts = "{ draftPages(parentPath: \"docs\") { nodes { path } } }";
        assert_eq!(paths(&site.ask_as(Some(&reader), drafts).await["data"]["draftPages"]), ["docs/secret"]);
        for (token, code) in [(None, "UNAUTHENTICATED"), (Some(&*author), "FORBIDDEN")] {
            let refused = site.ask_as(token, drafts).await;
            assert_eq!(refused["errors"][0]["extensions"]["code"], code);
        }
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn the_answer_for_a_draft_is_that_for_a_path_that_never_existed() {
    for site in sites().await {
        done(&site, "createPage", json!({ "path": "secret", "title": "S", "markdown": "" })).await;
        let answer = |path: &str| {
            format!("{{ page(path: \"{path}\") {{ id title body {{ html }} children {{ nodes {{ id }} }} }} }}")
        };
        let hidden = site.post_graphql(json!({ "query": answer("secret") })).await;
        let never = site.post_graphql(json!({ "query": answer("nothin") })).await;
        assert_eq!(hidden.text, never.text);
    }
}

#[tokio::test]
async fn a_page_is_not_hidden_by_a_server_whose_clock_is_behind_that_of_its_writer() {
    for site in sites().await {
        let page = create(&site, "docs", None).await;
        let other = Site::over(Arc::clone(&site.store)).await;
        other.clock.set(instant("2026-06-15T11:59:59Z"));
        let query = format!("{{ page(path: \"docs\") {{ id body {{ html }} }} node(id: {}) {{ id }} }}", page["id"]);
        let found = other.query(&query).await;
        assert_eq!((&found["page"]["id"], &found["node"]["id"]), (&page["id"], &page["id"]));
    }
}
