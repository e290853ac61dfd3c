//! Changes of many posts. The rule: all of them are changed by one change, or none; an error names the post by its place in the input.

use serde_json::{Value, json};
use tidings::model::{Role, WholePost};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, instant, post, slug, slugs};

const ERRORS: &str = "userErrors { code field ... on ConflictError { current { ... on Post { version } } } }";

async fn sites() -> [Site; 2] {
    [Site::over(MemoryStore::transactional()).await, Site::over(MemoryStore::empty()).await]
}

/// Posts of the tags `a` and `b`, of ada; the last is a draft.
async fn filled(site: &Site, posts: u64) -> Vec<WholePost> {
    let mut wholes: Vec<WholePost> = (0..posts).map(|n| post(n, instant("2026-05-01T00:00:00Z"))).collect();
    for whole in &mut wholes {
        (whole.post.tags, whole.post.authors) = (slugs(&["a", "b"]), slugs(&["ada"]));
        whole.post.categories = slugs(&["news"]);
    }
    wholes.last_mut().expect("a post").post.published_at = None;
    site.publish(&wholes).await;
    wholes
}

fn of(wholes: &[WholePost], version: i32) -> Value {
    let named = |whole: &WholePost| json!({ "id": format!("post-{}", whole.post.id), "expectedVersion": version });
    wholes.iter().map(named).collect()
}

