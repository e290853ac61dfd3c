//! What is listed, counted and concealed. The rule: a test asks for it as a client gets it, at the end.

use super::*;
use crate::store::{Etag, Key, Properties};

fn key(row: &str) -> Key {
    Key::new("p", row).expect("a key")
}

fn of_step(step: usize) -> MadeFor {
    MadeFor { step: Some(step), ..MadeFor::default() }
}

fn begin<'e>(explanation: &'e Explanation, row: &str, made_for: MadeFor) -> Begun<'e> {
    explanation.begin(AccessedRows::point("T", &key(row)), made_for, 1)
}

#[test]
fn a_concealed_step_looks_as_if_its_first_request_had_found_nothing() {
    let explanation = Explanation::default();
    let found = Entity { key: key("r"), etag: Etag("1".into()), properties: Properties::new() };
    let step = explanation.begin_step();
    for row in ["first", "second", "third"] {
        begin(&explanation, row, of_step(step)).end(std::iter::once(&found));
    }
    assert_eq!(explanation.explained().requests.len(), 3);
    explanation.conceal(step);
    let Explained { requests, concealed, .. } = explanation.explained();
    assert_eq!((requests.len(), requests[0].rows, requests[0].bytes), (1, 0, 0));
    assert_eq!(concealed, StorageUse { point_reads: 2, rows: 3, bytes: 3 * found.bytes(), ..StorageUse::default() });
}

#[test]
fn requests_beyond_the_maximum_are_only_counted() {
    let explanation = Explanation::default();
    for _ in 0..REQUESTS_LISTED_MAX + 2 {
        begin(&explanation, "r", MadeFor::default()).end(std::iter::empty());
    }
    let Explained { requests, not_listed, .. } = explanation.explained();
    assert_eq!((requests.len(), not_listed), (REQUESTS_LISTED_MAX, 2));
    assert!(requests.iter().all(|request| request.batch.is_none() && request.duration.is_some()));
}

#[test]
fn requests_that_are_not_listed_are_concealed_and_counted() {
    let explanation = Explanation::default();
    for _ in 0..REQUESTS_LISTED_MAX {
        begin(&explanation, "r", MadeFor::default()).end(std::iter::empty());
    }
    let step = explanation.begin_step();
    for row in ["first", "second"] {
        begin(&explanation, row, of_step(step)).end(std::iter::empty());
    }
    let figures = || {
        let Explained { not_listed, concealed, .. } = explanation.explained();
        (not_listed, concealed.point_reads)
    };
    assert_eq!(figures(), (2, 0));
    explanation.conceal(step);
    assert_eq!(figures(), (1, 1));
}
