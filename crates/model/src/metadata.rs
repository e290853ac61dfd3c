//! The metadata of a post: the names and values that Tidings has no field for, as a JSON object. The rule: whatever its source, it has at most
//! [`METADATA_BYTES_MAX`] bytes, and equal values have the same text.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::json_value::{BadJson, JsonValue, RawObject};

/// The bytes of the metadata as JSON without white space. It is one text property of a row, which has at most 32,768 UTF-16 code units.
pub const METADATA_BYTES_MAX: usize = 32 << 10;
/// The most levels of nested lists and objects, the metadata itself included, because each reader of metadata recurses into them.
pub const METADATA_DEPTH_MAX: usize = 16;
/// The most keys of all objects of the metadata together.
pub const METADATA_KEYS_MAX: usize = 1_000;

const EMPTY: &str = "{}";
/// The characters of a key that a message shows.
const SHOWN_CHARS_MAX: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata(
    /// JSON without white space; `None` if the object is empty.
    Option<Arc<str>>,
);

/// Why a value cannot be the metadata of a post. The text continues a sentence that begins with the name of the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMetadata {
    #[error("must be a JSON object, which has names and values")]
    NotAnObject,
    #[error(transparent)]
    Json(#[from] BadJson),
    #[error("has {bytes} bytes as JSON, most of them in {key:?}; at most {METADATA_BYTES_MAX} are allowed")]
    TooLong { bytes: usize, key: String },
    #[error("nests lists and objects {depth} levels deep in {key:?}; at most {METADATA_DEPTH_MAX} are allowed")]
    TooDeep { depth: usize, key: String },
    #[error("has {keys} keys, most of them in {key:?}; at most {METADATA_KEYS_MAX} are allowed")]
    TooMany { keys: usize, key: String },
}

impl Metadata {
    /// # Errors
    /// If the value is not an object or exceeds a bound; the error names the key that causes it.
    pub fn of(value: &JsonValue) -> Result<Self, BadMetadata> {
        let JsonValue::Object(fields) = value else { return Err(BadMetadata::NotAnObject) };
        let largest = |size: fn(&JsonValue) -> usize| {
            let found = fields.iter().max_by_key(|(_, value)| size(value));
            found.map_or_else(String::new, |(key, _)| key.chars().take(SHOWN_CHARS_MAX).collect())
        };
        let depth = value.depth();
        if depth > METADATA_DEPTH_MAX {
            return Err(BadMetadata::TooDeep { depth, key: largest(JsonValue::depth) });
        }
        let keys = value.names();
        if keys > METADATA_KEYS_MAX {
            return Err(BadMetadata::TooMany { keys, key: largest(JsonValue::names) });
        }
        let text = value.to_json();
        if text.len() > METADATA_BYTES_MAX {
            let key = largest(|value| value.to_json().len());
            return Err(BadMetadata::TooLong { bytes: text.len(), key });
        }
        Ok(Self((text != EMPTY).then(|| text.into())))
    }

    /// Reads JSON, such as a line of an export.
    ///
    /// # Errors
    /// The errors of [`of`](Self::of), or if the text is not JSON.
    pub fn parse(text: &str) -> Result<Self, BadMetadata> {
        // No export writes that much white space.
        if text.len() > 2 * METADATA_BYTES_MAX {
            return Err(BadMetadata::TooLong { bytes: text.len(), key: String::new() });
        }
        Self::of(&JsonValue::parse(text, METADATA_DEPTH_MAX)?)
    }

