//! Every combination of paging arguments, on a list with ties, gaps, drafts and scheduled posts, in both orders, on tables and on a file.

use tidings::model::field_index::field_partition;
use tidings::model::{IndexKind, Month, Post, PostId, PostKey, Term, TermId, TermKind, WholePost};
use tidings::testing::pages::posts::read_page;
use tidings::testing::pages::total::count_posts;
use tidings::testing::pages::{Filter, PageArguments, PostList, RequestedFields, Scope, SlugFilter, number_in_series};

use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, indexed, instant, post, slug, slugs};

const BOTH: RequestedFields = RequestedFields { items: true, has_next: true, has_previous: true };

/// 120 posts over three years with several posts in a month, several at one instant, and empty months; five scheduled posts and a draft.
fn posts() -> Vec<WholePost> {
    let mut posts = Vec::new();
    for n in 0..120_u64 {
        let day = match n {
            0..40 => 1 + n / 4,
            40..80 => 200 + n,
            _ => 400 + 8 * (n - 80),
        };
        let start = instant("2023-03-01T00:00:00Z").ticks();
        let at = tidings::model::Instant::from_ticks(start + day as i64 * 864_000_000_000).expect("ticks");
        let mut whole = post(n, at);
        whole.post.tags =
            [(2, "two"), (3, "three"), (5, "five")].iter().filter(|(d, _)| n % d == 0).map(|(_, t)| slug(t)).collect();
        whole.post.categories = slugs(&[if n % 4 == 0 { "news" } else { "notes" }]);
        whole.post.authors = slugs(&[if n % 7 == 0 { "ada" } else { "grace" }]);
        whole.post.language = ["de", "pt-BR", "de"].get(n as usize % 5).and_then(|tag| tag.parse().ok());
        whole.post.is_featured = n % 6 == 0;
        whole.post.series = (n % 3 != 1).then(|| slug("walks"));
        set_fields(&mut whole, n % 4, ["ESSAY", "REVIEW"][n as usize % 2]);
        posts.push(whole);
    }
    for n in 120..125 {
        let mut whole = post(n, instant("2026-06-20T00:00:00Z"));
        whole.post.tags = slugs(&["two", "five"]);
        whole.post.series = Some(slug("walks"));
        whole.post.language = "de".parse().ok();
        whole.post.is_featured = n % 2 == 0;
        set_fields(&mut whole, 3, "ESSAY");
        posts.push(whole);
    }
    let mut draft = post(125, instant("2026-06-01T00:00:00Z"));
    draft.post.published_at = None;
    draft.post.tags = slugs(&["two"]);
    draft.post.series = Some(slug("walks"));
    set_fields(&mut draft, 3, "ESSAY");
    posts.push(draft);
    posts
}

fn set_fields(whole: &mut WholePost, rating: u64, kind: &str) {
    whole.metadata = indexed(rating, kind);
    whole.post.field_index = vec![field_partition("kind", kind), field_partition("rating", &rating.to_string())];
}

/// The keys of the posts that are visible at `NOW` and that the filter keeps, newest first.
fn model(posts: &[WholePost], keeps: impl Fn(&Post) -> bool) -> Vec<PostKey> {
    let visible = |post: &&Post| post.published_at.is_some_and(|at| at <= instant(NOW)) && keeps(post);
    let mut keys: Vec<PostKey> = posts.iter().map(|w| &w.post).filter(visible).map(Post::key).collect();
    keys.sort();
    keys
}

/// Relay's "Pagination algorithm" with two posts of the list: the page is the part between them, and `has_next` and `has_previous` say whether the
/// list has more on that side.
fn relay(all: &[PostKey], arguments: &PageArguments<PostKey>) -> (Vec<PostKey>, bool, bool) {
    let index = |cursor: &PostKey| all.iter().position(|key| key == cursor).expect("a post of the list");
    let mut start = arguments.after.as_ref().map_or(0, |after| index(after) + 1);
    let mut end = arguments.before.as_ref().map_or(all.len(), index);
    if let Some(first) = arguments.first {
        end = end.min(start + first as usize);
    }
    if let Some(last) = arguments.last {
        start = start.max(end.saturating_sub(last as usize));
    }
    (all.get(start..end).unwrap_or_default().to_vec(), end < all.len(), start > 0)
}

async fn assert_page(site: &Site, list: &PostList, all: &[PostKey], arguments: PageArguments<PostKey>) {
    let reader = site.content.reader();
    let page = read_page(&reader, &reader, list, &arguments, BOTH).await.expect("a page");
    let found: Vec<PostKey> = page.items.iter().map(|post| post.key()).collect();
    assert_eq!((found, page.has_next, page.has_previous), relay(all, &arguments), "{list:?} {arguments:?}");
}

