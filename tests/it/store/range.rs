//! Range reads and scans.

use tidings::store::{PAGE_ROWS_MAX, Precondition, Store, StoreError};

use crate::support::rows::{TABLE, batch, delete, key, number, put, put_row, put_rows, range, row_keys, walk};
use crate::support::stores::contract;

contract!(
    rows_come_in_byte_order,
    bounds_are_from_inclusive_to_exclusive,
    a_range_stays_in_its_partition,
    an_empty_range_is_an_empty_page,
    a_page_holds_no_more_than_its_limit,
    a_walk_over_pages_loses_and_repeats_nothing,
    a_full_page_of_a_thousand_rows_comes_whole,
    a_walk_goes_on_where_its_next_row_was_deleted,
    a_walk_returns_rows_put_after_its_position_and_not_those_before,
    a_scan_reads_the_whole_table_in_order,
    a_read_of_keys_has_the_same_keys,
);

fn rows(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("r{n:05}")).collect()
}

async fn a_read_of_keys_has_the_same_keys(store: &Store) {
    put_rows(store, "p", &rows(25)).await;
    let whole = range("p", Some("r00003"), Some("r00020"));
    for limit in [1_000, 5] {
        assert_eq!(walk(store, &whole.clone().of_keys(), limit).await, walk(store, &whole, limit).await);
    }
    let empty = store.range(TABLE, &range("other", None, None).of_keys(), 10, None).await.expect("a page");
    assert!(empty.rows.is_empty());
    for row in ["r00003", "r00025"] {
        let of_key = store.get_key(TABLE, &key("p", row)).await.expect("a point read");
        let whole = store.get(TABLE, &key("p", row)).await.expect("a point read");
        assert_eq!(of_key.map(|row| row.key), whole.map(|row| row.key), "{row}");
    }
}

async fn rows_come_in_byte_order(store: &Store) {
    let mut keys: Vec<String> =
        ["~", "a", "B", "b", "A", "0", "-", "_", "!b", "a b", "a!", "ab", "0000", "00"].map(Into::into).to_vec();
    put_rows(store, "p", &keys).await;
    for row in ["!", " "] {
        // The log reserves the keys before that of its own row.
        match store.commit(TABLE, &batch("p", vec![put(row, number(1), Precondition::None)])).await {
            Ok(_) => keys.push(row.to_owned()),
            refused => assert!(matches!(refused, Err(StoreError::Limit(_))), "{refused:?}"),
        }
    }
    keys.sort();
    let page = store.range(TABLE, &range("p", None, None), 100, None).await.expect("a page");
    assert_eq!(row_keys(&page), keys);
}

async fn bounds_are_from_inclusive_to_exclusive(store: &Store) {
    put_rows(store, "p", &["a", "b", "c", "d"].map(Into::into)).await;
    for (from, to, expected) in [
        (Some("b"), Some("d"), &["b", "c"][..]),
        (Some("b"), None, &["b", "c", "d"]),
        (None, Some("c"), &["a", "b"]),
        (None, None, &["a", "b", "c", "d"]),
        (Some("aa"), Some("bb"), &["b"]),
        (Some("b"), Some("b"), &[]),
        (Some("c"), Some("b"), &[]),
    ] {
        let page = store.range(TABLE, &range("p", from, to), 100, None).await.expect("a page");
        assert_eq!(row_keys(&page), expected, "{from:?}..{to:?}");
    }
}

async fn a_range_stays_in_its_partition(store: &Store) {
    for partition in ["o", "p", "p ", "p!", "pp", "q"] {
        put_row(store, partition, "r", number(1)).await;
    }
    let page = store.range(TABLE, &range("p", None, None), 100, None).await.expect("a page");
    assert_eq!(page.rows.iter().map(|row| row.key.partition()).collect::<Vec<_>>(), ["p"]);
}

async fn an_empty_range_is_an_empty_page(store: &Store) {
    let page = store.range(TABLE, &range("p", None, None), 100, None).await.expect("a page");
    assert!(page.rows.is_empty() && page.continuation.is_none());
}

async fn a_page_holds_no_more_than_its_limit(store: &Store) {
    put_rows(store, "p", &rows(5)).await;
    for limit in [1, 4, 5, 6, PAGE_ROWS_MAX] {
        let page = store.range(TABLE, &range("p", None, None), limit, None).await.expect("a page");
        assert_eq!(row_keys(&page), rows(limit.min(5)), "{limit}");
        assert_eq!(page.continuation.is_some(), limit < 5, "{limit}");
    }
}

async fn a_walk_over_pages_loses_and_repeats_nothing(store: &Store) {
    put_rows(store, "p", &rows(250)).await;
    put_rows(store, "q", &rows(3)).await;
    for limit in [7, 50, 249, 250] {
        assert_eq!(walk(store, &range("p", None, None), limit).await, (rows(250), 250_usize.div_ceil(limit)));
    }
    let (found, _) = walk(store, &range("p", Some("r00100"), Some("r00200")), 7).await;
    assert_eq!(found, rows(250)[100..200]);
}

async fn a_full_page_of_a_thousand_rows_comes_whole(store: &Store) {
    put_rows(store, "p", &rows(PAGE_ROWS_MAX + 1)).await;
    let found = walk(store, &range("p", None, None), PAGE_ROWS_MAX).await;
    assert_eq!(found, (rows(PAGE_ROWS_MAX + 1), 2));
}

async fn a_walk_goes_on_where_its_next_row_was_deleted(store: &Store) {
    put_rows(store, "p", &rows(6)).await;
    let first = store.range(TABLE, &range("p", None, None), 3, None).await.expect("a page");
    let gone = vec![delete("r00003", Precondition::None), delete("r00002", Precondition::None)];
    store.commit(TABLE, &batch("p", gone)).await.expect("deletes");
    let next = first.continuation.expect("more");
    let second = store.range(TABLE, &range("p", None, None), 3, Some(&next)).await.expect("a page");
    assert_eq!(row_keys(&second), ["r00004", "r00005"]);
}

async fn a_walk_returns_rows_put_after_its_position_and_not_those_before(store: &Store) {
    put_rows(store, "p", &rows(4)).await;
    let first = store.range(TABLE, &range("p", None, None), 2, None).await.expect("a page");
    put_rows(store, "p", &["r00000a", "r00003a"].map(Into::into)).await;
    let next = first.continuation.expect("more");
    let second = store.range(TABLE, &range("p", None, None), 10, Some(&next)).await.expect("a page");
    assert_eq!(row_keys(&second), ["r00002", "r00003", "r00003a"]);
}

async fn a_scan_reads_the_whole_table_in_order(store: &Store) {
    store.create_tables(&["RowsAside"]).await.expect("a table");
    let aside = batch("a", vec![put("x", number(1), Precondition::None)]);
    store.commit("RowsAside", &aside).await.expect("a put");
    for partition in ["b", "a", "ab"] {
        put_rows(store, partition, &rows(600)).await;
    }
    let (mut found, mut continuation) = (Vec::new(), None);
    loop {
        let page = store.scan(TABLE, continuation.as_ref()).await.expect("a page");
        assert!(page.rows.len() <= PAGE_ROWS_MAX);
        found.extend(page.rows.into_iter().map(|row| row.key.to_string()));
        continuation = page.continuation;
        if continuation.is_none() {
            break;
        }
    }
    let partitions = ["a", "ab", "b"].into_iter();
    let expected: Vec<_> = partitions.flat_map(|p| rows(600).into_iter().map(move |r| format!("({p}, {r})"))).collect();
    assert_eq!(found, expected);
}
