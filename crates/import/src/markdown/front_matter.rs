//! Splits a file into front matter and body. The rule: the body is everything after the line of the closing fence, byte for byte.

use super::value::Value;
use super::yaml::FENCE_LINES;
use super::{script, yaml};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts<'t> {
    pub front: Front<'t>,
    pub body: &'t str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Front<'t> {
    /// The file does not begin with a fence.
    Absent,
    /// The fence that is never closed.
    Unclosed(&'static str),
    Yaml(&'t str),
    Toml(&'t str),
    /// JSON or JavaScript.
    Script(&'t str),
}

/// Splits a file. A byte order mark is dropped. A fence is a line of `---` (YAML, closed by `---` or `...`), of `---json` or `---js` (closed by
/// `---`), or of `+++` (TOML), which only white space may follow. The body begins after the line end of the closing fence, which is `\n` or `\r\n`.
/// Hugo has JSON without fences: an object at the start of the file. Hexo has YAML without the opening fence.
pub(super) fn split(text: &str) -> Parts<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (first, rest) = split_line(text);
    let (opening, closing): (&'static str, &[&str]) = match first.trim_end() {
        "---" => ("---", &["---", "..."]),
        "---json" => ("---json", &["---"]),
        "---js" | "---javascript" => ("---js", &["---"]),
        "+++" => ("+++", &["+++"]),
        _ => {
            let object = script::split_object(text).map(|(head, body)| Parts { front: Front::Script(head), body });
            let unopened = || split_unopened(text).map(|(head, body)| Parts { front: Front::Yaml(head), body });
            return object.or_else(unopened).unwrap_or(Parts { front: Front::Absent, body: text });
        }
    };
    let Some((head, body)) = split_at_fence(rest, closing) else {
        return Parts { front: Front::Unclosed(opening), body: rest };
    };
    let front = match opening {
        "---" => Front::Yaml(head),
        "+++" => Front::Toml(head),
        _ => Front::Script(head),
    };
    Parts { front, body }
}

impl Front<'_> {
    /// `None` without front matter, an empty table if the front matter is empty.
    pub(super) fn parse(&self) -> Result<Option<Value>, String> {
        let value = match self {
            Self::Absent => return Ok(None),
            Self::Unclosed(fence) => return Err(format!("the front matter opened by {fence} is never closed")),
            Self::Yaml(text) => yaml::parse(text).map_err(|error| format!("the YAML front matter: {error}"))?,
            Self::Toml(text) => parse_toml(text).map_err(|error| format!("the TOML front matter: {error}"))?,
            Self::Script(text) => {
                script::parse(text).map_err(|error| format!("the front matter in JSON or JavaScript: {error}"))?
            }
        };
        match value {
            Value::Table(_) => Ok(Some(value)),
            Value::Nothing => Ok(Some(Value::Table(Vec::new()))),
            _ => Err("the front matter is not a list of names and values".to_owned()),
        }
    }
}

/// The keys of every Hexo post. If both exist, the first line is not text above a heading.
const OF_HEXO: &[&str] = &["title:", "date:"];

/// Splits YAML without an opening fence.
fn split_unopened(text: &str) -> Option<(&str, &str)> {
    let first = &text[..text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())];
    let begins_with_key = !first.is_empty() && text[first.len()..].starts_with(':');
    let (head, body) = if begins_with_key { split_at_fence(text, &["---"])? } else { return None };
    OF_HEXO.iter().all(|key| head.lines().any(|line| line.starts_with(key))).then_some((head, body))
}

fn split_at_fence<'t>(text: &'t str, fences: &[&str]) -> Option<(&'t str, &'t str)> {
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = split_line(rest);
        if fences.contains(&line.trim_end()) {
            return Some((&text[..text.len() - rest.len()], after));
        }
        rest = after;
    }
    None
}

/// The first line without its line end, and the rest.
fn split_line(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.strip_suffix('\r').unwrap_or(line), rest)
}

/// Parses a data file by its extension.
pub(super) fn parse_file(path: &str, text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "toml" => parse_toml(text),
        "yml" | "yaml" => yaml::parse(text),
        _ => script::parse(text),
    }
}

/// Parses TOML. Numbers, booleans and dates become the text that YAML would contain, and keys keep their order. The error describes the problem and its position.
pub(super) fn parse_toml(text: &str) -> Result<Value, String> {
    let table: toml::Table = text.parse().map_err(|error| explain(text, &error))?;
    Ok(value_of(toml::Value::Table(table)))
}

