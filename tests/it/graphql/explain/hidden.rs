//! Plans and posts that a client has no access to. The rule: a plan does not show that a draft or a scheduled post exists to a client that looks for it, and
//! no key of one.

use serde_json::{Value, json};
use tidings::model::WholePost;
use tidings::testing::Change;

use super::{AS_EDITOR, EXPLAIN, Server, fill, holding, requests};
use crate::support::site::{Site, instant, post, slugs};

/// A draft, and a post that is scheduled for the next month.
fn hidden() -> [WholePost; 2] {
    let mut draft = post(900, instant("2026-05-05T00:00:00Z"));
    draft.post.published_at = None;
    let mut scheduled = post(901, instant("2026-07-07T00:00:00Z"));
    for whole in [&mut draft, &mut scheduled] {
        whole.post.authors = slugs(&["author-0"]);
        whole.post.tags = slugs(&["tag-0"]);
        whole.post.former_slugs = slugs(&[&format!("old-{}", whole.post.slug)]);
    }
    [draft, scheduled]
}

async fn site(with_hidden: bool) -> Site {
    let site = Site::in_memory().await;
    fill(&site).await;
    if with_hidden {
        let changes = hidden().map(|post| Change { before: None, after: Some(post) }).into();
        site.content
            .writer()
            .expect("a writer")
            .change_posts_with(changes, &[], None)
            .await
            .expect("posts are written");
        site.invalidate_cached();
    }
    site
}

/// The plan without times.
fn timeless(mut plan: Value) -> Value {
    plan["spent"]["microseconds"].take();
    for request in plan["requests"].as_array_mut().expect("requests") {
        request["start"].take();
        request["duration"].take();
    }
    plan
}

