//! The mutations of categories, tags and authors by id and version. The rule: a creation changes nothing that exists, a former slug changes and deletes
//! nothing, and of two changes of a version one wins.

use serde_json::{Value, json};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

const ERRORS: &str = "userErrors { __typename code field message ... on ConflictError { current { ... on Tag { slug name version } } } }";

async fn mutate(site: &Site, mutation: &str) -> Value {
    let answer = site.ask_as(Some(EDITOR_TOKEN), &format!("mutation {{ done: {mutation} }}")).await;
    assert_eq!(answer.get("errors"), None, "{mutation}: {answer}");
    answer["data"]["done"].clone()
}

/// The code and the field of each user error.
fn refused(payload: &Value) -> Vec<[&str; 2]> {
    let errors = payload["userErrors"].as_array().expect("a list").iter();
    errors.map(|error| [&error["code"], &error["field"][1]].map(|value| value.as_str().unwrap_or_default())).collect()
}

async fn create(site: &Site, input: &str) -> Value {
    mutate(site, &format!("createTag(input: {{ {input} }}) {{ tag {{ id slug name version }} {ERRORS} }}")).await
}

async fn tags(site: &Site) -> Value {
    site.query("{ tags { nodes { slug name version } } }").await["tags"]["nodes"].clone()
}

