//! Encodes rows as OData's JSON, and decodes them. The rule: a value is decoded to the encoded type and value, and JSON that is not a row is an error. Source:
//! "Payload format for Table service operations" in Azure's documentation.
//!
//! Int64, DateTime and Binary are strings with a separate type (`"Version@odata.type": "Edm.Int64"`); String, Int32 and Boolean are recognized by their JSON.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;
use crate::store::{Entity, Etag, Key, Properties, Value};

const TYPE_SUFFIX: &str = "@odata.type";

pub(super) fn write_row(key: &Key, properties: &Properties) -> Box<RawValue> {
    let mut json = String::with_capacity(512);
    write_pair(&mut json, '{', "PartitionKey", key.partition());
    write_pair(&mut json, ',', "RowKey", key.row());
    for (name, value) in properties.iter() {
        write_property(&mut json, name, value);
    }
    json.push('}');
    RawValue::from_string(json).expect("names and values are written as JSON above")
}

fn write_property(json: &mut String, name: &str, value: &Value) {
    match value {
        Value::String(text) => write_pair(json, ',', name, text),
        Value::Int32(number) => write_bare(json, name, number),
        Value::Boolean(yes) => write_bare(json, name, yes),
        Value::Int64(number) => write_typed(json, name, "Edm.Int64", &number.to_string()),
        Value::DateTime(ticks) => write_typed(json, name, "Edm.DateTime", &date_time(*ticks)),
        Value::Binary(bytes) => write_typed(json, name, "Edm.Binary", &BASE64_STANDARD.encode(bytes)),
    }
}

fn write_typed(json: &mut String, name: &str, edm_type: &str, text: &str) {
    write_pair(json, ',', &format!("{name}{TYPE_SUFFIX}"), edm_type);
    write_pair(json, ',', name, text);
}

fn write_bare(json: &mut String, name: &str, value: impl fmt::Display) {
    json.push_str(&format!(",\"{name}\":{value}"));
}

fn write_pair(json: &mut String, before: char, name: &str, text: &str) {
    json.push(before);
    json.push_str(&quoted(name));
    json.push(':');
    json.push_str(&quoted(text));
}

