//! A row: its key, its ETag and its typed properties. The rule: only types that Azure's own tools support.

use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::key::Key;

/// Changes with every write of the row. It is opaque: only the store creates and compares it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Etag(pub CompactString);

/// A property's value: the Edm types that Tidings uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// Edm.String, at most 32,768 UTF-16 code units.
    String(CompactString),
    /// Edm.Int32
    Int32(i32),
    /// Edm.Int64
    Int64(i64),
    /// Edm.Boolean
    Boolean(bool),
    /// Edm.DateTime in ticks (100 ns since 0001-01-01T00:00:00Z); Azure accepts 1601-01-01 and later.
    DateTime(i64),
    /// Edm.Binary, at most 64 KiB.
    #[serde(with = "base64_text")]
    Binary(Arc<[u8]>),
}

/// Properties, each name once. They have the order in which they were set, but no table guarantees an order, so `==` ignores it. Clones share one allocation,
/// because a row is shared by a batch, caches and the writing thread.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Properties(Arc<Vec<(CompactString, Value)>>);

impl PartialEq for Properties {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl Eq for Properties {}

impl Properties {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn with_capacity(capacity: usize) -> Self {
        Self(Arc::new(Vec::with_capacity(capacity)))
    }

    /// Sets a property, or replaces one of the same name in place.
    pub fn set(&mut self, name: &str, value: Value) {
        let properties = Arc::make_mut(&mut self.0);
        match properties.iter_mut().find(|(n, _)| n == name) {
            Some(slot) => slot.1 = value,
            None => properties.push((CompactString::from(name), value)),
        }
    }

    /// The same properties except one.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        Self(Arc::new(self.0.iter().filter(|(n, _)| n != name).cloned().collect()))
    }

    /// Used by decoders, whose input was made from `Properties`, so that each name occurs once.
    pub(in crate::store) fn of_decoded(properties: Vec<(CompactString, Value)>) -> Self {
        Self(Arc::new(properties))
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(n, v)| (n.as_str(), v))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A row as read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    pub key: Key,
    pub etag: Etag,
    pub properties: Properties,
}

impl Entity {
    /// The size of its keys, names and values.
    pub(super) fn bytes(&self) -> u64 {
        let keys = self.key.partition().len() + self.key.row().len();
        let values: usize = self.properties.iter().map(|(name, value)| name.len() + value.bytes()).sum();
        (keys + values) as u64
    }
}

impl Value {
    fn bytes(&self) -> usize {
        match self {
            Self::String(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
            Self::Int64(_) | Self::DateTime(_) => 8,
            Self::Int32(_) => 4,
            Self::Boolean(_) => 1,
        }
    }
}

mod base64_text {
    use std::sync::Arc;

    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64_STANDARD.decode(text).map(Into::into).map_err(D::Error::custom)
    }
}
