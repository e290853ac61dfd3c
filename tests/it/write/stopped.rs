//! Each mutation, stopped at each storage request in turn (I5). The rule: after the start of another server the tables agree, and hold the whole change or
//! nothing of it, as the reply says; and the feed of changes has the change or nothing of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::{IndexKind, Post, Term, TermKind, WholePost};
use tidings::store::Store;

use crate::support::faulty::{FaultyStore, Last, let_requests_arrive};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, stride};
use crate::support::site::{Site, creation_of, indexed, indexing_fields, instant, post, slug, slugs, term_id};

/// Three published posts, two of one month, and a draft.
fn posts() -> Vec<WholePost> {
    let mut posts: Vec<WholePost> =
        ["2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"]
            .iter()
            .zip(0..)
            .map(|(at, n)| post(n, instant(at)))
            .collect();
    for whole in &mut posts {
        let Post { tags, authors, categories, language, is_featured, .. } = &mut whole.post;
        (*tags, *authors, *categories) = (slugs(&["a", "b"]), slugs(&["ada"]), slugs(&["news"]));
        *language = "de".parse().ok();
        *is_featured = true;
        whole.post.series = Some(slug("walks"));
        whole.metadata = indexed(5, "REVIEW");
    }
    posts[3].post.published_at = None;
    posts
}

fn id(number: usize) -> String {
    format!("post-{}", posts()[number].post.id)
}

/// All posts with their versions, as an input has them.
fn all_posts() -> String {
    (0..posts().len()).map(|number| format!("{{ id: \"{}\", expectedVersion: 1 }}", id(number))).collect()
}

/// The site over a store that lists the indexed fields, or over an empty one.
async fn opened(store: Store) -> Site {
    let site = Site::over(store).await;
    Site { content: indexing_fields(site.content), ..site }
}

async fn prepared(store: Arc<MemoryStore>) -> Arc<MemoryStore> {
    let site = Site::over(Arc::<MemoryStore>::clone(&store)).await.indexing_fields().await;
    site.publish(&posts()).await;
    let unused = Term::new(TermKind::Tag, slug("unused"), "Of no post");
    let talks = Term::new(TermKind::Series, slug("talks"), "Of no post");
    let writer = site.content.writer().expect("a writer");
    for (kind, term) in [(TermKind::Tag, unused), (TermKind::Series, talks)] {
        writer.save_terms(kind, vec![term]).await.expect("a term");
    }
    let category = |of: &str, parent: Option<&str>| Term {
        creation: Some(creation_of(of)),
        parent: parent.map(slug),
        ..Term::new(TermKind::Category, slug(of), of)
    };
    let categories = vec![category("outer", None), category("inner", Some("outer")), category("top", None)];
    writer.save_terms(TermKind::Category, categories).await.expect("categories");
    store
}

/// The id of a category.
fn category(of: &str) -> String {
    term_id(TermKind::Category, of)
}

/// All that readers see, and the collection of each post.
async fn visible_content(site: &Site) -> String {
    site.assert_sound().await;
    site.invalidate_cached();
    let fields = "slug title version publishedAt language featured tags { slug } body { markdown } \
                  series { number series { slug } previous { slug } next { slug } }";
    let query = format!(
        "{{ posts {{ totalCount nodes {{ {fields} }} }} tags {{ totalCount nodes {{ slug name posts {{ totalCount nodes {{ slug }} }} }} }} \
           allSeries {{ totalCount nodes {{ slug name version postCount posts {{ totalCount nodes {{ slug }} }} }} }} \
           authors {{ nodes {{ slug name posts {{ totalCount }} }} }} \
           categories {{ totalCount nodes {{ slug name parent {{ slug }} breadcrumbs {{ slug }} children {{ totalCount nodes {{ slug }} }} }} }} archive {{ year month postCount }} \
           de: posts(filter: {{ languages: [\"de\"] }}) {{ totalCount nodes {{ slug }} }} \
           featured: posts(filter: {{ featured: true }}) {{ totalCount nodes {{ slug }} }} \
           not: posts(filter: {{ featured: false }}) {{ totalCount nodes {{ slug }} }} \
           others: posts(filter: {{ languages: [\"pt-br\", \"fr\"] }}) {{ totalCount nodes {{ slug }} }} \
           old: post(slug: \"post-0\") {{ slug }} new: post(slug: \"renamed\") {{ slug }} }}"
    );
    let seen = site.query(&query).await;
    let inventory = site.content.inventory().await.expect("the inventory");
    let mut places: Vec<String> =
        inventory.posts.values().map(|found| format!("{} {}", found.slug, found.place.collection.name())).collect();
    places.sort();
    format!("{seen} {places:?}")
}

