//! A value of front matter, in YAML or TOML. The rule: a scalar keeps its written text, because only the field that reads it knows whether it is a
//! date, a number or a name.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Present but empty: `title:` or `title: null`.
    Nothing,
    Text(String),
    List(Vec<Value>),
    Table(Vec<(String, Value)>),
}

impl Value {
    /// The value of a key of a table; if the key occurs twice, the last value.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Table(pairs) => pairs.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The names and values of a table, in their order; empty for other values.
    pub(super) fn pairs(&self) -> &[(String, Value)] {
        match self {
            Self::Table(pairs) => pairs,
            _ => &[],
        }
    }

    /// The text of a scalar without white space around it; `None` if it is empty or the value is not a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
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
