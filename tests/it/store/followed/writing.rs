//! Writes through the log: each is made whole or refused, and those of a crowd share appends.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tidings::store::{Precondition, StoreError};

use crate::support::rows::{TABLE, batch, get_row, number, put, put_row};

use super::servers::{Faulty, LOG, Server};

#[tokio::test]
async fn a_write_is_appended_before_it_is_carried_out_and_one_that_cannot_be_appended_is_not_made() {
    let inner = Arc::new(Faulty::default());
    let server = Server::over(&inner);
    server.write("a").await;
    assert_eq!(*inner.written.lock().expect("no panic"), [LOG, TABLE]);
    inner.fails_log.store(true, Ordering::SeqCst);
    let refused = server.store.commit(TABLE, &batch("p", vec![put("b", number(1), Precondition::None)])).await;
    assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
    assert_eq!(get_row(&server.store, "p", "b").await, None);
    inner.fails_log.store(false, Ordering::SeqCst);
    server.write("b").await;
}

#[tokio::test]
async fn a_crowd_shares_appends_and_another_server_learns_of_each_write() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    let row = |n: i32| format!("{n:0>150}");
    assert!(one.hold(&row(7)).await);
    let writes = (0..300).map(|n| {
        let (store, row) = (Arc::clone(&two.store), row(n));
        tokio::spawn(async move { put_row(&store, "p", &row, number(n)).await })
    });
    for write in writes.collect::<Vec<_>>() {
        write.await.expect("a write");
    }
    one.poll().await;
    assert!(!one.is_cached());
    one.poll_twice().await;
    assert!(one.hold("a").await);
    let appends = inner.written.lock().expect("no panic").iter().filter(|table| **table == LOG).count();
    assert!(appends < 100, "{appends} appends of 300 writes");
}
