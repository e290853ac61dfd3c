//! The limits of the tables. The rule: what exceeds them is refused before any store gets it, what just keeps them is accepted by every store.

use std::sync::Arc;

use tidings::store::key::KEY_BYTES_MAX;
use tidings::store::limits::{
    BATCH_BYTES_MAX, BINARY_BYTES_MAX, DATE_TIME_TICKS_MAX, DATE_TIME_TICKS_MIN, NAME_CHARS_MAX, PROPERTIES_MAX,
    STRING_UNITS_MAX, row_payload_bytes,
};
use tidings::store::{
    Batch, Key, Operation, PAGE_ROWS_MAX, Precondition, Properties, RowRange, Store, StoreError, Value,
};

use crate::support::rows::{TABLE, delete, get_row, key, number, properties, put, put_row, range};
use crate::support::stores::contract;

contract!(a_page_of_no_rows_or_too_many_is_refused, a_batch_of_four_mebibytes_is_taken, a_row_of_a_mebibyte_is_taken);

fn refusal<T>(made: Result<T, StoreError>) -> String {
    match made {
        Err(StoreError::Limit(what)) => what,
        Err(other) => panic!("{other:?} is not a limit"),
        Ok(_) => panic!("it was taken"),
    }
}

fn refuse(operations: Vec<Operation>) -> String {
    refusal(Batch::new("p", operations))
}

fn refuse_row(values: &[(&str, Value)]) -> String {
    refuse(vec![put("r", properties(values), Precondition::None)])
}

fn text(units: usize) -> Value {
    Value::String("a".repeat(units).into())
}

fn binary(bytes: usize) -> Value {
    Value::Binary(Arc::from(vec![7; bytes]))
}

/// This many texts of the greatest length: 64 KiB each as stored, half of that in transit.
fn long_texts(count: usize) -> Properties {
    let mut row = Properties::new();
    for n in 0..count {
        row.set(&format!("T{n}"), text(STRING_UNITS_MAX));
    }
    row
}

/// This many binaries of the greatest length: 64 KiB each as stored, a third more in transit.
fn long_binaries(count: usize) -> Properties {
    let mut row = Properties::new();
    for n in 0..count {
        row.set(&format!("B{n}"), binary(BINARY_BYTES_MAX));
    }
    row
}

#[test]
fn a_batch_has_one_to_a_hundred_operations() {
    let puts = |count| (0..count).map(|n| put(&n.to_string(), number(n), Precondition::None)).collect();
    assert!(Batch::new("p", puts(100)).is_ok());
    assert!(refuse(puts(101)).contains("101 operations"));
    assert!(refuse(vec![]).contains("0 operations"));
}

#[test]
fn a_batch_names_a_row_once() {
    for second in [put("r", number(2), Precondition::None), delete("r", Precondition::None)] {
        assert!(refuse(vec![put("r", number(1), Precondition::None), second]).contains("(p, r) twice"));
    }
}

#[test]
fn a_batch_has_four_mebibytes_of_payload() {
    // 50 binaries of 64 KiB are 3.1 MiB as stored and 4.2 MiB in Base64, which is what Azure measures.
    let rows = |count| {
        (0..count).map(|n| put(&format!("{n}"), properties(&[("B", binary(BINARY_BYTES_MAX))]), Precondition::None))
    };
    assert!(Batch::new("p", rows(47).collect()).is_ok());
    assert!(refuse(rows(50).collect()).contains("the limit is 4194304"));
}

#[test]
fn a_row_has_one_mebibyte() {
    for (fits, over) in [(long_texts(15), long_texts(16)), (long_binaries(11), long_binaries(12))] {
        assert!(Batch::new("p", vec![put("r", fits, Precondition::None)]).is_ok());
        let refused = refuse(vec![put("r", over, Precondition::None)]);
        assert!(refused.contains("(p, r)") && refused.contains("the limit is 1048576"), "{refused}");
    }
}

#[test]
fn a_property_has_64_kibibytes() {
    assert!(refuse_row(&[("T", text(STRING_UNITS_MAX + 1))]).contains("32769 UTF-16 units"));
    // Two UTF-16 units a crab.
    let crabs = Value::String("🦀".repeat(STRING_UNITS_MAX / 2 + 1).into());
    assert!(refuse_row(&[("T", crabs)]).contains("32770 UTF-16 units"));
    assert!(refuse_row(&[("B", binary(BINARY_BYTES_MAX + 1))]).contains("65537 bytes"));
}

