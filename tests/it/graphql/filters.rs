//! `PostFilter` and `PostOrder` through the API, compared with a model: all, any, none, dates, duplicates, unknown slugs, empty lists.

use serde_json::{Value, json};
use tidings::keys::{Table, time};
use tidings::model::{IndexKind, Instant, Metadata, Post, TermKind, WholePost};
use tidings::store::Precondition;

use crate::support::lists::{Arguments, ListOf};
use crate::support::rows::{batch, key, put};
use crate::support::site::{NOW, Site, indexed, instant, post, slug, slugs};

/// 90 posts over three months with every combination of three tags, two categories and two authors; some are scheduled.
fn posts() -> Vec<WholePost> {
    let posts = (0..90_u64).map(|n| {
        let day = 1 + n / 4;
        let mut whole = post(n, instant(&format!("2026-0{}-{day:02}T12:00:00Z", 4 + n % 3)));
        let divides = [(2, "two"), (3, "three"), (5, "five")];
        whole.post.tags = divides.iter().filter(|(d, _)| n % d == 0).map(|(_, tag)| slug(tag)).collect();
        whole.post.categories = slugs(if n % 4 == 0 { &["news", "notes"] } else { &["notes"] });
        whole.post.authors = slugs(if n % 7 < 3 { &["ada"] } else { &["grace", "ada"] });
        whole.post.language = ["de", "pt-BR"].get(n as usize % 3).and_then(|tag| tag.parse().ok());
        whole.post.is_featured = n % 11 == 0 || n % 6 == 5;
        whole.metadata = match n % 9 {
            8 => Metadata::default(),
            rating => indexed(rating, ["ESSAY", "REVIEW"][n as usize % 2]),
        };
        whole
    });
    posts.collect()
}

async fn site() -> Site {
    let site = Site::in_memory().await.indexing_fields().await;
    site.publish(&posts()).await;
    site
}

/// The slugs of the posts that the filter keeps, newest first, as a reader gets them at `NOW`.
fn model(keeps: impl Fn(&Post) -> bool) -> Vec<String> {
    let posts = posts();
    let mut kept: Vec<&Post> =
        posts.iter().map(|w| &w.post).filter(|p| p.published_at <= Some(instant(NOW)) && keeps(p)).collect();
    kept.sort_by_key(|post| post.key());
    kept.iter().map(|post| post.slug.to_string()).collect()
}

fn has(post: &Post, kind: TermKind, names: &[&str]) -> [bool; 2] {
    let has_all: Vec<bool> = names.iter().map(|name| post.has_term(kind, &slug(name))).collect();
    [has_all.iter().all(|b| *b), has_all.iter().any(|b| *b)]
}

fn all(post: &Post, kind: TermKind, names: &[&str]) -> bool {
    has(post, kind, names)[0]
}

fn any(post: &Post, kind: TermKind, names: &[&str]) -> bool {
    has(post, kind, names)[1]
}

fn is_in(post: &Post, languages: &[&str]) -> bool {
    post.language.as_ref().is_some_and(|language| languages.contains(&language.as_str()))
}

type Keeps = Box<dyn Fn(&Post) -> bool>;
type Compares = fn(&str, &str) -> bool;

