//! The metadata after a change, from the metadata and the declared fields in the input. The rule: a declared field is the metadata key with its name, so a
//! client sends each value in only one of the two; after a change of either, all declared fields must fit.

use crate::model::metadata::{BadMetadata, METADATA_DEPTH_MAX};
use crate::model::{DeclaredObject, JsonValue, Metadata};

use super::{Patch, UserError};

const METADATA: &str = "metadata";
const FIELDS: &str = "fields";

pub(super) struct SentMetadata<'a> {
    pub metadata: Patch<&'a JsonValue>,
    /// Values of declared fields by name. A null value removes the field; `Clear` removes all.
    pub fields: Patch<&'a JsonValue>,
}

type Pairs = Vec<(String, JsonValue)>;

impl SentMetadata<'_> {
    /// The metadata after the change; `None` if the input has neither. `declared`: the fields that the site declares for this kind of content.
    ///
    /// # Errors
    /// All errors of the input.
    pub(super) fn over(
        &self,
        before: &Metadata,
        declared: Option<&DeclaredObject>,
    ) -> Result<Option<Metadata>, Vec<UserError>> {
        if matches!((&self.metadata, &self.fields), (Patch::Keep, Patch::Keep)) {
            return Ok(None);
        }
        let field = if self.metadata == Patch::Keep { FIELDS } else { METADATA };
        let made = |value: &JsonValue| made_of(value, field).map(Some).map_err(|error| vec![error]);
        let sent = match self.metadata {
            Patch::Set(JsonValue::Object(pairs)) => pairs.clone(),
            Patch::Set(other) => return made(other),
            Patch::Clear => Vec::new(),
            Patch::Keep => stored(before).map_err(|error| vec![error])?,
        };
        // Without declared fields, the schema has no input for them.
        let Some(declared) = declared else { return made(&JsonValue::Object(sent)) };
        let pairs = self.with_fields(sent, declared)?;
        let misfits = declared.misfits(&pairs);
        match misfits.is_empty() {
            true => made(&JsonValue::Object(pairs)),
            false => Err(misfits.iter().map(|misfit| self.error(&misfit.field, misfit.to_string())).collect()),
        }
    }

    /// The metadata with the values of the declared fields that were sent.
    fn with_fields(&self, mut pairs: Pairs, declared: &DeclaredObject) -> Result<Pairs, Vec<UserError>> {
        match self.fields {
            Patch::Keep => {}
            Patch::Clear => pairs.retain(|(name, _)| declared.field(name).is_none()),
            Patch::Set(JsonValue::Object(values)) => {
                let mut errors = Vec::new();
                for (name, value) in values {
                    match declared.field(name) {
                        None => errors.push(inside_fields(name, format!("{name} is no declared field"))),
                        Some(_) if self.is_in_metadata(name) => {
                            let message = format!("{name} is in `metadata` too; send it in one of the two");
                            errors.push(inside_fields(name, message));
                        }
                        Some(field) => put(&mut pairs, name, field.coerced(value.clone())),
                    }
                }
                if !errors.is_empty() {
                    return Err(errors);
                }
            }
            Patch::Set(_) => return Err(vec![UserError::invalid(FIELDS, "fields must be an object")]),
        }
        Ok(pairs)
    }

    /// Whether the metadata that was sent has this key.
    fn is_in_metadata(&self, name: &str) -> bool {
        match self.metadata {
            Patch::Set(JsonValue::Object(pairs)) => pairs.iter().any(|(known, _)| known == name),
            _ => false,
        }
    }

    /// The error for a declared field, at the input that contains it, or that can contain it.
    fn error(&self, name: &str, message: String) -> UserError {
        match self.is_in_metadata(name) {
            true => UserError::invalid(METADATA, message),
            false => inside_fields(name, message),
        }
    }
}

fn inside_fields(name: &str, message: String) -> UserError {
    UserError::invalid(FIELDS, message).inside(name)
}

/// Sets the value of a key at its position, or at the end. Null removes the key.
fn put(pairs: &mut Pairs, name: &str, value: JsonValue) {
    let place = pairs.iter().position(|(known, _)| known == name);
    match (place, value) {
        (Some(place), JsonValue::Null) => drop(pairs.remove(place)),
        (None, JsonValue::Null) => {}
        (Some(place), value) => pairs[place].1 = value,
        (None, value) => pairs.push((name.to_owned(), value)),
    }
}

fn stored(metadata: &Metadata) -> Result<Pairs, UserError> {
    match JsonValue::parse(metadata.text(), METADATA_DEPTH_MAX) {
        Ok(JsonValue::Object(pairs)) => Ok(pairs),
        _ => Err(UserError::invalid(FIELDS, "the stored metadata cannot be read; send all of it in `metadata`")),
    }
}

