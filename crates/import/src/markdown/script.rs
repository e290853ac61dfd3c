//! Front matter in JSON (Hugo, Eleventy) or in JavaScript (Eleventy): an object, or constants. The rule: only literals are read, by writing them as
//! JSON. Nothing is run, so an expression is an error.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::de::IgnoredAny;
use tidings_model::JsonValue;

use super::value::Value;
use super::yaml::FENCE_LINES;

/// The deepest nesting: deeper than metadata may be, and much deeper than anyone writes.
const DEPTH_MAX: usize = 64;
/// The maximum characters of the text that an error shows.
const SHOWN_MAX: usize = 40;

/// The text before the object in a data file of Eleventy.
const EXPORTS: &[&str] = &["export default", "module.exports ="];

/// White space or a comment, a text in quotes, a bracket or sign, or a word or number.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let quoted = r#""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"#;
    let token = format!(
        r"(?s)\A(?:(?<space>\s+|//[^\n]*|/\*.*?\*/)|(?<text>{quoted})|(?<sign>[\[\]{{}}:,;=])|(?<word>[\w$.+-]+))"
    );
    Regex::new(&token).expect("a valid expression")
});
/// Escapes and characters that JSON writes in another way inside a string.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?s)\\u\{([0-9a-fA-F]{1,6})\}|\\x([0-9a-fA-F]{2})|\\(\r\n|.)|(["\x00-\x1f])"#)
        .expect("a valid expression")
});

/// Reads an object, or constants: `const title = "A";`. The error describes the problem and its line.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let json = as_json(EXPORTS.iter().find_map(|export| text.trim_start().strip_prefix(export)).unwrap_or(text))?;
    if let Err(error) = serde_json::from_str::<IgnoredAny>(&json) {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        return Err(format!("line {}: {what}", error.line() + FENCE_LINES));
    }
    JsonValue::parse(&json, DEPTH_MAX).map(Value::from).map_err(|bad| bad.to_string())
}

/// The JSON object at the start of the text, and the text after its line.
pub(super) fn split_object(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('{')?.trim_start().starts_with(['"', '}']).then_some(())?;
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    let (object, rest) = text.split_at(values.byte_offset());
    let (line, body) = rest.split_once('\n').unwrap_or((rest, ""));
    line.trim().is_empty().then_some((object, body))
}

/// The literals of a program as JSON in the same lines.
fn as_json(text: &str) -> Result<String, String> {
    let (mut json, mut rest, mut depth) = (String::with_capacity(text.len() + 2), text, 0_usize);
    let are_constants = !after_space(text).starts_with('{');
    while !rest.is_empty() {
        let error = |what: &str| {
            let line = text[..text.len() - rest.len()].matches('\n').count() + 1 + FENCE_LINES;
            let found: String = rest.lines().next().unwrap_or_default().chars().take(SHOWN_MAX).collect();
            Err(format!("line {line}: expected {what}, found `{found}`"))
        };
        let Some(token) = TOKEN.captures(rest) else { return error(LITERAL) };
        let written = &token[0];
        let after = &rest[written.len()..];
        let is_key = || after_space(after).starts_with(if are_constants && depth == 0 { '=' } else { ':' });
        if token.name("space").is_some() {
            json.push(' ');
            json.extend(written.matches('\n'));
        } else if token.name("text").is_some() {
            if written.starts_with('`') && written.contains("${") {
                return error("a text without an expression");
            }
            json.push_str(&quoted(&written[1..written.len() - 1]));
        } else if token.name("sign").is_some() {
            match written {
                "{" | "[" => depth += 1,
                // A comma may follow the last item.
                "}" | "]" => {
                    depth = depth.saturating_sub(1);
                    if json.trim_end().ends_with(',') {
                        json.truncate(json.trim_end().len() - 1);
                    }
                }
                _ => {}
            }
            json.push_str(match written {
                ";" if depth == 0 => "",
                "=" if are_constants && depth == 0 => ":",
                sign => sign,
            });
        } else if is_key() {
            json.push_str(&quoted(written));
        } else {
            match written {
                "const" | "let" | "var" if are_constants && depth == 0 => {
                    json.push_str(if json.trim().is_empty() { "" } else { "," });
                }
                "undefined" => json.push_str("null"),
                "true" | "false" | "null" => json.push_str(written),
                number if serde_json::from_str::<serde_json::Number>(number).is_ok() => json.push_str(number),
                number if number.starts_with(|c: char| c.is_ascii_digit()) && number.parse::<f64>().is_ok() => {
                    json.push_str(&quoted(number));
                }
                _ if are_constants && depth == 0 && json.trim().is_empty() => return error("`const`"),
                _ => return error(LITERAL),
            }
        }
        rest = after;
    }
    Ok(if are_constants { format!("{{{json}}}") } else { json })
}

