//! Keeps the search index. The rule: each server keeps its own, and a server that only reads too.

use crate::content::Content;

pub(super) async fn for_ever(content: Content) {
    content.follow_for_search().await;
}
