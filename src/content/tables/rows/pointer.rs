//! Index rows: a pointer to a post, under its time key and under its mirror key. The rule: a pointer is only a claim, which is valid if the post's own row
//! confirms it.

use crate::keys::PostPlace;
use crate::model::Post;
use crate::store::Properties;

use super::NewRow;

pub fn pointer(post: &Post) -> Properties {
    let summary = PostPlace::of(post).summary();
    NewRow::default()
        .text("PostPartitionKey", summary.partition())
        .text("PostRowKey", summary.row())
        .int32("Version", post.version)
        .build()
}
