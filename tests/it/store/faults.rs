//! The store in Azure behind a connection that fails: what is retried, and which error the caller gets if the retries fail.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode};
use tidings::store::azure::AzureStore;
use tidings::store::{Etag, Operation, Precondition, Store, StoreError};
use tokio::task::JoinSet;

use crate::support::azurite::{Azurite, emulator_key, random_prefix, settings};
use crate::support::proxy::{Fault, Proxy};
use crate::support::rows::{
    TABLE, batch, delete, get_row, key, number, put, put_row, put_rows, range, read_number, row_keys, walk,
};

/// Long enough for a few retries, short enough to wait for.
const SHORT: Duration = Duration::from_secs(2);
/// On a busy machine too.
const PATIENCE: Duration = Duration::from_secs(60);

/// A store whose requests go through a proxy, with an empty table.
struct Faulty {
    proxy: Proxy,
    store: Store,
    /// The same tables without the proxy.
    direct: Store,
    _azurite: Azurite,
}

async fn faulty() -> Faulty {
    let azurite = Azurite::any();
    let proxy = Proxy::before(&azurite).await;
    let prefix = random_prefix();
    let through = AzureStore::connect(&settings(&proxy.endpoint, emulator_key(), &prefix)).expect("a client");
    let direct: Store = Arc::new(AzureStore::connect(&azurite.settings(&prefix)).expect("a client"));
    direct.create_tables(&[TABLE]).await.expect("its table");
    Faulty { proxy, store: Arc::new(through.with_deadline(SHORT)), direct, _azurite: azurite }
}

impl Faulty {
    async fn commit(&self, operations: Vec<Operation>) -> Result<Vec<Option<Etag>>, StoreError> {
        self.store.commit(TABLE, &batch("p", operations)).await
    }

    async fn number_of(&self, row: &str) -> Option<i32> {
        get_row(&self.direct, "p", row).await.map(|row| read_number(&row))
    }
}

fn insert(row: &str) -> Vec<Operation> {
    vec![put(row, number(1), Precondition::Absent)]
}

fn is_unavailable<T>(answer: &Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Unavailable { .. }))
}

fn is_unknown<T>(answer: &Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::OutcomeUnknown { .. }))
}

#[tokio::test]
async fn connections_are_kept_and_used_again() {
    let faulty = faulty().await;
    for _ in 0..20 {
        put_row(&faulty.store, "p", "r", number(1)).await;
        assert!(get_row(&faulty.store, "p", "r").await.is_some());
    }
    assert_eq!((faulty.proxy.requests(), faulty.proxy.connections()), (40, 1));
}

#[tokio::test]
async fn an_empty_page_with_a_continuation_is_not_the_end() {
    let faulty = faulty().await;
    put_rows(&faulty.direct, "p", &["a", "b", "c"].map(Into::into)).await;
    // Azurite reads these two as Base64.
    faulty.proxy.plan(Method::GET, [Fault::empty_page("cA==", "YQ=="), Fault::empty_page("cA==", "Yg==")]);
    let first = faulty.store.range(TABLE, &range("p", None, None), 2, None).await.expect("a page");
    assert!(first.rows.is_empty() && first.continuation.is_some());
    let second = faulty.store.range(TABLE, &range("p", None, None), 2, first.continuation.as_ref()).await;
    assert!(second.expect("a page").rows.is_empty());
    faulty.proxy.plan(Method::GET, [Fault::empty_page("cA==", "YQ==")]);
    let (rows, pages) = walk(&faulty.store, &range("p", None, None), 2).await;
    assert_eq!((rows, pages), (["a", "b", "c"].map(ToOwned::to_owned).to_vec(), 3));
}

#[tokio::test]
async fn throttled_requests_wait_as_long_as_retry_after_says() {
    let faulty = faulty().await;
    put_row(&faulty.direct, "p", "r", number(1)).await;
    for method in [Method::GET, Method::POST] {
        faulty.proxy.plan(method.clone(), [Fault::busy(1)]);
        let started = Instant::now();
        if method == Method::GET {
            assert!(get_row(&faulty.store, "p", "r").await.is_some());
        } else {
            assert!(faulty.commit(insert("s")).await.is_ok());
        }
        assert!(started.elapsed() >= Duration::from_secs(1), "{method}: {:?}", started.elapsed());
    }
    assert_eq!((faulty.proxy.requests(), faulty.proxy.unmet()), (4, 0));
}

#[tokio::test]
async fn a_wait_that_would_pass_the_deadline_is_not_started() {
    let faulty = faulty().await;
    faulty.proxy.plan(Method::GET, [Fault::busy(3_600)]);
    faulty.proxy.plan(Method::POST, [Fault::busy(3_600)]);
    let read = faulty.store.get(TABLE, &key("p", "r")).await;
    let write = faulty.commit(insert("r")).await;
    // A throttled request is not started, so there is no doubt about the write.
    assert!(is_unavailable(&read) && is_unavailable(&write), "{read:?} {write:?}");
    assert_eq!((faulty.proxy.requests(), faulty.proxy.unmet()), (2, 0), "nothing is sent again");
    assert_eq!(faulty.number_of("r").await, None);
}

