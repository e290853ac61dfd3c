//! What was: versions of a post, and the record of changes. The rule: told only to those who may change posts, or see them before everyone.

use std::sync::Arc;

use async_graphql::{Context, Enum, Object, Result, SimpleObject};

use crate::content::history::{self, Revision as Kept};
use crate::content::pages::Page;
use crate::content::rows::change;
use crate::graphql::connection::PageInfo;
use crate::graphql::context;
use crate::graphql::failure::ReadFailure;
use crate::graphql::scalars::DateTime;
use crate::graphql::types::body::PostBody;
use crate::graphql::types::term::{Author, Category, Tag};
use crate::model::{Term, TermKind};

/// One version of a post, as it stood.
pub struct Revision(pub Arc<Kept>);

/// One version of a post, as it stood.
#[Object]
impl Revision {
    /// What `restoreRevision` takes.
    async fn version(&self) -> i32 {
        self.0.whole.post.version
    }

    /// When it was made.
    async fn changed_at(&self) -> DateTime {
        DateTime(self.0.whole.post.updated_at)
    }

    /// Who made it: the name of a token, `import`; null where it was made before names were kept.
    async fn changed_by(&self) -> Option<&str> {
        self.0.whole.changed_by.as_deref()
    }

    /// What it changed: `title`, `slug`, `excerpt`, `body`, `authors`, `categories`, `tags`, `publishedAt`; `created` for the first. Empty
    /// where the version before it is no longer kept.
    async fn changed(&self) -> &[&'static str] {
        &self.0.changed
    }

    /// Its name in addresses at that time.
    async fn slug(&self) -> &str {
        self.0.whole.post.slug.as_str()
    }

    /// Plain text.
    async fn title(&self) -> &str {
        &self.0.whole.post.title
    }

    /// Plain text.
    async fn excerpt(&self) -> &str {
        &self.0.whole.post.excerpt
    }

    /// The text itself.
    async fn body(&self) -> PostBody {
        PostBody::new(Arc::clone(&self.0.whole.markdown))
    }

    /// When it was, or was to be, published; null for a draft.
    async fn published_at(&self) -> Option<DateTime> {
        self.0.whole.post.published_at.map(DateTime)
    }

    /// In the writer's order; those that are gone are left out.
    async fn authors(&self, ctx: &Context<'_>) -> Result<Vec<Author>> {
        Ok(self.terms(ctx, TermKind::Author).await?.into_iter().map(Author).collect())
    }

    /// In the writer's order; those that are gone are left out.
    async fn categories(&self, ctx: &Context<'_>) -> Result<Vec<Category>> {
        Ok(self.terms(ctx, TermKind::Category).await?.into_iter().map(Category).collect())
    }

    /// In the writer's order; those that are gone are left out.
    async fn tags(&self, ctx: &Context<'_>) -> Result<Vec<Tag>> {
        Ok(self.terms(ctx, TermKind::Tag).await?.into_iter().map(Tag).collect())
    }
}

impl Revision {
    async fn terms(&self, ctx: &Context<'_>, kind: TermKind) -> Result<Vec<Arc<Term>>> {
        Ok(context::of(ctx)
            .loaders
            .terms_of_post(kind, self.0.whole.post.terms(kind))
            .await
            .map_err(ReadFailure::from)?)
    }
}

/// A page of versions, the newest first.
pub struct RevisionConnection(pub Page<Arc<Kept>>);

/// One version and its place in the list.
#[derive(SimpleObject)]
pub struct RevisionEdge {
    /// Opaque; pass it as `after` to go on from here.
    cursor: String,
    /// The version itself.
    node: Revision,
}

/// A page of versions, the newest first.
#[Object]
impl RevisionConnection {
    /// The versions with their cursors.
    async fn edges(&self) -> Vec<RevisionEdge> {
        let edge = |kept: &Arc<Kept>| RevisionEdge { cursor: kept.cursor(), node: Revision(Arc::clone(kept)) };
        self.0.items.iter().map(edge).collect()
    }

    /// The versions alone.
    async fn nodes(&self) -> Vec<Revision> {
        self.0.items.iter().map(|kept| Revision(Arc::clone(kept))).collect()
    }

    /// Where this page stands in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.0, |kept| kept.cursor())
    }
}

/// What was changed together, by whom.
#[derive(SimpleObject)]
pub struct Change {
    /// When the change was begun.
    at: DateTime,
    /// Who made it: the name of a token, `import`; null where the server itself did.
    by: Option<String>,
    /// Each post, category, tag or author that was changed.
    items: Vec<ChangedItem>,
}

/// A post, category, tag or author that was changed.
#[derive(SimpleObject)]
pub struct ChangedItem {
    /// The id of it, for `node`; nothing is there any more where it was deleted.
    // Not `id`: the caches of clients would take all changes of one post for one object.
    node_id: async_graphql::ID,
    /// Its slug after the change; before it, where it was deleted.
    slug: String,
    /// What was done.
    action: ChangeAction,
    /// A post's version after the change.
    version: Option<i32>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub enum ChangeAction {
    /// Made new.
    Created,
    /// Changed where it stood.
    Updated,
    /// Published, scheduled or given another instant.
    Published,
    /// Made a draft again.
    Unpublished,
    /// Given another slug.
    Renamed,
    /// Taken away.
    Deleted,
}

impl From<&change::ChangeRow> for Change {
    fn from(row: &change::ChangeRow) -> Self {
        Self { at: DateTime(row.at), by: row.by.clone(), items: row.items.iter().map(ChangedItem::from).collect() }
    }
}

impl From<&change::ChangedItem> for ChangedItem {
    fn from(item: &change::ChangedItem) -> Self {
        let action = match item.action {
            change::Action::Created => ChangeAction::Created,
            change::Action::Updated => ChangeAction::Updated,
            change::Action::Published => ChangeAction::Published,
            change::Action::Unpublished => ChangeAction::Unpublished,
            change::Action::Renamed => ChangeAction::Renamed,
            change::Action::Deleted => ChangeAction::Deleted,
        };
        let node_id = format!("{}-{}", item.kind, item.id).into();
        Self { node_id, slug: item.slug.clone(), action, version: item.version }
    }
}

/// A page of changes, the newest first.
pub struct ChangeConnection(pub Page<Arc<history::RecordedChange>>);

/// One change and its place in the list.
#[derive(SimpleObject)]
pub struct ChangeEdge {
    /// Opaque; pass it as `after` to go on from here.
    cursor: String,
    /// The change itself.
    node: Change,
}

/// A page of changes, the newest first.
#[Object]
impl ChangeConnection {
    /// The changes with their cursors.
    async fn edges(&self) -> Vec<ChangeEdge> {
        let edge = |kept: &Arc<history::RecordedChange>| ChangeEdge {
            cursor: kept.cursor(),
            node: Change::from(&kept.change),
        };
        self.0.items.iter().map(edge).collect()
    }

    /// The changes alone.
    async fn nodes(&self) -> Vec<Change> {
        self.0.items.iter().map(|kept| Change::from(&kept.change)).collect()
    }

    /// Where this page stands in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.0, |kept| kept.cursor())
    }
}
