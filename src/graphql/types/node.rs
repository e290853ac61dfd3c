//! The interface `Node` of Relay's "GraphQL Global Object Identification Specification". The rule: it lists every type that `node` can find; an inaccessible
//! object is not found, as if it did not exist.

use std::sync::Arc;

use async_graphql::{Context, ID, Interface};
use futures_util::future::try_join_all;

use super::asset::{Asset, File, Image};
use super::audit_log::{
    AuditLogEntry, ContentAuditLogEntry, PreviewLinksAuditLogEntry, TokenAuditLogEntry, WebhookAuditLogEntry,
};
use super::page::PageObject;
use super::post::PostObject;
use super::revision::Revision;
use super::term::{Author, Category, Series, Tag};
use super::token::Token;
use super::webhook::Webhook;
use crate::content::access::Tokens;
use crate::content::webhooks::Webhooks;
use crate::graphql::context;
use crate::graphql::cost::NODES_MAX;
use crate::graphql::failure::{Result, bad_input};
use crate::model::{ChangeId, NodeId, PostId, Role, Term, TermKind, TokenId, WebhookId};

/// An object with an id, for caches and for `node(id:)`.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "Opaque, permanent, never reused."))]
pub enum Node {
    Post(PostObject),
    Page(PageObject),
    Category(Category),
    Tag(Tag),
    Author(Author),
    Series(Series),
    Token(Token),
    Webhook(Webhook),
    Revision(Revision),
    ContentAuditLogEntry(ContentAuditLogEntry),
    TokenAuditLogEntry(TokenAuditLogEntry),
    PreviewLinksAuditLogEntry(PreviewLinksAuditLogEntry),
    WebhookAuditLogEntry(WebhookAuditLogEntry),
    Image(Image),
    File(File),
}

/// The objects with these ids, in the order of the ids.
pub async fn find_all(ctx: &Context<'_>, ids: &[ID]) -> Result<Vec<Option<Node>>> {
    if ids.len() > NODES_MAX {
        let message = format!("`ids` names {} objects; at most {NODES_MAX} are allowed", ids.len());
        return Err(bad_input("ids", message));
    }
    try_join_all(ids.iter().map(|id| find(ctx, id))).await
}

/// The object with this id; `None` if it does not exist, or if the client has no access to it.
pub async fn find(ctx: &Context<'_>, id: &ID) -> Result<Option<Node>> {
    let request = context::of(ctx);
    match id.parse::<NodeId>() {
        Err(()) => Ok(None),
        Ok(NodeId::Post(id)) => {
            let found = request.loaders.posts.load(id).await?;
            Ok(found.map(|post| Node::Post(PostObject::new(post))))
        }
        Ok(NodeId::Page(id)) => {
            let found = request.loaders.site_pages.load(id).await?;
            Ok(found.map(|page| Node::Page(PageObject::new(page))))
        }
        Ok(NodeId::Revision(post, version)) => find_revision(ctx, &post, version).await,
        Ok(NodeId::Term(id)) => {
            let found = request.loaders.terms.load((id.key.kind, id.key.first_slug.clone())).await?;
            Ok(found.filter(|term| term.node_id() == id).map(node_of_term))
        }
        Ok(NodeId::Token(id)) => find_token(ctx, &id).await,
        Ok(NodeId::Webhook(id)) => find_webhook(ctx, &id).await,
        Ok(NodeId::Change(id)) => find_change(ctx, &id).await,
        Ok(NodeId::Asset(_)) => Ok(Asset::read(ctx, id).await?.map(node_of_asset)),
    }
}

/// Finds a version. Its body is read together with that of the previous version, which is dropped after the comparison.
async fn find_revision(ctx: &Context<'_>, post: &PostId, version: i32) -> Result<Option<Node>> {
    let request = context::of(ctx);
    if request.reader.actor().is_none() {
        return Ok(None);
    }
    let _places = request.texts.places_to_load(2).await?;
    let Some(found) = request.reader.accessible_revision(post, version).await? else { return Ok(None) };
    request.texts.hold(&found.whole.markdown).await?;
    Ok(Some(Node::Revision(Revision(found))))
}

async fn find_token(ctx: &Context<'_>, id: &TokenId) -> Result<Option<Node>> {
    let request = context::of(ctx);
    let Some(actor) = request.reader.actor().filter(|actor| actor.role >= Role::Admin) else { return Ok(None) };
    let found = Tokens::new(&request.content, &request.reader, actor)?.get(id).await?;
    Ok(found.map(|token| Node::Token(Token(token))))
}

async fn find_webhook(ctx: &Context<'_>, id: &WebhookId) -> Result<Option<Node>> {
    let request = context::of(ctx);
    let Some(actor) = request.reader.actor().filter(|actor| actor.role >= Role::Admin) else { return Ok(None) };
    let found = Webhooks::new(&request.content, &request.reader, actor)?.get(id).await?;
    Ok(found.map(|webhook| Node::Webhook(Webhook(webhook))))
}

async fn find_change(ctx: &Context<'_>, id: &ChangeId) -> Result<Option<Node>> {
    let reader = &context::of(ctx).reader;
    if reader.actor().is_none_or(|actor| actor.role < Role::Editor) {
        return Ok(None);
    }
    Ok(reader.audit_entry(id).await?.map(|entry| match AuditLogEntry::of(&entry) {
        AuditLogEntry::Content(entry) => Node::ContentAuditLogEntry(entry),
        AuditLogEntry::Token(entry) => Node::TokenAuditLogEntry(entry),
        AuditLogEntry::PreviewLinks(entry) => Node::PreviewLinksAuditLogEntry(entry),
        AuditLogEntry::Webhook(entry) => Node::WebhookAuditLogEntry(entry),
    }))
}

pub fn node_of_asset(asset: Asset) -> Node {
    match asset {
        Asset::Image(image) => Node::Image(image),
        Asset::File(file) => Node::File(file),
    }
}

pub fn node_of_term(term: Arc<Term>) -> Node {
    match term.kind() {
        TermKind::Category => Node::Category(Category(term)),
        TermKind::Tag => Node::Tag(Tag(term)),
        TermKind::Author => Node::Author(Author(term)),
        TermKind::Series => Node::Series(Series(term)),
    }
}
