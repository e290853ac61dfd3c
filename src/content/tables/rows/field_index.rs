//! The row that lists the indexed fields. The rule: a field is listed before a change writes its index rows, and is built once each post has its index rows.

use std::collections::BTreeSet;

use crate::model::IndexedFields;
use crate::store::{Entity, Properties, StoreError};

use super::{NewRow, RowFields};

const FIELDS: &str = "Fields";
const BUILT: &str = "Built";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedFields {
    /// The fields whose index rows every change of a post writes.
    pub listed: IndexedFields,
    /// The listed fields whose index rows every post has.
    pub built: IndexedFields,
}

pub fn row(fields: &ListedFields) -> Properties {
    let names = |fields: &IndexedFields| fields.names().collect::<Vec<_>>().join(" ");
    let some = |text: String| (!text.is_empty()).then_some(text);
    NewRow::default()
        .optional_text(FIELDS, some(names(&fields.listed)))
        .optional_text(BUILT, some(names(&fields.built)))
        .build()
}

pub fn read(row: &Entity) -> Result<ListedFields, StoreError> {
    let fields = RowFields(row);
    let names = |property: &str| -> Result<IndexedFields, StoreError> {
        let Some(text) = fields.optional_text(property)? else { return Ok(IndexedFields::default()) };
        let names: BTreeSet<String> = text.split(' ').map(ToOwned::to_owned).collect();
        match names.iter().all(|name| is_name(name)) {
            true => Ok(IndexedFields::of(names)),
            false => Err(fields.damaged(property)),
        }
    };
    let (listed, built) = (names(FIELDS)?, names(BUILT)?);
    let are_listed = built.names().all(|name| listed.has(name));
    match are_listed {
        true => Ok(ListedFields { listed, built }),
        false => Err(fields.damaged(BUILT)),
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::field_index;
    use crate::store::Etag;

    fn entity(properties: Properties) -> Entity {
        Entity { key: field_index::fields(), etag: Etag("1".into()), properties }
    }

    #[test]
    fn the_fields_are_read_as_they_were_written_and_other_texts_are_damage() {
        let fields = |names: &[&str]| IndexedFields::of(names.iter().map(ToString::to_string));
        for (listed, built) in [(&[][..], &[][..]), (&["rating", "_kind2"], &[]), (&["a", "b"], &["b"])] {
            let written = ListedFields { listed: fields(listed), built: fields(built) };
            assert_eq!(read(&entity(row(&written))).expect("a row"), written);
        }
        for (listed, built) in [("a  b", ""), ("2a", ""), ("a-b", ""), ("a", "b"), ("", "a")] {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let damaged = NewRow::default().optional_text(FIELDS, some(listed)).optional_text(BUILT, some(built));
            assert!(read(&entity(damaged.build())).is_err(), "{listed:?} {built:?}");
        }
    }
}
