//! Feeds and the sitemap, read by other libraries: what they say equals what GraphQL answers.

mod addresses;
mod formats;
mod markdown;
mod served;
mod sitemap;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use tidings::config::{ServeSettings, Sources, table};
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::http::health::Readiness;
use tidings::http::{HttpLimits, HttpSettings, Writes, router};
use tidings::model::Enclosure;

use super::cached::{HOLDING, Sent, send};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post, slug, slugs};

const ADDRESS: &str = "https://blog.example/";

/// The settings of a web site: the address, and these keys without their section.
pub(in crate::graphql) fn settings(more: &[(&str, &str)]) -> HttpSettings {
    let named: BTreeMap<&str, &str> = more.iter().copied().chain([("url", ADDRESS)]).collect();
    let setting = |key: &str| table::all().into_iter().find(|setting| setting.key == format!("site.{key}"));
    let typed = named.iter().map(|(key, value)| (setting(key).expect("a setting"), vec![(*value).to_owned()]));
    let sources = Sources::read(None).expect("no file");
    let settings = ServeSettings::of(&sources.with(typed.collect())).expect("valid settings");
    let limits = HttpLimits { answer_cache_bytes: HOLDING, ..HttpLimits::default() };
    HttpSettings {
        limits,
        site: settings.serving.http.site,
        feeds: settings.serving.http.feeds,
        ..HttpSettings::default()
    }
}

pub(in crate::graphql) fn serve(site: &Site, settings: HttpSettings) -> Router {
    let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
    let sign_in = SignIn { editor_token, ..SignIn::default() };
    let service = ContentService::new(site.content.clone(), STORAGE_REQUESTS_MAX).with_sign_in(sign_in);
    let service = service.with_site(Arc::clone(&settings.site));
    router(Arc::new(service), Readiness::new(async || Ok(None)), Writes::default(), settings)
}

pub(in crate::graphql) async fn get(router: &Router, path: &str) -> (Sent, bool) {
    send(router, Request::get(path).body(Body::empty()).expect("a request")).await
}

async fn text(router: &Router, path: &str) -> String {
    let (sent, _) = get(router, path).await;
    assert_eq!(sent.status(), 200, "{path}: {sent:?}");
    sent.text()
}

/// The path of a file of the site.
fn asset_path() -> String {
    format!("/assets/{}.ogg", "a".repeat(40))
}

/// A site of three posts: with what XML and JSON must escape, with terms, and plain.
async fn three_posts() -> Site {
    let site = Site::in_memory().await;
    let mut hostile = post(1, instant("2026-03-01T10:00:00Z"));
    hostile.post.title = "]]> <b>\"Tags\"</b> & 'more' \u{1f600} \u{1}\u{b}".to_owned();
    hostile.post.excerpt = "</entry> &amp; \u{fffe}".to_owned();
    hostile.markdown = "A [link](/relative) & `]]>`, \u{3b1} [x](#x) ![](a.png?b&c) [y](https://y.example/)\n\n<table><tr><td>x</td></tr></table>\n".into();
    let mut with_terms = post(2, instant("2026-04-01T10:00:00Z"));
    with_terms.post.authors = slugs(&["ada", "grace"]);
    with_terms.post.categories = slugs(&["field-notes"]);
    with_terms.post.tags = slugs(&["moon", "deep-sky"]);
    with_terms.post.series = Some(slug("walks"));
    with_terms.post.enclosure = Enclosure::of("https://cdn.example/a.mp3?b&c", Some(9), None).ok();
    with_terms.post.language = "pt-BR".parse().ok();
    let draft = {
        let mut draft = post(4, instant("2026-05-01T10:00:00Z"));
        draft.post.published_at = None;
        draft
    };
    let scheduled = post(5, instant("2027-01-01T10:00:00Z"));
    let mut plain = post(3, instant("2026-03-02T10:00:00Z"));
    plain.post.enclosure = Enclosure::of(&asset_path(), Some(7), None).ok();
    site.publish(&[hostile, with_terms, plain, draft, scheduled]).await;
    site
}

async fn rename_tag(site: &Site, slug: &str, new: &str) {
    let mutation = format!("mutation {{ updateTag(input: {{ @tag({slug}), slug: \"{new}\" }}) {{ tag {{ slug }} }} }}");
    let answer = site.mutate(&mutation, serde_json::json!({}), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(answer["data"]["updateTag"]["tag"]["slug"], new, "{answer}");
}
