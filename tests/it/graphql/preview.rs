//! Preview links: each shows one draft, for a limited time, to anyone who has the link. The rule: an invalid link reveals nothing about any
//! post.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tidings::content::{Content, Sharing};
use tidings::model::{Role, WholePost};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post, slugs};

fn draft(number: u64, author: &str) -> WholePost {
    let mut whole = post(number, instant("2026-05-01T00:00:00Z"));
    whole.post.published_at = None;
    whole.post.authors = slugs(&[author]);
    whole
}

async fn site() -> Site {
    let site = Site::in_memory().await;
    site.publish(&[draft(1, "ada"), draft(2, "bob"), post(3, instant("2026-05-01T00:00:00Z"))]).await;
    site
}

fn id(number: u64) -> String {
    format!("post-{}", draft(number, "ada").post.id)
}

async fn create(site: &Site, token: &str, number: u64, minutes: &str) -> Value {
    let query = format!(
        "mutation {{ createPreview(input: {{ contentId: \"{}\"{minutes} }}) {{ preview {{ token expiresAt }} userErrors {{ code field }} }} }}",
        id(number)
    );
    site.ask_as(Some(token), &query).await
}

async fn link(site: &Site, number: u64) -> String {
    let made = create(site, EDITOR_TOKEN, number, ", expiresInMinutes: 30").await;
    made["data"]["createPreview"]["preview"]["token"].as_str().unwrap_or_else(|| panic!("no link: {made}")).to_owned()
}

/// The title that an anonymous client gets by a link, or the code of the error.
async fn shown(site: &Site, link: &str) -> String {
    let answer = site.ask_as(None, &format!("{{ preview(token: {link:?}) {{ title }} }}")).await;
    let of = [&answer["errors"][0]["extensions"]["code"], &answer["data"]["preview"]["title"]];
    of.into_iter().find_map(Value::as_str).unwrap_or("null").to_owned()
}

#[tokio::test]
async fn a_link_shows_the_current_version_of_one_draft_until_it_expires() {
    let site = site().await;
    let link = link(&site, 1).await;
    let query = format!(
        "{{ preview(token: {link:?}) {{ slug status body {{ markdown }} ... on Post {{ authors {{ slug }} newer {{ id }} }} }} }}"
    );
    let answer = site.ask_as(None, &query).await;
    let expected = json!({
        "slug": "post-1", "status": "DRAFT", "body": { "markdown": "Post 1, *in full*.\n" }, "authors": [{ "slug": "ada" }], "newer": null,
    });
    assert_eq!(answer, json!({ "data": { "preview": expected } }));
    let beside = format!(
        "{{ preview(token: {link:?}) {{ id }} node(id: \"{}\") {{ id }} post(slug: \"post-1\") {{ id }} }}",
        id(1)
    );
    let answer = site.ask_as(None, &beside).await;
    assert_eq!(
        (&answer["data"]["node"], &answer["data"]["post"]),
        (&Value::Null, &Value::Null),
        "a link opens nothing else"
    );
    let retitle = format!(
        "mutation {{ updatePost(input: {{ id: \"{}\", expectedVersion: 1, title: \"New\" }}) {{ userErrors {{ code }} }} }}",
        id(1)
    );
    site.ask_as(Some(EDITOR_TOKEN), &retitle).await;
    assert_eq!(shown(&site, &link).await, "New");
    site.clock.set(instant("2026-06-15T12:29:59Z"));
    assert_eq!(shown(&site, &link).await, "New");
    site.clock.set(instant("2026-06-15T12:30:00Z"));
    assert_eq!(shown(&site, &link).await, "PREVIEW_EXPIRED");
}

/// A page that shows content of any type needs no field of a post.
#[tokio::test]
async fn a_link_shows_the_fields_of_every_type_of_content() {
    let site = site().await;
    let link = link(&site, 1).await;
    let query = format!(
        "{{ preview(token: {link:?}) {{ __typename id slug title excerpt status version createdAt updatedAt viewerCanUpdate \
         body {{ html text wordCount }} ... on Node {{ node: id }} revisions(first: 1) {{ nodes {{ version body {{ markdown }} }} }} }} }}"
    );
    let mut expected = json!({
        "__typename": "Post", "id": id(1), "slug": "post-1", "title": "Post 1", "excerpt": "The opening of post 1.", "status": "DRAFT",
        "version": 1, "createdAt": "2026-05-01T00:00:00.000Z", "updatedAt": "2026-05-01T00:00:00.000Z", "viewerCanUpdate": false,
        "body": { "html": "<p>Post 1, <em>in full</em>.</p>\n", "text": "Post 1, in full.", "wordCount": 4 },
        "node": id(1), "revisions": null,
    });
    let answer = site.ask_as(None, &query).await;
    assert_eq!(answer["data"]["preview"], expected);
    let error = &answer["errors"][0];
    assert_eq!(
        (&error["path"], &error["extensions"]["code"]),
        (&json!(["preview", "revisions"]), &json!("UNAUTHENTICATED")),
        "a link does not open the history"
    );
    expected["viewerCanUpdate"] = json!(true);
    expected["revisions"] = json!({ "nodes": [{ "version": 1, "body": { "markdown": "Post 1, *in full*.\n" } }] });
    assert_eq!(site.ask_as(Some(EDITOR_TOKEN), &query).await, json!({ "data": { "preview": expected } }));
}

