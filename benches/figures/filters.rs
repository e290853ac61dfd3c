//! What a page of a filter costs, for sites of any size: `cargo bench --bench figures -- --posts N filter`. The rule: each filter is asked for only once
//! in a run, so that no page is cached; what is cached in the second run are the first keys of the indexes, and posts.

use std::path::Path;
use std::time::Instant as Moment;

use tidings::content::Content;
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::model::TermKind::{self, Author, Category, Tag};
use tidings::testing::pages::posts::read_page;
use tidings::testing::pages::{Filter, PageArguments, PostList, RequestedFields, Scope, SlugFilter};
use tokio::runtime::Runtime;

use crate::posts::term_slug;
use crate::rates::one_core;
use crate::table::{Figure, with_commas};
use crate::{Result, site};

/// Pairs of these numbers are the pairs of terms.
const OFTEN: [u64; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const RARELY: [u64; 12] = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111];
const PAGE: i32 = 20;

/// A kind of filter, made of two numbers of terms.
struct Kind {
    name: &'static str,
    numbers: [u64; 12],
    filter: fn(u64, u64) -> Filter,
}

pub fn figures(store: &Path, is_requested: impl Fn(&str) -> bool) -> Result<Vec<Figure>> {
    let requested: Vec<Kind> = kinds().into_iter().filter(|kind| is_requested(kind.name)).collect();
    if requested.is_empty() {
        return Ok(Vec::new());
    }
    let runtime = one_core()?;
    let content = runtime.block_on(site::open_without_values(store))?;
    let figure = |kind: Kind| {
        let uncached = pages(&runtime, &content, &kind, PAGE)?;
        let holding = content.clone().caching_values(VALUE_CACHE_BYTES_MAX);
        pages(&runtime, &holding, &kind, PAGE)?;
        let cached = pages(&runtime, &holding, &kind, PAGE - 1)?;
        let of = |pages: &Pages| format!("{:.0} µs, {} rows", pages.micros, with_commas(pages.rows));
        let measured =
            format!("{}; keys cached: {}; {} posts on a page", of(&uncached), of(&cached), with_commas(uncached.posts));
        Ok(Figure::new(kind.name, measured))
    };
    requested.into_iter().map(figure).collect()
}

/// The medians of some pages.
struct Pages {
    micros: f64,
    rows: f64,
    posts: f64,
}

/// A page of each pair of terms.
fn pages(runtime: &Runtime, content: &Content, kind: &Kind, first: i32) -> Result<Pages> {
    let (mut micros, mut rows, mut posts) = (Vec::new(), Vec::new(), Vec::new());
    for (at, one) in kind.numbers.iter().enumerate() {
        for other in &kind.numbers[at + 1..] {
            let list = PostList::checked(Scope::All, (kind.filter)(*one, *other))?;
            let begun = Moment::now();
            let (read, found) = runtime.block_on(page(content, &list, first))?;
            micros.push(begun.elapsed().as_secs_f64() * 1e6);
            rows.push(read as f64);
            posts.push(found as f64);
        }
    }
    Ok(Pages { micros: median(micros), rows: median(rows), posts: median(posts) })
}

/// The rows that it reads, and the posts that it has.
async fn page(content: &Content, list: &PostList, first: i32) -> Result<(u64, usize)> {
    let reader = content.reader().at_one_moment().await?;
    let arguments = PageArguments { first: Some(first), ..PageArguments::default() };
    let requested = RequestedFields { items: true, ..RequestedFields::default() };
    let page = read_page(&reader, &reader, list, &arguments, requested).await?;
    Ok((reader.storage_used().rows, page.items.len()))
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

fn kinds() -> Vec<Kind> {
    let two = |name, numbers| Kind { name, numbers, filter: |one, other| all([(Tag, one), (Tag, other)]) };
    vec![
        two("filter-two-tags", OFTEN),
        two("filter-two-rare-tags", RARELY),
        Kind {
            name: "filter-tag-category",
            numbers: OFTEN,
            filter: |one, other| all([(Tag, one), (Category, other % 10)]),
        },
        Kind { name: "filter-tag-author", numbers: OFTEN, filter: |one, other| all([(Tag, one), (Author, other)]) },
        Kind {
            name: "filter-rare-tag-category",
            numbers: RARELY,
            filter: |one, other| all([(Tag, one), (Category, other % 10)]),
        },
        Kind {
            name: "filter-any-of-two",
            numbers: OFTEN,
            filter: |one, other| {
                let any = Some(vec![term_slug(Tag, one), term_slug(Tag, other)]);
                let tags = SlugFilter { any, ..SlugFilter::default() };
                Filter { tags, ..all([(Category, other % 10)]) }
            },
        },
        Kind {
            name: "filter-tag-without-tag",
            numbers: OFTEN,
            filter: |one, other| {
                let (all, none) = (vec![term_slug(Tag, one)], vec![term_slug(Tag, other)]);
                Filter { tags: SlugFilter { all, none, ..SlugFilter::default() }, ..Filter::default() }
            },
        },
    ]
}

/// The posts that have all of these terms.
fn all<const N: usize>(terms: [(TermKind, u64); N]) -> Filter {
    let of_kind = |kind: TermKind| {
        let numbers = terms.iter().filter(|(of, _)| *of == kind);
        SlugFilter { all: numbers.map(|(kind, number)| term_slug(*kind, *number)).collect(), ..SlugFilter::default() }
    };
    Filter { categories: of_kind(Category), tags: of_kind(Tag), authors: of_kind(Author), ..Filter::default() }
}
