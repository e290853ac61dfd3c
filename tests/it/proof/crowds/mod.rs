//! Crowds of editors on real servers. The rule: whatever they do at once, readers see only what was made, and after they have stopped every list,
//! count and record is what the posts and the replies to the editors say.
//!
//! `TIDINGS_CROWD_MINUTES` makes each run last that long (`scripts/torture --crowds`), and `TIDINGS_BINARY` names another build of the server.

mod audit;
mod change;
pub(super) mod client;
mod content;
mod editors;
mod end;
pub(super) mod fleet;
mod follower;
mod import;
mod kills;
mod ledger;
mod long;
mod probes;
mod readers;
mod record;
mod run;
mod scene;
mod seen;
mod story;
mod violations;
mod watch;
mod workload;

use run::{Options, run};
use workload::Workload;

macro_rules! crowds {
    ($($place:ident: $servers:literal { $($test:ident: $options:expr;)+ })+) => {
        $(mod $place {
            $(mod $test {
                use super::super::{Options, Workload, run};

                async fn work(workload: Workload) {
                    run(workload, Options { servers_on_azurite: $servers, ..$options }).await;
                }

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn shared_posts() {
                    work(Workload::SharedPosts).await;
                }

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn changing_terms() {
                    work(Workload::ChangingTerms).await;
                }

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn moving_posts() {
                    work(Workload::MovingPosts).await;
                }
            })+
        })+
    };
}

crowds! {
    on_a_file: 0 {
        one_editor_of_each_part: Options { has_one_editor_of_each_part: true, ..Options::NONE };
        beside_an_import: Options { has_import: true, ..Options::NONE };
        with_kills: Options { has_kills: true, ..Options::NONE };
    }
    on_two_servers: 2 {
        undisturbed: Options::NONE;
        with_kills: Options { has_kills: true, ..Options::NONE };
    }
}
