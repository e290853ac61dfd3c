//! Preview links of pages. The rule: a link opens its own page, and no other draft (I4b).

use serde_json::{Value, json};
use tidings::model::Role;

use super::{create, done, mutate, sites};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post, slugs};

const SHOWN: &str = "__typename id slug title excerptIsGenerated metadata status viewerCanUpdate body { markdown html } ... on Page { path parent { id } breadcrumbs { path } children { nodes { path } } }";

async fn draft(site: &Site, path: &str) -> Value {
    let input = json!({ "path": path, "title": format!("The page {path}"), "markdown": format!("Of *{path}*.") });
    done(site, "createPage", input).await
}

/// A draft below a draft, with a published page and a draft below it, and a draft beside it.
async fn tree(site: &Site) -> Value {
    draft(site, "guide").await;
    let page = draft(site, "guide/install").await;
    create(site, "guide/install/linux", None).await;
    draft(site, "guide/install/windows").await;
    draft(site, "imprint").await;
    page
}

async fn ask_for_link(site: &Site, token: &str, id: &Value) -> Value {
    let query = format!(
        "mutation {{ createPreview(input: {{ contentId: {id}, expiresInMinutes: 30 }}) {{ preview {{ token expiresAt }} userErrors {{ code field message }} }} }}"
    );
    site.ask_as(Some(token), &query).await
}

async fn link(site: &Site, id: &Value) -> String {
    let made = ask_for_link(site, EDITOR_TOKEN, id).await;
    assert_eq!(made["data"]["createPreview"]["preview"]["expiresAt"], "2026-06-15T12:30:00.000Z", "{made}");
    made["data"]["createPreview"]["preview"]["token"].as_str().expect("a token").to_owned()
}

/// The title that an anonymous client gets by a link, or the code of the error.
async fn shown(site: &Site, link: &str) -> String {
    let answer = site.ask_as(None, &format!("{{ preview(token: {link:?}) {{ title }} }}")).await;
    let of = [&answer["errors"][0]["extensions"]["code"], &answer["data"]["preview"]["title"]];
    of.into_iter().find_map(Value::as_str).unwrap_or("null").to_owned()
}