/// # Errors
/// If the value cannot be the metadata of a post.
fn made_of(value: &JsonValue, field: &'static str) -> Result<Metadata, UserError> {
    Metadata::of(value).map_err(|bad| {
        let message = format!("metadata {bad}");
        match bad {
            BadMetadata::TooLong { .. } => UserError::too_large(field, message),
            _ => UserError::invalid(field, message),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::site_fields::DeclaredItems;
    use crate::model::{DeclaredField, DeclaredType};

    fn declared() -> Arc<DeclaredObject> {
        let field = |name: &str, of, items, is_required| DeclaredField {
            name: name.to_owned(),
            description: None,
            deprecation: None,
            of,
            items,
            is_required,
            is_indexed: false,
        };
        let fields = vec![
            field("rating", DeclaredType::Int, None, true),
            field("genres", DeclaredType::String, Some(DeclaredItems::Required), false),
        ];
        Arc::new(DeclaredObject { name: "PostFields".to_owned(), description: None, fields })
    }

    fn json(text: &str) -> JsonValue {
        JsonValue::parse(text, METADATA_DEPTH_MAX).expect(text)
    }

    fn patch(text: Option<&str>) -> Patch<JsonValue> {
        match text {
            None => Patch::Keep,
            Some("null") => Patch::Clear,
            Some(text) => Patch::Set(json(text)),
        }
    }

    /// The metadata after a change, or the places and messages of its errors.
    fn after(before: &str, metadata: Option<&str>, fields: Option<&str>) -> Result<Option<String>, Vec<String>> {
        let (metadata, fields) = (patch(metadata), patch(fields));
        let sent = SentMetadata { metadata: metadata.as_ref(), fields: fields.as_ref() };
        let made = sent.over(&Metadata::parse(before).expect(before), Some(&declared()));
        made.map(|made| made.map(|made| made.text().to_owned())).map_err(|errors| {
            let place = |error: &UserError| error.inside.concat();
            errors.iter().map(|e| format!("{}.{}: {}", e.field.unwrap_or_default(), place(e), e.message)).collect()
        })
    }

    #[test]
    fn declared_fields_are_keys_of_the_metadata() {
        for (before, metadata, fields, expected) in [
            ("{\"a\":1}", None, None, None),
            ("{\"a\":1,\"rating\":1}", None, Some("{\"rating\":2}"), Some("{\"a\":1,\"rating\":2}")),
            (
                "{\"a\":1}",
                None,
                Some("{\"rating\":2,\"genres\":\"x\"}"),
                Some("{\"a\":1,\"rating\":2,\"genres\":[\"x\"]}"),
            ),
            ("{\"rating\":1,\"genres\":[]}", None, Some("{\"genres\":null}"), Some("{\"rating\":1}")),
            ("{\"a\":1}", Some("{\"b\":1}"), Some("{\"rating\":2}"), Some("{\"b\":1,\"rating\":2}")),
            ("{\"a\":1}", Some("{\"rating\":3}"), None, Some("{\"rating\":3}")),
            ("{\"a\":1}", Some("{\"rating\":3}"), Some("{}"), Some("{\"rating\":3}")),
        ] {
            assert_eq!(after(before, metadata, fields), Ok(expected.map(str::to_owned)), "{metadata:?} {fields:?}");
        }
    }

    #[test]
    fn an_error_names_the_input_at_fault() {
        let missing = "fields.rating: rating is missing; it is required (Int!)";
        for (metadata, fields, expected) in [
            (Some("{}"), None, missing),
            (Some("null"), None, missing),
            (None, Some("null"), missing),
            (None, Some("{\"rating\":null}"), missing),
            (
                Some("{\"rating\":\"x\"}"),
                None,
                "metadata.: rating must be a whole number of 32 bits (Int), but is the text \"x\"",
            ),
            (
                None,
                Some("{\"rating\":1.5}"),
                "fields.rating: rating must be a whole number of 32 bits (Int), but is 1.5",
            ),
            (
                Some("{\"rating\":1}"),
                Some("{\"rating\":1}"),
                "fields.rating: rating is in `metadata` too; send it in one of the two",
            ),
            (Some("{}"), Some("{\"x\":1}"), "fields.x: x is no declared field"),
            (
                Some("[]"),
                Some("{\"rating\":1}"),
                "metadata.: metadata must be a JSON object, which has names and values",
            ),
        ] {
            let errors = after("{\"rating\":1}", metadata, fields).expect_err(expected);
            assert_eq!(errors, [expected], "{metadata:?} {fields:?}");
        }
        let long = format!("{{\"rating\":1,\"genres\":[\"{}\"]}}", "x".repeat(32 << 10));
        let errors = after("{}", None, Some(&long)).expect_err("too long");
        assert!(errors[0].starts_with("fields.: metadata has 327"), "{errors:?}");
    }
}
