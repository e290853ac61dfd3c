//! Cached values, by readers of one store: some use what others have read. The rule: whatever is written, and whenever a reader began, a reader that
//! uses cached values reads what a reader reads that uses none.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::{Value, json};
use tidings::content::{Content, Reader};
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::model::field_index::field_partition;
use tidings::model::{Instant, PostKey, Slug, TermId, TermKind};
use tidings::store::{WriteObserver, WrittenRow};
use tidings::testing::pages::posts::read_page;
use tidings::testing::pages::terms::TermList;
use tidings::testing::pages::total::{count_posts, count_posts_of};
use tidings::testing::pages::{Filter, PageArguments, PageKey, PostList, RequestedFields, Scope, SlugFilter, cached};

use crate::support::graphql::{EDITOR_TOKEN, input_type};
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{Site, indexed, instant, post, slug, slugs};

const ALL: RequestedFields = RequestedFields { items: true, has_next: true, has_previous: true };

/// The bound of the values that are cached: so few bytes that some are dropped for others.
pub(super) const FEW_BYTES: usize = 100_000;

/// What a reader reads, as text. Each part is read twice, so that the second may come from what the first has read.
pub(super) async fn read_all(reader: &Reader, posts: &[(String, PostKey)]) -> String {
    let mut text = String::new();
    let mut add = |what: &str, found: &dyn std::fmt::Debug| writeln!(text, "{what}: {found:?}").expect("a string");
    let tag = |name: &str| TermId { kind: TermKind::Tag, first_slug: slug(name) };
    for _ in 0..2 {
        for name in ["post-1", "post-2", "new-0", "moved-0", "moved-1", "absent"] {
            add(name, &reader.post_by_slug(&slug(name)).await.expect("a post"));
            add(name, &reader.whole_post_by_slug(&slug(name)).await.expect("a post"));
        }
        let keys: Vec<PostKey> = posts.iter().map(|(_, key)| key.clone()).collect();
        for (_, key) in posts {
            add("by id", &reader.post_by_id(&key.id).await.expect("a post"));
        }
        let mut found: Vec<_> = reader.posts_at(&keys).await.expect("posts").into_iter().collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        add("posts at", &found);
        let terms: Vec<_> = ["a", "b", "renamed", "absent"].iter().map(|name| (TermKind::Tag, slug(name))).collect();
        for term in reader.terms_at(&terms).await {
            add("term", &term.expect("a term"));
        }
        for count in count_posts_of(reader, &[tag("a"), tag("b"), tag("absent")]).await {
            add("count of a term", &count.expect("a count"));
        }
        let lists = [PostList::all(), PostList::all().reversed(), PostList::of(Scope::Term(tag("a")))];
        for list in lists {
            add("count", &cached::count_posts(reader, &list).await.expect("a count"));
            for arguments in [
                PageArguments { first: Some(3), ..PageArguments::default() },
                PageArguments { last: Some(2), ..PageArguments::default() },
                PageArguments { first: Some(2), after: keys.first().cloned(), ..PageArguments::default() },
            ] {
                let key = PageKey { list: list.clone(), arguments, requested: ALL };
                let read = |_| async { vec![cached::read_page(reader, reader, &key).await] };
                for page in cached::pages(reader, std::slice::from_ref(&key), read).await {
                    add("page", &page.expect("a page"));
                }
            }
        }
        for list in filtered() {
            add("count", &count_posts(reader, &list).await.expect("a count"));
            for arguments in [
                PageArguments { first: Some(2), ..PageArguments::default() },
                PageArguments { last: Some(2), before: keys.first().cloned(), ..PageArguments::default() },
            ] {
                // Not cached itself, but the first keys of what it merges.
                add("filtered", &read_page(reader, reader, &list, &arguments, ALL).await.expect("a page"));
            }
        }
        let arguments = PageArguments { first: Some(3), ..PageArguments::default() };
        let tags = cached::page_of_terms(reader, &TermList::of(TermKind::Tag), &arguments, ALL).await;
        add("page of tags", &tags.expect("a page"));
    }
    text
}

