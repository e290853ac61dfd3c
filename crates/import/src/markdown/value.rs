//! A value of front matter, in YAML, TOML, JSON or JavaScript. The rule: a scalar keeps its written text, because only the field that reads it knows
//! whether it is a date, a number or a name; and a key is found however its words are separated, because generators and themes differ in that.

use tidings_model::JsonValue;
use tidings_model::json_value;

/// Compares in any case, and with or without `_`, `-` and spaces, so that `pubDate`, `PubDate` and `pub_date` are one key. Hugo ignores case, and
/// themes separate words in all these ways.
pub(super) fn is_key(name: &str, key: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = u8> {
        text.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b' ')).map(|byte| byte.to_ascii_lowercase())
    }
    letters(name).eq(letters(key))
}

/// Whether the name is one of these keys, which are separated by spaces.
pub(super) fn is_one_of(name: &str, keys: &str) -> bool {
    keys.split_whitespace().any(|key| is_key(name, key))
}

/// Whether the text is one of these words, in any case.
pub(super) fn is_word(text: &str, words: &str) -> bool {
    words.split_whitespace().any(|word| word.eq_ignore_ascii_case(text))
}

/// The tables in which Zola and Hugo keep terms and custom fields.
pub(super) const TABLES: &str = "taxonomies extra params";

/// The front matter and its tables.
pub(super) fn places(front: &Value) -> impl Iterator<Item = &Value> {
    std::iter::once(front).chain(front.each(TABLES))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Present but empty: `title:` or `title: null`.
    Nothing,
    /// In quotes, or a TOML date.
    Text(String),
    /// Without quotes: a text, or text that is written like a number or a boolean.
    Plain(String),
    List(Vec<Value>),
    Table(Vec<(String, Value)>),
}

impl Value {
    /// The value of a key of a table, compared by [`is_key`]. Of several, an exactly equal name counts first, then the last one.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        let pairs = self.pairs().iter().rev();
        let exact = pairs.clone().find(|(name, _)| name == key);
        exact.or_else(|| pairs.clone().find(|(name, _)| is_key(name, key))).map(|(_, value)| value)
    }

    /// The names and values of a table, in order; empty for other values.
    pub(super) fn pairs(&self) -> &[(String, Value)] {
        match self {
            Self::Table(pairs) => pairs,
            _ => &[],
        }
    }

    /// The trimmed text of a scalar; `None` if it is empty or the value is not a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Plain(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        }
    }

    /// The text of the first of these keys that has one.
    pub(super) fn first_text(&self, keys: &str) -> Option<&str> {
        self.each(keys).find_map(Value::text)
    }

    /// The values of these keys that exist, in the order of the keys.
    pub(super) fn each(&self, keys: &str) -> impl Iterator<Item = &Value> {
        keys.split_whitespace().filter_map(move |key| self.get(key))
    }

    /// The items of the list of a key, or its only value; empty without the key.
    pub(super) fn items_of(&self, key: &str) -> &[Value] {
        self.get(key).map_or(&[], Value::items)
    }

    /// The names and values of the table of a key.
    pub(super) fn pairs_of(&self, key: &str) -> &[(String, Value)] {
        self.get(key).map_or(&[], Value::pairs)
    }

    /// The untrimmed text of a scalar; `None` if there is none.
    pub(super) fn whole_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Plain(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it has no value, no text, or no items.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(_) | Self::Plain(_) => self.text().is_none(),
            Self::List(items) => items.is_empty(),
            Self::Table(pairs) => pairs.is_empty(),
        }
    }

    /// The recursion is bounded, because the parsers bound the nesting.
    pub(super) fn to_json(&self) -> JsonValue {
        match self {
            Self::Nothing => JsonValue::Null,
            Self::Text(text) => JsonValue::Text(text.clone()),
            Self::Plain(text) => plain_to_json(text),
            Self::List(items) => JsonValue::List(items.iter().map(Self::to_json).collect()),
            Self::Table(pairs) => JsonValue::object(pairs.iter().map(|(name, value)| (name.clone(), value.to_json()))),
        }
    }

    /// The items of a list, or the value itself if it is not a list.
    pub(super) fn items(&self) -> &[Value] {
        match self {
            Self::List(items) => items,
            one => std::slice::from_ref(one),
        }
    }
}

impl From<JsonValue> for Value {
    fn from(json: JsonValue) -> Self {
        match json {
            JsonValue::Null => Self::Nothing,
            JsonValue::Bool(truth) => Self::Plain(truth.to_string()),
            JsonValue::Number(number) => Self::Plain(number.to_string()),
            JsonValue::Text(text) => Self::Text(text),
            JsonValue::List(items) => Self::List(items.into_iter().map(Self::from).collect()),
            JsonValue::Object(fields) => {
                Self::Table(fields.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
        }
    }
}

/// The maximum digits of a number, all of which fit exactly in a double. A longer one, such as an id, stays text, because a JavaScript client would
/// round it.
const DIGITS_MAX: usize = 15;

/// Reads YAML booleans, and numbers that are written as in JSON; everything else, such as `yes`, `007`, `0x1F`, `1_000` and `2025-02-03`, stays text.
fn plain_to_json(text: &str) -> JsonValue {
    match text {
        "true" | "True" | "TRUE" => JsonValue::Bool(true),
        "false" | "False" | "FALSE" => JsonValue::Bool(false),
        _ => {
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            let is_number = digits <= DIGITS_MAX && serde_json::from_str::<serde_json::Number>(text.trim()).is_ok();
            let number = is_number.then(|| json_value::number(text.trim())).flatten();
            number.map_or_else(|| JsonValue::Text(text.to_owned()), JsonValue::Number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_in_any_case_and_the_exact_one_first() {
        let table = |names: &[&str]| {
            let pair = |(at, name): (usize, &&str)| ((*name).to_owned(), Value::Plain(at.to_string()));
            Value::Table(names.iter().enumerate().map(pair).collect())
        };
        for (names, found) in [
            (&["Pub-Date"][..], Some("0")),
            (&["pubDate", "PUB_DATE"], Some("0")),
            (&["Pub date", "pub_date"], Some("1")),
            (&["pubDates", "pub", "date"], None),
        ] {
            assert_eq!(table(names).get("pubDate").and_then(Value::text), found, "{names:?}");
        }
    }

    #[test]
    fn a_scalar_without_quotes_is_what_it_is_written_like() {
        for (text, json) in [
            ("3", "3"),
            ("-1.50", "-1.5"),
            ("1e3", "1000.0"),
            ("true", "true"),
            ("False", "false"),
            ("yes", "\"yes\""),
            ("007", "\"007\""),
            ("0x1F", "\"0x1F\""),
            ("+1", "\"+1\""),
            (".5", "\".5\""),
            ("1_000", "\"1_000\""),
            ("4.3.2", "\"4.3.2\""),
            ("2025-02-03", "\"2025-02-03\""),
            ("123456789012345", "123456789012345"),
            ("1234567890123456", "\"1234567890123456\""),
            ("1e999", "\"1e999\""),
            (".nan", "\".nan\""),
            ("[x", "\"[x\""),
        ] {
            assert_eq!(Value::Plain(text.to_owned()).to_json().to_json(), json, "{text}");
            let quoted = serde_json::to_string(text).expect("JSON");
            assert_eq!(Value::Text(text.to_owned()).to_json().to_json(), quoted);
        }
    }
}
