//! The scalars `DateTime`, `JSON`, `HTML` and `URL`. The rules: all printed times have the same length, so that texts sort like their times, and a time that cannot
//! be printed exactly is refused. An answer has the stored bytes of JSON; its input is checked by the code that uses it, so that a fault is reported with the
//! other user errors. Only answers have HTML and URLs, because input that a person types is a `String` for the same reason.

use std::borrow::Cow;

use async_graphql::parser::types::Field;
use async_graphql::registry::{MetaType, MetaTypeId, Registry};
use async_graphql::{
    ContextSelectionSet, InputValueError, InputValueResult, OutputType, Positioned, Scalar, ScalarType, ServerResult,
    Value,
};
use chrono::SecondsFormat;

use super::json_text::JsonText;
use crate::model::{Instant, JsonValue};

/// The example in the errors of refused texts.
const EXAMPLE: &str = "such as 2025-02-03T04:05:06.789Z";
/// The fractional digits of a second that are printed.
const DIGITS: usize = 3;

/// See the description of the scalar below. Printing rounds down; a parsed time is the first tick of its millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime(pub Instant);

/// RFC 3339 in UTC with three fractional digits and `Z`, such as 2025-02-03T04:05:06.789Z; values sort as strings. As input, any UTC offset but -00:00
/// and up to three fractional digits; years 1 to 9999.
#[Scalar(name = "DateTime", specified_by_url = "https://scalars.graphql.org/andimarek/date-time.html")]
impl ScalarType for DateTime {
    fn parse(value: Value) -> InputValueResult<Self> {
        match value {
            Value::String(text) => parse(&text).map_err(InputValueError::custom),
            other => Err(InputValueError::expected_type(other)),
        }
    }

    fn to_value(&self) -> Value {
        Value::String(self.text())
    }
}

impl DateTime {
    /// RFC 3339 with milliseconds.
    pub fn text(self) -> String {
        self.0.to_chrono().to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// # Errors
    /// The reason why the text is not a valid value of this scalar.
    pub fn check(text: &str) -> Result<(), String> {
        parse(text).map(drop)
    }
}

fn parse(text: &str) -> Result<DateTime, String> {
    let Ok(at) = text.parse::<Instant>() else {
        let begin: String = text.chars().take(64).collect();
        return Err(format!(
            "{begin:?} is not an RFC 3339 time with Z or a UTC offset, of the years 1 to 9999, {EXAMPLE}"
        ));
    };
    if is_finer_than_a_millisecond(text) {
        return Err(format!(
            "{text:?} is finer than a millisecond; at most three fractional digits are allowed, {EXAMPLE}"
        ));
    }
    if text.ends_with("-00:00") {
        return Err(format!(
            "{text:?} has the offset -00:00, which means an unknown one; write Z or the UTC offset, {EXAMPLE}"
        ));
    }
    Ok(DateTime(at))
}

/// Whether a digit other than 0 follows the third one of the fraction. The text is checked, because the instant has no trailing zeros.
fn is_finer_than_a_millisecond(text: &str) -> bool {
    let fraction = text.split_once('.').map_or("", |(_, rest)| rest);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit);
    digits.skip(DIGITS).any(|digit| digit != b'0')
}

/// See the description of the scalar below.
#[derive(Clone)]
pub struct Json(pub Value);

/// Any JSON value; the names of an object keep their order. A GraphQL value in a document, plain JSON in variables (not inside a string).
#[Scalar(name = "JSON", specified_by_url = "https://www.rfc-editor.org/rfc/rfc8259")]
impl ScalarType for Json {
    fn parse(value: Value) -> InputValueResult<Self> {
        Ok(Self(value))
    }

    fn to_value(&self) -> Value {
        self.0.clone()
    }
}

impl From<JsonText> for Json {
    fn from(text: JsonText) -> Self {
        Self(text.into())
    }
}

impl From<Json> for JsonValue {
    fn from(json: Json) -> Self {
        value_of(json.0)
    }
}

