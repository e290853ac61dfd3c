//! One change after the other, as a follower of everything and one of what is public get them.

use serde_json::{Value, json};
use tidings::model::Role;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, instant};
use crate::support::stores;

use super::follower::{Follower, POST, changes_answer, mutate, public_posts};

fn short(changes: &[Value]) -> Vec<String> {
    let of = |change: &Value| {
        let actions: Vec<&str> =
            change["actions"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        let former = change["formerSlug"].as_str().map(|slug| format!(" from {slug}")).unwrap_or_default();
        let (of, slug, version) = (&change["nodeType"], &change["slug"], &change["version"]);
        format!(
            "{} {}{former} v{version} {}",
            of.as_str().unwrap_or(""),
            slug.as_str().unwrap_or(""),
            actions.join("+")
        )
    };
    changes.iter().map(of).collect()
}

/// A mutation, what a follower of everything gets, and what a follower of what is public gets.
const STEPS: &[(&str, &[&str], &[&str])] = &[
    (
        r#"createPost(input: { title: "One", markdown: "x", tagSlugs: ["new"], createMissingTags: true })"#,
        &["Tag new v1 CREATED", "Post one v1 CREATED"],
        &["Tag new v1 CREATED"],
    ),
    (r#"updatePost(input: { @post, title: "Uno", slug: "uno" })"#, &["Post uno from one v2 UPDATED+RENAMED"], &[]),
    (r#"publishPost(input: { @post, publishAt: "2027-01-01T00:00:00Z" })"#, &["Post uno v3 SCHEDULED"], &[]),
    (r#"publishPost(input: { @post })"#, &["Post uno v4 PUBLISHED"], &["Post uno v4 PUBLISHED"]),
    (
        r#"updatePost(input: { @post, slug: "due" })"#,
        &["Post due from uno v5 RENAMED"],
        &["Post due from uno v5 RENAMED"],
    ),
    (r#"updatePost(input: { @post, excerpt: "E" })"#, &["Post due v6 UPDATED"], &["Post due v6 UPDATED"]),
    (r#"unpublishPost(input: { @post })"#, &["Post due v7 UNPUBLISHED"], &["Post due v7 UNPUBLISHED"]),
    (r#"updatePost(input: { @post, slug: "hidden" })"#, &["Post hidden from due v8 RENAMED"], &[]),
    (r#"publishPost(input: { @post })"#, &["Post hidden v9 PUBLISHED"], &["Post hidden v9 PUBLISHED"]),
    (
        r#"publishPost(input: { @post, publishAt: "2027-01-01T00:00:00Z" })"#,
        &["Post hidden v10 UNPUBLISHED+SCHEDULED"],
        &["Post hidden v10 UNPUBLISHED"],
    ),
    (r#"deletePost(input: { @post })"#, &["Post hidden v10 DELETED"], &[]),
    (
        r#"updateTag(input: { @tag(new), slug: "newer", name: "N" })"#,
        &["Tag newer from new v2 UPDATED+RENAMED"],
        &["Tag newer from new v2 UPDATED+RENAMED"],
    ),
    (r#"deleteTag(input: { @tag(newer) })"#, &["Tag newer v2 DELETED"], &["Tag newer v2 DELETED"]),
    (r#"createAuthor(input: { slug: "ada", name: "Ada" })"#, &["Author ada v1 CREATED"], &["Author ada v1 CREATED"]),
    (
        r#"createPost(input: { title: "Two", markdown: "x", publishAt: "2026-01-01T00:00:00Z" })"#,
        &["Post two v1 CREATED+PUBLISHED"],
        &["Post two v1 CREATED+PUBLISHED"],
    ),
    (r#"deletePost(input: { @post })"#, &["Post two v1 DELETED"], &["Post two v1 DELETED"]),
];

async fn assert_steps(site: &Site) {
    let (mut all, mut public) = (Follower::of_everything(site).await, Follower::of_the_public(site).await);
    // One that comes late gets the same.
    let (mut late, mut late_public) = (all.clone(), public.clone());
    let mut post = String::new();
    for (mutation, of_all, of_public) in STEPS {
        let is_of_post = mutation.contains("Post(");
        let returned = if is_of_post && !mutation.starts_with("delete") { POST } else { "userErrors { code message }" };
        let payload = mutate(site, &format!("{} {{ {returned} }}", mutation.replace("@post", &post))).await;
        if let (Some(id), Some(version)) = (payload["post"]["id"].as_str(), payload["post"]["version"].as_i64()) {
            post = format!("id: {id:?}, expectedVersion: {version}");
        }
        assert_eq!(short(&all.poll(site).await), *of_all, "{mutation}");
        assert_eq!(short(&public.poll(site).await), *of_public, "{mutation}");
        assert_eq!(public.public, public_posts(site).await, "{mutation}");
        // Nothing comes twice if nothing has failed.
        assert_eq!((all.poll(site).await, public.poll(site).await), (vec![], vec![]), "{mutation}");
    }
    assert_eq!(late.poll_by(site, 1).await, all.seen);
    assert_eq!(late_public.poll_by(site, 1).await, public.seen);
    site.assert_sound().await;
}

#[tokio::test]
async fn a_follower_gets_each_change_of_a_file() {
    assert_steps(&Site::in_memory().await).await;
}

#[tokio::test]
async fn a_follower_gets_each_change_of_tables() {
    assert_steps(&Site::over(MemoryStore::empty()).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_gets_each_change_in_azurite() {
    let subject = stores::azurite().await;
    assert_steps(&Site::over(subject.store.clone()).await).await;
}

#[tokio::test]
async fn the_roles_that_see_all_drafts_get_all_changes_and_others_those_of_what_is_public() {
    let site = Site::in_memory().await;
    mutate(&site, r#"createAuthor(input: { slug: "ada", name: "Ada" }) { userErrors { code message } }"#).await;
    let follower = Follower::of_the_public(&site).await;
    mutate(
        &site,
        &format!(r#"createPost(input: {{ title: "Secret", markdown: "x", authorSlugs: ["ada"] }}) {{ {POST} }}"#),
    )
    .await;
    for (role, author, sees) in [
        (Role::Reader, None, true),
        (Role::Author, Some("ada"), false),
        (Role::Editor, None, true),
        (Role::Admin, None, true),
    ] {
        let token = site.token(role, author).await;
        let body = changes_answer(&site, Some(&token), Some(&follower.position), 100).await;
        // The tokens of this test are changes too.
        let changes = body["data"]["changes"]["changes"].as_array().expect("a list").iter();
        let posts = changes.filter(|change| change["nodeType"] == "Post").count();
        assert_eq!(posts, usize::from(sees), "{role}: {body}");
    }
}

#[tokio::test]
async fn a_position_that_is_none_of_this_log_is_refused() {
    let (site, other) = (Site::in_memory().await, Site::in_memory().await);
    let elsewhere = Follower::of_everything(&other).await.position;
    let own = Follower::of_everything(&site).await.position;
    for (after, first, code) in [
        (elsewhere.as_str(), 20, "BAD_CURSOR"),
        ("", 20, "BAD_CURSOR"),
        ("MTIz", 20, "BAD_CURSOR"),
        (&own[..own.len() - 1], 20, "BAD_CURSOR"),
        (&own, 101, "BAD_USER_INPUT"),
    ] {
        let body = changes_answer(&site, Some(EDITOR_TOKEN), Some(after), first).await;
        assert_eq!(body["errors"][0]["extensions"]["code"], json!(code), "{after}");
    }
}

/// The answer depends on the time and has a position of its own, so it is never cached.
#[tokio::test]
async fn a_position_is_another_text_each_time() {
    let site = Site::in_memory().await;
    let mut positions = Vec::new();
    for _ in 0..3 {
        positions.push(Follower::of_the_public(&site).await.position);
    }
    positions.dedup();
    assert_eq!(positions.len(), 3);
    assert!(positions.iter().all(|text| text.len() == positions[0].len()));
}

#[tokio::test]
async fn a_page_of_no_changes_stays_where_it_is() {
    let site = Site::in_memory().await;
    let mut follower = Follower::of_everything(&site).await;
    mutate(&site, r#"createTag(input: { slug: "a", name: "A" }) { userErrors { code message } }"#).await;
    assert_eq!(follower.page(&site, 0).await, (vec![], true));
    assert_eq!(short(&follower.poll(&site).await), ["Tag a v1 CREATED"]);
    site.clock.set(instant("2026-06-15T12:00:10Z"));
    assert_eq!(follower.page(&site, 0).await, (vec![], false));
}
