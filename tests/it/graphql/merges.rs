//! Merges of categories, tags, authors and series. The rule: every post of the one has the other after it, once, and each slug of the one finds the other.

use serde_json::{Value, json};
use tidings::model::{TermKind, WholePost};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, instant, post, slugs};

const ERRORS: &str = "userErrors { code field message }";

async fn sites() -> [Site; 2] {
    [Site::over(MemoryStore::transactional()).await, Site::over(MemoryStore::empty()).await]
}

async fn mutate(site: &Site, mutation: &str) -> Value {
    let answer = site.mutate(&format!("mutation {{ done: {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(answer.get("errors"), None, "{mutation}: {answer}");
    answer["data"]["done"].clone()
}

/// The code of each error, and its path in the input.
fn refused(payload: &Value) -> Vec<String> {
    let path = |error: &Value| {
        let path = error["field"].as_array().into_iter().flatten().filter_map(Value::as_str);
        path.skip(1).collect::<Vec<_>>().join(".")
    };
    let errors = payload["userErrors"].as_array().expect("a list").iter();
    errors.map(|error| format!("{} {}", error["code"].as_str().unwrap_or_default(), path(error))).collect()
}

/// Posts with these tags: published ones, a scheduled one and a draft.
async fn filled(site: &Site, tags: &[&[&str]]) -> Vec<WholePost> {
    let mut wholes: Vec<WholePost> = (0..).zip(tags).map(|(n, _)| post(n, instant("2026-05-01T00:00:00Z"))).collect();
    for (whole, tags) in wholes.iter_mut().zip(tags) {
        whole.post.tags = slugs(tags);
        (whole.post.categories, whole.post.authors) = (slugs(&["news"]), slugs(&["ada", "bob"]));
        whole.post.series = slugs(&["walks"]).pop();
    }
    let last = wholes.len() - 1;
    wholes[last].post.published_at = None;
    wholes[last - 1].post.published_at = Some(instant("2099-01-01T00:00:00Z"));
    site.publish(&wholes).await;
    wholes
}

#[tokio::test]
async fn the_posts_of_a_tag_get_the_other_one_once_and_its_slugs_find_it() {
    for site in sites().await {
        let posts = filled(&site, &[&["x", "a"], &["a", "y", "b"], &["b"], &["a"], &["x", "a"]]).await;
        mutate(&site, &format!(r#"updateTag(input: {{ @tag(a), slug: "a2" }}) {{ {ERRORS} }}"#)).await;
        site.clock.set(instant("2026-06-15T12:30:00Z"));
        let merge = "mergeTags(input: { from: { @tag(a2) }, into: { @tag(b) } })";
        let from = site.named(TermKind::Tag, "a2").await.0;
        let merged = mutate(&site, &format!("{merge} {{ tag {{ slug version postCount }} {ERRORS} }}")).await;
        assert_eq!(merged, json!({ "tag": { "slug": "b", "version": 2, "postCount": 3 }, "userErrors": [] }));
        let query = "{ posts(orderBy: { field: PUBLISHED_AT, direction: ASC }) { nodes { tags { slug } version } } \
            first: tag(slug: \"a\") { slug } last: tag(slug: \"a2\") { slug posts { totalCount } } tags { totalCount } }";
        let found = site.query(query).await;
        let mut tags: Vec<Value> = found["posts"]["nodes"].as_array().expect("posts").clone();
        tags.sort_by_key(Value::to_string);
        let shown = |slugs: &[&str], version: i32| {
            let tags: Value = slugs.iter().map(|slug| json!({ "slug": slug })).collect();
            json!({ "tags": tags, "version": version })
        };
        let mut expected = [shown(&["x", "b"], 2), shown(&["y", "b"], 2), shown(&["b"], 1)];
        expected.sort_by_key(Value::to_string);
        assert_eq!(tags, expected);
        assert_eq!((&found["first"]["slug"], &found["last"]["slug"]), (&json!("b"), &json!("b")));
        assert_eq!((&found["last"]["posts"]["totalCount"], &found["tags"]["totalCount"]), (&json!(3), &json!(3)));
        let hidden = "{ draftPosts { nodes { tags { slug } } } scheduledPosts { nodes { tags { slug } } } \
            auditLog(first: 6) { nodes { actions ... on ContentAuditLogEntry { nodeType slug } } } }";
        let hidden = site.ask_as(Some(EDITOR_TOKEN), hidden).await["data"].clone();
        assert_eq!(hidden["draftPosts"]["nodes"], json!([{ "tags": [{ "slug": "x" }, { "slug": "b" }] }]));
        assert_eq!(hidden["scheduledPosts"]["nodes"], json!([{ "tags": [{ "slug": "b" }] }]));
        let recorded = hidden["auditLog"]["nodes"].as_array().expect("changes");
        let deleted = json!({ "nodeType": "Tag", "slug": "a2", "actions": ["DELETED"] });
        let updated = json!({ "nodeType": "Tag", "slug": "b", "actions": ["UPDATED"] });
        assert!(recorded.contains(&deleted) && recorded.contains(&updated), "{recorded:?}");
        assert_eq!(recorded.iter().filter(|change| change["nodeType"] == "Post").count(), 4, "{recorded:?}");
        assert_eq!(site.query(&format!("{{ node(id: {from:?}) {{ id }} }}")).await["node"], Value::Null);
        let restore = format!(
            "restoreRevision(input: {{ revisionId: \"revision-{}-1\", expectedVersion: 2 }})",
            posts[0].post.id
        );
        let restored = mutate(&site, &format!("{restore} {{ post {{ version tags {{ slug }} }} {ERRORS} }}")).await;
        let tags = json!([{ "slug": "x" }, { "slug": "b" }]);
        assert_eq!(restored["post"], json!({ "version": 2, "tags": tags }), "it is as it was, with the merged tag");
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn an_earlier_version_gets_the_tag_into_which_its_own_was_merged_whatever_the_slugs_are_since() {
    for site in sites().await {
        let posts = filled(&site, &[&["a"], &["d"], &["b"], &["b"]]).await;
        let id = |n: usize| &posts[n].post.id;
        let without_d = format!("updatePost(input: {{ id: \"post-{}\", expectedVersion: 1, tagSlugs: [] }})", id(1));
        mutate(&site, &format!("{without_d} {{ {ERRORS} }}")).await;
        for change in [
            "deleteTag(input: { @tag(d) })",
            "mergeTags(input: { from: { @tag(a) }, into: { @tag(b) } })",
            r#"updateTag(input: { @tag(b), slug: "a" })"#,
            r#"updateTag(input: { @tag(a), slug: "d" })"#,
            r#"updateTag(input: { @tag(d), slug: "a" })"#,
        ] {
            assert_eq!(refused(&mutate(&site, &format!("{change} {{ {ERRORS} }}")).await), [""; 0], "{change}");
        }
        let restore = |n: usize| {
            let input = format!("revisionId: \"revision-{}-1\", expectedVersion: 2", id(n));
            format!("restoreRevision(input: {{ {input} }}) {{ post {{ tags {{ slug }} }} {ERRORS} }}")
        };
        assert_eq!(mutate(&site, &restore(0)).await["post"]["tags"], json!([{ "slug": "a" }]));
        assert_eq!(refused(&mutate(&site, &restore(1)).await), ["NOT_FOUND revisionId"], "it was never merged");
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn categories_authors_and_series_are_merged_too() {
    for site in sites().await {
        filled(&site, &[&["a"], &["a"], &["a"]]).await;
        for (kind, from, into) in
            [("Category", "news", "notes"), ("Author", "ada", "bob"), ("Series", "walks", "talks")]
        {
            let (plural, field) = match kind {
                "Category" => ("Categories", "category"),
                "Author" => ("Authors", "author"),
                _ => ("Series", "series"),
            };
            if kind != "Author" {
                mutate(&site, &format!("create{kind}(input: {{ name: \"{into}\" }}) {{ {ERRORS} }}")).await;
            }
            let merge = format!(
                "merge{plural}(input: {{ from: {{ @{field}({from}) }}, into: {{ @{field}({into}) }} }}) {{ {field} {{ slug postCount }} {ERRORS} }}"
            );
            let merged = mutate(&site, &merge).await;
            assert_eq!(merged, json!({ field: { "slug": into, "postCount": 1 }, "userErrors": [] }), "{merge}");
            let found = site.query(&format!("{{ {field}(slug: \"{from}\") {{ slug }} }}")).await;
            assert_eq!(found[field]["slug"], into);
        }
        let found =
            site.query("{ posts { nodes { categories { slug } authors { slug } series { series { slug } } } } }").await;
        let one = json!({ "categories": [{ "slug": "notes" }], "authors": [{ "slug": "bob" }], "series": { "series": { "slug": "talks" } } });
        assert_eq!(found["posts"]["nodes"], json!([one]));
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_merge_that_is_refused_changes_nothing() {
    for site in sites().await {
        filled(&site, &[&["a", "b"], &["a"], &["b"]]).await;
        let below = format!(
            r#"createCategory(input: {{ name: "Inner", parentId: "{}" }}) {{ {ERRORS} }}"#,
            site.named(TermKind::Category, "news").await.0
        );
        mutate(&site, &below).await;
        let before = site.query("{ tags { nodes { slug version postCount } } }").await;
        let (id, version) = site.named(TermKind::Tag, "a").await;
        let stale = format!("{{ id: {id:?}, expectedVersion: {} }}", version + 1);
        for (from, into, expected) in [
            (stale.as_str(), "{ @tag(b) }", "CONFLICT from.expectedVersion"),
            ("{ @tag(b) }", stale.as_str(), "CONFLICT into.expectedVersion"),
            ("{ @tag(a) }", "{ @tag(a) }", "INVALID into.id"),
            ("{ @tag(gone) }", "{ @tag(a) }", "NOT_FOUND from.id"),
            ("{ @tag(a) }", "{ @author(ada) }", "NOT_FOUND into.id"),
        ] {
            let payload =
                mutate(&site, &format!("mergeTags(input: {{ from: {from}, into: {into} }}) {{ {ERRORS} }}")).await;
            assert_eq!(refused(&payload), [expected]);
        }
        let merge = "mergeCategories(input: { from: { @category(news) }, into: { @category(inner) } })";
        let payload = mutate(&site, &format!("{merge} {{ {ERRORS} }}")).await;
        assert_eq!(refused(&payload), ["IN_USE from.id"]);
        assert_eq!(site.query("{ tags { nodes { slug version postCount } } }").await, before);
        site.assert_sound().await;
    }
}

/// An entry of the log on tables cannot hold the merge, so its posts are changed in groups before the tag.
#[tokio::test]
async fn a_tag_of_many_posts_is_merged() {
    for site in sites().await {
        filled(&site, &[&["a", "x"][..]; 300]).await;
        mutate(&site, &format!("createTag(input: {{ name: \"B\" }}) {{ {ERRORS} }}")).await;
        let merge = "mergeTags(input: { from: { @tag(a) }, into: { @tag(b) } })";
        let merged = mutate(&site, &format!("{merge} {{ tag {{ postCount }} {ERRORS} }}")).await;
        assert_eq!(merged, json!({ "tag": { "postCount": 298 }, "userErrors": [] }));
        let found =
            site.query("{ tag(slug: \"a\") { slug posts(first: 1) { totalCount } } tags { totalCount } }").await;
        assert_eq!(
            found,
            json!({ "tag": { "slug": "b", "posts": { "totalCount": 298 } }, "tags": { "totalCount": 2 } })
        );
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_tag_of_too_many_posts_is_refused() {
    let site = Site::in_memory().await;
    filled(&site, &[&["a"][..]; 1_001]).await;
    mutate(&site, &format!("createTag(input: {{ name: \"B\" }}) {{ {ERRORS} }}")).await;
    let merge = format!("mergeTags(input: {{ from: {{ @tag(a) }}, into: {{ @tag(b) }} }}) {{ {ERRORS} }}");
    assert_eq!(refused(&mutate(&site, &merge).await), ["TOO_LARGE from"]);
    site.assert_sound().await;
}