const LITERAL: &str = "a value that is written out: a text in quotes, a number, true, false, null, [ or {";

fn after_space(mut text: &str) -> &str {
    while let Some(space) = TOKEN.captures(text).and_then(|token| token.name("space")) {
        text = &text[space.end()..];
    }
    text
}

/// The text between the quotes of a program as a text of JSON.
fn quoted(inside: &str) -> String {
    let code = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    let written =
        |c: char| serde_json::to_string(&c).map_or_else(|_| String::new(), |text| text[1..text.len() - 1].to_owned());
    let escaped =
        ESCAPE.replace_all(inside, |found: &Captures<'_>| match (found.get(1).or(found.get(2)), found.get(3)) {
            // JSON has no such escape either.
            (Some(digits), _) => code(digits.as_str()).map_or_else(|| "\\u".to_owned(), written),
            (None, Some(of)) => match of.as_str() {
                "n" | "t" | "r" | "b" | "f" | "u" | "\"" | "\\" => found[0].to_owned(),
                "v" => written('\u{b}'),
                "0" => written('\0'),
                "\n" | "\r" | "\r\n" => String::new(),
                other => other.to_owned(),
            },
            (None, None) => found[0].chars().map(written).collect(),
        });
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        parse(text).map_or_else(|error| error, |value| value.to_json().to_json())
    }

    #[test]
    fn objects_and_constants_are_read() {
        for (text, expected) in [
            (
                r#"{"a": "b\u00e9\ud83d\ude00\/", "c": [1, -2.5, true, null]}"#,
                r#"{"a":"bé😀/","c":[1,-2.5,true,null]}"#,
            ),
            ("{ a: 'b', \"c-d\": `e\nf`, // g\n h: { i: [], }, /* j */ }\n;", r#"{"a":"b","c-d":"e\nf","h":{"i":[]}}"#),
            ("const a = \"b\";\nlet c = [\n 'd',\n]\nvar e = {\n\tf: 3\n};", r#"{"a":"b","c":["d"],"e":{"f":3}}"#),
            ("const a = 'it\\'s \\x41\\u{1F600}\\\n!'", r#"{"a":"it's A😀!"}"#),
            ("// nothing\n", "{}"),
            ("export default {};", "{}"),
        ] {
            assert_eq!(json(text), expected, "{text}");
        }
    }

    #[test]
    fn an_expression_is_an_error_with_its_line() {
        for (text, expected) in [
            ("const a = new Date();", "line 2: expected a value that is written out"),
            ("\nconst a = `${b}`;", "line 3: expected a text without an expression, found ``${b}`;`"),
            ("const a = 'b' + 'c';", "line 2: expected a value that is written out"),
            ("export default a", "line 2: expected `const`"),
            ("function a() {}", "line 2: expected `const`"),
            ("{a: 1} x", "line 2: expected a value that is written out"),
            ("{a: b()}", "line 2: expected a value that is written out"),
            ("{a 1}", "line 2: expected a value that is written out"),
            ("{a: 1 'b': 2}", "line 2: expected `,` or `}`"),
            ("{a: 1", "line 2: EOF while parsing an object"),
            ("{a: 'b", "line 2: expected a value that is written out"),
            ("{a: '\\uD800'}", "is not JSON"),
            ("{a: '\\uZZZZ'}", "line 2: invalid escape"),
            ("/* a", "line 2: expected a value that is written out"),
        ] {
            assert!(json(text).starts_with(expected), "{text}: {}", json(text));
        }
        assert!(parse(&"{a:".repeat(100_000)).is_err());
        assert!(parse(&format!("{{a:{}", "[".repeat(100_000))).is_err());
    }

    #[test]
    fn an_object_at_the_start_of_a_file_ends_with_its_line() {
        assert_eq!(split_object("{\n \"a\": \"}\"\n}\n\nb"), Some(("{\n \"a\": \"}\"\n}", "\nb")));
        assert_eq!(split_object("{}"), Some(("{}", "")));
        for text in ["{% include a %}", "{{< b >}}", "{\"a\": 1} b", "{a: 1}", "{\"a\"", "a {}"] {
            assert_eq!(split_object(text), None, "{text}");
        }
    }
}
