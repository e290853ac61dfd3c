//! Checks which values fit a declared field. The rule: a value fits as a whole or not at all, so a reader never gets a part of one; the message names
//! the place inside the value and the accepted form.

use crate::json_value::JsonValue;
use crate::{Instant, Metadata, rules};

use super::{DeclaredField, DeclaredItems, DeclaredObject, DeclaredType, LIST_ITEMS_MAX};

/// How many characters of a value a message shows.
const SHOWN_CHARS_MAX: usize = 60;
/// How many names of an enum a message lists.
const SHOWN_VALUES_MAX: usize = 20;

/// A declared field whose value does not fit, or is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} {reason}")]
pub struct Misfit {
    /// The name of the declared field.
    pub field: String,
    /// The place inside its value, such as `sponsor.name` or `genres[2]`.
    path: String,
    reason: String,
}

/// The place inside a value, and the error there.
type Fault = (String, String);

impl DeclaredObject {
    /// The declared fields that do not fit these names and values, in the order of the declaration.
    pub fn misfits(&self, pairs: &[(String, JsonValue)]) -> Vec<Misfit> {
        let misfit = |field: &DeclaredField| {
            let (path, reason) = field.fault(find(pairs, &field.name), &field.name)?;
            Some(Misfit { field: field.name.clone(), path, reason })
        };
        self.fields.iter().filter_map(misfit).collect()
    }

    pub fn misfits_of(&self, metadata: &Metadata) -> Vec<Misfit> {
        self.misfits(&metadata.values(|name| self.field(name).is_some()))
    }

    /// The first fault of an object inside a value.
    fn fault(&self, pairs: &[(String, JsonValue)], path: &str) -> Option<Fault> {
        self.fields.iter().find_map(|field| field.fault(find(pairs, &field.name), &format!("{path}.{}", field.name)))
    }
}

fn find<'p>(pairs: &'p [(String, JsonValue)], name: &str) -> Option<&'p JsonValue> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

impl DeclaredField {
    /// Whether a given value fits.
    pub fn fits(&self, value: &JsonValue) -> bool {
        self.fault(Some(value), &self.name).is_none()
    }

    fn fault(&self, value: Option<&JsonValue>, path: &str) -> Option<Fault> {
        let fault = |reason: String| Some((path.to_owned(), reason));
        match (value, self.items) {
            (None | Some(JsonValue::Null), _) if self.is_required => {
                fault(format!("is missing; it is required ({})", self.type_text()))
            }
            (None | Some(JsonValue::Null), _) => None,
            (Some(value), None) => self.of.fault(value, path),
            (Some(JsonValue::List(items)), Some(_)) if items.len() > LIST_ITEMS_MAX => {
                fault(format!("has {} items; at most {LIST_ITEMS_MAX} are allowed", items.len()))
            }
            (Some(JsonValue::List(items)), Some(of_items)) => items.iter().enumerate().find_map(|(index, item)| {
                let path = format!("{path}[{index}]");
                match (item, of_items) {
                    (JsonValue::Null, DeclaredItems::Nullable) => None,
                    (JsonValue::Null, DeclaredItems::Required) => {
                        Some((path, format!("is null; the items of a {} are not", self.type_text())))
                    }
                    (item, _) => self.of.fault(item, &path),
                }
            }),
            (Some(other), Some(_)) => fault(format!("must be a list ({}), but is {}", self.type_text(), shown(other))),
        }
    }
}

impl DeclaredType {
    /// `value`: not null.
    fn fault(&self, value: &JsonValue, path: &str) -> Option<Fault> {
        match (self, value) {
            (Self::Object(of), JsonValue::Object(pairs)) => of.fault(pairs, path),
            _ if self.fits(value) => None,
            _ => Some((path.to_owned(), format!("must be {}, but is {}", self.form(), shown(value)))),
        }
    }