/// Recursion is bounded, because the guard and the JSON parser limit the nesting of input.
fn value_of(value: Value) -> JsonValue {
    match value {
        Value::Null => JsonValue::Null,
        Value::Boolean(truth) => JsonValue::Bool(truth),
        Value::Number(number) => JsonValue::Number(number),
        Value::String(text) => JsonValue::Text(text),
        Value::List(items) => JsonValue::List(items.into_iter().map(value_of).collect()),
        Value::Object(fields) => {
            JsonValue::Object(fields.into_iter().map(|(name, value)| (name.to_string(), value_of(value))).collect())
        }
        // An unquoted name in a document, like a value of an enum.
        Value::Enum(name) => JsonValue::Text(name.to_string()),
        // No client can send this value.
        Value::Binary(bytes) => JsonValue::Text(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Sanitised HTML.
pub struct HtmlText(pub JsonText);

pub struct Url(pub String);

impl OutputType for HtmlText {
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed("HTML")
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let description = "A fragment of HTML as a string, sanitised by the server: no scripts, event handlers or `javascript:` links. It can be inserted into a page unchanged.";
        register::<Self>(registry, description, "https://html.spec.whatwg.org/multipage/")
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        self.0.resolve(ctx, field).await
    }
}

impl OutputType for Url {
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed("URL")
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let description = "An absolute URL with the scheme `http` or `https`, as a string.";
        register::<Self>(registry, description, "https://url.spec.whatwg.org/")
    }

    async fn resolve(&self, _ctx: &ContextSelectionSet<'_>, _field: &Positioned<Field>) -> ServerResult<Value> {
        Ok(Value::String(self.0.clone()))
    }
}

fn register<T: OutputType>(registry: &mut Registry, description: &str, specified_by_url: &str) -> String {
    registry.create_output_type::<T, _>(MetaTypeId::Scalar, |_| MetaType::Scalar {
        name: T::type_name().into_owned(),
        description: Some(description.to_owned()),
        is_valid: None,
        visible: None,
        inaccessible: false,
        tags: Vec::new(),
        specified_by_url: Some(specified_by_url.to_owned()),
        directive_invocations: Vec::new(),
        requires_scopes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use async_graphql::parser::types::Selection;
    use async_graphql_value::Value as Literal;
    use proptest::prelude::*;

    use super::*;
    use crate::model::instant::TICKS_MAX;

    fn printed(at: Instant) -> String {
        match DateTime(at).to_value() {
            Value::String(text) => text,
            other => panic!("{other}"),
        }
    }

    fn read(text: &str) -> Result<String, String> {
        parse(text).map(|at| printed(at.0))
    }

    #[test]
    fn a_time_with_milliseconds_or_less_is_read_and_printed_with_three_digits() {
        for (text, expected) in [
            ("2025-02-03T04:05:06Z", "2025-02-03T04:05:06.000Z"),
            ("2025-02-03T04:05:06.7Z", "2025-02-03T04:05:06.700Z"),
            ("2025-02-03T04:05:06.789Z", "2025-02-03T04:05:06.789Z"),
            ("2025-02-03T04:05:06.7890000Z", "2025-02-03T04:05:06.789Z"),
            ("2025-02-03T04:05:06.000000000000Z", "2025-02-03T04:05:06.000Z"),
            ("2025-02-03t04:05:06.789z", "2025-02-03T04:05:06.789Z"),
            ("2025-02-03T05:05:06+01:00", "2025-02-03T04:05:06.000Z"),
            ("2025-02-02T20:35:06.5-07:30", "2025-02-03T04:05:06.500Z"),
            ("2025-02-03T04:05:06+00:00", "2025-02-03T04:05:06.000Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn another_text_is_refused_with_the_reason_and_the_accepted_form() {
        for (text, reason) in [
            ("2025-02-03T04:05:06.7891Z", "is finer than a millisecond"),
            ("2025-02-03T04:05:06.0000000001Z", "is finer than a millisecond"),
            ("2025-02-03T04:05:06.7890001+01:00", "is finer than a millisecond"),
            ("2025-02-03T04:05:06-00:00", "has the offset -00:00"),
            ("2025-02-03T04:05:06.789-00:00", "has the offset -00:00"),
            ("2025-02-03T04:05:06", "is not an RFC 3339 time"),
            ("2025-02-03T04:05:06.Z", "is not an RFC 3339 time"),
            ("2025-02-03T04:05:06,789Z", "is not an RFC 3339 time"),
            ("2025-02-03", "is not an RFC 3339 time"),
            ("2025-02-30T00:00:00Z", "is not an RFC 3339 time"),
            ("0000-01-01T00:00:00Z", "is not an RFC 3339 time"),
            ("0001-01-01T00:00:00+01:00", "is not an RFC 3339 time"),
            ("9999-12-31T23:59:59-01:00", "is not an RFC 3339 time"),
            ("+10000-01-01T00:00:00Z", "is not an RFC 3339 time"),
            ("1738555506789", "is not an RFC 3339 time"),
            ("", "is not an RFC 3339 time"),
        ] {
            let message = read(text).expect_err(text);
            assert!(message.starts_with(&format!("{text:?} {reason}")) && message.ends_with(EXAMPLE), "{message}");
        }
    }

    #[test]
    fn a_stored_time_with_more_digits_is_printed_rounded_down() {
        for (stored, expected) in [
            ("2025-02-03T04:05:06.7899999Z", "2025-02-03T04:05:06.789Z"),
            ("2025-02-03T04:05:06.0000001Z", "2025-02-03T04:05:06.000Z"),
            ("0001-01-01T00:00:00.0009999Z", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(printed(stored.parse().expect("an instant")), expected);
        }
    }

    proptest! {
        #[test]
        fn texts_sort_as_their_times_and_are_read_as_they_were_printed(a in 0..=TICKS_MAX, b in 0..=TICKS_MAX, near in 0..20_000_i64) {
            let at = |ticks: i64| Instant::from_ticks(ticks.min(TICKS_MAX)).expect("ticks");
            for (one, other) in [(at(a), at(b)), (at(a), at(a + near))] {
                let (first, second) = (printed(one), printed(other));
                prop_assert_eq!(first.len(), "2025-02-03T04:05:06.789Z".len());
                prop_assert_eq!(
                    first.cmp(&second),
                    one.start_of_millisecond().cmp(&other.start_of_millisecond())
                );
                prop_assert_eq!(parse(&first), Ok(DateTime(one.start_of_millisecond())));
            }
        }
    }

    fn written(literal: &str) -> String {
        let document = parse_query(format!("{{ a(b: {literal}) }}")).expect("a document");
        let (_, operation) = document.operations.iter().next().expect("an operation");
        let Selection::Field(field) = &operation.node.selection_set.node.items[0].node else { panic!("a field") };
        let value: Literal = field.node.arguments[0].1.node.clone();
        let json = Json::parse(value.into_const().expect("no variables")).map_err(|_| "refused").expect("any value");
        JsonValue::from(json).to_json()
    }

    #[test]
    fn a_graphql_value_is_the_same_json_in_the_same_order() {
        assert_eq!(
            written("{ b: [1, -2.5, true, null, \"x\\ny\"], a: {}, b2: { z: RED, y: [] } }"),
            r#"{"b":[1,-2.5,true,null,"x\ny"],"a":{},"b2":{"z":"RED","y":[]}}"#
        );
        assert_eq!(written("1e3"), "1000.0");
    }
}
