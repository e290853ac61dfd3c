//! Renaming and deleting categories, tags and authors.

use serde_json::{Value, json};
use tidings::ingest::ImportOptions;
use tidings::model::{TermKind, WholePost};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post, slugs, term_id};

async fn site() -> Site {
    let site = Site::in_memory().await;
    let mut posts: Vec<WholePost> =
        (0..3).map(|n| post(n, instant(&format!("2026-05-0{}T00:00:00Z", n + 1)))).collect();
    posts[0].post.tags = slugs(&["rust", "web"]);
    posts[1].post.tags = slugs(&["rust"]);
    posts[2].post.published_at = None;
    posts[2].post.categories = slugs(&["plans"]);
    site.publish(&posts).await;
    site
}

async fn mutate(site: &Site, mutation: &str) -> Value {
    let answer = site.mutate(&format!("mutation {{ {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body.get("errors"), None, "{mutation}");
    let data = answer.body["data"].as_object().expect("data").values().next().cloned().expect("one field");
    site.assert_sound().await;
    data
}

async fn rename(site: &Site, slug: &str, new_slug: &str) -> Value {
    let fields = "tag { id slug name } userErrors { code field }";
    mutate(site, &format!(r#"updateTag(input: {{ @tag({slug}), slug: "{new_slug}" }}) {{ {fields} }}"#)).await
}

fn nodes(data: &Value, slugs: &[&str]) -> bool {
    let found = data["nodes"].as_array().expect("nodes").iter().map(|node| node["slug"].as_str().expect("a slug"));
    found.eq(slugs.iter().copied())
}

const RENAMES: [&str; 2] = ["ruby", "crab"];

#[tokio::test]
async fn both_slugs_of_a_renamed_tag_find_it_and_its_posts() {
    for new in RENAMES {
        let site = site().await;
        let renamed = rename(&site, "rust", new).await;
        assert_eq!(
            renamed,
            json!({ "tag": { "id": term_id(TermKind::Tag, "rust"), "slug": new, "name": "The tag rust" }, "userErrors": [] })
        );
        for slug in ["rust", new] {
            let list = "totalCount nodes { slug tags { slug } }";
            let query = format!(
                r#"{{ tag(slug: "{slug}") {{ slug posts {{ {list} }} }}
                     one: posts(filter: {{ tags: {{ all: ["{slug}"] }} }}) {{ {list} }}
                     two: posts(filter: {{ tags: {{ all: ["web", "{slug}"] }} }}) {{ {list} }}
                     any: posts(filter: {{ tags: {{ any: ["web", "{slug}", "none"] }} }}) {{ {list} }}
                     no: posts(filter: {{ tags: {{ none: ["{slug}"] }} }}) {{ {list} }}
                     not: tag(slug: "web") {{ posts(filter: {{ tags: {{ none: ["{slug}"] }} }}) {{ {list} }} }} }}"#
            );
            let data = site.query(&query).await;
            let posts = &data["tag"]["posts"];
            assert_eq!((&data["tag"]["slug"], &posts["totalCount"]), (&json!(new), &json!(2)), "{slug}");
            assert!(nodes(posts, &["post-1", "post-0"]) && nodes(&data["one"], &["post-1", "post-0"]), "{data}");
            assert!(nodes(&data["two"], &["post-0"]) && nodes(&data["any"], &["post-1", "post-0"]), "{data}");
            assert_eq!(data["one"]["totalCount"], json!(2));
            let nothing = json!({ "totalCount": 0, "nodes": [] });
            assert_eq!((&data["no"], &data["not"]["posts"]), (&nothing, &nothing), "{slug}");
            assert_eq!(posts["nodes"][0]["tags"], json!([{ "slug": new }]));
        }
        let listed = site.query("{ tags { totalCount nodes { slug } } }").await;
        assert_eq!(listed["tags"]["totalCount"], json!(2));
    }
}

#[tokio::test]
async fn every_slug_of_a_tag_finds_it_with_at_most_two_reads() {
    let site = site().await;
    for (from, to) in [("rust", "ruby"), ("ruby", "crab"), ("rust", "oxide"), ("oxide", "rust"), ("ruby", "crab")] {
        assert_eq!(rename(&site, from, to).await["tag"]["slug"], json!(to), "{from} {to}");
    }
    for slug in ["rust", "ruby", "crab", "oxide"] {
        let query = format!(r#"{{ tag(slug: "{slug}") {{ id slug }} }}"#);
        assert_eq!(site.query(&query).await["tag"], json!({ "id": term_id(TermKind::Tag, "rust"), "slug": "crab" }));
        assert!(site.cost(&query).await.point_reads <= 2, "{slug}");
    }
}

#[tokio::test]
async fn a_current_or_former_slug_of_another_tag_is_refused_and_nothing_changes() {
    let site = site().await;
    rename(&site, "web", "net").await;
    for taken in ["web", "net"] {
        let mutation = format!(
            r#"updateTag(input: {{ @tag(rust), slug: "{taken}", name: "Other" }}) {{ tag {{ slug }} userErrors {{ code field }} }}"#
        );
        let refused = mutate(&site, &mutation).await;
        assert_eq!(refused, json!({ "tag": null, "userErrors": [{ "code": "TAKEN", "field": ["input", "slug"] }] }));
    }
    assert_eq!(site.query(r#"{ tag(slug: "rust") { name } }"#).await["tag"]["name"], json!("The tag rust"));
    assert_eq!(rename(&site, "none", "other").await["userErrors"][0]["code"], json!("NOT_FOUND"));
    assert_eq!(rename(&site, "rust", "no slug!").await["userErrors"][0]["field"], json!(["input", "slug"]));
}

/// Readers follow former slugs; inputs take present slugs only.
#[tokio::test]
async fn an_input_that_names_a_term_by_a_former_slug_is_refused_with_the_present_slug() {
    let site = site().await;
    mutate(&site, r#"createAuthor(input: { slug: "ada", name: "Ada" }) { author { id } }"#).await;
    rename(&site, "rust", "crab").await;
    rename(&site, "crab", "oxide").await;
    for (kind, from, to) in [("Category", "plans", "schemes"), ("Author", "ada", "lovelace")] {
        let named = format!("@{}({from})", kind.to_lowercase());
        let update = format!(r#"update{kind}(input: {{ {named}, slug: "{to}" }}) {{ userErrors {{ code }} }}"#);
        assert_eq!(mutate(&site, &update).await, json!({ "userErrors": [] }));
    }
    let draft = site.ask_as(Some(EDITOR_TOKEN), "{ draftPosts { nodes { id } } }").await;
    let id = draft["data"]["draftPosts"]["nodes"][0]["id"].as_str().expect("an id").to_owned();
    let (create, update) =
        (r#"createPost(input: { title: "New", markdown: "x""#, "updatePost(input: { expectedVersion: 1");
    let update = format!(r#"{update}, id: "{id}""#);
    let errors = "userErrors { code field message ... on NotFoundError { slug suggestions } }";
    for (field, shown, former, present) in [
        ("tagSlugs", "tags", "rust", "oxide"),
        ("tagSlugs", "tags", "crab", "oxide"),
        ("categorySlugs", "categories", "plans", "schemes"),
        ("authorSlugs", "authors", "ada", "lovelace"),
    ] {
        for input in [create, &update] {
            let refused =
                mutate(&site, &format!(r#"{input}, {field}: ["{former}"] }}) {{ post {{ id }} {errors} }}"#)).await;
            let error = &refused["userErrors"][0];
            let expected = json!({ "code": "NOT_FOUND", "field": ["input", field], "suggestions": [present] });
            let found = json!({ "code": error["code"], "field": error["field"], "suggestions": error["suggestions"] });
            assert_eq!((&refused["post"], found), (&Value::Null, expected), "{input} {former}");
            assert!(error["message"].as_str().is_some_and(|text| text.contains(present)), "{error}");
        }
        let selected = format!("post {{ {shown} {{ slug }} }} userErrors {{ code }}");
        let made = mutate(&site, &format!(r#"{create}, {field}: ["{present}"] }}) {{ {selected} }}"#)).await;
        assert_eq!(made["post"][shown], json!([{ "slug": present }]));
    }
    let token = async |author: &str| {
        let input = format!(r#"name: "By {author}", role: AUTHOR, authorSlug: "{author}""#);
        mutate(&site, &format!("createToken(input: {{ {input} }}) {{ token {{ name }} {errors} }}")).await
    };
    let refused = token("ada").await;
    assert_eq!((&refused["token"], &refused["userErrors"][0]["suggestions"]), (&Value::Null, &json!(["lovelace"])));
    assert_eq!(token("lovelace").await["token"]["name"], json!("By lovelace"));
}

#[tokio::test]
async fn a_term_that_a_post_or_a_draft_has_is_not_deleted() {
    let site = site().await;
    for delete in ["deleteTag(input: { @tag(rust) })", "deleteCategory(input: { @category(plans) })"] {
        let asked = format!("{delete} {{ deletedId userErrors {{ code field }} }}");
        let refused = mutate(&site, &asked).await;
        let expected = json!({ "deletedId": null, "userErrors": [{ "code": "IN_USE", "field": ["input", "id"] }] });
        assert_eq!(refused, expected);
    }
}

#[tokio::test]
async fn all_slugs_of_a_deleted_tag_are_free_again() {
    let site = site().await;
    let saved = mutate(&site, r#"createTag(input: { slug: "free", name: "Free" }) { tag { id } }"#).await;
    rename(&site, "free", "open").await;
    let delete = r#"deleteTag(input: { @tag(free) }) { deletedId userErrors { code } }"#;
    assert_eq!(mutate(&site, delete).await, json!({ "deletedId": saved["tag"]["id"], "userErrors": [] }));
    let gone = site.query(r#"{ a: tag(slug: "free") { id } b: tag(slug: "open") { id } tags { totalCount } }"#).await;
    assert_eq!(gone, json!({ "a": null, "b": null, "tags": { "totalCount": 2 } }));
    assert_eq!(mutate(&site, delete).await["userErrors"][0]["code"], json!("NOT_FOUND"));
    assert_eq!(rename(&site, "rust", "open").await["tag"]["slug"], json!("open"));
}

/// An import of the export after a rename gives the same terms, ids and posts.
#[tokio::test]
async fn a_renamed_term_is_the_same_after_export_and_import() {
    let site = site().await;
    rename(&site, "rust", "crab").await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("all.jsonl");
    let mut out = Vec::new();
    tidings::export::export(&site.content, &mut out).await.expect("an export");
    std::fs::write(&file, &out).expect("a file");
    let other = Site::in_memory().await;
    for _ in 0..2 {
        let source = tidings::import::open(&file, None).expect("a source");
        let report = tidings::ingest::import(&other.content, source.into(), ImportOptions::default(), |_, _| {}).await;
        assert_eq!(report.expect("an import").failed, Vec::new());
    }
    other.assert_sound().await;
    let mut again = Vec::new();
    tidings::export::export(&other.content, &mut again).await.expect("an export");
    assert_eq!(String::from_utf8(again), String::from_utf8(out));
}
