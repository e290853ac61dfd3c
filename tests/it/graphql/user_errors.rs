//! What the user errors of a mutation carry: the current object, suggestions, the number of posts. The rule: all faults of an input are reported at once,
//! and a mutation that is refused takes no answer from another.

use serde_json::{Value, json};
use tidings::keys::Table;
use tidings::model::{Role, TermKind};
use tidings::store::{Batch, Operation, Precondition};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

const ERRORS: &str = "userErrors { __typename code field message ... on NotFoundError { slug suggestions } ... on InUseError { usedByCount } \
    ... on ConflictError { current { id ... on Post { version title body { markdown html } tags { slug } } } } }";

/// The answer to the mutation, which must have no `errors`.
async fn mutate(site: &Site, mutation: &str) -> Value {
    let answer = site.ask_as(Some(EDITOR_TOKEN), &format!("mutation {{ done: {mutation} }}")).await;
    assert_eq!(answer.get("errors"), None, "{mutation}: {answer}");
    answer["data"]["done"].clone()
}

async fn create(site: &Site, input: &str) -> String {
    let made =
        mutate(site, &format!("createPost(input: {{ markdown: \"x\", {input} }}) {{ post {{ id }} {ERRORS} }}")).await;
    made["post"]["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

/// The type, the code and the field of each user error.
fn kinds(payload: &Value) -> Vec<[&str; 3]> {
    let errors = payload["userErrors"].as_array().expect("a list").iter();
    errors
        .map(|error| {
            [&error["__typename"], &error["code"], &error["field"][1]].map(|value| value.as_str().unwrap_or_default())
        })
        .collect()
}

/// The store has lost a tag of the post, so the fault is in no field of these inputs.
#[tokio::test]
async fn the_field_of_an_error_is_one_that_the_input_has_or_null() {
    let site = Site::in_memory().await;
    let id = create(&site, r#"title: "One", tagSlugs: ["a"], createMissingTags: true"#).await;
    let rows = site.store.scan(Table::Terms(TermKind::Tag).name(), None).await.expect("rows").rows;
    for row in rows {
        let delete = Operation::Delete { row: row.key.row().to_owned(), precondition: Precondition::None };
        let batch = Batch::new(row.key.partition(), vec![delete]).expect("a batch");
        site.store.commit(Table::Terms(TermKind::Tag).name(), &batch).await.expect("the row is deleted");
    }
    let publish =
        mutate(&site, &format!(r#"publishPost(input: {{ id: "{id}", expectedVersion: 1 }}) {{ {ERRORS} }}"#)).await;
    let error = &publish["userErrors"][0];
    assert_eq!((&error["code"], &error["field"]), (&json!("NOT_FOUND"), &Value::Null), "{publish}");
}

#[tokio::test]
async fn a_text_with_a_control_character_is_refused() {
    let site = Site::in_memory().await;
    for (mutation, field, character) in [
        (r#"createPost(input: { markdown: "x", title: "a\u0000b" })"#, "title", "U+0000"),
        (r#"createPost(input: { markdown: "x", title: "\u001b[2J" })"#, "title", "U+001B"),
        (r#"createPost(input: { markdown: "x", title: "a", excerpt: "\u0008" })"#, "excerpt", "U+0008"),
        (r#"createTag(input: { name: "a\u001b" })"#, "name", "U+001B"),
        (r#"createAuthor(input: { name: "a", description: "\u007f" })"#, "description", "U+007F"),
        (r#"createPage(input: { path: "a", title: "\u0001", markdown: "" })"#, "title", "U+0001"),
    ] {
        let made = mutate(&site, &format!("{mutation} {{ userErrors {{ __typename code field message }} }}")).await;
        assert_eq!(kinds(&made), [["InputError", "INVALID", field]], "{mutation}: {made}");
        let message = made["userErrors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.contains(character), "{message}");
    }
    // A body has none of its own, and may have lines and tabs; the excerpt that is made of it is not refused.
    for input in [r#"title: "a\tb", excerpt: "one\ntwo""#, r#"title: "c""#] {
        let create = format!(r#"createPost(input: {{ markdown: "x\u001b", {input} }}) {{ post {{ id }} {ERRORS} }}"#);
        assert_eq!(mutate(&site, &create).await["userErrors"], json!([]));
    }
}

#[tokio::test]
async fn a_conflict_carries_the_post_as_it_is_now() {
    let site = Site::in_memory().await;
    let id = create(&site, r#"title: "One", tagSlugs: ["a"], createMissingTags: true"#).await;
    let change = |title: &str, version: i32| {
        format!(
            r#"updatePost(input: {{ id: "{id}", expectedVersion: {version}, title: "{title}" }}) {{ post {{ version }} {ERRORS} }}"#
        )
    };
    assert_eq!(mutate(&site, &change("Two", 1)).await["post"]["version"], json!(2));
    let current = json!({ "id": id, "version": 2, "title": "Two", "body": { "markdown": "x", "html": "<p>x</p>\n" }, "tags": [{ "slug": "a" }] });
    let each = [
        change("Three", 1),
        format!(r#"publishPost(input: {{ id: "{id}", expectedVersion: 1 }}) {{ {ERRORS} }}"#),
        format!(r#"unpublishPost(input: {{ id: "{id}", expectedVersion: 1 }}) {{ {ERRORS} }}"#),
        format!(r#"deletePost(input: {{ id: "{id}", expectedVersion: 1 }}) {{ {ERRORS} }}"#),
        format!(
            r#"restoreRevision(input: {{ revisionId: "{}-1", expectedVersion: 1 }}) {{ {ERRORS} }}"#,
            id.replace("post-", "revision-")
        ),
    ];
    for mutation in each {
        let refused = mutate(&site, &mutation).await;
        assert_eq!(kinds(&refused), [["ConflictError", "CONFLICT", "expectedVersion"]], "{mutation}");
        assert_eq!(refused["userErrors"][0]["current"], current, "{mutation}");
    }
    // The version of the current post is the one to repeat the change with.
    assert_eq!(mutate(&site, &change("Three", 2)).await["post"]["version"], json!(3));
}

#[tokio::test]
async fn a_stale_version_is_reported_together_with_all_other_faults_and_nothing_is_changed() {
    let site = Site::in_memory().await;
    mutate(&site, r#"createCategory(input: { slug: "news", name: "news" }) { userErrors { code } }"#).await;
    let id = create(&site, r#"title: "One", slug: "one""#).await;
    let faults = r#"title: " ", slug: "No Slug", markdown: null, authorSlugs: ["nobody"], categorySlugs: ["mews"], tagSlugs: ["-"]"#;
    let refused = mutate(
        &site,
        &format!(r#"updatePost(input: {{ id: "{id}", expectedVersion: 7, {faults} }}) {{ post {{ id }} {ERRORS} }}"#),
    )
    .await;
    let expected = [
        ["ConflictError", "CONFLICT", "expectedVersion"],
        ["InputError", "INVALID", "slug"],
        ["NotFoundError", "NOT_FOUND", "authorSlugs"],
        ["NotFoundError", "NOT_FOUND", "categorySlugs"],
        ["InputError", "INVALID", "tagSlugs"],
        ["InputError", "INVALID", "title"],
        ["InputError", "INVALID", "markdown"],
    ];
    assert_eq!((kinds(&refused), &refused["post"]), (expected.to_vec(), &Value::Null));
    let kept = site.ask_as(Some(EDITOR_TOKEN), "{ post(slug: \"one\") { version title } tags { totalCount } }").await;
    assert_eq!(kept["data"], json!({ "post": { "version": 1, "title": "One" }, "tags": { "totalCount": 0 } }));
    site.assert_sound().await;
}

#[tokio::test]
async fn a_taken_slug_is_reported_together_with_the_other_faults() {
    let site = Site::in_memory().await;
    create(&site, r#"title: "One", slug: "one""#).await;
    let id = create(&site, r#"title: "Two", slug: "two""#).await;
    mutate(&site, r#"createTag(input: { slug: "news", name: "News" }) { userErrors { code } }"#).await;
    mutate(&site, r#"createTag(input: { slug: "old", name: "Old" }) { userErrors { code } }"#).await;
    let (taken, title) = (["InputError", "TAKEN", "slug"], ["InputError", "INVALID", "title"]);
    let (conflict, name) = (["ConflictError", "CONFLICT", "expectedVersion"], ["InputError", "INVALID", "name"]);
    let update = |version: i32, rest: &str| {
        format!(r#"updatePost(input: {{ id: "{id}", expectedVersion: {version}, {rest} }}) {{ {ERRORS} }}"#)
    };
    let cases = [
        (
            format!(r#"createPost(input: {{ title: " ", slug: "one", markdown: "x" }}) {{ {ERRORS} }}"#),
            vec![title, taken],
        ),
        // A slug that is made from the title gets a number.
        (
            format!(r#"createPost(input: {{ title: "One", markdown: "x", tagSlugs: ["-"] }}) {{ {ERRORS} }}"#),
            vec![["InputError", "INVALID", "tagSlugs"]],
        ),
        (update(1, r#"title: " ", slug: "one""#), vec![title, taken]),
        (update(7, r#"slug: "one""#), vec![conflict, taken]),
        (update(1, r#"title: " ", slug: "two""#), vec![title]),
        (update(1, r#"slug: "one""#), vec![taken]),
        (format!(r#"createTag(input: {{ name: " ", slug: "news" }}) {{ {ERRORS} }}"#), vec![name, taken]),
        (format!(r#"updateTag(input: {{ @tag(old), name: " ", slug: "news" }}) {{ {ERRORS} }}"#), vec![name, taken]),
        (format!(r#"updateTag(input: {{ @tag(old), name: " ", slug: "old" }}) {{ {ERRORS} }}"#), vec![name]),
    ];
    for (mutation, expected) in cases {
        assert_eq!(kinds(&mutate(&site, &mutation).await), expected, "{mutation}");
    }
    site.assert_sound().await;
}

#[tokio::test]
async fn a_mistyped_category_or_author_is_not_found_with_suggestions() {
    let site = Site::in_memory().await;
    for slug in ["networks", "network", "netware", "news", "rust"] {
        mutate(
            &site,
            &format!(r#"createCategory(input: {{ slug: "{slug}", name: "{slug}" }}) {{ userErrors {{ code }} }}"#),
        )
        .await;
    }
    mutate(&site, r#"createAuthor(input: { slug: "ada-lovelace", name: "ada-lovelace" }) { userErrors { code } }"#)
        .await;
    for (field, slug, suggestions) in [
        ("categorySlugs", "netwrok", json!(["network", "networks"])),
        ("categorySlugs", "rsut", json!(["rust"])),
        ("categorySlugs", "politics", json!([])),
        ("authorSlugs", "ada-lovelance", json!(["ada-lovelace"])),
        ("authorSlugs", "rust", json!([])),
    ] {
        let create =
            format!(r#"createPost(input: {{ title: "T", markdown: "", {field}: ["{slug}"] }}) {{ {ERRORS} }}"#);
        let refused = mutate(&site, &create).await;
        assert_eq!(kinds(&refused), [["NotFoundError", "NOT_FOUND", field]], "{slug}");
        let error = &refused["userErrors"][0];
        assert_eq!((&error["slug"], &error["suggestions"]), (&json!(slug), &suggestions), "{slug}");
        let names_first = suggestions
            .get(0)
            .is_none_or(|first| error["message"].as_str().is_some_and(|text| text.contains(&first.to_string())));
        assert!(names_first, "{error}");
    }
}

#[tokio::test]
async fn a_mistyped_author_of_a_token_is_not_found_with_suggestions() {
    let site = Site::in_memory().await;
    mutate(&site, r#"createAuthor(input: { slug: "ada-lovelace", name: "Ada" }) { userErrors { code } }"#).await;
    for (slug, suggestions) in [("ada-lovelance", json!(["ada-lovelace"])), ("rust", json!([]))] {
        let create = format!(
            r#"createToken(input: {{ name: "Ada", role: AUTHOR, authorSlug: "{slug}" }}) {{ token {{ id }} {ERRORS} }}"#
        );
        let refused = mutate(&site, &create).await;
        let error = &refused["userErrors"][0];
        assert_eq!(
            (&refused["token"], kinds(&refused)),
            (&Value::Null, vec![["NotFoundError", "NOT_FOUND", "authorSlug"]])
        );
        assert_eq!((&error["slug"], &error["suggestions"]), (&json!(slug), &suggestions), "{slug}");
    }
}

#[tokio::test]
async fn a_tag_that_does_not_exist_is_created_only_with_create_missing_tags() {
    let site = Site::in_memory().await;
    mutate(&site, r#"createTag(input: { slug: "rust", name: "Rust" }) { userErrors { code } }"#).await;
    let id = create(&site, r#"title: "One""#).await;
    let inputs = [
        r#"createPost(input: { title: "Two", markdown: """#.to_owned(),
        format!(r#"updatePost(input: {{ id: "{id}", expectedVersion: 1"#),
    ];
    for input in &inputs {
        let slugs = r#"tagSlugs: ["rsut", "rust", "python"]"#;
        for allowed in ["", ", createMissingTags: false"] {
            let refused = mutate(&site, &format!("{input}, {slugs}{allowed} }}) {{ post {{ id }} {ERRORS} }}")).await;
            assert_eq!(kinds(&refused), [["NotFoundError", "NOT_FOUND", "tagSlugs"]; 2], "{input}");
            let suggestions = [0, 1].map(|n| &refused["userErrors"][n]["suggestions"]);
            assert_eq!((&refused["post"], suggestions), (&Value::Null, [&json!(["rust"]), &json!([])]));
        }
        assert_eq!(slugs_of_tags(&site).await, ["rust"], "a refused input creates nothing");
    }
    for (input, new) in inputs.iter().zip(["new", "other"]) {
        let tags = format!(r#"tagSlugs: ["{new}", "rust"], createMissingTags: true"#);
        let made =
            mutate(&site, &format!("{input}, {tags} }}) {{ post {{ tags {{ slug name version }} }} {ERRORS} }}")).await;
        let tag = |slug: &str, name: &str| json!({ "slug": slug, "name": name, "version": 1 });
        assert_eq!(made["post"]["tags"], json!([tag(new, new), tag("rust", "Rust")]));
    }
    assert_eq!(slugs_of_tags(&site).await, ["new", "other", "rust"]);
    // Only tags are created.
    let terms = r#"categorySlugs: ["new"], authorSlugs: ["new"], createMissingTags: true"#;
    let refused = mutate(&site, &format!("{}, {terms} }}) {{ {ERRORS} }}", inputs[0])).await;
    assert_eq!(
        kinds(&refused),
        [["NotFoundError", "NOT_FOUND", "authorSlugs"], ["NotFoundError", "NOT_FOUND", "categorySlugs"]]
    );
    site.assert_sound().await;
}

async fn slugs_of_tags(site: &Site) -> Vec<String> {
    let data = site.query("{ tags { nodes { slug } } }").await;
    let slugs = data["tags"]["nodes"].as_array().expect("tags").iter().map(|tag| tag["slug"].as_str().expect("a slug"));
    slugs.map(ToOwned::to_owned).collect()
}

/// Suggestions are read for a few slugs of a field only, and none for a list that is too long.
#[tokio::test]
async fn the_number_of_suggestions_is_bounded() {
    let site = Site::in_memory().await;
    mutate(&site, r#"createCategory(input: { slug: "rust", name: "Rust" }) { userErrors { code } }"#).await;
    let create = async |count: usize| {
        let slugs: Vec<String> = (0..count).map(|n| format!("rus{n}")).collect();
        let create =
            format!(r#"createPost(input: {{ title: "T", markdown: "", categorySlugs: {slugs:?} }}) {{ {ERRORS} }}"#);
        mutate(&site, &create).await
    };
    let refused = create(9).await;
    let with = |error: &&Value| error["suggestions"] == json!(["rust"]);
    let errors = refused["userErrors"].as_array().expect("a list");
    assert_eq!((errors.len(), errors.iter().filter(with).count()), (9, 5), "{refused}");
    assert_eq!(kinds(&create(101).await), [["InputError", "INVALID", "categorySlugs"]]);
}

/// Published, scheduled and draft posts have the terms; another draft does not.
#[tokio::test]
async fn a_term_in_use_says_by_how_many_posts() {
    for site in [Site::in_memory().await] {
        for save in
            [r#"createCategory(input: { slug: "c", name: "c" })"#, r#"createAuthor(input: { slug: "u", name: "u" })"#]
        {
            mutate(&site, &format!("{save} {{ userErrors {{ code }} }}")).await;
        }
        let terms = r#"tagSlugs: ["t"], createMissingTags: true, categorySlugs: ["c"], authorSlugs: ["u"]"#;
        for (title, at) in [
            ("A", r#", publishAt: "2026-01-01T00:00:00Z""#),
            ("B", r#", publishAt: "2030-01-01T00:00:00Z""#),
            ("C", ""),
            ("D", ""),
        ] {
            create(&site, &format!(r#"title: "{title}", {terms}{at}"#)).await;
        }
        create(&site, r#"title: "E", tagSlugs: ["other"], createMissingTags: true"#).await;
        for delete in [
            r#"deleteTag(input: { @tag(t) })"#,
            r#"deleteCategory(input: { @category(c) })"#,
            r#"deleteAuthor(input: { @author(u) })"#,
        ] {
            let refused = mutate(&site, &format!("{delete} {{ deletedId {ERRORS} }}")).await;
            assert_eq!(kinds(&refused)[0][..2], ["InUseError", "IN_USE"], "{delete}");
            assert_eq!(refused["userErrors"][0]["usedByCount"], json!(4), "{delete}");
        }
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_mutation_that_is_refused_leaves_the_answers_of_the_others() {
    let site = Site::in_memory().await;
    let editor = site.token(Role::Editor, None).await;
    let query = r#"mutation {
        a: createPost(input: { title: "First", markdown: "" }) { post { slug } userErrors { code } }
        b: createToken(input: { name: "n", role: READER }) { secret }
        c: createPost(input: { title: "Second", markdown: "" }) { post { slug } userErrors { code } }
    }"#;
    let answer = site.ask_as(Some(&editor), query).await;
    let post = |slug: &str| json!({ "post": { "slug": slug }, "userErrors": [] });
    assert_eq!(answer["data"], json!({ "a": post("first"), "b": null, "c": post("second") }));
    let errors = answer["errors"].as_array().expect("errors");
    assert_eq!(
        (errors.len(), &errors[0]["path"], &errors[0]["extensions"]["code"]),
        (1, &json!(["b"]), &json!("FORBIDDEN"))
    );
    let kept = site.ask_as(Some(&editor), "{ draftPosts { totalCount } }").await;
    assert_eq!(kept["data"]["draftPosts"]["totalCount"], 2);
}