/// What the feed has after a position, each change once, without random ids; without a position, the one of now.
async fn changes_after(site: &Site, position: Option<&str>) -> (BTreeSet<String>, String) {
    let query = "query($after: String) { changes(first: 100, after: $after) { changes { nodeType slug formerSlug version actions } hasNextPage endCursor } }";
    let answer = site.mutate(query, json!({ "after": position }), Some(EDITOR_TOKEN)).await.body;
    let feed = &answer["data"]["changes"];
    assert_eq!((answer.get("errors"), &feed["hasNextPage"]), (None, &json!(false)), "{answer}");
    let changes = feed["changes"].as_array().into_iter().flatten().map(Value::to_string).collect();
    (changes, feed["endCursor"].as_str().expect("a position").to_owned())
}

async fn run(site: &Site, mutation: &str) -> bool {
    let answer = site.mutate(&format!("mutation {{ {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await;
    let payload = answer.body["data"].as_object().and_then(|data| data.values().next()).cloned().unwrap_or_default();
    let is_done = answer.body.get("errors").is_none() && payload["userErrors"] == Value::Array(Vec::new());
    assert!(is_done || answer.body.get("errors").is_some(), "refused: {payload}");
    is_done
}

async fn assert_whole_or_nothing(mutation: &str) {
    assert_whole_or_nothing_on(MemoryStore::empty(), mutation, 8).await;
    assert_whole_or_nothing_on(MemoryStore::transactional(), mutation, 1).await;
}

/// `least`: the change has so many requests.
async fn assert_whole_or_nothing_on(store: Arc<MemoryStore>, mutation: &str, least: i64) {
    let store = prepared(store).await;
    let before = visible_content(&opened(store.fork()).await).await;
    let position = changes_after(&opened(store.fork()).await, None).await.1;
    let (after, changed) = {
        let site = opened(store.fork()).await;
        assert!(run(&site, mutation).await, "{mutation}");
        (visible_content(&site).await, changes_after(&site, Some(&position)).await.0)
    };
    assert!(!changed.is_empty(), "{mutation} is in no feed");
    assert_ne!(before, after, "{mutation} changes nothing");
    // Other requests for each mutation.
    let mut random =
        Random::new(mutation.bytes().fold(1, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into())));
    for last in [Last::Unsent, Last::Done] {
        let mut requests = 0;
        loop {
            let inner: Store = store.fork();
            let stopping = FaultyStore::stopping_after_start(Arc::clone(&inner), requests, last);
            let site = opened(stopping.clone()).await;
            stopping.begin();
            let is_done = run(&site, mutation).await;
            let_requests_arrive(&inner).await;
            let site = opened(inner).await;
            let found = visible_content(&site).await;
            assert!(
                found == after || (found == before && !is_done),
                "{mutation}, stopped at request {requests}, {last:?}: {found}"
            );
            // Every committed change is in the feed, and no other.
            let expected = if found == after { &changed } else { &BTreeSet::new() };
            let in_feed = changes_after(&site, Some(&position)).await.0;
            assert_eq!(in_feed, *expected, "{mutation}, stopped at request {requests}, {last:?}");
            if !stopping.has_stopped() {
                let sent = requests - stopping.left();
                assert!(sent >= least, "{mutation} has only {sent} requests");
                break;
            }
            requests += stride(&mut random) as i64;
        }
    }
}

macro_rules! whole_or_nothing {
    ($($name:ident: $mutation:expr),+ $(,)?) => {
        $(#[tokio::test]
        async fn $name() {
            assert_whole_or_nothing(&$mutation).await;
        })+
    };
}

const ERRORS: &str = "userErrors { code field message }";

whole_or_nothing! {
    a_draft_is_made: format!(r#"createPost(input: {{ title: "New", markdown: "x", tagSlugs: ["c"], createMissingTags: true }}) {{ {ERRORS} }}"#),
    a_post_is_made_and_published: format!(r#"createPost(input: {{ title: "New", markdown: "x", publishAt: "2026-05-03T00:00:00Z", tagSlugs: ["a", "c"], createMissingTags: true, authorSlugs: ["ada"], categorySlugs: ["news"] }}) {{ {ERRORS} }}"#),
    a_post_is_retitled: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, title: "Other" }}) {{ {ERRORS} }}"#, id(0)),
    a_post_is_retagged: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, tagSlugs: ["b", "c"], createMissingTags: true }}) {{ {ERRORS} }}"#, id(0)),
    a_post_gets_another_language: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, language: "pt-BR" }}) {{ {ERRORS} }}"#, id(0)),
    a_post_loses_its_language: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, language: null }}) {{ {ERRORS} }}"#, id(0)),
    a_post_is_made_in_a_language: format!(r#"createPost(input: {{ title: "New", markdown: "x", publishAt: "2026-05-03T00:00:00Z", language: "fr" }}) {{ {ERRORS} }}"#),
    a_post_is_no_longer_featured: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, featured: false }}) {{ {ERRORS} }}"#, id(0)),
    a_post_is_made_and_featured: format!(r#"createPost(input: {{ title: "New", markdown: "x", publishAt: "2026-05-03T00:00:00Z", featured: true }}) {{ {ERRORS} }}"#),
    the_fields_of_a_post_are_changed: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, fields: {{ rating: 4, kind: ESSAY }} }}) {{ {ERRORS} }}"#, id(0)),
    a_post_loses_its_fields: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, fields: null }}) {{ {ERRORS} }}"#, id(0)),
    a_post_is_made_with_fields: format!(r#"createPost(input: {{ title: "New", markdown: "x", publishAt: "2026-05-03T00:00:00Z", fields: {{ rating: 5 }} }}) {{ {ERRORS} }}"#),
    a_post_joins_another_series: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, seriesSlug: "talks" }}) {{ {ERRORS} }}"#, id(0)),
    a_post_leaves_its_series: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, seriesSlug: null }}) {{ {ERRORS} }}"#, id(0)),
    a_post_is_made_in_a_series: format!(r#"createPost(input: {{ title: "New", markdown: "x", publishAt: "2026-05-03T00:00:00Z", seriesSlug: "walks" }}) {{ {ERRORS} }}"#),
    a_series_is_put_in_order: format!(r#"updateSeries(input: {{ @series(walks), orderedPostIds: ["{}", "{}", "{}"] }}) {{ {ERRORS} }}"#, id(1), id(3), id(0)),
    a_series_is_made: format!(r#"createSeries(input: {{ slug: "new", name: "New" }}) {{ {ERRORS} }}"#),
    a_series_is_renamed_and_put_in_order: format!(r#"updateSeries(input: {{ @series(walks), slug: "hikes", orderedPostIds: ["{}"] }}) {{ {ERRORS} }}"#, id(2)),
    a_series_is_deleted: format!(r#"deleteSeries(input: {{ @series(talks) }}) {{ {ERRORS} }}"#),
    a_post_is_renamed: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, slug: "renamed" }}) {{ {ERRORS} }}"#, id(0)),
    a_post_is_redated_in_its_month: format!(r#"publishPost(input: {{ id: "{}", expectedVersion: 1, publishAt: "2026-05-09T00:00:00Z" }}) {{ {ERRORS} }}"#, id(0)),
    a_post_is_moved_to_another_month: format!(r#"publishPost(input: {{ id: "{}", expectedVersion: 1, publishAt: "2025-01-01T00:00:00Z" }}) {{ {ERRORS} }}"#, id(0)),
    a_draft_is_published: format!(r#"publishPost(input: {{ id: "{}", expectedVersion: 1 }}) {{ {ERRORS} }}"#, id(3)),
    a_post_is_withdrawn: format!(r#"unpublishPost(input: {{ id: "{}", expectedVersion: 1 }}) {{ {ERRORS} }}"#, id(0)),
    a_post_is_deleted: format!(r#"deletePost(input: {{ id: "{}", expectedVersion: 1 }}) {{ {ERRORS} }}"#, id(0)),
    the_last_post_of_a_month_is_deleted: format!(r#"deletePost(input: {{ id: "{}", expectedVersion: 1 }}) {{ {ERRORS} }}"#, id(2)),
    a_tag_is_made: format!(r#"createTag(input: {{ slug: "new", name: "New" }}) {{ {ERRORS} }}"#),
    a_tag_is_renamed: format!(r#"updateTag(input: {{ @tag(a), slug: "a2", name: "A2" }}) {{ {ERRORS} }}"#),
    a_tag_moves_to_another_character: format!(r#"updateTag(input: {{ @tag(a), slug: "z" }}) {{ {ERRORS} }}"#),
    a_tag_is_deleted: format!(r#"deleteTag(input: {{ @tag(unused) }}) {{ {ERRORS} }}"#),
    a_category_is_made_below_another: format!(r#"createCategory(input: {{ name: "New", parentId: "{}" }}) {{ {ERRORS} }}"#, category("outer")),
    a_category_gets_another_parent: format!(r#"updateCategory(input: {{ @category(inner), parentId: "{}" }}) {{ {ERRORS} }}"#, category("top")),
    a_category_gets_a_parent: format!(r#"updateCategory(input: {{ @category(outer), parentId: "{}" }}) {{ {ERRORS} }}"#, category("top")),
    a_category_loses_its_parent: format!(r#"updateCategory(input: {{ @category(inner), parentId: null }}) {{ {ERRORS} }}"#),
    a_category_below_another_is_renamed: format!(r#"updateCategory(input: {{ @category(inner), slug: "z" }}) {{ {ERRORS} }}"#),
    a_category_below_another_is_deleted: format!(r#"deleteCategory(input: {{ @category(inner) }}) {{ {ERRORS} }}"#),
    a_draft_is_saved_and_published: format!(r#"updatePost(input: {{ id: "{}", expectedVersion: 1, title: "Other", publish: true }}) {{ {ERRORS} }}"#, id(3)),
    posts_are_retagged_together: format!(r#"updatePosts(input: {{ posts: [{}], addTagSlugs: ["c"], removeTagSlugs: ["a"], createMissingTags: true }}) {{ {ERRORS} }}"#, all_posts()),
    posts_are_published_together: format!(r#"updatePosts(input: {{ posts: [{}], publishAt: "2026-05-09T00:00:00Z", authorSlugs: [] }}) {{ {ERRORS} }}"#, all_posts()),
    posts_are_deleted_together: format!(r#"deletePosts(input: {{ posts: [{}] }}) {{ {ERRORS} }}"#, all_posts()),
    a_tag_is_merged_into_one_of_the_same_posts: format!(r#"mergeTags(input: {{ from: {{ @tag(a) }}, into: {{ @tag(b) }} }}) {{ {ERRORS} }}"#),
    a_tag_is_merged_into_one_of_no_post: format!(r#"mergeTags(input: {{ from: {{ @tag(a) }}, into: {{ @tag(unused) }} }}) {{ {ERRORS} }}"#),
    a_category_is_merged: format!(r#"mergeCategories(input: {{ from: {{ @category(news) }}, into: {{ @category(inner) }} }}) {{ {ERRORS} }}"#),
    a_series_is_merged: format!(r#"mergeSeries(input: {{ from: {{ @series(walks) }}, into: {{ @series(talks) }} }}) {{ {ERRORS} }}"#),
    an_author_is_changed: format!(r#"updateAuthor(input: {{ @author(ada), name: "Ada L." }}) {{ {ERRORS} }}"#),
}

/// So the changes of these posts go through the tables of every kind.
#[test]
fn the_posts_are_in_every_kind_of_index() {
    let first = &posts()[0];
    let mut of_others = IndexKind::ALL.into_iter().filter(|kind| *kind != IndexKind::Field);
    assert!(of_others.all(|kind| !first.post.indexed(kind).is_empty()) && !first.metadata.is_empty());
}
