//! Index rows: a pointer to a post, under its time key and under its mirror key. The rule: a pointer is a claim, which is believed only if the
//! post's own row confirms it.

use crate::keys::PostPlace;
use crate::model::Post;
use crate::store::{Entity, Properties, StoreError};

use super::{NewRow, RowFields};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    pub post_partition: String,
    pub post_row: String,
    pub version: i32,
}

pub fn pointer(post: &Post) -> Properties {
    let summary = PostPlace::of(post).summary();
    NewRow::default()
        .text("PostPartitionKey", summary.partition())
        .text("PostRowKey", summary.row())
        .int32("Version", post.version)
        .build()
}

pub fn read(row: &Entity) -> Result<Pointer, StoreError> {
    let fields = RowFields(row);
    Ok(Pointer {
        post_partition: fields.text("PostPartitionKey")?.to_string(),
        post_row: fields.text("PostRowKey")?.to_string(),
        version: fields.int32("Version")?,
    })
}
