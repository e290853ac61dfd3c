//! Tests of the lists and counts of an explanation. The rule: a test reads the explanation as a client gets it, at the end.

use super::*;
use crate::store::Key;

#[test]
fn requests_beyond_the_maximum_are_only_counted() {
    let (explanation, key) = (Explanation::default(), Key::new("p", "r").expect("a key"));
    for _ in 0..REQUESTS_LISTED_MAX + 2 {
        explanation.begin(AccessedRows::point("T", &key), None, 1).end(0, 0, 0.0);
    }
    let Explained { requests, not_listed, .. } = explanation.explained();
    assert_eq!((requests.len(), not_listed), (REQUESTS_LISTED_MAX, 2));
    assert!(requests.iter().all(|request| request.batch.is_none() && request.duration.is_some()));
}
