//! Follows what other servers write, and reads the changes for those who wait for them. The rule: each ends or waits by itself if there is nothing to do.

use crate::content::Content;

pub(super) async fn for_ever(content: Content) {
    tokio::join!(content.follow_writes(), content.follow_changes());
}
