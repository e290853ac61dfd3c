//! Entity group transactions: preconditions, all or nothing, ETags.

use std::collections::HashSet;

use tidings::store::{Etag, Operation, Precondition, Store, StoreError};

use crate::support::rows::{TABLE, batch, delete, get_row, number, put, put_row, read_number};
use crate::support::stores::contract;

contract!(
    an_insert_succeeds_for_an_absent_row_and_is_refused_for_an_existing_one,
    a_row_is_replaced_under_its_etag_and_no_other,
    a_row_is_replaced_whole,
    a_put_without_a_precondition_inserts_or_replaces,
    a_row_is_deleted_under_its_etag_and_no_other,
    a_delete_needs_an_existing_row,
    a_batch_is_applied_whole_or_not_at_all,
    a_batch_applies_a_hundred_operations,
    a_batch_of_one_operation_returns_its_etag,
    an_etag_changes_with_every_write_and_is_never_reused,
    the_new_etags_are_those_that_a_read_shows,
    one_batch_may_put_delete_and_replace,
);

fn is_precondition<T: std::fmt::Debug>(answer: &Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Precondition(_)))
}

async fn commit(store: &Store, operations: Vec<Operation>) -> Result<Vec<Option<Etag>>, StoreError> {
    store.commit(TABLE, &batch("p", operations)).await
}

async fn number_of(store: &Store, row: &str) -> Option<i32> {
    get_row(store, "p", row).await.map(|row| read_number(&row))
}

async fn an_insert_succeeds_for_an_absent_row_and_is_refused_for_an_existing_one(store: &Store) {
    assert!(commit(store, vec![put("r", number(1), Precondition::Absent)]).await.is_ok());
    let again = commit(store, vec![put("r", number(2), Precondition::Absent)]).await;
    assert!(is_precondition(&again), "{again:?}");
    assert_eq!(number_of(store, "r").await, Some(1));
}

async fn a_row_is_replaced_under_its_etag_and_no_other(store: &Store) {
    let first = put_row(store, "p", "r", number(1)).await;
    assert!(commit(store, vec![put("r", number(2), Precondition::Match(first.clone()))]).await.is_ok());
    let stale = commit(store, vec![put("r", number(3), Precondition::Match(first.clone()))]).await;
    let gone = commit(store, vec![put("s", number(3), Precondition::Match(first))]).await;
    assert!(is_precondition(&stale) && is_precondition(&gone), "{stale:?} {gone:?}");
    assert_eq!((number_of(store, "r").await, number_of(store, "s").await), (Some(2), None));
}

async fn a_row_is_replaced_whole(store: &Store) {
    use tidings::store::Value;
    let both = crate::support::rows::properties(&[("N", Value::Int32(1)), ("M", Value::Int32(1))]);
    let etag = put_row(store, "p", "r", both.clone()).await;
    commit(store, vec![put("r", number(2), Precondition::Match(etag))]).await.expect("a put");
    assert_eq!(get_row(store, "p", "r").await.map(|row| row.properties), Some(number(2)));
    put_row(store, "p", "r", both).await;
    put_row(store, "p", "r", number(3)).await;
    assert_eq!(get_row(store, "p", "r").await.map(|row| row.properties), Some(number(3)));
}

async fn a_put_without_a_precondition_inserts_or_replaces(store: &Store) {
    for n in [1, 2] {
        assert!(commit(store, vec![put("r", number(n), Precondition::None)]).await.is_ok());
        assert_eq!(number_of(store, "r").await, Some(n));
    }
}

async fn a_row_is_deleted_under_its_etag_and_no_other(store: &Store) {
    let first = put_row(store, "p", "r", number(1)).await;
    let second = put_row(store, "p", "r", number(2)).await;
    let stale = commit(store, vec![delete("r", Precondition::Match(first))]).await;
    assert!(is_precondition(&stale), "{stale:?}");
    assert_eq!(number_of(store, "r").await, Some(2));
    let deleted = commit(store, vec![delete("r", Precondition::Match(second.clone()))]).await;
    assert_eq!(deleted.expect("a delete"), [None]);
    assert_eq!(number_of(store, "r").await, None);
    let again = commit(store, vec![delete("r", Precondition::Match(second))]).await;
    assert!(is_precondition(&again), "{again:?}");
}

