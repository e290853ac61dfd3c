//! How often a query is answered in a second, on one core. The rule: one request after another, and of several rounds the best, for another
//! process on the machine can only make a round slower.

use std::path::Path;
use std::time::{Duration, Instant as Moment};

use tidings::content::pages::PostList;
use tidings::graphql::service::GraphqlService;
use tidings::keys::cursor;
use tidings::model::TermKind;

use crate::posts::{Generated, term_slug};
use crate::table::{Figure, with_commas};
use crate::{Result, site};

const ROUNDS: u32 = 5;
/// A post as the front page of a blog shows it.
pub const CARD: &str = "id slug title excerpt publishedAt author { name slug } authors { name slug } categories { name slug } tags { name slug }";

/// The best rate of each of the runs, whose rounds take turns, so that all meet the same neighbours.
pub fn rates<const N: usize>(seconds: f64, mut runs: [&mut dyn FnMut() -> Result<()>; N]) -> Result<[f64; N]> {
    let round = Duration::from_secs_f64(seconds / f64::from(ROUNDS));
    let mut best = [0.0_f64; N];
    for _ in 0..ROUNDS {
        for (run, best) in runs.iter_mut().zip(&mut best) {
            *best = best.max(one_round(round, &mut **run)?);
        }
    }
    Ok(best)
}

fn one_round(round: Duration, run: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let begun = Moment::now();
    let mut answers = 0;
    while begun.elapsed() < round {
        run()?;
        answers += 1;
    }
    Ok(f64::from(answers) / begun.elapsed().as_secs_f64())
}

pub fn one_core() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Other queries, for information.
pub fn figures(store: &Path, posts: u64, seconds: f64) -> Result<Vec<Figure>> {
    let runtime = one_core()?;
    let content = runtime.block_on(site::open(store))?;
    let service = site::service(&content);
    queries(posts).into_iter().map(|(name, document)| figure(&runtime, &service, name, &document, seconds)).collect()
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
    let [rate] = rates(seconds / 2.0, [&mut run])?;
    Ok(Figure::new(
        name,
        format!("{} /s ({:.0} µs, {} bytes)", with_commas(rate), 1e6 / rate, with_commas(bytes as f64)),
    ))
}

fn queries(posts: u64) -> Vec<(&'static str, String)> {
    let tag = |number| term_slug(TermKind::Tag, number);
    let middle = Generated::new(posts / 2);
    // The newest post has the highest number, and page 5,000 begins behind the 20 × 4,999th post.
    let page = 5_000.min(posts / 20).max(1);
    let last_before = Generated::new(posts - (20 * (page - 1)).max(1));
    let after = cursor::encode_post(PostList::all().tag(), &last_before.key());
    let page_of = |arguments: &str| format!("{{ posts({arguments}) {{ edges {{ cursor node {{ {CARD} }} }} }} }}");
    vec![
        (
            "tag, page of 20",
            format!("{{ tag(slug: \"{}\") {{ name posts(first: 20) {{ nodes {{ {CARD} }} }} }} }}", tag(3)),
        ),
        ("post by slug, with HTML", format!("{{ post(slug: \"{}\") {{ {CARD} body {{ html }} }} }}", middle.slug)),
        ("post by slug, summary", format!("{{ post(slug: \"{}\") {{ title excerpt }} }}", middle.slug)),
        ("page 5,000 by cursor", page_of(&format!("first: 20, after: \"{after}\""))),
        (
            "two tags, page of 20",
            page_of(&format!("first: 20, filter: {{ tags: {{ all: [\"{}\", \"{}\"] }} }}", tag(3), tag(7))),
        ),
        (
            "totalCount of all and of a tag",
            format!(
                "{{ posts(first: 0) {{ totalCount }} tag(slug: \"{}\") {{ posts(first: 0) {{ totalCount }} }} }}",
                tag(3)
            ),
        ),
        ("titles only, page of 20", "{ posts(first: 20) { nodes { title slug } } }".to_owned()),
    ]
}
