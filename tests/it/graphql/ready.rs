//! Fields that are written as JSON at once, beside the same fields by the engine. The rule: the bytes of the answer are the same, for every client and whatever
//! is cached.

use serde_json::json;
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;

use crate::support::graphql::{EDITOR_TOKEN, json_request};
use crate::support::site::{Site, instant, post, slugs};

/// Selects a field with a selection set twice under one key, so that nothing of the document is written at once.
const MERGED: &str = "merged: posts(first: 1) { pageInfo { hasNextPage } pageInfo { hasPreviousPage } }";

const TERM: &str = "__typename id slug name version";
const POST: &str = "__typename id slug title subtitle excerpt excerptIsGenerated language featured status version createdAt updatedAt publishedAt viewerCanUpdate";

fn queries() -> Vec<String> {
    let terms = format!(
        "author {{ {TERM} description url }} authors {{ {TERM} description url }} categories {{ {TERM} description }} tags {{ again: slug {TERM} description }}"
    );
    let card = format!("{POST} {terms}");
    let page_info = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";
    vec![
        format!("posts(first: 4) {{ edges {{ cursor node {{ {card} }} }} {page_info} totalCount }}"),
        format!("posts(last: 3) {{ nodes {{ {card} body {{ markdown wordCount }} newer {{ {POST} }} }} {page_info} }}"),
        "posts { nodes { slug slug again: slug } pageInfo { end: endCursor } }".to_owned(),
        // Each field can be null, so that the completion requests the type names.
        "posts { nodes { publishedAt author { description url } } }".to_owned(),
        format!("post(slug: \"post-2\") {{ ...Card }} other: post(slug: \"absent\") {{ {POST} }}"),
        "posts { nodes { ... on Post { slug ... on Content { title } tags { ...Name } } } }".to_owned(),
        "posts { nodes { slug @include(if: true) title @skip(if: true) tags { slug @skip(if: false) } } }".to_owned(),
        format!(
            "tags(first: 2) {{ edges {{ cursor node {{ {TERM} description postCount }} }} nodes {{ {TERM} }} {page_info} }}"
        ),
        format!("categories {{ edges {{ cursor node {{ {TERM} description }} }} {page_info} }}"),
        format!(
            "authors {{ edges {{ cursor node {{ {TERM} description url }} }} nodes {{ {TERM} posts(first: 2) {{ nodes {{ slug }} }} }} }}"
        ),
        format!("tag(slug: \"a\") {{ {TERM} description viewerCanUpdate posts {{ nodes {{ {POST} }} }} }}"),
        "archive { year month posts(first: 1) { nodes { slug status } } }".to_owned(),
    ]
}

async fn site() -> Site {
    let site = Site::in_memory().await;
    let mut posts: Vec<_> = (0..6).map(|n| post(n, instant(&format!("2026-05-1{n}T01:02:03.0450006Z")))).collect();
    for (n, whole) in posts.iter_mut().enumerate() {
        whole.post.title = format!("\"{n}\" \\ \u{1f600}\u{0}\u{7f}\n<é>");
        whole.post.tags = slugs([&["a", "b"][..], &["a"], &[]][n % 3]);
        whole.post.authors = slugs([&["ada", "grace"][..], &[]][n % 2]);
        whole.post.categories = slugs(&["news"]);
        whole.post.has_own_excerpt = n % 2 == 0;
        whole.post.language = ["de", "pt-BR"].get(n % 3).and_then(|tag| tag.parse().ok());
        whole.post.is_featured = n % 4 == 0;
    }
    // Too long to be written with the other fields of its post.
    posts[1].post.excerpt = "A long excerpt. ".repeat(200);
    site.publish(&posts).await;
    site
}

async fn text_of(site: &Site, token: Option<&str>, query: &str) -> String {
    let answer = site.send(json_request("application/json"), token, json!({ "query": query }).to_string()).await;
    assert_eq!(answer.body.get("errors"), None, "{query}");
    answer.text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_written_at_once_has_the_bytes_of_the_engines_answer() {
    let fragments =
        format!("fragment Card on Post {{ {POST} tags {{ ...Name }} }} fragment Name on Tag {{ name slug }}");
    let plain = site().await;
    let holding = site().await;
    let holding = Site { content: holding.content.caching_values(VALUE_CACHE_BYTES_MAX), ..holding };
    for query in queries() {
        let fragments = match (query.contains("...Card"), query.contains("...Name")) {
            (true, _) => fragments.as_str(),
            (false, true) => "fragment Name on Tag { name slug }",
            (false, false) => "",
        };
        for token in [None, Some(EDITOR_TOKEN)] {
            let at_once = format!("{{ {query} }} {fragments}");
            let by_engine = format!("{{ {query} {MERGED} }} {fragments}");
            let expected = text_of(&plain, token, &by_engine).await;
            let (expected, _) = expected.rsplit_once(",\"merged\":").expect("the field that is merged is the last");
            for site in [&plain, &holding, &holding] {
                let found = text_of(site, token, &at_once).await;
                assert_eq!(found, format!("{expected}}}}}"), "{query}");
            }
        }
    }
}