fn quoted(text: &str) -> String {
    let json = serde_json::to_string(text).expect("a string is always JSON");
    if !json.contains(['\u{2028}', '\u{2029}']) {
        return json;
    }
    // Azurite finds the rows of a transaction with a pattern that stops at these two characters, which are line ends in JavaScript.
    json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Writes seven fractional digits, like .NET. `limits` has refused ticks outside the calendar.
fn date_time(ticks: i64) -> String {
    let at = Instant::from_ticks(ticks).unwrap_or(Instant::MIN).to_chrono();
    format!("{}.{:07}Z", at.format("%Y-%m-%dT%H:%M:%S"), ticks % TICKS_PER_SECOND)
}

/// A row, or only its keys if these were selected; a service may then omit the ETag.
#[derive(Debug, serde::Deserialize)]
#[serde(try_from = "Map<String, Json>")]
pub(super) struct StoredRow(pub(super) Entity);

impl TryFrom<Map<String, Json>> for StoredRow {
    type Error = String;

    fn try_from(row: Map<String, Json>) -> Result<Self, String> {
        let text = |name: &str| row.get(name).and_then(Json::as_str);
        let (Some(partition), Some(row_key)) = (text("PartitionKey"), text("RowKey")) else {
            return Err("a row without PartitionKey and RowKey".to_owned());
        };
        let key = Key::new(partition, row_key).map_err(|e| e.to_string())?;
        let mut properties = Properties::with_capacity(row.len());
        for (name, value) in row.iter().filter(|(name, value)| is_property(name) && !value.is_null()) {
            let edm_type = row.get(&format!("{name}{TYPE_SUFFIX}"));
            let value = read_value(edm_type, value).map_err(|what| format!("{name} of the row {key} {what}"))?;
            properties.set(name, value);
        }
        match text("odata.etag") {
            None if !properties.is_empty() => Err(format!("the row {key} came without its ETag")),
            etag => Ok(Self(Entity { key, etag: Etag(etag.unwrap_or_default().into()), properties })),
        }
    }
}

fn is_property(name: &str) -> bool {
    let is_system = matches!(name, "PartitionKey" | "RowKey" | "Timestamp");
    !is_system && !name.starts_with("odata.") && !name.ends_with(TYPE_SUFFIX)
}

fn read_value(edm_type: Option<&Json>, json: &Json) -> Result<Value, String> {
    let edm_type = match edm_type {
        Some(Json::String(text)) => text.as_str(),
        Some(_) => return Err("has a type that is not a string".to_owned()),
        None => own_type(json),
    };
    let read = match (edm_type, json) {
        ("Edm.String", Json::String(text)) => Some(Value::String(text.as_str().into())),
        ("Edm.Int32", Json::Number(number)) => {
            number.as_i64().and_then(|number| i32::try_from(number).ok()).map(Value::Int32)
        }
        ("Edm.Boolean", Json::Bool(yes)) => Some(Value::Boolean(*yes)),
        ("Edm.Int64", Json::String(text)) => text.parse().ok().map(Value::Int64),
        ("Edm.DateTime", Json::String(text)) => text.parse().ok().map(|at: Instant| Value::DateTime(at.ticks())),
        ("Edm.Binary", Json::String(text)) => BASE64_STANDARD.decode(text).ok().map(|b| Value::Binary(Arc::from(b))),
        ("Edm.String" | "Edm.Int32" | "Edm.Boolean" | "Edm.Int64" | "Edm.DateTime" | "Edm.Binary", _) => None,
        (other, _) => return Err(format!("is {other}, which Tidings does not use")),
    };
    read.ok_or_else(|| format!("cannot be read as {edm_type}"))
}

/// The type of a value without a type annotation.
fn own_type(json: &Json) -> &'static str {
    match json {
        Json::String(_) => "Edm.String",
        Json::Bool(_) => "Edm.Boolean",
        Json::Number(number) if number.is_i64() => "Edm.Int32",
        Json::Number(_) => "Edm.Double",
        Json::Null | Json::Array(_) | Json::Object(_) => "an array or an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::limits::{DATE_TIME_TICKS_MAX, DATE_TIME_TICKS_MIN};

    fn key() -> Key {
        Key::new("2025-02", "s-a").expect("a key")
    }

    fn row(properties: &[(&str, Value)]) -> Properties {
        let mut row = Properties::new();
        for (name, value) in properties {
            row.set(name, value.clone());
        }
        row
    }

    fn read(json: &str) -> Result<Properties, String> {
        let json = json.replacen('{', r#"{"odata.etag":"e","PartitionKey":"p","RowKey":"r","#, 1);
        serde_json::from_str::<StoredRow>(&json).map(|row| row.0.properties).map_err(|e| e.to_string())
    }

    #[test]
    fn each_type_is_written_in_its_odata_form() {
        let properties = row(&[
            ("Title", Value::String("a \"b\"\u{2028}".into())),
            ("Version", Value::Int32(-1)),
            ("Size", Value::Int64(i64::MAX)),
            ("Draft", Value::Boolean(true)),
            ("At", Value::DateTime(638_741_523_060_000_000)),
            ("Body", Value::Binary(Arc::from([0, 255]))),
        ]);
        let expected = concat!(
            r#"{"PartitionKey":"2025-02","RowKey":"s-a","Title":"a \"b\"\u2028","Version":-1,"#,
            r#""Size@odata.type":"Edm.Int64","Size":"9223372036854775807","Draft":true,"#,
            r#""At@odata.type":"Edm.DateTime","At":"2025-02-03T04:05:06.0000000Z","#,
            r#""Body@odata.type":"Edm.Binary","Body":"AP8="}"#
        );
        assert_eq!(write_row(&key(), &properties).get(), expected);
    }

    #[test]
    fn each_type_is_decoded_as_it_was_encoded_at_its_limits() {
        let properties = row(&[
            ("Empty", Value::String("".into())),
            ("Text", Value::String("Łukasz 🦀 \u{2029}\0\u{ffff}".into())),
            ("Least", Value::Int64(i64::MIN)),
            ("Most", Value::Int32(i32::MAX)),
            ("First", Value::DateTime(DATE_TIME_TICKS_MIN)),
            ("Last", Value::DateTime(DATE_TIME_TICKS_MAX)),
            ("None", Value::Binary(Arc::from([]))),
        ]);
        let written = write_row(&key(), &properties).get().replacen('{', r#"{"odata.etag":"e","#, 1);
        let read: StoredRow = serde_json::from_str(&written).expect("a row");
        assert_eq!(read.0, Entity { key: key(), etag: Etag("e".into()), properties });
    }

    #[test]
    fn a_type_may_come_after_its_value_and_digits_may_be_trimmed() {
        let json =
            r#"{"At":"2021-09-21T07:50:52.398525Z","Timestamp":"2021-09-21T00:50:52Z","At@odata.type":"Edm.DateTime"}"#;
        assert_eq!(read(json), Ok(row(&[("At", Value::DateTime(637_678_074_523_985_250))])));
    }

    #[test]
    fn a_row_of_keys_has_nothing_else() {
        let read = |json: &str| serde_json::from_str::<StoredRow>(json).map(|row| row.0);
        for json in [
            r#"{"PartitionKey":"p","RowKey":"r"}"#,
            r#"{"odata.metadata":"m","odata.etag":"e","PartitionKey":"p","RowKey":"r","Title":null}"#,
        ] {
            let row = read(json).expect("a row");
            assert_eq!((row.key.partition(), row.key.row(), row.properties), ("p", "r", Properties::new()));
        }
        assert!(read(r#"{"PartitionKey":"p"}"#).is_err() && read(r#"{"PartitionKey":"p/","RowKey":"r"}"#).is_err());
    }

    #[test]
    fn a_null_is_not_a_property() {
        assert_eq!(read(r#"{"Gone":null}"#), Ok(Properties::new()));
    }

    #[test]
    fn json_that_is_not_a_row_is_an_error_that_names_the_property() {
        for (json, named) in [
            (r#"{"A":1.5}"#, "A of the row (p, r) is Edm.Double"),
            (r#"{"A":[1]}"#, "A of the row (p, r) is an array or an object"),
            (r#"{"A":{"b":1}}"#, "A of the row (p, r) is an array or an object"),
            (r#"{"A":3000000000}"#, "A of the row (p, r) cannot be read as Edm.Int32"),
            (r#"{"A":"x","A@odata.type":"Edm.Guid"}"#, "A of the row (p, r) is Edm.Guid"),
            (r#"{"A":"x","A@odata.type":"Edm.Int64"}"#, "cannot be read as Edm.Int64"),
            (r#"{"A":"x","A@odata.type":"Edm.Binary"}"#, "cannot be read as Edm.Binary"),
            (r#"{"A":"2025","A@odata.type":"Edm.DateTime"}"#, "cannot be read as Edm.DateTime"),
            (r#"{"A":"1","A@odata.type":7}"#, "has a type that is not a string"),
            (r#"{"PartitionKey":"a/b"}"#, "which is not allowed in a key"),
            (r#"{"PartitionKey":5}"#, "without PartitionKey and RowKey"),
            (r#"{"odata.etag":null,"A":1}"#, "without its ETag"),
        ] {
            let error = read(json).expect_err(json);
            assert!(error.contains(named), "{json}: {error}");
        }
        assert!(serde_json::from_str::<StoredRow>("[]").is_err());
    }
}
