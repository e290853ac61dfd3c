//! The lines in the server's log about changes. The rule: each change writes one line with the actor, the action, and the ids, slugs and names of what was
//! changed, but nothing from the body of a post.

use crate::model::{Actor, AssetHash, Post, SitePage, Term, Token, WebhookId};

use super::tables::rows::change::KIND_OF_PAGES;
use super::write::Change;

/// The log line of a change of a post, prepared before the change is made.
pub(super) struct PostChange {
    action: &'static str,
    id: String,
    slug: String,
    version: i32,
}

impl PostChange {
    pub(super) fn of(change: &Change) -> Self {
        let post = change.post();
        Self { action: action(change), id: post.id.to_string(), slug: post.slug.to_string(), version: post.version }
    }

    pub(super) fn log(&self, actor: &Actor) {
        let Self { action, id, slug, version } = self;
        tracing::info!(actor = actor.name, role = %actor.role, action, post = id, slug, version, "content.changed");
    }
}

/// The action that a change performs, whichever mutation requested it.
fn action(change: &Change) -> &'static str {
    let at = |post: Option<&Post>| post.and_then(|post| post.published_at);
    match (change.before(), change.after()) {
        (None, _) => "create_post",
        (Some(_), None) => "delete_post",
        (before, after) if at(before) == at(after) => "update_post",
        (_, after) if at(after).is_some() => "publish_post",
        _ => "unpublish_post",
    }
}

/// Logs that the publication of a post or page (`kind`) has ended.
pub(super) fn log_end(kind: &'static str, post: &Post) {
    let (id, slug, version) = (post.id.as_str(), post.slug.as_str(), post.version);
    let action = if kind == KIND_OF_PAGES { "unpublish_page" } else { "unpublish_post" };
    tracing::info!(actor = "server", action, kind, id, slug, version, "content.changed");
}

pub(super) fn log_term(actor: &Actor, action: &'static str, term: &Term) {
    let (kind, slug) = (term.kind().noun(), term.slug.as_str());
    tracing::info!(actor = actor.name, role = %actor.role, action, kind, slug, "content.changed");
}

pub(super) fn log_page(actor: &Actor, action: &'static str, page: &SitePage) {
    let (id, path, version) = (page.id().as_str(), page.path.to_string(), page.post.version);
    tracing::info!(actor = actor.name, role = %actor.role, action, page = id, path, version, "content.changed");
}

pub(super) fn log_token(actor: &Actor, action: &'static str, of: &Token) {
    let (token, name) = (of.id.as_str(), of.name.as_str());
    tracing::info!(actor = actor.name, role = %actor.role, action, token, name, granted = %of.role, "content.changed");
}

pub(super) fn log_asset(actor: &Actor, action: &'static str, asset: &AssetHash) {
    tracing::info!(actor = actor.name, role = %actor.role, action, %asset, "content.changed");
}

pub(super) fn log_assets(actor: &Actor, action: &'static str, assets: usize) {
    tracing::info!(actor = actor.name, role = %actor.role, action, assets, "content.changed");
}

pub(super) fn log_preview(actor: &Actor, post: &Post) {
    let (id, slug) = (post.id.as_str(), post.slug.as_str());
    tracing::info!(actor = actor.name, role = %actor.role, action = "create_preview", post = id, slug, "content.changed");
}

pub(super) fn log_preview_of_page(actor: &Actor, page: &SitePage) {
    let (id, path) = (page.id().as_str(), &page.path);
    tracing::info!(actor = actor.name, role = %actor.role, action = "create_preview", page = id, %path, "content.changed");
}

pub(super) fn log_previews_revoked(actor: &Actor) {
    tracing::info!(actor = actor.name, role = %actor.role, action = "revoke_previews", "content.changed");
}

pub(super) fn log_webhook(actor: &Actor, action: &'static str, webhook: &WebhookId) {
    tracing::info!(actor = actor.name, role = %actor.role, action, webhook = webhook.as_str(), "content.changed");
}
