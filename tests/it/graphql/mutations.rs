//! Mutations: what they change, what they refuse, and that they require a token.

use serde_json::{Value, json};
use tidings::model::TermKind;

use crate::support::graphql::{EDITOR_TOKEN, input_type};
use crate::support::site::Site;

const FIELDS: &str = "id slug title excerpt status version publishedAt body { markdown } authors { slug } categories { slug } tags { slug name }";

async fn mutate(site: &Site, name: &str, input: Value) -> Value {
    let kind = input_type(name);
    let answer = match name {
        "deletePost" => "deletedId".to_owned(),
        "createCategory" => "category { id slug name description }".to_owned(),
        "createTag" => "tag { id slug name description }".to_owned(),
        "createAuthor" | "updateAuthor" => "author { slug name description url version }".to_owned(),
        _ => format!("post {{ {FIELDS} }}"),
    };
    let query = format!(
        "mutation($input: {kind}!) {{ {name}(input: $input) {{ {answer} userErrors {{ code field message }} }} }}"
    );
    let answer = site.mutate(&query, json!({ "input": input }), Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body.get("errors"), None, "{name}");
    answer.body["data"][name].clone()
}

/// The code and the field of each user error; empty if the mutation succeeded.
fn refused(payload: &Value) -> Vec<(String, String)> {
    let errors = payload["userErrors"].as_array().expect("a list");
    let field = |e: &Value| e["field"][1].as_str().unwrap_or_default().to_owned();
    errors.iter().map(|e| (e["code"].as_str().expect("a code").to_owned(), field(e))).collect()
}

async fn site() -> Site {
    let site = Site::in_memory().await;
    mutate(
        &site,
        "createAuthor",
        json!({ "slug": "ada", "name": "Ada", "description": "Counts.", "url": "https://ada.example" }),
    )
    .await;
    mutate(&site, "createCategory", json!({ "slug": "news", "name": "News" })).await;
    site
}

/// The changes as the input of `updateAuthor`, for the author ada as she is now.
async fn of_ada(site: &Site, mut changes: Value) -> Value {
    let (id, version) = site.named(TermKind::Author, "ada").await;
    changes["id"] = json!(id);
    changes["expectedVersion"] = json!(version);
    changes
}

async fn create(site: &Site, input: Value) -> Value {
    let made = mutate(site, "createPost", input).await;
    assert_eq!(refused(&made), []);
    made["post"].clone()
}

#[tokio::test]
async fn the_url_of_an_author_is_a_web_address() {
    let site = site().await;
    for url in ["javascript:alert(1)", "data:text/html,x", "ada.example"] {
        let saved = mutate(&site, "updateAuthor", of_ada(&site, json!({ "url": url })).await).await;
        assert_eq!(refused(&saved), [("INVALID".to_owned(), "url".to_owned())], "{url}");
    }
}