#[tokio::test]
async fn transient_errors_are_retried() {
    let faulty = faulty().await;
    put_row(&faulty.direct, "p", "r", number(1)).await;
    for fault in [
        Fault::refuse(StatusCode::REQUEST_TIMEOUT, "RequestTimeout"),
        Fault::refuse(StatusCode::TOO_MANY_REQUESTS, "TooManyRequests"),
        Fault::refuse(StatusCode::INTERNAL_SERVER_ERROR, "OperationTimedOut"),
        Fault::refuse(StatusCode::BAD_GATEWAY, "x"),
        Fault::refuse(StatusCode::GATEWAY_TIMEOUT, "x"),
        Fault::LoseAnswer(StatusCode::SERVICE_UNAVAILABLE),
        Fault::BreakBefore,
        Fault::BreakAfter,
    ] {
        faulty.proxy.plan(Method::GET, [fault.clone()]);
        let read = faulty.store.get(TABLE, &key("p", "r")).await;
        assert!(matches!(read, Ok(Some(_))), "{fault:?}: {read:?}");
        faulty.proxy.plan(Method::GET, [fault.clone()]);
        let page = faulty.store.range(TABLE, &range("p", None, None), 10, None).await;
        assert_eq!(page.as_ref().map(row_keys).unwrap_or_default(), ["r"], "{fault:?}: {page:?}");
    }
    assert_eq!(faulty.proxy.unmet(), 0);
}

#[tokio::test]
async fn permanent_errors_are_not_retried() {
    let faulty = faulty().await;
    faulty.proxy.plan(Method::GET, [Fault::refuse(StatusCode::FORBIDDEN, "AuthorizationPermissionMismatch")]);
    let error = faulty.store.get(TABLE, &key("p", "r")).await.expect_err("a refusal");
    assert!(matches!(&error, StoreError::Denied { what, .. } if what.contains("Storage Table Data Contributor")));
    faulty.proxy.plan(Method::POST, [Fault::refuse(StatusCode::PAYLOAD_TOO_LARGE, "RequestBodyTooLarge")]);
    let error = faulty.commit(insert("r")).await.expect_err("a refusal");
    assert!(matches!(&error, StoreError::Limit(what) if what.contains("RequestBodyTooLarge")), "{error:?}");
    assert_eq!(faulty.proxy.requests(), 2);
}

#[tokio::test]
async fn a_not_found_of_another_server_is_not_an_absent_row() {
    let faulty = faulty().await;
    faulty.proxy.plan(Method::GET, [Fault::LoseAnswer(StatusCode::NOT_FOUND)]);
    let read = faulty.store.get(TABLE, &key("p", "r")).await;
    assert!(is_unavailable(&read), "{read:?}");
    for status in [StatusCode::NOT_FOUND, StatusCode::CONFLICT] {
        faulty.proxy.plan(Method::POST, [Fault::Refuse(status, Vec::new(), "<html></html>".to_owned())]);
        let write = faulty.commit(insert("r")).await;
        assert!(is_unavailable(&write), "{write:?}");
    }
}

/// What is sent again is refused, because it was made. The log above this store finds that out.
#[tokio::test]
async fn a_write_whose_answer_was_lost_is_not_called_refused() {
    let faulty = faulty().await;
    for (fault, n) in [
        Fault::LoseAnswer(StatusCode::INTERNAL_SERVER_ERROR),
        Fault::LoseAnswer(StatusCode::GATEWAY_TIMEOUT),
        Fault::BreakAfter,
    ]
    .into_iter()
    .zip(0..)
    {
        let row = format!("r{n}");
        let lose = || faulty.proxy.plan(Method::POST, [fault.clone()]);
        lose();
        assert!(is_unknown(&faulty.commit(insert(&row)).await), "{fault:?}");
        let stored = get_row(&faulty.direct, "p", &row).await.expect("the row");
        lose();
        let replace = vec![put(&row, number(2), Precondition::Match(stored.etag))];
        assert!(is_unknown(&faulty.commit(replace).await), "{fault:?}");
        assert_eq!(faulty.number_of(&row).await, Some(2));
        let replaced = get_row(&faulty.direct, "p", &row).await.expect("the row");
        lose();
        let gone = vec![delete(&row, Precondition::Match(replaced.etag))];
        assert!(is_unknown(&faulty.commit(gone).await), "{fault:?}");
        assert_eq!(faulty.number_of(&row).await, None);
    }
    assert_eq!(faulty.proxy.unmet(), 0);
}

#[tokio::test]
async fn a_write_that_was_lost_on_its_way_is_made_once() {
    let faulty = faulty().await;
    faulty.proxy.plan(Method::POST, [Fault::BreakBefore, Fault::refuse(StatusCode::INTERNAL_SERVER_ERROR, "x")]);
    let etags = faulty.commit(insert("r")).await.expect("an insert");
    assert_eq!(get_row(&faulty.direct, "p", "r").await.map(|row| row.etag), etags[0]);
}