/// The posts with two tags, with one of two, and those of a tag with one of two others, in both orders.
fn filtered() -> Vec<PostList> {
    let (a, b, c) = (slug("a"), slug("b"), slug("c"));
    let of = |all: &[&Slug], any: &[&Slug]| {
        let any = (!any.is_empty()).then(|| any.iter().map(|slug| (*slug).clone()).collect());
        let all = all.iter().map(|slug| (*slug).clone()).collect();
        Filter { tags: SlugFilter { all, any, ..SlugFilter::default() }, ..Filter::default() }
    };
    let in_language = SlugFilter { any: Some(vec![slug("de"), slug("pt-br")]), ..SlugFilter::default() };
    let in_language = Filter { languages: in_language, ..of(&[&a], &[]) };
    let featured = Filter { featured: SlugFilter::of_featured(true), ..of(&[&a], &[]) };
    let others = Filter { featured: SlugFilter::of_featured(false), ..Filter::default() };
    let rated = SlugFilter { any: Some(vec![field_partition("rating", "1")]), ..SlugFilter::default() };
    let rated = Filter { fields: vec![rated], ..of(&[&a], &[]) };
    let filters = [of(&[&a, &b], &[]), of(&[], &[&b, &c]), of(&[&a], &[&b, &c]), in_language, featured, others, rated];
    let lists = filters.map(|filter| PostList::checked(Scope::All, filter).expect("a list"));
    lists.into_iter().flat_map(|list| [list.clone(), list.reversed()]).collect()
}

/// Reads everything when a commit is announced, which is before it is visible.
struct ReaderAtCommit {
    content: Content,
    posts: Vec<(String, PostKey)>,
}

impl WriteObserver for ReaderAtCommit {
    fn will_commit(&self, _: u64, _: Option<&[WrittenRow]>) {
        let reading = || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            runtime.block_on(async {
                let reader = self.content.reader().at_one_moment().await.expect("a snapshot");
                read_all(&reader, &self.posts).await;
            });
        };
        std::thread::scope(|scope| scope.spawn(reading).join().expect("it reads"));
    }

    fn was_reopened(&self) {}
}

pub(super) struct History {
    pub(super) site: Site,
    pub(super) holding: Content,
    random: Random,
    pub(super) posts: Vec<(String, PostKey)>,
    /// Readers that began earlier: one that uses cached values, one that uses none, and when.
    open: Vec<(Reader, Reader, String)>,
}

impl History {
    async fn new(seed: u64, bytes_max: usize) -> Self {
        Self::of(Site::in_memory().await, seed, bytes_max).await
    }

    pub(super) async fn of(site: Site, seed: u64, bytes_max: usize) -> Self {
        let mut posts: Vec<_> =
            (0..8).map(|n| post(n, instant(&format!("2026-0{}-1{n}T00:00:00Z", 4 + n % 3)))).collect();
        for (n, whole) in posts.iter_mut().enumerate() {
            whole.post.tags = slugs([&["a"][..], &["a", "b"], &["c"]][n % 3]);
            whole.post.language = ["de", "pt-BR"].get(n % 3).and_then(|tag| tag.parse().ok());
            whole.post.is_featured = n % 2 == 0;
            whole.metadata = indexed(n as u64 % 3, "ESSAY");
        }
        let site = site.indexing_fields().await;
        site.publish(&posts).await;
        let posts = posts.iter().take(4).map(|whole| (format!("post-{}", whole.post.id), whole.post.key())).collect();
        let holding = site.content.clone().caching_values(bytes_max);
        Self { site, holding, random: Random::new(seed), posts, open: Vec::new() }
    }

    async fn readers(&self) -> (Reader, Reader) {
        let of = async |content: &Content| content.reader().at_one_moment().await.expect("a snapshot");
        (of(&self.holding).await, of(&self.site.content).await)
    }

    pub(super) async fn compare(&self, after: &str) {
        let (holding, plain) = self.readers().await;
        let expected = read_all(&plain, &self.posts).await;
        assert_eq!(read_all(&holding, &self.posts).await, expected, "after the step to {after}");
        for (holding, plain, since) in &self.open {
            let expected = read_all(plain, &self.posts).await;
            assert_eq!(
                read_all(holding, &self.posts).await,
                expected,
                "after {after}, a reader that began after {since}"
            );
        }
    }

    async fn change(&mut self, field: &str, more: Value) {
        let (id, _) = self.random.pick(&self.posts).clone();
        let query = format!("{{ node(id: \"{id}\") {{ ... on Post {{ version }} }} }}");
        let version = self.site.ask_as(Some(EDITOR_TOKEN), &query).await["data"]["node"]["version"].clone();
        let mut input = json!({ "id": id, "expectedVersion": version });
        input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let of = input_type(field);
        let query = format!("mutation($input: {of}!) {{ {field}(input: $input) {{ __typename }} }}");
        let answer = self.site.mutate(&query, json!({ "input": input }), Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body.get("errors"), None, "{field}");
    }

    fn time(&mut self) -> Instant {
        let minutes = [-60 * 24 * 40, -30, 0, 1, 10, 60 * 24 * 20][self.random.below(6)];
        let now = self.site.clock.now();
        Instant::from_ticks(now.ticks() + minutes * 60 * 10_000_000).expect("an instant").start_of_millisecond()
    }

