//! Rows of `PostKeys`: the place of a post, and its source in an import. The rule: a row is only a claim, which is valid if the post is at the named place.

use crate::keys::{Collection, PostPlace};
use crate::model::{Post, PostId, PostKey, Slug};
use crate::store::{Entity, Properties, StoreError};

use super::{NewRow, RowFields};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupRow {
    /// The row of a post's id, or of its current slug.
    Place { place: PostPlace, slug: Slug, version: i32, origin: Option<String> },
    /// The row of a slug that the post once had.
    Former { id: PostId },
}

impl LookupRow {
    pub fn id(&self) -> &PostId {
        match self {
            Self::Place { place, .. } => &place.key.id,
            Self::Former { id } => id,
        }
    }
}

pub fn place(post: &Post) -> Properties {
    let place = PostPlace::of(post);
    NewRow::default()
        .text("Collection", place.collection.name())
        .text("Id", place.key.id.as_str())
        .instant("At", place.key.at)
        .text("Slug", &post.slug)
        .int32("Version", post.version)
        .optional_text("Origin", post.origin.as_deref())
        .build()
}

pub fn former(id: &PostId) -> Properties {
    NewRow::default().text("Id", id.as_str()).flag("Former", true).build()
}

/// The post that a row names.
pub fn named(row: &Entity) -> Option<PostId> {
    RowFields(row).parsed("Id").ok()
}

pub fn read(row: &Entity) -> Result<LookupRow, StoreError> {
    let fields = RowFields(row);
    let id: PostId = fields.parsed("Id")?;
    if fields.flag("Former")? {
        return Ok(LookupRow::Former { id });
    }
    let collection: Collection = fields.parsed("Collection")?;
    let key = PostKey { at: fields.instant("At")?, id };
    Ok(LookupRow::Place {
        place: PostPlace { collection, key },
        slug: fields.parsed("Slug")?,
        version: fields.int32("Version")?,
        origin: fields.optional_text("Origin")?.map(ToString::to_string),
    })
}
