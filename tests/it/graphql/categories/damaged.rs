//! A tree of categories that is damaged: what readers see of it, and what a repair makes of it.

use tidings::keys::{Table, category_tree, term};
use tidings::model::{CategoryEntry, CategoryPlace, CategoryTree, TermKind};
use tidings::store::{Operation, Precondition, Value};
use tidings::testing::RepairOptions;
use tidings::testing::rows::category_tree as rows;

use super::{create, sites, tree};
use crate::support::rows::{batch, properties, put};
use crate::support::site::{Site, slug};

const CATEGORIES: Table = Table::Terms(TermKind::Category);

/// Writes the parent of a category directly, into its row and its mirror.
async fn set_parent(site: &Site, category: &str, parent: &str) {
    let key = term::term(&slug(category));
    let row = site.store.get(CATEGORIES.name(), &key).await.expect("a read").expect("a row");
    let kept = row.properties.iter().filter(|(name, _)| *name != "Parent").map(|(name, value)| (name, value.clone()));
    let changed: Vec<_> = kept.chain([("Parent", Value::String(parent.into()))]).collect();
    let mirror = term::row(&slug(category), tidings::keys::time::Direction::Backward);
    let writes: Vec<Operation> =
        [key.row(), &mirror].map(|row| put(row, properties(&changed), Precondition::None)).into();
    site.store.commit(CATEGORIES.name(), &batch(key.partition(), writes)).await.expect("a write");
    site.invalidate_cached();
}

async fn repair(site: &Site) -> Vec<String> {
    let mut lines = Vec::new();
    let repaired = site.content.repair(RepairOptions::default(), |line| lines.push(line)).await.expect("a repair");
    assert_eq!(repaired.left, [], "{lines:#?}");
    site.assert_sound().await;
    site.invalidate_cached();
    lines
}

#[tokio::test]
async fn a_parent_that_does_not_exist_is_not_shown_and_a_repair_removes_it() {
    for site in sites().await {
        create(&site, "a", None).await;
        set_parent(&site, "a", "nothing").await;
        let data = site.query("{ category(slug: \"a\") { parent { slug } breadcrumbs { slug } } }").await;
        assert_eq!(data["category"], serde_json::json!({ "parent": null, "breadcrumbs": [] }));
        let lines = repair(&site).await;
        assert!(lines.iter().any(|line| line.contains("which does not exist")), "{lines:#?}");
        assert_eq!(tree(&site).await, ["a"]);
    }
}

#[tokio::test]
async fn a_cycle_of_parents_is_read_to_an_end_and_a_repair_opens_it() {
    for site in sites().await {
        for category in ["a", "b", "c"] {
            create(&site, category, None).await;
        }
        for (category, parent) in [("a", "b"), ("b", "c"), ("c", "a")] {
            set_parent(&site, category, parent).await;
        }
        let data = site.query("{ category(slug: \"a\") { breadcrumbs { slug } children { nodes { slug } } } }").await;
        assert_eq!(data["category"]["breadcrumbs"].as_array().map(Vec::len), Some(9));
        repair(&site).await;
        assert_eq!(tree(&site).await, ["a", "b < c", "c < a"]);
        let data = site.query("{ category(slug: \"b\") { breadcrumbs { slug } } }").await;
        assert_eq!(super::slugs_of(&data["category"]["breadcrumbs"]), ["a", "c"]);
    }
}

#[tokio::test]
async fn an_entry_that_its_category_does_not_confirm_is_not_shown() {
    for site in sites().await {
        let a = create(&site, "a", None).await;
        create(&site, "b", Some(&a)).await;
        create(&site, "c", None).await;
        let place = |category: &str, parent: &str| CategoryEntry {
            category: slug(category),
            place: CategoryPlace { parent: slug(parent), slug: slug(category) },
        };
        let damaged = CategoryTree::of([place("b", "a"), place("b", "c"), place("c", "a"), place("gone", "a")]);
        let row = rows::row(&damaged).expect("it fits").expect("a row");
        let write = put(category_tree::tree().row(), row, Precondition::None);
        site.store
            .commit(CATEGORIES.name(), &batch(category_tree::TREE_PARTITION, vec![write]))
            .await
            .expect("a write");
        site.invalidate_cached();
        let list = "children { nodes { slug } }";
        let data = site
            .query(&format!("{{ a: category(slug: \"a\") {{ {list} }} c: category(slug: \"c\") {{ {list} }} }}"))
            .await;
        assert_eq!(super::slugs_of(&data["a"]["children"]["nodes"]), ["b"]);
        assert_eq!(super::slugs_of(&data["c"]["children"]["nodes"]), [""; 0]);
        repair(&site).await;
        assert_eq!(tree(&site).await, ["a", "b < a", "c"]);
    }
}
