//! What front matter holds, whatever its syntax. The rule: a scalar stays the text that was written – only the field that reads it
//! knows whether it is a date, a number or a name.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Given, but empty: `title:` or `title: null`.
    Nothing,
    Text(String),
    List(Vec<Value>),
    Table(Vec<(String, Value)>),
}

impl Value {
    /// The value of a key of a table; of a key given twice, the last.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Table(pairs) => pairs.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// A scalar's text without white space around it; `None` where there is none.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        }
    }

    /// The items of a list, or else the value itself.
    pub fn items(&self) -> &[Value] {
        match self {
            Self::List(items) => items,
            one => std::slice::from_ref(one),
        }
    }
}
