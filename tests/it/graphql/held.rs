//! Held answers through the HTTP door, beside those of a server over the same store that holds none. The rule: after each write and at each instant,
//! the two servers send the same status, headers and bytes, whether the answer was held or not.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use tidings::content::Content;
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::graphql::held::VALUE_BYTES_MAX;
use tidings::graphql::schema::ContentService;
use tidings::http::health::Readiness;
use tidings::http::{HttpLimits, HttpSettings, Writes, router};
use tidings::model::Instant;
use tower::ServiceExt;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post, slugs};

/// A server over the site's store; it reports whether an answer was held as a stage of `Server-Timing`.
pub(super) fn server(site: &Site, held_bytes: usize) -> Router {
    server_of(site.content.clone(), held_bytes)
}

pub(super) fn server_of(content: Content, held_bytes: usize) -> Router {
    let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
    let sign_in = SignIn { editor_token, ..SignIn::default() };
    let service = ContentService::new(content, STORAGE_REQUESTS_MAX).with_sign_in(sign_in).reporting_storage(true);
    let limits = HttpLimits { held_bytes, ..HttpLimits::default() };
    let settings = HttpSettings { limits, reports_timing: true, batch_max: 10, ..HttpSettings::default() };
    router(Arc::new(service), Readiness::new(async || Ok(())), Writes::default(), settings)
}

pub(super) const HOLDING: usize = 1 << 20;

/// An answer as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sent {
    status: StatusCode,
    /// Without the id of the request and the durations of its stages.
    headers: BTreeMap<String, String>,
    bytes: Bytes,
}

impl Sent {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub(super) fn status(&self) -> u16 {
        self.status.as_u16()
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8(self.bytes.to_vec()).expect("UTF-8")
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).expect("JSON")
    }
}

/// The answer, and whether it was held.
pub(super) async fn send(router: &Router, request: Request<Body>) -> (Sent, bool) {
    // On a worker thread, as in the server.
    let answered = tokio::spawn(router.clone().oneshot(request)).await;
    let response = answered.expect("the router does not panic").expect("the router answers");
    let status = response.status();
    let text = |value: &axum::http::HeaderValue| value.to_str().expect("ASCII").to_owned();
    let mut headers: BTreeMap<String, String> =
        response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let timing = headers.remove("server-timing").unwrap_or_default();
    headers.remove("x-request-id");
    let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
    (Sent { status, headers, bytes }, timing.contains("held;"))
}

/// How a query is sent.
#[derive(Debug, Clone, Copy)]
pub(super) enum By {
    Post,
    Get,
}

pub(super) fn request(by: By, query: &str) -> Request<Body> {
    let request = match by {
        By::Post => Request::post("/graphql").header(header::CONTENT_TYPE, "application/json"),
        By::Get => {
            let escaped = percent_encode(query);
            Request::get(format!("/graphql?query={escaped}"))
        }
    };
    let request = request.header(header::ACCEPT, "application/graphql-response+json");
    let body = match by {
        By::Post => Body::from(json!({ "query": query }).to_string()),
        By::Get => Body::empty(),
    };
    request.body(body).expect("a request")
}

