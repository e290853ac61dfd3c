//! Servers over one store that hold answers, hold values, and hold nothing. The rule: after each random step, all of them send the same answers.

use std::collections::HashMap;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use serde_json::{Value, json};
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::model::Instant;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::random::Random;
use crate::support::site::{Site, instant, post, slugs};

use super::sent::{By, HOLDING, Sent, request, send, server, server_of};

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
        "{ posts(filter: { languages: [\"de\"] }) { totalCount nodes { slug language } } }".to_owned(),
        "{ posts(filter: { languages: [\"de\", \"pt-BR\"], tags: { all: [\"a\"] } }, first: 2) { nodes { slug } } }".to_owned(),
        "{ posts(filter: { featured: true }) { totalCount nodes { slug featured } } }".to_owned(),
        "{ posts(filter: { featured: false }, first: 3) { totalCount nodes { slug featured } } }".to_owned(),
        "{ posts(filter: { featured: true, tags: { any: [\"a\", \"c\"] } }) { nodes { slug } } }".to_owned(),
        "{ posts(filter: { tags: { none: [\"a\"] } }) { totalCount nodes { slug } } }".to_owned(),
        "{ posts(filter: { publishedAt: { gt: \"2026-05-20T00:00:00Z\", lt: \"2026-06-15T13:00:00Z\" } }) { totalCount nodes { slug } } }".to_owned(),
        "{ site { languages } }".to_owned(),
        "{ archive { year month postCount posts(first: 2) { nodes { slug } } } }".to_owned(),
        "{ archive(year: 2026) { month postCount } april: archive(year: 2026, month: 4) { postCount posts { nodes { slug } } } }".to_owned(),
        "{ archive(year: 2026, month: 7) { postCount posts(last: 2) { nodes { slug } pageInfo { hasPreviousPage } } } }".to_owned(),
        "{ posts(filter: { publishedAt: { lt: \"2026-05-01T00:00:00Z\" } }, last: 2) { totalCount nodes { slug } } }".to_owned(),
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
pub(super) async fn posts_of(site: &Site, ids: &[String]) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    for id in ids {
        let answer =
            site.ask_as(Some(EDITOR_TOKEN), &format!("{{ node(id: \"{id}\") {{ ... on Post {{ version }} }} }}")).await;
        found.extend(answer["data"]["node"]["version"].as_i64().map(|version| (id.clone(), version)));
    }
    found
}

/// The servers with cached answers and values, with cached values only, and with neither, and the history so far.
pub(in crate::graphql) struct Pair {
    pub(in crate::graphql) site: Site,
    pub(in crate::graphql) holding: Router,
    pub(in crate::graphql) valuing: Router,
    plain: Router,
    pub(in crate::graphql) random: Random,
    ids: Vec<String>,
    cursors: Vec<String>,
    created: usize,
    /// The last answer to each query.
    last: HashMap<String, Sent>,
    pub(in crate::graphql) seen: Seen,
    pub(in crate::graphql) compares: Compares,
}

/// Which answers of the server that holds them must be those of the plain one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::graphql) enum Compares {
    All,
    /// The cached ones: that which is run may show a cached list for a second.
    Cached,
    /// None of them: another server writes, and this one has not asked yet what.
    Nothing,
}

/// What happened to the first query after each step.
#[derive(Debug, Default)]
pub(in crate::graphql) struct Seen {
    pub(in crate::graphql) hits: u32,
    /// The answer was not cached, and is another than before.
    needed: u32,
    /// The answer was not cached, and is the same as before.
    needless: u32,
    new: u32,
    /// The query ran a second time from cached values alone.
    pub(in crate::graphql) values_hits: u32,
    /// It made a storage request the second time too.
    pub(in crate::graphql) values_misses: u32,
}

impl Pair {
    pub(super) async fn new(seed: u64) -> Self {
        let site = Site::in_memory().await;
        let plain = server(&site, 0);
        Self::of(site, plain, seed).await
    }

