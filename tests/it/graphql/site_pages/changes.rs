//! What the mutations of pages change and refuse.

use serde_json::json;
use tidings::model::Role;

use super::{create, done, error, mutate, refused, sites};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::instant;

#[tokio::test]
async fn a_page_goes_through_all_states_from_draft_to_deletion() {
    for site in sites().await {
        let input =
            json!({ "path": "/about/", "title": "About", "markdown": "*Who* we are.\n", "metadata": { "a": 1 } });
        let made = done(&site, "createPage", input).await;
        assert_eq!(
            (&made["path"], &made["slug"], &made["status"], &made["version"], &made["excerpt"], &made["metadata"]),
            (&json!("about"), &json!("about"), &json!("DRAFT"), &json!(1), &json!("Who we are."), &json!({ "a": 1 }))
        );
        let id = made["id"].clone();
        let of = |version: i32| json!({ "id": id, "expectedVersion": version });
        assert_eq!(done(&site, "publishPage", of(1)).await["status"], "PUBLISHED");
        let mut changes = of(2);
        changes["title"] = json!("About us");
        changes["order"] = json!(-7);
        let changed = done(&site, "updatePage", changes.clone()).await;
        assert_eq!(
            (&changed["title"], &changed["order"], &changed["version"]),
            (&json!("About us"), &json!(-7), &json!(3))
        );
        let stale = mutate(&site, "updatePage", changes).await;
        assert_eq!(refused(&stale), error("CONFLICT", "expectedVersion"));
        assert_eq!(stale["userErrors"][0]["current"], json!({ "version": 3, "title": "About us" }));
        let same = json!({ "id": id, "expectedVersion": 3, "title": "About us" });
        assert_eq!(done(&site, "updatePage", same).await["version"], 3, "a change that changes nothing");
        let read = site.query("{ page(path: \"about\") { title order body { html } } }").await;
        assert_eq!(read["page"]["title"], "About us");
        assert_eq!(done(&site, "unpublishPage", of(3)).await["status"], "DRAFT");
        assert_eq!(site.query("{ page(path: \"about\") { id } }").await["page"], json!(null));
        for (version, publish, status) in [(4, true, "PUBLISHED"), (5, false, "DRAFT")] {
            let mut both = of(version);
            (both["title"], both["publish"]) = (json!(status), json!(publish));
            let changed = done(&site, "updatePage", both).await;
            assert_eq!((&changed["title"], &changed["status"]), (&json!(status), &json!(status)));
            assert_eq!(changed["version"], version + 1, "one version for both");
        }
        let mut null = of(6);
        null["publish"] = json!(null);
        assert_eq!(refused(&mutate(&site, "updatePage", null).await), error("INVALID", "publish"));
        let deleted = mutate(&site, "deletePage", of(6)).await;
        assert_eq!((&deleted["deletedId"], refused(&deleted)), (&id, vec![]));
        assert_eq!(refused(&mutate(&site, "deletePage", of(6)).await), error("NOT_FOUND", "id"));
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_page_needs_a_parent_a_free_path_and_a_title() {
    for site in sites().await {
        create(&site, "docs", None).await;
        let input = |path: &str| json!({ "path": path, "title": "X", "markdown": "" });
        for (path, code) in
            [("other/a", "NOT_FOUND"), ("docs", "TAKEN"), ("Docs", "INVALID"), ("", "INVALID"), ("docs//a", "INVALID")]
        {
            let payload = mutate(&site, "createPage", input(path)).await;
            assert_eq!(refused(&payload), error(code, "path"), "{path}");
        }
        let both = mutate(&site, "createPage", json!({ "path": "docs", "title": " ", "markdown": "" })).await;
        assert_eq!(refused(&both), [error("INVALID", "title"), error("TAKEN", "path")].concat());
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_page_with_pages_below_it_is_not_deleted() {
    for site in sites().await {
        let docs = create(&site, "docs", None).await;
        create(&site, "docs/a", None).await;
        done(&site, "createPage", json!({ "path": "docs/b", "title": "B", "markdown": "" })).await;
        let payload = mutate(&site, "deletePage", json!({ "id": docs["id"], "expectedVersion": 1 })).await;
        assert_eq!((refused(&payload), &payload["userErrors"][0]["usedByCount"]), (error("IN_USE", "id"), &json!(2)));
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_page_moves_with_the_pages_below_it_and_the_old_paths_find_them() {
    for site in sites().await {
        create(&site, "docs", None).await;
        let guide = create(&site, "docs/guide", Some(1)).await;
        create(&site, "docs/guide/a", None).await;
        done(&site, "createPage", json!({ "path": "docs/guide/b", "title": "B", "markdown": "" })).await;
        create(&site, "docs/guide/a/deep", None).await;
        let moved =
            done(&site, "updatePage", json!({ "id": guide["id"], "expectedVersion": 1, "path": "handbook" })).await;
        assert_eq!((&moved["path"], &moved["version"]), (&json!("handbook"), &json!(2)));
        let query = "{ old: page(path: \"docs/guide/a/deep\") { path version breadcrumbs { path } } \
                       new: page(path: \"handbook/a/deep\") { parent { path children { nodes { path } } } } }";
        let read = site.query(query).await;
        let expected = json!({ "path": "handbook/a/deep", "version": 1, "breadcrumbs": [{ "path": "handbook" }, { "path": "handbook/a" }] });
        assert_eq!(read["old"], expected);
        assert_eq!(
            read["new"]["parent"],
            json!({ "path": "handbook/a", "children": { "nodes": [{ "path": "handbook/a/deep" }] } })
        );
        site.assert_sound().await;
        let below =
            mutate(&site, "updatePage", json!({ "id": guide["id"], "expectedVersion": 2, "path": "handbook/a/x" }))
                .await;
        assert_eq!(refused(&below), error("INVALID", "path"));
        // A path that a page had before is free for another page.
        let again = create(&site, "docs/guide", None).await;
        assert_eq!(site.query("{ page(path: \"docs/guide\") { id } }").await["page"]["id"], again["id"]);
        site.assert_sound().await;
        let back =
            mutate(&site, "updatePage", json!({ "id": guide["id"], "expectedVersion": 2, "path": "docs/guide" })).await;
        assert_eq!(refused(&back), error("TAKEN", "path"));
        let deleted = mutate(&site, "deletePage", json!({ "id": again["id"], "expectedVersion": 1 })).await;
        assert_eq!(refused(&deleted), []);
        let back =
            done(&site, "updatePage", json!({ "id": guide["id"], "expectedVersion": 2, "path": "docs/guide" })).await;
        assert_eq!(back["path"], "docs/guide");
        let read =
            site.query("{ page(path: \"handbook/b\") { path } page2: page(path: \"handbook/a\") { path } }").await;
        assert_eq!((&read["page"], &read["page2"]["path"]), (&json!(null), &json!("docs/guide/a")), "b is a draft");
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_move_of_more_pages_than_one_transaction_holds_is_refused_and_changes_nothing() {
    for site in sites().await {
        let docs = create(&site, "docs", None).await;
        for n in 0..45 {
            create(&site, &format!("docs/p{n}"), None).await;
        }
        let moved = mutate(&site, "updatePage", json!({ "id": docs["id"], "expectedVersion": 1, "path": "x" })).await;
        assert_eq!(refused(&moved), error("TOO_LARGE", "path"));
        let one = site.query("{ page(path: \"docs/p44\") { id version } }").await["page"]["id"].clone();
        assert_eq!(refused(&mutate(&site, "deletePage", json!({ "id": one, "expectedVersion": 1 })).await), []);
        let moved = done(&site, "updatePage", json!({ "id": docs["id"], "expectedVersion": 1, "path": "x" })).await;
        assert_eq!(moved["path"], "x");
        assert_eq!(site.query("{ page(path: \"docs/p0\") { path } }").await["page"]["path"], "x/p0");
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn only_editors_change_pages() {
    let [site, _] = sites().await;
    let mutation =
        "mutation { createPage(input: { path: \"a\", title: \"A\", markdown: \"\" }) { userErrors { code } } }";
    let author = site.token(Role::Reader, None).await;
    let code = |answer: &serde_json::Value| answer["errors"][0]["extensions"]["code"].clone();
    assert_eq!(code(&site.ask_as(None, mutation).await), "UNAUTHENTICATED");
    assert_eq!(code(&site.ask_as(Some(&author), mutation).await), "FORBIDDEN");
    let editor = site.token(Role::Editor, None).await;
    assert_eq!(site.ask_as(Some(&editor), mutation).await["data"]["createPage"]["userErrors"], json!([]));
    site.assert_sound().await;
}

#[tokio::test]
async fn the_record_and_the_versions_show_each_change() {
    for site in sites().await {
        let page = create(&site, "a", None).await;
        let id = page["id"].clone();
        done(&site, "updatePage", json!({ "id": id, "expectedVersion": 1, "title": "Other", "path": "b" })).await;
        done(&site, "unpublishPage", json!({ "id": id, "expectedVersion": 2 })).await;
        let query = "{ auditLog { nodes { actions ... on ContentAuditLogEntry { nodeType slug path version nodeId node { ... on Page { path } } } } } \
                       page(path: \"b\") { revisions { totalCount nodes { version title changedFields slug } } } }";
        let answer = site.ask_as(Some(EDITOR_TOKEN), query).await;
        // All of them are of one instant.
        let mut log = answer["data"]["auditLog"]["nodes"].as_array().expect("nodes").clone();
        log.sort_by_key(|entry| -entry["version"].as_i64().expect("a version"));
        let entry = |n: usize| (log[n]["path"].clone(), log[n]["version"].clone(), log[n]["actions"].clone());
        assert_eq!(entry(0), (json!("b"), json!(3), json!(["UNPUBLISHED"])));
        assert_eq!(entry(1), (json!("b"), json!(2), json!(["UPDATED", "RENAMED"])));
        assert_eq!(entry(2), (json!("a"), json!(1), json!(["CREATED", "PUBLISHED"])));
        assert_eq!(
            (&log[0]["nodeType"], &log[0]["nodeId"], &log[0]["node"]),
            (&json!("Page"), &id, &json!({ "path": "b" }))
        );
        let kept = &answer["data"]["page"]["revisions"];
        assert_eq!((&kept["totalCount"], &kept["nodes"][1]["changedFields"]), (&json!(3), &json!(["TITLE", "SLUG"])));
        assert_eq!((&kept["nodes"][2]["title"], &kept["nodes"][2]["slug"]), (&json!("The page a"), &json!("a")));
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn an_earlier_version_of_a_page_is_restored_as_a_new_one_at_the_same_place() {
    for site in sites().await {
        let input =
            json!({ "path": "a", "title": "One", "markdown": "first", "metadata": { "a": 1 }, "language": "en" });
        let id = done(&site, "createPage", input).await["id"].clone();
        let of = |version: i32, mut changes: serde_json::Value| {
            (changes["id"], changes["expectedVersion"]) = (id.clone(), json!(version));
            changes
        };
        let changes = json!({ "title": "Two", "markdown": "second", "metadata": null, "path": "b", "order": 3 });
        done(&site, "updatePage", of(1, changes)).await;
        done(&site, "publishPage", of(2, json!({}))).await;
        let revision = id.as_str().expect("an id").replacen("page-", "revision-", 1);
        let restore = async |token: &str, number: i32, version: i32| {
            let query = format!(
                "mutation {{ restoreRevision(input: {{ revisionId: \"{revision}-{number}\", expectedVersion: {version} }}) {{ \
                   post {{ id }} page {{ path title status version order excerpt metadata body {{ markdown }} }} \
                   userErrors {{ code field ... on ConflictError {{ current {{ ... on Page {{ version }} }} }} }} }} }}"
            );
            site.ask_as(Some(token), &query).await["data"]["restoreRevision"].take()
        };
        let refused = |code: &str| json!([{ "code": code, "field": ["input", "revisionId"] }]);
        let author = {
            let mutation = "mutation { createAuthor(input: { name: \"Ada\", slug: \"ada\" }) { author { id } } }";
            site.ask_as(Some(EDITOR_TOKEN), mutation).await;
            site.token(Role::Author, Some("ada")).await
        };
        assert_eq!(restore(&author, 1, 3).await["userErrors"], refused("NOT_FOUND"), "an author has no access");
        assert_eq!(restore(EDITOR_TOKEN, 9, 3).await["userErrors"], refused("NOT_FOUND"));
        let stale = restore(EDITOR_TOKEN, 1, 2).await;
        assert_eq!((&stale["userErrors"][0]["code"], &stale["page"]), (&json!("CONFLICT"), &json!(null)));
        assert_eq!(stale["userErrors"][0]["current"], json!({ "version": 3 }));
        let restored = restore(EDITOR_TOKEN, 1, 3).await;
        let page = json!({ "path": "b", "title": "One", "status": "PUBLISHED", "version": 4, "order": 3, "excerpt": "first",
            "metadata": { "a": 1 }, "body": { "markdown": "first" } });
        assert_eq!(restored, json!({ "post": null, "page": page, "userErrors": [] }));
        assert_eq!(restore(EDITOR_TOKEN, 4, 4).await["page"]["version"], 4, "the current version");
        let query = "{ page(path: \"b\") { title language revisions { nodes { version title changedFields } } } }";
        let read = site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["page"].take();
        assert_eq!((&read["title"], &read["language"]), (&json!("One"), &json!("en")));
        let newest = json!({ "version": 4, "title": "One", "changedFields": ["TITLE", "EXCERPT", "BODY", "METADATA"] });
        assert_eq!(read["revisions"]["nodes"][0], newest);
        site.assert_sound().await;
    }
}

/// Its instant is that of the server that has published it.
#[tokio::test]
async fn a_page_that_a_server_with_a_faster_clock_has_published_is_published() {
    for site in sites().await {
        site.clock.set(instant("2026-06-15T12:00:30Z"));
        create(&site, "a", None).await;
        site.clock.set(instant("2026-06-15T12:00:00Z"));
        assert_eq!(site.query("{ page(path: \"a\") { status } }").await["page"]["status"], "PUBLISHED");
        site.assert_sound().await;
    }
}