/// Reads the list, and the same list in the reverse order, in both directions with each page size, and compares each page with the model.
async fn assert_list(site: &Site, list: &PostList, all: &[PostKey]) {
    let reversed: Vec<PostKey> = all.iter().rev().cloned().collect();
    assert_ordered(site, list, all).await;
    assert_ordered(site, &list.clone().reversed(), &reversed).await;
    for list in [list.clone(), list.clone().reversed()] {
        let total = count_posts(&site.content.reader(), &list).await.expect("a count");
        assert_eq!(total, all.len() as u64, "{list:?}");
    }
}

async fn assert_ordered(site: &Site, list: &PostList, all: &[PostKey]) {
    for size in [1, 7, 100] {
        let mut arguments = PageArguments { first: Some(size), ..PageArguments::default() };
        for chunk in all.chunks(size as usize) {
            assert_page(site, list, all, arguments.clone()).await;
            arguments.after = chunk.last().cloned();
        }
        assert_page(site, list, all, arguments).await;
        let mut arguments = PageArguments { last: Some(size), ..PageArguments::default() };
        for chunk in all.rchunks(size as usize) {
            assert_page(site, list, all, arguments.clone()).await;
            arguments.before = chunk.first().cloned();
        }
        assert_page(site, list, all, arguments).await;
    }
}

fn term(kind: TermKind, name: &str) -> Scope {
    Scope::Term(TermId { kind, first_slug: slug(name) })
}

/// The posts on tables, without transactions over several of them, and on a file.
async fn sites() -> ([Site; 2], Vec<WholePost>) {
    let tables = Site::over(MemoryStore::empty()).await.indexing_fields().await;
    let (sites, posts) = ([tables, Site::in_memory().await.indexing_fields().await], posts());
    for site in &sites {
        site.publish(&posts).await;
    }
    (sites, posts)
}

#[tokio::test]
async fn pages_of_all_posts_match_the_model() {
    let (sites, posts) = sites().await;
    for site in sites {
        site.assert_sound().await;
        assert_list(&site, &PostList::all(), &model(&posts, |_| true)).await;
    }
}

#[tokio::test]
async fn pages_of_a_term_match_the_model() {
    let (sites, posts) = sites().await;
    for (kind, name) in
        [(TermKind::Tag, "two"), (TermKind::Category, "news"), (TermKind::Author, "ada"), (TermKind::Tag, "none")]
    {
        let all = model(&posts, |post| post.has_term(kind, &slug(name)));
        for site in &sites {
            assert_list(site, &PostList::of(term(kind, name)), &all).await;
        }
    }
}

/// The posts that are named first, in their order, then the others, the earliest first.
fn in_series(posts: &[WholePost], named: &[PostId]) -> Vec<PostKey> {
    let mut keys = model(posts, |post| post.has_term(TermKind::Series, &slug("walks")));
    keys.reverse();
    let place = |key: &PostKey| named.iter().position(|id| *id == key.id).unwrap_or(named.len());
    keys.sort_by_key(place);
    keys
}

#[tokio::test]
async fn pages_of_a_series_match_the_model() {
    let (sites, posts) = sites().await;
    let id = |n: usize| posts[n].post.id.clone();
    let series = |order: Vec<PostId>| Term { order, ..Term::new(TermKind::Series, slug("walks"), "Walks") };
    // Posts that are not in it, a scheduled post and a draft count for nothing.
    let named = [vec![], vec![60, 3, 119, 1, 0, 121, 125, 62], (0..120).rev().collect()];
    for numbers in named {
        let named: Vec<PostId> = numbers.into_iter().map(id).collect();
        let (list, all) = (PostList::of_series(&series(named.clone())), in_series(&posts, &named));
        assert_eq!(all.len(), 80);
        for site in &sites {
            assert_ordered(site, &list, &all).await;
            let total = count_posts(&site.content.reader(), &list).await.expect("a count");
            assert_eq!(total, all.len() as u64);
            for (number, key) in all.iter().enumerate().step_by(13) {
                let found = number_in_series(&site.content.reader(), &series(named.clone()), key).await;
                assert_eq!(found.expect("a number"), Some(number + 1));
            }
            let elsewhere =
                number_in_series(&site.content.reader(), &series(named.clone()), &posts[1].post.key()).await;
            assert_eq!(elsewhere.expect("no number"), None);
        }
        for (first, last) in
            [(Some(10), Some(3)), (Some(3), Some(10)), (Some(0), None), (None, Some(0)), (Some(30), None)]
        {
            for (after, before) in [
                (None, None),
                (Some(4), None),
                (None, Some(20)),
                (Some(4), Some(20)),
                (Some(20), Some(4)),
                (Some(4), Some(5)),
            ] {
                let at = |i: Option<usize>| i.map(|i| all[i].clone());
                assert_page(
                    &sites[0],
                    &list,
                    &all,
                    PageArguments { first, last, after: at(after), before: at(before) },
                )
                .await;
            }
        }
    }
}

