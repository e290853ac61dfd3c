//! Looks up the objects that a change names: a post by its id and version, and terms by their current slugs. The rule: a post or term that does not exist, or a
//! former slug of a term, is a [`UserError`], which the caller can fix; a missing tag is created with the post if the caller allows that.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::future::{try_join_all, try_join4};
use serde::Serialize;

use crate::content::access::{Permission, permission};
use crate::content::commands::{Current, Edited, NamedPicture, Patch, PostChanges, UserError};
use crate::content::error::Result;
use crate::content::write::Stored;
use crate::model::post::TERMS_MAX;
use crate::model::{Asset, Enclosure, NodeId, Slug, Term, TermKind};

use super::Editor;

/// The number of unknown slugs of one field that get suggestions; each costs a range read.
const SUGGESTED_FOR_MAX: usize = 5;

/// The slugs of terms in an input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NamedTerms {
    pub authors: Option<Vec<String>>,
    pub categories: Option<Vec<String>>,
    pub tags: Option<Vec<String>>,
    /// At most one.
    pub series: Option<Vec<String>>,
    pub create_missing_tags: bool,
}

/// The first slugs of the terms, which posts store.
pub(super) struct FoundTerms {
    pub authors: Option<Vec<Slug>>,
    pub categories: Option<Vec<Slug>>,
    pub tags: Option<Vec<Slug>>,
    pub series: Option<Vec<Slug>>,
    /// Tags that are created with the post.
    pub new_tags: Vec<Slug>,
}

/// The post that a change names.
pub(super) enum FoundPost {
    /// It has the version on which the change is based.
    Current(Stored),
    /// It has another version.
    Stale(Stored),
    /// It does not exist, or the actor has no access to it.
    Missing,
}

impl FoundPost {
    /// The post, unless it is stale or missing.
    pub(super) fn current(self) -> Edited<Stored> {
        match self {
            Self::Current(stored) => Ok(stored),
            Self::Stale(stored) => Err(vec![UserError::conflict(Current::Post(stored.whole))]),
            Self::Missing => Err(vec![UserError::not_found("id", "there is no post with this id")]),
        }
    }
}

