//! Rows of `Changes`: what one intent has changed, when and by whom. The rule: written once, never changed.

use serde::{Deserialize, Serialize};

use crate::model::Instant;
use crate::store::{Entity, Properties, StoreError};

use super::packed::{self, TooLarge};
use super::{NewRow, RowFields};

const ITEMS: &str = "Items";

/// What one change has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    pub at: Instant,
    pub by: Option<String>,
    pub items: Vec<ChangedItem>,
}

/// One post, category, tag or author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedItem {
    /// `post`, `category`, `tag` or `author`.
    pub kind: String,
    /// A post's id, a term's first slug.
    pub id: String,
    /// After the change; before it, for what was deleted.
    pub slug: String,
    pub action: Action,
    /// A post's, after the change.
    pub version: Option<i32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    Created,
    Updated,
    Published,
    Unpublished,
    Renamed,
    Deleted,
}

/// # Errors
/// If the items do not fit a row.
pub fn row(change: &ChangeRow) -> Result<Properties, TooLarge> {
    let json = serde_json::to_vec(&change.items).expect("items are plain data");
    let mut properties = NewRow::default().instant("At", change.at).optional_text("By", change.by.as_deref()).build();
    packed::pack(&mut properties, ITEMS, &json)?;
    Ok(properties)
}

pub fn read(row: &Entity) -> Result<ChangeRow, StoreError> {
    let fields = RowFields(row);
    let json = packed::unpack(&fields, ITEMS)?;
    Ok(ChangeRow {
        at: fields.instant("At")?,
        by: fields.optional_text("By")?.map(ToString::to_string),
        items: serde_json::from_slice(&json).map_err(|_| fields.damaged(ITEMS))?,
    })
}
