//! The last change of a row of `Tokens`, in properties of the row, as long as the log and the record of changes may not have it. The rule: the properties
//! of the row stay as they are, and a row without these properties, as earlier versions wrote it, has no such change.

use crate::keys::intent::IntentName;
use crate::store::{Entity, Properties, StoreError, Value};

use super::RowFields;
use super::change::{self, ChangeRow};
use super::change_log::LogItem;
use super::packed::TooLarge;

const NAME: &str = "Unrecorded";

/// A change that may not be recorded yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrecorded {
    /// Named like an intent: the keys of the record follow from it.
    pub name: IntentName,
    pub change: ChangeRow<LogItem>,
}

/// The row with the change that has written it.
///
/// # Errors
/// If the change does not fit a row.
pub fn with(row: &Properties, unrecorded: &Unrecorded) -> Result<Properties, TooLarge> {
    let mut properties = change::row(&unrecorded.change)?;
    properties.set(NAME, Value::String(unrecorded.name.to_string().into()));
    for (name, value) in row.iter() {
        properties.set(name, value.clone());
    }
    Ok(properties)
}

/// The row without its change.
pub fn without(row: &Properties) -> Properties {
    let mut properties = Properties::new();
    for (name, value) in row.iter().filter(|(name, _)| *name != NAME && !change::is_property(name)) {
        properties.set(name, value.clone());
    }
    properties
}

pub fn read(row: &Entity) -> Result<Option<Unrecorded>, StoreError> {
    let fields = RowFields(row);
    let Some(name) = fields.intent(NAME)? else { return Ok(None) };
    let change = change::read_with(row)?;
    // The keys of the record follow from the name.
    if name.parts().is_none_or(|(at, _)| at != change.at) || change.items.is_empty() {
        return Err(fields.damaged(NAME));
    }
    Ok(Some(Unrecorded { name, change }))
}

/// # Errors
/// If [`read`] does not read everything that the row holds of the actor.
pub fn check_actor(row: &Entity) -> Result<(), StoreError> {
    change::check_actor(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::tables::rows::change::{Action, ChangedItem, KIND_OF_TOKENS};
    use crate::content::tables::rows::token;
    use crate::keys::token as keys;
    use crate::model::{Instant, Role, Token, TokenId};

    fn at() -> Instant {
        Instant::from_ticks(639_170_784_000_000_000).expect("an instant")
    }

    fn new_token() -> Token {
        Token {
            id: TokenId::new(at(), 7),
            name: "a".to_owned(),
            role: Role::Editor,
            author: None,
            created_at: at(),
            expires_at: None,
            revoked_at: None,
        }
    }

    fn stored(properties: Properties) -> Entity {
        let key = keys::token(&new_token().id);
        Entity { key, etag: crate::store::Etag("1".into()), properties }
    }

    fn unrecorded() -> Unrecorded {
        let item = ChangedItem {
            kind: KIND_OF_TOKENS.to_owned(),
            id: new_token().id.to_string(),
            slug: new_token().id.to_string(),
            actions: vec![Action::Created],
            version: Some(1),
            creation: None,
        };
        let change = ChangeRow { at: at(), by: None, items: vec![LogItem::of_object(item, None)] };
        Unrecorded { name: IntentName::new("server", at(), "random"), change }
    }

    #[test]
    fn a_row_keeps_its_properties_with_and_without_a_change() {
        let row = token::row(&new_token(), &[7; 32]);
        let written = stored(with(&row, &unrecorded()).expect("a row"));
        assert_eq!(read(&written).expect("a change"), Some(unrecorded()));
        assert_eq!(token::read(&written).expect("a token"), (new_token(), [7; 32]));
        assert_eq!(without(&written.properties), row);
        assert_eq!(read(&stored(row)).expect("a row of an earlier version"), None);
    }

    #[test]
    fn a_damaged_change_is_an_error_and_its_token_is_still_read() {
        let whole = with(&token::row(&new_token(), &[7; 32]), &unrecorded()).expect("a row");
        for (name, value) in [
            (NAME, Value::String("no name".into())),
            (NAME, Value::String("server.x-random".into())),
            (NAME, Value::Int32(1)),
            ("At", Value::Int64(1)),
            ("At", Value::DateTime(1)),
            ("Items0", Value::Binary(std::sync::Arc::from([0_u8; 3].as_slice()))),
        ] {
            let mut properties = whole.without(name);
            properties.set(name, value);
            let row = stored(properties);
            assert!(read(&row).is_err(), "{name}");
            assert!(token::read(&row).is_ok(), "{name}");
        }
    }
}