/// Each filter as GraphQL text, with the posts that it keeps.
fn filters() -> Vec<(&'static str, Keeps)> {
    use TermKind::{Author, Category, Tag};
    let at = |text: &str| Some(instant(text));
    let (april, may) = (at("2026-04-05T12:00:00Z"), at("2026-05-10T12:00:00Z"));
    vec![
        ("{}", Box::new(|_| true)),
        ("{ tags: {} }", Box::new(|_| true)),
        ("{ tags: { all: [] } }", Box::new(|_| true)),
        ("{ tags: null, authors: { all: null, any: null } }", Box::new(|_| true)),
        ("{ tags: { any: [] } }", Box::new(|_| false)),
        (r#"{ tags: { all: ["two"], any: [] } }"#, Box::new(|_| false)),
        (r#"{ tags: { all: ["two"] } }"#, Box::new(|p| all(p, Tag, &["two"]))),
        (r#"{ tags: { all: ["two", "two", "three", "two"] } }"#, Box::new(|p| all(p, Tag, &["two", "three"]))),
        (r#"{ tags: { any: ["two", "two"] } }"#, Box::new(|p| any(p, Tag, &["two"]))),
        (r#"{ tags: { any: ["three", "five", "three"] } }"#, Box::new(|p| any(p, Tag, &["three", "five"]))),
        (r#"{ tags: { all: ["two", "three", "five"] } }"#, Box::new(|p| all(p, Tag, &["two", "three", "five"]))),
        (
            r#"{ tags: { all: ["two"], any: ["three", "five"] } }"#,
            Box::new(|p| all(p, Tag, &["two"]) && any(p, Tag, &["three", "five"])),
        ),
        (r#"{ tags: { all: ["two"], any: ["two"] } }"#, Box::new(|p| all(p, Tag, &["two"]))),
        (r#"{ tags: { all: ["nothing"] } }"#, Box::new(|_| false)),
        (r#"{ tags: { all: ["two", "nothing"] } }"#, Box::new(|_| false)),
        (r#"{ tags: { any: ["two", "nothing"] } }"#, Box::new(|p| any(p, Tag, &["two"]))),
        (r#"{ tags: { all: ["No Slug!"] } }"#, Box::new(|_| false)),
        (r#"{ tags: { any: ["No Slug!", "", "five"] } }"#, Box::new(|p| any(p, Tag, &["five"]))),
        (r#"{ tags: { any: ["No Slug!"] } }"#, Box::new(|_| false)),
        (r#"{ tags: { all: ["ada"] } }"#, Box::new(|_| false)),
        (
            r#"{ tags: { all: ["three"] }, categories: { all: ["news"] }, authors: { any: ["grace"] } }"#,
            Box::new(|p| all(p, Tag, &["three"]) && all(p, Category, &["news"]) && any(p, Author, &["grace"])),
        ),
        (
            r#"{ categories: { any: ["news", "notes"] }, authors: { all: ["ada", "grace"] } }"#,
            Box::new(|p| any(p, Category, &["news", "notes"]) && all(p, Author, &["ada", "grace"])),
        ),
        // Each operator, alone and with others; of two lower bounds or two upper ones, the narrower counts.
        (r#"{ publishedAt: { gt: "2026-04-05T12:00:00Z" } }"#, Box::new(move |p| p.published_at > april)),
        (r#"{ publishedAt: { gte: "2026-04-05T12:00:00Z" } }"#, Box::new(move |p| p.published_at >= april)),
        (r#"{ publishedAt: { lt: "2026-05-10T12:00:00Z" } }"#, Box::new(move |p| p.published_at < may)),
        (r#"{ publishedAt: { lte: "2026-05-10T12:00:00Z" } }"#, Box::new(move |p| p.published_at <= may)),
        (
            r#"{ publishedAt: { gt: "2026-04-05T12:00:00Z", lt: "2026-05-10T12:00:00Z" }, tags: { all: ["two"] } }"#,
            Box::new(move |p| p.published_at > april && p.published_at < may && all(p, Tag, &["two"])),
        ),
        (
            r#"{ publishedAt: { gt: "2026-04-05T12:00:00Z", gte: "2026-04-05T12:00:00Z", lt: null } }"#,
            Box::new(move |p| p.published_at > april),
        ),
        (
            r#"{ publishedAt: { lte: "2026-05-10T12:00:00Z", lt: "2026-05-10T12:00:00Z", gte: null } }"#,
            Box::new(move |p| p.published_at < may),
        ),
        (
            r#"{ publishedAt: { gte: "2026-04-05T12:00:00Z", lte: "2026-04-05T12:00:00Z" } }"#,
            Box::new(move |p| p.published_at == april),
        ),
        ("{ publishedAt: {} }", Box::new(|_| true)),
        ("{ publishedAt: null }", Box::new(|_| true)),
        // A range that contradicts itself.
        (r#"{ publishedAt: { gt: "2026-05-10T12:00:00Z", lt: "2026-04-05T12:00:00Z" } }"#, Box::new(|_| false)),
        (r#"{ publishedAt: { gt: "2026-04-05T12:00:00Z", lte: "2026-04-05T12:00:00Z" } }"#, Box::new(|_| false)),
        (r#"{ publishedAt: { gte: "2026-04-05T12:00:00Z", lt: "2026-04-05T12:00:00Z" } }"#, Box::new(|_| false)),
        // Another zone.
        (r#"{ publishedAt: { gt: "2026-04-05T14:00:00+02:00" } }"#, Box::new(move |p| p.published_at > april)),
        // The first and the last instant, and filters that keep only scheduled posts.
        (r#"{ publishedAt: { lt: "0001-01-01T00:00:00Z" } }"#, Box::new(|_| false)),
        (r#"{ publishedAt: { gt: "9999-12-31T23:59:59.999Z" } }"#, Box::new(|_| false)),
        (r#"{ publishedAt: { gte: "0001-01-01T00:00:00Z", lte: "9999-12-31T23:59:59.999Z" } }"#, Box::new(|_| true)),
        (r#"{ publishedAt: { gt: "2026-06-15T12:00:00Z" } }"#, Box::new(|_| false)),
    ]
}

#[tokio::test]
async fn each_filter_matches_the_model_in_both_directions() {
    let site = site().await;
    for (filter, keeps) in filters() {
        ListOf::root("posts").filtered(filter).assert_is(&site, &model(keeps)).await;
    }
}

#[tokio::test]
async fn the_neighbours_of_a_post_match_a_filter_of_which_the_post_may_be_none() {
    let (site, all) = (site().await, model(|_| true));
    for (filter, keeps) in filters().into_iter().chain(languages()).chain(featured()).chain(exclusions()) {
        let kept = model(keeps);
        for at in (0..all.len()).step_by(9).chain([all.len() - 1]) {
            let neighbours = format!("newer(filter: {filter}) {{ slug }} older(filter: {filter}) {{ slug }}");
            let found = site.query(&format!("{{ post(slug: \"{}\") {{ {neighbours} }} }}", all[at])).await;
            let slug_of = |post: Option<&String>| post.map_or(Value::Null, |slug| json!({ "slug": slug }));
            let newer = slug_of(all[..at].iter().rev().find(|slug| kept.contains(slug)));
            let older = slug_of(all[at + 1..].iter().find(|slug| kept.contains(slug)));
            assert_eq!(found["post"], json!({ "newer": newer, "older": older }), "{filter} of {}", all[at]);
        }
    }
}

/// Each filter by languages as GraphQL text, with the posts that it keeps.
fn languages() -> Vec<(&'static str, Keeps)> {
    use TermKind::{Author, Tag};
    let april = Some(instant("2026-04-05T12:00:00Z"));
    vec![
        (r#"{ languages: ["de"] }"#, Box::new(|p| is_in(p, &["de"]))),
        (r#"{ languages: "DE" }"#, Box::new(|p| is_in(p, &["de"]))),
        (r#"{ languages: ["pt-br", "fr", "PT-BR"] }"#, Box::new(|p| is_in(p, &["pt-BR"]))),
        (r#"{ languages: ["pt-BR", "de"] }"#, Box::new(|p| is_in(p, &["pt-BR", "de"]))),
        // A whole tag is compared, and a text that is not a tag is ignored.
        (r#"{ languages: ["pt"] }"#, Box::new(|_| false)),
        (r#"{ languages: ["", "no tag!", "german"] }"#, Box::new(|_| false)),
        (r#"{ languages: ["de", "no tag!"] }"#, Box::new(|p| is_in(p, &["de"]))),
        ("{ languages: [] }", Box::new(|_| false)),
        ("{ languages: null }", Box::new(|_| true)),
        (
            r#"{ languages: ["de"], tags: { all: ["two"] }, authors: { any: ["grace"] } }"#,
            Box::new(|p| is_in(p, &["de"]) && all(p, Tag, &["two"]) && any(p, Author, &["grace"])),
        ),
        (
            r#"{ languages: ["de", "pt-BR"], publishedAt: { gt: "2026-04-05T12:00:00Z" } }"#,
            Box::new(move |p| is_in(p, &["de", "pt-BR"]) && p.published_at > april),
        ),
    ]
}

#[tokio::test]
async fn a_filter_by_languages_compares_whole_tags_without_regard_to_case() {
    let site = site().await;
    for (filter, keeps) in languages() {
        ListOf::root("posts").filtered(filter).assert_is(&site, &model(&keeps)).await;
        let of_grace = model(|p| keeps(p) && all(p, TermKind::Author, &["grace"]));
        ListOf::within(r#"author(slug: "grace")"#, "posts").filtered(filter).assert_is_by(&[7], &site, &of_grace).await;
    }
}

/// Each filter by whether posts are featured, with the posts that it keeps.
fn featured() -> Vec<(&'static str, Keeps)> {
    use TermKind::{Author, Tag};
    let april = Some(instant("2026-04-05T12:00:00Z"));
    vec![
        ("{ featured: true }", Box::new(|p| p.is_featured)),
        ("{ featured: false }", Box::new(|p| !p.is_featured)),
        ("{ featured: null }", Box::new(|_| true)),
        (
            r#"{ featured: true, tags: { all: ["two"] }, authors: { any: ["grace"] } }"#,
            Box::new(|p| p.is_featured && all(p, Tag, &["two"]) && any(p, Author, &["grace"])),
        ),
        (
            r#"{ featured: true, languages: ["de"], tags: { none: ["five"] } }"#,
            Box::new(|p| p.is_featured && is_in(p, &["de"]) && !any(p, Tag, &["five"])),
        ),
        (
            r#"{ featured: true, publishedAt: { gt: "2026-04-05T12:00:00Z" } }"#,
            Box::new(move |p| p.is_featured && p.published_at > april),
        ),
        (
            r#"{ featured: false, tags: { any: ["two", "three"], none: ["five"] } }"#,
            Box::new(|p| !p.is_featured && any(p, Tag, &["two", "three"]) && !any(p, Tag, &["five"])),
        ),
        (
            r#"{ featured: false, publishedAt: { gt: "2026-04-05T12:00:00Z" } }"#,
            Box::new(move |p| !p.is_featured && p.published_at > april),
        ),
        // A tag that has the name of the partition is another thing.
        (r#"{ featured: false, tags: { all: ["all"] } }"#, Box::new(|_| false)),
    ]
}

#[tokio::test]
async fn a_filter_selects_featured_posts_or_the_others() {
    let site = site().await;
    for (filter, keeps) in featured() {
        ListOf::root("posts").filtered(filter).assert_is_by(&[7, 100], &site, &model(&keeps)).await;
        let of_grace = model(|p| keeps(p) && all(p, TermKind::Author, &["grace"]));
        let list = ListOf::within(r#"author(slug: "grace")"#, "posts").filtered(filter);
        list.assert_is_by(&[7, 100], &site, &of_grace).await;
    }
}

/// The number of a post, from which its fields follow.
fn number(post: &Post) -> u64 {
    post.slug.as_str().trim_start_matches("post-").parse().expect("a number")
}

fn is_rated(post: &Post, ratings: &[u64]) -> bool {
    ratings.contains(&(number(post) % 9)) && number(post) % 9 != 8
}

fn is_essay(post: &Post) -> bool {
    number(post).is_multiple_of(2) && number(post) % 9 != 8
}

/// Each filter by fields of the site, with the posts that it keeps.
fn fields() -> Vec<(&'static str, Keeps)> {
    use TermKind::{Author, Tag};
    let april = Some(instant("2026-04-05T12:00:00Z"));
    vec![
        ("{ fields: { rating: 5 } }", Box::new(|p| is_rated(p, &[5]))),
        ("{ fields: { rating: [5, 7, 5] } }", Box::new(|p| is_rated(p, &[5, 7]))),
        ("{ fields: { kind: ESSAY } }", Box::new(is_essay)),
        ("{ fields: { kind: [ESSAY], rating: [0, 2] } }", Box::new(|p| is_essay(p) && is_rated(p, &[0, 2]))),
        ("{ fields: { rating: 99 } }", Box::new(|_| false)),
        ("{ fields: { rating: [] } }", Box::new(|_| false)),
        ("{ fields: { rating: null, kind: null } }", Box::new(|_| true)),
        ("{ fields: {} }", Box::new(|_| true)),
        ("{ fields: null }", Box::new(|_| true)),
        (
            r#"{ fields: { rating: [1, 2, 3] }, tags: { all: ["two"] }, authors: { any: ["grace"] } }"#,
            Box::new(|p| is_rated(p, &[1, 2, 3]) && all(p, Tag, &["two"]) && any(p, Author, &["grace"])),
        ),
        (
            r#"{ fields: { kind: REVIEW }, languages: ["de"], featured: false, tags: { none: ["five"] } }"#,
            Box::new(|p| {
                let is_review = !number(p).is_multiple_of(2) && number(p) % 9 != 8;
                is_review && is_in(p, &["de"]) && !p.is_featured && !any(p, Tag, &["five"])
            }),
        ),
        (
            r#"{ fields: { kind: ESSAY }, publishedAt: { gt: "2026-04-05T12:00:00Z" } }"#,
            Box::new(move |p| is_essay(p) && p.published_at > april),
        ),
    ]
}

#[tokio::test]
async fn a_filter_by_fields_finds_the_posts_with_one_value_of_each() {
    let site = site().await;
    for (filter, keeps) in fields() {
        ListOf::root("posts").filtered(filter).assert_is_by(&[7, 100], &site, &model(&keeps)).await;
        let of_grace = model(|p| keeps(p) && all(p, TermKind::Author, &["grace"]));
        let list = ListOf::within(r#"author(slug: "grace")"#, "posts").filtered(filter);
        list.assert_is_by(&[7, 100], &site, &of_grace).await;
    }
}

/// Each filter that excludes terms as GraphQL text, with the posts that it keeps.
fn exclusions() -> Vec<(&'static str, Keeps)> {
    use TermKind::{Author, Category, Tag};
    let april = Some(instant("2026-04-05T12:00:00Z"));
    vec![
        ("{ tags: { none: [] } }", Box::new(|_| true)),
        ("{ tags: { none: null } }", Box::new(|_| true)),
        (r#"{ tags: { none: ["two"] } }"#, Box::new(|p| !any(p, Tag, &["two"]))),
        (r#"{ tags: { none: ["two", "two", "five"] } }"#, Box::new(|p| !any(p, Tag, &["two", "five"]))),
        (r#"{ tags: { none: ["nothing", "No Slug!", "", "three"] } }"#, Box::new(|p| !any(p, Tag, &["three"]))),
        (r#"{ categories: { none: ["notes"] } }"#, Box::new(|_| false)),
        (
            r#"{ categories: { none: ["news"] }, authors: { none: ["grace"] }, tags: { none: ["five"] } }"#,
            Box::new(|p| !any(p, Category, &["news"]) && !any(p, Author, &["grace"]) && !any(p, Tag, &["five"])),
        ),
        (
            r#"{ tags: { all: ["two"], none: ["three"] } }"#,
            Box::new(|p| all(p, Tag, &["two"]) && !any(p, Tag, &["three"])),
        ),
        (r#"{ tags: { all: ["two"], none: ["two"] } }"#, Box::new(|_| false)),
        (
            r#"{ tags: { any: ["two", "three"], none: ["three"] } }"#,
            Box::new(|p| any(p, Tag, &["two"]) && !any(p, Tag, &["three"])),
        ),
        (r#"{ tags: { any: ["two"], none: ["two"] } }"#, Box::new(|_| false)),
        (r#"{ tags: { any: [], none: ["two"] } }"#, Box::new(|_| false)),
        (r#"{ tags: { all: ["No Slug!"], none: ["two"] } }"#, Box::new(|_| false)),
        (
            r#"{ languages: ["de"], tags: { none: ["two"] } }"#,
            Box::new(|p| is_in(p, &["de"]) && !any(p, Tag, &["two"])),
        ),
        // A slug of another kind excludes nothing.
        (r#"{ tags: { none: ["ada"] } }"#, Box::new(|_| true)),
        (
            r#"{ tags: { none: ["two"] }, publishedAt: { gt: "2026-04-05T12:00:00Z" } }"#,
            Box::new(move |p| p.published_at > april && !any(p, Tag, &["two"])),
        ),
    ]
}

#[tokio::test]
async fn none_excludes() {
    let site = site().await;
    for (filter, keeps) in exclusions() {
        ListOf::root("posts").filtered(filter).assert_is_by(&[7, 100], &site, &model(&keeps)).await;
        let of_grace = model(|p| keeps(p) && all(p, TermKind::Author, &["grace"]));
        let list = ListOf::within(r#"author(slug: "grace")"#, "posts").filtered(filter);
        list.assert_is_by(&[7, 100], &site, &of_grace).await;
    }
}

/// I2: an index row of a tag that the post does not have, as a change that has not ended leaves it, excludes no post.
#[tokio::test]
async fn a_dangling_index_row_of_an_excluded_term_excludes_no_post() {
    let site = Site::in_memory().await;
    let mut posts = [post(1, instant("2025-01-02T00:00:00Z")), post(2, instant("2025-01-01T00:00:00Z"))];
    posts[0].post.tags = slugs(&["a"]);
    posts[1].post.tags = slugs(&["a", "b"]);
    site.publish(&posts).await;
    let table = Table::PostsBy(IndexKind::Term(TermKind::Tag)).name();
    let row = time::time_row(&posts[0].post.key());
    let pointer = site.store.get(table, &key("a", &row)).await.expect("a read").expect("a pointer");
    let dangling = put(&row, pointer.properties, Precondition::Absent);
    site.store.commit(table, &batch("b", vec![dangling])).await.expect("a commit");
    let list = r#"posts(filter: { tags: { none: ["b"] } }) { nodes { slug } }"#;
    let found = site.query(&format!(r#"{{ {list} tag(slug: "a") {{ {list} }} }}"#)).await;
    let expected = json!({ "nodes": [{ "slug": "post-1" }] });
    assert_eq!(found, json!({ "posts": expected, "tag": { "posts": expected } }));
}

/// A page that would have to look up more posts than the limit is refused, and what is not broad is not.
#[tokio::test]
async fn a_filter_that_excludes_too_many_posts_of_a_term_is_too_broad() {
    let site = Site::in_memory().await;
    let start = instant("2026-01-01T00:00:00Z").ticks();
    let posts = (0..520).map(|n| {
        let mut whole = post(n, Instant::from_ticks(start - n as i64 * 36_000_000_000).expect("ticks"));
        whole.post.tags = slugs(if n < 510 { &["a", "b"] } else { &["a"] });
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
    let filtered = |filter: &str, fields: &str| {
        format!(r#"{{ tag(slug: "a") {{ posts(first: 5, filter: {{ {filter} }}) {{ {fields} }} }} }}"#)
    };
    let broad = filtered(r#"tags: { none: ["b"] }"#, "nodes { slug }");
    let answer = site.post_graphql(json!({ "query": broad })).await.body;
    let error = &answer["errors"][0];
    assert_eq!(
        (&error["extensions"]["code"], &error["message"]),
        (
            &json!("FILTER_TOO_BROAD"),
            &json!(
                "this filter needs more than 500 reads of posts for one page; narrow it with a range of publishedAt, or name fewer slugs"
            )
        )
    );
    // The count reads index rows only, and the narrower range excludes fewer posts. That all are excluded is known without a read of them.
    for (filter, fields) in [
        (r#"tags: { none: ["b"] }"#, "totalCount"),
        (r#"tags: { none: ["b"] }, publishedAt: { lt: "2025-12-20T00:00:00Z" }"#, "totalCount nodes { slug }"),
        (r#"tags: { none: ["a"] }"#, "totalCount nodes { slug }"),
    ] {
        let expected = if filter.contains(r#"["a"]"#) { 0 } else { 10 };
        let data = site.query(&filtered(filter, fields)).await;
        assert_eq!(data["tag"]["posts"]["totalCount"], json!(expected), "{filter}");
    }
}

const ASCENDING: &str = "{ field: PUBLISHED_AT, direction: ASC }";
const DESCENDING: &str = "{ field: PUBLISHED_AT, direction: DESC }";

#[tokio::test]
async fn a_list_in_ascending_order_pages_like_relay() {
    let site = site().await;
    let reversed = |keeps: &dyn Fn(&Post) -> bool| model(keeps).into_iter().rev().collect::<Vec<_>>();
    let of_ada = |p: &Post| all(p, TermKind::Author, &["ada"]);
    let of_two = |p: &Post| all(p, TermKind::Tag, &["two"]);
    let lists = [
        (ListOf::root("posts"), reversed(&|_| true)),
        (ListOf::root("posts").filtered(r#"{ tags: { all: ["two"] } }"#), reversed(&of_two)),
        (ListOf::root("posts").filtered(r#"{ tags: { none: ["two"] } }"#), reversed(&|p| !of_two(p))),
        (ListOf::within(r#"author(slug: "ada")"#, "posts"), reversed(&of_ada)),
        (
            ListOf::within(r#"author(slug: "ada")"#, "posts").filtered(r#"{ tags: { none: ["two"] } }"#),
            reversed(&|p| of_ada(p) && !of_two(p)),
        ),
    ];
    for (list, expected) in lists {
        let list = list.ordered(ASCENDING);
        list.assert_is_by(&[7, 100], &site, &expected).await;
        let all = list.cursors(&site).await;
        for (first, last) in [(Some(3), None), (None, Some(3)), (Some(9), Some(4))] {
            for after in [None, Some(5), Some(all.len() - 1)] {
                for before in [None, Some(6), Some(all.len() - 1)] {
                    list.assert_page(&site, &all, Arguments { first, after, last, before }).await;
                }
            }
        }
    }
    let pages = format!(
        "newest: posts(first: 100) {{ nodes {{ slug }} }} oldest: posts(first: 100, orderBy: {ASCENDING}) {{ nodes {{ slug }} }}"
    );
    for month in site.query(&format!("{{ archive {{ {pages} }} }}")).await["archive"].as_array().expect("months") {
        let slugs = |order: &str| month[order]["nodes"].as_array().expect("nodes").clone();
        let reversed: Vec<Value> = slugs("oldest").into_iter().rev().collect();
        assert_eq!((reversed.len() > 1, slugs("newest")), (true, reversed));
    }
}

/// The usual order, written out, is the list without an order.
#[tokio::test]
async fn a_cursor_of_posts_belongs_to_one_order() {
    let site = site().await;
    let usual = ListOf::root("posts").cursors(&site).await;
    assert_eq!(ListOf::root("posts").ordered(DESCENDING).cursors(&site).await, usual);
    let reversed = ListOf::root("posts").ordered(ASCENDING).cursors(&site).await;
    for (cursor, order) in [(&usual[3].1, ASCENDING), (&reversed[3].1, DESCENDING)] {
        let query = format!("{{ posts(after: {cursor:?}, orderBy: {order}) {{ nodes {{ id }} }} }}");
        assert_eq!(site.codes(&query).await, ["BAD_CURSOR"], "{order}");
    }
}

/// Posts at the first and the last tick of a millisecond, within it, and beside it: a bound compares the times that the API returns.
#[tokio::test]
async fn a_range_includes_what_it_names() {
    let site = Site::in_memory().await;
    let at = [
        "2026-04-05T12:00:00.1219999Z",
        "2026-04-05T12:00:00.1220000Z",
        "2026-04-05T12:00:00.1229999Z",
        "2026-04-05T12:00:00.1230000Z",
        "2026-04-05T12:00:00.1234567Z",
        "2026-04-05T12:00:00.1239999Z",
        "2026-04-05T12:00:00.1240000Z",
        "2026-04-05T12:00:00.1249999Z",
        "2026-04-05T12:00:00.1250000Z",
    ];
    let posts: Vec<_> = at.iter().zip(0..).map(|(at, n)| post(n, instant(at))).collect();
    site.publish(&posts).await;
    // Equal lengths, so that the texts compare as the times do.
    let shown = |at: &str| format!("{}Z", &at[..23]);
    for bound in ["2026-04-05T12:00:00.122Z", "2026-04-05T12:00:00.123Z", "2026-04-05T12:00:00.124Z"] {
        let operators: [(&str, Compares); 4] = [
            ("gt", |at, to| at > to),
            ("gte", |at, to| at >= to),
            ("lt", |at, to| at < to),
            ("lte", |at, to| at <= to),
        ];
        for (operator, holds) in operators {
            let kept = at.iter().enumerate().rev().filter(|(_, at)| holds(&shown(at), bound));
            let expected: Vec<String> = kept.map(|(n, _)| format!("post-{n}")).collect();
            let list = ListOf::root("posts").filtered(&format!("{{ publishedAt: {{ {operator}: {bound:?} }} }}"));
            list.assert_is(&site, &expected).await;
        }
    }
    // A client that asks for the time that it was given gets the post.
    let data = site.query("{ posts { nodes { slug publishedAt } } }").await;
    for node in data["posts"]["nodes"].as_array().expect("nodes") {
        let query =
            "query($at: DateTime) { posts(filter: { publishedAt: { gte: $at, lte: $at } }) { nodes { slug } } }";
        let body = json!({ "query": query, "variables": { "at": node["publishedAt"] } });
        let found = site.post_graphql(body).await.body["data"]["posts"]["nodes"].clone();
        assert!(found.as_array().expect("nodes").contains(&json!({ "slug": node["slug"] })), "{node}: {found}");
    }
}

#[tokio::test]
async fn pages_of_a_filtered_list_follow_relay() {
    let site = site().await;
    for filter in
        [r#"{ tags: { all: ["two"] } }"#, r#"{ tags: { any: ["three", "five"] }, categories: { all: ["notes"] } }"#]
    {
        let list = ListOf::root("posts").filtered(filter);
        let all = list.cursors(&site).await;
        for (first, last) in [(Some(0), None), (Some(3), None), (None, Some(3)), (Some(9), Some(4)), (Some(100), None)]
        {
            for after in [None, Some(0), Some(5), Some(all.len() - 1)] {
                for before in [None, Some(0), Some(6), Some(all.len() - 1)] {
                    list.assert_page(&site, &all, Arguments { first, after, last, before }).await;
                }
            }
        }
    }
}

#[tokio::test]
async fn a_filter_within_a_term_combines_both_conditions() {
    let site = site().await;
    let scope = r#"tag(slug: "two")"#;
    let list = ListOf::within(scope, "posts").filtered(r#"{ tags: { all: ["three"] }, authors: { all: ["grace"] } }"#);
    let expected = model(|p| all(p, TermKind::Tag, &["two", "three"]) && all(p, TermKind::Author, &["grace"]));
    list.assert_is(&site, &expected).await;
    let same = ListOf::within(scope, "posts").filtered(r#"{ tags: { all: ["two"] } }"#);
    same.assert_is(&site, &model(|p| all(p, TermKind::Tag, &["two"]))).await;
    let none = ListOf::within(scope, "posts").filtered("{ tags: { any: [] } }");
    none.assert_is(&site, &[]).await;
}

#[tokio::test]
async fn too_many_slugs_are_refused_with_both_numbers() {
    let site = site().await;
    let names = |count: usize| (0..count).map(|n| format!("t{n}")).collect::<Vec<_>>();
    let ask = async |filter: Value| {
        let body = json!({ "query": "query($f: PostFilter) { posts(filter: $f) { totalCount nodes { id } } }", "variables": { "f": filter } });
        site.post_graphql(body).await.body
    };
    let most = json!({ "tags": { "all": names(10), "any": names(5) }, "authors": { "any": names(5) } });
    assert_eq!(ask(most).await, json!({ "data": { "posts": { "totalCount": 0, "nodes": [] } } }));
    let over = ask(json!({ "tags": { "all": names(10), "any": names(6) }, "authors": { "any": names(5) } })).await;
    let error = &over["errors"][0];
    assert_eq!(
        (&error["message"], &error["extensions"]["code"], &error["extensions"]["argument"]),
        (&json!("`filter` names 21 slugs; at most 20 are allowed"), &json!("BAD_USER_INPUT"), &json!("filter"))
    );
    let none = ask(json!({ "tags": { "all": names(10), "none": names(6) }, "authors": { "none": names(5) } })).await;
    assert_eq!(none["errors"][0]["message"], error["message"]);
    let languages = ["ab", "ac", "ad", "ae", "af", "ag", "ah", "ai", "aj", "ak", "al"];
    let over = ask(json!({ "tags": { "all": names(10) }, "languages": languages })).await;
    let message = "`filter` names 21 slugs and languages; at most 20 are allowed";
    assert_eq!(
        (&over["errors"][0]["message"], &over["errors"][0]["extensions"]["code"]),
        (&json!(message), &json!("BAD_USER_INPUT"))
    );
    // `featured` is no slug.
    let full = ask(json!({ "tags": { "all": names(20) }, "featured": true })).await;
    assert_eq!(full.get("errors"), None);
    // A repeated slug counts once, in both lists.
    for list in ["all", "any"] {
        let same = ask(json!({ "tags": { list: vec!["two"; 30] } })).await;
        assert_eq!(
            same["data"]["posts"]["totalCount"],
            json!(model(|p| all(p, TermKind::Tag, &["two"])).len()),
            "{list}"
        );
    }
}

#[tokio::test]
async fn an_invalid_instant_in_a_filter_is_bad_user_input() {
    let site = site().await;
    for text in ["soon", "", "2026-02-30T00:00:00Z", "2026-04-05", "10000-01-01T00:00:00Z", "2026-04-05T12:00:00"] {
        let query = format!("{{ posts(filter: {{ publishedAt: {{ gt: {text:?} }} }}) {{ totalCount }} }}");
        assert_eq!(site.codes(&query).await, ["BAD_USER_INPUT"], "{text}");
    }
}

/// A client that writes an equivalent filter can continue with its cursor.
#[tokio::test]
async fn equivalent_filters_have_the_same_cursors() {
    let site = site().await;
    let filters = [
        r#"{ tags: { all: ["two", "three"] } }"#,
        r#"{ tags: { all: ["three", "two", "three"], any: null }, authors: null }"#,
        r#"{ tags: { all: ["three", "two"] }, categories: { none: [] } }"#,
    ];
    let lists = filters.map(|filter| ListOf::root("posts").filtered(filter));
    let cursors = lists[0].cursors(&site).await;
    for list in &lists {
        assert_eq!(list.cursors(&site).await, cursors, "{list:?}");
    }
    let any = [r#"{ tags: { any: ["two", "three"] } }"#, r#"{ tags: { any: ["three", "two", "two"] } }"#];
    let none = [r#"{ tags: { none: ["two", "three"] } }"#, r#"{ tags: { none: ["three", "!?", "two", "two"] } }"#];
    let languages = [r#"{ languages: ["de", "pt-BR"] }"#, r#"{ languages: ["PT-br", "DE", "de"], tags: {} }"#];
    for [one, other] in
        [any, none, languages].map(|filters| filters.map(|filter| ListOf::root("posts").filtered(filter)))
    {
        assert_eq!(one.cursors(&site).await, other.cursors(&site).await);
    }
}
