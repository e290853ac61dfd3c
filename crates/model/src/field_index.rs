//! The index of declared fields: the indexed fields, and the partition of each value. The rule: the partition follows from the name of the field and the text
//! of its value alone, so that a filter finds the rows of earlier changes even if the declared type has changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use ring::digest::{SHA256, digest};

use super::hex;
use super::json_value::JsonValue;
use super::metadata::Metadata;
use super::slug::Slug;

/// The maximum number of post fields with `@index`. Each adds an index row to a post that has a value, written with each change of the value.
pub const INDEXED_FIELDS_MAX: usize = 8;

/// How many characters of a field's name its partitions begin with, for people who read the table.
const NAME_CHARS_MAX: usize = 40;
/// Enough bytes of the hash that no two values collide by chance.
const HASH_BYTES: usize = 16;

/// The names of the fields of posts that have an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexedFields(Arc<BTreeSet<String>>);

impl IndexedFields {
    pub fn of(names: impl IntoIterator<Item = String>) -> Self {
        Self(Arc::new(names.into_iter().collect()))
    }

    /// Sorted by bytes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The union of both sets.
    #[must_use]
    pub fn and(&self, others: &Self) -> Self {
        if others.is_empty() {
            return self.clone();
        }
        Self::of(self.names().chain(others.names()).map(ToOwned::to_owned))
    }

    /// The partitions of the index that a post with this metadata is in, sorted. A value that is not a text, number or boolean is in none.
    pub fn partitions(&self, metadata: &Metadata) -> Vec<Slug> {
        if self.is_empty() || metadata.is_empty() {
            return Vec::new();
        }
        let values = metadata.values(|name| self.has(name));
        let of_value = |(name, value): &(String, JsonValue)| Some(field_partition(name, &value.scalar_text()?));
        let partitions: BTreeSet<Slug> = values.iter().filter_map(of_value).collect();
        partitions.into_iter().collect()
    }
}

/// The partition of the posts whose field has this value: the name in lower case, and a hash of the name and the value.
pub fn field_partition(name: &str, value: &str) -> Slug {
    let hash = digest(&SHA256, [name.as_bytes(), b"\0", value.as_bytes()].concat().as_slice());
    let hash = hex::digits(&hash.as_ref()[..HASH_BYTES]);
    let shown: String = name.trim_start_matches('_').chars().take(NAME_CHARS_MAX).collect();
    let partition = if shown.is_empty() { hash } else { format!("{}.{hash}", shown.to_ascii_lowercase()) };
    partition.parse().expect("letters, digits, _ and a hash after a letter or digit are a slug")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partitions(fields: &[&str], metadata: &str) -> Vec<Slug> {
        let fields = IndexedFields::of(fields.iter().map(ToString::to_string));
        fields.partitions(&Metadata::parse(metadata).expect(metadata))
    }

    #[test]
    fn a_text_a_number_and_a_truth_value_are_in_the_partition_of_their_text() {
        for (json, value) in [("5", "5"), ("\"x y\"", "x y"), ("true", "true"), ("-1.5", "-1.5"), ("\"\"", "")] {
            let expected = vec![field_partition("rating", value)];
            assert_eq!(partitions(&["rating"], &format!("{{\"a\":1,\"rating\":{json}}}")), expected, "{json}");
        }
        for json in ["null", "[5]", "{\"a\":5}"] {
            assert_eq!(partitions(&["rating"], &format!("{{\"rating\":{json}}}")), [], "{json}");
        }
        assert_eq!(partitions(&[], "{\"rating\":5}"), []);
        assert_eq!(partitions(&["rating", "kind"], "{\"rating\":5,\"kind\":\"A\"}").len(), 2);
    }

    /// With another partition, the existing index rows would be lost.
    #[test]
    fn the_partition_of_a_value_never_changes_and_names_its_field() {
        assert_eq!(field_partition("rating", "5").as_str(), "rating.a57019267395bd671d967648e37330e7");
        let long = format!("_{}", "Ab".repeat(40));
        assert!(field_partition(&long, "x").as_str().starts_with(&format!("{}.", "ab".repeat(20))));
        assert_eq!(field_partition("__", "x").as_str().len(), 2 * HASH_BYTES);
        assert_ne!(field_partition("a", "x"), field_partition("A", "x"));
    }
}
