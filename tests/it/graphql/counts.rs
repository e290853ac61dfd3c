//! `postCount` of categories, tags and authors. The rule: it equals the `totalCount` of the term's posts, after posts are
//! created, published, made drafts and deleted, and after a rename.

use serde_json::{Value, json};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

async fn mutate(site: &Site, mutation: &str) -> Value {
    let answer = site.mutate(mutation, json!({}), Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body.get("errors"), None, "{mutation}");
    answer.body["data"].clone()
}

/// The counts of the category, the tag and the author, each by `postCount`; `totalCount` must be the same.
async fn counts(site: &Site, tag: &str) -> [i64; 3] {
    let fields = "postCount posts(first: 0) { totalCount }";
    let query = format!(
        "{{ a: category(slug: \"news\") {{ {fields} }} b: tag(slug: \"{tag}\") {{ {fields} }} c: author(slug: \"ada\") {{ {fields} }} }}"
    );
    let data = site.query(&query).await;
    ["a", "b", "c"].map(|term| {
        assert_eq!(data[term]["postCount"], data[term]["posts"]["totalCount"], "{term}: {data}");
        data[term]["postCount"].as_i64().expect("a number")
    })
}

#[tokio::test]
async fn drafts_and_scheduled_posts_do_not_count_and_a_renamed_term_keeps_its_count() {
    let site = Site::in_memory().await;
    for mutation in [
        "mutation { createCategory(input: { slug: \"news\", name: \"news\" }) { userErrors { code } } }",
        "mutation { createTag(input: { slug: \"rust\", name: \"rust\" }) { userErrors { code } } }",
        "mutation { createAuthor(input: { slug: \"ada\", name: \"ada\" }) { userErrors { code } } }",
    ] {
        mutate(&site, mutation).await;
    }
    assert_eq!(counts(&site, "rust").await, [0, 0, 0]);
    let create = |title: &str, publish_at: &str, tags: &str| {
        format!(
            "mutation {{ createPost(input: {{ title: \"{title}\", markdown: \"x\", authorSlugs: [\"ada\"], categorySlugs: [\"news\"], tagSlugs: {tags}, createMissingTags: true{publish_at} }}) \
             {{ post {{ id version }} userErrors {{ code }} }} }}"
        )
    };
    mutate(&site, &create("A draft", "", "[\"rust\"]")).await;
    assert_eq!(counts(&site, "rust").await, [0, 0, 0]);
    mutate(&site, &create("Scheduled", ", publishAt: \"2099-01-01T00:00:00Z\"", "[\"rust\"]")).await;
    assert_eq!(counts(&site, "rust").await, [0, 0, 0]);
    let first = mutate(&site, &create("First", ", publishAt: \"2020-01-01T00:00:00Z\"", "[\"rust\"]")).await;
    mutate(&site, &create("Second", ", publishAt: \"2020-01-02T00:00:00Z\"", "[]")).await;
    assert_eq!(counts(&site, "rust").await, [2, 1, 2]);
    mutate(&site, "mutation { updateTag(input: { @tag(rust), slug: \"rustlang\" }) { userErrors { code } } }").await;
    assert_eq!(counts(&site, "rustlang").await, [2, 1, 2]);
    assert_eq!(counts(&site, "rust").await, [2, 1, 2], "by the former slug");
    let id = &first["createPost"]["post"]["id"];
    mutate(
        &site,
        &format!("mutation {{ deletePost(input: {{ id: {id}, expectedVersion: 1 }}) {{ userErrors {{ code }} }} }}"),
    )
    .await;
    assert_eq!(counts(&site, "rustlang").await, [1, 0, 1]);
    site.assert_sound().await;
}

/// A field of a mutation reads what the fields before it have changed.
#[tokio::test]
async fn each_field_of_a_mutation_counts_again() {
    let site = Site::in_memory().await;
    let create = "mutation { createPost(input: { title: \"A\", markdown: \"x\", tagSlugs: [\"rust\"], createMissingTags: true }) { post { id } userErrors { code } } }";
    let id = mutate(&site, create).await["createPost"]["post"]["id"].clone();
    let fields = "post { tags { name postCount } } userErrors { code }";
    let data = mutate(
        &site,
        &format!(
            "mutation {{ a: publishPost(input: {{ id: {id}, expectedVersion: 1 }}) {{ {fields} }} \
             b: updateTag(input: {{ @tag(rust), name: \"Rust\" }}) {{ tag {{ name postCount }} userErrors {{ code }} }} \
             c: unpublishPost(input: {{ id: {id}, expectedVersion: 2 }}) {{ {fields} }} }}"
        ),
    )
    .await;
    let tag = |name: &str, count: u32| json!({ "name": name, "postCount": count });
    assert_eq!(data["a"]["post"]["tags"], json!([tag("rust", 1)]));
    assert_eq!(data["b"]["tag"], json!({ "name": "Rust", "postCount": 1 }));
    assert_eq!(data["c"]["post"]["tags"], json!([tag("Rust", 0)]), "{data}");
}

/// Aliases of `totalCount` read nothing again.
#[tokio::test]
async fn several_aliases_of_a_total_count_cost_one_count() {
    let site = Site::in_memory().await;
    mutate(&site, "mutation { createTag(input: { slug: \"rust\", name: \"Rust\" }) { userErrors { code } } }").await;
    let list = |fields: &str| format!("{{ posts(filter: {{ tags: {{ none: [\"rust\"] }} }}) {{ {fields} }} }}");
    let (one, three) = (list("totalCount"), list("totalCount b: totalCount c: totalCount"));
    let (one, three) = (site.cost(&one).await, site.cost(&three).await);
    assert_eq!((one.point_reads, one.range_reads), (three.point_reads, three.range_reads));
}