#[tokio::test]
async fn a_link_shows_the_current_version_of_one_page_and_no_draft_around_it() {
    for site in sites().await {
        let page = tree(&site).await;
        let link = link(&site, &page["id"]).await;
        let expected = json!({
            "__typename": "Page", "id": page["id"], "slug": "install", "title": "The page guide/install", "excerptIsGenerated": true, "metadata": {}, "status": "DRAFT", "viewerCanUpdate": false,
            "body": { "markdown": "Of *guide/install*.", "html": "<p>Of <em>guide/install</em>.</p>\n" }, "path": "guide/install", "parent": null,
            "breadcrumbs": [], "children": { "nodes": [{ "path": "guide/install/linux" }] },
        });
        let answer = site.ask_as(None, &format!("{{ preview(token: {link:?}) {{ {SHOWN} }} }}")).await;
        assert_eq!(answer, json!({ "data": { "preview": expected } }));
        // The queries of the site, with the token as a bearer token.
        let query = format!(
            "{{ page(path: \"guide/install\") {{ {SHOWN} }} node(id: {}) {{ ... on Page {{ {SHOWN} }} }} }}",
            page["id"]
        );
        let answer = site.ask_as(Some(&link), &query).await;
        assert_eq!(answer, json!({ "data": { "page": expected, "node": expected } }));
        let anonymous = site.ask_as(None, &query).await;
        assert_eq!(anonymous, json!({ "data": { "page": null, "node": null } }));

        let change = json!({ "id": page["id"], "expectedVersion": 1, "title": "New", "path": "installed" });
        done(&site, "updatePage", change).await;
        assert_eq!(shown(&site, &link).await, "New");
        let moved = site.ask_as(Some(&link), "{ page(path: \"installed\") { title status } }").await;
        assert_eq!(moved, json!({ "data": { "page": { "title": "New", "status": "DRAFT" } } }));
        done(&site, "publishPage", json!({ "id": page["id"], "expectedVersion": 2 })).await;
        assert_eq!(shown(&site, &link).await, "New");
        site.clock.set(instant("2026-06-15T12:29:59Z"));
        assert_eq!(shown(&site, &link).await, "New");
        site.clock.set(instant("2026-06-15T12:30:00Z"));
        assert_eq!(shown(&site, &link).await, "PREVIEW_EXPIRED");
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_bearer_of_the_link_of_a_page_sees_nothing_else() {
    for site in sites().await {
        let page = tree(&site).await;
        let other = draft(&site, "other").await;
        let link = link(&site, &page["id"]).await;
        let of_page = "id path title";
        let queries = [
            format!("{{ pages {{ nodes {{ {of_page} }} }} pageLinks {{ path title }} }}"),
            format!("{{ page(path: \"guide\") {{ {of_page} }} }}"),
            format!("{{ page(path: \"guide/install/windows\") {{ {of_page} }} }}"),
            format!("{{ page(path: \"guide/install/linux\") {{ {of_page} children {{ nodes {{ {of_page} }} }} }} }}"),
            format!("{{ node(id: {}) {{ id }} }}", other["id"]),
            format!("{{ nodes(ids: [{}]) {{ id }} }}", other["id"]),
            format!("{{ draftPages {{ nodes {{ {of_page} }} }} }}"),
            format!("{{ draftPages(parentPath: \"guide/install\") {{ nodes {{ {of_page} }} }} }}"),
            "{ draftPosts { totalCount } }".to_owned(),
            "{ viewer { name } }".to_owned(),
            format!("mutation {{ deletePage(input: {{ id: {}, expectedVersion: 1 }}) {{ deletedId }} }}", page["id"]),
            format!("mutation {{ createPreview(input: {{ contentId: {} }}) {{ preview {{ token }} }} }}", page["id"]),
        ];
        for query in queries {
            assert_eq!(site.ask_as(Some(&link), &query).await, site.ask_as(None, &query).await, "{query}");
        }
        // The earlier versions of the draft need a role.
        let versions = "{ page(path: \"guide/install\") { id revisions { nodes { version } } } }";
        let answer = site.ask_as(Some(&link), versions).await;
        assert_eq!(answer["data"]["page"], json!({ "id": page["id"], "revisions": null }), "{answer}");
        assert_eq!(answer["errors"][0]["extensions"]["code"], "UNAUTHENTICATED");
    }
}

#[tokio::test]
async fn a_forged_revoked_or_orphaned_link_of_a_page_shows_nothing() {
    for site in sites().await {
        let (page, other) = (tree(&site).await, draft(&site, "other").await);
        let link = link(&site, &page["id"]).await;
        let id = |page: &Value| page["id"].as_str().expect("an id").to_owned();
        let mut forged = vec![
            format!("{link}A"),
            // The link of a post with this id.
            link.replacen("tdp_page-", "tdp_", 1),
            link.replacen("tdp_page-", "tdp_post-", 1),
            link.replace(&id(&page), &id(&other)),
        ];
        for (at, sign) in link.char_indices() {
            let changed = if sign == '0' { '1' } else { '0' };
            forged.push(format!("{}{changed}{}", &link[..at], &link[at + sign.len_utf8()..]));
        }
        for text in forged.iter().filter(|text| **text != link) {
            assert_eq!(shown(&site, text).await, "BAD_PREVIEW", "{text}");
        }
        assert_eq!(shown(&site, &link).await, "The page guide/install");
        site.ask_as(Some(EDITOR_TOKEN), "mutation { revokePreviews { revokedAt } }").await;
        assert_eq!(shown(&site, &link).await, "BAD_PREVIEW");
        let new = self::link(&site, &other["id"]).await;
        assert_eq!(shown(&site, &new).await, "The page other");
        let deleted = mutate(&site, "deletePage", json!({ "id": other["id"], "expectedVersion": 1 })).await;
        assert_eq!(deleted["userErrors"], json!([]));
        assert_eq!(shown(&site, &new).await, "null");
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn creating_the_link_of_a_page_requires_the_right_to_change_it() {
    for site in sites().await {
        let mut written = post(1, instant("2026-05-01T00:00:00Z"));
        written.post.authors = slugs(&["ada"]);
        site.publish(&[written]).await;
        let (unpublished, published) =
            (draft(&site, "draft").await["id"].clone(), create(&site, "a", None).await["id"].clone());
        let none = json!("page-000000000000");
        let ada = site.token(Role::Author, Some("ada")).await;
        let reader = site.token(Role::Reader, None).await;
        let editor = site.token(Role::Editor, None).await;
        for (token, id, expected) in [
            (&reader, &unpublished, "FORBIDDEN"),
            (&ada, &unpublished, "NOT_FOUND"),
            (&ada, &published, "FORBIDDEN"),
            (&ada, &none, "NOT_FOUND"),
            (&editor, &none, "NOT_FOUND"),
            (&editor, &unpublished, "done"),
            (&editor, &published, "done"),
        ] {
            let answer = ask_for_link(&site, token, id).await;
            let of =
                [&answer["errors"][0]["extensions"]["code"], &answer["data"]["createPreview"]["userErrors"][0]["code"]];
            assert_eq!(of.into_iter().find_map(Value::as_str).unwrap_or("done"), expected, "{id}: {answer}");
        }
        // To the author, the draft is as if it did not exist.
        let [hidden, missing] = [ask_for_link(&site, &ada, &unpublished).await, ask_for_link(&site, &ada, &none).await];
        assert_eq!(hidden, missing);
    }
}
