//! `Category`, `Tag` and `Author`, and their lists: sorted by slug, in both directions, for all arguments.

use serde_json::{Value, json};
use tidings::model::{Slug, Term, TermKind};

use crate::support::folder::{folder, import};
use crate::support::lists::{Arguments, ListOf};
use crate::support::site::{Site, instant, post, slug, slugs};

/// 61 slugs that test the order: prefixes of each other, each allowed punctuation mark, digits before letters, partitions with one slug.
fn sixty_slugs() -> Vec<Slug> {
    let mut texts: Vec<String> =
        ["a", "a-b", "a.b", "a0", "a_b", "ab", "b", "0", "0a", "9", "9.9", "z", "zz", "z-z", "m", "m.0"]
            .map(str::to_owned)
            .to_vec();
    texts.extend((0..30).map(|n| format!("k{n:02}")));
    texts.extend((0..15).map(|n| format!("{}-lone", char::from(b'c' + n))));
    let mut slugs: Vec<Slug> = texts.iter().map(|text| slug(text)).collect();
    slugs.sort();
    assert_eq!(slugs.len(), 61);
    slugs
}

async fn site() -> Site {
    let site = Site::in_memory().await;
    let writer = site.content.writer().expect("a writer");
    for kind in TermKind::ALL {
        let terms =
            sixty_slugs().into_iter().rev().map(|slug| Term::new(kind, slug.clone(), format!("Name of {slug}")));
        writer.save_terms(kind, terms.collect()).await.expect("terms");
    }
    site.assert_sound().await;
    site
}

const LISTS: [&str; 3] = ["categories", "tags", "authors"];

const ASCENDING: &str = "{ field: SLUG, direction: ASC }";
const DESCENDING: &str = "{ field: SLUG, direction: DESC }";

