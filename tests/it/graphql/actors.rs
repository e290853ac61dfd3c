//! Who did something, as versions of posts and the record of changes show it. The rule: an actor is what it was at that time, and a name never decides
//! what it is; the author of an actor is the one author that it had, never another with the same slug.

use serde_json::{Value, json};
use tidings::keys::Table;
use tidings::model::{ActorSnapshot, Role};
use tidings::store::{Batch, Operation, Precondition, Properties, Value as Property};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::rows::scan;
use crate::support::site::{Site, instant, post, slugs};

async fn sites() -> [Site; 2] {
    [Site::over(MemoryStore::transactional()).await, Site::over(MemoryStore::empty()).await]
}

/// The payload of a mutation that must succeed.
async fn mutate(site: &Site, token: &str, mutation: &str) -> Value {
    let answer = site.ask_as(Some(token), &format!("mutation {{ done: {mutation} }}")).await;
    assert_eq!((answer.get("errors"), &answer["data"]["done"]["userErrors"]), (None, &json!([])), "{mutation}");
    answer["data"]["done"].clone()
}

/// The secret of a new token. `fields`: of the input.
async fn create_token(site: &Site, fields: &str) -> String {
    let create = format!("createToken(input: {{ {fields} }}) {{ secret userErrors {{ code message }} }}");
    mutate(site, EDITOR_TOKEN, &create).await["secret"].as_str().expect("a secret").to_owned()
}

/// Creates a post, whose title is "One", a second after everything else.
async fn create_post(site: &Site, token: &str) {
    site.clock.set(instant("2026-06-15T12:00:01Z"));
    let create = r#"createPost(input: { title: "One", markdown: "first" }) { userErrors { code } }"#;
    mutate(site, token, create).await;
}

/// Who made the current version of the post "one", and who is recorded for it.
async fn actors(site: &Site) -> [Value; 2] {
    let actor = "{ kind name author { slug } }";
    let query = format!(
        r#"{{ post(slug: "one") {{ revisions(first: 1) {{ nodes {{ changedBy {actor} }} }} }} auditLog(first: 1) {{ nodes {{ actor {actor} }} }} }}"#
    );
    let data = site.ask_as(Some(EDITOR_TOKEN), &query).await["data"].clone();
    [data["post"]["revisions"]["nodes"][0]["changedBy"].clone(), data["auditLog"]["nodes"][0]["actor"].clone()]
}

fn actor(kind: &str, name: &str) -> Value {
    json!({ "kind": kind, "name": name, "author": null })
}

