//! Counts the values of a JSON text. The rule: the values are counted without allocating them, and counting stops at the limit, because a
//! megabyte of nested brackets would need 32 MB or more when it is parsed.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The number of values, including those in lists and objects; `None` if there are more than `max`. A text that is not JSON is counted up
/// to the first error, which the parser reports later.
pub(super) fn count(text: &str, max: usize) -> Option<usize> {
    let (left, is_over) = (Cell::new(max), Cell::new(false));
    let counter = Counter { left: &left, is_over: &is_over };
    let _ = counter.deserialize(&mut serde_json::Deserializer::from_str(text));
    (!is_over.get()).then(|| max - left.get())
}

#[derive(Clone, Copy)]
struct Counter<'a> {
    left: &'a Cell<usize>,
    is_over: &'a Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Counter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Some(left) = self.left.get().checked_sub(1) else {
            self.is_over.set(true);
            return Err(D::Error::custom("too many values"));
        };
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counter<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_key::<serde::de::IgnoredAny>()?.is_some() {
            fields.next_value_seed(self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_at_every_level_up_to_the_limit() {
        for (text, values) in [
            ("7", 1),
            ("[]", 1),
            ("[1, -1, 1.5, null, true, \"x\"]", 7),
            (r#"{"a": {"b": [[], {}]}, "c": "\u0041"}"#, 6),
        ] {
            assert_eq!(
                (count(text, 100), count(text, values), count(text, values - 1)),
                (Some(values), Some(values), None)
            );
        }
        assert_eq!(
            count(&format!("[{}", "[],".repeat(500_000)), 1_000),
            None,
            "counting stops at the limit, before the text turns out to be malformed"
        );
        assert_eq!(count("nonsense", 1), Some(1));
        assert!(count(&"[".repeat(1_000), 1_000).is_some());
    }
}
