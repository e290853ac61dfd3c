//! The paths of requests. The rule: a test asks for them as a client gets them, at the end.

use std::sync::Arc;

use super::*;
use crate::store::{Etag, Properties, StorageUse};

fn key(row: &str) -> Key {
    Key::new("p", row).expect("a key")
}

/// A point read of this row, which finds nothing.
async fn read(explanation: &Explanation, row: &str) {
    explanation.begin_point("T", &key(row), 1).end(std::iter::empty());
}

fn paths(explanation: &Explanation) -> Vec<Vec<String>> {
    let paths = |request: ExplainedRequest| request.paths.iter().map(ToString::to_string).collect();
    explanation.explained().requests.into_iter().map(paths).collect()
}

/// A field of the root.
fn field(explanation: &Explanation, key: &str) -> Purpose {
    explanation.field((1, usize::from(key.as_bytes()[0])), key)
}

#[tokio::test]
async fn a_field_that_asks_later_is_named_by_the_request_of_the_batch() {
    let explanation = Explanation::default();
    let (first, second) = (field(&explanation, "a"), field(&explanation, "b"));
    let key_of_both = explanation.asked_for();
    first.of(async { explanation.ask(key_of_both) }).await;
    let (batch, _) = explanation.batch(&[key_of_both]);
    batch.of(read(&explanation, "r")).await;
    assert_eq!(paths(&explanation), [["a"]]);
    second.of(async { explanation.ask(key_of_both) }).await;
    assert_eq!(paths(&explanation), [["a", "b"]]);
    assert_eq!(explanation.explained().requests[0].batch, Some(1));
    assert_eq!(field(&explanation, "a"), first);
}

#[tokio::test]
async fn what_was_prepared_is_named_by_its_fields_if_one_asks_for_it() {
    let explanation = Explanation::default();
    let list = field(&explanation, "nodes");
    let of_list = list.of(async { explanation.field((2, 1), "tags") }).await;
    let prepared = explanation.asked_for();
    list.of(async { explanation.prepare(prepared) }).await;
    let (batch, _) = explanation.batch(&[prepared]);
    batch.of(read(&explanation, "r")).await;
    assert_eq!(paths(&explanation), [["nodes"]]);
    of_list.of(async { explanation.ask(prepared) }).await;
    assert_eq!(paths(&explanation), [["nodes.tags"]]);
}

#[tokio::test]
async fn each_row_of_a_batch_has_the_fields_of_its_key() {
    let explanation = Explanation::default();
    let fields = ["a", "b"].map(|path| field(&explanation, path));
    let keys = fields.map(|_| explanation.asked_for());
    for (field, key) in fields.into_iter().zip(keys) {
        field.of(async { explanation.ask(key) }).await;
    }
    let (batch, each) = explanation.batch(&keys);
    explanation.note_row("T", &key("r0"), each.of(0));
    explanation.note_row("T", &key("r1"), each.of(1));
    explanation.note_row("T", &key("both"), each.of(0));
    explanation.note_row("T", &key("both"), each.of(1));
    batch.of(async { explanation.note_next_row("T", &key("next"), &key("r1")) }).await;
    for row in ["r0", "r1", "both", "next", "other"] {
        batch.of(read(&explanation, row)).await;
    }
    // Outside of a batch, a row has the purpose of the field that reads it.
    fields[0].of(read(&explanation, "r1")).await;
    let expected: [&[&str]; 6] = [&["a"], &["b"], &["a", "b"], &["b"], &["a", "b"], &["a"]];
    assert_eq!(paths(&explanation), expected);
    let range = batch.of(async { explanation.of_rows("T", [key("r0")].iter()) }).await;
    range.of(read(&explanation, "any")).await;
    assert_eq!(paths(&explanation)[6], ["a"]);
}

#[tokio::test]
async fn a_concealed_step_looks_as_if_its_first_request_had_found_nothing() {
    let explanation = Explanation::default();
    let post = field(&explanation, "post");
    let found = Entity { key: key("r"), etag: Etag("1".into()), properties: Properties::new() };
    let step = post
        .of(async {
            let step = explanation.step();
            step.of(async {
                for row in ["first", "second", "third"] {
                    explanation.begin_point("T", &key(row), 1).end(std::iter::once(&found));
                }
            })
            .await;
            step
        })
        .await;
    assert_eq!(explanation.explained().requests.len(), 3);
    explanation.conceal(step);
    let Explained { requests, concealed, .. } = explanation.explained();
    assert_eq!(
        (requests.len(), requests[0].rows, requests[0].bytes, &requests[0].paths[..]),
        (1, 0, 0, &[Arc::from("post")][..])
    );
    assert_eq!(concealed, StorageUse { point_reads: 2, rows: 3, bytes: 3 * found.bytes(), ..StorageUse::default() });
}

