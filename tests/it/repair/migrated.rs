//! A store of an earlier version, which is migrated when it is opened. The rule: its content does not change, and `check` finds nothing afterwards.

use serde_json::json;
use tidings::keys::time::Direction;
use tidings::keys::{Table, term};
use tidings::model::TermKind;
use tidings::store::{Batch, Operation, Precondition, Properties, Value};
use tidings::testing::RepairOptions;
use tidings::testing::rows::term as term_rows;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post, slug, slugs};

const TAGS: Table = Table::Terms(TermKind::Tag);

fn text(value: &str) -> Value {
    Value::String(value.into())
}

async fn put(site: &Site, row_of: &str, direction: Direction, properties: Option<Properties>) {
    let slug = slug(row_of);
    let row = term::row(&slug, direction);
    let operation = match properties {
        Some(properties) => Operation::Put { row, properties, precondition: Precondition::None },
        None => Operation::Delete { row, precondition: Precondition::None },
    };
    let batch = Batch::new(term::partition(&slug), vec![operation]).expect("a batch");
    site.store.commit(TAGS.name(), &batch).await.expect("a write");
}

/// The tag `a`, which was renamed to `m` and then to `z`, in the rows of an earlier version; and an unfinished change of that version.
async fn of_an_earlier_version(site: &Site) {
    let mut whole = post(0, instant("2026-05-01T00:00:00Z"));
    whole.post.tags = slugs(&["a"]);
    site.publish(&[whole]).await;
    for (from, to) in [("a", "m"), ("m", "z")] {
        let mutation = format!(
            r#"mutation {{ updateTag(input: {{ @tag({from}), slug: "{to}", name: "Sea" }}) {{ userErrors {{ code }} }} }}"#
        );
        let answer = site.mutate(&mutation, json!({}), Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body["data"]["updateTag"]["userErrors"], json!([]));
    }
    let mut present = Properties::new();
    for (name, value) in [("FirstSlug", "a"), ("Name", "Sea"), ("FormerSlugs", "a m")] {
        present.set(name, text(value));
    }
    for direction in [Direction::Forward, Direction::Backward] {
        put(site, "z", direction, Some(present.clone())).await;
    }
    for former in ["a", "m"] {
        let mut forward = Properties::new();
        forward.set("ForwardTo", text("z"));
        forward.set("FirstSlug", text("a"));
        put(site, former, Direction::Forward, Some(forward)).await;
    }
    let mut left = Properties::new();
    left.set("OpenUntil", Value::DateTime(638_741_523_061_234_567));
    left.set("Changes0", Value::Binary(vec![1].into()));
    let put = Operation::Put {
        row: "0638741523061234567-random".to_owned(),
        properties: left,
        precondition: Precondition::None,
    };
    site.store.commit("Intents", &Batch::new("server", vec![put]).expect("a batch")).await.expect("a write");
}

async fn view(site: &Site) -> String {
    site.invalidate_cached();
    let query = r#"{ tags { totalCount nodes { slug name posts { totalCount nodes { slug } } } }
        a: tag(slug: "a") { slug } m: tag(slug: "m") { slug } z: tag(slug: "z") { slug }
        posts(filter: { tags: { all: ["z"] } }) { totalCount nodes { tags { slug } } } }"#;
    site.query(query).await.to_string()
}

#[tokio::test]
async fn a_renamed_tag_of_an_earlier_version_is_found_by_all_its_slugs_once_the_store_was_opened() {
    let site = Site::in_memory().await;
    of_an_earlier_version(&site).await;
    let differences = site.content.check().await.expect("the check reads everything").differences;
    assert!(differences.iter().any(|d| d.what.contains("earlier version")), "{differences:?}");
    let migrated = site.content.migrate().await.expect("a migration");
    assert_eq!(migrated.terms, 1);
    assert_eq!(site.content.check().await.expect("the check reads everything").differences, []);
    let seen = view(&site).await;
    let tags = r#""tags":{"nodes":[{"name":"Sea","posts":{"nodes":[{"slug":"post-0"}],"totalCount":1},"slug":"z"}],"totalCount":1}"#;
    for part in [r#""a":{"slug":"z"}"#, r#""m":{"slug":"z"}"#, r#""z":{"slug":"z"}"#, tags] {
        assert!(seen.contains(part), "{part} in {seen}");
    }
    assert_eq!(site.content.migrate().await.expect("a migration").terms, 0, "a second migration finds nothing");
}

#[tokio::test]
async fn a_repair_migrates_too() {
    let site = Site::in_memory().await;
    of_an_earlier_version(&site).await;
    let repaired = site.content.repair(RepairOptions::default(), |_| {}).await.expect("a repair");
    assert!(repaired.left.is_empty() && repaired.report.differences.is_empty(), "{repaired:?}");
    let first = site.store.get(TAGS.name(), &term::term(&slug("a"))).await.expect("a read").expect("the identity row");
    assert!(
        matches!(term_rows::read(TermKind::Tag, &first), Ok(term_rows::TermRow::Identity(row)) if row.term.slug == slug("z"))
    );
}
