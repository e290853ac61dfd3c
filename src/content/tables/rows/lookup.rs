//! Rows of `PostKeys`: where a post is stored, and where an import found it. The rule: they may lag behind a move, because the post's own rows
//! redirect; they never name a place where the post was not stored.

use crate::keys::{Collection, PostPlace};
use crate::model::{Post, PostId, PostKey, Slug};
use crate::store::{Entity, Properties, StoreError, Value};

use super::{NewRow, RowFields};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupRow {
    /// A post's id, or the slug that it has now.
    Place { place: PostPlace, slug: Slug, version: i32, intent: String, origin: Option<String> },
    /// A slug that the post once had.
    Former { id: PostId, intent: String },
}

impl LookupRow {
    pub fn id(&self) -> &PostId {
        match self {
            Self::Place { place, .. } => &place.key.id,
            Self::Former { id, .. } => id,
        }
    }

    /// The owning intents: those that needed the row last, separated by spaces.
    pub fn intent(&self) -> &str {
        match self {
            Self::Place { intent, .. } | Self::Former { intent, .. } => intent,
        }
    }

    /// Whether the row describes the post correctly.
    pub fn names(&self, post: &Post) -> bool {
        match self {
            Self::Place { place, slug, origin, .. } => {
                *place == PostPlace::of(post) && *slug == post.slug && *origin == post.origin
            }
            Self::Former { id, .. } => *id == post.id,
        }
    }
}

pub fn place(post: &Post, intent: &str) -> Properties {
    let place = PostPlace::of(post);
    NewRow::default()
        .text("Collection", place.collection.name())
        .text("Id", place.key.id.as_str())
        .instant("At", place.key.at)
        .text("Slug", &post.slug)
        .int32("Version", post.version)
        .text("Intent", intent)
        .optional_text("Origin", post.origin.as_deref())
        .build()
}

pub fn former(id: &PostId, intent: &str) -> Properties {
    NewRow::default().text("Id", id.as_str()).flag("Former", true).text("Intent", intent).build()
}

/// The same row with other owning intents.
pub fn marked(mut properties: Properties, intents: &str) -> Properties {
    properties.set("Intent", Value::String(intents.into()));
    properties
}

pub fn read(row: &Entity) -> Result<LookupRow, StoreError> {
    let fields = RowFields(row);
    let id: PostId = fields.parsed("Id")?;
    if fields.flag("Former")? {
        let intent = fields.optional_text("Intent")?.map(ToString::to_string).unwrap_or_default();
        return Ok(LookupRow::Former { id, intent });
    }
    let collection: Collection = fields.parsed("Collection")?;
    let key = PostKey { at: fields.instant("At")?, id };
    Ok(LookupRow::Place {
        place: PostPlace { collection, key },
        slug: fields.parsed("Slug")?,
        version: fields.int32("Version")?,
        intent: fields.text("Intent")?.to_string(),
        origin: fields.optional_text("Origin")?.map(ToString::to_string),
    })
}
