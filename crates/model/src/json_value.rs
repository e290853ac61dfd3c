//! A JSON value whose objects keep the order of their names. The rule: a number is read exactly, so a value that is written and read again has the
//! same bytes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;
use serde_json::value::RawValue;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonValue {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<JsonValue>),
    /// Each name occurs once.
    Object(Vec<(String, JsonValue)>),
}

/// Why a text cannot be read as a JSON value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadJson {
    #[error("is not JSON")]
    Syntax,
    #[error("nests values too deeply")]
    Depth,
    #[error("has the number {0}, which is too large")]
    Number(String),
}

impl JsonValue {
    /// The content of a text, number (as JSON writes it) or boolean; `None` for any other value.
    pub fn scalar_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Number(number) => Some(Cow::Owned(number.to_string())),
            Self::Bool(truth) => Some(Cow::Borrowed(if *truth { "true" } else { "false" })),
            Self::Null | Self::List(_) | Self::Object(_) => None,
        }
    }

    /// If a name occurs twice, its last value is kept, at its first place.
    pub fn object(pairs: impl IntoIterator<Item = (String, JsonValue)>) -> Self {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut fields: Vec<(String, JsonValue)> = Vec::new();
        for (name, value) in pairs {
            match places.get(&name) {
                Some(place) => fields[*place].1 = value,
                None => {
                    places.insert(name.clone(), fields.len());
                    fields.push((name, value));
                }
            }
        }
        Self::Object(fields)
    }

    /// Reads JSON with at most `depth_max` nested lists and objects.
    ///
    /// # Errors
    /// If the text is not JSON, is nested more deeply, or has a number that no double can represent.
    pub fn parse(text: &str, depth_max: usize) -> Result<Self, BadJson> {
        match text.trim_start().as_bytes().first() {
            Some(b'{' | b'[') if depth_max == 0 => Err(BadJson::Depth),
            Some(b'{') => {
                let fields = serde_json::from_str::<RawObject<'_>>(text).map_err(|_| BadJson::Syntax)?.0.into_iter();
                let read = fields.map(|(name, raw)| Ok((name, Self::parse(raw.get(), depth_max - 1)?)));
                Ok(Self::object(read.collect::<Result<Vec<_>, _>>()?))
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| BadJson::Syntax)?;
                let read = items.into_iter().map(|raw| Self::parse(raw.get(), depth_max - 1));
                Ok(Self::List(read.collect::<Result<_, _>>()?))
            }
            Some(b'-' | b'0'..=b'9') => {
                let raw: &RawValue = serde_json::from_str(text).map_err(|_| BadJson::Syntax)?;
                let shown = || raw.get().chars().take(40).collect();
                number(raw.get()).map(Self::Number).ok_or_else(|| BadJson::Number(shown()))
            }
            _ => match serde_json::from_str(text) {
                Ok(serde_json::Value::String(text)) => Ok(Self::Text(text)),
                Ok(serde_json::Value::Bool(truth)) => Ok(Self::Bool(truth)),
                Ok(serde_json::Value::Null) => Ok(Self::Null),
                _ => Err(BadJson::Syntax),
            },
        }
    }

    /// The depth of nested lists and objects, including this value.
    pub fn depth(&self) -> usize {
        match self {
            Self::List(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::Object(fields) => 1 + fields.iter().map(|(_, value)| value.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// The names of this object and of all objects inside the value.
    pub fn names(&self) -> usize {
        match self {
            Self::List(items) => items.iter().map(Self::names).sum(),
            Self::Object(fields) => fields.iter().map(|(_, value)| 1 + value.names()).sum(),
            _ => 0,
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts, numbers and lists can always be written as JSON")
    }
}

/// Reads a number exactly: `serde_json` reads some decimals with an error of one bit.
pub fn number(text: &str) -> Option<Number> {
    let whole = || text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
    whole().ok().or_else(|| Number::from_f64(text.parse().ok()?))
}

impl Serialize for JsonValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(truth) => serializer.serialize_bool(*truth),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => {
                let mut object = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    object.serialize_entry(name, value)?;
                }
                object.end()
            }
        }
    }
}

/// The names and values of an object in their order, as they are written.
pub struct RawObject<'t>(pub Vec<(String, &'t RawValue)>);

impl<'de> serde::Deserialize<'de> for RawObject<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = RawObject<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = object.next_entry()? {
                    fields.push(field);
                }
                Ok(RawObject(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<String, BadJson> {
        JsonValue::parse(text, 4).map(|value| value.to_json())
    }

    #[test]
    fn a_text_is_written_without_white_space_and_in_its_order() {
        for (text, expected) in [
            (" { \"b\" : [ 1 , 2.50, -0.1e3 ] , \"a\" : { } }", "{\"b\":[1,2.5,-100.0],\"a\":{}}"),
            ("{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}"),
            ("[null,true,false,\"\\u00e9\\n\\ud83d\\ude00\"]", "[null,true,false,\"é\\n😀\"]"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_not_json_or_too_deep_is_refused() {
        for text in ["", "{", "{\"a\"}", "[1,]", "01", "+1", "nul", "\"\\ud800\"", "1 2", "{} {}", "NaN"] {
            assert_eq!(read(text), Err(BadJson::Syntax), "{text}");
        }
        assert_eq!(read("[[[[1]]]]").as_deref(), Ok("[[[[1]]]]"));
        assert_eq!(read("[[[[[1]]]]]"), Err(BadJson::Depth));
        assert_eq!(read("[1e400]"), Err(BadJson::Number("1e400".to_owned())));
    }

    proptest! {
        #[test]
        fn every_double_is_written_with_the_same_bytes_after_it_was_read(bits in any::<u64>()) {
            if let Some(number) = Number::from_f64(f64::from_bits(bits)) {
                let text = JsonValue::Number(number).to_json();
                prop_assert_eq!(read(&text), Ok(text));
            }
        }
    }
}