#[tokio::test]
async fn pages_of_a_month_match_the_model() {
    let (sites, posts) = sites().await;
    for month in ["2023-03", "2023-10", "2026-06", "1999-01"] {
        let month: Month = month.parse().expect("a month");
        let all = model(&posts, |post| post.key().month() == month);
        for site in &sites {
            assert_list(site, &PostList::of(Scope::Month(month)), &all).await;
        }
    }
}

fn all_of(texts: &[&str]) -> SlugFilter {
    SlugFilter { all: slugs(texts), ..SlugFilter::default() }
}

fn any_of(texts: &[&str]) -> SlugFilter {
    SlugFilter { any: Some(slugs(texts)), ..SlugFilter::default() }
}

fn none_of(texts: &[&str]) -> SlugFilter {
    SlugFilter { none: slugs(texts), ..SlugFilter::default() }
}

fn filters() -> Vec<Filter> {
    let base = Filter::default;
    let (spring, autumn) = (Some(instant("2023-03-05T00:00:00Z")), Some(instant("2024-10-01T00:00:00Z")));
    vec![
        Filter { tags: all_of(&["two", "three"]), ..base() },
        Filter { tags: any_of(&["three", "five", "none"]), ..base() },
        Filter {
            tags: SlugFilter { any: Some(slugs(&["three", "five"])), ..all_of(&["two"]) },
            categories: all_of(&["news"]),
            ..base()
        },
        Filter { tags: any_of(&[]), ..base() },
        Filter { published_after: spring, published_before: autumn, ..base() },
        Filter { published_after: spring, authors: any_of(&["ada", "grace"]), tags: all_of(&["five"]), ..base() },
        Filter { languages: any_of(&["de"]), ..base() },
        Filter { languages: any_of(&["pt-br", "fr", "de"]), ..base() },
        Filter { languages: any_of(&["fr"]), ..base() },
        Filter { languages: any_of(&[]), ..base() },
        Filter { languages: any_of(&["de"]), published_after: spring, published_before: autumn, ..base() },
        Filter { languages: any_of(&["de", "pt-br"]), tags: all_of(&["two"]), authors: any_of(&["ada"]), ..base() },
        Filter { languages: any_of(&["pt-br"]), tags: none_of(&["two", "nothing"]), ..base() },
        Filter { series: all_of(&["walks"]), ..base() },
        Filter { series: none_of(&["walks"]), tags: any_of(&["two"]), ..base() },
        Filter { featured: SlugFilter::of_featured(true), ..base() },
        Filter { featured: SlugFilter::of_featured(true), tags: any_of(&["two", "five"]), ..base() },
        Filter { featured: SlugFilter::of_featured(true), published_after: spring, published_before: autumn, ..base() },
        Filter { featured: SlugFilter::of_featured(false), ..base() },
        Filter {
            featured: SlugFilter::of_featured(false),
            languages: any_of(&["de"]),
            tags: none_of(&["five"]),
            ..base()
        },
        Filter { fields: vec![values("rating", &["3"])], ..base() },
        Filter { fields: vec![values("kind", &["ESSAY"]), values("rating", &["1", "2", "9"])], ..base() },
        Filter {
            fields: vec![values("kind", &["REVIEW"])],
            tags: all_of(&["three"]),
            published_after: spring,
            ..base()
        },
        Filter { fields: vec![values("rating", &["0", "3"])], tags: none_of(&["two"]), ..base() },
        Filter { fields: vec![values("rating", &["9"])], ..base() },
        Filter { fields: vec![values("rating", &[])], ..base() },
        // Of all posts: few are excluded, most of them, all of them, those of another kind of term too.
        Filter { tags: none_of(&["five"]), ..base() },
        Filter { authors: none_of(&["grace"]), ..base() },
        Filter { authors: none_of(&["grace", "ada"]), ..base() },
        Filter { tags: none_of(&["three", "none", "three"]), categories: none_of(&["news"]), ..base() },
        Filter { tags: none_of(&["nothing"]), ..base() },
        Filter { tags: none_of(&["two"]), published_after: spring, published_before: autumn, ..base() },
        // Of the posts of an index, of several, of none.
        Filter { tags: SlugFilter { none: slugs(&["three", "five"]), ..all_of(&["two"]) }, ..base() },
        Filter { tags: SlugFilter { none: slugs(&["five"]), ..any_of(&["three", "five", "two"]) }, ..base() },
        Filter { tags: any_of(&["three", "five"]), authors: none_of(&["ada"]), published_after: spring, ..base() },
        Filter { tags: SlugFilter { none: slugs(&["three"]), ..all_of(&["two", "three"]) }, ..base() },
        Filter { tags: SlugFilter { none: slugs(&["three", "two"]), ..any_of(&["three", "two"]) }, ..base() },
    ]
}