/// The payload of `updatePosts` or `deletePosts`.
async fn mutate(site: &Site, mutation: &str, input: Value) -> Value {
    let answer = match mutation {
        "deletePosts" => "deletedIds",
        _ => {
            "posts { id version status tags { slug } categories { slug } authors { slug } revisions(first: 1) { nodes { version } } }"
        }
    };
    let kind = format!("{}{}Input", mutation[..1].to_uppercase(), &mutation[1..]);
    let query = format!("mutation($input: {kind}!) {{ done: {mutation}(input: $input) {{ {answer} {ERRORS} }} }}");
    let answer = site.mutate(&query, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(answer.get("errors"), None, "{answer}");
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

/// The objects that were changed, the newest change first.
async fn changes(site: &Site) -> Value {
    let query = "{ auditLog(first: 100) { nodes { id actions ... on ContentAuditLogEntry { slug } } } }";
    site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["auditLog"]["nodes"].clone()
}

#[tokio::test]
async fn one_change_gives_many_posts_other_terms_and_publishes_them() {
    for site in sites().await {
        let posts = filled(&site, 3).await;
        let input = json!({
            "posts": of(&posts, 1), "addTagSlugs": ["new", "b"], "removeTagSlugs": ["a"], "createMissingTags": true,
            "removeCategorySlugs": ["news"], "authorSlugs": [], "publish": true,
        });
        site.clock.set(instant("2026-06-15T12:30:00Z"));
        let changed = mutate(&site, "updatePosts", input.clone()).await;
        assert_eq!(refused(&changed), Vec::<String>::new());
        for (found, whole) in changed["posts"].as_array().expect("posts").iter().zip(&posts) {
            assert_eq!(found["id"], format!("post-{}", whole.post.id));
            assert_eq!((&found["version"], &found["status"]), (&json!(2), &json!("PUBLISHED")));
            assert_eq!(found["tags"], json!([{ "slug": "b" }, { "slug": "new" }]));
            assert_eq!((&found["categories"], &found["authors"]), (&json!([]), &json!([])));
            assert_eq!(found["revisions"]["nodes"][0]["version"], 2);
        }
        let counts = site.query("{ a: tag(slug: \"a\") { postCount } new: tag(slug: \"new\") { postCount } }").await;
        assert_eq!(counts, json!({ "a": { "postCount": 0 }, "new": { "postCount": 3 } }));
        let recorded = changes(&site).await;
        let of_change =
            |number: usize| recorded[number]["id"].as_str().and_then(|id| id.rsplit_once('-')).expect("an id").0;
        assert!((0..4).all(|number| of_change(number) == of_change(0)) && of_change(4) != of_change(0), "{recorded}");
        let of_draft = json!(["UPDATED", "PUBLISHED"]);
        assert!((0..4).any(|number| recorded[number]["actions"] == of_draft), "{recorded}");
        site.assert_sound().await;

        let mut again = input;
        again["posts"] = of(&posts, 2);
        let same = mutate(&site, "updatePosts", again).await;
        assert_eq!((refused(&same), &same["posts"][0]["version"]), (vec![], &json!(2)), "nothing has changed");

        let deleted = mutate(&site, "deletePosts", json!({ "posts": of(&posts, 2) })).await;
        let ids: Value = posts.iter().map(|whole| json!(format!("post-{}", whole.post.id))).collect();
        assert_eq!((refused(&deleted), &deleted["deletedIds"]), (vec![], &ids));
        assert_eq!(site.query("{ posts { totalCount } }").await, json!({ "posts": { "totalCount": 0 } }));
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn if_one_post_is_refused_none_is_changed_and_the_errors_name_the_posts() {
    for site in sites().await {
        let posts = filled(&site, 3).await;
        let before = site.query("{ posts { nodes { slug version tags { slug } } } }").await;
        let named = |number: usize, version: i32| of(&posts[number..=number], version)[0].clone();
        let missing = json!({ "id": "post-0123456789ab", "expectedVersion": 1 });
        let all = of(&posts, 1);
        for (list, more, expected) in [
            (json!([named(0, 1), named(1, 2)]), json!({}), &["CONFLICT posts.1.expectedVersion"][..]),
            (json!([missing, named(1, 1)]), json!({}), &["NOT_FOUND posts.0.id"]),
            (json!([named(1, 1), named(0, 1), named(1, 1)]), json!({}), &["INVALID posts.2.id"]),
            (json!([]), json!({}), &["INVALID posts"]),
            (json!(vec![missing.clone(); 101]), json!({}), &["TOO_LARGE posts"]),
            (all.clone(), json!({ "addTagSlugs": ["gone"] }), &["NOT_FOUND addTagSlugs"]),
            (all.clone(), json!({ "removeTagSlugs": ["gone"] }), &["NOT_FOUND removeTagSlugs"]),
            (all.clone(), json!({ "removeCategorySlugs": ["gone"] }), &["NOT_FOUND removeCategorySlugs"]),
            (all.clone(), json!({ "addCategorySlugs": ["A b"] }), &["INVALID addCategorySlugs"]),
            (all.clone(), json!({ "authorSlugs": ["gone", "x"] }), &["NOT_FOUND authorSlugs", "NOT_FOUND authorSlugs"]),
            (all.clone(), json!({ "removeTagSlugs": vec!["a"; 101] }), &["TOO_LARGE removeTagSlugs"]),
            (all.clone(), json!({ "publish": false, "publishAt": "2026-05-01T00:00:00Z" }), &["INVALID publishAt"]),
        ] {
            let mut input = json!({ "posts": list, "addTagSlugs": ["b"], "removeTagSlugs": ["a"] });
            for (name, value) in more.as_object().expect("an object") {
                input[name] = value.clone();
            }
            let payload = mutate(&site, "updatePosts", input.clone()).await;
            assert_eq!((refused(&payload), &payload["posts"]), (owned(expected), &Value::Null), "{input}");
            if more == json!({}) {
                let payload = mutate(&site, "deletePosts", json!({ "posts": list })).await;
                assert_eq!((refused(&payload), &payload["deletedIds"]), (owned(expected), &Value::Null), "{input}");
            }
        }
        assert_eq!(site.query("{ posts { nodes { slug version tags { slug } } } }").await, before);
        let conflict = mutate(&site, "deletePosts", json!({ "posts": [named(2, 7)] })).await;
        assert_eq!(conflict["userErrors"][0]["current"], json!({ "version": 1 }));
        site.assert_sound().await;
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[tokio::test]
async fn a_hundred_posts_get_a_tag_in_one_change() {
    for site in sites().await {
        let posts = filled(&site, 100).await;
        let input = json!({ "posts": of(&posts, 1), "addTagSlugs": ["c"], "createMissingTags": true });
        let changed = mutate(&site, "updatePosts", input).await;
        assert_eq!((refused(&changed), &changed["posts"][99]["version"]), (vec![], &json!(2)));
        site.assert_sound().await;
    }
}

/// An entry of the log on tables holds 1,000 rows; a file 50,000.
#[tokio::test]
async fn what_one_change_cannot_hold_is_refused_as_a_whole() {
    let [file, tables] = sites().await;
    for (site, expected) in [(file, &[][..]), (tables, &["TOO_LARGE posts"])] {
        let posts = filled(&site, 100).await;
        let payload = mutate(&site, "deletePosts", json!({ "posts": of(&posts, 1) })).await;
        assert_eq!(refused(&payload), owned(expected));
        let left = if expected.is_empty() { 0 } else { 99 };
        assert_eq!(site.query("{ posts { totalCount } }").await["posts"]["totalCount"], left);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn an_author_changes_its_own_posts_together_and_no_others() {
    let site = Site::in_memory().await;
    let mut posts: Vec<WholePost> = (0..4).map(|n| post(n, instant("2026-05-01T00:00:00Z"))).collect();
    for (whole, author) in posts.iter_mut().zip(["ada", "ada", "bob", "bob"]) {
        whole.post.authors = vec![slug(author)];
    }
    // Bob's draft is hidden from ada.
    posts[3].post.published_at = None;
    site.publish(&posts).await;
    let token = site.token(Role::Author, Some("ada")).await;
    let run = async |list: Value, more: &str| {
        let query = format!(
            "mutation($posts: [ObjectVersionInput!]!) {{ updatePosts(input: {{ posts: $posts{more} }}) {{ posts {{ version }} {ERRORS} }} }}"
        );
        let answer = site.mutate(&query, json!({ "posts": list }), Some(&token)).await.body;
        match answer["errors"][0]["extensions"]["code"].as_str() {
            Some(code) => vec![code.to_owned()],
            None => refused(&answer["data"]["updatePosts"]),
        }
    };
    let publish = ", publish: false";
    assert_eq!(run(of(&posts[..3], 1), publish).await, ["FORBIDDEN"]);
    assert_eq!(run(json!([of(&posts, 1)[0], of(&posts, 1)[3]]), publish).await, ["NOT_FOUND posts.1.id"]);
    assert_eq!(run(of(&posts[..2], 1), ", authorSlugs: [\"bob\"]").await, ["FORBIDDEN"]);
    assert_eq!(
        run(of(&posts[..2], 1), ", addTagSlugs: [\"x\"], createMissingTags: true, publish: false").await,
        [""; 0]
    );
    assert_eq!(site.query("{ posts { totalCount } }").await["posts"]["totalCount"], 1);
    site.assert_sound().await;
}
