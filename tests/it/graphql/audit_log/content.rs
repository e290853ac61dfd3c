//! The audit log. The rule: one entry for each object that a change has changed, with everything that was done to it; it pages like a Relay connection, in
//! the middle of a change too; and nobody below the role EDITOR sees an entry.

use serde_json::{Value, json};
use tidings::keys::Table;
use tidings::model::Role;
use tidings::store::{Batch, Operation, Precondition};
use tidings::testing::{Change, Outcome};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::rows::scan;
use crate::support::site::{Site, instant, post, slugs};

async fn sites() -> [Site; 2] {
    [Site::over(MemoryStore::transactional()).await, Site::over(MemoryStore::empty()).await]
}

async fn ask(site: &Site, query: &str) -> Value {
    let answer = site.ask_as(Some(EDITOR_TOKEN), query).await;
    assert_eq!(answer.get("errors"), None, "{query}");
    answer["data"].clone()
}

/// The payload of a mutation that must succeed. `second`: of its minute, because changes of the same instant are recorded in any order.
async fn mutate(site: &Site, second: usize, mutation: &str) -> Value {
    site.clock.set(instant(&format!("2026-06-15T12:00:{second:02}Z")));
    let answer = site.mutate(&format!("mutation {{ done: {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await;
    let done = &answer.body["data"]["done"];
    assert_eq!((answer.body.get("errors"), &done["userErrors"]), (None, &json!([])), "{mutation}");
    done.clone()
}

async fn newest(site: &Site, fields: &str) -> Value {
    ask(site, &format!("{{ auditLog(first: 1) {{ nodes {{ {fields} }} }} }}")).await["auditLog"]["nodes"][0].clone()
}

/// The field of a mutation, its input without the id and the version, and the actions that it records.
const CHANGES_OF_A_POST: &[(&str, &str, &[&str])] = &[
    ("updatePost", r#"title: "Two""#, &["UPDATED"]),
    ("updatePost", r#"slug: "two""#, &["RENAMED"]),
    ("updatePost", r#"title: "Three", slug: "three""#, &["UPDATED", "RENAMED"]),
    ("updatePost", r#"excerpt: "The same.""#, &["UPDATED"]),
    ("updatePost", r#"markdown: "Another text.", slug: "four""#, &["UPDATED", "RENAMED"]),
    ("updatePost", r#"tagSlugs: ["a"], createMissingTags: true, slug: "five""#, &["UPDATED", "RENAMED"]),
    ("publishPost", r#"publishAt: "2030-01-01T00:00:00Z""#, &["SCHEDULED"]),
    ("publishPost", r#"publishAt: "2031-01-01T00:00:00Z""#, &["SCHEDULED"]),
    ("publishPost", "", &["PUBLISHED"]),
    ("publishPost", r#"publishAt: "2020-01-01T00:00:00Z""#, &["PUBLISHED"]),
    ("unpublishPost", "", &["UNPUBLISHED"]),
    ("updatePost", r#"title: "Four", publishAt: "2030-01-01T00:00:00Z""#, &["UPDATED", "SCHEDULED"]),
    ("updatePost", r#"title: "Five", publish: true"#, &["UPDATED", "PUBLISHED"]),
    ("updatePost", r#"slug: "six", publish: false"#, &["RENAMED", "UNPUBLISHED"]),
    ("deletePost", "", &["DELETED"]),
];

#[tokio::test]
async fn one_update_has_all_its_actions() {
    for site in sites().await {
        let create =
            r#"createPost(input: { title: "One", markdown: "Text." }) { post { id } userErrors { code message } }"#;
        let id = mutate(&site, 1, create).await["post"]["id"].clone();
        assert_eq!(
            newest(&site, "actions ... on ContentAuditLogEntry { version }").await,
            json!({ "actions": ["CREATED"], "version": 1 })
        );
        for (number, (field, input, actions)) in CHANGES_OF_A_POST.iter().enumerate() {
            let version = number + 1;
            let mutation = format!(
                "{field}(input: {{ id: {id}, expectedVersion: {version}, {input} }}) {{ userErrors {{ code message }} }}"
            );
            mutate(&site, version + 1, &mutation).await;
            // A deletion has the last version of the post.
            let recorded = if *field == "deletePost" { version } else { version + 1 };
            let expected = json!({ "nodeId": id, "nodeType": "Post", "actions": actions, "version": recorded });
            assert_eq!(
                newest(&site, "actions ... on ContentAuditLogEntry { nodeId nodeType version }").await,
                expected,
                "{mutation}"
            );
        }
        for (second, publish_at, action) in [(30, "2030-01-01", "SCHEDULED"), (31, "2020-01-01", "PUBLISHED")] {
            let create = format!(
                r#"createPost(input: {{ title: "Other", markdown: "", publishAt: "{publish_at}T00:00:00Z" }}) {{ userErrors {{ code message }} }}"#
            );
            mutate(&site, second, &create).await;
            assert_eq!(newest(&site, "actions").await, json!({ "actions": ["CREATED", action] }));
        }
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn one_update_of_a_tag_has_all_its_actions() {
    for site in sites().await {
        for (number, (mutation, actions, slug, version)) in [
            (r#"createTag(input: { slug: "a", name: "A" })"#, &["CREATED"][..], "a", 1),
            (r#"updateTag(input: { @tag(a), name: "B" })"#, &["UPDATED"], "a", 2),
            (r#"updateTag(input: { @tag(a), slug: "b" })"#, &["RENAMED"], "b", 3),
            (r#"updateTag(input: { @tag(b), slug: "c", description: "C" })"#, &["UPDATED", "RENAMED"], "c", 4),
            (r#"deleteTag(input: { @tag(c) })"#, &["DELETED"], "c", 4),
        ]
        .into_iter()
        .enumerate()
        {
            mutate(&site, number, &format!("{mutation} {{ userErrors {{ code message }} }}")).await;
            let expected = json!({ "nodeType": "Tag", "slug": slug, "actions": actions, "version": version });
            assert_eq!(
                newest(&site, "actions ... on ContentAuditLogEntry { nodeType slug version }").await,
                expected,
                "{mutation}"
            );
        }
    }
}

#[tokio::test]
async fn an_entry_of_a_deletion_has_no_node_and_its_last_version() {
    for site in sites().await {
        let create = r#"createPost(input: { title: "One", markdown: "" }) { post { id } userErrors { code } }"#;
        let id = mutate(&site, 1, create).await["post"]["id"].clone();
        let update = format!(
            r#"updatePost(input: {{ id: {id}, expectedVersion: 1, title: "Two", slug: "two" }}) {{ userErrors {{ code }} }}"#
        );
        mutate(&site, 2, &update).await;
        let fields = "actions occurredAt actor { kind name } ... on ContentAuditLogEntry { nodeId slug version node { id ... on Post { title version } } }";
        let query = format!("{{ auditLog {{ nodes {{ {fields} }} }} }}");
        let entry = |slug: &str, version: i32, actions: &[&str], second: i32, node: Value| {
            json!({ "nodeId": id, "slug": slug, "version": version, "actions": actions,
                "occurredAt": format!("2026-06-15T12:00:0{second}.000Z"),
                "actor": { "kind": "SERVER_TOKEN", "name": "TIDINGS_EDITOR_TOKEN" }, "node": node })
        };
        // The object is shown as it is now.
        let now = json!({ "id": id, "title": "Two", "version": 2 });
        let changes = [entry("two", 2, &["UPDATED", "RENAMED"], 2, now.clone()), entry("one", 1, &["CREATED"], 1, now)];
        assert_eq!(ask(&site, &query).await["auditLog"]["nodes"], json!(changes));
        let delete = format!("deletePost(input: {{ id: {id}, expectedVersion: 2 }}) {{ userErrors {{ code }} }}");
        mutate(&site, 3, &delete).await;
        let changes = [
            entry("two", 2, &["DELETED"], 3, Value::Null),
            entry("two", 2, &["UPDATED", "RENAMED"], 2, Value::Null),
            entry("one", 1, &["CREATED"], 1, Value::Null),
        ];
        assert_eq!(ask(&site, &query).await["auditLog"]["nodes"], json!(changes));
    }
}

#[tokio::test]
async fn tags_that_are_created_with_a_post_have_their_entries() {
    for site in sites().await {
        let create = r#"createPost(input: { title: "One", markdown: "", tagSlugs: ["a", "b"], createMissingTags: true }) { userErrors { code } }"#;
        mutate(&site, 1, create).await;
        let entry =
            |kind: &str, slug: &str| json!({ "nodeType": kind, "slug": slug, "actions": ["CREATED"], "version": 1 });
        let entries =
            ask(&site, "{ auditLog { nodes { actions ... on ContentAuditLogEntry { nodeType slug version } } } }")
                .await["auditLog"]["nodes"]
                .clone();
        assert_eq!(entries, json!([entry("Post", "one"), entry("Tag", "a"), entry("Tag", "b")]));
    }
}

/// A site with changes of one to four posts each, in two years.
async fn site_with_changes(store: std::sync::Arc<MemoryStore>) -> Site {
    let site = Site::over(store).await;
    let mut number = 0;
    for (at, posts) in [
        ("2025-03-01T00:00:00Z", 3),
        ("2025-12-31T23:59:59Z", 2),
        ("2026-01-01T00:00:00Z", 4),
        ("2026-06-01T00:00:00Z", 1),
        ("2026-06-15T12:00:00Z", 3),
    ] {
        site.clock.set(instant(at));
        let changes = (0..posts).map(|_| {
            number += 1;
            Change { before: None, after: Some(post(number, instant("2025-01-01T00:00:00Z"))) }
        });
        let outcomes = site
            .content
            .writer()
            .expect("a writer")
            .change_posts_with(changes.collect(), &[], None)
            .await
            .expect("outcomes");
        assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Done), "{outcomes:?}");
    }
    site
}

async fn page(site: &Site, arguments: &str) -> Value {
    let fields =
        "edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";
    ask(site, &format!("{{ auditLog({arguments}) {{ {fields} }} }}")).await["auditLog"].clone()
}

fn values(page: &Value, list: &str, pointer: &str) -> Vec<Value> {
    let items = page[list].as_array().expect("a list").iter();
    items.map(|item| item.pointer(pointer).expect("a value").clone()).collect()
}

#[tokio::test]
async fn pages_of_every_size_have_every_entry_once_also_within_a_change() {
    for store in [MemoryStore::transactional(), MemoryStore::empty()] {
        let site = site_with_changes(store).await;
        assert_eq!(scan(&site.store, Table::Changes.name()).await.len(), 5, "each change is one row");
        let all = page(&site, "first: 100").await;
        let (ids, cursors) = (values(&all, "nodes", "/id"), values(&all, "edges", "/cursor"));
        let distinct: std::collections::BTreeSet<_> = ids.iter().map(Value::to_string).collect();
        assert_eq!((ids.len(), distinct.len()), (13, 13));
        assert_eq!(values(&all, "edges", "/node/id"), ids);
        for first in 0..=14 {
            for after in 0..=13 {
                let arguments = match after {
                    0 => format!("first: {first}"),
                    _ => format!("first: {first}, after: {}", cursors[after - 1]),
                };
                let found = page(&site, &arguments).await;
                let end = (after + first).min(13);
                assert_eq!(values(&found, "nodes", "/id"), ids[after..end], "{arguments}");
                let of = |i: usize| if after == end { Value::Null } else { cursors[i].clone() };
                let expected = json!({ "hasNextPage": end < 13, "hasPreviousPage": after > 0,
                    "startCursor": of(after), "endCursor": of(end.saturating_sub(1)) });
                assert_eq!(found["pageInfo"], expected, "{arguments}");
            }
        }
    }
}

#[tokio::test]
async fn a_page_costs_one_range_read_for_each_year() {
    let site = site_with_changes(MemoryStore::transactional()).await;
    let reads = async |arguments: &str| {
        let cost = site.cost(&format!("{{ auditLog({arguments}) {{ nodes {{ id }} }} }}")).await;
        (cost.point_reads, cost.range_reads)
    };
    assert_eq!(reads("first: 3").await, (0, 1));
    assert_eq!(reads("first: 20").await, (0, 2));
    let cursor = page(&site, "first: 2").await["pageInfo"]["endCursor"].clone();
    assert_eq!(reads(&format!("first: 3, after: {cursor}")).await, (0, 1));
}

/// The row of an import can have an entry for each of hundreds of posts, so the rows after those that a page needs are not decoded.
#[tokio::test]
async fn a_page_decodes_only_the_rows_whose_entries_it_needs() {
    for store in [MemoryStore::transactional(), MemoryStore::empty()] {
        let site = site_with_changes(store).await;
        let all = page(&site, "first: 100").await;
        let rows: Vec<String> = values(&all, "nodes", "/id")
            .iter()
            .map(|id| id.as_str().and_then(|id| id.rsplit_once('-')).expect("an index").0.to_owned())
            .collect();
        let of_first = rows.iter().filter(|row| **row == rows[0]).count();
        let second = rows[of_first].strip_prefix("change-").expect("the id of a change").to_owned();
        let all = scan(&site.store, Table::Changes.name()).await;
        let broken = all.into_iter().find(|row| row.key.row() == second).expect("a row");
        let put = Operation::Put {
            row: broken.key.row().to_owned(),
            properties: broken.properties.without("Items0"),
            precondition: Precondition::None,
        };
        let batch = Batch::new(broken.key.partition(), vec![put]).expect("a batch");
        site.store.commit(Table::Changes.name(), &batch).await.expect("a write");
        // One entry more than the page has shows whether there is a next page.
        assert!(of_first > 1 && of_first < rows.len(), "{rows:?}");
        let first = page(&site, &format!("first: {}", of_first - 1)).await;
        assert_eq!(first["pageInfo"]["hasNextPage"], true);
        let query = format!("{{ auditLog(first: {of_first}) {{ nodes {{ id }} }} }}");
        let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
        assert_eq!(answer["errors"][0]["extensions"]["code"], "INTERNAL_SERVER_ERROR");
    }
}

#[tokio::test]
async fn a_cursor_of_another_list_is_refused() {
    let site = site_with_changes(MemoryStore::empty()).await;
    let posts = ask(&site, "{ posts(first: 1) { pageInfo { endCursor } } }").await["posts"]["pageInfo"].clone();
    for cursor in [&posts["endCursor"], &json!("x"), &json!("")] {
        let query = format!("{{ auditLog(after: {cursor}) {{ nodes {{ id }} }} }}");
        let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
        assert_eq!(answer["errors"][0]["extensions"]["code"], "BAD_CURSOR", "{cursor}");
    }
    let answer = site.ask_as(Some(EDITOR_TOKEN), "{ auditLog(first: 101) { nodes { id } } }").await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
}

#[tokio::test]
async fn node_finds_an_entry_for_editors_only() {
    for store in [MemoryStore::transactional(), MemoryStore::empty()] {
        let site = site_with_changes(store).await;
        site.publish(&[{
            let mut whole = post(40, instant("2026-05-01T00:00:00Z"));
            whole.post.authors = slugs(&["ada"]);
            whole
        }])
        .await;
        let entries = ask(
            &site,
            "{ auditLog(first: 20) { nodes { id ... on ContentAuditLogEntry { nodeId slug } } } }",
        )
        .await["auditLog"]["nodes"]
            .clone();
        let ids: Vec<String> =
            values(&json!({ "entries": entries }), "entries", "/id").iter().map(Value::to_string).collect();
        let query =
            format!("{{ nodes(ids: [{}]) {{ id ... on ContentAuditLogEntry {{ nodeId slug }} }} }}", ids.join(", "));
        let nothing = json!(vec![Value::Null; ids.len()]);
        for role in [Role::Reader, Role::Author, Role::Editor, Role::Admin] {
            let token = site.token(role, (role == Role::Author).then_some("ada")).await;
            let answer = site.ask_as(Some(&token), &query).await;
            let expected = if role >= Role::Editor { &entries } else { &nothing };
            assert_eq!((answer.get("errors"), &answer["data"]["nodes"]), (None, expected), "{role}");
        }
        assert_eq!(site.ask_as(None, &query).await["data"]["nodes"], nothing);
        let row = ids[0].trim_matches('"').rsplit_once('-').expect("an index").0.to_owned();
        for missing in [format!("{row}-99"), format!("{row}-00"), row, "change-0-x-0".to_owned(), "change-".to_owned()]
        {
            assert_eq!(
                ask(&site, &format!("{{ node(id: {missing:?}) {{ id }} }}")).await["node"],
                Value::Null,
                "{missing}"
            );
        }
    }
}
