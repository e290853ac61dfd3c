//! Search: how long an index takes to build, how large it is, and how long an answer takes to one caller and to many. The rule: the queries are one to three words of five
//! letters or more of a post, a fifth of them misspelt and a third unfinished, and each answer has the titles of ten posts.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tidings::clock::Clock;
use tidings::content::SearchSettings;
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;

use crate::machine;
use crate::posts::{Dice, Generated};
use crate::rates::one_core;
use crate::table::{Figure, with_commas};
use crate::{Result, site};

const CALLERS: usize = 32;
/// Five letters a second, each of which is a search.
const TYPING: Duration = Duration::from_millis(200);
/// p50 and p99, in milliseconds.
const TYPED_MAX: [f64; 2] = [5.0, 30.0];
/// Every post of a site of 1,000,000 is published by then.
const ALL_PUBLISHED: &str = "2150-01-01T00:00:00Z";
const FOLDER: &str = "search";

pub fn figures(store: &Path, posts: u64, seconds: f64) -> Result<Vec<Figure>> {
    let runtime = one_core()?;
    let folder = store.join(FOLDER);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let settings = SearchSettings { folder: Some(folder.clone()), language: Some("en".to_owned()) };
    let before = machine::memory().now;
    let content = runtime.block_on(site::open_at(store, Clock::fixed(ALL_PUBLISHED.parse()?)))?;
    let content = content.caching_values(VALUE_CACHE_BYTES_MAX).searching(Some(settings));
    let service = Arc::new(site::service(&content));
    runtime.spawn(async move { content.follow_for_search().await });
    let begun = Instant::now();
    let first = query(&mut Dice(0), posts);
    while runtime.block_on(site::answer(service.as_ref(), &first)).is_err() {
        std::thread::sleep(Duration::from_millis(100));
    }
    let built = begun.elapsed().as_secs_f64();
    let on_disk: u64 = ["public", "drafts"].iter().map(|name| bytes_below(&folder.join(name))).sum::<Result<u64>>()?;
    let memory = machine::memory().now.saturating_sub(before);
    let mut alone = runtime.block_on(ask(Arc::clone(&service), posts, (1, Duration::ZERO), seconds))?;
    let mut typing = runtime.block_on(ask(Arc::clone(&service), posts, (CALLERS, TYPING), seconds))?;
    let mut beside = runtime.block_on(ask(service, posts, (CALLERS, Duration::ZERO), seconds))?;
    let per_second = beside.len() as f64 / seconds;
    let percentiles = |times: &mut Vec<Duration>| {
        times.sort();
        [0.5, 0.99].map(|share| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3)
    };
    let shown = |[p50, p99]: [f64; 2]| format!("p50 {p50:.1} ms, p99 {p99:.1} ms");
    let typed = percentiles(&mut typing);
    Ok(vec![
        Figure::new(
            "search, index of all posts",
            format!("built in {built:.0} s, {} MiB on disk, {memory} MiB more memory", on_disk >> 20),
        ),
        Figure::new("search, one caller", shown(percentiles(&mut alone))),
        Figure::new("search, 32 callers who type", shown(typed))
            .with_goal("p50 5 ms, p99 30 ms", typed[0] <= TYPED_MAX[0] && typed[1] <= TYPED_MAX[1]),
        Figure::new(
            "search, 32 callers without a pause",
            format!("{} /s; {}", with_commas(per_second), shown(percentiles(&mut beside))),
        ),
    ])
}

fn bytes_below(folder: &Path) -> Result<u64> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
}

/// The times of all answers. A caller searches again after this time, or, if the answer took longer, at once; the time counts from when it was due.
async fn ask<S: tidings::graphql::service::GraphqlService>(
    service: Arc<S>,
    posts: u64,
    (callers, every): (usize, Duration),
    seconds: f64,
) -> Result<Vec<Duration>> {
    let begun = Instant::now();
    let until = begun + Duration::from_secs_f64(seconds);
    let asking = (0..callers).map(|caller| {
        let service = Arc::clone(&service);
        tokio::spawn(async move {
            let (mut dice, mut times) = (Dice(caller as u64 + 1), Vec::new());
            let mut due = begun + every * u32::try_from(caller)? / u32::try_from(callers)?;
            while Instant::now() < until {
                tokio::time::sleep_until(due.into()).await;
                let document = query(&mut dice, posts);
                site::answer(service.as_ref(), &document).await?;
                times.push(due.elapsed());
                due = if every.is_zero() { Instant::now() } else { due + every };
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(times)
        })
    });
    let mut times = Vec::new();
    for asked in asking.collect::<Vec<_>>() {
        times.extend(asked.await??);
    }
    Ok(times)
}

fn query(dice: &mut Dice, posts: u64) -> String {
    let post = Generated::new(dice.below(posts));
    let words: Vec<&str> =
        post.markdown.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 4).collect();
    let mut asked: Vec<String> =
        (0..=dice.below(3)).map(|_| words[dice.below(words.len() as u64) as usize].to_owned()).collect();
    if dice.below(5) == 0 {
        asked[0].insert(1, 'x');
    }
    let ends = if dice.below(3) == 0 { "" } else { " " };
    format!("{{ search(query: \"{}{ends}\", first: 10) {{ nodes {{ title slug }} suggestion }} }}", asked.join(" "))
}