async fn a_delete_needs_an_existing_row(store: &Store) {
    put_row(store, "p", "r", number(1)).await;
    assert!(commit(store, vec![delete("r", Precondition::None)]).await.is_ok());
    let again = commit(store, vec![delete("r", Precondition::None)]).await;
    assert!(is_precondition(&again), "{again:?}");
}

async fn a_batch_is_applied_whole_or_not_at_all(store: &Store) {
    let stale = put_row(store, "p", "c", number(1)).await;
    put_row(store, "p", "c", number(2)).await;
    for refused in [
        put("c", number(9), Precondition::Absent),
        put("c", number(9), Precondition::Match(stale.clone())),
        delete("c", Precondition::Match(stale)),
        delete("d", Precondition::None),
    ] {
        for place in 0..3 {
            let mut operations =
                vec![put("a", number(9), Precondition::None), put("b", number(9), Precondition::Absent)];
            operations.insert(place, refused.clone());
            let answer = commit(store, operations).await;
            assert!(is_precondition(&answer), "{refused:?} at {place}: {answer:?}");
            let left = (number_of(store, "a").await, number_of(store, "b").await, number_of(store, "c").await);
            assert_eq!(left, (None, None, Some(2)), "{refused:?} at {place}");
        }
    }
}

async fn a_batch_applies_a_hundred_operations(store: &Store) {
    let rows: Vec<String> = (0..100).map(|n| format!("{n:03}")).collect();
    let etags = commit(store, rows.iter().map(|row| put(row, number(1), Precondition::Absent)).collect()).await;
    assert_eq!(etags.expect("puts").iter().flatten().count(), 100);
    assert!(commit(store, rows.iter().map(|row| delete(row, Precondition::None)).collect()).await.is_ok());
    assert_eq!(number_of(store, "099").await, None);
}

async fn a_batch_of_one_operation_returns_its_etag(store: &Store) {
    let etags = commit(store, vec![put("r", number(1), Precondition::Absent)]).await.expect("a put");
    assert_eq!(etags.len(), 1);
    let row = get_row(store, "p", "r").await.expect("the row");
    assert_eq!(etags[0].as_ref(), Some(&row.etag));
}

async fn an_etag_changes_with_every_write_and_is_never_reused(store: &Store) {
    let mut seen = HashSet::new();
    for n in 0..20 {
        assert!(seen.insert(put_row(store, "p", "r", number(n % 2)).await), "write {n} repeats an ETag");
        if n % 5 == 4 {
            commit(store, vec![delete("r", Precondition::None)]).await.expect("a delete");
        }
    }
}

async fn the_new_etags_are_those_that_a_read_shows(store: &Store) {
    let rows = ["a", "b", "c"];
    let etags = commit(store, rows.iter().map(|row| put(row, number(1), Precondition::None)).collect()).await;
    for (row, etag) in rows.iter().zip(etags.expect("puts")) {
        assert_eq!(get_row(store, "p", row).await.map(|row| row.etag), etag);
    }
}

async fn one_batch_may_put_delete_and_replace(store: &Store) {
    let old = put_row(store, "p", "old", number(1)).await;
    put_row(store, "p", "gone", number(1)).await;
    let operations = vec![
        put("new", number(2), Precondition::Absent),
        delete("gone", Precondition::None),
        put("old", number(2), Precondition::Match(old)),
    ];
    let etags = commit(store, operations).await.expect("a batch");
    assert_eq!(etags.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true]);
    let left = (number_of(store, "new").await, number_of(store, "gone").await, number_of(store, "old").await);
    assert_eq!(left, (Some(2), None, Some(2)));
}
