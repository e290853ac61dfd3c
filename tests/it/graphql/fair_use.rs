//! The limits of fair use through every route and layer, with a clock that the test sets. The rule: what a client is charged is what it has spent, if it
//! may know that, and otherwise the bound; and what a refusal promises is true.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderName, Request, StatusCode, header};
use serde_json::{Value, json};
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::graphql::fair_use::{FairUseSettings, Rate};
use tidings::graphql::role_limits::RoleLimits;
use tidings::graphql::schema::ContentService;
use tidings::http::health::Readiness;
use tidings::http::{HttpLimits, HttpSettings, Writes, router};
use tidings::model::Role;
use tidings::model::instant::TICKS_PER_SECOND;
use tidings::model::token::{TOKEN_ID_CHARS, TOKEN_PREFIX};
use tidings::store::{CountingStore, Store};
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post, slugs};

/// Bounded at three point reads; two are spent.
const POST: &str = "{ post(slug: \"post-1\") { title } }";
const LEFT: &str = "{ rateLimit { scope limit restoreRate remaining used resetAt cost } }";

/// A server with limits of fair use over a site, whose clients have addresses.
#[derive(Clone)]
struct Limited {
    router: Router,
    writes: Writes,
}

#[derive(Debug)]
struct Answered {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Answered {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }

    /// The requests that are left, by the header.
    fn left(&self) -> u64 {
        let of_limit = self.header("ratelimit").split(';').find_map(|part| part.strip_prefix("r="));
        of_limit.and_then(|left| left.parse().ok()).unwrap_or_else(|| panic!("no limit: {self:?}"))
    }

    fn error(&self) -> &Value {
        &self.body["errors"][0]["extensions"]
    }
}

fn rate(per_second: u64, burst: u64) -> Option<Rate> {
    Some(Rate::new(per_second, burst).expect("a rate"))
}

impl Limited {
    fn of(site: &Site, settings: FairUseSettings) -> Self {
        Self::with(site, settings, |service| service)
    }

    fn with(site: &Site, settings: FairUseSettings, set: impl Fn(ContentService) -> ContentService) -> Self {
        let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
        let sign_in = SignIn { editor_token, ..SignIn::default() };
        let service = ContentService::new(site.content.clone(), STORAGE_REQUESTS_MAX).with_sign_in(sign_in);
        let http = HttpSettings {
            batch_max: 10,
            client_address_header: Some(HeaderName::from_static("x-forwarded-for")),
            limits: HttpLimits::default(),
            ..HttpSettings::default()
        };
        let service = Arc::new(set(service.with_fair_use(settings)));
        let writes = Writes::default();
        Self { router: router(service, Readiness::new(async || Ok(())), writes.clone(), http), writes }
    }

    async fn send(&self, request: Request<Body>) -> Answered {
        // On a worker thread, as in the server.
        let answered = tokio::spawn(self.router.clone().oneshot(request)).await;
        let response = answered.expect("the router does not panic").expect("the router answers");
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        Answered { status, headers, body: serde_json::from_slice(&bytes).expect("JSON") }
    }

    /// A request of a client with this address, and with this token if there is one.
    async fn ask(&self, address: &str, token: Option<&str>, query: &str) -> Answered {
        self.send(request(address, token, query)).await
    }

    async fn with_token(&self, query: &str) -> Answered {
        self.ask("192.0.2.1", Some(EDITOR_TOKEN), query).await
    }

    /// What the token has left.
    async fn left(&self) -> u64 {
        self.with_token("{ rateLimit { remaining } }").await.left()
    }
}

fn request(address: &str, token: Option<&str>, query: &str) -> Request<Body> {
    let mut request = Request::post("/graphql")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/graphql-response+json")
        .header("x-forwarded-for", address);
    if let Some(token) = token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    request.body(Body::from(json!({ "query": query }).to_string())).expect("a request")
}