#[tokio::test]
async fn one_change_saves_a_post_and_publishes_it() {
    let site = site().await;
    let made = create(&site, json!({ "title": "At once", "markdown": "", "publish": true })).await;
    assert_eq!((&made["status"], &made["version"]), (&json!("PUBLISHED"), &json!(1)));
    let id = create(&site, json!({ "title": "One", "markdown": "", "publish": false })).await["id"].clone();
    let (past, future) = (json!("2020-02-02T02:02:02.000Z"), json!("2030-01-01T00:00:00.000Z"));
    let versioned = |version: usize, changes: &Value| {
        let mut input = changes.clone();
        (input["id"], input["expectedVersion"]) = (id.clone(), json!(version));
        input
    };
    for (version, (changes, status, at)) in (1..).zip([
        (json!({ "title": "Two", "publishAt": future }), "SCHEDULED", Some(&future)),
        (json!({ "title": "Three", "publish": true }), "PUBLISHED", None),
        (json!({ "title": "Four", "publish": true, "publishAt": past }), "PUBLISHED", Some(&past)),
        (json!({ "title": "Five", "publish": true }), "PUBLISHED", Some(&past)),
        (json!({ "title": "Six" }), "PUBLISHED", Some(&past)),
        (json!({ "title": "Seven", "publish": false }), "DRAFT", Some(&Value::Null)),
    ]) {
        let changed = mutate(&site, "updatePost", versioned(version, &changes)).await;
        assert_eq!(refused(&changed), [], "{changes}");
        let post = &changed["post"];
        assert_eq!((&post["status"], &post["version"]), (&json!(status), &json!(version + 1)), "{changes}");
        assert_eq!(post["title"], changes["title"]);
        assert!(at.is_none_or(|at| post["publishedAt"] == *at), "{post}");
    }
    let again = mutate(&site, "updatePost", versioned(7, &json!({ "title": "Seven", "publish": false }))).await;
    assert_eq!(again["post"]["version"], 7, "nothing has changed");
    for (changes, field) in [
        (json!({ "publish": null }), "publish"),
        (json!({ "publishAt": null }), "publishAt"),
        (json!({ "publish": false, "publishAt": past }), "publishAt"),
    ] {
        let payload = mutate(&site, "updatePost", versioned(7, &changes)).await;
        assert_eq!(refused(&payload), [("INVALID".to_owned(), field.to_owned())], "{changes}");
    }
    let input = json!({ "title": "No", "markdown": "", "publish": false, "publishAt": past });
    let payload = mutate(&site, "createPost", input).await;
    assert_eq!(refused(&payload), [("INVALID".to_owned(), "publishAt".to_owned())]);
    site.assert_sound().await;
}

#[tokio::test]
async fn a_post_goes_through_all_states_from_draft_to_deletion() {
    let site = site().await;
    let made = create(&site, json!({
        "title": "Łukasz's first", "markdown": "*Hello.*\n", "authorSlugs": ["ada"], "categorySlugs": ["news"], "tagSlugs": ["greetings"], "createMissingTags": true,
    })).await;
    assert_eq!(
        (&made["slug"], &made["status"], &made["version"]),
        (&json!("lukasz-s-first"), &json!("DRAFT"), &json!(1))
    );
    let id = made["id"].clone();
    let public = "{ posts { totalCount nodes { slug title } } tag(slug: \"greetings\") { posts { totalCount } } archive { postCount } }";
    let nothing =
        json!({ "posts": { "totalCount": 0, "nodes": [] }, "tag": { "posts": { "totalCount": 0 } }, "archive": [] });
    assert_eq!(site.query(public).await, nothing);

    let published = mutate(&site, "publishPost", json!({ "id": id, "expectedVersion": 1 })).await;
    assert_eq!((&published["post"]["status"], &published["post"]["version"]), (&json!("PUBLISHED"), &json!(2)));
    let one = json!({
        "posts": { "totalCount": 1, "nodes": [{ "slug": "lukasz-s-first", "title": "Łukasz's first" }] },
        "tag": { "posts": { "totalCount": 1 } }, "archive": [{ "postCount": 1 }],
    });
    assert_eq!(site.query(public).await, one);

    let renamed = mutate(
        &site,
        "updatePost",
        json!({ "id": id, "expectedVersion": 2, "slug": "first", "title": "First", "tagSlugs": ["a", "b"], "createMissingTags": true }),
    )
    .await;
    assert_eq!(refused(&renamed), []);
    let found = site.query("{ old: post(slug: \"lukasz-s-first\") { slug title } greetings: tag(slug: \"greetings\") { posts { totalCount } } a: tag(slug: \"a\") { posts { nodes { slug } } } }").await;
    assert_eq!(
        found,
        json!({ "old": { "slug": "first", "title": "First" }, "greetings": { "posts": { "totalCount": 0 } }, "a": { "posts": { "nodes": [{ "slug": "first" }] } } })
    );

    let moved = mutate(
        &site,
        "publishPost",
        json!({ "id": id, "expectedVersion": 3, "publishAt": "2020-02-02T02:02:02.002Z" }),
    )
    .await;
    assert_eq!(moved["post"]["publishedAt"], "2020-02-02T02:02:02.002Z");
    site.assert_sound().await;
    let scheduled =
        mutate(&site, "publishPost", json!({ "id": id, "expectedVersion": 4, "publishAt": "2030-01-01T00:00:00Z" }))
            .await;
    assert_eq!(scheduled["post"]["status"], "SCHEDULED");
    assert_eq!(
        site.query("{ posts { totalCount } post(slug: \"first\") { id } archive { postCount } }").await,
        json!({ "posts": { "totalCount": 0 }, "post": null, "archive": [] })
    );

    let draft = mutate(&site, "unpublishPost", json!({ "id": id, "expectedVersion": 5 })).await;
    assert_eq!((&draft["post"]["status"], &draft["post"]["publishedAt"]), (&json!("DRAFT"), &Value::Null));
    site.assert_sound().await;
    let deleted = mutate(&site, "deletePost", json!({ "id": id, "expectedVersion": 6 })).await;
    assert_eq!((&deleted["deletedId"], refused(&deleted)), (&id, vec![]));
    site.assert_sound().await;
    let again = create(&site, json!({ "title": "Another", "slug": "first", "markdown": "" })).await;
    assert_ne!(again["id"], id);
}

