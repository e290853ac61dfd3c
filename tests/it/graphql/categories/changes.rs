//! Changes of the parent of a category, one after the other.

use serde_json::{Value, json};
use tidings::model::TermKind;

use super::{change, create, delete, error, mutate, place, refused, sites, slugs_of, tree};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{instant, post, slugs};

#[tokio::test]
async fn a_category_is_created_below_another_moved_and_made_one_of_the_top() {
    for site in sites().await {
        let [news, world] = [create(&site, "news", None).await, create(&site, "world", None).await];
        create(&site, "local", Some(&news)).await;
        assert_eq!(tree(&site).await, ["local < news", "news", "world"]);
        let moved = place(&site, "local", &world).await;
        assert_eq!((&moved["category"]["parent"]["slug"], &moved["category"]["version"]), (&json!("world"), &json!(2)));
        let again = place(&site, "local", &world).await;
        assert_eq!(again["category"]["version"], json!(2), "nothing is changed");
        // Those below it move with it.
        place(&site, "world", &news).await;
        assert_eq!(tree(&site).await, ["local < world", "news", "world < news"]);
        let alone = place(&site, "local", &Value::Null).await;
        assert_eq!((&alone["category"]["parent"], &alone["category"]["version"]), (&Value::Null, &json!(3)));
        let same = change(&site, "world", json!({ "name": "The world" })).await;
        assert_eq!(same["category"]["parent"]["slug"], json!("news"), "an omitted field stays unchanged");
        assert_eq!(tree(&site).await, ["local", "news", "world < news"]);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_category_cannot_be_below_itself_or_deeper_than_ten_levels() {
    for site in sites().await {
        let mut ids = vec![create(&site, "c0", None).await];
        for level in 1..10 {
            let next = create(&site, &format!("c{level}"), ids.last()).await;
            ids.push(next);
        }
        let before = tree(&site).await;
        for below in &ids[..4] {
            assert_eq!(refused(&place(&site, "c0", below).await), error("INVALID", "parentId"));
        }
        let new = json!({ "name": "deep", "parentId": ids[9] });
        assert_eq!(refused(&mutate(&site, "createCategory", new).await), error("TOO_LARGE", "parentId"));
        create(&site, "other", None).await;
        let other = site.named(TermKind::Category, "other").await.0;
        assert_eq!(refused(&place(&site, "c0", &json!(other)).await), error("TOO_LARGE", "parentId"));
        for nothing in ["category-000000000000bmV3cw", "post-000000000000", "x"] {
            assert_eq!(
                refused(&place(&site, "c1", &json!(nothing)).await),
                error("NOT_FOUND", "parentId"),
                "{nothing}"
            );
        }
        delete(&site, "other").await;
        assert_eq!(tree(&site).await, before);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn all_reasons_are_reported_together() {
    for site in sites().await {
        create(&site, "news", None).await;
        create(&site, "world", None).await;
        let bad = json!({ "parentId": "x", "slug": "news", "name": " " });
        let payload = change(&site, "world", bad).await;
        let fields: Vec<String> =
            refused(&payload).into_iter().map(|(code, field)| format!("{field} {code}")).collect();
        assert_eq!(fields, ["parentId NOT_FOUND", "name INVALID", "slug TAKEN"], "{payload}");
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_category_that_has_others_below_it_is_not_deleted() {
    for site in sites().await {
        let news = create(&site, "news", None).await;
        create(&site, "a", Some(&news)).await;
        create(&site, "b", Some(&news)).await;
        let payload = delete(&site, "news").await;
        assert_eq!(refused(&payload), error("IN_USE", "id"));
        assert_eq!(payload["userErrors"][0]["usedByCount"], json!(2));
        assert_eq!(refused(&delete(&site, "a").await), []);
        place(&site, "b", &Value::Null).await;
        assert_eq!(refused(&delete(&site, "news").await), []);
        assert_eq!(tree(&site).await, ["b"]);
        // Its slug is free again, and the new category has nothing below it.
        create(&site, "news", None).await;
        assert_eq!(tree(&site).await, ["b", "news"]);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn the_parent_changes_no_list_of_posts_and_a_rename_changes_no_parent() {
    for site in sites().await {
        let mut one = post(1, instant("2026-05-01T00:00:00Z"));
        one.post.categories = slugs(&["inner"]);
        site.publish(&[one]).await;
        let outer = create(&site, "outer", None).await;
        place(&site, "inner", &outer).await;
        let query = "{ category(slug: \"outer\") { slug postCount posts { totalCount } children { nodes { slug postCount } } } }";
        let expected = json!({
            "category": { "slug": "outer", "postCount": 0, "posts": { "totalCount": 0 }, "children": { "nodes": [{ "slug": "inner", "postCount": 1 }] } }
        });
        assert_eq!(site.query(query).await, expected);
        change(&site, "outer", json!({ "slug": "around" })).await;
        change(&site, "inner", json!({ "slug": "zero" })).await;
        assert_eq!(tree(&site).await, ["around", "zero < around"]);
        create(&site, "alpha", Some(&outer)).await;
        let data = site.query("{ category(slug: \"outer\") { children { nodes { slug } } } }").await;
        assert_eq!(slugs_of(&data["category"]["children"]["nodes"]), ["alpha", "zero"]);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_change_of_the_parent_is_in_the_feed_and_in_the_audit_log() {
    for site in sites().await {
        let news = create(&site, "news", None).await;
        create(&site, "local", None).await;
        let position = site.query("{ changes { endCursor } }").await["changes"]["endCursor"].clone();
        site.clock.set(instant("2026-06-15T12:00:01Z"));
        place(&site, "local", &news).await;
        let query = "query($after: String) { changes(after: $after) { changes { slug actions version } } }";
        let data = site.query_with(query, json!({ "after": position })).await;
        let changed = json!([{ "slug": "local", "actions": ["UPDATED"], "version": 2 }]);
        assert_eq!(data["changes"]["changes"], changed);
        let log = site
            .ask_as(
                Some(EDITOR_TOKEN),
                "{ auditLog(first: 1) { nodes { actions ... on ContentAuditLogEntry { slug version } } } }",
            )
            .await;
        assert_eq!(log["data"]["auditLog"]["nodes"], changed, "{log}");
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn the_same_creation_with_a_parent_returns_the_category_again() {
    for site in sites().await {
        let news = create(&site, "news", None).await;
        let new = json!({ "name": "Local", "parentId": news, "idempotencyKey": "k" });
        let [one, other] =
            [mutate(&site, "createCategory", new.clone()).await, mutate(&site, "createCategory", new).await];
        assert_eq!(one, other);
        let another = json!({ "name": "Local", "idempotencyKey": "k" });
        assert_eq!(refused(&mutate(&site, "createCategory", another).await), error("TAKEN", "slug"));
        site.assert_sound().await;
    }
}