    pub(super) async fn step(&mut self, number: u64) -> String {
        let at = self.time();
        let publish_at = json!({ "publishAt": at.to_string() });
        match self.random.below(10) {
            0 | 1 => {
                let title = format!("Title {number}");
                self.change("updatePost", json!({ "title": title })).await;
                "update the title".to_owned()
            }
            2 => {
                let slug = format!("moved-{}", self.random.below(2));
                self.change("updatePost", json!({ "slug": slug })).await;
                "update the slug".to_owned()
            }
            3 => {
                let tags = [vec!["a"], vec!["b", "c"], vec![]][self.random.below(3)].clone();
                let language = ["de", "pt-BR", ""][self.random.below(3)];
                let mut input = json!({ "tagSlugs": tags, "createMissingTags": true, "language": language });
                input["fields"] = json!({ "rating": self.random.below(3) });
                input["featured"] = json!(self.random.chance(50));
                self.change("updatePost", input).await;
                "update the tags, the language, the fields and whether it is featured".to_owned()
            }
            4 => {
                self.change("unpublishPost", json!({})).await;
                "unpublish".to_owned()
            }
            5 | 6 => {
                self.change("publishPost", publish_at).await;
                format!("publish at {at}")
            }
            7 => {
                let name = self.site.with_ids("@tag(a)").await;
                let slug = *self.random.pick(&["a", "renamed"]);
                let query = format!("mutation {{ updateTag(input: {{ {name}, slug: \"{slug}\" }}) {{ __typename }} }}");
                let answer = self.site.mutate(&query, json!({}), Some(EDITOR_TOKEN)).await;
                assert_eq!(answer.body.get("errors"), None, "rename a tag");
                "rename a tag".to_owned()
            }
            _ => {
                self.site.clock.set(at);
                format!("set the clock to {at}")
            }
        }
    }
}