#[tokio::test]
async fn a_creation_changes_nothing_that_exists_and_names_the_owner_of_the_slug() {
    let site = Site::in_memory().await;
    let made = create(&site, r#"name: "The Sea", description: "Water.""#).await;
    assert_eq!((&made["tag"]["slug"], &made["tag"]["version"]), (&json!("the-sea"), &json!(1)), "{made}");
    mutate(&site, &format!(r#"updateTag(input: {{ @tag(the-sea), slug: "ocean" }}) {{ {ERRORS} }}"#)).await;
    let before = tags(&site).await;
    for slug in ["ocean", "the-sea"] {
        let taken = create(&site, &format!(r#"name: "Other", slug: "{slug}""#)).await;
        assert_eq!((refused(&taken), &taken["tag"]), (vec![["TAKEN", "slug"]], &Value::Null), "{taken}");
        let message = taken["userErrors"][0]["message"].as_str().expect("a text");
        assert!(message.contains("\"The Sea\"") && message.contains(slug), "{message}");
    }
    assert_eq!(tags(&site).await, before);
    site.assert_sound().await;
}

#[tokio::test]
async fn a_typo_in_an_id_creates_nothing() {
    let site = Site::in_memory().await;
    create(&site, r#"name: "Sea""#).await;
    for id in ["tag-sea", "sea", "", "tag-000000000000c2Vh", "post-000000000000"] {
        let update = format!(r#"updateTag(input: {{ id: "{id}", expectedVersion: 1, name: "Other" }}) {{ {ERRORS} }}"#);
        assert_eq!(refused(&mutate(&site, &update).await), [["NOT_FOUND", "id"]], "{id}");
        let delete = format!(r#"deleteTag(input: {{ id: "{id}", expectedVersion: 1 }}) {{ {ERRORS} }}"#);
        assert_eq!(refused(&mutate(&site, &delete).await), [["NOT_FOUND", "id"]], "{id}");
    }
    assert_eq!(tags(&site).await, json!([{ "slug": "sea", "name": "Sea", "version": 1 }]));
    site.assert_sound().await;
}

/// The id of a deleted tag, and of one of another kind with the same slug.
#[tokio::test]
async fn an_id_of_a_deleted_tag_or_of_a_category_changes_no_tag_with_the_same_slug() {
    let site = Site::in_memory().await;
    let old = create(&site, r#"name: "Sea""#).await["tag"]["id"].clone();
    mutate(&site, &format!("deleteTag(input: {{ @tag(sea) }}) {{ {ERRORS} }}")).await;
    create(&site, r#"name: "Sea""#).await;
    let category =
        mutate(&site, r#"createCategory(input: { name: "Sea" }) { category { id } userErrors { code } }"#).await;
    for id in [&old, &category["category"]["id"]] {
        let update = format!("updateTag(input: {{ id: {id}, expectedVersion: 1, name: \"Other\" }}) {{ {ERRORS} }}");
        assert_eq!(refused(&mutate(&site, &update).await), [["NOT_FOUND", "id"]], "{id}");
        let delete = format!("deleteTag(input: {{ id: {id}, expectedVersion: 1 }}) {{ {ERRORS} }}");
        assert_eq!(refused(&mutate(&site, &delete).await), [["NOT_FOUND", "id"]], "{id}");
    }
    assert_eq!(tags(&site).await, json!([{ "slug": "sea", "name": "Sea", "version": 1 }]));
    site.assert_sound().await;
}

#[tokio::test]
async fn a_stale_version_carries_the_tag_as_it_is_now_and_all_other_faults() {
    let site = Site::in_memory().await;
    let id = create(&site, r#"name: "Sea""#).await["tag"]["id"].clone();
    mutate(&site, &format!(r#"updateTag(input: {{ @tag(sea), name: "The Sea" }}) {{ {ERRORS} }}"#)).await;
    let stale = format!(
        "updateTag(input: {{ id: {id}, expectedVersion: 1, name: \" \", slug: \"No Slug\" }}) {{ tag {{ id }} {ERRORS} }}"
    );
    let stale = mutate(&site, &stale).await;
    assert_eq!(refused(&stale), [["CONFLICT", "expectedVersion"], ["INVALID", "slug"], ["INVALID", "name"]], "{stale}");
    let current = json!({ "slug": "sea", "name": "The Sea", "version": 2 });
    assert_eq!(
        (&stale["userErrors"][0]["__typename"], &stale["userErrors"][0]["current"]),
        (&json!("ConflictError"), &current)
    );
    let delete =
        mutate(&site, &format!("deleteTag(input: {{ id: {id}, expectedVersion: 1 }}) {{ deletedId {ERRORS} }}")).await;
    assert_eq!(
        (refused(&delete), &delete["userErrors"][0]["current"]),
        (vec![["CONFLICT", "expectedVersion"]], &current)
    );
    let delete =
        mutate(&site, &format!("deleteTag(input: {{ id: {id}, expectedVersion: 2 }}) {{ deletedId {ERRORS} }}")).await;
    assert_eq!((&delete["deletedId"], refused(&delete)), (&id, vec![]));
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_changes_of_a_version_of_a_tag_one_wins() {
    let site = Site::in_memory().await;
    let id = create(&site, r#"name: "Sea""#).await["tag"]["id"].clone();
    let update = |n: usize| {
        format!(
            "updateTag(input: {{ id: {id}, expectedVersion: 1, name: \"By {n}\" }}) {{ tag {{ name version }} {ERRORS} }}"
        )
    };
    let races = (0..50).map(|n| {
        let (site, update) = (&site, update(n));
        async move { mutate(site, &update).await }
    });
    let answers = futures_util::future::join_all(races).await;
    let won: Vec<_> = answers.iter().filter(|answer| refused(answer).is_empty()).collect();
    assert_eq!(won.len(), 1, "{answers:?}");
    let lost = answers.iter().filter(|answer| refused(answer) == [["CONFLICT", "expectedVersion"]]).count();
    assert_eq!(lost, 49, "{answers:?}");
    assert_eq!(tags(&site).await, json!([{ "slug": "sea", "name": won[0]["tag"]["name"], "version": 2 }]));
    site.assert_sound().await;
}

/// A slug is not made of a name without a letter or digit.
#[tokio::test]
async fn the_faults_of_a_new_author_are_reported_together() {
    let site = Site::in_memory().await;
    let create =
        |input: &str| format!("createAuthor(input: {{ {input} }}) {{ author {{ slug }} userErrors {{ code field }} }}");
    let faulty = mutate(&site, &create(r#"name: "!!!", url: "javascript:alert(1)""#)).await;
    assert_eq!(refused(&faulty), [["INVALID", "slug"], ["INVALID", "url"]]);
    let faulty = mutate(&site, &create(r#"name: " ", slug: "a b""#)).await;
    assert_eq!(refused(&faulty), [["INVALID", "slug"], ["INVALID", "name"]]);
    let made = mutate(&site, &create(r#"name: "Łukasz", url: "https://lukasz.example""#)).await;
    assert_eq!(made["author"]["slug"], json!("lukasz"), "{made}");
    site.assert_sound().await;
}
