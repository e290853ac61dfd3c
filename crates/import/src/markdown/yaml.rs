//! Parses YAML into a [`Value`]. The rule: the nesting and the size of the value are limited, however much the text repeats by aliases.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Options, Parser, ScalarStyle, ScanError};

use super::value::Value;

/// The lines of a file before its front matter: the opening fence.
pub(super) const FENCE_LINES: usize = 1;
const DEPTH_MAX: usize = 64;
/// How many characters of the line an error shows.
const SHOWN_CHARS: usize = 80;
/// The maximum size of front matter with expanded aliases: bytes of text, plus 32 for each value.
const WEIGHT_MAX: usize = 1 << 20;

/// Parses the first document of the text, even if a quoted text continues at the margin. The error describes the problem and its position.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    parse_strictly(text).or_else(|error| parse_strictly(&with_indented_quotes(text)).map_err(|_| error))
}

fn parse_strictly(text: &str) -> Result<Value, String> {
    let mut options = Options::default();
    (options.flow_nesting_limit, options.block_nesting_limit) = (DEPTH_MAX, DEPTH_MAX);
    let events = Parser::new_from_str_with_options(text, options);
    let events = events.map(|event| event.map(|(event, _)| event).map_err(|error| explained(text, &error)));
    let mut reader = Reader { events, anchors: HashMap::new(), weight: 0 };
    let value = reader.next()?.unwrap_or(Value::Nothing);
    // Text after the value can be an error.
    reader.next()?;
    Ok(value)
}

/// The error with its line of the file. The parser often notices it one line late.
fn explained(text: &str, error: &ScanError) -> String {
    let at = error.marker().line().clamp(1, text.lines().count().max(1));
    let line: String = text.lines().nth(at - 1).unwrap_or_default().trim_end().chars().take(SHOWN_CHARS).collect();
    let info = error.info();
    let info = info.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("line {}, `{line}`: {info}; a text that has a colon, or begins with a sign, needs quotes", at + FENCE_LINES)
}

struct Reader<I> {
    events: I,
    anchors: HashMap<usize, Value>,
    weight: usize,
}

impl<'t, I: Iterator<Item = Result<Event<'t>, String>>> Reader<I> {
    /// The next value; `None` at the end of the list, the table or the document.
    fn next(&mut self) -> Result<Option<Value>, String> {
        while let Some(event) = self.events.next() {
            let event = event?;
            let has_items = matches!(event, Event::SequenceStart(..) | Event::MappingStart(..));
            let (value, anchor) = match event {
                Event::Scalar(text, style, anchor, _) => (scalar(&text, style), anchor),
                // An alias inside its own anchor is still unknown, so no value can contain itself.
                Event::Alias(anchor) => match self.anchors.get(&anchor) {
                    Some(value) => (value.clone(), 0),
                    None => return Err("an alias is inside the value that it repeats".to_owned()),
                },
                Event::SequenceStart(_, anchor, _) => (Value::List(self.items()?), anchor),
                Event::MappingStart(_, anchor, _) => (table(self.items()?), anchor),
                Event::SequenceEnd | Event::MappingEnd | Event::DocumentEnd | Event::StreamEnd => return Ok(None),
                _ => continue,
            };
            // The items have been added.
            self.weight += if has_items { 32 } else { weight(&value) };
            if self.weight > WEIGHT_MAX {
                return Err(format!("the front matter expands to more than {WEIGHT_MAX} bytes"));
            }
            if anchor != 0 {
                self.anchors.insert(anchor, value.clone());
            }
            return Ok(Some(value));
        }
        Ok(None)
    }

    fn items(&mut self) -> Result<Vec<Value>, String> {
        let mut items = Vec::new();
        while let Some(item) = self.next()? {
            items.push(item);
        }
        Ok(items)
    }
}

/// The key of a table, or a list of tables, to merge into the table that contains the key: this is part of YAML 1.1, which all generators support.
const MERGE: &str = "<<";

/// A table of keys and values in turn, with the keys of merged tables that it does not have itself.
fn table(items: Vec<Value>) -> Value {
    let (mut own, mut merged, mut items) = (Vec::new(), Vec::new(), items.into_iter());
    while let Some((key, value)) = items.next().zip(items.next()) {
        let are_tables = !value.is_empty() && value.items().iter().all(|item| matches!(item, Value::Table(_)));
        match key.text().unwrap_or_default() {
            MERGE if are_tables => merged.push(value),
            key => own.push((key.to_owned(), value)),
        }
    }
    let mut known: HashSet<String> = own.iter().map(|(key, _)| key.clone()).collect();
    let given = merged.iter().flat_map(Value::items).flat_map(Value::pairs);
    own.extend(given.filter(|(key, _)| known.insert(key.clone())).cloned());
    Value::Table(own)
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    let is_nothing = style == ScalarStyle::Plain && matches!(text, "" | "~" | "null" | "Null" | "NULL");
    match style {
        _ if is_nothing => Value::Nothing,
        ScalarStyle::Plain => Value::Plain(text.to_owned()),
        _ => Value::Text(text.to_owned()),
    }
}

