//! Access rights as a table: the outcome of each action for each role. The rule: for a client without access to a post, every answer is the
//! same as if the post did not exist.

use serde_json::Value;
use tidings::model::{Role, WholePost};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post, slugs};

pub(super) const ADAS_DRAFT: u64 = 1;
const BOBS_DRAFT: u64 = 2;
pub(super) const BOBS_POST: u64 = 3;
const BOBS_SCHEDULED: u64 = 4;
const NEVER: u64 = 5;

/// A draft of each of two authors, and a published and a scheduled post of one of them.
fn posts() -> Vec<WholePost> {
    let at = "2026-05-01T00:00:00Z";
    let of = |number, author: &str, published_at: Option<&str>| {
        let mut whole = post(number, instant(published_at.unwrap_or(at)));
        whole.post.published_at = published_at.map(instant);
        whole.post.authors = slugs(&[author]);
        whole
    };
    vec![
        of(ADAS_DRAFT, "ada", None),
        of(BOBS_DRAFT, "bob", None),
        of(BOBS_POST, "bob", Some(at)),
        of(BOBS_SCHEDULED, "bob", Some("2030-01-01T00:00:00Z")),
    ]
}

pub(super) fn id(number: u64) -> String {
    format!("post-{}", post(number, instant("2026-05-01T00:00:00Z")).post.id)
}

pub(super) async fn site() -> Site {
    let site = Site::in_memory().await;
    site.publish(&posts()).await;
    site
}

/// The code of the first error or user error; otherwise `null` or `done`.
pub(super) fn outcome(answer: &Value) -> String {
    let field = answer["data"].as_object().and_then(|data| data.values().next()).unwrap_or(&Value::Null);
    let code = [&answer["errors"][0]["extensions"]["code"], &field["userErrors"][0]["code"]];
    let plain = if field.is_null() { "null" } else { "done" };
    code.into_iter().find_map(Value::as_str).unwrap_or(plain).to_owned()
}

pub(super) fn create(more: &str) -> String {
    format!(
        "mutation {{ createPost(input: {{ title: \"T\", markdown: \"\"{more} }}) {{ post {{ id }} userErrors {{ code }} }} }}"
    )
}

pub(super) fn change(mutation: &str, number: u64, more: &str) -> String {
    let answer = if mutation == "deletePost" { "deletedId" } else { "post { id }" };
    let id = id(number);
    format!(
        "mutation {{ {mutation}(input: {{ id: \"{id}\", expectedVersion: 1{more} }}) {{ {answer} userErrors {{ code }} }} }}"
    )
}

