//! The history: the versions of a post, and the record of changes. The rule: neither is readable without a token; versions require access to the
//! unpublished post, changes require the role EDITOR.

use std::sync::Arc;

use async_graphql::{Context, Enum, ID, Object, SimpleObject};

use crate::content::read::pages::Page;
use crate::content::read::{Action, ChangedItem as RecordedItem, RecordedChange, Revision as Kept};
use crate::graphql::connection::PageInfo;
use crate::graphql::context;
use crate::graphql::failure::Result;
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::DateTime;
use crate::graphql::types::actor::ActorObject;
use crate::graphql::types::rich_text::RichText;
use crate::graphql::types::term::{Author, Category, Tag};
use crate::model::{NodeId, Term, TermKind};

/// A version of a post, as it was at that time.
pub struct Revision(pub Arc<Kept>);

/// A version of a post, as it was at that time.
#[Object]
impl Revision {
    /// An opaque id that never changes: the `revisionId` that `restoreRevision` takes. `node` finds the version by it as long as the version is kept, for a
    /// token with access to the `revisions` of the post.
    pub async fn id(&self) -> ID {
        let post = &self.0.whole.post;
        NodeId::Revision(post.id.clone(), post.version).to_string().into()
    }

    /// The version number; the first version is 1.
    async fn version(&self) -> i32 {
        self.0.whole.post.version
    }

    /// When this version was created.
    async fn changed_at(&self) -> DateTime {
        DateTime(self.0.whole.post.updated_at)
    }

    /// Who created this version; null for versions from before names were recorded.
    async fn changed_by(&self) -> Option<ActorObject> {
        self.0.whole.changed_by.clone().map(ActorObject)
    }

    /// What this version changed: `title`, `slug`, `excerpt`, `body`, `authors`, `categories`, `tags`, `publishedAt`; `created` for the first
    /// version. Empty if the previous version is no longer kept.
    async fn changed(&self) -> &[&'static str] {
        &self.0.changed
    }

    /// The slug of the post at that time.
    async fn slug(&self) -> &str {
        self.0.whole.post.slug.as_str()
    }

    /// The title; plain text.
    async fn title(&self) -> &str {
        &self.0.whole.post.title
    }

    /// The summary; plain text.
    async fn excerpt(&self) -> &str {
        &self.0.whole.post.excerpt
    }

    /// The text of this version.
    async fn body(&self) -> RichText {
        RichText::new(Arc::clone(&self.0.whole.markdown))
    }

    /// The publication time that this version has; null for a draft.
    async fn published_at(&self) -> Option<DateTime> {
        self.0.whole.post.published_at.map(DateTime)
    }

    /// The authors, in the order in which they were given, without those that no longer exist.
    #[graphql(directive = ListSize::apply(Size::TermsOfPost))]
    async fn authors(&self, ctx: &Context<'_>) -> Result<Vec<Author>> {
        Ok(self.terms(ctx, TermKind::Author).await?.into_iter().map(Author).collect())
    }

    /// The categories, in the order in which they were given, without those that no longer exist.
    #[graphql(directive = ListSize::apply(Size::TermsOfPost))]
    async fn categories(&self, ctx: &Context<'_>) -> Result<Vec<Category>> {
        Ok(self.terms(ctx, TermKind::Category).await?.into_iter().map(Category).collect())
    }

    /// The tags, in the order in which they were given, without those that no longer exist.
    #[graphql(directive = ListSize::apply(Size::TermsOfPost))]
    async fn tags(&self, ctx: &Context<'_>) -> Result<Vec<Tag>> {
        Ok(self.terms(ctx, TermKind::Tag).await?.into_iter().map(Tag).collect())
    }
}

impl Revision {
    async fn terms(&self, ctx: &Context<'_>, kind: TermKind) -> Result<Vec<Arc<Term>>> {
        Ok(context::of(ctx).loaders.terms_of_post(kind, self.0.whole.post.terms(kind)).await?)
    }
}

/// A page of versions, newest first.
pub struct RevisionConnection(pub Page<Arc<Kept>>);

/// A version and its cursor in the list.
#[derive(SimpleObject)]
pub struct RevisionEdge {
    /// An opaque cursor; pass it as `after` to continue the list from here.
    cursor: String,
    /// The version.
    node: Revision,
}

/// A page of versions, newest first.
#[Object]
impl RevisionConnection {
    /// The versions of this page, each with its cursor.
    async fn edges(&self) -> Vec<RevisionEdge> {
        let edge = |kept: &Arc<Kept>| RevisionEdge { cursor: kept.cursor(), node: Revision(Arc::clone(kept)) };
        self.0.items.iter().map(edge).collect()
    }

    /// The versions of this page.
    async fn nodes(&self) -> Vec<Revision> {
        self.0.items.iter().map(|kept| Revision(Arc::clone(kept))).collect()
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.0, |kept| kept.cursor())
    }
}

/// Everything that was changed together, and by whom.
#[derive(SimpleObject)]
pub struct Change {
    /// When the change started.
    at: DateTime,
    /// Who made the change; null if the server itself made it.
    by: Option<ActorObject>,
    /// The posts, categories, tags and authors that were changed.
    items: Vec<ChangedItem>,
}

/// A post, category, tag or author that was changed.
#[derive(SimpleObject)]
pub struct ChangedItem {
    /// The id of the object, for `node`, which returns null if the object was deleted.
    // Not `id`: the caches of clients would merge all changes of one post into one object.
    node_id: ID,
    /// The slug after the change; if the object was deleted, its last slug.
    slug: String,
    /// What was done.
    action: ChangeAction,
    /// The version of the object after the change; null if it was deleted, or if an earlier version of the server recorded the change.
    version: Option<i32>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "Action")]
pub enum ChangeAction {
    /// Created.
    Created,
    /// Changed in any other way. A post that was given another slug is UPDATED, too.
    Updated,
    /// Published, scheduled or given another publication time.
    Published,
    /// Made a draft again.
    Unpublished,
    /// A category, tag or author was given another slug.
    Renamed,
    /// Deleted.
    Deleted,
}

impl From<&RecordedChange> for Change {
    fn from(recorded: &RecordedChange) -> Self {
        let change = &recorded.change;
        let items = change.items.iter().map(ChangedItem::from).collect();
        Self { at: DateTime(change.at), by: change.by.clone().map(ActorObject), items }
    }
}

impl From<&RecordedItem> for ChangedItem {
    fn from(item: &RecordedItem) -> Self {
        Self {
            node_id: item.node_id().into(),
            slug: item.slug.clone(),
            action: item.action.into(),
            version: item.version,
        }
    }
}

/// A page of changes, newest first.
pub struct ChangeConnection(pub Page<Arc<RecordedChange>>);

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
        let edge = |kept: &Arc<RecordedChange>| ChangeEdge { cursor: kept.cursor(), node: Change::from(&**kept) };
        self.0.items.iter().map(edge).collect()
    }

    /// The changes of this page.
    async fn nodes(&self) -> Vec<Change> {
        self.0.items.iter().map(|kept| Change::from(&**kept)).collect()
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.0, |kept| kept.cursor())
    }
}