fn percent_encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The queries of a test, with cursors of posts that its lists have or had.
fn queries(ids: &[String], cursors: &[String]) -> Vec<String> {
    let fields = "id slug title version publishedAt tags { slug name } author { name } body { html }";
    let mut all = vec![
        format!("{{ posts(first: 3) {{ nodes {{ {fields} }} pageInfo {{ hasNextPage endCursor }} totalCount }} }}"),
        "{ posts(last: 3) { nodes { slug version newer { slug } older { slug } } pageInfo { hasPreviousPage } } }".to_owned(),
        "{ posts(first: 4, orderBy: { field: PUBLISHED_AT, direction: ASC }) { nodes { slug publishedAt status } } }".to_owned(),
        "{ posts(filter: { tags: { all: [\"a\"] } }) { totalCount nodes { slug } } }".to_owned(),
        "{ posts(filter: { tags: { all: [\"a\", \"b\"] } }, first: 2) { nodes { slug } pageInfo { hasNextPage } } }".to_owned(),
        "{ posts(filter: { tags: { any: [\"b\", \"c\"] } }) { totalCount nodes { slug } } }".to_owned(),
        "{ posts(filter: { tags: { none: [\"a\"] } }) { totalCount nodes { slug } } }".to_owned(),
        "{ posts(filter: { publishedAt: { gt: \"2026-05-20T00:00:00Z\", lt: \"2026-06-15T13:00:00Z\" } }) { totalCount nodes { slug } } }".to_owned(),
        "{ archive { year month postCount posts(first: 2) { nodes { slug } } } }".to_owned(),
        "{ tags(first: 10) { totalCount nodes { slug name postCount } } }".to_owned(),
        "{ tag(slug: \"a\") { id slug name postCount posts(first: 2) { totalCount nodes { slug } } } }".to_owned(),
        "{ tag(slug: \"renamed\") { slug name posts(last: 2) { nodes { slug } } } }".to_owned(),
        "{ author(slug: \"ada\") { name postCount posts(first: 2) { nodes { slug title } } } }".to_owned(),
        "{ categories { totalCount nodes { slug } } authors(first: 1) { nodes { slug postCount } } }".to_owned(),
        "{ __type(name: \"Post\") { fields { name } } }".to_owned(),
    ];
    all.extend(
        ["post-1", "post-2", "new-0", "new-1", "moved-1", "absent"]
            .map(|slug| format!("{{ post(slug: \"{slug}\") {{ {fields} }} }}")),
    );
    all.extend(
        ids.iter().map(|id| format!("{{ node(id: \"{id}\") {{ id ... on Post {{ {fields} newer {{ slug }} }} }} }}")),
    );
    for cursor in cursors {
        all.push(format!("{{ posts(first: 2, after: \"{cursor}\") {{ nodes {{ slug }} pageInfo {{ hasNextPage hasPreviousPage }} }} }}"));
        all.push(format!("{{ posts(last: 2, before: \"{cursor}\") {{ nodes {{ slug }} pageInfo {{ hasNextPage hasPreviousPage }} }} }}"));
    }
    all
}

/// The posts of a site, drafts included, by an editor's token: id and version.
async fn posts_of(site: &Site, ids: &[String]) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    for id in ids {
        let answer =
            site.ask_as(Some(EDITOR_TOKEN), &format!("{{ node(id: \"{id}\") {{ ... on Post {{ version }} }} }}")).await;
        found.extend(answer["data"]["node"]["version"].as_i64().map(|version| (id.clone(), version)));
    }
    found
}

/// The servers with held answers and values, with held values only, and with neither, and the history so far.
pub(super) struct Pair {
    pub(super) site: Site,
    pub(super) holding: Router,
    pub(super) valuing: Router,
    plain: Router,
    pub(super) random: Random,
    ids: Vec<String>,
    cursors: Vec<String>,
    created: usize,
    /// The last answer to each query.
    last: HashMap<String, Sent>,
    pub(super) seen: Seen,
    /// Whether only held answers must be those of the other server: that which is run may show a cached list for a second.
    pub(super) compares_held_only: bool,
}

/// What happened to the first query after each step.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) hits: u32,
    /// The answer was not held, and is another than before.
    needed: u32,
    /// The answer was not held, and is the same as before.
    needless: u32,
    new: u32,
    /// The query ran a second time from held values alone.
    pub(super) values_hits: u32,
    /// It made a storage request the second time too.
    pub(super) values_misses: u32,
}

impl Pair {
    async fn new(seed: u64) -> Self {
        let site = Site::in_memory().await;
        let plain = server(&site, 0);
        Self::of(site, plain, seed).await
    }

