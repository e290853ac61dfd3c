//! What readers see of a whole site, compared with the model. The rule: it reads through GraphQL, list by list, because `check` does not.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tidings::model::Instant;

use crate::support::model::{Model, ModelPost, ModelTag};
use crate::support::site::Site;

/// Asserts that every list, count and permalink shows what the model says.
pub async fn assert_shown(site: &Site, model: &Model) {
    site.invalidate_cached();
    let now = site.clock.now();
    let posts = visible(model, now);
    let fields = "slug title version tags { slug } body { markdown }";
    let nodes: Vec<Value> = posts.iter().map(|post| shown(model, post)).collect();
    let lists =
        format!("{{ posts(first: 100) {{ totalCount nodes {{ {fields} }} }} archive {{ year month postCount }} }}");
    let expected = json!({ "posts": { "totalCount": nodes.len(), "nodes": nodes }, "archive": archive(&posts) });
    assert_eq!(site.query(&lists).await, expected);
    let mut tags: Vec<(&String, &ModelTag)> = model.tags.iter().collect();
    tags.sort_by_key(|(_, tag)| &tag.slug);
    let tags: Vec<Value> = tags.into_iter().map(|(first, tag)| shown_tag(first, tag, &posts)).collect();
    let lists = "{ tags(first: 20) { totalCount nodes { slug name posts(first: 20) { totalCount nodes { slug } } } } }";
    assert_eq!(site.query(lists).await, json!({ "tags": { "totalCount": tags.len(), "nodes": tags } }));
    let slugs = model.posts.values().flat_map(|post| post.former_slugs.iter().chain([&post.slug]));
    for slug in slugs {
        let found = site.query(&format!("{{ post(slug: \"{slug}\") {{ {fields} }} }}")).await;
        let owner = model.owner(slug).map(|id| &model.posts[id]).filter(|post| is_visible(post, now));
        assert_eq!(found["post"], owner.map_or(Value::Null, |post| shown(model, post)), "{slug}");
    }
}

fn is_visible(post: &ModelPost, now: Instant) -> bool {
    post.published_at.is_some_and(|at| at <= now)
}

/// Newest first; posts of one instant in the order of their ids.
fn visible(model: &Model, now: Instant) -> Vec<&ModelPost> {
    let mut posts: Vec<_> = model.posts.iter().filter(|(_, post)| is_visible(post, now)).collect();
    posts.sort_by(|(a, one), (b, other)| other.published_at.cmp(&one.published_at).then(a.cmp(b)));
    posts.into_iter().map(|(_, post)| post).collect()
}

fn shown(model: &Model, post: &ModelPost) -> Value {
    let tags = post.tags.iter().filter_map(|first| model.tags.get(first));
    let tags: Vec<Value> = tags.map(|tag| json!({ "slug": tag.slug })).collect();
    json!({
        "slug": post.slug, "title": post.title, "version": post.version, "tags": tags,
        "body": { "markdown": post.markdown },
    })
}

fn shown_tag(first_slug: &String, tag: &ModelTag, posts: &[&ModelPost]) -> Value {
    let tagged = posts.iter().filter(|post| post.tags.contains(first_slug));
    let nodes: Vec<Value> = tagged.map(|post| json!({ "slug": post.slug })).collect();
    json!({ "slug": tag.slug, "name": tag.name, "posts": { "totalCount": nodes.len(), "nodes": nodes } })
}

fn archive(posts: &[&ModelPost]) -> Vec<Value> {
    let mut months: BTreeMap<_, u64> = BTreeMap::new();
    for month in posts.iter().filter_map(|post| post.published_at).map(Instant::month) {
        *months.entry((month.year(), month.month())).or_default() += 1;
    }
    let rows = months.iter().rev();
    rows.map(|((year, month), posts)| json!({ "year": year, "month": month, "postCount": posts })).collect()
}
