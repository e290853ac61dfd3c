//! Reads front matter in YAML, TOML, JSON and JavaScript. The rule: it shares no code with the importer; of YAML and JavaScript, it reads the forms that the starters
//! of the generators use, and panics at another one.

use serde_json::{Map, Value, json};

/// The front matter and the body of a file; `None` without front matter.
pub fn split(text: &str) -> Option<(Map<String, Value>, &str)> {
    let (first, rest) = text.split_once('\n')?;
    let fence = match first.trim_end() {
        "---" | "---json" | "---js" => "\n---",
        "+++" => "\n+++",
        "{" => return object_at_start(text),
        _ => return None,
    };
    let (head, body) = match rest.strip_prefix(fence.trim_start()) {
        Some(body) => ("", body),
        None => rest.split_once(fence)?,
    };
    let body = body.split_once('\n').map_or("", |(_, body)| body);
    let front = match first.trim_end() {
        "---" => yaml(head),
        "+++" => toml(head),
        "---json" => serde_json::from_str(head).expect("JSON"),
        _ => constants(head),
    };
    match front {
        Value::Object(front) => Some((front, body)),
        Value::Null => Some((Map::new(), body)),
        other => panic!("no table: {other}"),
    }
}

/// JSON of Hugo, which has no fences.
fn object_at_start(text: &str) -> Option<(Map<String, Value>, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    let front = values.next()?.ok()?;
    Some((front, &text[values.byte_offset()..]))
}

fn toml(text: &str) -> Value {
    let table: toml::Table = text.parse().expect("TOML");
    of_toml(toml::Value::Table(table))
}

fn of_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => json!(number),
        toml::Value::Boolean(truth) => truth.into(),
        toml::Value::Datetime(at) => at.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(of_toml).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, of_toml(value))).collect())
        }
    }
}

/// `const name = value;`, with values that are JSON except for the quotes of keys and a comma at the end.
fn constants(text: &str) -> Value {
    let mut found = Map::new();
    for constant in text.split("const ").skip(1) {
        let (name, value) = constant.split_once('=').expect("a value");
        found.insert(name.trim().to_owned(), object(value.trim().trim_end_matches(';')));
    }
    Value::Object(found)
}

/// An object of JavaScript with a key in each line.
pub fn object(text: &str) -> Value {
    let lines = text.lines().map(|line| {
        let start = line.len() - line.trim_start().len();
        match line[start..].split_once(':') {
            Some((key, value)) if key.bytes().all(|b| b.is_ascii_alphanumeric()) => format!("\"{key}\":{value}\n"),
            _ => line.to_owned(),
        }
    });
    let text: String = lines.collect();
    let text = text.replace(['\t', '\n'], "").replace(",}", "}").replace(",]", "]");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// A document of YAML.
pub fn yaml(text: &str) -> Value {
    let is_text = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let lines: Vec<&str> = text.lines().filter(is_text).collect();
    let mut reader = Yaml { lines, at: 0 };
    match reader.lines.is_empty() {
        true => Value::Null,
        false => reader.block(),
    }
}

struct Yaml<'t> {
    lines: Vec<&'t str>,
    at: usize,
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The name and the rest of `name: value`.
fn pair(line: &str) -> Option<(String, &str)> {
    let line = line.trim_start();
    let (name, rest) = match line.strip_suffix(':') {
        Some(name) if !name.contains(": ") => (name, ""),
        _ => line.split_once(": ").or_else(|| line.split_once(":\t"))?,
    };
    let is_name = !name.starts_with(['[', '{', '-', '|']) || name.starts_with('"');
    is_name.then(|| (name.trim_matches(['"', '\'']).to_owned(), rest.trim()))
}

impl<'t> Yaml<'t> {
    fn line(&self) -> Option<&'t str> {
        self.lines.get(self.at).copied()
    }

    /// The list or the table that begins in this line.
    fn block(&mut self) -> Value {
        let first = self.line().expect("a line");
        if first.trim_start().starts_with("- ") { self.list(indent(first)) } else { self.table(indent(first)) }
    }

    fn list(&mut self, depth: usize) -> Value {
        let mut items = Vec::new();
        while let Some(line) = self.line().filter(|line| indent(line) == depth && line.trim_start().starts_with("- ")) {
            let item = &line.trim_start()[2..];
            if pair(item).is_some() && !item.starts_with(['"', '\'']) {
                // A table: its first line is as deep as the text after the dash.
                self.lines[self.at] = line.replacen('-', " ", 1).leak();
                items.push(self.table(indent(self.lines[self.at])));
            } else {
                self.at += 1;
                items.push(scalar(item));
            }
        }
        Value::Array(items)
    }

    fn table(&mut self, depth: usize) -> Value {
        let mut found = Map::new();
        while let Some(line) = self.line().filter(|line| indent(line) == depth) {
            let Some((name, rest)) = pair(line) else { panic!("no name: {line}") };
            self.at += 1;
            found.insert(name, self.value(rest, depth));
        }
        Value::Object(found)
    }

    /// The value after a name, which the next lines can have.
    fn value(&mut self, rest: &str, depth: usize) -> Value {
        let rest = if rest.starts_with('#') { "" } else { rest };
        let is_list = |line: &str| indent(line) == depth && line.trim_start().starts_with("- ");
        let is_deeper = |line: &str| indent(line) > depth;
        match rest {
            "" if self.line().is_some_and(|line| is_deeper(line) || is_list(line)) => self.block(),
            "" => Value::Null,
            "|" | ">" | "|-" | ">-" => {
                let lines = self.deeper(depth);
                let margin = lines.first().map_or(0, |line| indent(line));
                let text = match rest.starts_with('|') {
                    true => lines.iter().map(|line| line[margin..].trim_end()).collect::<Vec<_>>().join("\n"),
                    false => lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "),
                };
                if rest.ends_with('-') { text.into() } else { format!("{text}\n").into() }
            }
            rest => {
                let mut text = rest.to_owned();
                for line in self.deeper(depth) {
                    text = format!("{text} {}", line.trim());
                }
                scalar(&text)
            }
        }
    }

    fn deeper(&mut self, depth: usize) -> Vec<&'t str> {
        let mut found = Vec::new();
        while let Some(line) = self.line().filter(|line| indent(line) > depth) {
            found.push(line);
            self.at += 1;
        }
        found
    }
}