#[tokio::test]
async fn an_invalid_post_input_is_named_and_changes_nothing() {
    let site = site().await;
    create(&site, json!({ "title": "Taken", "markdown": "x" })).await;
    let before = site.query("{ posts { totalCount } tags { totalCount } }").await;
    let (long, endless) = ("x".repeat(1_001), "x".repeat(100_000));
    let tags: Vec<String> = (0..101).map(|n| format!("t{n}")).collect();
    for (input, expected) in [
        (json!({ "title": " ", "markdown": "" }), vec![("INVALID", "title")]),
        (json!({ "title": long, "markdown": "" }), vec![("INVALID", "title")]),
        (json!({ "title": endless, "markdown": "" }), vec![("INVALID", "title")]),
        (json!({ "title": "T", "slug": "", "markdown": "" }), vec![("INVALID", "slug")]),
        (json!({ "title": "T", "slug": "../etc", "markdown": "" }), vec![("INVALID", "slug")]),
        (json!({ "title": "T", "slug": "No Slug", "markdown": "" }), vec![("INVALID", "slug")]),
        (json!({ "title": "T", "slug": "taken", "markdown": "" }), vec![("TAKEN", "slug")]),
        (
            json!({ "title": "T", "markdown": "", "authorSlugs": ["nobody"], "categorySlugs": ["none"] }),
            vec![("NOT_FOUND", "authorSlugs"), ("NOT_FOUND", "categorySlugs")],
        ),
        (json!({ "title": "T", "markdown": "", "tagSlugs": tags }), vec![("INVALID", "tagSlugs")]),
        (json!({ "title": "T", "markdown": "", "publishAt": "1600-12-31T00:00:00Z" }), vec![("INVALID", "publishAt")]),
        (json!({ "title": "T", "markdown": noise(1_000_000) }), vec![("TOO_LARGE", "markdown")]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|(code, field)| (code.to_owned(), field.to_owned())).collect();
        assert_eq!(refused(&mutate(&site, "createPost", input).await), expected);
    }
    assert_eq!(site.query("{ posts { totalCount } tags { totalCount } }").await, before);
    site.assert_sound().await;
}

#[tokio::test]
async fn an_invalid_instant_is_refused_before_the_mutation_runs() {
    let site = site().await;
    let query = "mutation($input: CreatePostInput!) { createPost(input: $input) { post { id } } }";
    for at in
        ["0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "+10000-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "soon"]
    {
        let input = json!({ "input": { "title": "T", "markdown": "", "publishAt": at } });
        let answer = site.mutate(query, input, Some(EDITOR_TOKEN)).await.body;
        assert_eq!(answer["errors"][0]["extensions"]["code"], json!("BAD_USER_INPUT"), "{at}: {answer}");
    }
    assert_eq!(site.query("{ posts { totalCount } }").await["posts"]["totalCount"], json!(0));
}

