//! Damaged rows of pages: `check` names each, and a repair writes them again as the whole pages say.

use tidings::store::{Batch, Operation, Precondition, Properties};
use tidings::testing::RepairOptions;

use super::{create, sites};

#[tokio::test]
async fn each_row_that_is_lost_or_wrong_is_found_and_written_again() {
    for site in sites().await {
        create(&site, "docs", None).await;
        create(&site, "docs/a", Some(3)).await;
        let rows = site.store.scan("Pages", None).await.expect("rows").rows;
        assert_eq!(rows.len(), 7);
        for row in rows.iter().filter(|row| !row.key.row().starts_with("i-")) {
            let name = row.key.row().to_owned();
            let delete = Operation::Delete { row: name.clone(), precondition: Precondition::None };
            let wrong =
                Operation::Put { row: name.clone(), properties: Properties::new(), precondition: Precondition::None };
            for damage in [delete, wrong] {
                let batch = Batch::new(row.key.partition(), vec![damage.clone()]).expect("a batch");
                site.store.commit("Pages", &batch).await.expect("a write");
                let found = site.content.check().await.expect("a check");
                assert!(!found.differences.is_empty(), "{name}");
                let repaired = site.content.repair(RepairOptions::default(), |_| {}).await.expect("a repair");
                assert!(repaired.left.is_empty() && repaired.fixed > 0, "{name}: {repaired:?}");
                site.assert_sound().await;
            }
        }
    }
}