fn values(name: &str, values: &[&str]) -> SlugFilter {
    let partitions = values.iter().map(|value| field_partition(name, value)).collect();
    SlugFilter { any: Some(partitions), ..SlugFilter::default() }
}

fn keeps(filter: &Filter, post: &Post) -> bool {
    let meets = |kind: IndexKind, requested: &SlugFilter| {
        let has = post.indexed(kind);
        requested.all.iter().all(|s| has.contains(s))
            && requested.any.as_ref().is_none_or(|any| any.iter().any(|s| has.contains(s)))
            && !requested.none.iter().any(|s| has.contains(s))
    };
    let has_slugs = |kind: IndexKind| filter.slugs(kind).iter().all(|requested| meets(kind, requested));
    let at = post.published_at.expect("a published post");
    IndexKind::ALL.into_iter().all(has_slugs)
        && filter.published_after.is_none_or(|after| at > after)
        && filter.published_before.is_none_or(|before| at < before)
}

#[tokio::test]
async fn pages_of_a_filter_match_the_model() {
    let (sites, posts) = sites().await;
    let two = TermId { kind: TermKind::Tag, first_slug: slug("two") };
    for filter in filters() {
        let of_all = model(&posts, |post| keeps(&filter, post));
        let of_two = model(&posts, |post| keeps(&filter, post) && post.has_term(two.kind, &two.first_slug));
        for (scope, all) in [(Scope::All, of_all), (Scope::Term(two.clone()), of_two)] {
            let list = PostList::checked(scope, filter.clone()).expect("a list");
            for site in &sites {
                assert_list(site, &list, &all).await;
            }
        }
    }
}

#[tokio::test]
async fn pages_of_a_filtered_series_match_the_model() {
    let (sites, posts) = sites().await;
    let named: Vec<PostId> = [60, 3, 119, 1, 0, 121, 125, 62].map(|n: usize| posts[n].post.id.clone()).to_vec();
    let series = Term { order: named.clone(), ..Term::new(TermKind::Series, slug("walks"), "Walks") };
    for filter in filters() {
        let kept = model(&posts, |post| keeps(&filter, post));
        let all: Vec<PostKey> = in_series(&posts, &named).into_iter().filter(|key| kept.contains(key)).collect();
        let list = PostList::checked(Scope::of_series(&series), filter).expect("a list");
        for site in &sites {
            assert_ordered(site, &list, &all).await;
            let total = count_posts(&site.content.reader(), &list).await.expect("a count");
            assert_eq!(total, all.len() as u64, "{list:?}");
        }
    }
}

#[tokio::test]
async fn first_with_last_and_after_with_before_follow_relay() {
    let (sites, posts) = sites().await;
    let all = model(&posts, |_| true);
    let tagged = model(&posts, |post| post.has_term(TermKind::Tag, &slug("three")));
    let others = model(&posts, |post| !post.has_term(TermKind::Tag, &slug("three")));
    let without = Filter { tags: none_of(&["three"]), ..Filter::default() };
    let lists = [
        (PostList::all(), all),
        (PostList::of(term(TermKind::Tag, "three")), tagged),
        (PostList::checked(Scope::All, without).expect("a list"), others),
    ];
    for (list, all) in lists {
        let reversed: Vec<PostKey> = all.iter().rev().cloned().collect();
        for (list, all) in [(list.clone(), all), (list.reversed(), reversed)] {
            for (first, last) in [
                (Some(10), Some(3)),
                (Some(3), Some(10)),
                (Some(0), None),
                (None, Some(0)),
                (Some(5), Some(0)),
                (Some(30), None),
                (None, Some(30)),
            ] {
                for (after, before) in [
                    (None, None),
                    (Some(4), None),
                    (None, Some(20)),
                    (Some(4), Some(20)),
                    (Some(20), Some(4)),
                    (Some(4), Some(5)),
                ] {
                    let at = |i: Option<usize>| i.map(|i| all[i].clone());
                    let arguments = PageArguments { first, last, after: at(after), before: at(before) };
                    assert_page(&sites[0], &list, &all, arguments).await;
                }
            }
        }
    }
}
