//! Parses TOML into a [`Value`]. The rule: numbers, booleans and dates become the text that YAML would contain, and keys keep their order.

use super::value::Value;
use super::yaml_error::FENCE_LINES;

/// Parses a table. The error describes the problem and its position.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let table: toml::Table = text.parse().map_err(|error| explain(text, &error))?;
    Ok(value(toml::Value::Table(table)))
}

/// The error on one line; the parser's own message has several.
fn explain(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1 + FENCE_LINES;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: {}", error.message())
}

fn value(toml: toml::Value) -> Value {
    match toml {
        toml::Value::String(text) => Value::Text(text),
        toml::Value::Integer(number) => Value::Plain(number.to_string()),
        toml::Value::Float(number) => Value::Plain(number.to_string()),
        toml::Value::Boolean(truth) => Value::Plain(truth.to_string()),
        toml::Value::Datetime(at) => Value::Text(at.to_string()),
        toml::Value::Array(items) => Value::List(items.into_iter().map(value).collect()),
        toml::Value::Table(table) => Value::Table(table.into_iter().map(|(key, item)| (key, value(item))).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_becomes_text() {
        let value =
            parse("a = 1\nb = true\nc = 1979-05-27\nd = 1979-05-27 07:32:00-08:00\n[e]\nf = ['g']").expect("TOML");
        let text = |key| value.get(key).and_then(Value::text);
        assert_eq!([text("a"), text("b"), text("c")], [Some("1"), Some("true"), Some("1979-05-27")]);
        assert_eq!(text("d"), Some("1979-05-27T07:32:00-08:00"));
        assert_eq!(value.get("e").and_then(|e| e.get("f")), Some(&Value::List(vec![Value::Text("g".into())])));
    }

    #[test]
    fn keys_keep_their_order_and_types_remain_in_json() {
        let value = parse("z = 1.5\na = 1979-05-27\n[y]\nc = '1'\nb = false").expect("TOML");
        assert_eq!(value.to_json().to_json(), r#"{"z":1.5,"a":"1979-05-27","y":{"c":"1","b":false}}"#);
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert!(parse(&format!("a = {}", "[".repeat(100_000))).is_err());
        assert!(parse(&format!("a{} = 1", ".a".repeat(100_000))).is_err());
    }
}
