//! The headers of answers for a CDN. The rule: only an answer that everyone gets may be cached, and its tags show nothing that it does not show.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use tidings::http::cdn::TAG_BYTES_MAX;

use crate::graphql::cached::{By, Sent, request, send, server_with};
use crate::graphql::feeds;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{NOW, Site, instant, post, slug, slugs};

use super::{Changes, behind_cdn, settings};

const QUERY: &str = "{ post(slug: \"post-1\") { title tags { name } } posts(first: 3) { totalCount nodes { slug } } }";

async fn server_of_posts() -> (Site, Router) {
    let (site, router) = behind_cdn(Site::in_memory().await, &Arc::<Changes>::default(), TAG_BYTES_MAX);
    let mut tagged = post(1, instant("2026-05-01T00:00:00Z"));
    tagged.post.tags = slugs(&["a"]);
    site.publish(&[tagged]).await;
    (site, router)
}

async fn get(router: &Router, query: &str, headers: &[(&str, &str)]) -> Sent {
    let mut asked = request(By::Get, query);
    for (name, value) in headers {
        let name: axum::http::HeaderName = name.parse().expect("a name");
        asked.headers_mut().insert(name, value.parse().expect("a value"));
    }
    send(router, asked).await.0
}

fn caching(sent: &Sent) -> (Option<&str>, bool) {
    (sent.header("cache-control"), sent.header("surrogate-key").is_some())
}

#[tokio::test]
async fn an_answer_to_everyone_may_be_cached_by_a_cdn_and_no_other() {
    let (site, router) = server_of_posts().await;
    let fresh = get(&router, QUERY, &[]).await;
    assert_eq!(caching(&fresh), (Some("public, max-age=0, s-maxage=1200"), true));
    let tags = fresh.header("surrogate-key").expect("tags");
    assert!(tags.starts_with("tidings ") && tags.split(' ').count() > 5, "{tags}");
    let cached = get(&router, QUERY, &[]).await;
    assert_eq!(cached, fresh, "from the cached answer");
    let tag = fresh.header("etag").expect("an entity tag");
    let unchanged = get(&router, QUERY, &[("if-none-match", tag)]).await;
    assert_eq!((unchanged.status(), caching(&unchanged)), (304, caching(&fresh)));
    let token = format!("Bearer {EDITOR_TOKEN}");
    for private in [("authorization", token.as_str()), ("graphql-cost", "report"), ("graphql-explain", "report")] {
        let sent = get(&router, QUERY, &[private]).await;
        assert_eq!(caching(&sent), (Some("no-store"), false), "{private:?}: {}", sent.text());
    }
    let changes = get(&router, "{ changes { changes { slug } } }", &[]).await;
    assert_eq!(caching(&changes), (Some("no-cache"), false), "{}", changes.text());
    for wrong in ["{ posts(first: 1000) { totalCount } }", "{ node(id: \"post-1\") { id } nothing }", "{"] {
        let sent = get(&router, wrong, &[]).await;
        assert!(sent.header("cache-control").is_some_and(|value| value.starts_with("no-")), "{wrong}");
        assert_eq!(sent.header("surrogate-key"), None, "{wrong}");
    }
    let (posted, _) = send(&router, request(By::Post, QUERY)).await;
    assert_eq!(caching(&posted), (None, false));
    drop(site);
}

#[tokio::test]
async fn an_answer_is_not_cached_beyond_the_instant_of_the_next_scheduled_post() {
    let (site, router) = server_of_posts().await;
    site.publish(&[post(2, instant("2026-06-15T12:00:09.500Z"))]).await;
    let ask = async |at: &str| {
        site.clock.set(instant(at));
        get(&router, QUERY, &[]).await.header("cache-control").expect("a header").to_owned()
    };
    assert_eq!(ask(NOW).await, "public, max-age=0, s-maxage=9");
    assert_eq!(ask("2026-06-15T12:00:05Z").await, "public, max-age=0, s-maxage=4", "from the cached answer");
    assert_eq!(ask("2026-06-15T12:00:09Z").await, "no-cache");
    assert_eq!(ask("2026-06-15T12:00:10Z").await, "public, max-age=0, s-maxage=1200");
}