fn look_ups() -> Vec<String> {
    let of_each = |whole: &WholePost| {
        let (id, slug) = (whole.post.id.to_string(), whole.post.slug.to_string());
        [
            format!("{{ post(slug: \"{slug}\") {{ title }} }}"),
            format!("{{ post(slug: \"{slug}\") {{ title body {{ text }} }} }}"),
            format!("{{ post(slug: \"old-{slug}\") {{ title }} }}"),
            format!(
                "{{ hidden: post(slug: \"old-{slug}\") {{ title }} other: post(slug: \"post-1\") {{ tags {{ name }} }} }}"
            ),
            format!("{{ node(id: \"{id}\") {{ id }} other: post(slug: \"post-1\") {{ title tags {{ name }} }} }}"),
        ]
    };
    hidden().iter().flat_map(of_each).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_of_a_look_up_of_a_hidden_post_is_that_of_a_post_that_never_existed() {
    let (with, without) = (site(true).await, site(false).await);
    for query in look_ups() {
        let plans = [&with, &without].map(|site| async {
            site.invalidate_cached();
            let server = Server::of(site, true);
            (server.ask(&[], &json!({ "query": query })).await, timeless(server.plan(&query).await))
        });
        let [of_with, of_without] = plans;
        let (of_with, of_without) = (of_with.await, of_without.await);
        assert_eq!(of_with, of_without, "{query}");
    }
}

/// Lists may read more because of a scheduled post, but no key of one.
#[tokio::test(flavor = "multi_thread")]
async fn no_plan_has_a_key_of_a_hidden_post() {
    let site = site(true).await;
    let lists = [
        "{ posts(first: 20) { nodes { title tags { name posts(first: 5) { nodes { title } totalCount } } } totalCount } }",
        "{ archive { year month postCount } authors(first: 5) { nodes { name posts(last: 5) { nodes { title } } postCount } } }",
    ];
    let names: Vec<String> =
        hidden().iter().flat_map(|whole| [whole.post.slug.to_string(), whole.post.id.as_str().to_owned()]).collect();
    let asked = look_ups();
    for query in lists.into_iter().chain(asked.iter().map(String::as_str)) {
        site.invalidate_cached();
        let plan = Server::of(&site, true).plan(query).await;
        for request in requests(&plan) {
            let of_drafts = request["table"] == "Drafts" || request["partitionKey"] == "2026-07";
            let row = request["rowKey"].as_str().unwrap_or_default();
            // The client has sent the key of `PostKeys` itself.
            let is_named = request["table"] != "PostKeys" && names.iter().any(|name| row.contains(name.as_str()));
            assert!(!of_drafts && !is_named, "{query} {request}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_sees_the_requests_for_a_draft() {
    let site = site(true).await;
    let query = format!("{{ post(slug: \"{}\") {{ title }} }}", hidden()[0].post.slug);
    let answer = Server::of(&site, false).ask(&[EXPLAIN, AS_EDITOR], &json!({ "query": query })).await;
    let tables: Vec<&Value> =
        requests(&answer["extensions"]["explain"]).iter().map(|request| &request["table"]).collect();
    assert_eq!(tables, ["PostKeys", "Drafts"]);
}

/// A second look-up finds what the first one has left in memory.
#[tokio::test(flavor = "multi_thread")]
async fn an_author_who_looks_again_sees_the_plan_of_a_post_that_never_existed() {
    let mut of_sites = Vec::new();
    for with_hidden in [true, false] {
        let site = holding(site(with_hidden).await);
        let token = format!("Bearer {}", site.token(tidings::model::Role::Author, Some("author-1")).await);
        let server = Server::of(&site, true);
        let mut plans = Vec::new();
        for query in look_ups() {
            site.invalidate_cached();
            for _ in 0..3 {
                let headers = [EXPLAIN, ("Authorization", token.as_str())];
                let mut answer = server.ask(&headers, &json!({ "query": query })).await;
                let plan = timeless(answer["extensions"]["explain"].take());
                plans.push((query.clone(), answer, plan));
            }
        }
        of_sites.push(plans);
    }
    let mut hits = 0;
    let of_without = of_sites.pop().expect("a site without hidden posts");
    for (of_with, of_without) in of_sites.pop().expect("a site with hidden posts").into_iter().zip(of_without) {
        hits += of_with.2["spent"]["hits"].as_u64().expect("hits");
        assert_eq!(of_with, of_without);
    }
    assert!(hits > 0, "nothing was held");
}

/// An editor sees both, so what an editor has asked for is held of neither.
#[tokio::test(flavor = "multi_thread")]
async fn a_look_up_of_an_editor_changes_no_plan_of_others() {
    let (with, without) = (holding(site(true).await), holding(site(false).await));
    for query in look_ups() {
        let mut plans = Vec::new();
        for site in [&with, &without] {
            site.invalidate_cached();
            let server = Server::of(site, true);
            server.ask(&[AS_EDITOR], &json!({ "query": query.replace("other: post(slug: \"post-1\")", "other: post(slug: \"post-2\")") })).await;
            plans.push(timeless(server.plan(&query).await));
        }
        assert_eq!(plans[0], plans[1], "{query}");
    }
}

/// An author can make the server read a draft of another, to refuse a change of it.
#[tokio::test(flavor = "multi_thread")]
async fn the_plan_of_an_author_has_no_keys() {
    let site = site(true).await;
    let token = format!("Bearer {}", site.token(tidings::model::Role::Author, Some("author-1")).await);
    let deletes = format!(
        "mutation {{ deletePost(input: {{ id: \"{}\", expectedVersion: 1 }}) {{ userErrors {{ code }} }} }}",
        hidden()[0].post.id
    );
    let server = Server::of(&site, true);
    let answer = server.ask(&[EXPLAIN, ("Authorization", &token)], &json!({ "query": deletes })).await;
    let found = requests(&answer["extensions"]["explain"]);
    assert!(found.len() >= 2 && found.iter().all(|request| request["partitionKey"] == "(secret)"), "{answer:#}");
    assert!(found.iter().all(|request| request.get("rowKey").is_none_or(|key| key == "(secret)")), "{answer:#}");
}
