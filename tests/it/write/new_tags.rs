//! Tags that are created with a post. The rule: their ids are the same, whichever server finishes the change.

use serde_json::{Value, json};

use crate::support::faulty::{FaultyStore, Last, let_requests_arrive};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

const CREATE: &str = r#"mutation { createPost(input: { title: "T", markdown: "", tagSlugs: ["a", "b", "rust"], createMissingTags: true }) { post { id } } }"#;

async fn tags(site: &Site) -> Value {
    site.assert_sound().await;
    site.query("{ tags { nodes { id slug version } } }").await["tags"]["nodes"].clone()
}

/// The change stops at each request in turn, and two servers finish it, each in a copy of the store.
#[tokio::test]
async fn every_server_that_finishes_a_change_gives_its_new_tags_the_same_ids() {
    let mut created = 0;
    for last in [Last::Unsent, Last::Done] {
        for requests in 0.. {
            let store = MemoryStore::empty();
            let stopping = FaultyStore::stopping_after_start(store.clone(), requests, last);
            let site = Site::over(stopping.clone()).await;
            stopping.begin();
            site.mutate(CREATE, json!({}), Some(EDITOR_TOKEN)).await;
            let_requests_arrive(&(store.clone() as tidings::store::Store)).await;
            let mut found = Vec::new();
            for copy in [store.fork(), store.fork()] {
                let site = Site::over(copy).await;
                found.push(tags(&site).await);
            }
            assert_eq!(found[0], found[1], "stopped at request {requests}, {last:?}");
            created += found[0].as_array().expect("tags").len();
            if !stopping.has_stopped() {
                break;
            }
        }
    }
    assert!(created > 30, "the change was stopped before and after the tags were created");
}