#[tokio::test]
async fn a_link_to_a_deleted_post_shows_null() {
    let site = site().await;
    let link = link(&site, 1).await;
    let delete = format!(
        "mutation {{ deletePost(input: {{ id: \"{}\", expectedVersion: 1 }}) {{ userErrors {{ code }} }} }}",
        id(1)
    );
    site.ask_as(Some(EDITOR_TOKEN), &delete).await;
    assert_eq!(shown(&site, &link).await, "null");
}

/// A change of any character is detected, whether or not the post exists.
#[tokio::test]
async fn a_forged_link_is_refused() {
    let site = site().await;
    let link = link(&site, 1).await;
    let mut forged =
        vec![String::new(), "tdp_".to_owned(), link[1..].to_owned(), format!("{link}A"), format!("{link}=")];
    forged.push(link.replace(&id(1)["post-".len()..], &id(2)["post-".len()..]));
    forged.push(link.replacen("_6", "_7", 1));
    for (at, sign) in link.char_indices() {
        let other = if sign == '0' { '1' } else { '0' };
        forged.push(format!("{}{other}{}", &link[..at], &link[at + sign.len_utf8()..]));
    }
    for text in forged.iter().filter(|text| **text != link) {
        assert_eq!(shown(&site, text).await, "BAD_PREVIEW", "{text}");
    }
    assert_eq!(shown(&site, &link).await, "Post 1");
    let elsewhere = self::site().await;
    assert_eq!(shown(&elsewhere, &link).await, "BAD_PREVIEW", "another site has another key");
}

#[tokio::test]
async fn revoking_previews_ends_all_links_and_new_links_work() {
    let site = site().await;
    let old = link(&site, 1).await;
    let revoke = "mutation { revokePreviews { revokedAt userErrors { code } } }";
    let editor = site.token(Role::Editor, None).await;
    assert_eq!(site.ask_as(Some(&editor), revoke).await["errors"][0]["extensions"]["code"], "FORBIDDEN");
    assert_eq!(shown(&site, &old).await, "Post 1");
    assert_eq!(site.ask_as(Some(EDITOR_TOKEN), revoke).await.get("errors"), None);
    assert_eq!(shown(&site, &old).await, "BAD_PREVIEW");
    assert_eq!(shown(&site, &link(&site, 1).await).await, "Post 1");
    site.assert_sound().await;
}

#[tokio::test]
async fn creating_a_link_requires_the_right_to_change_the_post() {
    let site = site().await;
    let code = |answer: Value| {
        let of =
            [&answer["errors"][0]["extensions"]["code"], &answer["data"]["createPreview"]["userErrors"][0]["code"]];
        of.into_iter().find_map(Value::as_str).unwrap_or("done").to_owned()
    };
    let ada = site.token(Role::Author, Some("ada")).await;
    let reader = site.token(Role::Reader, None).await;
    let editor = site.token(Role::Editor, None).await;
    for (token, number, expected) in [
        (&reader, 1, "FORBIDDEN"),
        (&ada, 1, "done"),
        (&ada, 2, "NOT_FOUND"),
        (&ada, 3, "FORBIDDEN"),
        (&ada, 9, "NOT_FOUND"),
        (&editor, 2, "done"),
        (&editor, 3, "done"),
    ] {
        assert_eq!(code(create(&site, token, number, "").await), expected, "{number}");
    }
    for minutes in ["0", "-1", "43201"] {
        let answer = create(&site, &editor, 1, &format!(", expiresInMinutes: {minutes}")).await;
        let errors = &answer["data"]["createPreview"]["userErrors"];
        assert_eq!(*errors, json!([{ "code": "INVALID", "field": ["input", "expiresInMinutes"] }]), "{minutes}");
    }
    let nobody =
        site.ask_as(None, "mutation { createPreview(input: { contentId: \"x\" }) { preview { token } } }").await;
    assert_eq!(nobody["errors"][0]["extensions"]["code"], "UNAUTHENTICATED");
}

/// The token of a link as a bearer token: the queries of the site's own pages show the one draft, and nothing else changes.
#[tokio::test]
async fn the_document_of_the_site_shows_the_draft_to_a_bearer_of_its_preview_token() {
    let site = site().await;
    let mut scheduled = post(4, instant("2030-01-01T00:00:00Z"));
    scheduled.post.authors = slugs(&["ada"]);
    site.publish(&[scheduled]).await;
    for (number, status) in [(1, "DRAFT"), (4, "SCHEDULED"), (3, "PUBLISHED")] {
        let token = link(&site, number).await;
        let id = format!("post-{}", post(number, instant("2030-01-01T00:00:00Z")).post.id);
        let page = "status body { markdown html } authors { slug }";
        let query = format!(
            "{{ post(slug: \"post-{number}\") {{ id {page} newer {{ id }} }} node(id: \"{id}\") {{ ... on Post {{ {page} }} }} }}"
        );
        let answer = site.ask_as(Some(&token), &query).await;
        assert_eq!(answer.get("errors"), None, "{number}: {answer}");
        let [by_slug, by_id] = ["post", "node"].map(|field| &answer["data"][field]);
        assert_eq!(
            (&by_slug["id"], &by_slug["status"], &by_id["status"]),
            (&json!(id), &json!(status), &json!(status))
        );
        assert_eq!(by_slug["body"]["markdown"], format!("Post {number}, *in full*.\n"));
        assert_eq!(by_slug["body"], by_id["body"]);
    }
}