    /// `plain`: a server over the same rows.
    pub(super) async fn of(site: Site, plain: Router, seed: u64) -> Self {
        let mut posts: Vec<_> =
            (0..8).map(|n| post(n, instant(&format!("2026-0{}-1{n}T00:00:00Z", 4 + n % 3)))).collect();
        for (n, whole) in posts.iter_mut().enumerate() {
            whole.post.tags = slugs([&["a"][..], &["a", "b"], &["c"]][n % 3]);
            whole.post.authors = slugs(&["ada"]);
        }
        site.publish(&posts).await;
        let ids = posts.iter().take(3).map(|whole| format!("post-{}", whole.post.id)).collect();
        let with_values = site.content.clone().holding_values(VALUE_BYTES_MAX);
        let holding = server_of(with_values, HOLDING);
        let valuing = server_of(site.content.clone().holding_values(VALUE_BYTES_MAX), 0);
        let (random, last, seen) = (Random::new(seed), HashMap::new(), Seen::default());
        let mut pair = Self {
            site,
            holding,
            valuing,
            plain,
            random,
            ids,
            cursors: Vec::new(),
            created: 0,
            last,
            seen,
            compares_held_only: false,
        };
        let edges = pair.site.query("{ posts { edges { cursor node { id } } } }").await;
        let edges = edges["posts"]["edges"].as_array().expect("edges").clone();
        pair.cursors = [1, 4].iter().map(|n| edges[*n]["cursor"].as_str().expect("a cursor").to_owned()).collect();
        pair.ids = edges.iter().take(3).map(|edge| edge["node"]["id"].as_str().expect("an id").to_owned()).collect();
        pair
    }

    fn time(&mut self) -> Instant {
        let now = self.site.clock.now();
        let minutes = [-60 * 24 * 40, -30, 0, 1, 10, 60 * 24 * 20][self.random.below(6)];
        Instant::from_ticks(now.ticks() + minutes * 60 * 10_000_000).expect("an instant").start_of_millisecond()
    }

    /// One of three instants of the month after the present one, so that posts are moved within it in both directions.
    fn time_of_next_month(&mut self) -> Instant {
        const DAY: i64 = 24 * 3600 * 10_000_000;
        let month = self.site.clock.now().month();
        let day = [4, 9, 19][self.random.below(3)];
        Instant::from_ticks(month.last().ticks() + 1 + day * DAY).expect("an instant")
    }

    async fn mutate(&mut self, field: &str, input: Value) -> Value {
        let name = format!("{}{}", field[..1].to_uppercase(), &field[1..]);
        let shown = match field {
            "createPost" => "post { id }",
            _ => "__typename",
        };
        let query = format!(
            "mutation($input: {name}Input!) {{ {field}(input: $input) {{ {shown} userErrors {{ code message }} }} }}"
        );
        let answer = self.site.mutate(&query, json!({ "input": input }), Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body.get("errors"), None, "{input}");
        answer.body["data"][field].clone()
    }

