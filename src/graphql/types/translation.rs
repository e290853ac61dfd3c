//! The translations of a post or page. The rule: nothing stands in for a translation, unless the client prefers languages.

use std::sync::Arc;

use async_graphql::Context;

use crate::graphql::context;
use crate::graphql::failure::Result;
use crate::model::{Language, Post, SitePage, Slug, TranslationGroup};

/// What can have translations.
pub(super) trait Translated: Sized {
    fn post(&self) -> &Post;

    /// Those of a group to which the client has access, by language.
    async fn load(ctx: &Context<'_>, group: &TranslationGroup) -> Result<Arc<Vec<Arc<Self>>>>;

    /// The others of its group.
    async fn translations(&self, ctx: &Context<'_>) -> Result<Vec<Arc<Self>>> {
        let Some(group) = &self.post().translation_group else { return Ok(Vec::new()) };
        let all = Self::load(ctx, group).await?;
        Ok(all.iter().filter(|other| other.post().id != self.post().id).cloned().collect())
    }

    /// The first that is in one of these languages, in their order; `None` within: that is this one.
    async fn in_first_of(&self, ctx: &Context<'_>, languages: &[String]) -> Result<Option<Option<Arc<Self>>>> {
        let others = self.translations(ctx).await?;
        let of_site = context::of(ctx).site.language.as_deref().and_then(tag);
        for language in languages.iter().filter_map(|text| tag(text)) {
            let all = || std::iter::once((self.post(), None)).chain(others.iter().map(|one| (one.post(), Some(one))));
            let with = |own: Option<&Slug>| {
                all().find(|(post, _)| post.language.as_ref().map(Language::index_slug).as_ref() == own)
            };
            // One without a language of its own is in that of the site.
            let found = with(Some(&language)).or_else(|| with(None).filter(|_| of_site.as_ref() == Some(&language)));
            if let Some((_, found)) = found {
                return Ok(Some(found.cloned()));
            }
        }
        Ok(None)
    }
}

impl Translated for Post {
    fn post(&self) -> &Post {
        self
    }

    async fn load(ctx: &Context<'_>, group: &TranslationGroup) -> Result<Arc<Vec<Arc<Self>>>> {
        Ok(context::of(ctx).loaders.translated_posts.load(group.clone()).await?)
    }
}

impl Translated for SitePage {
    fn post(&self) -> &Post {
        &self.post
    }

    async fn load(ctx: &Context<'_>, group: &TranslationGroup) -> Result<Arc<Vec<Arc<Self>>>> {
        Ok(context::of(ctx).loaders.translated_pages.load(group.clone()).await?)
    }
}

/// A text that is no tag is in no language.
fn tag(text: &str) -> Option<Slug> {
    Some(text.parse::<Language>().ok()?.index_slug())
}
