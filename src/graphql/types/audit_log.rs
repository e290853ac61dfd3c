//! The interface `AuditLogEntry`, the types of its entries and their list, which only the roles EDITOR and ADMIN can read. The rule: tokens, preview
//! links and webhooks are not content, so their entries have separate types.

use std::sync::Arc;

use async_graphql::{Context, ID, Interface, Object, SimpleObject};

use crate::content::read::pages::Page;
use crate::content::read::{Action, AuditEntry, KIND_OF_PREVIEWS, KIND_OF_TOKENS, KIND_OF_WEBHOOKS};
use crate::graphql::connection::PageInfo;
use crate::graphql::engine::interface_value::InterfaceValue;
use crate::graphql::failure::Result;
use crate::graphql::scalars::DateTime;
use crate::model::NodeId;

use super::actor::ActorObject;
use super::change::ChangeAction;
use super::node::{self, Node};
use super::token::Token;
use super::webhook::Webhook;

/// A change of one object. Changes that were made together have the same `occurredAt` and `actor`.
#[derive(Interface)]
#[graphql(
    field(name = "id", ty = "ID", desc = "Opaque, permanent, never reused."),
    field(name = "actions", ty = "Vec<ChangeAction>", desc = "What was done: at least one action."),
    field(name = "occurred_at", ty = "DateTime", desc = "When the change was started."),
    field(name = "actor", ty = "Option<ActorObject>", desc = "Null if the server itself made the change.")
)]
pub enum AuditLogEntry {
    Content(ContentAuditLogEntry),
    Token(TokenAuditLogEntry),
    PreviewLinks(PreviewLinksAuditLogEntry),
    Webhook(WebhookAuditLogEntry),
}

impl AuditLogEntry {
    pub(super) fn of(entry: &Arc<AuditEntry>) -> Self {
        let entry = Arc::clone(entry);
        match entry.item.kind.as_str() {
            KIND_OF_TOKENS => Self::Token(TokenAuditLogEntry(entry)),
            KIND_OF_PREVIEWS => Self::PreviewLinks(PreviewLinksAuditLogEntry(entry)),
            KIND_OF_WEBHOOKS => Self::Webhook(WebhookAuditLogEntry(entry)),
            _ => Self::Content(ContentAuditLogEntry(entry)),
        }
    }
}

fn shown(entry: &Arc<AuditEntry>) -> InterfaceValue<AuditLogEntry> {
    InterfaceValue(AuditLogEntry::of(entry))
}

/// Declares the type of one kind of entry: the common fields, then its own.
macro_rules! entry_type {
    ($(#[$doc:meta])* $type:ident { $(#[$of_actions:meta])* actions; $($own:tt)* }) => {
        pub struct $type(Arc<AuditEntry>);

        $(#[$doc])*
        #[Object]
        impl $type {
            /// Opaque, permanent, never reused.
            pub async fn id(&self) -> ID {
                NodeId::Change(self.0.id.clone()).to_string().into()
            }

            $(#[$of_actions])*
            async fn actions(&self) -> Vec<ChangeAction> {
                self.0.item.actions.iter().map(|action| (*action).into()).collect()
            }

            /// When the change was started.
            async fn occurred_at(&self) -> DateTime {
                DateTime(self.0.at)
            }

            /// Null if the server itself made the change.
            async fn actor(&self) -> Option<ActorObject> {
                self.0.by.clone().map(ActorObject)
            }

            $($own)*
        }
    };
}

entry_type! {
    /// A change of a post, page or term.
    ContentAuditLogEntry {
        /// What was done: at least one action.
        actions;

        /// The id of the object, also if it was deleted.
        async fn node_id(&self) -> ID {
            self.0.item.node_id().into()
        }

        /// The name of the object's type, such as `Post`: with `nodeId` the key in a client's cache.
        async fn node_type(&self) -> String {
            self.0.item.node_type()
        }

        /// The object as it is now; null if it was deleted.
        async fn node(&self, ctx: &Context<'_>) -> Result<Option<InterfaceValue<Node>>> {
            if self.0.item.actions.contains(&Action::Deleted) {
                return Ok(None);
            }
            let id = self.0.item.node_id().into();
            Ok(node::find(ctx, &id).await?.map(InterfaceValue))
        }

        /// The slug after the change, of a page the last part of its path; for a deletion, the last one.
        async fn slug(&self) -> &str {
            self.0.item.slug_and_path(&self.0.item.slug).0
        }

        /// The path of a page after the change; for a deletion, the last one. Null for other objects.
        async fn path(&self) -> Option<&str> {
            self.0.item.slug_and_path(&self.0.item.slug).1
        }

        /// The version after the change; for a deletion, the last one.
        async fn version(&self) -> i32 {
            self.0.item.version
        }
    }
}

entry_type! {
    /// A change of an access token: CREATED, REVOKED, or DELETED if a new token has replaced it.
    TokenAuditLogEntry {
        /// What was done: at least one action.
        actions;

        /// The id of the token, also if it was deleted.
        async fn token_id(&self) -> ID {
            self.0.item.node_id().into()
        }

        /// The token as it is now; null if it was deleted, and without the role ADMIN.
        async fn token(&self, ctx: &Context<'_>) -> Result<Option<Token>> {
            let found = node::find(ctx, &self.0.item.node_id().into()).await?;
            Ok(found.and_then(|node| if let Node::Token(token) = node { Some(token) } else { None }))
        }
    }
}

entry_type! {
    /// A change of a webhook by an admin: CREATED, UPDATED also for a new secret, or DELETED.
    WebhookAuditLogEntry {
        /// What was done: at least one action.
        actions;

        /// The id of the webhook, also if it was deleted.
        async fn webhook_id(&self) -> ID {
            self.0.item.node_id().into()
        }

        /// The webhook as it is now; null if it was deleted, and without the role ADMIN.
        async fn webhook(&self, ctx: &Context<'_>) -> Result<Option<Webhook>> {
            let found = node::find(ctx, &self.0.item.node_id().into()).await?;
            Ok(found.and_then(|node| if let Node::Webhook(webhook) = node { Some(webhook) } else { None }))
        }
    }
}

entry_type! {
    /// A revocation of all preview links.
    PreviewLinksAuditLogEntry {
        /// REVOKED.
        actions;
    }
}

pub struct AuditLogEntryConnection(pub Page<Arc<AuditEntry>>);

/// An item and its cursor.
#[derive(SimpleObject)]
pub struct AuditLogEntryEdge {
    /// An opaque cursor for `after`.
    cursor: String,
    /// The item.
    node: InterfaceValue<AuditLogEntry>,
}

/// A page of the audit log, newest first.
#[Object]
impl AuditLogEntryConnection {
    /// Each item with its cursor.
    async fn edges(&self) -> Vec<AuditLogEntryEdge> {
        let edge = |entry: &Arc<AuditEntry>| AuditLogEntryEdge { cursor: entry.cursor(), node: shown(entry) };
        self.0.items.iter().map(edge).collect()
    }

    /// The items.
    async fn nodes(&self) -> Vec<InterfaceValue<AuditLogEntry>> {
        self.0.items.iter().map(shown).collect()
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.0, |entry| entry.cursor())
    }
}
