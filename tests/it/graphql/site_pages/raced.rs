//! Changes of pages at the same time: of one version, of one path, and of different pages (I6, I7).

use std::sync::Arc;

use serde_json::json;

use super::{create, done, mutate, paths, refused, sites};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_concurrent_changes_of_a_version_is_made() {
    for site in sites().await.map(Arc::new) {
        let page = create(&site, "a", None).await;
        let change = |n: usize| {
            let (site, id) = (Arc::clone(&site), page["id"].clone());
            tokio::spawn(async move {
                mutate(&site, "updatePage", json!({ "id": id, "expectedVersion": 1, "title": format!("T{n}") })).await
            })
        };
        let payloads = futures_util::future::try_join_all((0..8).map(change)).await.expect("answers");
        let codes: Vec<_> = payloads.iter().flat_map(refused).map(|(code, _)| code).collect();
        assert_eq!(codes, ["CONFLICT"; 7]);
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_concurrent_pages_with_one_path_is_created_and_others_all() {
    for site in sites().await.map(Arc::new) {
        let new = |path: String| {
            let site = Arc::clone(&site);
            tokio::spawn(async move {
                mutate(&site, "createPage", json!({ "path": path, "title": "X", "markdown": "", "publish": true }))
                    .await
            })
        };
        let same = (0..4).map(|_| "same".to_owned());
        let others = (0..4).map(|n| format!("other-{n}"));
        let payloads = futures_util::future::try_join_all(same.chain(others).map(new)).await.expect("answers");
        let codes: Vec<_> = payloads.iter().flat_map(refused).map(|(code, _)| code).collect();
        assert_eq!(codes, ["TAKEN"; 3]);
        let read = site.query("{ pages { nodes { path } } }").await;
        assert_eq!(paths(&read["pages"]), ["other-0", "other-1", "other-2", "other-3", "same"]);
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_is_created_while_its_parent_is_deleted_is_never_without_a_parent() {
    for site in sites().await.map(Arc::new) {
        for n in 0..5 {
            let path = format!("p{n}");
            let page = done(&site, "createPage", json!({ "path": path, "title": "P", "markdown": "" })).await;
            let delete = mutate(&site, "deletePage", json!({ "id": page["id"], "expectedVersion": 1 }));
            let child = json!({ "path": format!("{path}/c"), "title": "C", "markdown": "" });
            let (deleted, created) = tokio::join!(delete, mutate(&site, "createPage", child));
            let (deleted, created) = (refused(&deleted), refused(&created));
            assert!(deleted.is_empty() != created.is_empty(), "{deleted:?} {created:?}");
            site.assert_sound().await;
        }
    }
}
