//! The types `ChangeFeed` and `ContentChange`: the changes since a position. The rule: they contain only what `content` allows the client
//! to see.

use async_graphql::{ID, Object};

use super::change::{ChangeAction, type_of};
use crate::content::read::{ChangesPage, ContentEvent};
use crate::graphql::scalars::DateTime;

pub struct ChangeFeed(pub ChangesPage);

/// The changes after a position, the oldest first, and the position after them.
#[Object]
impl ChangeFeed {
    /// The changes. Those of one object are in the order of its versions. A change can come more than once.
    async fn nodes(&self) -> Vec<ContentChange> {
        self.0.events.iter().cloned().map(ContentChange).collect()
    }

    /// Whether more changes may follow at once. If not, ask again later, for example after a second.
    async fn has_next_page(&self) -> bool {
        self.0.has_next
    }

    /// The position after these changes, also if there are none: an opaque text for `after`. It is valid for 30 days, and each answer has another one.
    async fn end_cursor(&self) -> &str {
        &self.0.position
    }
}

pub struct ContentChange(ContentEvent);

/// A change of one post, page, category, tag, author or series, for a client that follows the content. For the role ADMIN also of an access token, and the
/// revocation of all preview links.
#[Object]
impl ContentChange {
    /// The id of the object, also if it was deleted; `preview-links` for the revocation of all preview links. `nodes(ids:)` returns the objects as they are
    /// now.
    async fn node_id(&self) -> ID {
        self.0.item.node_id().into()
    }

    /// The name of the object's type in this schema, such as `Post`: with `nodeId` the key of the object in a client's cache.
    async fn node_type(&self) -> String {
        type_of(&self.0.item)
    }

    /// The slug after the change, of a page its path; for UNPUBLISHED and DELETED, the last one that was public. For an access token, the part of its id that
    /// `tidings token` shows.
    async fn slug(&self) -> &str {
        &self.0.item.slug
    }

    /// The slug before the change, if it was another; null otherwise.
    async fn former_slug(&self) -> Option<&str> {
        self.0.former_slug.as_deref()
    }

    /// The version of the object after the change; for a deletion, the last one. It can be null if an earlier version of the server began the change.
    async fn version(&self) -> Option<i32> {
        self.0.item.version
    }

    /// What was done; at least one action.
    async fn actions(&self) -> Vec<ChangeAction> {
        self.0.item.actions.iter().map(|action| (*action).into()).collect()
    }

    /// When the change was started; for a scheduled post that has appeared, its instant.
    async fn occurred_at(&self) -> DateTime {
        DateTime(self.0.at)
    }
}
