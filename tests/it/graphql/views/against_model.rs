//! Random visits on several days, on a file and on tables, beside a counter that remembers each.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::{PostStatus, TermKind, WholePost};
use tidings::store::azure::AzureStore;

use super::{BROWSER, Counting};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post, slugs};

/// More than one transaction writes.
const POSTS: u64 = 130;
const DAYS: [&str; 5] = ["2026-06-28", "2026-06-29", "2026-06-30", "2026-07-01", "2026-07-02"];
const TAG: &str = "thirds";

fn posts() -> Vec<WholePost> {
    let of = |number: u64| {
        let mut whole = post(number, instant("2026-05-01T00:00:00Z"));
        whole.post.tags = if number.is_multiple_of(3) { slugs(&[TAG]) } else { Vec::new() };
        whole
    };
    (0..POSTS).map(of).collect()
}

/// A draft and a scheduled post.
fn hidden() -> Vec<WholePost> {
    let mut draft = post(1_000, instant(NOW));
    draft.post.published_at = None;
    vec![draft, post(1_001, instant("2099-01-01T00:00:00Z"))]
}

struct Model {
    posts: Vec<WholePost>,
    /// The day, the post and the visitor.
    visits: HashSet<(usize, usize, (usize, usize))>,
}

impl Model {
    fn of_day(&self, post: usize, day: usize) -> usize {
        self.visits.iter().filter(|(on, of, _)| (*on, *of) == (day, post)).count()
    }

    /// The slugs and the views of the posts with the most views on the last days.
    fn popular(&self, days: std::ops::RangeInclusive<usize>, first: usize, is_filtered: bool) -> Value {
        let mut views: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, post, _) in self.visits.iter().filter(|(day, ..)| days.contains(day)) {
            *views.entry(*post).or_default() += 1;
        }
        let has_tag = |post: &usize| !self.posts[*post].post.terms(TermKind::Tag).is_empty();
        let mut ranked: Vec<_> = views.into_iter().filter(|(post, _)| !is_filtered || has_tag(post)).collect();
        ranked.sort_by_key(|(post, views)| (usize::MAX - views, self.posts[*post].post.id.clone()));
        let slug = |post: usize| self.posts[post].post.slug.as_str();
        ranked
            .iter()
            .take(first)
            .map(|(post, views)| json!({ "post": { "slug": slug(*post) }, "views": views }))
            .collect()
    }
}

/// Reports a random visit.
async fn visit(counting: &Counting, model: &mut Model, day: usize, random: &mut Random) {
    let visitor = (random.below(40), random.below(2));
    let (address, agent) = (format!("192.0.2.{}", visitor.0), format!("{BROWSER} {}", visitor.1));
    if random.chance(10) {
        let body = random.pick(&["no-such-post", "post-1000", "post-1001", "{\"id\":\"post-zzzzzzzzzzzz\"}"]);
        assert_eq!(counting.view(&address, &agent, body).await, 204);
        return;
    }
    let post = random.below(POSTS as usize).min(random.below(POSTS as usize));
    let post_of = &model.posts[post].post;
    let body = match random.below(3) {
        0 => post_of.slug.to_string(),
        1 => format!("{{\"slug\":\"{}\"}}", post_of.slug),
        _ => format!("{{\"id\":\"post-{}\"}}", post_of.id),
    };
    let is_bot = random.chance(10);
    assert_eq!(counting.view(&address, if is_bot { "Googlebot/2.1" } else { &agent }, &body).await, 204);
    if !is_bot {
        model.visits.insert((day, post, visitor));
    }
}

async fn compare(counting: &Counting, model: &Model, day: usize, random: &mut Random) {
    for _ in 0..5 {
        let post = random.below(POSTS as usize);
        let (from, to) = (random.below(DAYS.len()), random.below(DAYS.len()));
        let (from, to) = (from.min(to), from.max(to));
        let span = format!("(from: \"{}T00:00:00Z\", to: \"{}T13:14:15Z\")", DAYS[from], DAYS[to]);
        let slug = &model.posts[post].post.slug;
        let query =
            format!("{{ post(slug: \"{slug}\") {{ all: views views{span} viewsByDay{span} {{ day views }} }} }}");
        let of_day =
            |day: usize| json!({ "day": format!("{}T00:00:00.000Z", DAYS[day]), "views": model.of_day(post, day) });
        let sum = |days: std::ops::RangeInclusive<usize>| days.map(|day| model.of_day(post, day)).sum::<usize>();
        let expected = json!({ "all": sum(0..=day), "views": sum(from..=to), "viewsByDay": (from..=to).map(of_day).collect::<Vec<_>>() });
        let (data, was_cached) = counting.ask(&query).await;
        assert_eq!((&data["post"], was_cached), (&expected, false), "{query}");
    }
    for (days, first, is_filtered) in [(1, 100, false), (2, 7, true), (5, 20, false), (90, 100, true)] {
        let filter = if is_filtered { format!(", filter: {{ tags: {{ all: [\"{TAG}\"] }} }}") } else { String::new() };
        let query = format!("{{ popular(days: {days}, first: {first}{filter}) {{ post {{ slug }} views }} }}");
        let expected = model.popular((day + 1).saturating_sub(days)..=day, first, is_filtered);
        let (data, was_cached) = counting.ask(&query).await;
        assert_eq!((&data["popular"], was_cached), (&expected, false), "{query}");
    }
}

/// `is_file`: other answers must stay cached.
async fn run(site: Site, is_file: bool, seed: u64) {
    let _report = report_seed_on_failure(seed);
    let mut random = Random::new(seed);
    let mut model = Model { posts: posts(), visits: HashSet::new() };
    site.publish(&model.posts).await;
    site.publish(&hidden()).await;
    assert_eq!(hidden()[0].post.status(instant(NOW)), PostStatus::Draft);
    let counting = Counting::of(site, 12);
    let list = "{ posts(first: 5) { nodes { title } } }";
    for (day, date) in DAYS.iter().enumerate() {
        for hour in ["01", "12", "23"] {
            counting.site.clock.set(instant(&format!("{date}T{hour}:00:00Z")));
            for _ in 0..300 {
                visit(&counting, &mut model, day, &mut random).await;
            }
            counting.ask(list).await;
            // Views that wait for longer than a day are counted on their day.
            if hour == "12" || day + 1 == DAYS.len() || random.chance(50) {
                counting.flush().await;
                assert!(!is_file || counting.ask(list).await.1, "views invalidate other answers");
                if hour != "01" {
                    compare(&counting, &model, day, &mut random).await;
                }
            }
        }
    }
    counting.site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn views_on_a_file_are_those_of_a_counter_that_remembers_every_visit() {
    for seed in seeds(2) {
        run(Site::in_memory().await, true, seed).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn views_on_tables_are_those_of_a_counter_that_remembers_every_visit() {
    let azurite = Azurite::any();
    for seed in seeds(1) {
        let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
        run(Site::over(Arc::new(store)).await, false, seed).await;
    }
}
