//! A row of `Intents` that this version cannot read, such as a newer version writes during a rolling upgrade. One such row kept every server from
//! starting, and turned TAKEN and CONFLICT into a fault of the server on the running servers.

use std::sync::Arc;

use tidings::keys::Table;
use tidings::store::{Precondition, Properties, TableStore, Value};
use tidings::testing::RepairOptions;

use crate::proof::scene::{Scene, create, on, retitle};
use crate::proof::stage::Stage;
use crate::support::asking::Reply;
use crate::support::memory::MemoryStore;
use crate::support::model::Refusal;
use crate::support::rows::{batch, properties, put};

use super::on_both_stores;

on_both_stores!(an_unreadable_intent_blocks_no_change, check_reports_an_unreadable_intent_and_repair_removes_it);

/// Rows that no present version writes.
fn unreadable() -> [Properties; 4] {
    let garbage = || Value::Binary(vec![1, 2, 3].into());
    let open_until = || Value::DateTime(638_741_523_061_234_567);
    [
        Properties::new(),
        properties(&[("Changes0", garbage()), ("OpenUntil", open_until())]),
        properties(&[("Format", Value::Int32(99)), ("Anything", garbage())]),
        properties(&[("Format", Value::Int32(2)), ("Work0", garbage()), ("OpenUntil", open_until())]),
    ]
}

async fn put_intent(store: &MemoryStore, properties: Properties) {
    let put = put("0638741523061234567-random", properties, Precondition::None);
    store.commit(Table::Intents.name(), &batch("server", vec![put])).await.expect("a write");
}

async fn an_unreadable_intent_blocks_no_change(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for intent in unreadable() {
        let mut stage = Stage::of(&scene);
        put_intent(&stage.store, intent.clone()).await;
        // Every server recovers first.
        let recovered = stage.server().await.recover().await;
        assert!(recovered.is_ok(), "{intent:?}: {recovered:?}");
        assert_eq!(stage.ask(create("post-0", &["a"])).await, Reply::Refused(Refusal::Taken), "{intent:?}");
        assert_eq!(stage.ask(on(7, retitle(0, "Other"))).await, Reply::Refused(Refusal::Conflict), "{intent:?}");
        stage.expect_made(retitle(0, "Other")).await;
        stage.expect_made(create("new", &["a", "c"])).await;
    }
}

async fn check_reports_an_unreadable_intent_and_repair_removes_it(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for intent in unreadable() {
        let stage = Stage::of(&scene);
        put_intent(&stage.store, intent.clone()).await;
        let content = stage.server().await;
        let differences = content.check().await.expect("the check reads everything").differences;
        let tables: Vec<&str> = differences.iter().map(|difference| difference.table).collect();
        assert_eq!(tables, ["Intents"], "{intent:?}: {differences:?}");
        let repaired = content.repair(RepairOptions::default(), |_| {}).await.expect("a repair");
        assert!(repaired.left.is_empty(), "{intent:?}: {:?}", repaired.left);
        stage.site().await.assert_sound().await;
    }
}
