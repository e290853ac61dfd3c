//! Rows of `Changes`, the audit log. The rule: a row is written once and never changed.

use serde::{Deserialize, Serialize};

use crate::model::{ActorSnapshot, Instant, TermId, TermKind, TermNodeId};
use crate::store::{Entity, Properties, StoreError};

use super::packed::{self, TooLarge};
use super::{NewRow, RowFields};

const AT: &str = "At";
const ITEMS: &str = "Items";
/// The properties with the name, kind and author of the actor.
const BY: [&str; 3] = ["By", "ByKind", "ByAuthor"];

/// The kinds of objects that can be drafts.
pub const KIND_OF_POSTS: &str = "post";
pub const KIND_OF_PAGES: &str = "page";
/// Kinds of objects that are not content.
pub const KIND_OF_TOKENS: &str = "token";
pub const KIND_OF_PREVIEWS: &str = "preview";
pub const KIND_OF_WEBHOOKS: &str = "webhook";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    pub at: Instant,
    pub by: Option<ActorSnapshot>,
    pub items: Vec<ChangedItem>,
}

/// One post, page, category, tag, author, access token or webhook, or all preview links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedItem {
    /// `post`, `page`, `category`, `tag`, `author`, `token`, `webhook` or `preview`.
    pub kind: String,
    /// The id of a post, page, token or webhook, a term's first slug; `links` for all preview links.
    pub id: String,
    /// The slug after the change, or the last slug of a deleted object. For a page its path, for a token or webhook its id.
    pub slug: String,
    /// At least one action.
    pub actions: Vec<Action>,
    /// The version after the change, or the last one before a deletion; 0 for a webhook, which has none.
    pub version: i32,
    /// The creation id, for a term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation: Option<String>,
}

impl ChangedItem {
    /// The name of the object's type in the schema. Preview links have none.
    pub fn node_type(&self) -> String {
        let kind = &self.kind;
        kind.chars().take(1).map(|first| first.to_ascii_uppercase()).chain(kind.chars().skip(1)).collect()
    }

    /// The slug and the path of content with this name in the log: a page is named by its path, and nothing else has one.
    pub fn slug_and_path<'n>(&self, name: &'n str) -> (&'n str, Option<&'n str>) {
        match name.rsplit_once('/') {
            _ if self.kind != KIND_OF_PAGES => (name, None),
            Some((_, slug)) => (slug, Some(name)),
            None => (name, Some(name)),
        }
    }

    /// The id of the object for clients.
    pub fn node_id(&self) -> String {
        let creation = self.creation.as_deref().and_then(|text| text.parse().ok());
        match (TermKind::of_noun(&self.kind), self.id.parse(), creation) {
            (Some(kind), Ok(first_slug), Some(creation)) => {
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
    Renamed,
    Scheduled,
    Published,
    Unpublished,
    Deleted,
    /// A token, or all preview links, were revoked.
    Revoked,
}

/// # Errors
/// If the items do not fit a row.
pub fn row(change: &ChangeRow) -> Result<Properties, TooLarge> {
    let json = serde_json::to_vec(&change.items).expect("items are plain data");
    let mut properties = NewRow::default().instant(AT, change.at).actor(BY, change.by.as_ref()).build();
    packed::pack(&mut properties, ITEMS, &json)?;
    Ok(properties)
}

pub fn read(row: &Entity) -> Result<ChangeRow, StoreError> {
    let fields = RowFields(row);
    let json = packed::unpack(&fields, ITEMS)?;
    Ok(ChangeRow {
        at: fields.instant(AT)?,
        by: fields.actor(BY)?,
        items: serde_json::from_slice(&json).map_err(|_| fields.damaged(ITEMS))?,
    })
}

/// # Errors
/// If [`read`] drops a part of the actor because it cannot be read.
pub fn check_actor(row: &Entity) -> Result<(), StoreError> {
    RowFields(row).check_actor(BY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(actions: &[Action]) -> ChangedItem {
        let text = |text: &str| text.to_owned();
        ChangedItem {
            kind: text("post"),
            id: text("0123456789ab"),
            slug: text("one"),
            actions: actions.to_vec(),
            version: 2,
            creation: None,
        }
    }

    #[test]
    fn an_item_is_read_as_it_was_written() {
        for actions in
            [&[Action::Created, Action::Scheduled][..], &[Action::Updated, Action::Renamed], &[Action::Deleted]]
        {
            let written = serde_json::to_string(&item(actions)).expect("JSON");
            assert_eq!(serde_json::from_str::<ChangedItem>(&written).expect("an item"), item(actions));
        }
    }
}
