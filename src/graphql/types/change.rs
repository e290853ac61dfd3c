//! The type `Change`, a changed object in the audit log, which only the roles EDITOR and ADMIN can read; and `ChangeFeed`, the changes since a position. The
//! rule: a feed contains only what `content` allows the client to see.

use std::sync::Arc;

use async_graphql::{Context, Enum, ID, Object, SimpleObject};

use crate::content::read::pages::Page;
use crate::content::read::{Action, AuditEntry, ChangedItem, ChangesPage, ContentEvent, KIND_OF_PREVIEWS};
use crate::graphql::connection::PageInfo;
use crate::graphql::engine::interface_value::InterfaceValue;
use crate::graphql::failure::Result;
use crate::graphql::scalars::DateTime;
use crate::model::NodeId;

use super::actor::ActorObject;
use super::node::{self, Node};

/// What was done to an object. One change can have several actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "Action")]
pub enum ChangeAction {
    /// Created. A post that was created with a publication time also has PUBLISHED or SCHEDULED.
    Created,
    /// A text, a name, or the terms of a post were changed; or something that no other action names, such as the source of an import.
    Updated,
    /// Given another slug.
    Renamed,
    /// Given a publication time that was in the future.
    Scheduled,
    /// Published, or given another publication time that was in the past.
    Published,
    /// Not public any more: made a draft again, or, together with SCHEDULED, given a publication time that was in the future.
    Unpublished,
    /// Deleted.
    Deleted,
    /// Of an access token or of all preview links: they give no access any more.
    Revoked,
}

pub struct Change(pub Arc<AuditEntry>);

/// A change of one post, page, category, tag, author, series or access token, or the revocation of all preview links. Changes that were made together have the same
/// `occurredAt` and `actor`.
#[Object]
impl Change {
    /// An opaque id that never changes and is never given to another object.
    pub async fn id(&self) -> ID {
        NodeId::Change(self.0.id.clone()).to_string().into()
    }

    /// The id of the object that was changed, also if it was deleted; `preview-links` for the revocation of all preview links.
    async fn node_id(&self) -> ID {
        self.0.item.node_id().into()
    }

    /// The name of the object's type in this schema, such as `Post`: with `nodeId` the key of the object in a client's cache.
    async fn node_type(&self) -> String {
        type_of(&self.0.item)
    }

    /// The object as it is now; null for a deletion, if the object was deleted later, for preview links, and if the client has no access to it, as to an
    /// access token without the role ADMIN. Costs up to two storage reads, shared by equal objects.
    async fn node(&self, ctx: &Context<'_>) -> Result<Option<InterfaceValue<Node>>> {
        if self.0.item.actions.contains(&Action::Deleted) {
            return Ok(None);
        }
        let id = self.0.item.node_id().into();
        Ok(node::find(ctx, &id).await?.map(InterfaceValue))
    }

    /// The slug after the change, of a page its path; for a deletion, the last one. For an access token, the part of its id that `tidings token` shows.
    async fn slug(&self) -> Option<&str> {
        Some(&self.0.item.slug)
    }

    /// The version of the object after the change; for a deletion, the last one. It can be null if an earlier version of the server recorded the change.
    async fn version(&self) -> Option<i32> {
        self.0.item.version
    }

    /// What was done; at least one action.
    async fn actions(&self) -> Vec<ChangeAction> {
        self.0.item.actions.iter().map(|action| (*action).into()).collect()
    }

    /// When the change was started.
    async fn occurred_at(&self) -> DateTime {
        DateTime(self.0.at)
    }

    /// Who made the change; null if the server itself made it.
    async fn actor(&self) -> Option<ActorObject> {
        self.0.by.clone().map(ActorObject)
    }
}

/// The name of an object's type in the schema.
pub(super) fn type_of(item: &ChangedItem) -> String {
    if item.kind == KIND_OF_PREVIEWS {
        return "PreviewLink".to_owned();
    }
    let kind = &item.kind;
    kind.chars().take(1).map(|first| first.to_ascii_uppercase()).chain(kind.chars().skip(1)).collect()
}

/// A page of changes, newest first.
pub struct ChangeConnection(pub Page<Arc<AuditEntry>>);

/// A change and its cursor in the list.
#[derive(SimpleObject)]
pub struct ChangeEdge {
    /// An opaque cursor; pass it as `after` to continue the list from here.
    cursor: String,
    /// The change.
    node: Change,
}

/// A page of changes, newest first.
#[Object]
impl ChangeConnection {
    /// The changes of this page, each with its cursor.
    async fn edges(&self) -> Vec<ChangeEdge> {
        let edge = |entry: &Arc<AuditEntry>| ChangeEdge { cursor: entry.cursor(), node: Change(Arc::clone(entry)) };
        self.0.items.iter().map(edge).collect()
    }

    /// The changes of this page.
    async fn nodes(&self) -> Vec<Change> {
        self.0.items.iter().map(|entry| Change(Arc::clone(entry))).collect()
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.0, |entry| entry.cursor())
    }
}

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
