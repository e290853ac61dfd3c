//! Follows the writes of other servers, and reads changes for subscribers. The rule: each task ends or waits by itself if there is nothing to do.

use crate::content::Content;

pub(super) async fn for_ever(content: Content) {
    tokio::join!(content.follow_writes(), content.follow_changes());
}