impl Editor<'_> {
    /// The post that a change names, compared with the version on which the change is based.
    pub(super) async fn find_post(&self, id: &str, version: i32) -> Result<FoundPost> {
        let Ok(NodeId::Post(id)) = id.parse() else { return Ok(FoundPost::Missing) };
        let stored = self.content.stored_by_id(&id).await?;
        let permission =
            stored.as_ref().map(|stored| permission::to_change(self.actor, &stored.whole.post, self.now()));
        Ok(match stored {
            None => FoundPost::Missing,
            Some(_) if permission == Some(Permission::Hidden) => FoundPost::Missing,
            Some(_) if permission == Some(Permission::No) => return Err(permission::of_another()),
            Some(stored) if stored.whole.post.version != version => FoundPost::Stale(stored),
            Some(stored) => FoundPost::Current(stored),
        })
    }

    /// The picture that a change names. One point read, if one is named.
    pub(super) async fn find_picture(&self, named: Patch<NamedPicture>) -> Result<Patch<NamedPicture>> {
        let Patch::Set(NamedPicture { id, .. }) = named else { return Ok(named) };
        let picture = self.find_asset(&id).await?.filter(|asset| asset.facts.image.is_some());
        Ok(Patch::Set(NamedPicture { id, asset: picture.map(|asset| asset.hash().clone()) }))
    }

    async fn find_asset(&self, id: &str) -> Result<Option<Asset>> {
        match id.parse() {
            Ok(NodeId::Asset(hash)) => Ok(self.reader.asset(&hash).await?),
            _ => Ok(None),
        }
    }

    /// The changes with the cover and the enclosure that they name. One point read for each that is an asset.
    pub(super) async fn find_files(&self, mut changes: PostChanges) -> Result<PostChanges> {
        changes.cover = self.find_picture(changes.cover).await?;
        if let Patch::Set(named) = &mut changes.enclosure
            && let Some(id) = &named.asset_id
        {
            named.asset = self.find_asset(id).await?.map(|asset| Enclosure::of_asset(&asset.facts));
        }
        Ok(changes)
    }

    /// Terms must exist; a tag that does not exist is created if the caller allows that. All kinds are read at the same time.
    pub(super) async fn find_terms(&self, named: NamedTerms, errors: &mut Vec<UserError>) -> Result<FoundTerms> {
        let creates_tags = named.create_missing_tags;
        let [mut of_authors, mut of_categories, mut of_tags, mut of_series] = [(); 4].map(|()| Vec::new());
        let ((authors, _), (categories, _), (tags, new_tags), (series, _)) = try_join4(
            self.find_kind(TermKind::Author, TermKind::Author.slugs_field(), named.authors, false, &mut of_authors),
            self.find_kind(
                TermKind::Category,
                TermKind::Category.slugs_field(),
                named.categories,
                false,
                &mut of_categories,
            ),
            self.find_kind(TermKind::Tag, TermKind::Tag.slugs_field(), named.tags, creates_tags, &mut of_tags),
            self.find_kind(TermKind::Series, TermKind::Series.slugs_field(), named.series, false, &mut of_series),
        )
        .await?;
        errors.extend([of_authors, of_categories, of_tags, of_series].into_iter().flatten());
        Ok(FoundTerms { authors, categories, tags, series, new_tags })
    }

    /// The authors that a post gets. `errors`: the errors of the input; if one is about the authors, it is reported in place of a missing permission.
    pub(super) fn permitted_authors(
        &self,
        named: Option<Vec<Slug>>,
        is_new: bool,
        errors: &[UserError],
    ) -> Result<Option<Vec<Slug>>> {
        match errors.iter().any(|error| error.field == Some(TermKind::Author.slugs_field())) {
            true => Ok(named),
            false => permission::authors(self.actor, named, is_new),
        }
    }

    /// The first slugs of the terms, and those of the terms that are created with the post.
    pub(super) async fn find_kind(
        &self,
        kind: TermKind,
        field: &'static str,
        named: Option<Vec<String>>,
        creates_missing: bool,
        errors: &mut Vec<UserError>,
    ) -> Result<(Option<Vec<Slug>>, Vec<Slug>)> {
        let Some(named) = named else { return Ok((None, Vec::new())) };
        let (mut slugs, mut seen) = (Vec::new(), HashSet::new());
        for text in &named {
            match text.parse::<Slug>() {
                Ok(slug) if seen.insert(slug.clone()) => slugs.push(slug),
                Ok(_) => {}
                Err(e) => errors.push(UserError::invalid(field, format!("{e}"))),
            }
        }
        if slugs.len() > TERMS_MAX {
            // No term is looked up, because the rules of posts refuse this many.
            return Ok((Some(slugs), Vec::new()));
        }
        let found = self.terms_of(kind, &slugs).await?;
        let (mut kept, mut new, mut unknown): (Vec<Slug>, Vec<Slug>, Vec<Slug>) = (Vec::new(), Vec::new(), Vec::new());
        // The slugs of the terms in `kept`.
        let mut present: Vec<Slug> = Vec::new();
        for (slug, found) in slugs.into_iter().zip(found) {
            match found {
                // A former slug belongs to its term, so no tag can be created with it.
                Some(term) if term.slug != slug => errors.push(UserError::former_slug(field, &slug, &term)),
                Some(term) => match kept.iter().position(|first| *first == term.id.first_slug) {
                    None => {
                        kept.push(term.id.first_slug.clone());
                        present.push(slug);
                    }
                    Some(other) => errors.extend(self.former_of_two(field, [&present[other], &slug], kind).await?),
                },
                None if creates_missing => {
                    new.push(slug.clone());
                    kept.push(slug.clone());
                    present.push(slug);
                }
                None => unknown.push(slug),
            }
        }
        errors.extend(self.no_terms(kind, field, &unknown).await?);
        new.sort();
        Ok((Some(kept), new))
    }

    /// The terms that these slugs name. On a remote store, cached terms are used if these are their current slugs. This is safe, because the plan of the change
    /// reads the terms again; if it refuses the change, that read has updated the cache.
    async fn terms_of(&self, kind: TermKind, slugs: &[Slug]) -> Result<Vec<Option<Arc<Term>>>> {
        if !self.content.store.is_local() {
            let cached = self.content.reader().at_one_moment().await?.terms_if_cached(kind, slugs);
            if let Some(terms) = cached.filter(|terms| terms.iter().zip(slugs).all(|(term, slug)| term.slug == *slug)) {
                return Ok(terms.into_iter().map(Some).collect());
            }
        }
        try_join_all(slugs.iter().map(|slug| self.reader.term(kind, slug))).await
    }

    /// The errors at a field that names terms of this kind, for the slugs that no term has.
    async fn no_terms(&self, kind: TermKind, field: &'static str, unknown: &[Slug]) -> Result<Vec<UserError>> {
        let mut errors = Vec::new();
        for (i, slug) in unknown.iter().enumerate() {
            let suggestions =
                if i < SUGGESTED_FOR_MAX { self.reader.similar_slugs(kind, slug).await? } else { Vec::new() };
            let mut message = format!("there is no {} with the slug {slug}", kind.noun());
            if kind == TermKind::Tag {
                message.push_str(", and createMissingTags is not true");
            }
            errors.push(UserError::no_slug(field, slug, &message, suggestions));
        }
        Ok(errors)
    }

    /// The error for two slugs of one term. This happens if the term was renamed between their look-ups, so one of them is now a former slug.
    async fn former_of_two(&self, field: &'static str, slugs: [&Slug; 2], kind: TermKind) -> Result<Option<UserError>> {
        let Some(term) = self.reader.term(kind, slugs[0]).await? else { return Ok(None) };
        let former = slugs.into_iter().find(|slug| **slug != term.slug);
        Ok(former.map(|slug| UserError::former_slug(field, slug, &term)))
    }
}