async fn fill(site: &Site) {
    let posts = (0..20).map(|n| {
        let mut whole = post(n, instant(NOW));
        whole.post.tags = slugs(&[&format!("t-{}", n % 5), "all"]);
        whole.post.authors = slugs(&["grace"]);
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
}

async fn site() -> Site {
    let site = Site::in_memory().await;
    fill(&site).await;
    site
}

fn advance(site: &Site, seconds: i64) {
    let ticks = site.clock.now().ticks() + seconds * TICKS_PER_SECOND;
    site.clock.set(tidings::model::Instant::from_ticks(ticks).expect("an instant"));
}

/// How many requests a token gets answered in each of some seconds, if it sends as many as it can; after each, a crowd of 100 clients sends some too. And
/// how many of those are answered.
async fn admitted_beside(crowd: usize) -> (Vec<u64>, u64) {
    let site = site().await;
    let settings = FairUseSettings { token: rate(20, 100), address: rate(2, 6), anonymous: rate(60, 300) };
    let limited = Limited::of(&site, settings);
    let (mut of_token, mut of_crowd) = (Vec::new(), 0);
    for second in 0..5 {
        let mut clients = JoinSet::new();
        for client in 0..crowd {
            let limited = limited.clone();
            // Different queries, because held answers take nothing.
            let query = format!("{{ c{second}: post(slug: \"post-{client}\") {{ title }} }}");
            clients.spawn(async move { limited.ask(&format!("198.51.100.{client}"), None, &query).await });
        }
        let mut admitted = 0;
        while limited.with_token(POST).await.status == StatusCode::OK {
            admitted += 1;
        }
        of_token.push(admitted);
        of_crowd += clients.join_all().await.iter().filter(|answered| answered.status == StatusCode::OK).count() as u64;
        advance(&site, 1);
    }
    (of_token, of_crowd)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_keeps_its_rate_beside_a_crowd_of_a_hundred_anonymous_clients() {
    let (alone, _) = admitted_beside(0).await;
    let (beside, of_crowd) = admitted_beside(100).await;
    assert_eq!(alone, beside);
    // Two of the three that each may need are spent, so 49 fit into the burst, and then ten into each second.
    assert_eq!(alone, [49, 10, 10, 10, 10]);
    // 300 at once and 60 a second, three for each.
    assert_eq!(of_crowd, 180);
}

#[tokio::test]
async fn a_refusal_says_when_the_request_will_be_answered() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { token: rate(2, 20), ..FairUseSettings::default() });
    let mut last = limited.with_token(POST).await;
    while last.status == StatusCode::OK {
        last = limited.with_token(POST).await;
    }
    assert_eq!((last.status, last.body.get("data")), (StatusCode::TOO_MANY_REQUESTS, None));
    assert_eq!(last.header("retry-after"), "1");
    assert_eq!(last.header("ratelimit-policy"), "\"token\";q=20;w=10;qu=\"storage-requests\"");
    assert_eq!(last.header("ratelimit"), "\"token\";r=2;t=1");
    let expected = json!({
        "code": "RATE_LIMITED", "retryable": true, "retryAfterMs": 500, "scope": "TOKEN", "limit": 20, "restoreRate": 2, "remaining": 2, "cost": 3,
        "resetAt": "2026-06-15T12:00:09.000Z",
    });
    assert_eq!(*last.error(), expected);
    let dear = "{ posts(first: 20) { nodes { tags { posts(first: 20) { nodes { id } } } } } }";
    let refused = limited.with_token(dear).await;
    let seconds: i64 = refused.header("retry-after").parse().expect("seconds");
    assert_eq!(seconds, 9, "more than the bucket holds: it must be full");
    advance(&site, seconds - 1);
    assert_eq!(limited.with_token(dear).await.status, StatusCode::TOO_MANY_REQUESTS);
    advance(&site, 1);
    let answered = limited.with_token(dear).await;
    assert_eq!(answered.status, StatusCode::OK, "{}", answered.body);
    assert_eq!(answered.body["data"]["posts"]["nodes"].as_array().map(Vec::len), Some(20));
}

/// Clients of `application/json` too: what repeats requests knows the status.
#[tokio::test]
async fn both_media_types_get_the_status() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { address: rate(1, 3), ..FairUseSettings::default() });
    assert_eq!(limited.ask("192.0.2.1", None, POST).await.status, StatusCode::OK);
    for accept in ["application/json", "application/graphql-response+json"] {
        let mut refused = request("192.0.2.1", None, "{ post(slug: \"post-2\") { title } }");
        refused.headers_mut().insert(header::ACCEPT, accept.parse().expect("a header"));
        let refused = limited.send(refused).await;
        assert_eq!((refused.status, refused.header("retry-after")), (StatusCode::TOO_MANY_REQUESTS, "3"), "{accept}");
        assert_eq!(refused.error()["scope"], "ADDRESS");
    }
}