    /// Reads the output of [`text`](Self::text). `None` if the text is not JSON, not an object, or too long; nothing else is checked, because every
    /// read of a body does this.
    pub fn stored(text: &str) -> Option<Self> {
        let is_object = text.starts_with('{') && serde_json::from_str::<&RawValue>(text).is_ok();
        (is_object && text.len() <= METADATA_BYTES_MAX).then(|| Self((text != EMPTY).then(|| text.into())))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub fn text(&self) -> &str {
        self.0.as_deref().unwrap_or(EMPTY)
    }

    /// The text, shared; `None` if the object is empty.
    pub fn shared_text(&self) -> Option<&Arc<str>> {
        self.0.as_ref()
    }

    /// The keys of the object, without those inside its values.
    pub fn keys(&self) -> Vec<String> {
        self.fields().0.into_iter().map(|(key, _)| key).collect()
    }

    /// The values of the keys for which `has` is true, in the order of the metadata.
    pub fn values(&self, has: impl Fn(&str) -> bool) -> Vec<(String, JsonValue)> {
        let fields = self.fields().0.into_iter().filter(|(key, _)| has(key));
        let read =
            fields.filter_map(|(key, value)| Some((key, JsonValue::parse(value.get(), METADATA_DEPTH_MAX).ok()?)));
        read.collect()
    }

    /// JSON with the requested keys that the metadata has, in its order.
    pub fn only(&self, keys: &[String]) -> String {
        let keys: HashSet<&str> = keys.iter().map(String::as_str).collect();
        let mut json = String::from("{");
        for (key, value) in self.fields().0 {
            if keys.contains(key.as_str()) {
                let separator = if json.len() > 1 { "," } else { "" };
                let key = serde_json::Value::String(key);
                json.extend([separator, &key.to_string(), ":", value.get()]);
            }
        }
        json + "}"
    }

    fn fields(&self) -> RawObject<'_> {
        serde_json::from_str(self.text()).unwrap_or(RawObject(Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(text: &str) -> Metadata {
        Metadata::parse(text).expect(text)
    }

    fn reason(text: &str) -> String {
        Metadata::parse(text).expect_err("a bad text").to_string()
    }

    #[test]
    fn equal_values_have_the_same_text_and_an_empty_object_is_empty() {
        assert_eq!(metadata(" { \"a\" : 1.50 } "), metadata("{\"a\":1.5}"));
        assert_ne!(metadata("{\"a\":1,\"b\":2}"), metadata("{\"b\":2,\"a\":1}"), "the order is kept");
        assert_eq!((metadata("{ }"), metadata("{ }").text()), (Metadata::default(), "{}"));
        let written = metadata("{\"a\":{\"b\":[null,\"é\"]}}");
        assert_eq!(Metadata::stored(written.text()), Some(written));
        for damaged in
            ["", "[]", "{", "{} ", "null", "{\"a\":1}}", &format!("{{\"a\":\"{}\"}}", "x".repeat(METADATA_BYTES_MAX))]
        {
            // White space at the end is not damage that a reader would notice.
            assert_eq!(Metadata::stored(damaged).is_some(), damaged == "{} ", "{damaged}");
        }
    }

    #[test]
    fn some_keys_are_shown_in_the_order_of_the_metadata() {
        let metadata = metadata("{\"b\":{\"a\":1},\"a\\n\":[1,2],\"c\":null}");
        let only = |keys: &[&str]| metadata.only(&keys.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(metadata.keys(), ["b", "a\n", "c"]);
        assert_eq!(only(&["c", "b", "b", "a"]), "{\"b\":{\"a\":1},\"c\":null}");
        assert_eq!(only(&["a\n"]), "{\"a\\n\":[1,2]}");
        assert_eq!((only(&[]), only(&["x"])), ("{}".to_owned(), "{}".to_owned()));
        assert_eq!(Metadata::default().only(&["a".to_owned()]), "{}");
    }

    #[test]
    fn what_exceeds_a_bound_is_refused_with_the_key_that_causes_it() {
        for text in ["[]", "null", "1", "\"{}\""] {
            assert_eq!(Metadata::parse(text), Err(BadMetadata::NotAnObject), "{text}");
        }
        let long = |bytes: usize| format!("{{\"a\":1,\"b\":\"{}\"}}", "x".repeat(bytes - "{\"a\":1,\"b\":\"\"}".len()));
        assert_eq!(metadata(&long(METADATA_BYTES_MAX)).text().len(), METADATA_BYTES_MAX);
        assert_eq!(
            reason(&long(METADATA_BYTES_MAX + 1)),
            "has 32769 bytes as JSON, most of them in \"b\"; at most 32768 are allowed"
        );
        let deep = |depth: usize| format!("{{\"a\":1,\"b\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
        assert!(!metadata(&deep(METADATA_DEPTH_MAX)).is_empty());
        assert_eq!(Metadata::parse(&deep(METADATA_DEPTH_MAX + 1)), Err(BadMetadata::Json(BadJson::Depth)));
        let nested = (0..METADATA_DEPTH_MAX).fold(JsonValue::Null, |inside, _| JsonValue::List(vec![inside]));
        let nested = JsonValue::object([("a".to_owned(), JsonValue::Null), ("b".to_owned(), nested)]);
        assert_eq!(
            Metadata::of(&nested).expect_err("too deep").to_string(),
            "nests lists and objects 17 levels deep in \"b\"; at most 16 are allowed"
        );
        let many = |keys: usize| {
            let inside: Vec<String> = (1..keys).map(|key| format!("\"{key}\":0")).collect();
            format!("{{\"a\":{{{}}}}}", inside.join(","))
        };
        assert!(!metadata(&many(METADATA_KEYS_MAX)).is_empty());
        assert_eq!(
            reason(&many(METADATA_KEYS_MAX + 1)),
            "has 1001 keys, most of them in \"a\"; at most 1000 are allowed"
        );
    }
}