#[test]
fn a_row_has_252_properties() {
    let mut row = Properties::new();
    for n in 0..=PROPERTIES_MAX {
        row.set(&format!("P{n}"), Value::Boolean(true));
    }
    assert!(refuse(vec![put("r", row, Precondition::None)]).contains("253 properties"));
}

#[test]
fn a_property_has_a_name_that_every_tool_can_read() {
    let too_long = "n".repeat(NAME_CHARS_MAX + 1);
    for name in ["", "1st", "a-b", "a b", "é", "PartitionKey", "RowKey", "Timestamp", "odata.etag", &too_long] {
        assert!(refuse_row(&[(name, Value::Int32(1))]).contains("cannot be named"), "{name}");
    }
}

#[test]
fn a_date_lies_in_the_years_that_azure_holds() {
    for ticks in [DATE_TIME_TICKS_MIN - 1, DATE_TIME_TICKS_MAX + 1, 0, i64::MIN, i64::MAX] {
        assert!(refuse_row(&[("At", Value::DateTime(ticks))]).contains("the years 1601 to 9999"), "{ticks}");
    }
}

#[test]
fn a_key_holds_no_character_that_an_address_cannot() {
    for c in ['/', '\\', '#', '?', '\'', '%', '\0', '\t', '\n', '\u{7f}', '\u{80}', 'é', '🦀'] {
        let bad = format!("a{c}b");
        assert!(refusal(Key::new(bad.clone(), "r")).contains("PartitionKey"), "{c:?}");
        assert!(refusal(Key::new("p", bad.clone())).contains("RowKey"), "{c:?}");
        assert!(refusal(RowRange::new("p", Some(bad.clone()), None)).contains("RowKey"), "{c:?}");
        refusal(RowRange::new("p", None, Some(bad.clone())));
        refusal(RowRange::new(bad.clone(), None, None));
        refuse(vec![delete(&bad, Precondition::None)]);
        refusal(Batch::new(bad, vec![delete("r", Precondition::None)]));
    }
}

#[test]
fn a_key_has_512_bytes() {
    let (fits, over) = ("k".repeat(KEY_BYTES_MAX), "k".repeat(KEY_BYTES_MAX + 1));
    assert!(Key::new(fits.clone(), fits).is_ok());
    assert!(refusal(Key::new(over.clone(), "r")).contains("513 bytes"));
    assert!(refusal(Key::new("p", over)).contains("513 bytes"));
}

#[test]
fn a_delete_cannot_ask_that_its_row_is_absent() {
    assert!(refuse(vec![delete("r", Precondition::Absent)]).contains("cannot require that the row is absent"));
}

async fn a_page_of_no_rows_or_too_many_is_refused(store: &Store) {
    for limit in [0, PAGE_ROWS_MAX + 1, usize::MAX] {
        let what = refusal(store.range(TABLE, &range("p", None, None), limit, None).await);
        assert!(what.contains(&format!("{limit} rows")), "{what}");
    }
}

/// What is measured here as just under 4 MiB is under 4 MiB for the service too.
async fn a_batch_of_four_mebibytes_is_taken(store: &Store) {
    let row = |n: usize| format!("a key of some length {n:03}");
    let filled = |bytes| properties(&[("B", binary(bytes)), ("At", Value::DateTime(DATE_TIME_TICKS_MIN))]);
    let share = BATCH_BYTES_MAX / 100;
    let overhead = row_payload_bytes(&key("p", &row(0)), &filled(0));
    let bytes = (share - overhead) / 4 * 3;
    let puts = (0..100).map(|n| put(&row(n), filled(bytes), Precondition::Absent)).collect();
    let batch = Batch::new("p", puts).expect("a batch within the limit");
    store.commit(TABLE, &batch).await.expect("a commit");
    assert_eq!(get_row(store, "p", &row(99)).await.map(|row| row.properties), Some(filled(bytes)));
}

async fn a_row_of_a_mebibyte_is_taken(store: &Store) {
    for row in [long_texts(15), long_binaries(11)] {
        put_row(store, "p", "r", row.clone()).await;
        assert_eq!(get_row(store, "p", "r").await.map(|row| row.properties), Some(row));
    }
}