/// Documents of many costs; some fail before they run, some while they run.
fn any_query(random: &mut Random) -> String {
    let (n, first) = (random.below(20), random.below(5) + 1);
    match random.below(8) {
        0 => format!("{{ post(slug: \"post-{n}\") {{ title body {{ text }} }} }}"),
        1 => {
            format!("{{ posts(first: {first}) {{ nodes {{ title tags {{ name postCount }} authors {{ name }} }} }} }}")
        }
        2 => format!(
            "{{ tags(first: {first}) {{ nodes {{ name posts(first: {first}) {{ totalCount nodes {{ id }} }} }} }} }}"
        ),
        3 => "{ nothing }".to_owned(),
        4 => "{ posts(first: 1000) { nodes { id } } }".to_owned(),
        5 => format!("{{ posts(first: {first}, after: \"bad\") {{ nodes {{ id }} }} viewer {{ name }} }}"),
        6 => format!("mutation {{ createTag(input: {{ name: \"N\", slug: \"n-{n}\" }}) {{ userErrors {{ code }} }} }}"),
        _ => format!(
            "mutation {{ createPost(input: {{ title: \"T\", markdown: \"x\", tags: [\"t-{}\"] }}) {{ post {{ id }} userErrors {{ code }} }} }}",
            n % 5
        ),
    }
}

/// The store counts the requests too, so that the charge does not only equal itself.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_spent_is_given_back_exactly_also_by_what_fails_or_is_cancelled() {
    const BURST: u64 = 1_000_000;
    for seed in seeds(2) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let counting = CountingStore::new(MemoryStore::empty());
        let store: Store = Arc::<CountingStore>::clone(&counting);
        let site = Site::over(store).await;
        fill(&site).await;
        let limited = Limited::of(&site, FairUseSettings { token: rate(1_000, BURST), ..FairUseSettings::default() });
        let (begun, mut cut) = (counting.used().requests(), 0);
        let so_far = || u64::from(counting.used().requests() - begun);
        for _ in 0..100 {
            let (query, before) = (any_query(&mut random), so_far());
            let left = limited.left().await;
            if random.below(3) > 0 {
                let answered = limited.with_token(&query).await;
                let spent = so_far() - before;
                assert_eq!(limited.left().await, left - spent, "{query}: {}", answered.body);
                continue;
            }
            // Dropped at any of its waits; a mutation that has begun runs to its end.
            let mut asked = Box::pin(limited.router.clone().oneshot(request("192.0.2.1", Some(EDITOR_TOKEN), &query)));
            let mut is_ended = false;
            for _ in 0..random.below(6) {
                let polled = tokio::time::timeout(Duration::ZERO, asked.as_mut()).await;
                is_ended = polled.is_ok();
                if is_ended {
                    break;
                }
            }
            cut += u32::from(!is_ended && so_far() > before);
            drop(asked);
            limited.writes.drain(Duration::from_secs(10)).await.expect("mutations end");
            let (spent, charged) = (so_far() - before, left - limited.left().await);
            // A request that was cancelled before it was sent is charged.
            assert!(spent <= charged && charged <= spent + 40, "{query}: {spent} spent, {charged} charged");
        }
        assert!(cut > 0, "none was cut off after it had begun to read");
        println!("{cut} were cut off after they had begun to read");
        advance(&site, 1_000);
        assert_eq!(limited.left().await, BURST, "nothing stays reserved");
    }
}

#[tokio::test]
async fn the_schema_shows_what_is_left() {
    let site = site().await;
    let settings = FairUseSettings { token: rate(5, 50), address: rate(2, 20), anonymous: rate(4, 10) };
    let limited = Limited::of(&site, settings);
    let asked = limited.ask("192.0.2.1", None, LEFT).await;
    let full = json!({
        "scope": "ADDRESS", "limit": 20, "restoreRate": 2, "remaining": 20, "used": 0, "resetAt": NOW, "cost": 0,
    });
    assert_eq!(asked.body["data"]["rateLimit"], full);
    let both = format!("{{ a: post(slug: \"post-1\") {{ title }} {}", &LEFT[1..]);
    let asked = limited.with_token(&both).await;
    let taken = json!({
        "scope": "TOKEN", "limit": 50, "restoreRate": 5, "remaining": 47, "used": 3, "resetAt": "2026-06-15T12:00:00.600Z", "cost": 3,
    });
    assert_eq!(asked.body["data"]["rateLimit"], taken);
    assert_eq!(asked.left(), 48, "two of the three were spent");
    let of_all = Limited::of(&site, FairUseSettings { anonymous: rate(4, 10), ..FairUseSettings::default() });
    assert_eq!(of_all.ask("192.0.2.1", None, LEFT).await.body["data"]["rateLimit"]["scope"], "ANONYMOUS");
    let off = Limited::of(&site, FairUseSettings::default()).with_token(LEFT).await;
    assert_eq!((&off.body["data"]["rateLimit"], off.header("ratelimit-policy")), (&Value::Null, ""));
    assert_eq!(off.body.get("errors"), None);
}

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