fn weight(value: &Value) -> usize {
    match value {
        Value::Nothing => 32,
        Value::Text(text) | Value::Plain(text) => 32 + text.len(),
        Value::List(items) => 32 + items.iter().map(weight).sum::<usize>(),
        Value::Table(pairs) => 32 + pairs.iter().map(|(key, value)| key.len() + weight(value)).sum::<usize>(),
    }
}

/// Indents quoted texts that continue at the margin of the next line, or after a tab: the specification requires indentation, but libyaml, go-yaml and
/// js-yaml, which the generators use, accept them without.
fn with_indented_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut open: Option<(char, usize)> = None;
    for line in text.split_inclusive('\n') {
        open = match open {
            Some((quote, indent)) => {
                let inside = line.trim_start_matches([' ', '\t']);
                out.extend(std::iter::repeat_n(' ', indent));
                out.push_str(inside);
                (!is_closed(inside, quote)).then_some((quote, indent))
            }
            None => {
                out.push_str(line);
                opened(line)
            }
        };
    }
    out
}

/// The mark of a quoted value that does not end in this line, and the indentation for its next lines.
fn opened(line: &str) -> Option<(char, usize)> {
    let start =
        line.find(['"', '\'']).filter(|at| line[..*at].ends_with([' ', '\t']) && is_before_value(&line[..*at]))?;
    let quote = line[start..].chars().next()?;
    (!is_closed(&line[start + 1..], quote)).then_some((quote, start + 1))
}

/// Whether a value follows: after a key, or as an item of a list.
fn is_before_value(text: &str) -> bool {
    text.trim_end().ends_with([':', '-'])
}

/// Whether the quoted text ends in `text`, which follows its opening mark.
fn is_closed(text: &str, quote: char) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quote == '"' => drop(chars.next()),
            // Two of them mean one in the text.
            '\'' if c == quote && chars.peek() == Some(&quote) => drop(chars.next()),
            c if c == quote => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    fn plain(text: &str) -> Value {
        Value::Plain(text.into())
    }

    #[test]
    fn scalars_keep_their_written_text() {
        let value = parse("a: 1.10\nb: 2013-1-6\nc: ~\nd: 'null'\ne: [yes, \"x\"]\nf:\n- g: h\n").expect("YAML");
        let table = vec![("g".to_owned(), plain("h"))];
        let expected = [
            ("a", plain("1.10")),
            ("b", plain("2013-1-6")),
            ("c", Value::Nothing),
            ("d", text("null")),
            ("e", Value::List(vec![plain("yes"), text("x")])),
            ("f", Value::List(vec![Value::Table(table)])),
        ];
        assert_eq!(value, Value::Table(expected.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()));
    }

    #[test]
    fn an_alias_repeats_its_anchor() {
        let value = parse("a: &x [1]\nb: *x").expect("YAML");
        assert_eq!(value.get("b"), Some(&Value::List(vec![plain("1")])));
    }

    #[test]
    fn a_merged_table_gives_the_keys_that_the_other_does_not_have() {
        let json = |text: &str| parse(text).expect("YAML").to_json().to_json();
        for (text, expected) in [
            ("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}", r#"{"a":{"x":1,"y":2},"b":{"y":3,"x":1}}"#),
            ("b:\n  <<: [{x: 1}, {x: 2, z: 3}]", r#"{"b":{"x":1,"z":3}}"#),
            ("<<: {draft: true}\ntitle: A", r#"{"title":"A","draft":true}"#),
            ("<<: text\na: 1", r#"{"<<":"text","a":1}"#),
        ] {
            assert_eq!(json(text), expected, "{text}");
        }
    }

    #[test]
    fn a_quoted_text_may_go_on_at_the_margin() {
        let title = |text: &str| parse(text).map(|value| value.get("title").and_then(Value::text).map(str::to_owned));
        for text in [
            "date: 1\ntitle: \"A title\nin \\\"two\\\" lines\"\ntags: [a]",
            "title: 'A title\nin \"two\" lines'  # a comment",
            "title: \"A title\r\nin \\\"two\\\" lines\"\r\n",
            "title: \"A title\n\tin \\\"two\\\" lines\"",
        ] {
            assert_eq!(title(text).as_ref().map(Option::as_deref), Ok(Some("A title in \"two\" lines")), "{text}");
        }
        let nested = parse("l:\n  - 'a\n  b'\n  - k: \"c\nd\"").expect("YAML").to_json().to_json();
        assert_eq!(nested, r#"{"l":["a b",{"k":"c d"}]}"#);
        assert!(title("title: \"A title\nin two lines\n").is_err());
    }

    #[test]
    fn an_error_names_the_line_of_the_file() {
        let error = parse("date: 2020-01-01\ntitle: Rust: a love story\n").expect_err("a colon");
        assert!(error.starts_with("line 3, `title: Rust: a love story`: "), "{error}");
        assert!(error.contains("needs quotes"), "{error}");
    }

    #[test]
    fn an_exponential_expansion_of_aliases_is_refused() {
        let mut bomb = "a0: &a0 [lol, lol]\n".to_owned();
        for level in 1..40 {
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(", ")));
        }
        assert!(parse(&bomb).expect_err("a bomb").contains("more than"));
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&(0..10_000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>()).is_err());
    }
}
