//! `extensions.explain`: the plan of a request. The rule: a plan names each storage request and the fields that it was made for, and asking for it changes
//! neither the answer nor the requests.

mod azurite;
mod fields;
mod hidden;
mod sent;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use serde_json::{Value, json};
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::http::health::Readiness;
use tidings::http::{HttpSettings, Writes, router};
use tower::ServiceExt;

use super::price::examples::{self, Kind};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{NOW, Site, instant, post, slugs};

/// A server that reports plans to everyone.
pub struct Server {
    router: Router,
}

impl Server {
    pub fn of(site: &Site, reports_storage: bool) -> Self {
        let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
        let sign_in = SignIn { editor_token, ..SignIn::default() };
        let service = ContentService::new(site.content.clone(), STORAGE_REQUESTS_MAX).with_sign_in(sign_in);
        let service = Arc::new(service.reporting_storage(reports_storage));
        let readiness = Readiness::new(async || Ok(None));
        let settings = HttpSettings { batch_max: 10, ..HttpSettings::default() };
        Self { router: router(service, readiness, Writes::default(), settings) }
    }

    pub async fn ask(&self, headers: &[(&str, &str)], body: &Value) -> Value {
        let mut request = Request::post("/graphql").header(header::CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_string())).expect("a request");
        // On a worker thread, as in the server, so that the loaders gather.
        let sent = tokio::spawn(self.router.clone().oneshot(request)).await.expect("no panic");
        let bytes = to_bytes(sent.expect("an answer").into_body(), usize::MAX).await.expect("a body");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// The plan of an anonymous request.
    pub async fn plan(&self, query: &str) -> Value {
        let mut answer = self.ask(&[EXPLAIN], &json!({ "query": query })).await;
        assert_eq!(answer.get("errors"), None, "{query}");
        let plan = answer["extensions"]["explain"].take();
        for figure in ["storageRequests", "roundTrips", "rows"] {
            let [spent, bound] = ["spent", "bound"].map(|of| plan[of][figure].as_u64().expect("a figure"));
            assert!(spent <= bound, "{figure}: {spent} spent, at most {bound}: {query}");
        }
        plan
    }
}

pub const EXPLAIN: (&str, &str) = ("GraphQL-Explain", "report");
const COST: (&str, &str) = ("GraphQL-Cost", "report");
pub const AS_EDITOR: (&str, &str) = ("Authorization", "Bearer the-editor-token-of-the-tests");

