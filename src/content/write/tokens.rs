//! Changes of rows of `Tokens`. The rule: a row that is not as the caller has read it fails the whole change.

use crate::content::tables::rows::change::{Action, ChangedItem, KIND_OF_PREVIEWS, KIND_OF_TOKENS};
use crate::content::tables::rows::change_log::LogItem;
use crate::model::Token;
use crate::store::{Entity, Key, Properties};

/// The id of all preview links together, because a single link has no row.
const PREVIEW_LINKS: &str = "links";

/// A change of a row, which can remove another one.
#[derive(Clone)]
pub(in crate::content) struct TokenRowChange {
    pub key: Key,
    pub properties: Properties,
    /// The row as it was read; `None` if there must be none.
    pub replaced: Option<Entity>,
    /// A row that is removed with it, as it was read.
    pub removed: Option<Entity>,
    pub items: Vec<ChangedItem>,
}

impl TokenRowChange {
    pub(super) fn log_items(&self) -> Vec<LogItem> {
        self.items.iter().map(|item| LogItem::of_object(item.clone(), None)).collect()
    }
}

/// The item for an action on a token.
pub(in crate::content) fn of_token(token: &Token, action: Action) -> ChangedItem {
    ChangedItem {
        kind: KIND_OF_TOKENS.to_owned(),
        id: token.id.to_string(),
        slug: token.id.to_string(),
        actions: vec![action],
        version: Some(token.version()),
        creation: None,
    }
}

/// The item for the revocation of all preview links. `version`: that of the new key.
pub(in crate::content) fn of_revoked_previews(version: i32) -> ChangedItem {
    ChangedItem {
        kind: KIND_OF_PREVIEWS.to_owned(),
        id: PREVIEW_LINKS.to_owned(),
        slug: PREVIEW_LINKS.to_owned(),
        actions: vec![Action::Revoked],
        version: Some(version),
        creation: None,
    }
}