/// The error on one line; the parser's own message has several.
fn explain(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1 + FENCE_LINES;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: {}", error.message())
}

fn value_of(toml: toml::Value) -> Value {
    match toml {
        toml::Value::String(text) => Value::Text(text),
        toml::Value::Integer(number) => Value::Plain(number.to_string()),
        toml::Value::Float(number) => Value::Plain(number.to_string()),
        toml::Value::Boolean(truth) => Value::Plain(truth.to_string()),
        toml::Value::Datetime(at) => Value::Text(at.to_string()),
        toml::Value::Array(items) => Value::List(items.into_iter().map(value_of).collect()),
        toml::Value::Table(table) => Value::Table(table.into_iter().map(|(key, item)| (key, value_of(item))).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_everything_after_the_closing_fence() {
        let cases = [
            ("---\na: b\n---\n\n c\n", Front::Yaml("a: b\n"), "\n c\n"),
            ("\u{feff}---\r\na: b\r\n--- \r\nc\r\n", Front::Yaml("a: b\r\n"), "c\r\n"),
            ("+++\n+++", Front::Toml(""), ""),
            ("---\na: b\n...\nc\n---\n", Front::Yaml("a: b\n"), "c\n---\n"),
            ("--- x\n---\n", Front::Absent, "--- x\n---\n"),
            ("---json\n{}\n---\nc\n", Front::Script("{}\n"), "c\n"),
            ("---js \r\nconst a = 1;\r\n---\r\nc", Front::Script("const a = 1;\r\n"), "c"),
            ("---js\nconst a = 1;\n", Front::Unclosed("---js"), "const a = 1;\n"),
            ("{\n  \"a\": 1\n}\n\nc\n", Front::Script("{\n  \"a\": 1\n}"), "\nc\n"),
            ("{% a %}\n", Front::Absent, "{% a %}\n"),
            ("---\na: b\n----\n", Front::Unclosed("---"), "a: b\n----\n"),
            ("x_y: z\ntitle: a\ndate: b\n\n---\nc\n", Front::Yaml("x_y: z\ntitle: a\ndate: b\n\n"), "c\n"),
            ("title: a\n---\nc\n", Front::Absent, "title: a\n---\nc\n"),
            ("date: b\n\nc title: a\n---\n", Front::Absent, "date: b\n\nc title: a\n---\n"),
            ("", Front::Absent, ""),
        ];
        for (text, front, body) in cases {
            assert_eq!(split(text), Parts { front, body }, "{text:?}");
        }
    }

    #[test]
    fn empty_front_matter_is_front_matter() {
        assert_eq!(split("---\n---\n").front.parse(), Ok(Some(Value::Table(Vec::new()))));
        assert_eq!(split("a").front.parse(), Ok(None));
    }

    #[test]
    fn the_error_says_what_is_wrong() {
        assert!(split("---\na").front.parse().expect_err("unclosed").contains("never closed"));
        assert!(split("---\na: b: c\n---\n").front.parse().expect_err("bad YAML").contains("YAML"));
        assert!(
            split("---js\nconst a = b();\n---\n").front.parse().expect_err("a call").contains("JavaScript: line 2: ")
        );
        assert!(split("+++\na\n+++\n").front.parse().expect_err("bad TOML").contains("TOML"));
        assert!(split("---\n- a\n---\n").front.parse().expect_err("a list").contains("names and values"));
    }

    #[test]
    fn every_type_becomes_text() {
        let value =
            parse_toml("a = 1\nb = true\nc = 1979-05-27\nd = 1979-05-27 07:32:00-08:00\n[e]\nf = ['g']").expect("TOML");
        let text = |key| value.get(key).and_then(Value::text);
        assert_eq!([text("a"), text("b"), text("c")], [Some("1"), Some("true"), Some("1979-05-27")]);
        assert_eq!(text("d"), Some("1979-05-27T07:32:00-08:00"));
        assert_eq!(value.get("e").and_then(|e| e.get("f")), Some(&Value::List(vec![Value::Text("g".into())])));
    }

    #[test]
    fn keys_keep_their_order_and_types_remain_in_json() {
        let value = parse_toml("z = 1.5\na = 1979-05-27\n[y]\nc = '1'\nb = false").expect("TOML");
        assert_eq!(value.to_json().to_json(), r#"{"z":1.5,"a":"1979-05-27","y":{"c":"1","b":false}}"#);
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert!(parse_toml(&format!("a = {}", "[".repeat(100_000))).is_err());
        assert!(parse_toml(&format!("a{} = 1", ".a".repeat(100_000))).is_err());
    }
}
