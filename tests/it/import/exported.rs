//! An export during an unfinished change. The rule: at whatever request the change stopped, the export contains each post once, in its old or
//! its new version.

use std::sync::Arc;

use serde_json::Value;
use tidings::export::export;
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use crate::support::faulty::{FaultyStore, Last, let_requests_arrive};
use crate::support::folder::{folder, import};
use crate::support::site::Site;

const BEFORE: [(&str, &str); 3] = [
    ("2025-01-10-one.md", "---\ntitle: One\ntags: [a]\n---\nOne.\n"),
    ("two.md", "---\ntitle: Two\ndraft: true\ntags: [a]\n---\nTwo.\n"),
    ("2025-01-30-three.md", "---\ntitle: Three\n---\nThree.\n"),
];

/// Re-dated into another month; published from a draft; taken back to a draft.
const AFTER: [(&str, &str); 3] = [
    ("2025-01-10-one.md", "---\ntitle: One\ndate: 2024-03-03\ntags: [b]\n---\nOne.\n"),
    ("two.md", "---\ntitle: Two\ndate: 2025-02-02\ntags: [a]\n---\nTwo.\n"),
    ("2025-01-30-three.md", "---\ntitle: Three\ndraft: true\n---\nThree.\n"),
];

async fn titles(store: &Store) -> Vec<String> {
    let mut out = Vec::new();
    export(&Site::over(Arc::clone(store)).await.content, &mut out).await.expect("an export");
    let lines = String::from_utf8(out).expect("UTF-8");
    let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let posts = records.filter(|record| record["type"] == "post");
    let mut titles: Vec<_> = posts.map(|post| post["title"].as_str().expect("a title").to_owned()).collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn an_export_during_an_unfinished_change_has_each_post_once() {
    for requests in 0.. {
        let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
        import(&Site::over(Arc::clone(&store)).await.content, folder(&BEFORE).path()).await.expect("an import");
        let stopping = FaultyStore::stopping_after(Arc::clone(&store), requests, Last::Done);
        let stopped = import(&Site::over(stopping.clone()).await.content, folder(&AFTER).path()).await;
        if !stopping.has_stopped() {
            assert!(stopped.is_ok() && requests > 50, "the import was never stopped");
            return;
        }
        let_requests_arrive(&store).await;
        assert_eq!(titles(&store).await, ["One", "Three", "Two"], "stopped at request {requests}");
    }
}
