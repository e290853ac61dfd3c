//! Point reads.

use tidings::store::{Key, Precondition, Store, StoreError};

use crate::support::rows::{TABLE, batch, get_row, key, number, put, put_row, read_number};
use crate::support::stores::contract;

contract!(
    a_row_that_was_never_put_is_absent,
    a_read_returns_the_last_write,
    both_keys_identify_a_row,
    many_rows_are_answered_in_the_order_of_their_keys,
    a_key_may_contain_every_allowed_character,
    the_longest_keys_find_their_row,
    empty_keys_find_their_row,
    a_store_answers_a_ping,
    tables_can_be_made_again,
);

async fn a_row_that_was_never_put_is_absent(store: &Store) {
    assert_eq!(get_row(store, "p", "r").await, None);
}

async fn a_read_returns_the_last_write(store: &Store) {
    for n in [1, 2] {
        let etag = put_row(store, "p", "r", number(n)).await;
        let row = get_row(store, "p", "r").await.expect("the row");
        assert_eq!((row.key, row.etag, row.properties), (key("p", "r"), etag, number(n)));
    }
}

async fn both_keys_identify_a_row(store: &Store) {
    let rows = [("a", "b"), ("a", "bb"), ("aa", "b"), ("A", "b"), ("ab", "a")];
    for ((partition, row), n) in rows.into_iter().zip(0..) {
        put_row(store, partition, row, number(n)).await;
    }
    for ((partition, row), n) in rows.into_iter().zip(0..) {
        assert_eq!(get_row(store, partition, row).await.map(|row| read_number(&row)), Some(n), "{partition} {row}");
    }
}

async fn many_rows_are_answered_in_the_order_of_their_keys(store: &Store) {
    for (row, n) in ["a", "b", "c"].into_iter().zip(0..) {
        put_row(store, "p", row, number(n)).await;
    }
    let keys = [("p", "c"), ("q", "a"), ("p", "a"), ("p", "c")].map(|(partition, row)| key(partition, row));
    let rows = store.get_many(TABLE, &keys).await;
    let found: Vec<_> = rows.into_iter().map(|row| row.expect("an answer").map(|row| read_number(&row))).collect();
    assert_eq!(found, [Some(2), None, Some(0), Some(2)]);
    assert!(store.get_many(TABLE, &[]).await.is_empty());
}

async fn a_key_may_contain_every_allowed_character(store: &Store) {
    let allowed: Vec<char> = (' '..='~').filter(|c| tidings::store::key::is_key_char(*c)).collect();
    for (c, n) in allowed.into_iter().zip(0..) {
        let text = format!("a{c}b");
        put_row(store, &text, &text, number(n)).await;
        let found = store.get(TABLE, &Key::new(text.clone(), text.clone()).expect("a key")).await;
        let found = found.unwrap_or_else(|e| panic!("{c:?}: {e}")).unwrap_or_else(|| panic!("{c:?} is not found"));
        assert_eq!((found.key.row(), read_number(&found)), (text.as_str(), n));
    }
}

async fn the_longest_keys_find_their_row(store: &Store) {
    let long = "k".repeat(tidings::store::key::KEY_BYTES_MAX);
    put_row(store, &long, &long, number(1)).await;
    assert!(get_row(store, &long, &long).await.is_some());
}

async fn a_store_answers_a_ping(store: &Store) {
    store.ping().await.expect("an answer");
}

async fn tables_can_be_made_again(store: &Store) {
    put_row(store, "p", "r", number(1)).await;
    store.create_tables(&[TABLE, "Others", TABLE]).await.expect("tables");
    assert!(get_row(store, "p", "r").await.is_some());
}

async fn empty_keys_find_their_row(store: &Store) {
    for (partition, row) in [("", "r"), ("p", ""), ("", "")] {
        let put = put(row, number(1), Precondition::None);
        match store.commit(TABLE, &batch(partition, vec![put])).await {
            Ok(_) => {}
            // The log reserves the keys before that of its own row.
            Err(StoreError::Limit(_)) if row.is_empty() && store.position().is_some() => continue,
            Err(error) => panic!("({partition}, {row}): {error}"),
        }
        assert!(get_row(store, partition, row).await.is_some(), "({partition}, {row})");
    }
}
