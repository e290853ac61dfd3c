//! Rows of `PostKeys`: where a post is, and where an import found it. The rule: they may lag behind a move, for the post's own rows forward; they never name a place where
//! the post was not.

use crate::keys::{PostPlace, Shelf};
use crate::model::{Post, PostId, PostKey, Slug};
use crate::store::{Entity, Properties, StoreError};

use super::{Fields, NewRow};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupRow {
    /// A post's id, or the slug that it has now.
    Place { place: PostPlace, slug: Slug, version: i32, intent: String, origin: Option<String> },
    /// A slug that the post once had.
    Former { id: PostId },
}

pub fn place(post: &Post, intent: &str) -> Properties {
    let place = PostPlace::of(post);
    NewRow::default()
        .text("Shelf", place.shelf.name())
        .text("Id", place.key.id.as_str())
        .instant("At", place.key.at)
        .text("Slug", &post.slug)
        .int32("Version", post.version)
        .text("Intent", intent)
        .optional_text("Origin", post.origin.as_deref())
        .build()
}

pub fn former(id: &PostId) -> Properties {
    NewRow::default().text("Id", id.as_str()).flag("Former", true).build()
}

pub fn read(row: &Entity) -> Result<LookupRow, StoreError> {
    let fields = Fields(row);
    let id: PostId = fields.parsed("Id")?;
    if fields.flag("Former")? {
        return Ok(LookupRow::Former { id });
    }
    let shelf: Shelf = fields.parsed("Shelf")?;
    let key = PostKey { at: fields.instant("At")?, id };
    Ok(LookupRow::Place {
        place: PostPlace { shelf, key },
        slug: fields.parsed("Slug")?,
        version: fields.int32("Version")?,
        intent: fields.text("Intent")?.to_string(),
        origin: fields.optional_text("Origin")?.map(ToString::to_string),
    })
}
