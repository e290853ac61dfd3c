//! How often a query is answered in a second of one core's work. The rule: one request after another, the time is that of the thread which answers,
//! and the best of several runs counts, because another process on the machine can only make a run slower.

use std::path::Path;
use std::time::{Duration, Instant as Moment};

use tidings::graphql::service::GraphqlService;
use tidings::keys::cursor;
use tidings::model::TermKind;
use tidings::testing::pages::PostList;

use crate::machine::ThreadClock;
use crate::posts::{Generated, term_slug};
use crate::table::{Figure, with_commas};
use crate::{Result, latest, site};

const RUNS: u32 = 5;
/// A post as the front page of a blog shows it.
pub const CARD: &str = "id slug title excerpt publishedAt author { name slug } authors { name slug } categories { name slug } tags { name slug }";

/// A query that is sent repeatedly, and the clock of the thread that answers it.
pub struct Asked<'a> {
    pub ask: &'a mut dyn FnMut() -> Result<()>,
    pub clock: &'a ThreadClock,
}

/// How many answers each gives in a second of its thread's work; their runs alternate, so that other processes slow all of them alike.
pub fn rates<const N: usize>(seconds: f64, mut asked: [Asked<'_>; N]) -> Result<[f64; N]> {
    let duration = Duration::from_secs_f64(seconds / f64::from(RUNS));
    let mut best = [0.0_f64; N];
    for _ in 0..RUNS {
        for (asked, best) in asked.iter_mut().zip(&mut best) {
            *best = best.max(measure_once(duration, asked)?);
        }
    }
    Ok(best)
}

fn measure_once(duration: Duration, asked: &mut Asked<'_>) -> Result<f64> {
    let (begun, worked) = (Moment::now(), asked.clock.at_work()?);
    let mut answers = 0;
    while begun.elapsed() < duration {
        (asked.ask)()?;
        answers += 1;
    }
    Ok(f64::from(answers) / (asked.clock.at_work()? - worked).as_secs_f64())
}

pub fn one_core() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Queries, for information.
pub fn figures(store: &Path, posts: u64, seconds: f64, is_requested: impl Fn(&str) -> bool) -> Result<Vec<Figure>> {
    let runtime = one_core()?;
    let content = runtime.block_on(site::open(store))?;
    let service = site::service(&content);
    let requested = queries(posts).into_iter().filter(|(name, _)| is_requested(name));
    requested.map(|(name, document)| figure(&runtime, &service, name, &document, seconds)).collect()
}

fn figure(
    runtime: &tokio::runtime::Runtime,
    service: &dyn GraphqlService,
    name: &str,
    document: &str,
    seconds: f64,
) -> Result<Figure> {
    let bytes = runtime.block_on(site::answer(service, document))?.len();
    let mut run = || runtime.block_on(site::answer(service, document)).map(drop);
    let clock = ThreadClock::of_this_thread()?;
    let [rate] = rates(seconds / 2.0, [Asked { ask: &mut run, clock: &clock }])?;
    Ok(Figure::new(
        name,
        format!("{} /s ({:.0} µs, {} bytes)", with_commas(rate), 1e6 / rate, with_commas(bytes as f64)),
    ))
}

fn queries(posts: u64) -> Vec<(&'static str, String)> {
    let tag = |number| term_slug(TermKind::Tag, number);
    let middle = Generated::new(posts / 2);
    // The newest post has the highest number, and page 5,000 begins after the post number 20 × 4,999.
    let page = 5_000.min(posts / 20).max(1);
    let last_before = Generated::new(posts - (20 * (page - 1)).max(1));
    let after = cursor::encode_post(PostList::all().tag(), &last_before.key());
    let page_of = |arguments: &str| format!("{{ posts({arguments}) {{ edges {{ cursor node {{ {CARD} }} }} }} }}");
    let (a_tag, another) = (tag(3), tag(7));
    let two_tags = format!("first: 20, filter: {{ tags: {{ all: [\"{a_tag}\", \"{another}\"] }} }}");
    vec![
        ("query-latest", latest::document()),
        ("query-page-5000", page_of(&format!("first: 20, after: \"{after}\""))),
        ("query-tag", format!("{{ tag(slug: \"{a_tag}\") {{ name posts(first: 20) {{ nodes {{ {CARD} }} }} }} }}")),
        ("query-two-tags", page_of(&two_tags)),
        ("query-titles", "{ posts(first: 20) { nodes { title slug } } }".to_owned()),
        ("query-post", format!("{{ post(slug: \"{}\") {{ title excerpt }} }}", middle.slug)),
        ("query-post-html", format!("{{ post(slug: \"{}\") {{ {CARD} body {{ html }} }} }}", middle.slug)),
        (
            "query-counts",
            format!(
                "{{ posts(first: 0) {{ totalCount }} tag(slug: \"{a_tag}\") {{ posts(first: 0) {{ totalCount }} }} }}"
            ),
        ),
    ]
}
