//! Parses YAML into a [`Value`]. The rule: the size of the value is limited, however much the text repeats by aliases.

use std::collections::HashMap;

use granit_parser::{Event, ScalarStyle};

use super::value::Value;
use super::{yaml_error, yaml_events};

/// The largest front matter with expanded aliases: bytes of text, plus 32 for each value.
const WEIGHT_MAX: usize = 1 << 20;

/// The first document of the text. The error describes the problem and its position.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut builder = Builder::default();
    for event in yaml_events::events(text) {
        let event = event.map_err(|error| yaml_error::explain(text, &error))?;
        if !builder.take(event)? {
            break;
        }
    }
    Ok(builder.done.unwrap_or(Value::Nothing))
}

#[derive(Default)]
struct Builder {
    open: Vec<OpenTag>,
    anchors: HashMap<usize, Value>,
    weight: usize,
    done: Option<Value>,
}

/// A list or table that has not ended yet, with its anchor.
struct OpenTag {
    anchor: usize,
    value: Value,
    /// In a table: the key whose value has not been read yet.
    key: Option<String>,
}

impl Builder {
    /// Adds an event. Returns false when the document has ended.
    fn take(&mut self, event: Event<'_>) -> Result<bool, String> {
        match event {
            Event::Scalar(text, style, anchor, _) => self.add(scalar(&text, style), anchor)?,
            Event::Alias(anchor) => self.repeat(anchor)?,
            Event::SequenceStart(_, anchor, _) => self.start(Value::List(Vec::new()), anchor)?,
            Event::MappingStart(_, anchor, _) => self.start(Value::Table(Vec::new()), anchor)?,
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::DocumentEnd | Event::StreamEnd => return Ok(false),
            _ => {}
        }
        Ok(true)
    }

    fn start(&mut self, value: Value, anchor: usize) -> Result<(), String> {
        self.weigh(0)?;
        self.open.push(OpenTag { anchor, value, key: None });
        Ok(())
    }

    fn end(&mut self) {
        if let Some(open) = self.open.pop() {
            self.place(open.value, open.anchor);
        }
    }

    fn add(&mut self, value: Value, anchor: usize) -> Result<(), String> {
        self.weigh(weight(&value))?;
        self.place(value, anchor);
        Ok(())
    }

    fn repeat(&mut self, anchor: usize) -> Result<(), String> {
        // An alias inside its own anchor is not known yet, so no value can contain itself.
        let value = self.anchors.get(&anchor).cloned().ok_or("an alias is inside the value that it repeats")?;
        self.add(value, 0)
    }

    fn weigh(&mut self, more: usize) -> Result<(), String> {
        self.weight += 32 + more;
        if self.weight > WEIGHT_MAX {
            Err(format!("the front matter expands to more than {WEIGHT_MAX} bytes"))
        } else {
            Ok(())
        }
    }

    fn place(&mut self, value: Value, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        match self.open.last_mut() {
            None => self.done = Some(value),
            Some(OpenTag { value: Value::List(items), .. }) => items.push(value),
            Some(OpenTag { value: Value::Table(pairs), key, .. }) => match key.take() {
                Some(key) => pairs.push((key, value)),
                None => *key = Some(value.text().unwrap_or_default().to_owned()),
            },
            Some(_) => {}
        }
    }
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