    /// Whether a value other than an object fits.
    fn fits(&self, value: &JsonValue) -> bool {
        match (self, value) {
            (Self::Json, _) | (Self::String | Self::Id, JsonValue::Text(_)) | (Self::Boolean, JsonValue::Bool(_)) => {
                true
            }
            (Self::Int, JsonValue::Number(number)) => number.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
            (Self::Float, JsonValue::Number(_)) => true,
            // Front matter may write an id without quotes.
            (Self::Id, JsonValue::Number(number)) => number.is_i64() || number.is_u64(),
            (Self::DateTime, JsonValue::Text(text)) => instant_of(text).is_some(),
            (Self::Url, JsonValue::Text(text)) => rules::is_web_address(text),
            (Self::Enum(of), JsonValue::Text(text)) => of.values.iter().any(|value| value.name == *text),
            _ => false,
        }
    }

    fn form(&self) -> String {
        match self {
            Self::String => "a text (String)".to_owned(),
            Self::Int => "a whole number of 32 bits (Int)".to_owned(),
            Self::Float => "a number (Float)".to_owned(),
            Self::Boolean => "true or false (Boolean)".to_owned(),
            Self::Id => "a text or a whole number (ID)".to_owned(),
            Self::DateTime => {
                "a time with Z or a UTC offset, such as 2025-02-03T04:05:06Z, or a day, such as 2025-02-03 (DateTime)"
                    .to_owned()
            }
            Self::Url => "an address that begins with http:// or https:// (URL)".to_owned(),
            Self::Json => "a value (JSON)".to_owned(),
            Self::Enum(of) => {
                let names: Vec<&str> =
                    of.values.iter().take(SHOWN_VALUES_MAX).map(|value| value.name.as_str()).collect();
                let more = if of.values.len() > SHOWN_VALUES_MAX { ", …" } else { "" };
                format!("one of {}{more} ({})", names.join(", "), of.name)
            }
            Self::Object(of) => format!("an object ({})", of.name),
        }
    }
}

/// Reads RFC 3339, or a day, which means its first instant in UTC, as in front matter.
pub fn instant_of(text: &str) -> Option<Instant> {
    let is_day = text.len() == "2025-02-03".len() && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    if is_day { format!("{text}T00:00:00Z").parse().ok() } else { text.parse().ok() }
}

