//! The versions of a post or page. The rule: they require a token with access to the unpublished content.

use std::sync::Arc;

use async_graphql::{Context, Enum, ID, Object, SimpleObject};

use crate::content::read::pages::Page;
use crate::content::read::{Revision as Kept, RevisionList};
use crate::graphql::arguments::{Paging, requested};
use crate::graphql::connection::PageInfo;
use crate::graphql::context;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::{DateTime, Json};
use crate::graphql::types::actor::ActorObject;
use crate::graphql::types::asset::Image;
use crate::graphql::types::enclosure::Enclosure;
use crate::graphql::types::rich_text::RichText;
use crate::graphql::types::term::{Author, Category, Series, Tag};
use crate::model::{ContentField, Language, Metadata, NodeId, Term, TermKind};

pub struct Revision(pub Arc<Kept>);

/// The maximum number of keys of `metadata`, more than a page shows.
const KEYS_MAX: usize = 100;

/// The keys, if they are not too many. Check them before the metadata is read.
pub(super) fn checked_keys(keys: Option<Vec<String>>) -> Result<Option<Vec<String>>> {
    match keys.as_ref().filter(|keys| keys.len() > KEYS_MAX) {
        Some(keys) => {
            let message = format!("`keys` names {} keys; at most {KEYS_MAX} are allowed", keys.len());
            Err(bad_input("keys", message))
        }
        None => Ok(keys),
    }
}

/// The metadata, or its values for these keys.
pub(super) async fn shown_metadata(
    ctx: &Context<'_>,
    metadata: &Metadata,
    keys: Option<Vec<String>>,
) -> Result<Option<Json>> {
    Ok(Some(context::of(ctx).texts.metadata(metadata, keys.as_deref()).await?.into()))
}

/// A version of a post or page as it was.
#[Object]
impl Revision {
    /// Opaque, permanent, never reused: the `revisionId` of `restoreRevision`.
    pub async fn id(&self) -> ID {
        let post = &self.0.whole.post;
        NodeId::Revision(post.id.clone(), post.version).to_string().into()
    }

    /// From 1 on.
    async fn version(&self) -> i32 {
        self.0.whole.post.version
    }

    /// When this version was created.
    async fn changed_at(&self) -> DateTime {
        DateTime(self.0.whole.post.updated_at)
    }

    /// Null if the server itself made it, at `unpublishAt`, unless an import had made the one before.
    async fn changed_by(&self) -> Option<ActorObject> {
        self.0.whole.changed_by.clone().map(ActorObject)
    }

    /// What differs from the version before. Empty for version 1, and if the version before is not kept any more.
    async fn changed_fields(&self) -> Vec<RevisionField> {
        self.0.changed_fields.iter().map(|field| RevisionField::from(*field)).collect()
    }

    /// The slug of the post at that time; of a page, the last part of its path.
    async fn slug(&self) -> &str {
        self.0.whole.post.slug.as_str()
    }

    /// Plain text.
    async fn title(&self) -> &str {
        &self.0.whole.post.title
    }

    /// A line below the title; plain text. Null if there was none.
    async fn subtitle(&self) -> Option<&str> {
        self.0.whole.post.subtitle.as_deref()
    }

    /// Plain text.
    async fn excerpt(&self) -> &str {
        &self.0.whole.post.excerpt
    }

    /// The text of this version.
    async fn body(&self) -> RichText {
        RichText::new(Arc::clone(&self.0.whole.markdown))
    }

    /// What Tidings has no field for, as a JSON object.
    async fn metadata(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only these keys, at most 100; all if omitted or null. A key that is missing is omitted.")]
        keys: Option<Vec<String>>,
    ) -> Result<Option<Json>> {
        shown_metadata(ctx, &self.0.whole.metadata, checked_keys(keys)?).await
    }

    /// A tag of BCP 47; null if the content had none of its own.
    async fn language(&self) -> Option<&str> {
        self.0.whole.post.language.as_ref().map(Language::as_str)
    }

    /// False for a page.
    async fn featured(&self) -> bool {
        self.0.whole.post.is_featured
    }

    /// Null if there was none, or if the picture was deleted since.
    async fn cover(&self, ctx: &Context<'_>) -> Result<Option<Image>> {
        Image::cover_of(ctx, &self.0.whole.post).await
    }

    /// The audio or video file; null if the post had none, and for a page.
    async fn enclosure(&self, ctx: &Context<'_>) -> Option<Enclosure> {
        Enclosure::of(ctx, &self.0.whole.post)
    }

