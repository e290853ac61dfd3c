//! The types `ChangeFeed` and `Change`: the changes since a position. The rule: a feed contains only what `content` allows the client to see, and a path is
//! never called a slug.

use async_graphql::{Enum, ID, Object};

use crate::content::read::{Action, ChangesPage, ContentEvent};
use crate::graphql::scalars::DateTime;

/// What was done. One change can have several actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "Action")]
pub enum ChangeAction {
    /// Created. With a publication time, also PUBLISHED or SCHEDULED.
    Created,
    /// A text, a name or the terms were changed, or something that no other action names, such as the source of an import.
    Updated,
    /// Given another slug.
    Renamed,
    /// Given a publication time in the future.
    Scheduled,
    /// Published, or given another publication time in the past.
    Published,
    /// Not public any more: a draft again, or with SCHEDULED given a publication time in the future.
    Unpublished,
    /// Deleted.
    Deleted,
    /// A token or all preview links give no access any more: only in the audit log.
    Revoked,
}

/// A type of objects whose changes are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum ChangedType {
    /// Posts.
    Post,
    /// Pages.
    Page,
    /// Categories.
    Category,
    /// Tags.
    Tag,
    /// Authors.
    Author,
    /// Series.
    Series,
}

impl ChangedType {
    const ALL: [Self; 6] = [Self::Post, Self::Page, Self::Category, Self::Tag, Self::Author, Self::Series];

    /// The name of the kind in the log.
    pub fn kind(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    pub fn of_kind(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.kind() == kind)
    }

    pub fn is_of(self, event: &ContentEvent) -> bool {
        self.kind() == event.item.kind
    }
}

pub struct ChangeFeed(pub ChangesPage);

/// Changes after a position, the oldest first.
#[Object]
impl ChangeFeed {
    /// Those of one object are in the order of its versions. A change can come more than once.
    async fn changes(&self) -> Vec<Change> {
        self.0.events.iter().cloned().map(Change).collect()
    }

    /// Whether more changes may follow at once. If not, ask again later, for example after a second.
    async fn has_next_page(&self) -> bool {
        self.0.has_next
    }

    /// The position after these changes, for `after`; also if there are none. Valid for 30 days; each answer has another one.
    async fn end_cursor(&self) -> &str {
        &self.0.position
    }
}

pub struct Change(ContentEvent);

/// A change of one post, page or term.
#[Object]
impl Change {
    /// The id of the object, also if it was deleted.
    async fn node_id(&self) -> ID {
        self.0.item.node_id().into()
    }

    /// The name of the object's type, such as `Post`: with `nodeId` the key in a client's cache.
    async fn node_type(&self) -> String {
        self.0.item.node_type()
    }

    /// The slug after the change, of a page the last part of its path; for UNPUBLISHED and DELETED, the last public one.
    async fn slug(&self) -> &str {
        self.0.item.slug_and_path(&self.0.item.slug).0
    }

    /// The slug before the change, if it was another.
    async fn former_slug(&self) -> Option<&str> {
        let former = self.0.item.slug_and_path(self.0.former_slug.as_deref()?).0;
        Some(former).filter(|former| self.0.item.slug_and_path(&self.0.item.slug).0 != *former)
    }

    /// The path of a page after the change; for UNPUBLISHED and DELETED, the last public one. Null for other objects.
    async fn path(&self) -> Option<&str> {
        self.0.item.slug_and_path(&self.0.item.slug).1
    }

    /// The path of a page before the change, if it was another.
    async fn former_path(&self) -> Option<&str> {
        self.0.item.slug_and_path(self.0.former_slug.as_deref()?).1
    }

    /// The version after the change; for a deletion, the last one.
    async fn version(&self) -> i32 {
        self.0.item.version
    }

    /// What was done: at least one action.
    async fn actions(&self) -> Vec<ChangeAction> {
        self.0.item.actions.iter().map(|action| (*action).into()).collect()
    }

    /// The tags of the answers that may be different after the change, at most 128; `tidings` is a tag of every answer. An answer has its own in
    /// `extensions.tags` if the request has the header `GraphQL-Tags: report`.
    async fn tags(&self) -> &[String] {
        &self.0.tags
    }

    /// When the change was started; for a scheduled post or page that has appeared, its publication time.
    async fn occurred_at(&self) -> DateTime {
        DateTime(self.0.at)
    }
}
