//! Front matter in JSON (Hugo, Eleventy) or in JavaScript (Eleventy): an object, or constants. The rule: only literals are read. Nothing is run, so
//! an expression is an error.

use super::value::Value;
use super::yaml_error::FENCE_LINES;

/// The deepest nesting: deeper than metadata may be, and much deeper than anyone writes.
const DEPTH_MAX: usize = 64;
/// The maximum characters of the text that an error shows.
const SHOWN_MAX: usize = 40;

/// Reads an object, or constants: `const title = "A";`. The error describes the problem and its line.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut reader = Reader { text, at: 0 };
    reader.skip()?;
    let table = if reader.rest().starts_with('{') { reader.value(0)? } else { reader.constants()? };
    reader.skip()?;
    reader.take(";");
    reader.skip()?;
    if reader.rest().is_empty() { Ok(table) } else { Err(reader.unexpected("the end")) }
}

/// The JSON object at the start of the text, and the text after its line.
pub(super) fn split_object(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('{')?.trim_start();
    let mut reader = Reader { text, at: 0 };
    (inside.starts_with(['"', '}']) && reader.value(0).is_ok()).then_some(())?;
    let (line, body) = reader.rest().split_once('\n').unwrap_or((reader.rest(), ""));
    line.trim().is_empty().then(|| (&text[..reader.at], body))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn take(&mut self, token: &str) -> bool {
        let is_there = self.rest().starts_with(token);
        self.at += if is_there { token.len() } else { 0 };
        is_there
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Result<(), String> {
        loop {
            self.take_while(char::is_whitespace);
            if self.take("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                let end = self.rest().find("*/").ok_or_else(|| self.error("a comment that does not end"))?;
                self.at += end + "*/".len();
            } else {
                return Ok(());
            }
        }
    }

    fn constants(&mut self) -> Result<Value, String> {
        let mut pairs = Vec::new();
        while !self.rest().is_empty() {
            let keyword = self.take_while(|c| c.is_ascii_alphabetic());
            if !matches!(keyword, "const" | "let" | "var") {
                self.at -= keyword.len();
                return Err(self.unexpected("`const`"));
            }
            self.skip()?;
            let name = self.name()?;
            pairs.push((name, self.assigned("=", 1)?));
            let line_ends = self.take_while(|c| c.is_whitespace()).contains('\n');
            if !self.take(";") && !line_ends && !self.rest().is_empty() {
                return Err(self.unexpected("`;`"));
            }
            self.skip()?;
        }
        Ok(Value::Table(pairs))
    }

    /// The name of a constant or of a key without quotes.
    fn name(&mut self) -> Result<String, String> {
        let name = self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
        if name.is_empty() { Err(self.unexpected("a name")) } else { Ok(name.to_owned()) }
    }

    /// The value after a name and this sign.
    fn assigned(&mut self, sign: &str, depth: usize) -> Result<Value, String> {
        self.skip()?;
        if !self.take(sign) {
            return Err(self.unexpected(&format!("`{sign}`")));
        }
        self.skip()?;
        self.value(depth)
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEPTH_MAX {
            return Err(self.error(format!("more than {DEPTH_MAX} values inside one another")));
        }
        match self.rest().chars().next() {
            Some('{') => self.items("}", |reader| reader.pair(depth)).map(Value::Table),
            Some('[') => self.items("]", |reader| reader.value(depth + 1)).map(Value::List),
            Some(quote @ ('"' | '\'' | '`')) => self.string(quote).map(Value::Text),
            _ => self.word(),
        }
    }

    fn pair(&mut self, depth: usize) -> Result<(String, Value), String> {
        let key = match self.rest().chars().next() {
            Some(quote @ ('"' | '\'')) => self.string(quote)?,
            _ => self.name()?,
        };
        Ok((key, self.assigned(":", depth + 1)?))
    }

    /// The items between two brackets, with commas between them, one of which may also follow the last item.
    fn items<T>(&mut self, end: &str, item: impl Fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.take(end) {
                return Ok(items);
            }
            items.push(item(self)?);
            self.skip()?;
            if !self.take(",") && !self.rest().starts_with(end) {
                return Err(self.unexpected(&format!("`,` or `{end}`")));
            }
        }
    }

    /// A number, a boolean or nothing.
    fn word(&mut self) -> Result<Value, String> {
        let start = self.at;
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '+' | '-'));
        match word {
            "true" | "false" => Ok(Value::Plain(word.to_owned())),
            "null" | "undefined" => Ok(Value::Nothing),
            _ if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') && word.parse::<f64>().is_ok() => {
                Ok(Value::Plain(word.to_owned()))
            }
            _ => {
                self.at = start;
                Err(self
                    .unexpected("a value that is written out: a text in quotes, a number, true, false, null, [ or {"))
            }
        }
    }

    fn string(&mut self, quote: char) -> Result<String, String> {
        let mut text = String::new();
        self.at += 1;
        loop {
            let rest = self.rest();
            let Some(character) = rest.chars().next() else { return Err(self.error("a text that does not end")) };
            self.at += character.len_utf8();
            match character {
                _ if character == quote => return Ok(text),
                '\\' => text.extend(self.escaped()?),
                '\n' if quote != '`' => return Err(self.error("a text that does not end in its line")),
                '$' if quote == '`' && rest.starts_with("${") => return Err(self.error("a text with an expression")),
                _ => text.push(character),
            }
        }
    }

    /// Reads an escape after its backslash; `None` for an escaped line end.
    fn escaped(&mut self) -> Result<Option<char>, String> {
        let Some(character) = self.rest().chars().next() else { return Err(self.error("a text that does not end")) };
        self.at += character.len_utf8();
        Ok(match character {
            '\r' | '\n' => None,
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'v' => Some('\u{b}'),
            '0' => Some('\0'),
            'x' => char::from_u32(self.digits(2)?),
            'u' => Some(self.code_point()?),
            other => Some(other),
        })
    }

    /// Reads the character after `\u`: `{…}`, four digits, or two groups of four (ECMA-404, section 9).
    fn code_point(&mut self) -> Result<char, String> {
        if self.take("{") {
            let digits = self.take_while(|c| c.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
            return code.filter(|_| self.take("}")).ok_or_else(|| self.error("an escape that is not a character"));
        }
        let first = self.digits(4)?;
        let is_pair = (0xd800..0xdc00).contains(&first) && self.take("\\u");
        let units = if is_pair { vec![first, self.digits(4)?] } else { vec![first] };
        let decoded = char::decode_utf16(units.into_iter().map(|unit| unit as u16)).next();
        decoded.and_then(Result::ok).ok_or_else(|| self.error("an escape that is not a character"))
    }

    fn digits(&mut self, length: usize) -> Result<u32, String> {
        let digits = self.rest().get(..length).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.error("an escape without its digits"))?;
        self.at += length;
        Ok(code)
    }

    fn unexpected(&self, expected: &str) -> String {
        let found: String = self.rest().lines().next().unwrap_or_default().chars().take(SHOWN_MAX).collect();
        let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
        self.error(format!("expected {expected}, found {found}"))
    }

    fn error(&self, what: impl std::fmt::Display) -> String {
        let line = self.text[..self.at].matches('\n').count() + 1 + FENCE_LINES;
        format!("line {line}: {what}")
    }
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
            ("{}", "{}"),
        ] {
            assert_eq!(json(text), expected, "{text}");
        }
    }

    #[test]
    fn an_expression_is_an_error_with_its_line() {
        for (text, expected) in [
            ("const a = new Date();", "line 2: expected a value that is written out"),
            ("\nconst a = `${b}`;", "line 3: a text with an expression"),
            ("const a = 'b' + 'c';", "line 2: expected `;`, found `+ 'c';`"),
            ("export default {}", "line 2: expected `const`"),
            ("function a() {}", "line 2: expected `const`"),
            ("{a: 1} x", "line 2: expected the end, found `x`"),
            ("{a: b()}", "line 2: expected a value that is written out"),
            ("{a 1}", "line 2: expected `:`, found `1}`"),
            ("{a: 1", "line 2: expected `,` or `}`, found the end"),
            ("{a: 'b", "line 2: a text that does not end"),
            ("{a: '\\uD800'}", "line 2: an escape that is not a character"),
            ("{a: '\\uZZZZ'}", "line 2: an escape without its digits"),
            ("/* a", "line 2: a comment that does not end"),
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
