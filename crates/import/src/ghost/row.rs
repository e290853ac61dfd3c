//! One row of a table of a Ghost export. The rule: a field of another type than requested counts as missing, because versions of Ghost differ.

use chrono::DateTime;
use serde_json::{Map, Value};

use crate::dates;
use tidings_model::Instant;

pub(super) struct GhostRow(Map<String, Value>);

impl GhostRow {
    pub(super) fn new(value: Value) -> Result<Self, String> {
        match value {
            Value::Object(fields) => Ok(Self(fields)),
            _ => Err("not a row of a table".to_owned()),
        }
    }

    /// The text as written, if it is not blank.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str().filter(|text| !text.trim().is_empty())
    }

    /// Whether the table has the column, even without a value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// An id by which rows refer to each other: a number in old versions, a text in newer ones.
    pub(super) fn id(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::String(id) if !id.is_empty() => Some(id.clone()),
            Value::Number(id) => Some(id.to_string()),
            _ => None,
        }
    }

    /// Whether the field is true or 1, because databases differ.
    pub(super) fn is(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| value.as_bool() == Some(true) || value.as_i64() == Some(1))
    }

    /// A number to sort by; a row without one sorts last.
    pub(super) fn number(&self, name: &str) -> i64 {
        self.0.get(name).and_then(Value::as_i64).unwrap_or(i64::MAX)
    }

    /// Reads a date, or milliseconds since 1970.
    pub(super) fn instant(&self, name: &str) -> Option<Instant> {
        match self.0.get(name)? {
            Value::String(text) => dates::parse(text),
            Value::Number(ms) => Instant::from_chrono(DateTime::from_timestamp_millis(ms.as_i64()?)?),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_of_every_version_are_read() {
        let row =
            GhostRow::new(json!({ "id": 5, "ref": "6a", "at": 1388805572000_i64, "on": "2021-03-24T04:34:10.000Z",
            "old": "2014-01-04 03:19:32", "page": 1, "email_only": true, "title": "  ", "far": 1e300 }));
        let row = row.expect("a row");
        assert_eq!((row.id("id").as_deref(), row.id("ref").as_deref(), row.id("no")), (Some("5"), Some("6a"), None));
        let at = |name| row.instant(name).map(|at| at.to_string());
        assert_eq!(at("at").as_deref(), Some("2014-01-04T03:19:32Z"));
        assert_eq!(at("on").as_deref(), Some("2021-03-24T04:34:10Z"));
        assert_eq!((at("old"), at("far"), at("title")), (at("at"), None, None));
        assert!(row.is("page") && row.is("email_only") && !row.is("id"));
        assert_eq!(row.text("title"), None);
        assert!(GhostRow::new(json!([])).is_err());
    }
}
