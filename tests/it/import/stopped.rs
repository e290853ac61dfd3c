//! An import that stops at any request to the store and is run again. The rule: the second run completes the import, no row is left over, and
//! no post is lost.

use std::sync::Arc;

use tidings::store::Store;

use crate::support::faulty::{FaultyStore, Last, let_requests_arrive};
use crate::support::folder::{folder, import};
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

const FIRST: [(&str, &str); 4] = [
    ("2025-01-10-one.md", "---\ntitle: One\ntags: [a, b]\nauthor: Ada\ncategory: News\n---\nOne.\n"),
    ("2025-01-20-two.md", "---\ntitle: Two\ntags: [a]\nauthor: Grace\naliases: [/old/two-of-old]\n---\nTwo.\n"),
    ("2025-02-01-three.md", "---\ntitle: Three\ntags: [b, c]\n---\nThree.\n"),
    ("four.md", "---\ntitle: Four\ndraft: true\ntags: [c]\n---\nFour.\n"),
];

/// The posts retitled, retagged, re-dated into another month, and published from a draft; and a new post.
const SECOND: [(&str, &str); 5] = [
    ("2025-01-10-one.md", "---\ntitle: One, better\ntags: [a, b]\nauthor: Ada\ncategory: News\n---\nOne.\n"),
    ("2025-01-20-two.md", "---\ntitle: Two\ntags: [d, b]\nauthor: Ada\naliases: [/old/two-of-old]\n---\nTwo.\n"),
    ("2025-02-01-three.md", "---\ntitle: Three\ndate: 2024-11-05\ntags: [b, c]\n---\nThree.\n"),
    ("four.md", "---\ntitle: Four\ndate: 2025-02-02\ntags: [c]\n---\nFour.\n"),
    ("2025-02-03-five.md", "---\ntitle: Five\ntags: [a, c]\n---\nFive.\n"),
];

/// The answer of a reader to a query of all content; also checks that the tables are consistent.
async fn snapshot(site: &Site) -> String {
    site.assert_sound().await;
    let query = "{
        posts { totalCount nodes { slug title version publishedAt author { slug } categories { slug } tags { slug } body { markdown } } }
        tags { totalCount nodes { slug posts { totalCount nodes { slug } } } }
        archive { year month postCount }
        post(slug: \"two-of-old\") { slug }
        four: post(slug: \"four\") { title }
    }";
    site.invalidate_cached();
    site.query(query).await.to_string()
}

async fn expected(imports: &[&[(&str, &str)]]) -> String {
    let site = Site::over(MemoryStore::empty()).await;
    for files in imports {
        import(&site.content, folder(files).path()).await.expect("an import");
    }
    snapshot(&site).await
}

/// Stops the last import at each request in turn, starts another server, and runs the import again.
async fn assert_fixed_after_any_stop(before: Option<&[(&str, &str)]>, files: &[(&str, &str)], last: Last) {
    let imports: Vec<&[(&str, &str)]> = before.into_iter().chain([files]).collect();
    let expected = expected(&imports).await;
    let prepared = MemoryStore::empty();
    if let Some(before) = before {
        let site = Site::over(Arc::<MemoryStore>::clone(&prepared)).await;
        import(&site.content, folder(before).path()).await.expect("an import");
    }
    for requests in 0.. {
        let inner: Store = prepared.fork();
        let stopping = FaultyStore::stopping_after_start(Arc::clone(&inner), requests, last);
        let site = Site::over(stopping.clone()).await;
        stopping.begin();
        let stopped = import(&site.content, folder(files).path()).await;
        if !stopping.has_stopped() {
            assert!(stopped.is_ok() && requests > 20, "the import was never stopped");
            return;
        }
        let_requests_arrive(&inner).await;
        let site = Site::over(inner).await;
        site.assert_sound().await;
        import(&site.content, folder(files).path()).await.expect("the import, again");
        assert_eq!(snapshot(&site).await, expected, "stopped at request {requests}, {last:?}");
    }
}

#[tokio::test]
async fn a_first_import_recovers_from_a_stop_at_any_request() {
    assert_fixed_after_any_stop(None, &FIRST, Last::Unsent).await;
}

#[tokio::test]
async fn a_first_import_recovers_from_the_loss_of_any_answer() {
    assert_fixed_after_any_stop(None, &FIRST, Last::Done).await;
}

#[tokio::test]
async fn an_import_of_changes_recovers_from_a_stop_at_any_request() {
    assert_fixed_after_any_stop(Some(&FIRST), &SECOND, Last::Unsent).await;
}

#[tokio::test]
async fn an_import_of_changes_recovers_from_the_loss_of_any_answer() {
    assert_fixed_after_any_stop(Some(&FIRST), &SECOND, Last::Done).await;
}