#[tokio::test]
async fn the_tags_of_a_hidden_post_are_those_of_a_post_that_never_existed() {
    let (site, router) = server_of_posts().await;
    let mut draft = post(7, instant("2026-05-02T00:00:00Z"));
    (draft.post.published_at, draft.post.former_slugs) = (None, slugs(&["former-7"]));
    draft.post.slug = slug("draft-7");
    let mut scheduled = post(8, instant("2027-01-01T00:00:00Z"));
    scheduled.post.former_slugs = slugs(&["former-8"]);
    let hidden = [draft.post.id.to_string(), scheduled.post.id.to_string()];
    site.publish(&[draft, scheduled]).await;
    let absent = get(&router, "{ post(slug: \"absent\") { id } }", &[]).await;
    assert_eq!(absent.json()["data"]["post"], serde_json::Value::Null);
    for slug in ["draft-7", "former-7", "post-8", "former-8"] {
        let sent = get(&router, &format!("{{ post(slug: \"{slug}\") {{ id }} }}"), &[]).await;
        assert_eq!(sent, absent, "{slug}");
    }
    let absent = get(&router, "{ node(id: \"post-000000000001\") { id } }", &[]).await;
    for id in hidden {
        let sent = get(&router, &format!("{{ node(id: \"post-{id}\") {{ id }} }}"), &[]).await;
        assert_eq!(sent, absent, "{id}");
    }
}

#[tokio::test]
async fn what_a_preview_link_shows_is_private() {
    let (site, router) = server_of_posts().await;
    let id = site.query("{ post(slug: \"post-1\") { id } }").await["post"]["id"].clone();
    let query = "mutation($id: ID!) { createPreview(input: { contentId: $id }) { preview { token } } }";
    let made = site.mutate(query, serde_json::json!({ "id": id }), Some(EDITOR_TOKEN)).await.body;
    let link = &made["data"]["createPreview"]["preview"]["token"];
    for link in [link.as_str().expect("a link"), "wrong"] {
        let sent = get(&router, &format!("{{ preview(token: \"{link}\") {{ title }} }}"), &[]).await;
        assert_eq!(caching(&sent), (Some("no-store"), false), "{}", sent.text());
    }
}

#[tokio::test]
async fn a_feed_may_be_cached_with_the_tags_of_its_posts_and_a_sitemap_not() {
    let changes = Arc::<Changes>::default();
    let (site, _) = behind_cdn(Site::in_memory().await, &changes, TAG_BYTES_MAX);
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let of_site = feeds::settings(&[]);
    let router = feeds::serve(&site, tidings::http::HttpSettings { cdn: settings(TAG_BYTES_MAX).cdn, ..of_site });
    let (fresh, _) = feeds::get(&router, "/feed.xml").await;
    assert_eq!(caching(&fresh), (Some("public, max-age=0, s-maxage=1200"), true));
    assert_eq!(caching(&feeds::get(&router, "/feed.xml").await.0), caching(&fresh), "from the cached feed");
    assert!(!caching(&feeds::get(&router, "/sitemap.xml").await.0).1);
    let tags = fresh.header("surrogate-key").expect("tags").split(' ').map(str::to_owned).collect();
    changes.take(site.clock.now());
    site.publish(&[post(2, instant("2026-05-02T00:00:00Z"))]).await;
    let purged = changes.take(site.clock.now()).expect("the tags of a post of the past");
    assert!(!purged.is_disjoint(&tags), "{purged:?} {tags:?}");
}

#[tokio::test]
async fn the_feed_of_a_series_is_purged_when_a_post_of_the_series_changes() {
    let changes = Arc::<Changes>::default();
    let (site, _) = behind_cdn(Site::in_memory().await, &changes, TAG_BYTES_MAX);
    let of_series = |number| {
        let mut whole = post(number, instant(&format!("2026-05-0{number}T00:00:00Z")));
        whole.post.series = Some(slug("walks"));
        whole
    };
    site.publish(&[of_series(1), post(3, instant("2026-05-03T00:00:00Z"))]).await;
    let of_site = feeds::settings(&[]);
    let router = feeds::serve(&site, tidings::http::HttpSettings { cdn: settings(TAG_BYTES_MAX).cdn, ..of_site });
    let (fresh, _) = feeds::get(&router, "/series/walks/feed.xml").await;
    assert_eq!(caching(&fresh), (Some("public, max-age=0, s-maxage=1200"), true));
    let tags = fresh.header("surrogate-key").expect("tags").split(' ').map(str::to_owned).collect();
    changes.take(site.clock.now());
    site.publish(&[of_series(2)]).await;
    let purged = changes.take(site.clock.now()).expect("the tags of a post of the past");
    assert!(!purged.is_disjoint(&tags), "{purged:?} {tags:?}");
}

#[tokio::test]
async fn without_the_setting_every_cache_asks_each_time() {
    let (site, _) = server_of_posts().await;
    let router = server_with(site.content.clone(), tidings::http::HttpSettings::default());
    assert_eq!(caching(&get(&router, QUERY, &[]).await), (Some("no-cache"), false));
    assert!(settings(100).cdn.is_some());
    let asked = Request::get("/healthz").body(Body::empty()).expect("a request");
    assert_eq!(send(&router, asked).await.0.header("surrogate-key"), None);
}