/// Posts an hour apart, two authors and three tags in turn.
pub async fn fill(site: &Site) {
    let posts = (0..12).map(|n| {
        let at = instant(NOW).ticks() - 1 - n as i64 * 36_000_000_000;
        let mut whole = post(n, tidings::model::Instant::from_ticks(at).expect("ticks"));
        whole.post.authors = slugs(&[&format!("author-{}", n % 2)]);
        whole.post.tags = slugs(&[&format!("tag-{}", n % 3)]);
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
    site.invalidate_cached();
}

/// The same site, whose server holds values, as one on a file does.
pub fn holding(site: Site) -> Site {
    Site { content: site.content.caching_values(1 << 20), ..site }
}

pub fn requests(plan: &Value) -> &Vec<Value> {
    plan["requests"].as_array().expect("requests")
}

/// Each field of a plan with the bound of its own storage requests, as far as it has any.
fn bounds_of_fields(fields: &Value, into: &mut BTreeMap<String, u64>) {
    for field in fields.as_array().expect("fields") {
        let bound = field["bound"].as_u64().expect("a bound");
        if bound > 0 {
            into.insert(field["path"].as_str().expect("a path").to_owned(), bound);
        }
        bounds_of_fields(&field["fields"], into);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_names_each_request_with_its_keys_and_the_loader_that_it_was_made_for() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let server = Server::of(&site, true);
    let plan = server.plan("{ list: posts(first: 3) { nodes { title author { name } tags { name } } } }").await;
    let found: Vec<Value> = requests(&plan)
        .iter()
        .map(|request| {
            let key = request.get("rowKey").cloned().unwrap_or(Value::Null);
            json!([
                request["kind"],
                request["table"],
                request["partitionKey"],
                key,
                request["roundTrip"],
                request["loader"]
            ])
        })
        .collect();
    let mut expected = vec![
        json!(["RANGE", "Months", "all", null, 1, "pages"]),
        json!(["RANGE", "Posts", "2026-06", null, 2, "pages"]),
    ];
    let author = |n: u64| json!(["POINT", "Authors", "a", format!("author-{n}"), 3, "terms"]);
    let tag = |n: u64| json!(["POINT", "Tags", "t", format!("tag-{n}"), 3, "terms"]);
    expected.extend([tag(0), tag(1), tag(2), author(0), author(1)]);
    let sorted = |mut of: Vec<Value>| {
        of.sort_by_key(Value::to_string);
        of
    };
    assert_eq!(sorted(found), sorted(expected), "{plan:#}");
    let spent = &plan["spent"];
    assert_eq!(
        (&spent["storageRequests"], &spent["pointReads"], &spent["rangeReads"]),
        (&json!(7), &json!(5), &json!(2))
    );
    assert_eq!((&spent["roundTrips"], &plan["executed"], &plan["notListed"]), (&json!(3), &json!(true), &json!(0)));
    let rows: u64 = requests(&plan).iter().filter_map(|request| request["rows"].as_u64()).sum();
    let bytes: u64 = requests(&plan).iter().filter_map(|request| request["bytes"].as_u64()).sum();
    assert_eq!((spent["rows"].as_u64(), spent["bytes"].as_u64()), (Some(rows), Some(bytes)));
    // The tags and the authors are one batch.
    let batches: Vec<&Value> =
        requests(&plan).iter().filter(|request| request["kind"] == "POINT").map(|request| &request["batch"]).collect();
    assert!(batches.iter().all(|batch| batch.is_u64() && *batch == batches[0]), "{plan:#}");
}

/// With the header and without it: the answer, and the storage requests. One worker, because with more of them chance decides what loaders gather.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn asking_for_the_plan_changes_neither_the_answer_nor_the_requests() {
    let site = Site::in_memory().await;
    let id = examples::import_blog(&site).await;
    let server = Server::of(&site, true);
    for example in examples::all(Kind::Query) {
        let mut variables = example.variables;
        examples::complete(&mut variables, &example.query, &id);
        let body = json!({ "query": example.query, "variables": variables });
        site.invalidate_cached();
        let plain = server.ask(&[AS_EDITOR, COST], &body).await;
        site.invalidate_cached();
        let explained = server.ask(&[AS_EDITOR, COST, EXPLAIN], &body).await;
        assert_eq!(explained["data"], plain["data"], "{}", example.place);
        let storage = |answer: &Value| {
            let mut spent = answer["extensions"]["operationCost"]["spent"].clone();
            // How much of what is sent together is on its way at the same time is not defined.
            assert!(spent["roundTrips"].take().is_u64(), "{}", example.place);
            spent
        };
        assert_eq!(storage(&explained), storage(&plain), "{}", example.place);
        let plan = &explained["extensions"]["explain"];
        let counts = ["POINT", "RANGE", "TRANSACTION"].map(|kind| {
            let of_kind = requests(plan).iter().filter(|request| request["kind"] == kind);
            of_kind.count() as u64
        });
        let spent = ["pointReads", "rangeReads", "transactions"].map(|name| plan["spent"][name].as_u64().expect(name));
        assert_eq!((counts, &plan["notListed"]), (spent, &json!(0)), "{}", example.place);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_for_those_who_may_know_the_cost_and_no_answer_with_one_is_cached() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let body = json!({ "query": "{ posts(first: 1) { nodes { id } } }" });
    let closed = Server::of(&site, false);
    assert_eq!(closed.ask(&[EXPLAIN], &body).await.get("extensions"), None);
    assert!(closed.ask(&[EXPLAIN, AS_EDITOR], &body).await["extensions"]["explain"].is_object());
    let refused = closed.ask(&[("GraphQL-Explain", "true")], &body).await;
    assert_eq!(refused["errors"][0]["extensions"]["code"], "BAD_REQUEST");
    let open = Server::of(&site, true);
    for _ in 0..2 {
        assert_eq!(open.ask(&[], &body).await.get("extensions"), None);
        site.invalidate_cached();
        assert_eq!(open.ask(&[EXPLAIN], &body).await["extensions"]["explain"]["spent"]["rangeReads"], 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_of_tokens_are_not_shown() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let token = site.token(tidings::model::Role::Editor, None).await;
    site.invalidate_cached();
    let bearer = format!("Bearer {token}");
    let server = Server::of(&site, false);
    let mut answer =
        server.ask(&[EXPLAIN, ("Authorization", &bearer)], &json!({ "query": "{ viewer { name } }" })).await;
    let plan = answer["extensions"]["explain"].take();
    let of_tokens: Vec<&Value> = requests(&plan).iter().filter(|request| request["table"] == "Tokens").collect();
    assert_eq!(of_tokens.len(), 1, "{plan:#}");
    assert_eq!((&of_tokens[0]["partitionKey"], &of_tokens[0]["rowKey"]), (&json!("(secret)"), &json!("(secret)")));
    assert_eq!(of_tokens[0]["loader"], Value::Null, "the sign-in is for no loader");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_explained_too() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let create = "mutation { first: createTag(input: { name: \"New\", slug: \"new\" }) { tag { id } userErrors { code } } second: createTag(input: { name: \"Next\", slug: \"next\" }) { tag { id } } }";
    let mut answer = Server::of(&site, false).ask(&[EXPLAIN, AS_EDITOR], &json!({ "query": create })).await;
    let plan = answer["extensions"]["explain"].take();
    assert_eq!(answer["data"]["first"]["userErrors"], json!([]));
    let transactions = requests(&plan).iter().filter(|request| request["kind"] == "TRANSACTION");
    let transactions: Vec<_> = transactions.map(|request| &request["table"]).collect();
    assert_eq!(transactions, ["*", "*"], "{plan:#}");
}

/// A page of 100 posts, each with tags of its own.
#[tokio::test(flavor = "multi_thread")]
async fn the_requests_that_are_listed_have_a_maximum() {
    let site = Site::in_memory().await;
    let posts = (0..100).map(|n| {
        let mut whole = post(n, instant("2026-06-01T00:00:00Z"));
        let tags: Vec<String> = (0..12).map(|tag| format!("tag-{n}-{tag}")).collect();
        whole.post.tags = slugs(&tags.iter().map(String::as_str).collect::<Vec<_>>());
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
    site.invalidate_cached();
    let plan = Server::of(&site, true).plan("{ posts(first: 100) { nodes { tags { name } } } }").await;
    assert_eq!((requests(&plan).len(), &plan["notListed"]), (1_000, &json!(202)));
    assert_eq!(plan["spent"]["storageRequests"], 1_202);
}

/// Each key of a loader is found for itself; the plan has their number for each table.
#[tokio::test(flavor = "multi_thread")]
async fn hits_are_grouped_by_table() {
    let site = holding(Site::in_memory().await);
    fill(&site).await;
    let ids: Vec<String> =
        (0..5).map(|n| format!("post-{}", post(n, instant("2010-01-01T00:00:00Z")).post.id)).collect();
    let query = format!("{{ list: nodes(ids: {ids:?}) {{ ... on Post {{ title tags {{ name }} }} }} }}");
    let server = Server::of(&site, true);
    let cold = server.plan(&query).await;
    assert_eq!((&cold["hits"], &cold["hitsNotListed"], requests(&cold).len()), (&json!([]), &json!(0), 5 * 2 + 3));
    let warm = server.plan(&query).await;
    assert_eq!((&warm["requests"], &warm["hitsNotListed"]), (&json!([]), &json!(0)));
    let group = |table: &str, count: u64| json!({ "table": table, "count": count });
    // Five posts have a tag each.
    assert_eq!(warm["hits"], json!([group("Posts", 5), group("Tags", 5)]), "{warm:#}");
    assert_eq!(warm["spent"]["hits"], 10);
}