    /// Null for a draft.
    async fn published_at(&self) -> Option<DateTime> {
        self.0.whole.post.published_at.map(DateTime)
    }

    /// Those that still exist, in the order in which they were given.
    #[graphql(directive = ListSize::apply(Size::TermsOfPost))]
    async fn authors(&self, ctx: &Context<'_>) -> Result<Vec<Author>> {
        Ok(self.terms(ctx, TermKind::Author).await?.into_iter().map(Author).collect())
    }

    /// Those that still exist, in the order in which they were given.
    #[graphql(directive = ListSize::apply(Size::TermsOfPost))]
    async fn categories(&self, ctx: &Context<'_>) -> Result<Vec<Category>> {
        Ok(self.terms(ctx, TermKind::Category).await?.into_iter().map(Category).collect())
    }

    /// Those that still exist, in the order in which they were given.
    #[graphql(directive = ListSize::apply(Size::TermsOfPost))]
    async fn tags(&self, ctx: &Context<'_>) -> Result<Vec<Tag>> {
        Ok(self.terms(ctx, TermKind::Tag).await?.into_iter().map(Tag).collect())
    }

    /// Null if the post was in none, or if it was deleted.
    async fn series(&self, ctx: &Context<'_>) -> Result<Option<Series>> {
        Ok(self.terms(ctx, TermKind::Series).await?.into_iter().next().map(Series))
    }
}

impl Revision {
    async fn terms(&self, ctx: &Context<'_>, kind: TermKind) -> Result<Vec<Arc<Term>>> {
        Ok(context::of(ctx).loaders.terms_of_post(kind, self.0.whole.post.terms(kind)).await?)
    }
}

/// A field in which two versions can differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "ContentField")]
pub enum RevisionField {
    /// The title.
    Title,
    /// The slug.
    Slug,
    /// The line below the title.
    Subtitle,
    /// The summary, or whether it is generated.
    Excerpt,
    /// The text.
    Body,
    /// The metadata.
    Metadata,
    /// The cover.
    Cover,
    /// The file for podcast clients.
    Enclosure,
    /// The language.
    Language,
    /// Whether the post is featured.
    Featured,
    /// The authors or their order.
    Authors,
    /// The categories or their order.
    Categories,
    /// The tags or their order.
    Tags,
    /// The series.
    Series,
    /// Of what it is a translation.
    Translations,
    /// The publication time.
    PublishedAt,
    /// When it becomes a draft again.
    UnpublishAt,
}

pub struct RevisionConnection {
    list: RevisionList,
    page: Page<Arc<Kept>>,
}

impl RevisionConnection {
    pub async fn read(ctx: &Context<'_>, mut list: RevisionList, paging: Paging) -> Result<Self> {
        let (arguments, requested) =
            (paging.decode(|argument, text| list.decode_cursor(argument, text))?, requested(ctx));
        let request = context::of(ctx);
        let _places = request.texts.places_to_load(list.bodies_read(&arguments, requested)?).await?;
        let page = list.page(&request.reader, &arguments, requested).await?;
        for version in &page.items {
            request.texts.hold_details(&version.whole.details()).await?;
        }
        Ok(Self { list, page })
    }
}

/// An item and its cursor.
#[derive(SimpleObject)]
pub struct RevisionEdge {
    /// An opaque cursor for `after` and `before`.
    cursor: String,
    /// The version.
    node: Revision,
}

/// A page of versions, newest first.
#[Object]
impl RevisionConnection {
    /// Each item with its cursor.
    async fn edges(&self) -> Vec<RevisionEdge> {
        let edge = |kept: &Arc<Kept>| RevisionEdge { cursor: kept.cursor(), node: Revision(Arc::clone(kept)) };
        self.page.items.iter().map(edge).collect()
    }

    /// The items.
    async fn nodes(&self) -> Vec<Revision> {
        self.page.items.iter().map(|kept| Revision(Arc::clone(kept))).collect()
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.page, |kept| kept.cursor())
    }

    /// The versions that are kept, with the current one: at most 101.
    async fn total_count(&self, ctx: &Context<'_>) -> Result<i32> {
        let request = context::of(ctx);
        // The row that shows whether a version exists contains its body.
        let _place = request.texts.place_to_load().await?;
        Ok(self.list.count(&request.reader).await?)
    }
}