async fn run(seed: u64, bytes_max: usize) {
    let _report = report_seed_on_failure(seed);
    let mut history = History::new(seed, bytes_max).await;
    let observer: Arc<dyn WriteObserver> =
        Arc::new(ReaderAtCommit { content: history.holding.clone(), posts: history.posts.clone() });
    assert!(history.site.store.observe_writes(Arc::downgrade(&observer)));
    history.compare("begin").await;
    for number in 0..20 {
        let step = history.step(number).await;
        history.compare(&step).await;
        if history.random.chance(30) {
            let (holding, plain) = history.readers().await;
            history.open.push((holding, plain, step));
        }
        if history.open.len() > 3 {
            history.open.remove(0);
        }
    }
    history.open.clear();
    history.site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_uses_cached_values_reads_what_another_reads() {
    for seed in seeds(1) {
        run(seed, VALUE_CACHE_BYTES_MAX).await;
        run(seed, FEW_BYTES).await;
    }
}

/// The storage requests, and how many values were cached, of the same query again.
async fn cost_again(site: &Site, query: &str) -> (u64, u64) {
    cost(site, query).await;
    cost(site, query).await
}

pub(super) async fn cost(site: &Site, query: &str) -> (u64, u64) {
    let body = json!({ "query": query }).to_string();
    let request = crate::support::graphql::json_request("application/json").header("GraphQL-Explain", "report");
    let answer = site.send(request, Some(EDITOR_TOKEN), body).await;
    assert_eq!(answer.body.get("errors"), None, "{query}");
    let spent = &answer.body["extensions"]["explain"]["spent"];
    let count = |name: &str| spent[name].as_u64().expect("a count");
    (count("pointReads") + count("rangeReads"), count("hits"))
}

/// A site with cached values, and the queries of the benchmark, Q1 to Q5, with one more.
pub(super) async fn benchmarked(site: Site) -> (Site, Vec<String>) {
    let posts: Vec<_> = (0..60)
        .map(|n| {
            let mut whole = post(n, instant(&format!("2026-05-{:02}T00:00:00Z", 1 + n % 28)));
            whole.post.tags = slugs(&["a", ["b", "c"][n as usize % 2]]);
            whole.post.authors = slugs(&[["ada", "grace"][n as usize % 2]]);
            whole.post.categories = slugs(&["news"]);
            whole
        })
        .collect();
    site.publish(&posts).await;
    let site = Site { content: site.content.caching_values(VALUE_CACHE_BYTES_MAX), ..site };
    let card = "id slug title excerpt publishedAt authors { name slug } categories { name slug } tags { name slug }";
    let edges = site.query("{ posts(first: 30) { edges { cursor } } }").await["posts"]["edges"].clone();
    let after = edges[29]["cursor"].as_str().expect("a cursor").to_owned();
    let page = format!("{{ edges {{ cursor node {{ {card} }} }} pageInfo {{ hasNextPage endCursor }} }}");
    let queries = vec![
        format!("{{ posts(first: 20) {page} }}"),
        format!("{{ post(slug: \"post-5\") {{ {card} body {{ markdown }} }} }}"),
        "{ tag(slug: \"a\") { name posts(first: 20) { nodes { id slug title publishedAt authors { name slug } } } } }"
            .to_owned(),
        format!("{{ posts(first: 20, after: \"{after}\") {page} }}"),
        "{ authors(first: 10) { nodes { name slug posts(first: 5) { nodes { slug title publishedAt tags { name slug } } } } } }"
            .to_owned(),
        "{ tags(first: 10) { nodes { name postCount } } posts { totalCount nodes { body { markdown } } } }".to_owned(),
    ];
    (site, queries)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_whose_values_are_cached_makes_no_storage_request() {
    let (site, queries) = benchmarked(Site::in_memory().await).await;
    for query in queries {
        let (requests, hits) = cost_again(&site, &query).await;
        assert_eq!(requests, 0, "{query}");
        assert!(hits > 0, "{query}");
    }
}

/// What a read set contains, shown by the drops of an answer that was computed from cached values alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_from_cached_values_depends_on_what_they_depend_on() {
    let site = Site::in_memory().await;
    let mut whole = post(1, instant("2026-05-01T00:00:00Z"));
    whole.post.tags = slugs(&["a"]);
    site.publish(&[whole]).await;
    let site = Site { content: site.content.caching_values(VALUE_CACHE_BYTES_MAX), ..site };
    let router = site.router();
    let names = "{ posts { nodes { title tags { name } } } post(slug: \"post-1\") { title } }";
    // In another order, so that the answer is not cached, but all values are.
    let again = "{ post(slug: \"post-1\") { title } posts { nodes { tags { name } title } } }";
    let ask = async |query: &str| {
        let request = crate::support::graphql::json_request("application/json");
        let request = request.body(axum::body::Body::from(json!({ "query": query }).to_string())).expect("a request");
        let router: axum::Router = router.clone();
        let answered = tokio::spawn(tower::ServiceExt::oneshot(router, request)).await;
        let response = answered.expect("no panic").expect("an answer");
        let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        serde_json::from_slice::<Value>(&bytes).expect("JSON")["data"].clone()
    };
    ask(names).await;
    let (requests, hits) = cost_again(&site, again).await;
    assert!(requests == 0 && hits > 0, "{requests} requests, {hits} hits");
    for (number, change) in
        ["updateTag(input: { @tag(a), name: \"N\" })", "updateTag(input: { @tag(a), name: \"M\" })"].iter().enumerate()
    {
        let before = ask(again).await;
        assert_eq!(before, ask(again).await);
        let query = format!("mutation {{ {change} {{ userErrors {{ message }} }} }}");
        let answer = site.mutate(&query, json!({}), Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body.get("errors"), None, "{}", answer.text);
        let name = ask(again).await["posts"]["nodes"][0]["tags"][0]["name"].clone();
        assert_eq!(name, ["N", "M"][number]);
    }
}

/// Keeps what is announced, for [`a_write_that_nobody_reads_drops_nothing`].
#[derive(Default)]
struct Announced(Mutex<usize>);

impl WriteObserver for Announced {
    fn will_commit(&self, _: u64, rows: Option<&[WrittenRow]>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += rows.map_or(0, <[WrittenRow]>::len);
    }

    fn was_reopened(&self) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_nobody_reads_drops_nothing() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z")), post(2, instant("2026-05-02T00:00:00Z"))]).await;
    let site = Site { content: site.content.caching_values(VALUE_CACHE_BYTES_MAX), ..site };
    let announced = Arc::new(Announced::default());
    let observer: Weak<dyn WriteObserver> = Arc::<Announced>::downgrade(&announced) as Weak<dyn WriteObserver>;
    assert!(site.store.observe_writes(observer));
    let query = "{ post(slug: \"post-1\") { id version title } }";
    let found = site.query(query).await;
    let other = site.query("{ post(slug: \"post-2\") { id version } }").await["post"].clone();
    let input = json!({ "input": { "id": other["id"], "expectedVersion": other["version"], "title": "X" } });
    let update = "mutation($input: UpdatePostInput!) { updatePost(input: $input) { post { version } } }";
    site.mutate(update, input, Some(EDITOR_TOKEN)).await;
    assert!(*announced.0.lock().expect("no panic") > 0);
    let body = json!({ "query": query }).to_string();
    let request = crate::support::graphql::json_request("application/json").header("GraphQL-Explain", "report");
    let answer = site.send(request, Some(EDITOR_TOKEN), body).await;
    assert_eq!(answer.body["data"], found);
    assert_eq!(answer.body["extensions"]["explain"]["spent"]["pointReads"], 0, "{}", answer.text);
}