/// One fragment for categories, tags and authors, with all fields of the interface and the arguments of its list.
#[tokio::test]
async fn a_fragment_on_term_reads_categories_tags_and_authors() {
    let site = Site::in_memory().await;
    let posts = (0..3).map(|n| {
        let mut whole = post(n, instant("2026-05-01T00:00:00Z"));
        whole.post.categories = slugs(&["news"]);
        whole.post.tags = slugs(if n == 0 { &["fog", "sea"] } else { &["fog"] });
        whole.post.authors = slugs(&["ann"]);
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
    let query = r#"{
        category(slug: "news") { ...T } tag(slug: "fog") { ...T } author(slug: "ann") { ... on Node { ...T } }
        failed: tag(slug: "sea") { slug ... on Term { posts(first: -1) { totalCount } } }
    } fragment T on Term {
        __typename slug name description postCount viewerCanUpdate ... on Node { id }
        posts(last: 1, filter: { tags: { all: ["sea"] } }) { totalCount nodes { slug } }
    }"#;
    let answer = site.post_graphql(json!({ "query": query })).await.body;
    let ids =
        site.query(r#"{ category(slug: "news") { id } tag(slug: "fog") { id } author(slug: "ann") { id } }"#).await;
    let shown = |type_name: &str, noun: &str, slug: &str| {
        json!({
            "__typename": type_name, "slug": slug, "name": format!("The {noun} {slug}"), "description": null, "postCount": 3,
            "viewerCanUpdate": false, "id": ids[noun]["id"], "posts": { "totalCount": 1, "nodes": [{ "slug": "post-0" }] },
        })
    };
    let expected = json!({
        "category": shown("Category", "category", "news"), "tag": shown("Tag", "tag", "fog"), "author": shown("Author", "author", "ann"), "failed": null,
    });
    assert_eq!(answer["data"], expected);
    assert_eq!(answer["errors"][0]["path"], json!(["failed", "posts"]));
}

#[tokio::test]
async fn terms_are_listed_by_slug_in_both_directions_at_every_page_size() {
    let site = site().await;
    let expected: Vec<String> = sixty_slugs().iter().map(Slug::to_string).collect();
    let reversed: Vec<String> = expected.iter().rev().cloned().collect();
    for list in LISTS {
        ListOf::root(list).assert_is(&site, &expected).await;
        ListOf::root(list).ordered(DESCENDING).assert_is(&site, &reversed).await;
    }
}

#[tokio::test]
async fn pages_of_terms_follow_relay_whatever_the_arguments() {
    let site = site().await;
    for list in [ListOf::root("tags"), ListOf::root("tags").ordered(DESCENDING)] {
        let all = list.cursors(&site).await;
        let sizes = [None, Some(0), Some(1), Some(7), Some(61), Some(100)];
        let places = [None, Some(0), Some(5), Some(30), Some(31), Some(60)];
        for first in sizes {
            for last in sizes.into_iter().filter(|last| first.is_some() || last.is_some()) {
                for after in places {
                    for before in places {
                        list.assert_page(&site, &all, Arguments { first, after, last, before }).await;
                    }
                }
            }
        }
    }
}

/// The usual order, written out, is the list without an order.
#[tokio::test]
async fn a_cursor_of_terms_belongs_to_one_order() {
    let site = site().await;
    let usual = ListOf::root("tags").cursors(&site).await;
    assert_eq!(ListOf::root("tags").ordered(ASCENDING).cursors(&site).await, usual);
    let reversed = ListOf::root("tags").ordered(DESCENDING).cursors(&site).await;
    for (cursor, order) in [(&usual[3].1, DESCENDING), (&reversed[3].1, ASCENDING)] {
        let query = format!("{{ tags(after: {cursor:?}, orderBy: {order}) {{ nodes {{ id }} }} }}");
        assert_eq!(site.codes(&query).await, ["BAD_CURSOR"], "{order}");
    }
}

#[tokio::test]
async fn the_default_page_size_is_20() {
    let site = site().await;
    for (name, posts) in [("tags", ""), ("posts", "posts")] {
        let page = site.query(&format!("{{ {name} {{ nodes {{ id }} pageInfo {{ hasNextPage }} }} }}")).await;
        let expected = if posts.is_empty() { 20 } else { 0 };
        assert_eq!(page[name]["nodes"].as_array().map(Vec::len), Some(expected));
    }
}

#[tokio::test]
async fn page_sizes_out_of_range_are_errors_that_name_the_limit() {
    let site = site().await;
    for (arguments, named) in [
        ("first: 101", "`first` is 101; a page holds at most 100"),
        ("last: 101", "`last` is 101; a page holds at most 100"),
        ("first: -1", "`first` is -1; it must be 0 to 100"),
        ("last: -5", "`last` is -5; it must be 0 to 100"),
        ("first: 5, last: 1000", "`last` is 1000; a page holds at most 100"),
        ("first: 2147483647", "`first` is 2147483647; a page holds at most 100"),
    ] {
        for list in ["posts", "categories", "tags", "authors"] {
            let answer =
                site.post_graphql(json!({ "query": format!("{{ {list}({arguments}) {{ nodes {{ id }} }} }}") })).await;
            let error = &answer.body["errors"][0];
            assert_eq!((&error["message"], &error["extensions"]["code"]), (&json!(named), &json!("BAD_USER_INPUT")));
        }
    }
}

#[tokio::test]
async fn the_error_of_a_wrong_cursor_names_the_argument() {
    let site = site().await;
    site.publish(&[post(1, instant("2025-01-01T00:00:00Z"))]).await;
    let tags = ListOf::root("tags").cursors(&site).await[0].1.clone();
    let posts = ListOf::root("posts").cursors(&site).await[0].1.clone();
    for (list, cursor) in [
        ("tags", posts.as_str()),
        ("categories", tags.as_str()),
        ("posts", tags.as_str()),
        ("authors", tags.as_str()),
        ("tags", ""),
        ("posts", ""),
        ("tags", "garbage"),
        ("posts", "MTIz"),
        ("posts", "💥"),
    ] {
        for argument in ["after", "before"] {
            let query = format!("{{ {list}({argument}: {cursor:?}) {{ nodes {{ id }} }} }}");
            let answer = site.post_graphql(json!({ "query": query })).await;
            let extensions = &answer.body["errors"][0]["extensions"];
            assert_eq!(
                (&extensions["code"], &extensions["argument"]),
                (&json!("BAD_CURSOR"), &json!(argument)),
                "{query}: {}",
                answer.body
            );
        }
    }
}

#[tokio::test]
async fn a_cursor_of_a_missing_term_continues_from_its_position() {
    let site = site().await;
    let list = ListOf::root("tags");
    let all = list.cursors(&site).await;
    // The cursor of a tag that only another site has, with a position between `k00` and `k01`.
    let elsewhere = Site::in_memory().await;
    let writer = elsewhere.content.writer().expect("a writer");
    writer.save_terms(TermKind::Tag, vec![Term::new(TermKind::Tag, slug("k00x"), "Gone")]).await.expect("a term");
    let gone = ListOf::root("tags").cursors(&elsewhere).await[0].1.clone();
    let at = all.iter().position(|(slug, _)| slug == "k00").expect("a tag");
    let after = list.page(&site, &format!("first: 1, after: {gone:?}")).await;
    let before = list.page(&site, &format!("last: 1, before: {gone:?}")).await;
    assert_eq!(after["nodes"], json!([{ "slug": all[at + 1].0 }]));
    assert_eq!(before["nodes"], json!([{ "slug": all[at].0 }]));
    assert_eq!(
        (&after["pageInfo"]["hasPreviousPage"], &before["pageInfo"]["hasNextPage"]),
        (&json!(true), &json!(true))
    );
}

#[tokio::test]
async fn an_empty_list_of_terms_is_an_empty_page() {
    let site = Site::in_memory().await;
    for list in LISTS {
        for arguments in ["first: 5", "last: 5", "first: 0", "first: 5, last: 5"] {
            let page = ListOf::root(list).page(&site, arguments).await;
            let info =
                json!({ "hasNextPage": false, "hasPreviousPage": false, "startCursor": null, "endCursor": null });
            assert_eq!(page, json!({ "totalCount": 0, "nodes": [], "edges": [], "pageInfo": info }));
        }
    }
}

/// An invalid slug gives null too.
#[tokio::test]
async fn a_term_has_its_texts_and_an_unknown_slug_is_null() {
    let site = Site::in_memory().await;
    let mut author = Term::new(TermKind::Author, slug("ada"), "Ada L.");
    author.description = Some("Wrote the first program.".to_owned());
    author.url = Some("https://example.org/ada".to_owned());
    let mut tag = Term::new(TermKind::Tag, slug("c"), "C++");
    tag.description = Some("A language.".to_owned());
    let writer = site.content.writer().expect("a writer");
    writer.save_terms(TermKind::Author, vec![author]).await.expect("an author");
    writer.save_terms(TermKind::Tag, vec![tag]).await.expect("a tag");
    writer
        .save_terms(TermKind::Category, vec![Term::new(TermKind::Category, slug("news"), "News")])
        .await
        .expect("one");
    let query = r#"{
        author(slug: "ada") { slug name description url } tag(slug: "c") { slug name description }
        category(slug: "news") { slug name description }
        none: tag(slug: "ada") { id } bad: tag(slug: "!?") { id } named: tag(slug: "C++") { slug } empty: author(slug: "") { id } long: category(slug: "LONG") { id }
    }"#
    .replace("LONG", &"x".repeat(5_000));
    let expected = json!({
        "author": {
            "slug": "ada", "name": "Ada L.", "description": "Wrote the first program.", "url": "https://example.org/ada",
        },
        "tag": { "slug": "c", "name": "C++", "description": "A language." },
        "category": { "slug": "news", "name": "News", "description": null },
        "none": null, "bad": null, "named": { "slug": "c" }, "empty": null, "long": null,
    });
    assert_eq!(site.query(&query).await, expected);
}

/// Names with the same slug, names in other scripts, and spellings of one name.
#[tokio::test]
async fn different_names_become_different_terms() {
    let site = Site::in_memory().await;
    let posts = folder(&[
        ("2025-01-01-one.md", "---\ntitle: One\ntags: [\"C++\", C, c, 北京]\nauthors: [Łukasz / Ĳ]\n---\n"),
        ("2025-01-02-two.md", "---\ntitle: Two\ntags: [\"c++\", \"!?\"]\n---\n"),
    ]);
    import(&site.content, posts.path()).await.expect("an import");
    let data =
        site.query("{ tags { nodes { slug name posts { totalCount } } } authors { nodes { slug name } } }").await;
    let tag =
        |slug: &str, name: &str, posts: u64| json!({ "slug": slug, "name": name, "posts": { "totalCount": posts } });
    let expected = json!({
        "tags": { "nodes": [tag("bei-jing", "北京", 1), tag("c", "C++", 2), tag("c-2", "C", 1), tag("tag", "!?", 1)] },
        "authors": { "nodes": [{ "slug": "lukasz-ij", "name": "Łukasz / Ĳ" }] },
    });
    assert_eq!(data, expected);
}

/// The posts are in several months, and some have the same instant.
#[tokio::test]
async fn posts_of_a_term_are_listed_newest_first_in_both_directions() {
    let site = Site::in_memory().await;
    let posts: Vec<_> = (0..60)
        .map(|n| {
            let month = 1 + n % 4;
            let mut whole = post(n, instant(&format!("2025-{month:02}-{:02}T00:00:00Z", 1 + n / 12)));
            whole.post.tags = slugs(if n % 3 == 0 { &["third", "all"] } else { &["all"] });
            whole.post.categories = slugs(&["news"]);
            whole.post.authors = slugs(&["ada"]);
            whole
        })
        .collect();
    site.publish(&posts).await;
    let mut sorted: Vec<_> = posts.iter().map(|whole| &whole.post).collect();
    sorted.sort_by_key(|post| post.key());
    let all: Vec<String> = sorted.iter().map(|post| post.slug.to_string()).collect();
    let third: Vec<String> =
        sorted.iter().filter(|p| p.has_term(TermKind::Tag, &slug("third"))).map(|p| p.slug.to_string()).collect();
    for scope in [r#"tag(slug: "all")"#, r#"category(slug: "news")"#, r#"author(slug: "ada")"#] {
        ListOf::within(scope, "posts").assert_is(&site, &all).await;
    }
    let filtered = ListOf::within(r#"author(slug: "ada")"#, "posts").filtered(r#"{ tags: { all: ["third"] } }"#);
    filtered.assert_is(&site, &third).await;
    let list = ListOf::within(r#"tag(slug: "third")"#, "posts");
    let cursors = list.cursors(&site).await;
    for after in [None, Some(0), Some(7), Some(19)] {
        for before in [None, Some(0), Some(12), Some(19)] {
            for (first, last) in
                [(Some(5), None), (None, Some(5)), (Some(9), Some(4)), (Some(0), None), (Some(100), Some(100))]
            {
                list.assert_page(&site, &cursors, Arguments { first, after, last, before }).await;
            }
        }
    }
}

/// A cursor belongs to a list with its filter: another filter is another list, even if both have the same posts.
#[tokio::test]
async fn lists_with_different_filters_have_different_cursors() {
    let site = Site::in_memory().await;
    let mut one = post(1, instant("2025-01-01T00:00:00Z"));
    one.post.tags = slugs(&["a", "b"]);
    site.publish(&[one]).await;
    let lists = [
        ListOf::root("posts"),
        ListOf::root("posts").filtered(r#"{ tags: { all: ["a"] } }"#),
        ListOf::root("posts").filtered(r#"{ tags: { all: ["b"] } }"#),
        ListOf::root("posts").filtered(r#"{ tags: { any: ["a"] } }"#),
        ListOf::within(r#"tag(slug: "a")"#, "posts"),
        ListOf::within(r#"tag(slug: "b")"#, "posts"),
        ListOf::within(r#"tag(slug: "a")"#, "posts").filtered(r#"{ tags: { all: ["b"] } }"#),
    ];
    let mut cursors: Vec<Value> = Vec::new();
    for list in &lists {
        cursors.push(list.page(&site, "first: 1").await["edges"][0]["cursor"].clone());
    }
    let count = cursors.len();
    cursors.sort_by_key(Value::to_string);
    cursors.dedup();
    assert_eq!(cursors.len(), count, "each list has cursors of its own");
}