    /// One random change of the content, or of the time.
    pub(super) async fn step(&mut self) -> &'static str {
        let posts = posts_of(&self.site, &self.ids).await;
        let tags = [vec!["a"], vec!["b", "c"], vec![], vec!["a", "b", "d"]];
        let (number, at) = (self.random.below(14), self.time());
        let (id, version) = self.random.pick(&posts).clone();
        let on = json!({ "id": id, "expectedVersion": version });
        let with = |more: Value| {
            let mut input = on.clone();
            input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            input
        };
        match number {
            0 | 1 => {
                let tags = self.random.pick(&tags).clone();
                self.create(&tags, at).await;
                "create"
            }
            2 => {
                let title = format!("Title {}", self.random.below(3));
                self.mutate("updatePost", with(json!({ "title": title }))).await;
                "update the title"
            }
            3 => {
                let slug = format!("moved-{}", self.random.below(3));
                self.mutate("updatePost", with(json!({ "slug": slug }))).await;
                "update the slug"
            }
            4 => {
                let tags = self.random.pick(&tags).clone();
                self.mutate("updatePost", with(json!({ "tags": tags, "createMissingTags": true }))).await;
                "update the tags"
            }
            5 | 6 => {
                let input = if self.random.chance(50) { on } else { with(json!({ "publishAt": at.to_string() })) };
                self.mutate("publishPost", input).await;
                "publish"
            }
            7 => {
                self.mutate("unpublishPost", on).await;
                "unpublish"
            }
            8 if posts.len() > 5 => {
                self.mutate("deletePost", on).await;
                self.ids.retain(|known| *known != id);
                "delete"
            }
            9 => {
                self.change_tag().await;
                "change a tag"
            }
            10 if self.random.chance(30) => {
                let first = 1_000 * (1 + self.random.bits() % 1_000_000);
                let now = self.site.clock.now();
                self.site.publish(&(first..first + 130).map(|n| post(n, now)).collect::<Vec<_>>()).await;
                "import"
            }
            11 | 12 => {
                self.schedule_and_move(&id).await;
                "schedule for the next month"
            }
            _ => {
                self.site.clock.set(at);
                "set the clock"
            }
        }
    }

    /// Schedules a post for the month after the present one, and moves it within that month, with answers held in between. Then it is the second
    /// instant.
    async fn schedule_and_move(&mut self, id: &String) {
        let instants = [self.time_of_next_month(), self.time_of_next_month()];
        for at in instants {
            let Some((_, version)) = posts_of(&self.site, std::slice::from_ref(id)).await.pop() else { return };
            let input = json!({ "id": id, "expectedVersion": version, "publishAt": at.to_string() });
            self.mutate("publishPost", input).await;
            self.compare("schedule for the next month").await;
        }
        self.site.clock.set(instants[1]);
    }

    async fn create(&mut self, tags: &[&str], at: Instant) {
        let mut input = json!({
            "title": format!("New {}", self.created), "slug": format!("new-{}", self.created), "markdown": "*New*",
            "tags": tags, "authors": ["ada"], "createMissingTags": true,
        });
        if self.random.chance(70) {
            input["publishAt"] = json!(at.to_string());
        }
        self.created += 1;
        let made = self.mutate("createPost", input).await;
        self.ids.extend(made["post"]["id"].as_str().map(ToOwned::to_owned));
    }

    async fn change_tag(&mut self) {
        let slug = *self.random.pick(&["a", "b", "c"]);
        let tag = self.site.query(&format!("{{ tag(slug: \"{slug}\") {{ id version }} }}")).await["tag"].clone();
        if tag.is_null() {
            return;
        }
        let on = json!({ "id": tag["id"], "expectedVersion": tag["version"] });
        let (field, more) = match self.random.below(4) {
            0 => ("deleteTag", json!({})),
            1 => ("updateTag", json!({ "slug": "renamed" })),
            _ => ("updateTag", json!({ "name": format!("Name {}", self.random.below(4)) })),
        };
        let mut input = on;
        input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.mutate(field, input).await;
    }

    /// Each query, twice to the server that holds answers, once to the other.
    pub(super) async fn compare(&mut self, step: &str) {
        for (n, query) in queries(&self.ids[..3.min(self.ids.len())], &self.cursors).into_iter().enumerate() {
            let by = if n % 3 == 0 { By::Get } else { By::Post };
            let (first, was_held) = send(&self.holding, request(by, &query)).await;
            let (second, is_held) = send(&self.holding, request(by, &query)).await;
            let (fresh, _) = send(&self.plain, request(by, &query)).await;
            if self.compares_held_only && !(was_held && is_held) {
                continue;
            }
            let now = self.site.clock.now();
            assert_eq!(first, fresh, "after the step to {step}, at {now}, held: {was_held}: {query}");
            assert_eq!(second, fresh, "the second time, after the step to {step}: {query}");
            if !self.compares_held_only {
                let (first, requests) =
                    (send(&self.valuing, request(by, &query)).await.0, self.requests_again(&query).await);
                assert_eq!(first, fresh, "from held values, after the step to {step}, at {now}: {query}");
                self.seen.values_hits += u32::from(requests == 0);
                self.seen.values_misses += u32::from(requests > 0);
            }
            match self.last.insert(query, fresh.clone()) {
                _ if was_held => self.seen.hits += 1,
                None => self.seen.new += 1,
                Some(before) if before == fresh => self.seen.needless += 1,
                Some(_) => self.seen.needed += 1,
            }
        }
    }
}

