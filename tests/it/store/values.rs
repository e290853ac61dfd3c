//! Values. The rule: each is read back with the type and the value that was written.

use std::sync::Arc;

use tidings::store::limits::{
    BINARY_BYTES_MAX, DATE_TIME_TICKS_MAX, DATE_TIME_TICKS_MIN, NAME_CHARS_MAX, PROPERTIES_MAX, STRING_UNITS_MAX,
};
use tidings::store::{Properties, Store, Value};

use crate::support::rows::{get_row, properties, put_row, range};
use crate::support::stores::contract;

contract!(
    every_type_comes_back,
    integers_come_back_to_their_limits,
    dates_come_back_to_the_tick,
    strings_come_back_whatever_they_hold,
    binaries_come_back_whatever_they_hold,
    the_longest_values_come_back,
    a_row_without_properties_comes_back,
    a_row_with_every_property_it_may_have_comes_back,
    a_range_read_shows_the_values_of_a_point_read,
);

fn binary(bytes: Vec<u8>) -> Value {
    Value::Binary(Arc::from(bytes))
}

/// Writes and reads each value separately, so that the failure names the value.
async fn come_back(store: &Store, values: impl IntoIterator<Item = Value>) {
    for value in values {
        let row = properties(&[("V", value)]);
        put_row(store, "p", "r", row.clone()).await;
        let found = get_row(store, "p", "r").await.map(|row| row.properties);
        assert!(found.as_ref() == Some(&row), "{}", shorten(&format!("{row:?} came back as {found:?}")));
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(400).collect()
}

fn every_type() -> Properties {
    properties(&[
        ("Title", Value::String("Łukasz".into())),
        ("Version", Value::Int32(-7)),
        ("Size", Value::Int64(1 << 40)),
        ("Yes", Value::Boolean(true)),
        ("No", Value::Boolean(false)),
        ("At", Value::DateTime(638_741_523_061_234_567)),
        ("Body", binary(vec![0, 1, 254, 255])),
        ("_x9", Value::String("".into())),
    ])
}

async fn every_type_comes_back(store: &Store) {
    put_row(store, "p", "r", every_type()).await;
    assert_eq!(get_row(store, "p", "r").await.map(|row| row.properties), Some(every_type()));
}

async fn integers_come_back_to_their_limits(store: &Store) {
    let small = [i32::MIN, -1, 0, 1, i32::MAX].map(Value::Int32);
    // The neighbours of 2^53 are the first that a JavaScript number cannot hold.
    let large = [i64::MIN, -1, 0, 1, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, i64::MAX].map(Value::Int64);
    come_back(store, small.into_iter().chain(large)).await;
}

async fn dates_come_back_to_the_tick(store: &Store) {
    let whole_second = 638_741_523_060_000_000;
    let ticks = [
        DATE_TIME_TICKS_MIN,
        DATE_TIME_TICKS_MIN + 1,
        621_355_968_000_000_000,
        whole_second,
        whole_second + 1,
        whole_second + 1_230_000,
        whole_second + 9_999_999,
        DATE_TIME_TICKS_MAX - 1,
        DATE_TIME_TICKS_MAX,
    ];
    come_back(store, ticks.map(Value::DateTime)).await;
}

async fn strings_come_back_whatever_they_hold(store: &Store) {
    let texts = [
        "",
        " ",
        " a ",
        "'",
        "''",
        "\"",
        "\\",
        "\\u0041",
        "{}",
        "}{",
        "{\"a\":1}",
        "<a href='#'>&amp;</a>",
        "line\nline\r\nline\rtab\t",
        "--changeset_\n--batch_\r\nHTTP/1.1 500 Error\r\n",
        "\u{1}\u{1f}\u{7f}\u{85}\u{a0}",
        "\u{2028}\u{2029}",
        "\u{feff}bom",
        "e\u{301} é",
        "Łódź 東京 العربية हिन्दी",
        "🦀👩‍👩‍👧‍👦🏳️‍🌈",
        "\u{10ffff}\u{fffd}\u{e000}",
        "true",
        "1",
        "2025-02-03T04:05:06Z",
        "null",
    ];
    come_back(store, texts.map(|text| Value::String(text.into()))).await;
}

async fn binaries_come_back_whatever_they_hold(store: &Store) {
    let every_byte: Vec<u8> = (0..=255).collect();
    come_back(store, [vec![], vec![0], vec![255, 255], b"abc".to_vec(), every_byte].map(binary)).await;
}

async fn the_longest_values_come_back(store: &Store) {
    let longest = [
        Value::String("a".repeat(STRING_UNITS_MAX).into()),
        Value::String("Ł".repeat(STRING_UNITS_MAX).into()),
        // An emoji is two UTF-16 units.
        Value::String("🦀".repeat(STRING_UNITS_MAX / 2).into()),
        Value::String("\u{1}".repeat(STRING_UNITS_MAX).into()),
        binary((0..BINARY_BYTES_MAX).map(|n| n as u8).collect()),
    ];
    come_back(store, longest).await;
}

async fn a_row_without_properties_comes_back(store: &Store) {
    put_row(store, "p", "r", Properties::new()).await;
    assert_eq!(get_row(store, "p", "r").await.map(|row| row.properties.len()), Some(0));
}

async fn a_row_with_every_property_it_may_have_comes_back(store: &Store) {
    let mut row = Properties::new();
    row.set(&"n".repeat(NAME_CHARS_MAX), Value::Int32(0));
    for n in 1..PROPERTIES_MAX {
        row.set(&format!("P{n}"), if n % 2 == 0 { Value::Int64(n as i64) } else { Value::String("v".into()) });
    }
    put_row(store, "p", "r", row.clone()).await;
    assert_eq!(get_row(store, "p", "r").await.map(|row| row.properties), Some(row));
}

async fn a_range_read_shows_the_values_of_a_point_read(store: &Store) {
    put_row(store, "p", "r", every_type()).await;
    let page = store.range("Rows", &range("p", None, None), 10, None).await.expect("a page");
    assert_eq!(page.rows.first(), get_row(store, "p", "r").await.as_ref());
}