#[test]
fn requests_beyond_the_maximum_are_only_counted() {
    let explanation = Explanation::default();
    for _ in 0..REQUESTS_LISTED_MAX + 2 {
        explanation.begin_point("T", &key("r"), 1).end(std::iter::empty());
    }
    let Explained { requests, not_listed, .. } = explanation.explained();
    assert_eq!((requests.len(), not_listed), (REQUESTS_LISTED_MAX, 2));
    assert!(requests.iter().all(|request| request.paths.is_empty() && request.duration.is_some()));
}

/// An alias can be as long as a document, and a request can serve as many fields as a document has.
#[tokio::test]
async fn paths_are_short_and_not_many() {
    let explanation = Explanation::default();
    let list = explanation.field((1, 1), &"é".repeat(60_000));
    let asked = explanation.asked_for();
    for column in 0..90 {
        let alias = list.of(async { explanation.field((2, column), &format!("t{column}")) }).await;
        alias.of(async { explanation.ask(asked) }).await;
    }
    asked.of(read(&explanation, "r")).await;
    let Explained { requests, requests_of, .. } = explanation.explained();
    assert_eq!((requests[0].paths.len(), requests[0].paths_not_listed), (20, 70));
    assert!(requests[0].paths.iter().all(|path| path.chars().count() <= 64 + 1 + 4), "{:?}", requests[0].paths);
    assert_eq!((requests_of.len(), requests_of.values().sum::<u64>()), (90, 90));
}

/// A batch of one field that reads the row `r`.
async fn batch_of_row(explanation: &Explanation, name: &str) -> Purpose {
    let asked = explanation.asked_for();
    field(explanation, name).of(async { explanation.ask(asked) }).await;
    let (batch, each) = explanation.batch(&[asked]);
    explanation.note_row("T", &key("r"), each.of(0));
    batch
}

/// The row is read again: for the field of the second batch only.
#[tokio::test]
async fn a_row_that_two_batches_read_has_the_fields_of_each() {
    let explanation = Explanation::default();
    for name in ["a", "b"] {
        batch_of_row(&explanation, name).await.of(read(&explanation, "r")).await;
    }
    assert_eq!(paths(&explanation), [["a"], ["b"]]);
}

/// Both have noted the row before one of them has read it, as on tables, where a batch waits for the store.
#[tokio::test]
async fn batches_that_run_at_the_same_time_name_their_own_fields() {
    let explanation = Explanation::default();
    let (first, second) = (batch_of_row(&explanation, "a").await, batch_of_row(&explanation, "b").await);
    for batch in [first, second] {
        batch.of(async { explanation.note_next_row("T", &key("next"), &key("r")) }).await;
    }
    for batch in [first, second] {
        batch.of(read(&explanation, "r")).await;
        batch.of(read(&explanation, "next")).await;
        let range = batch.of(async { explanation.of_rows("T", [key("r")].iter()) }).await;
        range.of(read(&explanation, "any")).await;
    }
    assert_eq!(paths(&explanation), [["a"], ["a"], ["a"], ["b"], ["b"], ["b"]]);
    let batches: Vec<_> = explanation.explained().requests.iter().map(|request| request.batch).collect();
    assert_eq!(batches, [Some(1), Some(1), Some(1), Some(2), Some(2), Some(2)]);
}

#[tokio::test]
async fn hits_are_grouped_by_their_fields_and_those_beyond_the_maximum_are_counted() {
    let explanation = Explanation::default();
    let first = field(&explanation, "a");
    for _ in 0..3 {
        // Each key of a loader has a purpose of its own, which serves the field.
        let asked = explanation.asked_for();
        first.of(async { explanation.ask(asked) }).await;
        asked.of(async { explanation.note_hits("T", 2) }).await;
    }
    let hits = explanation.explained().hits;
    assert_eq!(hits.iter().map(|hits| (hits.table, hits.count, hits.paths.len())).collect::<Vec<_>>(), [("T", 6, 1)]);
    for column in 0..noted::HITS_LISTED_MAX {
        let alias = explanation.field((2, column), "b");
        alias.of(async { explanation.note_hits("T", 5) }).await;
    }
    let Explained { hits, hits_not_listed, .. } = explanation.explained();
    assert_eq!((hits.len(), hits_not_listed), (noted::HITS_LISTED_MAX, 5));
}

#[tokio::test]
async fn requests_that_are_not_listed_are_concealed_and_counted_for_their_fields() {
    let explanation = Explanation::default();
    for _ in 0..REQUESTS_LISTED_MAX {
        read(&explanation, "r").await;
    }
    let post = field(&explanation, "post");
    let step = post.of(async { explanation.step() }).await;
    for row in ["first", "second"] {
        step.of(read(&explanation, row)).await;
    }
    let figures = || {
        let Explained { not_listed, concealed, requests_of, .. } = explanation.explained();
        (not_listed, concealed.point_reads, requests_of.get("post").copied())
    };
    assert_eq!(figures(), (2, 0, Some(2)));
    explanation.conceal(step);
    assert_eq!(figures(), (1, 1, Some(1)));
}
