//! Runs that only `scripts/torture --crowds` runs: three servers, clocks that differ, an import beside the editors. The rule: they differ from the
//! ordinary runs in nothing else.

use super::{Options, Workload, run};

const THREE: Options = Options { servers_on_azurite: 3, ..Options::NONE };
const KILLED: Options = Options { has_kills: true, ..THREE };
const SKEWED: Options = Options { servers_on_azurite: 2, has_skewed_clocks: true, ..Options::NONE };
const IMPORTING: Options = Options { servers_on_azurite: 2, has_import: true, ..Options::NONE };

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn shared_posts_on_three_servers() {
    run(Workload::SharedPosts, THREE).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn changing_terms_on_three_servers() {
    run(Workload::ChangingTerms, THREE).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn moving_posts_on_three_servers() {
    run(Workload::MovingPosts, THREE).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn shared_posts_on_three_servers_with_kills() {
    run(Workload::SharedPosts, KILLED).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn changing_terms_on_three_servers_with_kills() {
    run(Workload::ChangingTerms, KILLED).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn moving_posts_on_three_servers_with_kills() {
    run(Workload::MovingPosts, KILLED).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn shared_posts_on_two_servers_with_skewed_clocks() {
    run(Workload::SharedPosts, SKEWED).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn changing_terms_on_two_servers_with_skewed_clocks() {
    run(Workload::ChangingTerms, SKEWED).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn moving_posts_on_two_servers_with_skewed_clocks() {
    run(Workload::MovingPosts, SKEWED).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn shared_posts_on_two_servers_beside_an_import() {
    run(Workload::SharedPosts, IMPORTING).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn changing_terms_on_two_servers_beside_an_import() {
    run(Workload::ChangingTerms, IMPORTING).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --crowds"]
async fn moving_posts_on_two_servers_beside_an_import() {
    run(Workload::MovingPosts, IMPORTING).await;
}
