//! Changes of categories, tags and authors. The rule: what is left out stays as it is, whoever else changes the term meanwhile.

use std::time::Duration;

use crate::content::audit;
use crate::content::commands::{UserError, UserErrorCode};
use crate::content::error::Result;
use crate::content::permission;
use crate::content::write::rename::Renamed;
use crate::content::write::term_delete::Deleted;
use crate::model::rules::FORMER_SLUGS_MAX;
use crate::model::{Role, Slug, Term, TermId, TermKind, rules};

use super::{Edited, Editor};

/// How often a term is looked for again that others change meanwhile.
const TRIES_MAX: u32 = 5;
/// Before it is; twice as long each time.
const WAIT: Duration = Duration::from_millis(20);
const CHANGES_TERMS: &str = "this changes a category, tag or author";

/// What a term is to say; what is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermChanges {
    pub name: Option<String>,
    pub description: Option<String>,
    pub url: Option<String>,
    /// The old slug goes on leading to the term.
    pub new_slug: Option<String>,
}

impl Editor<'_> {
    /// Made where the slug is new, changed where it stands.
    pub async fn save_term(&self, kind: TermKind, slug: &str, changes: TermChanges) -> Result<Edited<Term>> {
        permission::require(self.actor, Role::Admin, CHANGES_TERMS)?;
        let mut errors = Vec::new();
        let slug = parse(slug, "slug", &mut errors);
        let new_slug = changes.new_slug.as_deref().and_then(|new| parse(new, "newSlug", &mut errors));
        let (Some(slug), true) = (slug, errors.is_empty()) else { return Ok(Err(errors)) };
        let mut saved = None;
        for tries in 0..TRIES_MAX {
            saved = self.try_to_save(kind, &slug, new_slug.as_ref(), &changes).await?;
            if saved.is_some() {
                break;
            }
            tokio::time::sleep(WAIT * 2_u32.pow(tries)).await;
        }
        let saved = saved.unwrap_or_else(|| Err(contended(kind, &slug)));
        if let Ok(term) = &saved {
            audit::log_term(self.actor, "save_term", term);
        }
        Ok(saved.map_err(|error| vec![error]))
    }

    /// `None` where the term was renamed or deleted since it was found.
    async fn try_to_save(
        &self,
        kind: TermKind,
        slug: &Slug,
        new_slug: Option<&Slug>,
        changes: &TermChanges,
    ) -> Result<Option<std::result::Result<Term, UserError>>> {
        let found = self.reader.term(kind, slug).await?;
        // By the slug that it has now.
        let slug = found.as_ref().map_or(slug, |term| &term.slug);
        let edit = |standing: Option<&Term>| changed(kind, slug, standing, changes);
        let Some(new) = new_slug.filter(|new| *new != slug) else {
            return self.writer.edit_term(kind, slug, edit).await;
        };
        if found.is_none() {
            return Ok(Some(Err(missing(kind, slug))));
        }
        let renamed = self.writer.rename_term(kind, slug, new, |standing| edit(Some(has_room(standing)?))).await?;
        Ok(match renamed {
            Ok(Renamed::Done(term)) => Some(Ok(term)),
            // Where no term has the slug, a post was getting a new tag of it, and may have given way itself.
            Ok(Renamed::Taken) => self.reader.term(kind, new).await?.map(|_| Err(taken(kind, new))),
            Ok(Renamed::Gone) => None,
            Err(refused) => Some(Err(refused)),
        })
    }

    /// Only where no post bears it, drafts included.
    pub async fn delete_term(&self, kind: TermKind, slug: &str) -> Result<Edited<TermId>> {
        permission::require(self.actor, Role::Admin, CHANGES_TERMS)?;
        let mut errors = Vec::new();
        let Some(slug) = parse(slug, "slug", &mut errors) else { return Ok(Err(errors)) };
        for _ in 0..TRIES_MAX {
            let Some(found) = self.reader.term(kind, &slug).await? else { break };
            match self.writer.delete_term(kind, &found.slug).await? {
                Deleted::Done(term) => {
                    audit::log_term(self.actor, "delete_term", &term);
                    return Ok(Ok(term.id));
                }
                Deleted::Borne => {
                    let message = format!("posts or drafts bear the {} {slug}; take it off them first", kind.noun());
                    return Ok(Err(vec![UserError::new(UserErrorCode::InUse, "slug", message)]));
                }
                // It was renamed, changed or deleted since it was found.
                Deleted::Gone => {}
            }
        }
        Ok(Err(vec![missing(kind, &slug)]))
    }
}

fn parse(text: &str, field: &'static str, errors: &mut Vec<UserError>) -> Option<Slug> {
    text.parse().map_err(|e| errors.push(UserError::invalid(field, format!("{e}")))).ok()
}

fn changed(
    kind: TermKind,
    slug: &Slug,
    standing: Option<&Term>,
    changes: &TermChanges,
) -> std::result::Result<Term, UserError> {
    let mut term = standing.cloned().unwrap_or_else(|| Term::new(kind, slug.clone(), slug.as_str()));
    term.name = changes.name.as_ref().map_or(term.name, |name| name.trim().to_owned());
    term.description = changes.description.clone().or(term.description);
    term.url = changes.url.clone().or(term.url);
    let (description, url) = (term.description.as_deref(), term.url.as_deref());
    match rules::check_term(kind, &term.name, description, url) {
        Ok(()) => Ok(term),
        Err(broken) => Err(UserError::invalid(broken.field, format!("{} {}", broken.field, broken.reason))),
    }
}

/// Each former slug is a row, and a name in the term's own.
fn has_room(term: &Term) -> std::result::Result<&Term, UserError> {
    match term.former_slugs.len() {
        0..FORMER_SLUGS_MAX => Ok(term),
        _ => Err(UserError::invalid(
            "newSlug",
            format!("it has had {FORMER_SLUGS_MAX} other slugs, which all lead to it; more are not kept"),
        )),
    }
}

fn taken(kind: TermKind, slug: &Slug) -> UserError {
    UserError::new(UserErrorCode::Taken, "newSlug", format!("the slug {slug} leads to another {}", kind.noun()))
}

fn contended(kind: TermKind, slug: &Slug) -> UserError {
    let message = format!("the {} {slug} is just being changed by others; try again", kind.noun());
    UserError::new(UserErrorCode::Conflict, "slug", message)
}

fn missing(kind: TermKind, slug: &Slug) -> UserError {
    UserError::new(UserErrorCode::NotFound, "slug", format!("there is no {} with the slug {slug}", kind.noun()))
}