/// Each operation with its outcomes for an anonymous client, a reader, the author ada, an editor and an admin.
fn table() -> Vec<(String, [&'static str; 5])> {
    let node = |number| format!("{{ node(id: \"{}\") {{ id }} }}", id(number));
    let by_slug = |number: u64| format!("{{ post(slug: \"post-{number}\") {{ id body {{ markdown }} }} }}");
    let (none, no) = ("UNAUTHENTICATED", "FORBIDDEN");
    let (missing, yes) = ("NOT_FOUND", "done");
    let of_admins = [none, no, no, no, yes];
    vec![
        (node(ADAS_DRAFT), ["null", yes, yes, yes, yes]),
        (by_slug(ADAS_DRAFT), ["null", yes, yes, yes, yes]),
        (node(BOBS_DRAFT), ["null", yes, "null", yes, yes]),
        (by_slug(BOBS_DRAFT), ["null", yes, "null", yes, yes]),
        (by_slug(BOBS_SCHEDULED), ["null", yes, "null", yes, yes]),
        (node(BOBS_POST), [yes; 5]),
        (node(NEVER), ["null"; 5]),
        ("{ draftPosts { totalCount } }".to_owned(), [none, yes, yes, yes, yes]),
        ("{ scheduledPosts { totalCount } }".to_owned(), [none, yes, yes, yes, yes]),
        (create(""), [none, no, yes, yes, yes]),
        (create(", tagSlugs: [\"made-with-it\"], createMissingTags: true"), [none, no, yes, yes, yes]),
        (create(", authorSlugs: [\"ada\", \"bob\"]"), [none, no, yes, yes, yes]),
        (create(", authorSlugs: [\"bob\"]"), [none, no, no, yes, yes]),
        (create(", authorSlugs: []"), [none, no, no, yes, yes]),
        (change("updatePost", ADAS_DRAFT, ", title: \"New\""), [none, no, yes, yes, yes]),
        (change("updatePost", ADAS_DRAFT, ", authorSlugs: [\"bob\", \"ada\"]"), [none, no, yes, yes, yes]),
        (change("updatePost", ADAS_DRAFT, ", authorSlugs: [\"bob\"]"), [none, no, no, yes, yes]),
        (change("publishPost", ADAS_DRAFT, ""), [none, no, yes, yes, yes]),
        (change("deletePost", ADAS_DRAFT, ""), [none, no, yes, yes, yes]),
        (change("updatePost", BOBS_DRAFT, ", title: \"New\""), [none, no, missing, yes, yes]),
        (change("publishPost", BOBS_DRAFT, ""), [none, no, missing, yes, yes]),
        (change("deletePost", BOBS_SCHEDULED, ""), [none, no, missing, yes, yes]),
        (change("updatePost", BOBS_POST, ", title: \"New\""), [none, no, no, yes, yes]),
        (change("unpublishPost", BOBS_POST, ""), [none, no, no, yes, yes]),
        (change("deletePost", BOBS_POST, ""), [none, no, no, yes, yes]),
        (change("deletePost", NEVER, ""), [none, no, missing, missing, missing]),
        (
            "mutation { createTag(input: { slug: \"t\", name: \"t\" }) { tag { id } userErrors { code } } }".to_owned(),
            of_admins,
        ),
        (
            format!(
                "mutation {{ createPreview(input: {{ contentId: \"{}\" }}) {{ preview {{ token }} userErrors {{ code }} }} }}",
                id(ADAS_DRAFT)
            ),
            [none, no, yes, yes, yes],
        ),
        ("mutation { revokePreviews { revokedAt userErrors { code } } }".to_owned(), of_admins),
        (
            "mutation { deleteTag(input: { @tag(never) }) { deletedId userErrors { code } } }".to_owned(),
            [none, no, no, no, missing],
        ),
        (
            "mutation { createCategory(input: { slug: \"c\", name: \"c\" }) { category { id } userErrors { code } } }"
                .to_owned(),
            of_admins,
        ),
        (
            "mutation { createAuthor(input: { slug: \"new\", name: \"New\" }) { author { id } userErrors { code } } }"
                .to_owned(),
            of_admins,
        ),
        ("{ tokens { totalCount } }".to_owned(), of_admins),
        (
            "mutation { createToken(input: { name: \"N\", role: READER }) { secret userErrors { code } } }".to_owned(),
            of_admins,
        ),
        (
            "mutation { revokeToken(input: { id: \"token-000000000000\" }) { token { id } userErrors { code } } }"
                .to_owned(),
            [none, no, no, no, missing],
        ),
    ]
}

#[tokio::test]
async fn each_role_gets_the_outcomes_of_the_table() {
    for (query, expected) in table() {
        let mut found = Vec::new();
        for role in [None, Some(Role::Reader), Some(Role::Author), Some(Role::Editor), Some(Role::Admin)] {
            // A site for each, because most of these operations change it.
            let site = site().await;
            let token = match role {
                None => None,
                Some(role) => Some(site.token(role, (role == Role::Author).then_some("ada")).await),
            };
            found.push(outcome(&site.ask_as(token.as_deref(), &query).await));
            site.assert_sound().await;
        }
        assert_eq!(found, expected, "{query}");
    }
}

#[tokio::test]
async fn the_token_of_the_editor_token_setting_has_the_role_admin() {
    for (query, expected) in table() {
        let answer = site().await.ask_as(Some(EDITOR_TOKEN), &query).await;
        assert_eq!(outcome(&answer), expected[4], "{query}");
    }
}

/// Null, and no error: the answer is the same as for an id that never existed.
#[tokio::test]
async fn nodes_of_tokens_and_versions_need_their_roles() {
    let site = site().await;
    let kept = [ADAS_DRAFT, BOBS_DRAFT, BOBS_POST, BOBS_SCHEDULED];
    for number in kept {
        let revised = change("updatePost", number, ", title: \"New\"");
        assert_eq!(outcome(&site.ask_as(Some(EDITOR_TOKEN), &revised).await), "done");
    }
    let new = "mutation { createToken(input: { name: \"N\", role: READER }) { token { id } } }";
    let token = site.ask_as(Some(EDITOR_TOKEN), new).await["data"]["createToken"]["token"]["id"].clone();
    let version = |number, version| format!("{}-{version}", id(number).replace("post-", "revision-"));
    let mut ids: Vec<Value> = kept.iter().flat_map(|of| [1, 2, 3].map(|n| version(*of, n).into())).collect();
    ids.extend([version(NEVER, 1).into(), token, "token-000000000000".into()]);
    let query = format!("{{ nodes(ids: {}) {{ id }} }}", Value::from(ids.clone()));
    let preview =
        format!("mutation {{ createPreview(input: {{ contentId: \"{}\" }}) {{ preview {{ token }} }} }}", id(1));
    let preview = site.ask_as(Some(EDITOR_TOKEN), &preview).await["data"]["createPreview"]["preview"]["token"].clone();
    let (none, own, all) = (vec![], vec![0, 1], vec![0, 1, 3, 4, 6, 7, 9, 10]);
    let of_admins = [&all[..], &[13]].concat();
    let mut bearers = vec![(None, &none), (preview.as_str().map(str::to_owned), &none)];
    for (role, found) in [(Role::Reader, &all), (Role::Author, &own), (Role::Editor, &all), (Role::Admin, &of_admins)] {
        bearers.push((Some(site.token(role, (role == Role::Author).then_some("ada")).await), found));
    }
    for (bearer, found) in bearers {
        let answer = site.ask_as(bearer.as_deref(), &query).await;
        let expected = ids.iter().enumerate().map(|(i, id)| match found.contains(&i) {
            true => serde_json::json!({ "id": id }),
            false => Value::Null,
        });
        assert_eq!(answer, serde_json::json!({ "data": { "nodes": expected.collect::<Vec<_>>() } }), "{found:?}");
    }
}

/// Also for a wrong version: a conflict would reveal that the post exists.
#[tokio::test]
async fn an_author_cannot_distinguish_the_draft_of_another_from_a_missing_post() {
    let site = site().await;
    let ada = site.token(Role::Author, Some("ada")).await;
    for (mutation, more) in
        [("updatePost", ", title: \"New\""), ("publishPost", ""), ("unpublishPost", ""), ("deletePost", "")]
    {
        for version in ["expectedVersion: 1", "expectedVersion: 7"] {
            let ask = async |number| {
                let query = change(mutation, number, more)
                    .replace("expectedVersion: 1", version)
                    .replace("{ code }", "{ code message field }");
                site.ask_as(Some(&ada), &query).await
            };
            assert_eq!(ask(BOBS_DRAFT).await, ask(NEVER).await, "{mutation} {version}");
            assert_eq!(ask(BOBS_SCHEDULED).await, ask(NEVER).await, "{mutation} {version}");
        }
    }
}

/// For each role: its own author's draft, another author's post, and a category, tag or author.
#[tokio::test]
async fn viewer_can_update_is_what_the_mutations_allow() {
    let site = site().await;
    let query = "{ own: post(slug: \"post-1\") { viewerCanUpdate } other: post(slug: \"post-3\") { viewerCanUpdate } author(slug: \"ada\") { viewerCanUpdate } }";
    let cases = [
        (None, [Value::Null, false.into(), false.into()]),
        (Some(Role::Reader), [false, false, false].map(Value::from)),
        (Some(Role::Author), [true, false, false].map(Value::from)),
        (Some(Role::Editor), [true, true, false].map(Value::from)),
        (Some(Role::Admin), [true; 3].map(Value::from)),
    ];
    for (role, expected) in cases {
        let token = match role {
            None => None,
            Some(role) => Some(site.token(role, (role == Role::Author).then_some("ada")).await),
        };
        let data = site.ask_as(token.as_deref(), query).await["data"].take();
        let found = ["own", "other", "author"].map(|name| data[name]["viewerCanUpdate"].clone());
        assert_eq!(found, expected, "{role:?}");
    }
}

#[tokio::test]
async fn a_forbidden_error_names_the_required_role() {
    let site = site().await;
    let ada = site.token(Role::Author, Some("ada")).await;
    for (query, role) in [
        ("{ tokens { totalCount } }".to_owned(), "admin"),
        (change("deletePost", BOBS_POST, ""), "editor"),
        (create(", authorSlugs: [\"bob\"]"), "editor"),
    ] {
        let answer = site.ask_as(Some(&ada), &query).await;
        let message = answer["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.ends_with(&format!("the role {role} is required")), "{message}");
    }
}

#[tokio::test]
async fn a_post_created_with_an_author_token_has_that_author_by_default() {
    let site = site().await;
    let ada = site.token(Role::Author, Some("ada")).await;
    let query = "mutation { createPost(input: { title: \"T\", markdown: \"\" }) { post { authors { slug } } } }";
    let answer = site.ask_as(Some(&ada), query).await;
    assert_eq!(answer["data"]["createPost"]["post"]["authors"], serde_json::json!([{ "slug": "ada" }]));
}

/// A public list contains no hidden posts, also for a client that has access to them.
#[tokio::test]
async fn public_lists_are_the_same_for_everyone() {
    let site = site().await;
    let query = "{ posts { totalCount nodes { slug newer { slug } older { slug } } } archive { month postCount } \
                   authors { nodes { slug posts { totalCount nodes { slug } } } } \
                   a: posts(filter: { authors: { any: [\"ada\", \"bob\"] } }) { totalCount nodes { slug } } }";
    let open = site.ask_as(None, query).await;
    for role in Role::ALL {
        let token = site.token(role, (role == Role::Author).then_some("bob")).await;
        assert_eq!(site.ask_as(Some(&token), query).await, open, "{role}");
    }
}

/// The number of rows read would reveal posts that an author has no access to.
#[tokio::test]
async fn the_storage_cost_is_shown_only_to_roles_that_see_every_draft() {
    let site = site().await;
    for (role, is_shown) in [(Role::Reader, true), (Role::Author, false), (Role::Editor, true), (Role::Admin, true)] {
        let token = site.token(role, (role == Role::Author).then_some("ada")).await;
        let body = serde_json::json!({ "query": "{ posts { totalCount } }" }).to_string();
        for (header, extension) in [("GraphQL-Cost", "operationCost"), ("GraphQL-Explain", "explain")] {
            let request = crate::support::graphql::json_request("application/json").header(header, "report");
            let answer = site.send(request, Some(&token), body.clone()).await;
            assert_eq!(answer.body["extensions"].get(extension).is_some(), is_shown, "{role}");
        }
    }
}

/// A token refers to its author by id, so it stays valid after a rename.
#[tokio::test]
async fn a_token_of_a_renamed_author_keeps_its_access() {
    let site = site().await;
    let ada = site.token(Role::Author, Some("ada")).await;
    let rename = "mutation { updateAuthor(input: { @author(ada), slug: \"countess\" }) { author { slug } userErrors { code } } }";
    assert_eq!(outcome(&site.ask_as(Some(EDITOR_TOKEN), rename).await), "done");
    let own = "{ draftPosts { totalCount nodes { slug authors { slug } } } }";
    let expected =
        serde_json::json!({ "totalCount": 1, "nodes": [{ "slug": "post-1", "authors": [{ "slug": "countess" }] }] });
    assert_eq!(site.ask_as(Some(&ada), own).await["data"]["draftPosts"], expected);
    for query in [
        change("updatePost", ADAS_DRAFT, ", title: \"New\", authorSlugs: [\"countess\"]"),
        create(", authorSlugs: [\"countess\"]"),
        create(""),
    ] {
        assert_eq!(outcome(&site.ask_as(Some(&ada), &query).await), "done", "{query}");
    }
    assert_eq!(outcome(&site.ask_as(Some(&ada), &create(", authorSlugs: [\"bob\"]")).await), "FORBIDDEN");
}

/// Also for public content: the server does not treat the client as anonymous.
#[tokio::test]
async fn a_token_of_a_deleted_author_is_refused() {
    let site = site().await;
    let mutate = async |mutation: &str| {
        let answer =
            site.ask_as(Some(EDITOR_TOKEN), &format!("mutation {{ {mutation} {{ userErrors {{ code }} }} }}")).await;
        assert_eq!(outcome(&answer), "done", "{mutation}");
    };
    mutate("createAuthor(input: { slug: \"carl\", name: \"carl\" })").await;
    let token = site.token(Role::Author, Some("carl")).await;
    assert_eq!(outcome(&site.ask_as(Some(&token), "{ posts { totalCount } }").await), "done");
    mutate("deleteAuthor(input: { @author(carl) })").await;
    assert_eq!(outcome(&site.ask_as(Some(&token), "{ posts { totalCount } }").await), "UNAUTHENTICATED");
}