/// A token with this secret and an id that no token has.
fn another_id(token: &str) -> String {
    let (prefix, rest) = token.split_at(TOKEN_PREFIX.len());
    format!("{prefix}{}{}", "0".repeat(TOKEN_ID_CHARS), &rest[TOKEN_ID_CHARS..])
}

#[tokio::test]
async fn tokens_that_are_refused_are_limited_by_address_and_others_are_not() {
    let site = site().await;
    let token = site.token(Role::Reader, None).await;
    let limited = Limited::of(&site, FairUseSettings { address: rate(1, 3), ..FairUseSettings::default() });
    let wrong = another_id(&token);
    let mut statuses = Vec::new();
    for _ in 0..5 {
        statuses.push(limited.ask("192.0.2.1", Some(&wrong), POST).await.status.as_u16());
    }
    assert_eq!(statuses, [401, 401, 401, 429, 429], "each look-up is a read");
    let refused = limited.ask("192.0.2.1", Some(&wrong), POST).await;
    assert_eq!((&refused.error()["code"], refused.header("retry-after")), (&json!("RATE_LIMITED"), "1"));
    assert_eq!(limited.ask("192.0.2.2", Some(&token), POST).await.status, StatusCode::OK);
    assert_eq!(
        limited.ask("192.0.2.1", Some(&token), POST).await.status,
        StatusCode::OK,
        "a token that is known is not guessed, wherever it comes from"
    );
    assert_eq!(limited.ask("192.0.2.1", Some(EDITOR_TOKEN), POST).await.status, StatusCode::OK);
    assert_eq!(
        limited.ask("192.0.2.1", None, POST).await.status,
        StatusCode::OK,
        "an anonymous request is another limit"
    );
}

#[tokio::test]
async fn each_request_of_a_batch_takes_its_own_and_a_validation_takes_nothing() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { token: rate(1, 7), ..FairUseSettings::default() });
    let mut validation = request("192.0.2.1", Some(EDITOR_TOKEN), POST);
    validation.headers_mut().insert("graphql-cost", "validate".parse().expect("a header"));
    let validated = limited.send(validation).await;
    assert_eq!(validated.body["extensions"]["operationCost"]["bound"]["requests"], 3, "{}", validated.body);
    assert_eq!(limited.left().await, 7);
    let mut batch = request("192.0.2.1", Some(EDITOR_TOKEN), POST);
    *batch.body_mut() =
        Body::from(json!([{ "query": POST }, { "query": POST }, { "query": POST }, { "query": POST }]).to_string());
    let answers = limited.send(batch).await;
    assert_eq!(answers.status, StatusCode::OK);
    let codes: Vec<_> = (0..4).map(|n| answers.body[n]["errors"][0]["extensions"]["code"].clone()).collect();
    assert_eq!(codes, [Value::Null, Value::Null, Value::Null, json!("RATE_LIMITED")]);
    assert_eq!(limited.left().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_answer_takes_nothing_and_one_that_shows_the_limit_is_not_held() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { address: rate(1, 4), ..FairUseSettings::default() });
    let first = limited.ask("192.0.2.1", None, POST).await;
    assert_eq!(first.left(), 1);
    for address in ["192.0.2.1", "192.0.2.2"] {
        for _ in 0..3 {
            let held = limited.ask(address, None, POST).await;
            assert_eq!((held.status, held.header("ratelimit")), (StatusCode::OK, ""));
            assert_eq!(held.body, first.body);
        }
    }
    assert_eq!(limited.ask("192.0.2.1", None, LEFT).await.body["data"]["rateLimit"]["remaining"], 1);
    assert_eq!(limited.ask("192.0.2.2", None, LEFT).await.body["data"]["rateLimit"]["remaining"], 4);
}

#[tokio::test]
async fn each_role_has_its_own_limit_of_one_operation() {
    let site = site().await;
    let roles = RoleLimits::of_all(1_000).with(None, 2).with(Some(Role::Reader), 1);
    let limited = Limited::with(&site, FairUseSettings::default(), |service| service.with_role_limits(roles));
    let reader = site.token(Role::Reader, None).await;
    for (token, limit) in [(None, Some(2)), (Some(reader.as_str()), Some(1)), (Some(EDITOR_TOKEN), None)] {
        let answered = limited.ask("192.0.2.1", token, POST).await;
        let message = answered.body["errors"][0]["message"].as_str().unwrap_or_default();
        let expected = limit.map(|limit| format!("; the limit is {limit}."));
        assert_eq!(message.is_empty(), expected.is_none(), "{message}");
        assert!(expected.is_none_or(|expected| message.contains(&expected)), "{message}");
        let dry = format!("{{ operationCost(query: {}) {{ limit }} }}", json!("{ viewer { name } }"));
        let cost = limited.ask("192.0.2.1", token, &dry).await.body["data"]["operationCost"]["limit"].clone();
        assert!(cost.is_null() || cost == limit.unwrap_or(1_000), "{cost}");
    }
}

