//! The store in Azure: who has access, and which settings are refused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tidings::store::azure::{AzureSettings, AzureStore, Connection};
use tidings::store::{Operation, Precondition, Store, StoreError, TableStore};

use crate::support::azurite::{Azurite, emulator_key, random_prefix, settings, signed_settings};
use crate::support::rows::{TABLE, batch, delete, get_row, key, number, put, put_row, range};

/// Long enough for a few retries, short enough to wait for.
const SHORT: Duration = Duration::from_secs(2);
/// On a busy machine too.
const PATIENCE: Duration = Duration::from_secs(60);

fn connect(endpoint: &str, key: &str) -> Store {
    let store = AzureStore::connect(&settings(endpoint, key, &random_prefix())).expect("a client");
    Arc::new(store.with_deadline(SHORT))
}

fn insert(row: &str) -> Vec<Operation> {
    vec![put(row, number(1), Precondition::Absent)]
}

fn is_unavailable<T>(answer: &Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Unavailable { .. }))
}

#[tokio::test]
async fn a_wrong_key_is_denied() {
    let azurite = Azurite::any();
    let store = connect(&azurite.endpoint, "d3Jvbmc=");
    let error = store.ping().await.expect_err("a refusal");
    assert!(matches!(error, StoreError::Denied { .. }), "{error:?}");
    assert!(error.to_string().contains("check the account's name, its key"), "{error}");
    assert!(matches!(store.create_tables(&[TABLE]).await, Err(StoreError::Denied { .. })));
    assert!(matches!(store.get(TABLE, &key("p", "r")).await, Err(StoreError::Denied { .. })));
    assert!(matches!(store.commit(TABLE, &batch("p", insert("r"))).await, Err(StoreError::Denied { .. })));
}

#[tokio::test]
async fn a_signature_may_do_what_it_was_signed_for() {
    let azurite = Azurite::any();
    let prefix = random_prefix();
    let signed = |permissions| -> Store {
        let settings = signed_settings(&azurite.endpoint, permissions, &prefix);
        Arc::new(AzureStore::connect(&settings).expect("a client"))
    };
    let editor = signed("rwdlacu");
    editor.create_tables(&[TABLE]).await.expect("a table");
    put_row(&editor, "p", "r", number(1)).await;
    let reader = signed("rl");
    assert!(get_row(&reader, "p", "r").await.is_some());
    // Azurite checks no permission of a transaction, so the refusal is that of a new table.
    let refused = reader.create_tables(&["Others"]).await;
    assert!(matches!(refused, Err(StoreError::Denied { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_signature_is_in_no_error() {
    let settings = signed_settings(&format!("http://{}/devstoreaccount1", closed_port()), "rl", "t");
    let store = AzureStore::connect(&settings).expect("a client").with_deadline(Duration::from_millis(100));
    let error = store.get(TABLE, &key("p", "r")).await.expect_err("no answer");
    let mut said = format!("{settings:?} {store:?} {error:?} {error}");
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        said.push_str(&cause.to_string());
        source = cause.source();
    }
    assert!(said.contains("refused") && !said.contains("sig="), "{said}");
}

/// An address of this machine at which nothing listens.
fn closed_port() -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address")
}

#[tokio::test]
async fn an_endpoint_that_does_not_answer_is_unavailable_within_the_deadline() {
    let store = connect(&format!("http://{}/devstoreaccount1", closed_port()), emulator_key());
    let started = Instant::now();
    let (key, batch) = (key("p", "r"), batch("p", insert("r")));
    let (read, write) = tokio::join!(store.get(TABLE, &key), store.commit(TABLE, &batch));
    assert!(is_unavailable(&read), "{read:?}");
    // Nothing was sent, so there is no doubt about the write.
    assert!(is_unavailable(&write), "{write:?}");
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
}

#[test]
fn invalid_settings_are_refused_before_anything_is_sent() {
    let connect = |text: &str, prefix: &str| {
        let connection = Connection::String(text.to_owned());
        AzureStore::connect(&AzureSettings { connection, table_prefix: prefix.to_owned() })
    };
    for (text, prefix, named) in [
        ("AccountName=mine", "", "AccountKey or SharedAccessSignature is missing"),
        ("nonsense", "", "is not NAME=VALUE"),
        ("UseDevelopmentStorage=true", "2nd", "the table prefix \"2nd\""),
    ] {
        let error = connect(text, prefix).err().unwrap_or_else(|| panic!("{text} was taken"));
        assert!(matches!(&error, StoreError::Limit(what) if what.contains(named)), "{error:?}");
    }
    assert!(connect("UseDevelopmentStorage=true", "Site2").is_ok());
}

#[tokio::test]
async fn a_prefix_that_makes_a_name_too_long_is_refused() {
    let prefix = "p".repeat(60);
    let store = AzureStore::connect(&settings("http://127.0.0.1:1/a", emulator_key(), &prefix)).expect("a client");
    let store: Store = Arc::new(store);
    assert!(matches!(store.create_tables(&["Rows"]).await, Err(StoreError::Limit(_))));
}

#[tokio::test]
async fn a_table_that_does_not_exist_is_not_an_absent_row() {
    let azurite = Azurite::any();
    let store = connect(&azurite.endpoint, emulator_key());
    let said = |answer: Result<(), StoreError>| match answer {
        Err(StoreError::Corrupt { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert!(said(store.get(TABLE, &key("p", "r")).await.map(|_| ())).contains("a table that does not exist"));
    said(store.range(TABLE, &range("p", None, None), 10, None).await.map(|_| ()));
    said(store.scan(TABLE, None).await.map(|_| ()));
    said(store.commit(TABLE, &batch("p", insert("r"))).await.map(|_| ()));
    said(store.commit(TABLE, &batch("p", vec![delete("r", Precondition::None)])).await.map(|_| ()));
}

#[tokio::test]
async fn two_prefixes_are_two_sites() {
    let azurite = Azurite::any();
    let (one, other) = (connect(&azurite.endpoint, emulator_key()), connect(&azurite.endpoint, emulator_key()));
    one.create_tables(&[TABLE]).await.expect("a table");
    other.create_tables(&[TABLE]).await.expect("a table");
    put_row(&one, "p", "r", number(1)).await;
    assert_eq!(get_row(&other, "p", "r").await, None);
}
