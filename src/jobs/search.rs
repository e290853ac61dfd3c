//! Keeps the search index. The rule: each server has its own index, even a read-only server.

use crate::content::Content;

pub(super) async fn for_ever(content: Content) {
    content.follow_for_search().await;
}
