//! Finds what a change names: a post by its id and version, and terms by their slugs. The rule: a post, author or category that does not exist is
//! a [`UserError`], which the caller can fix; a tag that does not exist is created with the post.

use futures_util::future::try_join_all;

use crate::content::access::{Permission, permission};
use crate::content::commands::{UserError, UserErrorCode};
use crate::content::error::{ContentError, Result};
use crate::content::write::Stored;
use crate::model::{NodeId, Post, Slug, TermKind};

use super::Editor;

/// Slugs of terms as the caller has written them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedTerms {
    pub authors: Option<Vec<String>>,
    pub categories: Option<Vec<String>>,
    pub tags: Option<Vec<String>>,
}

/// The first slugs of the terms, which are what posts store.
pub(super) struct FoundTerms {
    pub authors: Option<Vec<Slug>>,
    pub categories: Option<Vec<Slug>>,
    pub tags: Option<Vec<Slug>>,
    /// Tags that are created with the post.
    pub new_tags: Vec<Slug>,
}

impl Editor<'_> {
    /// The post as it is now, if it has this version.
    pub(super) async fn find_post(&self, id: &str, version: i32) -> Result<std::result::Result<Stored, UserError>> {
        let missing = || UserError::new(UserErrorCode::NotFound, "id", "there is no post with this id");
        let Ok(NodeId::Post(id)) = id.parse() else { return Ok(Err(missing())) };
        let stored = match self.content.stored_by_id(&id).await {
            Err(ContentError::Busy) => return Ok(Err(UserError::busy())),
            stored => stored?,
        };
        let permission =
            stored.as_ref().map(|stored| permission::to_change(self.actor, &stored.whole.post, self.now()));
        Ok(match stored {
            None => Err(missing()),
            Some(_) if permission == Some(Permission::Hidden) => Err(missing()),
            Some(_) if permission == Some(Permission::No) => return Err(permission::of_another()),
            Some(stored) if stored.whole.post.version != version => {
                Err(UserError::conflict(Some(stored.whole.post.version)))
            }
            Some(stored) => Ok(stored),
        })
    }

    /// Of the terms of an earlier version: the deleted tags, which are created again, and an error for each other term that no longer exists.
    pub(super) async fn find_gone(&self, post: &Post, revision: i32) -> Result<(Vec<Slug>, Vec<UserError>)> {
        let (mut tags, mut errors) = (Vec::new(), Vec::new());
        for kind in TermKind::ALL {
            let found = try_join_all(post.terms(kind).iter().map(|slug| self.reader.term(kind, slug))).await?;
            for (slug, found) in post.terms(kind).iter().zip(found) {
                let noun = kind.noun();
                let why = match found {
                    Some(term) if term.id.first_slug == *slug => continue,
                    None if kind == TermKind::Tag => {
                        tags.push(slug.clone());
                        continue;
                    }
                    Some(term) => format!("its slug now belongs to the {noun} \"{}\"", term.name),
                    None => "create it again first".to_owned(),
                };
                let message = format!("The {noun} \"{slug}\" of version {revision} was deleted: {why}.");
                errors.push(UserError::new(UserErrorCode::NotFound, "revision", message));
            }
        }
        Ok((tags, errors))
    }

    /// Authors and categories must exist; a tag that does not exist is created.
    pub(super) async fn find_terms(&self, named: NamedTerms, errors: &mut Vec<UserError>) -> Result<FoundTerms> {
        let (authors, _) = self.find_kind(TermKind::Author, "authors", named.authors, errors).await?;
        let (categories, _) = self.find_kind(TermKind::Category, "categories", named.categories, errors).await?;
        let (tags, new_tags) = self.find_kind(TermKind::Tag, "tags", named.tags, errors).await?;
        Ok(FoundTerms { authors, categories, tags, new_tags })
    }

    async fn find_kind(
        &self,
        kind: TermKind,
        field: &'static str,
        named: Option<Vec<String>>,
        errors: &mut Vec<UserError>,
    ) -> Result<(Option<Vec<Slug>>, Vec<Slug>)> {
        let Some(named) = named else { return Ok((None, Vec::new())) };
        let mut slugs: Vec<Slug> = Vec::with_capacity(named.len());
        for text in &named {
            match text.parse() {
                Ok(slug) => slugs.push(slug),
                Err(e) => errors.push(UserError::invalid(field, format!("{e}"))),
            }
        }
        let found = try_join_all(slugs.iter().map(|slug| self.reader.term(kind, slug))).await?;
        let (mut kept, mut new): (Vec<Slug>, Vec<Slug>) = (Vec::new(), Vec::new());
        for (slug, found) in slugs.into_iter().zip(found) {
            let slug = match found {
                Some(term) => term.id.first_slug.clone(),
                None if kind == TermKind::Tag => {
                    new.push(slug.clone());
                    slug
                }
                None => {
                    let message = format!("there is no {} with the slug {slug}", kind.noun());
                    errors.push(UserError::new(UserErrorCode::NotFound, field, message));
                    continue;
                }
            };
            if !kept.contains(&slug) {
                kept.push(slug);
            }
        }
        new.sort();
        new.dedup();
        Ok((Some(kept), new))
    }
}