#[tokio::test]
async fn an_unknown_version_is_a_conflict_and_an_unknown_id_is_not_found() {
    let site = site().await;
    let made = create(&site, json!({ "title": "One", "markdown": "x" })).await;
    for mutation in ["updatePost", "publishPost", "unpublishPost", "deletePost"] {
        for version in [i32::MIN, -1, 0, 2, i32::MAX] {
            let refusal =
                refused(&mutate(&site, mutation, json!({ "id": made["id"], "expectedVersion": version })).await);
            assert_eq!(refusal, [("CONFLICT".to_owned(), "expectedVersion".to_owned())], "{mutation} {version}");
        }
        for id in ["post-000000000000", "tag-000000000000YQ", "", "post-../x", "🦀"] {
            let refusal = refused(&mutate(&site, mutation, json!({ "id": id, "expectedVersion": 1 })).await);
            assert_eq!(refusal, [("NOT_FOUND".to_owned(), "id".to_owned())], "{mutation} {id}");
        }
    }
    site.assert_sound().await;
}

/// Text that does not compress.
fn noise(bytes: usize) -> String {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + ((state >> 33) % 90) as u8)
    };
    (0..bytes).map(|_| next()).filter(|c| !matches!(c, '"' | '\\')).collect()
}

#[tokio::test]
async fn a_slug_made_from_a_title_gets_a_number_if_it_is_taken() {
    let site = site().await;
    let mut slugs = Vec::new();
    for _ in 0..3 {
        slugs.push(create(&site, json!({ "title": "Same", "markdown": "" })).await["slug"].clone());
    }
    assert_eq!(slugs, ["same", "same-2", "same-3"]);
}

