//! JSON Feed 1.1. The rule: its entries contain the same information as those of Atom.

use chrono::SecondsFormat;
use serde_json::{Value, json};

use super::content::{Feed, Post};
use super::links::Links;

pub(super) fn write(feed: &Feed<'_>, links: &Links<'_>) -> Vec<u8> {
    let mut written = json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.page,
        "feed_url": feed.address,
        "items": feed.posts.iter().map(|post| item(post, links)).collect::<Vec<_>>(),
    });
    if let Some(description) = feed.description {
        written["description"] = json!(description);
    }
    if let Some(language) = &links.site.language {
        written["language"] = json!(language);
    }
    serde_json::to_vec(&written).expect("its keys are texts")
}

fn item(post: &Post, links: &Links<'_>) -> Value {
    let instant = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    let authors = post.authors.iter().map(|author| json!({ "name": author.name, "url": links.author_page(author) }));
    let mut written = json!({
        "id": links.id(post),
        "url": links.post(post),
        "title": post.title,
        "summary": post.excerpt,
        "date_published": instant(post.published_at),
        "date_modified": instant(post.changed_at()),
        "authors": authors.collect::<Vec<_>>(),
        "tags": post.categories.iter().chain(&post.tags).map(|term| &term.name).collect::<Vec<_>>(),
    });
    if let Some(language) = &post.language {
        written["language"] = json!(language);
    }
    // An item must have a content.
    match &post.body {
        Some(body) => written["content_html"] = json!(links.absolute_body(post, &body.html)),
        None => written["content_text"] = json!(post.excerpt),
    }
    written
}