impl Pair {
    /// The storage requests of a query on the server with held values, after it has run there.
    async fn requests_again(&self, query: &str) -> u64 {
        let body = json!({ "query": query, "extensions": { "storage": true } }).to_string();
        let asked = Request::post("/graphql").header(header::CONTENT_TYPE, "application/json");
        let (sent, _) = send(&self.valuing, asked.body(Body::from(body)).expect("a request")).await;
        let storage = sent.json()["extensions"]["storage"].clone();
        storage["pointReads"].as_u64().expect("a count") + storage["rangeReads"].as_u64().expect("a count")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_held_answer_is_the_one_that_the_query_gets_without_holding() {
    for seed in seeds(2) {
        let _report = report_seed_on_failure(seed);
        let mut pair = Pair::new(seed).await;
        pair.compare("begin").await;
        for _ in 0..20 {
            let step = pair.step().await;
            pair.compare(step).await;
        }
        println!("seed {seed}: {:?}", pair.seen);
        assert!(pair.seen.hits > 100, "{:?}", pair.seen);
        assert!(pair.seen.values_hits > 4 * pair.seen.values_misses, "{:?}", pair.seen);
        pair.site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_reader_that_begins_after_a_write_never_gets_an_older_answer() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let holding = server(&site, HOLDING);
    let queries = ["{ post(slug: \"post-1\") { id version } }", "{ posts(first: 1) { nodes { version } } }"];
    let (found, _) = send(&holding, request(By::Post, queries[0])).await;
    let id = found.json()["data"]["post"]["id"].as_str().expect("an id").to_owned();
    let (acknowledged, is_over) = (Arc::new(AtomicI64::new(1)), Arc::new(AtomicBool::new(false)));
    let readers: Vec<_> = queries
        .map(|query| {
            let (holding, acknowledged, is_over) = (holding.clone(), Arc::clone(&acknowledged), Arc::clone(&is_over));
            tokio::spawn(async move {
                let (mut hits, mut last) = (0, 0);
                while !is_over.load(Ordering::SeqCst) {
                    let at_least = acknowledged.load(Ordering::SeqCst).max(last);
                    let (sent, was_held) = send(&holding, request(By::Post, query)).await;
                    let data = sent.json()["data"].clone();
                    let version = data["post"]["version"].as_i64().or(data["posts"]["nodes"][0]["version"].as_i64());
                    last = version.expect("a version");
                    assert!(last >= at_least, "version {last} after {at_least}, held: {was_held}");
                    hits += u32::from(was_held);
                }
                hits
            })
        })
        .into();
    for version in 1..100 {
        let input = json!({ "input": { "id": id, "expectedVersion": version, "title": format!("Title {version}") } });
        let query = "mutation($input: UpdatePostInput!) { updatePost(input: $input) { post { version } } }";
        let answer = site.mutate(query, input, Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body["data"]["updatePost"]["post"]["version"], version + 1, "{}", answer.text);
        acknowledged.store(version + 1, Ordering::SeqCst);
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    is_over.store(true, Ordering::SeqCst);
    for reader in readers {
        let hits = reader.await.expect("no older answer");
        assert!(hits > 0, "no answer was held");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scheduled_post_appears_at_its_instant_in_held_answers() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z")), post(2, instant("2026-06-15T12:00:01.000Z"))]).await;
    let holding = server(&site, HOLDING);
    let query = "{ post(slug: \"post-2\") { slug } posts { totalCount } }";
    let ask = async |at: &str| {
        site.clock.set(instant(at));
        let (sent, was_held) = send(&holding, request(By::Post, query)).await;
        (sent.json()["data"]["posts"]["totalCount"].as_i64(), was_held)
    };
    assert_eq!(ask(NOW).await, (Some(1), false));
    assert_eq!(ask("2026-06-15T12:00:00.999Z").await, (Some(1), true));
    assert_eq!(ask("2026-06-15T12:00:01.000Z").await, (Some(2), false));
    assert_eq!(ask("2026-06-15T12:00:02.000Z").await, (Some(2), true));
    assert_eq!(ask("2026-06-15T12:00:00.500Z").await, (Some(1), false), "the clock was set back");
}

/// The count of the month stays the same, and the queries did not read the month.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_that_is_moved_within_a_later_month_appears_at_its_new_instant() {
    let mut pair = Pair::new(1).await;
    let input = json!({ "title": "X", "slug": "new-0", "markdown": "*X*", "tags": ["a"], "authors": ["ada"] });
    let made = pair.mutate("createPost", input).await;
    let id = made["post"]["id"].as_str().expect("an id").to_owned();
    let query = "{ posts(first: 3) { nodes { slug } totalCount } }";
    for (publish_at, clock, is_shown) in [
        ("2026-07-10T00:00:00Z", NOW, false),
        ("2026-07-05T00:00:00Z", NOW, false),
        ("2026-07-05T00:00:00Z", "2026-07-06T00:00:00Z", true),
        ("2026-07-05T00:00:00Z", NOW, false),
        ("2026-07-20T00:00:00Z", NOW, false),
        ("2026-07-20T00:00:00Z", "2026-07-11T00:00:00Z", false),
        ("2026-07-15T00:00:00Z", "2026-07-11T00:00:00Z", false),
        ("2026-07-15T00:00:00Z", "2026-07-15T00:00:00Z", true),
    ] {
        pair.site.clock.set(instant(NOW));
        let version = posts_of(&pair.site, std::slice::from_ref(&id)).await[0].1;
        let input = json!({ "id": id, "expectedVersion": version, "publishAt": publish_at });
        pair.mutate("publishPost", input).await;
        pair.compare("publish at the instant").await;
        pair.site.clock.set(instant(clock));
        let (sent, was_held) = send(&pair.holding, request(By::Post, query)).await;
        let shown = sent.json()["data"]["posts"]["nodes"][0]["slug"] == "new-0";
        assert_eq!(shown, is_shown, "at {publish_at}, asked at {clock}, held: {was_held}");
        pair.compare("set the clock").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_answer_to_a_single_anonymous_query_without_an_error_is_held() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let holding = server(&site, HOLDING);
    let second = async |build: &dyn Fn() -> Request<Body>| {
        send(&holding, build()).await;
        send(&holding, build()).await.1
    };
    let body = |text: &str| {
        let text = text.to_owned();
        move || {
            let request = Request::post("/graphql").header(header::CONTENT_TYPE, "application/json");
            request.body(Body::from(text.clone())).expect("a request")
        }
    };
    let query = json!({ "query": "{ posts { totalCount } }" });
    assert!(second(&body(&query.to_string())).await);
    let with_token = || {
        let mut request = body(&query.to_string())();
        let token = format!("Bearer {EDITOR_TOKEN}").parse().expect("a header");
        request.headers_mut().insert(header::AUTHORIZATION, token);
        request
    };
    assert!(!second(&with_token).await);
    for text in [
        json!([query]).to_string(),
        json!({ "query": "{ posts { totalCount } }", "extensions": { "storage": true } }).to_string(),
        json!({ "query": "{ post(slug: \"post-1\") { revisions { totalCount } } }" }).to_string(),
        json!({ "query": "{ preview(token: \"none\") { slug } }" }).to_string(),
        json!({ "query": "{ nothing }" }).to_string(),
        json!({ "query": "mutation { deletePost(input: { id: \"x\", expectedVersion: 1 }) { post { id } } }" })
            .to_string(),
        "{".to_owned(),
    ] {
        assert!(!second(&body(&text)).await, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_has_the_held_answer_gets_304() {
    let site = Site::in_memory().await;
    let holding = server(&site, HOLDING);
    let query = "{ posts { totalCount } }";
    let (first, _) = send(&holding, request(By::Get, query)).await;
    let mut again = request(By::Get, query);
    let tag = first.headers["etag"].parse().expect("a header");
    again.headers_mut().insert(header::IF_NONE_MATCH, tag);
    let (second, was_held) = send(&holding, again).await;
    assert_eq!((second.status, was_held, second.bytes.len()), (StatusCode::NOT_MODIFIED, true, 0));
}

/// A site with posts of which one has a text that is sent as a piece of its own.
async fn site_with_a_long_text() -> Site {
    let site = Site::in_memory().await;
    let mut posts: Vec<_> = (0..20).map(|n| post(n, instant("2026-05-01T00:00:00Z"))).collect();
    for n in [3, 7] {
        let text: String = (0..500).map(|word| format!("word{} of {n} ", word * word)).collect();
        posts[n].markdown = text.into();
    }
    site.publish(&posts).await;
    site
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_held_answer_is_compressed_once_and_has_the_headers_of_the_first() {
    let site = site_with_a_long_text().await;
    let (holding, without) = (server(&site, HOLDING), server(&site, 0));
    let query = "{ posts { nodes { id title excerpt body { html } } } }";
    for coding in ["gzip", "br", "zstd"] {
        for by in [By::Post, By::Get] {
            let coded = || {
                let mut request = request(by, query);
                request.headers_mut().insert(header::ACCEPT_ENCODING, coding.parse().expect("a header"));
                request
            };
            let (first, _) = send(&holding, coded()).await;
            assert_eq!(first.headers["content-encoding"], coding);
            assert!(!first.headers.contains_key("content-length"), "it is compressed while it is sent");
            let executed = send(&without, coded()).await;
            assert_eq!(executed, (first.clone(), false), "{coding} {by:?}");
            for _ in 0..3 {
                let again = send(&holding, coded()).await;
                assert_eq!(again, (first.clone(), true), "{coding} {by:?}");
            }
            let mut body = holding.clone().oneshot(coded()).await.expect("an answer").into_body();
            assert_eq!(axum::body::HttpBody::size_hint(&body).exact(), None, "a held form has no length either");
            let frame = std::future::poll_fn(|context| {
                axum::body::HttpBody::poll_frame(std::pin::Pin::new(&mut body), context)
            });
            let bytes = frame.await.expect("a frame").expect("no error").into_data().expect("data");
            assert_eq!(bytes, first.bytes, "the compressed form is held as one piece");
            let (plain, was_held) = send(&holding, request(by, query)).await;
            assert!(was_held && plain.bytes.len() > 2 * first.bytes.len());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_held_answer_is_the_same_for_other_headers_and_another_order_of_variables() {
    let site = site_with_a_long_text().await;
    let (holding, without) = (server(&site, HOLDING), server(&site, 0));
    let query = percent_encode("query($n: Int!) { posts(first: $n) { nodes { slug body { html } } } }");
    let variables = percent_encode("{\"n\":4}");
    let orders = [format!("query={query}&variables={variables}"), format!("variables={variables}&query={query}")];
    let headers = [
        None,
        Some((header::ACCEPT_ENCODING, "identity")),
        Some((header::ACCEPT_ENCODING, "gzip, br;q=0.5")),
        Some((header::ORIGIN, "https://example.org")),
    ];
    let mut hits = 0;
    for order in &orders {
        for method in ["GET", "HEAD", "GET", "HEAD"] {
            for more in &headers {
                let request = || {
                    let mut request = Request::builder().method(method).uri(format!("/graphql?{order}"));
                    if let Some((name, value)) = more {
                        request = request.header(name, *value);
                    }
                    request.header(header::ACCEPT, "application/json").body(Body::empty()).expect("a request")
                };
                let (executed, _) = send(&without, request()).await;
                assert_eq!(executed.status, StatusCode::OK);
                let (sent, was_held) = send(&holding, request()).await;
                assert_eq!(sent, executed, "{method} {more:?}, held: {was_held}");
                hits += u32::from(was_held);
            }
        }
    }
    assert_eq!(hits, 2 * (4 * 4 - 1), "the first of each order is run");
}
