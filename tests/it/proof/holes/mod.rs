//! A test for each earlier defect of the lists, the replies and the record, on both stores. The rule: each of them was observed, on an earlier write path.

mod answers;
mod drift;
mod listings;
mod moves;
mod record;
mod sleepers;
mod terms;
mod unreadable;

use serde_json::Value;

use super::stage::{Editing, Stage};

/// Runs each test on a store with transactions over all tables, as a file has, and on one without, as Azure's tables, with a log for each server.
macro_rules! on_both_stores {
    ($($test:ident),+ $(,)?) => {
        mod on_a_file {
            $(#[tokio::test(start_paused = true)]
            async fn $test() {
                super::$test(crate::support::memory::MemoryStore::transactional()).await;
            })+
        }
        mod on_tables {
            $(#[tokio::test(start_paused = true)]
            async fn $test() {
                super::$test(crate::support::memory::MemoryStore::empty()).await;
            })+
        }
    };
}
use on_both_stores;

/// Steps a change until it is done or waits, and looks before each step and after the last.
async fn go_watched(stage: &Stage, editing: &mut Editing, look: &impl AsyncFn(&Stage)) {
    look(stage).await;
    while editing.actor.requests() > 0 && editing.actor.step().await {
        look(stage).await;
    }
}

/// The values of a field of each node of a list.
fn each<'a>(nodes: &'a Value, field: &str) -> Vec<&'a str> {
    let nodes = nodes.as_array().map(Vec::as_slice).unwrap_or_default();
    nodes.iter().map(|node| node[field].as_str().expect("a text")).collect()
}
