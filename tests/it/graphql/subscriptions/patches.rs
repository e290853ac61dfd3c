//! Live queries as patches. The rule: who applies them has the answer that others get whole; random histories are in `live_histories`.

use serde_json::json;

use super::live::{Answers, counted, rename};

/// The second client joins the first one, without an execution of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_requests_patches_gets_a_whole_answer_and_then_patches() {
    let (site, router, _) = counted().await;
    let query =
        "query($patch: Boolean! = true) @live(patch: $patch) { posts(first: 3) { nodes { title body { html } } } }";
    let mut clients = [Answers::of(&router, None, query).await, Answers::of(&router, None, query).await];
    let mut whole = Answers::of(&router, None, &query.replace("= true", "= false")).await;
    let data = whole.data().await;
    for client in &mut clients {
        assert_eq!(client.next().await, Some(json!({ "data": data, "revision": 1 })));
    }
    for (revision, title) in [(2, "New"), (3, "Newer")] {
        rename(&site, "post-2", title).await;
        let patch = json!([{ "op": "replace", "path": "/posts/nodes/0/title", "value": title }]);
        for client in &mut clients {
            assert_eq!(client.next().await, Some(json!({ "patch": patch, "revision": revision })));
        }
        assert_eq!(whole.data().await["posts"]["nodes"][0]["title"], title);
    }
    let wrong = "query @live(patch: 1) { posts(first: 3) { nodes { title } } }";
    assert_eq!(Answers::of(&router, None, wrong).await.code().await, "BAD_USER_INPUT");
}