#[tokio::test]
async fn a_change_of_an_old_version_is_a_conflict_that_names_the_current_version() {
    let site = site().await;
    let post = create(&site, json!({ "title": "One", "markdown": "" })).await;
    let input = |title: &str| json!({ "id": post["id"], "expectedVersion": 1, "title": title });
    assert_eq!(refused(&mutate(&site, "updatePost", input("Two")).await), []);
    let lost = mutate(&site, "updatePost", input("Three")).await;
    assert_eq!(refused(&lost), [("CONFLICT".to_owned(), "expectedVersion".to_owned())]);
    assert!(lost["userErrors"][0]["message"].as_str().expect("a text").contains("version is 2"), "{lost}");
    let never = mutate(&site, "deletePost", json!({ "id": "post-000000000000", "expectedVersion": 1 })).await;
    assert_eq!(refused(&never), [("NOT_FOUND".to_owned(), "id".to_owned())]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_fifty_concurrent_changes_of_a_version_succeeds() {
    let site = site().await;
    let post = create(&site, json!({ "title": "Raced", "markdown": "" })).await;
    let races = (0..50).map(|n| {
        mutate(&site, "updatePost", json!({ "id": post["id"], "expectedVersion": 1, "title": format!("By {n}") }))
    });
    let answers = futures_util::future::join_all(races).await;
    assert_eq!(answers.iter().filter(|answer| refused(answer).is_empty()).count(), 1);
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_fifty_concurrent_posts_with_the_same_slug_is_created() {
    let site = site().await;
    let races = (0..50).map(|n| mutate(&site, "createPost", json!({ "title": format!("By {n}"), "slug": "raced", "tagSlugs": ["raced"], "createMissingTags": true, "markdown": "", "publishAt": "2026-01-01T00:00:00Z" })));
    let answers = futures_util::future::join_all(races).await;
    assert_eq!(answers.iter().filter(|answer| refused(answer).is_empty()).count(), 1);
    site.assert_sound().await;
    assert_eq!(
        site.query("{ tag(slug: \"raced\") { posts { totalCount } } }").await,
        json!({ "tag": { "posts": { "totalCount": 1 } } })
    );
}

#[tokio::test]
async fn a_changed_term_keeps_the_fields_that_the_input_leaves_out() {
    let site = site().await;
    let saved = mutate(&site, "updateAuthor", of_ada(&site, json!({ "name": "Ada L." })).await).await;
    assert_eq!(
        saved["author"],
        json!({ "slug": "ada", "name": "Ada L.", "description": "Counts.", "url": "https://ada.example", "version": 2 })
    );
    let bad = mutate(&site, "createTag", json!({ "slug": "x", "name": "" })).await;
    assert_eq!(refused(&bad), [("INVALID".to_owned(), "name".to_owned())]);
    site.assert_sound().await;
}

#[tokio::test]
async fn a_mutation_without_a_valid_token_changes_nothing() {
    let site = site().await;
    let mutation = "mutation($input: CreatePostInput!) { createPost(input: $input) { post { id } } }";
    let input = json!({ "input": { "title": "T", "markdown": "", "publishAt": "2020-01-01T00:00:00Z" } });
    for token in [None, Some("not-the-token-of-this-server"), Some("")] {
        let answer = site.mutate(mutation, input.clone(), token).await;
        assert_eq!(answer.body["errors"][0]["extensions"]["code"], "UNAUTHENTICATED", "{token:?}");
    }
    let answer = site.post_graphql(json!({ "query": mutation, "variables": input })).await;
    assert_eq!(answer.body["errors"][0]["extensions"]["code"], "UNAUTHENTICATED");
    assert_eq!(site.query("{ posts { totalCount } }").await, json!({ "posts": { "totalCount": 0 } }));
}

#[tokio::test]
async fn a_refused_change_creates_no_tag() {
    let site = site().await;
    create(&site, json!({ "title": "Taken", "markdown": "x" })).await;
    let refusal = mutate(
        &site,
        "createPost",
        json!({ "title": "T", "slug": "taken", "markdown": "", "tagSlugs": ["made-for-nothing"], "createMissingTags": true }),
    )
    .await;
    assert_eq!(refused(&refusal), [("TAKEN".to_owned(), "slug".to_owned())]);
    assert_eq!(site.query("{ tags { totalCount } }").await, json!({ "tags": { "totalCount": 0 } }));
}

#[tokio::test]
async fn all_errors_of_an_input_are_returned_at_once() {
    let site = site().await;
    let before = site.query("{ posts { totalCount } tags { totalCount } }").await;
    let tags: Vec<String> = (0..101).map(|n| format!("t{n}")).collect();
    let wrong = json!({
        "title": " ", "slug": "No Slug", "excerpt": "x".repeat(20_000), "markdown": "x",
        "authorSlugs": ["nobody"], "categorySlugs": ["none"], "tagSlugs": tags, "publishAt": "1600-12-31T00:00:00Z",
    });
    let own = |errors: &[(&str, &str)]| -> Vec<(String, String)> {
        errors.iter().map(|(code, field)| ((*code).to_owned(), (*field).to_owned())).collect()
    };
    let of_fields = [
        ("INVALID", "slug"),
        ("NOT_FOUND", "authorSlugs"),
        ("NOT_FOUND", "categorySlugs"),
        ("INVALID", "title"),
        ("INVALID", "excerpt"),
        ("INVALID", "tagSlugs"),
    ];
    let of_create = [of_fields.as_slice(), &[("INVALID", "publishAt")]].concat();
    assert_eq!(refused(&mutate(&site, "createPost", wrong.clone()).await), own(&of_create));
    let post = create(&site, json!({ "title": "T", "markdown": "x" })).await;
    let mut change = wrong;
    change["id"] = post["id"].clone();
    change["expectedVersion"] = json!(1);
    change.as_object_mut().expect("an object").remove("publishAt");
    assert_eq!(refused(&mutate(&site, "updatePost", change).await), own(&of_fields));
    let term = json!({ "name": " ", "description": "x".repeat(20_000), "url": "ada.example" });
    let of_term = own(&[("INVALID", "name"), ("INVALID", "description"), ("INVALID", "url")]);
    assert_eq!(refused(&mutate(&site, "updateAuthor", of_ada(&site, term).await).await), of_term);
    mutate(&site, "deletePost", json!({ "id": post["id"], "expectedVersion": 1 })).await;
    assert_eq!(site.query("{ posts { totalCount } tags { totalCount } }").await, before);
    site.assert_sound().await;
}