#[tokio::test]
async fn a_retried_write_that_meets_another_writer_is_not_called_refused() {
    let faulty = faulty().await;
    put_row(&faulty.direct, "p", "theirs", number(7)).await;
    faulty.proxy.plan(Method::POST, [Fault::refuse(StatusCode::INTERNAL_SERVER_ERROR, "x")]);
    // The other writer may have written before our first request, or after it.
    let answer = faulty.commit(insert("theirs")).await;
    assert!(is_unknown(&answer), "{answer:?}");
}

#[tokio::test]
async fn a_refusal_names_its_row() {
    let faulty = faulty().await;
    put_row(&faulty.direct, "p", "existing", number(1)).await;
    let operations =
        vec![put("new", number(1), Precondition::Absent), put("existing", number(1), Precondition::Absent)];
    let error = faulty.commit(operations).await.expect_err("a refusal");
    assert!(matches!(&error, StoreError::Precondition(what) if what.ends_with("(p, existing)")), "{error:?}");
}

#[tokio::test]
async fn a_write_that_gets_no_answer_by_the_deadline_is_unknown_and_a_read_unavailable() {
    let faulty = faulty().await;
    let started = Instant::now();
    faulty.proxy.plan(Method::POST, [Fault::Hang]);
    faulty.proxy.plan(Method::GET, [Fault::Hang]);
    let read_key = key("p", "r");
    let (write, read) = tokio::join!(faulty.commit(insert("r")), faulty.store.get(TABLE, &read_key));
    assert!(is_unknown(&write) && is_unavailable(&read), "{write:?} {read:?}");
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
    assert_eq!(faulty.number_of("r").await, Some(1), "this time it was made");
}

#[tokio::test]
async fn a_write_that_only_ever_fails_is_unknown() {
    let faulty = faulty().await;
    let fail = Fault::refuse(StatusCode::INTERNAL_SERVER_ERROR, "InternalError");
    faulty.proxy.plan(Method::POST, std::iter::repeat_n(fail, 100));
    let answer = faulty.commit(insert("r")).await;
    assert!(is_unknown(&answer), "{answer:?}");
    let tried = faulty.proxy.requests();
    assert!((3..20).contains(&tried), "{tried} requests in {SHORT:?}: the waits do not grow");
}

#[tokio::test]
async fn unreadable_answers_are_errors() {
    let faulty = faulty().await;
    put_row(&faulty.direct, "p", "r", number(1)).await;
    for garbage in ["", "nonsense", "{}", "[]", r#"{"odata.metadata":"m","value":[{"PartitionKey":"p"}]}"#] {
        faulty.proxy.plan(Method::GET, [Fault::Garble(garbage)]);
        let read = faulty.store.get(TABLE, &key("p", "r")).await;
        assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{garbage}: {read:?}");
    }
    faulty.proxy.plan(Method::GET, [Fault::Garble(r#"{"odata.metadata":"m","value":[{"PartitionKey":"p"}]}"#)]);
    let page = faulty.store.range(TABLE, &range("p", None, None), 10, None).await;
    assert!(matches!(page, Err(StoreError::Corrupt { .. })), "{page:?}");
    for garbage in ["", "nonsense", "HTTP/1.1 204 No Content"] {
        faulty.proxy.plan(Method::POST, [Fault::Garble(garbage)]);
        let write = faulty.commit(vec![put("r", number(2), Precondition::None)]).await;
        assert!(is_unknown(&write), "{garbage}: {write:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_increment_is_lost_or_made_twice_if_answers_are_lost() {
    let faulty = faulty().await;
    put_row(&faulty.direct, "p", "count", number(0)).await;
    let lost = [Fault::LoseAnswer(StatusCode::INTERNAL_SERVER_ERROR), Fault::BreakAfter, Fault::BreakBefore];
    let every_fourth = lost.into_iter().flat_map(|fault| [Fault::None, Fault::None, Fault::None, fault]);
    faulty.proxy.plan(Method::POST, std::iter::repeat_n(every_fourth, 20).flatten());
    let mut tasks = JoinSet::new();
    for _ in 0..10 {
        let store = Arc::clone(&faulty.store);
        tasks.spawn(async move { increment(&store, 3).await });
    }
    let (made, unknown) = tasks.join_all().await.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let count = faulty.number_of("count").await.expect("the row");
    assert_eq!(made + unknown, 30);
    assert!((made..=made + unknown).contains(&count), "{made} made, {unknown} unknown, {count} counted");
}

/// How many increments were acknowledged, and how many have an unknown outcome.
async fn increment(store: &Store, times: usize) -> (i32, i32) {
    let (mut made, mut unknown) = (0, 0);
    while made + unknown < times as i32 {
        let row = get_row(store, "p", "count").await.expect("the row");
        let next = put("count", number(read_number(&row) + 1), Precondition::Match(row.etag));
        match store.commit(TABLE, &batch("p", vec![next])).await {
            Ok(_) => made += 1,
            Err(StoreError::OutcomeUnknown { .. }) => unknown += 1,
            Err(StoreError::Precondition(_)) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    (made, unknown)
}
