//! Rows of `Changes`: what one intent has changed, when and by whom. The rule: written once, never changed.

use serde::{Deserialize, Serialize};

use crate::model::{ActorSnapshot, CreationId, Instant, TermId, TermKind, TermNodeId};
use crate::store::{Entity, Properties, StoreError};

use super::packed::{self, TooLarge};
use super::{NewRow, RowFields};

const ITEMS: &str = "Items";
/// The name, the kind and the author of the actor. Earlier versions stored the name only.
const BY: [&str; 3] = ["By", "ByKind", "ByAuthor"];

/// What one change has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    pub at: Instant,
    pub by: Option<ActorSnapshot>,
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
    /// After the change; absent for a deletion, and for a change of a term that an earlier version recorded.
    pub version: Option<i32>,
    /// A term's creation id; absent for a term that an earlier version created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation: Option<String>,
}

impl ChangedItem {
    /// The id of the object for clients.
    pub fn node_id(&self) -> String {
        let creation = CreationId::of_stored(self.creation.as_deref());
        match (TermKind::of_noun(&self.kind), self.id.parse(), creation) {
            (Some(kind), Ok(first_slug), Ok(creation)) => {
                TermNodeId { key: TermId { kind, first_slug }, creation }.to_string()
            }
            _ => format!("{}-{}", self.kind, self.id),
        }
    }
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
    let mut properties = NewRow::default().instant("At", change.at).actor(BY, change.by.as_ref()).build();
    packed::pack(&mut properties, ITEMS, &json)?;
    Ok(properties)
}

pub fn read(row: &Entity) -> Result<ChangeRow, StoreError> {
    let fields = RowFields(row);
    let json = packed::unpack(&fields, ITEMS)?;
    Ok(ChangeRow {
        at: fields.instant("At")?,
        by: fields.actor(BY)?,
        items: serde_json::from_slice(&json).map_err(|_| fields.damaged(ITEMS))?,
    })
}
