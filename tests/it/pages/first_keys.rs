//! Pages of filters, of which the first keys of the indexes are cached. The rule: they are the pages of a reader that holds nothing, and read nothing that is cached.

use tidings::content::{Content, Reader};
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::model::{Instant, PostKey, WholePost};
use tidings::testing::pages::posts::read_page;
use tidings::testing::pages::total::count_posts;
use tidings::testing::pages::{Filter, PageArguments, PostList, RequestedFields, Scope, SlugFilter};

use crate::support::site::{NOW, Site, instant, post, slug, slugs};

const ITEMS: RequestedFields = RequestedFields { items: true, has_next: false, has_previous: false };
const POSTS: u64 = 1_500;

/// Posts an hour apart; of the last, which are the oldest, a group is published at one instant. More of a tag than one read asks for.
fn posts() -> Vec<WholePost> {
    let tags = |n: u64| {
        let of = [(2, "two"), (3, "three"), (100, "hundred")];
        of.iter().filter(|(d, _)| n.is_multiple_of(*d)).map(|(_, tag)| slug(tag)).collect()
    };
    let at = |n: u64| instant(NOW).ticks() - 36_000_000_000 * (1 + n.min(1_400)) as i64;
    let of = |n| {
        let mut whole = post(n, Instant::from_ticks(at(n)).expect("ticks"));
        whole.post.tags = tags(n);
        whole.post.categories = slugs(&[if n < 700 { "new" } else { "old" }]);
        whole.post.language = if n % 7 < 3 { "de".parse().ok() } else { None };
        whole.post.is_featured = n % 13 == 0;
        whole
    };
    (0..POSTS).map(of).collect()
}

fn filters() -> Vec<Filter> {
    let tags = |all: &[&str]| SlugFilter { all: slugs(all), ..SlugFilter::default() };
    let any = SlugFilter { any: Some(slugs(&["three", "hundred"])), ..SlugFilter::default() };
    let languages = SlugFilter { any: Some(slugs(&["de", "fr"])), ..SlugFilter::default() };
    let after = Some(Instant::from_ticks(instant(NOW).ticks() - 36_000_000_000 * 900).expect("ticks"));
    vec![
        Filter { tags: tags(&["two", "three"]), ..Filter::default() },
        Filter { tags: tags(&["hundred", "two"]), ..Filter::default() },
        Filter { tags: tags(&["hundred"]), categories: tags(&["old"]), ..Filter::default() },
        Filter { tags: any.clone(), categories: tags(&["old"]), ..Filter::default() },
        Filter { tags: SlugFilter { all: slugs(&["two"]), ..any }, ..Filter::default() },
        Filter { tags: tags(&["two", "three"]), published_after: after, ..Filter::default() },
        Filter { tags: tags(&["two", "three"]), published_before: after, ..Filter::default() },
        Filter { tags: tags(&["two", "nothing"]), ..Filter::default() },
        Filter { tags: tags(&["two"]), languages: languages.clone(), ..Filter::default() },
        Filter { categories: tags(&["old"]), languages, published_after: after, ..Filter::default() },
        Filter { tags: tags(&["two"]), featured: SlugFilter::of_featured(true), ..Filter::default() },
        Filter { tags: tags(&["two", "three"]), featured: SlugFilter::of_featured(false), ..Filter::default() },
    ]
}

/// All keys of a list by its pages of this size, from its first post on or from its last.
async fn walk(content: &Content, list: &PostList, size: i32, is_from_end: bool) -> Vec<PostKey> {
    let (mut keys, mut cursor): (Vec<PostKey>, Option<PostKey>) = (Vec::new(), None);
    loop {
        let arguments = match is_from_end {
            false => PageArguments { first: Some(size), after: cursor.clone(), ..PageArguments::default() },
            true => PageArguments { last: Some(size), before: cursor.clone(), ..PageArguments::default() },
        };
        let reader = reader(content).await;
        let page = read_page(&reader, &reader, list, &arguments, ITEMS).await.expect("a page");
        let mut found: Vec<PostKey> = page.items.iter().map(|post| post.key()).collect();
        if is_from_end {
            found.reverse();
        }
        let Some(last) = found.last() else { return keys };
        cursor = Some(last.clone());
        keys.extend(found);
    }
}

async fn reader(content: &Content) -> Reader {
    content.reader().at_one_moment().await.expect("a snapshot")
}

fn lists() -> Vec<PostList> {
    let list = |filter| PostList::checked(Scope::All, filter).expect("a list");
    filters().into_iter().map(list).flat_map(|list| [list.clone(), list.reversed()]).collect()
}

async fn assert_same(site: &Site, holding: &Content) {
    for list in lists() {
        for (size, is_from_end) in [(100, false), (40, true), (7, false), (100, true)] {
            let expected = walk(&site.content, &list, size, is_from_end).await;
            assert_eq!(walk(holding, &list, size, is_from_end).await, expected, "{list:?} {size} {is_from_end}");
        }
        let counts = [&site.content, holding].map(async |content| count_posts(&reader(content).await, &list).await);
        let [expected, found] = counts;
        assert_eq!(found.await.expect("a count"), expected.await.expect("a count"), "{list:?}");
    }
}

#[tokio::test]
async fn pages_of_filters_are_the_same_with_cached_keys_and_after_each_write() {
    let site = Site::in_memory().await;
    site.publish(&posts()).await;
    let holding = site.content.clone().caching_values(VALUE_CACHE_BYTES_MAX);
    assert_same(&site, &holding).await;
    // Among the cached keys, and before the first of them.
    for (number, hours) in [(2_000, 650), (2_001, 0)] {
        let ticks = instant(NOW).ticks() - 36_000_000_000 * hours - 1;
        let mut whole = post(number, Instant::from_ticks(ticks).expect("ticks"));
        whole.post.tags = slugs(&["two", "three", "hundred"]);
        whole.post.categories = slugs(&["old"]);
        site.publish(&[whole]).await;
        assert_same(&site, &holding).await;
    }
}

#[tokio::test]
async fn another_filter_of_the_same_terms_reads_no_key_again() {
    let site = Site::in_memory().await;
    site.publish(&posts()).await;
    let holding = site.content.clone().caching_values(VALUE_CACHE_BYTES_MAX);
    let reads_of_keys = async |filter: &Filter, first: i32| {
        let list = PostList::checked(Scope::All, filter.clone()).expect("a list");
        let arguments = PageArguments { first: Some(first), ..PageArguments::default() };
        let reader = holding.explaining_reader().at_one_moment().await.expect("a snapshot");
        read_page(&reader, &reader, &list, &arguments, ITEMS).await.expect("a page");
        let requests = reader.explanation().expect("it is explained").explained().requests;
        requests.iter().filter(|request| request.accessed.table.starts_with("PostsBy")).count()
    };
    let [of_tags, of_rare, _, of_any, of_all, ..] = &filters()[..] else { panic!("there are filters") };
    assert_eq!(reads_of_keys(of_tags, 20).await, 2, "each index is read");
    assert_eq!(reads_of_keys(of_tags, 30).await, 0);
    assert_eq!(reads_of_keys(of_rare, 5).await, 1, "one of the two is cached");
    assert_eq!(reads_of_keys(of_all, 5).await, 0, "all three are cached");
    assert_eq!(reads_of_keys(of_any, 1).await, 1, "one of the three is not cached");
}
