//! Damaged rows of pages: `check` names each, and a repair writes them again as the whole pages say.

use serde_json::json;
use tidings::store::{Batch, Operation, Precondition, Properties, Value};
use tidings::testing::RepairOptions;

use super::{create, done, mutate, refused, sites};
use crate::support::site::Site;

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

/// A row of a page that is as another page's row says.
struct Damage<'a> {
    row: String,
    set: &'a [(&'a str, &'a str)],
}

async fn damage(site: &Site, damages: &[Damage<'_>]) {
    let rows = site.store.scan("Pages", None).await.expect("rows").rows;
    let puts = damages.iter().map(|Damage { row, set }| {
        let found = rows.iter().find(|found| found.key.row() == row);
        let mut properties = found.map(|found| found.properties.clone()).unwrap_or_default();
        set.iter().for_each(|(name, text)| properties.set(name, Value::String((*text).into())));
        Operation::Put { row: row.clone(), properties, precondition: Precondition::None }
    });
    let batch = Batch::new("pages", puts.collect()).expect("a batch");
    site.store.commit("Pages", &batch).await.expect("the damage");
}

/// The id of a page as its rows have it.
fn id_of(page: &serde_json::Value) -> String {
    page["id"].as_str().expect("an id").trim_start_matches("page-").to_owned()
}

/// `docs`, which was moved to `guide`; below it a page that had the path `guide` before.
async fn moved(site: &Site) -> (serde_json::Value, serde_json::Value) {
    let (docs, guide) = (create(site, "docs", None).await, create(site, "guide", None).await);
    let to = |page: &serde_json::Value, path: &str| json!({ "id": page["id"], "expectedVersion": 1, "path": path });
    done(site, "updatePage", to(&guide, "docs/guide")).await;
    done(site, "updatePage", to(&docs, "guide")).await;
    (docs, guide)
}

#[tokio::test]
async fn a_path_that_a_page_had_before_is_given_back_to_the_page_that_has_it() {
    for site in sites().await {
        let (docs, guide) = moved(&site).await;
        let below = id_of(&guide);
        damage(
            &site,
            &[
                Damage { row: format!("i-{below}"), set: &[("FormerPaths", "guide docs/guide")] },
                Damage { row: "p-guide".to_owned(), set: &[("Id", &below)] },
            ],
        )
        .await;
        let query = "{ page(path: \"guide\") { id } }";
        assert_eq!(site.query(query).await["page"]["id"], guide["id"], "the damage");
        let repaired = site.content.repair(RepairOptions::default(), |_| {}).await.expect("a repair");
        assert!(repaired.left.is_empty(), "{repaired:?}");
        assert_eq!(site.query(query).await["page"]["id"], docs["id"]);
        site.assert_sound().await;
        // The page below has nothing any more that it could take from the other one.
        let version = site.query("{ page(path: \"guide/guide\") { version } }").await["page"]["version"].clone();
        let input = json!({ "id": guide["id"], "expectedVersion": version });
        assert_eq!(refused(&mutate(&site, "deletePage", input).await), []);
        assert_eq!(site.query(query).await["page"]["id"], docs["id"]);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn of_two_pages_with_one_path_the_one_that_readers_find_keeps_it_and_the_other_one_is_named() {
    for site in sites().await {
        let (docs, guide) = moved(&site).await;
        create(&site, "guide/guide/deep", None).await;
        let new = create(&site, "new", None).await;
        let (id, other) = (id_of(&new), "c-top:9999999999-guide");
        let title = ("Title", "The page new");
        damage(
            &site,
            &[
                Damage { row: format!("i-{id}"), set: &[("Path", "guide"), ("Slug", "guide")] },
                Damage { row: "p-guide".to_owned(), set: &[("Id", &id)] },
                Damage { row: other.to_owned(), set: &[("Id", &id), ("Slug", "guide"), title] },
            ],
        )
        .await;
        let repaired = site.content.repair(RepairOptions::default(), |_| {}).await.expect("a repair");
        let left: Vec<_> = repaired.left.iter().map(|(difference, why)| format!("{difference}; {why}")).collect();
        assert!(left.len() == 1 && left[0].contains(&id_of(&docs)) && left[0].contains("updatePage"), "{left:#?}");
        done(&site, "updatePage", json!({ "id": docs["id"], "expectedVersion": 2, "path": "guide-2" })).await;
        let repaired = site.content.repair(RepairOptions::default(), |_| {}).await.expect("a repair");
        assert!(repaired.left.is_empty(), "{repaired:?}");
        let query = "{ kept: page(path: \"guide\") { id } docs: page(path: \"guide-2\") { id title children { nodes { id } } } \
                       deep: page(path: \"guide-2/guide/deep\") { title } before: page(path: \"guide/guide\") { id path } }";
        let read = site.query(query).await;
        assert_eq!(read["kept"]["id"], new["id"]);
        assert_eq!(
            read["docs"],
            json!({ "id": docs["id"], "title": "The page docs", "children": { "nodes": [{ "id": guide["id"] }] } })
        );
        assert_eq!(read["deep"]["title"], "The page guide/guide/deep");
        assert_eq!(read["before"], json!({ "id": guide["id"], "path": "guide-2/guide" }), "a former path");
        site.assert_sound().await;
    }
}