#[tokio::test]
async fn a_bearer_of_a_preview_token_sees_nothing_else() {
    let site = site().await;
    site.publish(&[post(4, instant("2030-01-01T00:00:00Z"))]).await;
    let token = link(&site, 1).await;
    let (other, scheduled) = (id(2), format!("post-{}", post(4, instant("2030-01-01T00:00:00Z")).post.id));
    let of_post = "id slug title";
    let queries = [
        format!("{{ posts {{ totalCount nodes {{ {of_post} newer {{ id }} older {{ id }} }} }} }}"),
        format!("{{ posts(filter: {{ authors: {{ any: [\"ada\"] }} }}) {{ totalCount nodes {{ {of_post} }} }} }}"),
        format!("{{ author(slug: \"ada\") {{ name postCount posts {{ totalCount nodes {{ {of_post} }} }} }} }}"),
        "{ archive { year month postCount } authors { totalCount nodes { slug postCount } } }".to_owned(),
        format!(
            "{{ a: post(slug: \"post-2\") {{ id }} b: node(id: \"{other}\") {{ id }} c: node(id: \"{scheduled}\") {{ id }} }}"
        ),
        format!("{{ nodes(ids: [\"{other}\", \"{scheduled}\", \"{}\"]) {{ id }} }}", id(3)),
        "{ draftPosts { totalCount } }".to_owned(),
        "{ scheduledPosts { totalCount } }".to_owned(),
        "{ tokens { totalCount } }".to_owned(),
        "{ auditLog { nodes { id } } }".to_owned(),
        "{ viewer { name } }".to_owned(),
        format!("mutation {{ deletePost(input: {{ id: \"{}\", expectedVersion: 1 }}) {{ deletedId }} }}", id(1)),
        format!("mutation {{ createPreview(input: {{ contentId: \"{}\" }}) {{ preview {{ token }} }} }}", id(1)),
    ];
    for query in queries {
        assert_eq!(site.ask_as(Some(&token), &query).await, site.ask_as(None, &query).await, "{query}");
    }
    // The earlier versions of the draft need a role.
    let answer = site.ask_as(Some(&token), "{ post(slug: \"post-1\") { revisions { nodes { version } } } }").await;
    assert_eq!(answer["data"]["post"]["revisions"], Value::Null, "{answer}");
}

#[tokio::test]
async fn an_invalid_preview_token_in_the_header_refuses_the_whole_request() {
    let site = site().await;
    let token = link(&site, 1).await;
    let code = async |token: &str| {
        let answer = site.ask_as(Some(token), "{ posts { totalCount } }").await;
        assert!(answer.get("data").is_none(), "{answer}");
        answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(code("tdp_").await, "BAD_PREVIEW");
    assert_eq!(code(&format!("{token}A")).await, "BAD_PREVIEW");
    site.clock.set(instant("2026-06-15T12:30:00Z"));
    assert_eq!(code(&token).await, "PREVIEW_EXPIRED");
    site.clock.set(instant("2026-06-15T12:00:00Z"));
    site.ask_as(Some(EDITOR_TOKEN), "mutation { revokePreviews { revokedAt } }").await;
    assert_eq!(code(&token).await, "BAD_PREVIEW");
}

/// The other server has the key in its cache, and reads it again at once for a link that the cached key has not signed.
#[tokio::test]
async fn links_that_one_server_revokes_are_refused_by_another_in_time_and_a_new_one_is_shown_at_once() {
    let site = site().await;
    let seen_within = Duration::from_millis(50);
    let shared = Sharing::Shared { seen_within };
    let content = Content::open(Arc::clone(&site.store), site.clock.clone(), shared).await.expect("the content opens");
    let other = Site { content, store: Arc::clone(&site.store), clock: site.clock.clone() };
    let revoke = "mutation { revokePreviews { revokedAt } }";
    let revoked = link(&site, 1).await;
    assert_eq!(shown(&other, &revoked).await, "Post 1");
    site.ask_as(Some(EDITOR_TOKEN), revoke).await;
    tokio::time::sleep(seen_within * 2).await;
    let by_header = other.ask_as(Some(&revoked), "{ posts { totalCount } }").await;
    assert_eq!(by_header["errors"][0]["extensions"]["code"], "BAD_PREVIEW");
    assert_eq!(shown(&other, &revoked).await, "BAD_PREVIEW");
    site.ask_as(Some(EDITOR_TOKEN), revoke).await;
    assert_eq!(shown(&other, &link(&site, 1).await).await, "Post 1");
}
