//! What a client can conclude from what it is charged. The rule: nothing of what it has no access to (I4b), nor of what others do.

use serde_json::json;
use tidings::graphql::fair_use::FairUseSettings;
use tidings::model::Role;

use super::{Limited, rate, site};

/// A draft takes one read more than a slug that nobody has, which an anonymous client must not notice (I4b).
#[tokio::test]
async fn what_is_left_says_nothing_of_drafts() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { address: rate(1, 1_000), ..FairUseSettings::default() });
    let draft =
        "mutation { createPost(input: { title: \"T\", slug: \"a-draft\", markdown: \"x\" }) { userErrors { code } } }";
    assert_eq!(limited.with_token(draft).await.body["data"]["createPost"]["userErrors"], json!([]));
    let left_after = async |slug: &str, address: &str| {
        limited.ask(address, None, &format!("{{ post(slug: \"{slug}\") {{ title }} }}")).await.left()
    };
    let found = [left_after("a-draft", "192.0.2.1").await, left_after("no-draft", "192.0.2.2").await];
    assert_eq!(found, [997, 997]);
    // The owner of the site may know it.
    let open =
        Limited::with(&site, FairUseSettings { address: rate(1, 1_000), ..FairUseSettings::default() }, |service| {
            service.reporting_storage(true)
        });
    let ask = async |slug: &str, address: &str| {
        open.ask(address, None, &format!("{{ b: post(slug: \"{slug}\") {{ title }} }}")).await.left()
    };
    assert_eq!([ask("a-draft", "192.0.2.1").await, ask("no-draft", "192.0.2.2").await], [998, 999]);
}

/// What was read lately, and what an editor saves, are not the client's business either.
#[tokio::test]
async fn an_anonymous_client_is_charged_the_same_whatever_others_do() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { address: rate(1, 1_000), ..FairUseSettings::default() });
    let dry_run = json!("{ posts { totalCount } draftPosts { nodes { id } } }");
    let queries = [
        "posts(first: 5) { nodes { tags { name } } }".to_owned(),
        "posts(first: 1) { pageInfo { hasNextPage } }".to_owned(),
        "tags(first: 3) { nodes { postCount } totalCount }".to_owned(),
        "archive { month }".to_owned(),
        format!("operationCost(query: {dry_run}) {{ requests }}"),
    ];
    for (number, query) in queries.iter().enumerate() {
        let mut seen = Vec::new();
        for (round, what) in ["cold", "warm", "saved", "again"].into_iter().enumerate() {
            match what {
                "cold" => site.invalidate_cached(),
                "saved" => {
                    let draft = format!(
                        "mutation {{ createPost(input: {{ title: \"T\", slug: \"d-{number}\", markdown: \"x\" }}) {{ userErrors {{ code }} }} }}"
                    );
                    assert_eq!(limited.with_token(&draft).await.body["data"]["createPost"]["userErrors"], json!([]));
                }
                _ => {}
            }
            let address = format!("198.51.{number}.{round}");
            let answered = limited.ask(&address, None, &format!("{{ {what}: {query} rateLimit {{ cost }} }}")).await;
            assert_eq!(answered.body.get("errors"), None, "{}", answered.body);
            seen.push((answered.left(), answered.body["data"]["rateLimit"]["cost"].clone()));
        }
        assert!(seen.iter().all(|one| *one == seen[0]), "{query}: {seen:?}");
    }
    let invalid = limited.ask("192.0.2.3", None, "{ nothing }").await;
    assert_eq!(invalid.left(), 1_000, "what was not executed is not charged");
}

/// The draft of another author is NOT_FOUND for an author, as is what does not exist.
#[tokio::test]
async fn what_an_author_has_left_says_nothing_of_the_drafts_of_others() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { token: rate(1, 1_000), ..FairUseSettings::default() });
    let create = async |slug: &str| {
        let draft = format!(
            "mutation {{ createPost(input: {{ title: \"T\", slug: {slug:?}, markdown: \"x\" }}) {{ post {{ id }} }} }}"
        );
        let created = limited.with_token(&draft).await.body;
        created["data"]["createPost"]["post"]["id"].as_str().expect("an id").to_owned()
    };
    let (id, unknown) = (create("a-draft").await, create("deleted").await);
    let delete = format!("mutation {{ deletePost(input: {{ id: {unknown:?}, expectedVersion: 1 }}) {{ deletedId }} }}");
    assert_eq!(limited.with_token(&delete).await.body.get("errors"), None);
    let author = site.token(Role::Author, Some("grace")).await;
    let charged = async |id: &str| {
        let before = limited.ask("192.0.2.1", Some(&author), "{ rateLimit { remaining } }").await.left();
        let change = format!(
            "mutation {{ deletePost(input: {{ id: {id:?}, expectedVersion: 1 }}) {{ userErrors {{ code }} }} }}"
        );
        let refused = limited.ask("192.0.2.1", Some(&author), &change).await;
        assert_eq!(refused.body["data"]["deletePost"]["userErrors"][0]["code"], "NOT_FOUND", "{}", refused.body);
        before - refused.left()
    };
    let found = [charged(&id).await, charged(&unknown).await];
    assert!(found[0] > 0 && found[0] == found[1], "{found:?}");
}
