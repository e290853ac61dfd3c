//! One item of a list of an export: its system properties, and its fields by locale. The rule: a value of another type than requested counts as
//! missing, because an export may have been edited.

use serde_json::Value;

use crate::dates;
use tidings_model::{Instant, JsonValue};

pub(super) struct ContentfulItem(Value);

impl ContentfulItem {
    /// # Errors
    /// If it is not an object.
    pub(super) fn new(value: Value) -> Result<Self, String> {
        if value.is_object() { Ok(Self(value)) } else { Err("not an item of a list of Contentful".to_owned()) }
    }

    pub(super) fn property(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        text_of(self.0.get(name)?)
    }

    pub(super) fn id(&self) -> Option<&str> {
        self.system("id").and_then(text_of)
    }

    /// The id of the content type of an entry.
    pub(super) fn type_id(&self) -> Option<&str> {
        link_of(self.system("contentType")?)
    }

    pub(super) fn space_id(&self) -> Option<&str> {
        link_of(self.system("space")?)
    }

    pub(super) fn is_archived(&self) -> bool {
        self.number("archivedVersion").is_some() || self.instant("archivedAt").is_some()
    }

    pub(super) fn instant(&self, name: &str) -> Option<Instant> {
        dates::parse(text_of(self.system(name)?)?)
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.system(name)?.as_u64()
    }

    /// The publication state of one locale, if the space publishes each locale separately.
    pub(super) fn state_of_locale(&self, locale: &str) -> Option<&str> {
        self.system("fieldStatus")?.get("*")?.get(locale)?.as_str()
    }

    fn system(&self, name: &str) -> Option<&Value> {
        self.0.get("sys")?.get(name)
    }

    /// The value of a field in the first locale that has one.
    pub(super) fn field(&self, id: &str, locales: &[&str]) -> Option<&Value> {
        let values = self.0.get("fields")?.get(id)?;
        locales.iter().find_map(|locale| values.get(locale).filter(|value| !value.is_null()))
    }

    pub(super) fn field_in_any(&self, id: &str) -> Option<&Value> {
        self.0.get("fields")?.get(id)?.as_object()?.values().find(|value| !value.is_null())
    }

    pub(super) fn tags(&self) -> impl Iterator<Item = &str> {
        let tags = self.0.get("metadata").and_then(|metadata| metadata.get("tags")).and_then(Value::as_array);
        tags.into_iter().flatten().filter_map(link_of)
    }
}

/// The text, if it is not blank.
pub(super) fn text_of(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.trim().is_empty())
}

/// The id of the target.
pub(super) fn link_of(value: &Value) -> Option<&str> {
    value.get("sys")?.get("id")?.as_str()
}

/// The items of a list, or the single value.
pub(super) fn items_of(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}

/// The recursion is bounded, because the parser bounds the nesting.
pub(super) fn to_json(value: &Value) -> JsonValue {
    match value {
        Value::Null => JsonValue::Null,
        Value::Bool(truth) => JsonValue::Bool(*truth),
        Value::Number(number) => JsonValue::Number(number.clone()),
        Value::String(text) => JsonValue::Text(text.clone()),
        Value::Array(items) => JsonValue::List(items.iter().map(to_json).collect()),
        Value::Object(fields) => JsonValue::object(fields.iter().map(|(name, value)| (name.clone(), to_json(value)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_of_another_type_are_missing() {
        let item = ContentfulItem::new(json!({
            "sys": { "id": "a", "contentType": { "sys": { "id": "post" } }, "space": 1, "version": 3, "createdAt": "2024-01-02T03:04:05.678Z",
                     "fieldStatus": { "*": { "de": "draft" } } },
            "metadata": { "tags": [{ "sys": { "id": "x" } }, 7] },
            "fields": { "title": { "en": null, "de": "T" }, "body": "x" },
        }));
        let item = item.expect("an item");
        assert_eq!(
            (item.id(), item.type_id(), item.space_id(), item.number("version")),
            (Some("a"), Some("post"), None, Some(3))
        );
        assert_eq!(item.instant("createdAt").map(|at| at.to_string()).as_deref(), Some("2024-01-02T03:04:05.6780000Z"));
        assert_eq!((item.state_of_locale("de"), item.state_of_locale("en")), (Some("draft"), None));
        assert_eq!(item.field("title", &["en", "de"]), Some(&json!("T")));
        assert_eq!(
            (item.field("title", &["en"]), item.field("body", &["en"]), item.field_in_any("body")),
            (None, None, None)
        );
        assert_eq!(item.tags().collect::<Vec<_>>(), ["x"]);
        assert!(ContentfulItem::new(json!([])).is_err());
        let value = json!({ "a": [1, 1.5, null, true, "b"], "c": {} });
        assert_eq!(to_json(&value).to_json(), r#"{"a":[1,1.5,null,true,"b"],"c":{}}"#);
    }
}