    /// `plain`: a server over the same rows.
    pub(in crate::graphql) async fn of(site: Site, plain: Router, seed: u64) -> Self {
        let mut posts: Vec<_> =
            (0..8).map(|n| post(n, instant(&format!("2026-0{}-1{n}T00:00:00Z", 4 + n % 3)))).collect();
        for (n, whole) in posts.iter_mut().enumerate() {
            whole.post.tags = slugs([&["a"][..], &["a", "b"], &["c"]][n % 3]);
            whole.post.authors = slugs(&["ada"]);
            whole.post.language = ["de", "pt-BR"].get(n % 3).and_then(|tag| tag.parse().ok());
            whole.post.is_featured = n % 2 == 0;
        }
        site.publish(&posts).await;
        let ids = posts.iter().take(3).map(|whole| format!("post-{}", whole.post.id)).collect();
        let with_values = site.content.clone().caching_values(VALUE_CACHE_BYTES_MAX);
        let holding = server_of(with_values, HOLDING);
        let valuing = server_of(site.content.clone().caching_values(VALUE_CACHE_BYTES_MAX), 0);
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
            compares: Compares::All,
        };
        let edges = pair.site.query("{ posts { edges { cursor node { id } } } }").await;
        let edges = edges["posts"]["edges"].as_array().expect("edges").clone();
        pair.cursors = [1, 4].iter().map(|n| edges[*n]["cursor"].as_str().expect("a cursor").to_owned()).collect();
        pair.ids = edges.iter().take(3).map(|edge| edge["node"]["id"].as_str().expect("an id").to_owned()).collect();
        pair
    }

    /// The queries of the present history.
    pub(in crate::graphql) fn queries(&self) -> Vec<String> {
        queries(&self.ids[..3.min(self.ids.len())], &self.cursors)
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

    pub(in crate::graphql) async fn mutate(&mut self, field: &str, input: Value) -> Value {
        let name = match field.starts_with("delete") {
            true => "Delete".to_owned(),
            false => format!("{}{}", field[..1].to_uppercase(), &field[1..]),
        };
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
    pub(in crate::graphql) async fn step(&mut self) -> &'static str {
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
                let language = *self.random.pick(&["de", "pt-BR", ""]);
                let mut input = json!({ "tagSlugs": tags, "createMissingTags": true, "language": language });
                input["featured"] = json!(self.random.chance(50));
                self.mutate("updatePost", with(input)).await;
                "update the tags, the language and whether it is featured"
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

    /// Schedules a post for the month after the present one, and moves it within that month, with answers cached in between. Then it is the second
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
            "tagSlugs": tags, "authorSlugs": ["ada"], "createMissingTags": true,
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
    pub(in crate::graphql) async fn compare(&mut self, step: &str) {
        if self.compares == Compares::Nothing {
            return;
        }
        for (n, query) in queries(&self.ids[..3.min(self.ids.len())], &self.cursors).into_iter().enumerate() {
            let by = if n % 3 == 0 { By::Get } else { By::Post };
            let (first, was_cached) = send(&self.holding, request(by, &query)).await;
            let (second, is_cached) = send(&self.holding, request(by, &query)).await;
            let (fresh, _) = send(&self.plain, request(by, &query)).await;
            if self.compares == Compares::Cached && !(was_cached && is_cached) {
                continue;
            }
            let now = self.site.clock.now();
            assert_eq!(first, fresh, "after the step to {step}, at {now}, cached: {was_cached}: {query}");
            assert_eq!(second, fresh, "the second time, after the step to {step}: {query}");
            if self.compares == Compares::All {
                let (first, requests) =
                    (send(&self.valuing, request(by, &query)).await.0, self.requests_again(&query).await);
                assert_eq!(first, fresh, "from cached values, after the step to {step}, at {now}: {query}");
                self.seen.values_hits += u32::from(requests == 0);
                self.seen.values_misses += u32::from(requests > 0);
            }
            match self.last.insert(query, fresh.clone()) {
                _ if was_cached => self.seen.hits += 1,
                None => self.seen.new += 1,
                Some(before) if before == fresh => self.seen.needless += 1,
                Some(_) => self.seen.needed += 1,
            }
        }
    }
}

impl Pair {
    /// The storage requests of a query on the server with cached values, after it has run there.
    async fn requests_again(&self, query: &str) -> u64 {
        let body = json!({ "query": query }).to_string();
        let asked = Request::post("/graphql").header(header::CONTENT_TYPE, "application/json");
        let asked = asked.header("GraphQL-Explain", "report");
        let (sent, _) = send(&self.valuing, asked.body(Body::from(body)).expect("a request")).await;
        sent.json()["extensions"]["explain"]["spent"]["storageRequests"].as_u64().expect("a count")
    }
}