/// A value in one line.
fn scalar(text: &str) -> Value {
    let text = text.trim();
    match text.as_bytes() {
        [] | b"~" | b"null" => Value::Null,
        [b'"', .., b'"'] => serde_json::from_str(text).unwrap_or_else(|_| text[1..text.len() - 1].into()),
        [b'\'', .., b'\''] => text[1..text.len() - 1].replace("''", "'").into(),
        [b'[', .., b']'] => divided(&text[1..text.len() - 1]).into_iter().map(scalar).collect(),
        [b'{', .., b'}'] => {
            let pairs = divided(&text[1..text.len() - 1]).into_iter().map(|text| pair(text).expect("a pair"));
            Value::Object(pairs.map(|(name, rest)| (name, scalar(rest))).collect())
        }
        [b'"' | b'\'' | b'[' | b'{', ..] if text.contains(" #") => scalar(text.rsplit_once(" #").expect("a comment").0),
        _ => {
            let plain = text.split(" #").next().unwrap_or_default().trim();
            match plain {
                "true" => true.into(),
                "false" => false.into(),
                plain => serde_json::from_str::<serde_json::Number>(plain).map_or_else(|_| plain.into(), Value::Number),
            }
        }
    }
}

/// The parts between commas that are not in quotes or brackets.
fn divided(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(of), _) if of == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

#[test]
fn the_forms_of_front_matter_are_read() {
    let text = "a: 1\nb: 'x: y' # comment\nc:\n  - d\n  - \"e, f\"\ng:\n- h: 1\n  i: [j, 'k']\n- h: 2\nl:\n  m: {n: o, p: true}\n  q: |\n    r\n      s\nt: u\n  v\nw:\n";
    let expected = json!({
        "a": 1, "b": "x: y", "c": ["d", "e, f"], "g": [{ "h": 1, "i": ["j", "k"] }, { "h": 2 }],
        "l": { "m": { "n": "o", "p": true }, "q": "r\n  s\n" }, "t": "u v", "w": null,
    });
    assert_eq!(yaml(text), expected);
    let (front, body) = split("---js\nconst a = \"b\";\nconst c = {\n\td: 1,\n};\n---\nBody\n").expect("front matter");
    assert_eq!((Value::Object(front), body), (json!({ "a": "b", "c": { "d": 1 } }), "Body\n"));
    assert_eq!(split("+++\n+++\nx"), Some((Map::new(), "x")));
    assert_eq!(split("# Text\n"), None);
}