#[tokio::test]
async fn a_token_with_the_name_import_is_not_an_import() {
    for site in sites().await {
        let token = create_token(&site, r#"name: "import", role: EDITOR"#).await;
        create_post(&site, &token).await;
        assert_eq!(actors(&site).await, [actor("TOKEN", "import"), actor("TOKEN", "import")]);
    }
}

#[tokio::test]
async fn a_token_with_the_name_of_the_server_token_is_not_the_server_token() {
    for site in sites().await {
        let token = create_token(&site, r#"name: "TIDINGS_EDITOR_TOKEN", role: EDITOR"#).await;
        create_post(&site, &token).await;
        assert_eq!(actors(&site).await[0], actor("TOKEN", "TIDINGS_EDITOR_TOKEN"));
        let viewer = async |token: &str| site.ask_as(Some(token), "{ viewer { kind name } }").await["data"].clone();
        let expected = |kind: &str| json!({ "viewer": { "kind": kind, "name": "TIDINGS_EDITOR_TOKEN" } });
        assert_eq!((viewer(&token).await, viewer(EDITOR_TOKEN).await), (expected("TOKEN"), expected("SERVER_TOKEN")));
    }
}

#[tokio::test]
async fn an_import_is_an_import() {
    for site in sites().await {
        let mut whole = post(1, instant("2026-05-01T00:00:00Z"));
        whole.changed_by = Some(ActorSnapshot::import());
        site.publish(&[whole]).await;
        let query = r#"{ post(slug: "post-1") { revisions { nodes { changedBy { kind name } } } } }"#;
        let found = site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["post"]["revisions"]["nodes"].clone();
        assert_eq!(found, json!([{ "changedBy": { "kind": "IMPORT", "name": "import" } }]));
    }
}

#[tokio::test]
async fn the_author_of_an_actor_is_null_after_its_deletion_even_if_another_gets_its_slug() {
    for site in sites().await {
        let create = r#"createAuthor(input: { slug: "ada", name: "Ada" }) { userErrors { code } }"#;
        mutate(&site, EDITOR_TOKEN, create).await;
        let token = create_token(&site, r#"name: "Ada's laptop", role: AUTHOR, authorSlug: "ada""#).await;
        create_post(&site, &token).await;
        let of_ada = |author: Value| json!({ "kind": "TOKEN", "name": "Ada's laptop", "author": author });
        assert_eq!(actors(&site).await, [(); 2].map(|()| of_ada(json!({ "slug": "ada" }))));
        let tokens = async || {
            let query = "{ tokens { nodes { name author { slug } } } }";
            site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["tokens"]["nodes"][0]["author"].clone()
        };
        assert_eq!(tokens().await, json!({ "slug": "ada" }));
        let data = site.ask_as(Some(EDITOR_TOKEN), r#"{ post(slug: "one") { id } author(slug: "ada") { id } }"#).await;
        let (post, ada) = (&data["data"]["post"]["id"], &data["data"]["author"]["id"]);
        let bob = r#"createAuthor(input: { slug: "bob", name: "Bob" }) { userErrors { code } }"#;
        let give = format!(
            "updatePost(input: {{ id: {post}, expectedVersion: 1, authorSlugs: [\"bob\"] }}) {{ userErrors {{ code }} }}"
        );
        let delete = format!("deleteAuthor(input: {{ id: {ada}, expectedVersion: 1 }}) {{ userErrors {{ code }} }}");
        for mutation in [bob, &give, &delete, create] {
            mutate(&site, EDITOR_TOKEN, mutation).await;
        }
        assert_eq!(tokens().await, Value::Null);
        let query =
            r#"{ post(slug: "one") { revisions { nodes { version changedBy { kind name author { slug } } } } } }"#;
        let found = site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["post"]["revisions"]["nodes"][1].clone();
        assert_eq!(found, json!({ "version": 1, "changedBy": of_ada(Value::Null) }));
    }
}

/// Replaces each row of drafts and of the record of changes.
async fn change_rows(site: &Site, change: impl Fn(Properties) -> Properties) {
    for table in [Table::Drafts, Table::Changes].map(Table::name) {
        for row in scan(&site.store, table).await {
            let properties = change(row.properties);
            let put = Operation::Put { row: row.key.row().to_owned(), properties, precondition: Precondition::None };
            let batch = Batch::new(row.key.partition(), vec![put]).expect("a batch");
            site.store.commit(table, &batch).await.expect("a write");
        }
    }
}

/// As if a later version had written the rows. Everything else can be read and changed, and the check reports it.
#[tokio::test]
async fn an_actor_of_a_later_version_is_unknown_and_hides_nothing() {
    let text = |text: &str| Property::String(text.into());
    for (name, property) in [("Kind", text("webhook")), ("Kind", Property::Int32(7)), ("Author", text("?"))] {
        for site in sites().await {
            let token = create_token(&site, r#"name: "import", role: EDITOR"#).await;
            create_post(&site, &token).await;
            change_rows(&site, |row| {
                let mut changed = row.clone();
                for of in ["ChangedBy", "By"].into_iter().filter(|of| row.get(&format!("{of}Kind")).is_some()) {
                    changed.set(&format!("{of}{name}"), property.clone());
                }
                changed
            })
            .await;
            let expected = actor(if name == "Kind" { "UNKNOWN" } else { "TOKEN" }, "import");
            assert_eq!(actors(&site).await, [expected.clone(), expected.clone()], "{property:?}");
            let report = site.content.check().await.expect("a check");
            let found: Vec<_> = report.differences.iter().map(|found| (found.table, found.what.as_str())).collect();
            // The records of the token and of the post, and the post.
            let tables: Vec<_> = found.iter().map(|(table, _)| *table).collect();
            assert_eq!(tables, ["Changes", "Changes", "Drafts"], "{found:?}");
            assert!(found.iter().all(|(_, what)| what.contains(&format!("By{name} of the row"))), "{found:?}");
            // The version is kept when it is replaced, and its actor is not mistaken for an import.
            let id =
                site.ask_as(Some(EDITOR_TOKEN), r#"{ post(slug: "one") { id } }"#).await["data"]["post"]["id"].take();
            site.clock.set(instant("2026-06-15T12:00:02Z"));
            let update = format!(
                "updatePost(input: {{ id: {id}, expectedVersion: 1, title: \"Two\" }}) {{ userErrors {{ code }} }}"
            );
            mutate(&site, &token, &update).await;
            let query = r#"{ post(slug: "one") { revisions { nodes { changedBy { kind name author { slug } } } } } }"#;
            let kept =
                site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["post"]["revisions"]["nodes"][1]["changedBy"]
                    .take();
            assert_eq!(kept, expected, "{property:?}");
        }
    }
}

#[tokio::test]
async fn the_author_of_equal_actors_costs_one_read() {
    let site = Site::in_memory().await;
    let mut whole = post(1, instant("2026-05-01T00:00:00Z"));
    whole.post.authors = slugs(&["ada"]);
    site.publish(&[whole]).await;
    let token = site.token(Role::Author, Some("ada")).await;
    for version in 1..5 {
        let id = "post-1";
        let of_post = site.query(&format!("{{ post(slug: {id:?}) {{ id }} }}")).await["post"]["id"].clone();
        let update = format!(
            "updatePost(input: {{ id: {of_post}, expectedVersion: {version}, title: \"T{version}\" }}) {{ userErrors {{ code }} }}"
        );
        mutate(&site, &token, &update).await;
    }
    let query = |actor: &str| {
        format!(r#"{{ post(slug: "post-1") {{ revisions(first: 4) {{ nodes {{ changedBy {{ {actor} }} }} }} }} }}"#)
    };
    let (plain, with_author) = (site.cost(&query("name")).await, site.cost(&query("name author { slug }")).await);
    assert_eq!(with_author.point_reads, plain.point_reads + 1);
}
