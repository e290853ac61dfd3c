//! Markers of posts that do not exist in a partition. The rule: a marker names the intent that wrote it, and a post's own rows and its marker never
//! exist together.

use crate::store::{Entity, Properties, StoreError};

use super::{NewRow, RowFields};

/// The property that names the intent of a marker of this state.
pub const RESERVED_BY: &str = "ReservedBy";
pub const DELETED_BY: &str = "DeletedBy";
pub const FENCED_BY: &str = "FencedBy";

/// Why a post does not exist. The text is the name of the intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marker {
    /// The intent is about to create it.
    Reserved(String),
    /// The intent has deleted it.
    Deleted(String),
    /// The creation by the intent was aborted, and can no longer be committed.
    Fenced(String),
}

impl Marker {
    pub fn by(&self) -> &str {
        match self {
            Self::Reserved(by) | Self::Deleted(by) | Self::Fenced(by) => by,
        }
    }
}

pub fn row(marker: &Marker) -> Properties {
    let name = match marker {
        Marker::Reserved(_) => RESERVED_BY,
        Marker::Deleted(_) => DELETED_BY,
        Marker::Fenced(_) => FENCED_BY,
    };
    NewRow::default().text(name, marker.by()).build()
}

pub fn read(row: &Entity) -> Result<Marker, StoreError> {
    let fields = RowFields(row);
    let text = |name| Ok::<_, StoreError>(fields.optional_text(name)?.map(ToString::to_string));
    if let Some(by) = text(RESERVED_BY)? {
        return Ok(Marker::Reserved(by));
    }
    if let Some(by) = text(DELETED_BY)? {
        return Ok(Marker::Deleted(by));
    }
    text(FENCED_BY)?.map(Marker::Fenced).ok_or_else(|| fields.damaged(FENCED_BY))
}