/// Describes a value for a message.
fn shown(value: &JsonValue) -> String {
    match value {
        JsonValue::Null => "null".to_owned(),
        JsonValue::Bool(truth) => truth.to_string(),
        JsonValue::Number(number) => number.to_string(),
        JsonValue::Text(text) => {
            let begin: String = text.chars().take(SHOWN_CHARS_MAX).collect();
            let more = if begin.len() < text.len() { " …" } else { "" };
            format!("the text {begin:?}{more}")
        }
        JsonValue::List(_) => "a list".to_owned(),
        JsonValue::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::site_fields::{DeclaredEnum, DeclaredValue};

    fn field(name: &str, of: DeclaredType) -> DeclaredField {
        DeclaredField {
            name: name.to_owned(),
            description: None,
            deprecation: None,
            of,
            items: None,
            is_required: false,
            is_indexed: false,
        }
    }

    fn level() -> DeclaredType {
        let value = |name: &str| DeclaredValue { name: name.to_owned(), description: None, deprecation: None };
        DeclaredType::Enum(Arc::new(DeclaredEnum {
            name: "Level".to_owned(),
            description: None,
            values: vec![value("LOW"), value("HIGH")],
        }))
    }

    fn object(name: &str, fields: Vec<DeclaredField>) -> DeclaredObject {
        DeclaredObject { name: name.to_owned(), description: None, fields }
    }

    fn faults(of: &DeclaredObject, json: &str) -> Vec<String> {
        let metadata = Metadata::parse(json).expect(json);
        of.misfits_of(&metadata).iter().map(ToString::to_string).collect()
    }

    /// The fault of a value for a type, without its path.
    fn fault(of: DeclaredType, json: &str) -> Option<String> {
        let found = faults(&object("PostFields", vec![field("a", of)]), &format!("{{\"a\":{json}}}"));
        found.first().map(|text| text.strip_prefix("a must be ").unwrap_or_else(|| panic!("{text}")).to_owned())
    }

    #[test]
    fn values_of_each_scalar_fit_and_others_are_refused_with_the_accepted_form() {
        for (of, fitting, other, expected) in [
            (DeclaredType::String, "\"x\"", "1", "a text (String), but is 1"),
            (DeclaredType::Int, "-2147483648", "2147483648", "a whole number of 32 bits (Int), but is 2147483648"),
            (DeclaredType::Int, "0", "1.5", "a whole number of 32 bits (Int), but is 1.5"),
            (DeclaredType::Int, "7", "\"7\"", "a whole number of 32 bits (Int), but is the text \"7\""),
            (DeclaredType::Float, "1", "true", "a number (Float), but is true"),
            (DeclaredType::Boolean, "false", "\"false\"", "true or false (Boolean), but is the text \"false\""),
            (DeclaredType::Id, "\"x\"", "1.5", "a text or a whole number (ID), but is 1.5"),
            (DeclaredType::Id, "7", "[]", "a text or a whole number (ID), but is a list"),
            (
                DeclaredType::Url,
                "\"https://example.com/\"",
                "\"javascript:alert(1)\"",
                "an address that begins with http:// or https:// (URL), but is the text \"javascript:alert(1)\"",
            ),
            (level(), "\"LOW\"", "\"low\"", "one of LOW, HIGH (Level), but is the text \"low\""),
        ] {
            assert_eq!(fault(of.clone(), fitting), None, "{fitting}");
            assert_eq!(fault(of, other).as_deref(), Some(expected), "{other}");
        }
        for json in ["1", "{\"a\":[null]}", "\"x\"", "false"] {
            assert_eq!(fault(DeclaredType::Json, json), None, "{json}");
        }
    }

    #[test]
    fn a_time_has_an_offset_and_a_day_is_its_first_instant() {
        for (text, expected) in [
            ("2025-02-03", Some("2025-02-03T00:00:00Z")),
            ("2025-02-03T04:05:06+01:00", Some("2025-02-03T03:05:06Z")),
            ("2025-02-30", None),
            ("2025-02-03 04:05:06", None),
            ("2025-02-03T04:05:06", None),
            ("----------", None),
            ("03.02.2025", None),
        ] {
            let expected = expected.map(|text| text.parse::<Instant>().expect("an instant"));
            assert_eq!(instant_of(text), expected, "{text}");
            assert_eq!(fault(DeclaredType::DateTime, &format!("{text:?}")).is_none(), expected.is_some(), "{text}");
        }
    }

    #[test]
    fn a_fault_names_the_place_inside_the_value() {
        let required = |field: DeclaredField| DeclaredField { is_required: true, ..field };
        let sponsor = Arc::new(object(
            "Sponsor",
            vec![required(field("name", DeclaredType::String)), field("url", DeclaredType::Url)],
        ));
        let list = |name: &str, of: DeclaredType, items| DeclaredField { items: Some(items), ..field(name, of) };
        let of = object(
            "PostFields",
            vec![
                required(field("rating", DeclaredType::Int)),
                field("sponsor", DeclaredType::Object(Arc::clone(&sponsor))),
                list("genres", DeclaredType::String, DeclaredItems::Required),
                list("scores", DeclaredType::Int, DeclaredItems::Nullable),
                list("sponsors", DeclaredType::Object(sponsor), DeclaredItems::Required),
            ],
        );
        assert_eq!(
            faults(
                &of,
                r#"{"rating":5,"sponsor":{"name":"A","more":1},"genres":["a"],"scores":[1,null],"other":{},"sponsors":[]}"#
            ),
            Vec::<String>::new()
        );
        assert_eq!(
            faults(
                &of,
                r#"{"rating":null,"sponsor":{"url":"https://a.example"},"genres":["a",null],"scores":1,"sponsors":[{"name":"A"},{"name":"B","url":"b"}]}"#
            ),
            [
                "rating is missing; it is required (Int!)",
                "sponsor.name is missing; it is required (String!)",
                "genres[1] is null; the items of a [String!] are not",
                "scores must be a list ([Int]), but is 1",
                "sponsors[1].url must be an address that begins with http:// or https:// (URL), but is the text \"b\"",
            ]
        );
        let many = vec!["0"; LIST_ITEMS_MAX + 1].join(",");
        assert_eq!(
            faults(&of, &format!("{{\"rating\":1,\"scores\":[{many}]}}")),
            ["scores has 1001 items; at most 1000 are allowed"]
        );
    }
}