/// The figures of the field for a document, as a client with this token gets them.
async fn dry_run(limited: &Limited, token: Option<&str>, arguments: &str) -> Value {
    let query = format!(
        "{{ operationCost({arguments}) {{ requests pointReads rangeReads transactions values limit dearest }} }}"
    );
    limited.ask("192.0.2.1", token, &query).await.body
}

#[tokio::test]
async fn the_cost_of_an_operation_is_computed_without_running_it() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings { token: rate(1, 100), ..FairUseSettings::default() });
    let cloud = "{ tags(first: 10) { nodes { posts { totalCount } } } }";
    let figures =
        dry_run(&limited, Some(EDITOR_TOKEN), &format!("query: {}", json!(cloud))).await["data"]["operationCost"]
            .clone();
    let mut validation = request("192.0.2.1", Some(EDITOR_TOKEN), cloud);
    validation.headers_mut().insert("graphql-cost", "validate".parse().expect("a header"));
    let by_header = limited.send(validation).await.body["extensions"]["operationCost"].clone();
    for name in ["requests", "pointReads", "rangeReads", "transactions", "values"] {
        assert_eq!(figures[name], by_header["bound"][name], "{name}: {figures} {by_header}");
    }
    assert_eq!((&figures["limit"], &figures["dearest"]), (&by_header["limit"], &by_header["dearest"]));
    let changes =
        json!("mutation($slug: String!) { createTag(input: { name: \"New\", slug: $slug }) { userErrors { code } } }");
    let variables = json!("{\"slug\": \"new\"}");
    let of_change = dry_run(&limited, Some(EDITOR_TOKEN), &format!("query: {changes}, variables: {variables}")).await;
    assert!(of_change["data"]["operationCost"]["transactions"].as_u64() > Some(0), "{of_change}");
    assert_eq!(site.query("{ tag(slug: \"new\") { id } }").await["tag"], Value::Null, "nothing was run");
    let anonymous = dry_run(&limited, None, &format!("query: {}", json!(cloud))).await;
    assert!(anonymous["data"]["operationCost"]["requests"].as_u64() >= figures["requests"].as_u64(), "{anonymous}");
}

#[tokio::test]
async fn a_document_that_cannot_run_has_no_cost() {
    let site = site().await;
    let limited = Limited::of(&site, FairUseSettings::default());
    for (arguments, argument, text) in [
        ("query: \"{ nothing }\"", "query", "nothing"),
        ("query: \"{\"", "query", "GRAPHQL_PARSE_FAILED"),
        ("query: \"query($a: Int!) { posts(first: $a) { totalCount } }\"", "query", "$a"),
        ("query: \"{ viewer { name } }\", variables: \"[]\"", "variables", "JSON object"),
        ("query: \"{ viewer { name } }\", variables: \"{\"", "variables", "not JSON"),
        ("query: \"query A { viewer { name } } query B { viewer { name } }\"", "query", "OPERATION_RESOLUTION_FAILURE"),
    ] {
        let refused = dry_run(&limited, Some(EDITOR_TOKEN), arguments).await;
        let error = &refused["errors"][0];
        assert_eq!(refused["data"]["operationCost"], Value::Null, "{arguments}");
        assert_eq!(
            (&error["extensions"]["code"], &error["extensions"]["argument"]),
            (&json!("BAD_USER_INPUT"), &json!(argument))
        );
        assert!(error["message"].as_str().is_some_and(|message| message.contains(text)), "{arguments}: {error}");
    }
    let twice = "{ a: operationCost(query: \"{ viewer { name } }\") { requests } b: operationCost(query: \"{ viewer { name } }\") { requests } }";
    let twice = limited.with_token(twice).await.body;
    assert_eq!(twice["errors"].as_array().map(Vec::len), Some(1), "{twice}");
    let named = "query: \"query A { viewer { name } } query B { viewer { name } }\", operationName: \"B\"";
    assert_eq!(dry_run(&limited, Some(EDITOR_TOKEN), named).await["data"]["operationCost"]["requests"], 0);
}
