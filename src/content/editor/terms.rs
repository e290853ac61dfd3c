//! Changes of categories, tags and authors. The rule: an omitted field keeps its value, even if another client changes the term meanwhile; a text
//! that is cleared or blank is removed.

use crate::content::access::permission;
use crate::content::audit;
use crate::content::commands::{Edited, Patch, UserError};
use crate::content::error::Result;
use crate::content::read::pages::total;
use crate::content::write::{Deleted, Renamed};
use crate::model::rules::{self, FORMER_SLUGS_MAX};
use crate::model::{Role, Slug, Term, TermKind, TermNodeId};

use super::Editor;

const CHANGES_TERMS: &str = "this changes a category, tag or author";

/// Changes to the fields of a term.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermChanges {
    pub name: Patch<String>,
    pub description: Patch<String>,
    pub url: Patch<String>,
    /// The old slug remains a former slug of the term.
    pub new_slug: Patch<String>,
}

impl Editor<'_> {
    /// Creates the term if no term has the slug; changes it otherwise.
    pub async fn save_term(&self, kind: TermKind, slug: &str, changes: TermChanges) -> Result<Edited<Term>> {
        permission::require(self.actor, Role::Admin, CHANGES_TERMS)?;
        let mut errors = Vec::new();
        let slug = parse(slug, "slug", &mut errors);
        let new_slug = changes.new_slug.clone().required("newSlug").map_err(|error| errors.push(error)).ok().flatten();
        let new_slug = new_slug.and_then(|new| parse(&new, "newSlug", &mut errors));
        let (Some(slug), true) = (slug, errors.is_empty()) else { return Ok(Err(errors)) };
        let saved = self.save_named(kind, &slug, new_slug.as_ref(), &changes).await?;
        if let Ok(term) = &saved {
            audit::log_term(self.actor, "save_term", term);
        }
        Ok(saved)
    }

    async fn save_named(
        &self,
        kind: TermKind,
        slug: &Slug,
        new_slug: Option<&Slug>,
        changes: &TermChanges,
    ) -> Result<Edited<Term>> {
        let edit = |found: Option<&Term>| changed(kind, slug, found, changes);
        match new_slug {
            None => self.writer.edit_term(kind, slug, edit).await,
            Some(new) => {
                let renamed = self.writer.rename_term(kind, slug, new, |found| {
                    let is_renamed = found.slug != *new;
                    edit(Some(if is_renamed { check_former_slugs(found)? } else { found }))
                });
                renamed.await.map(|renamed| match renamed {
                    Ok(Renamed::Done(term)) => Ok(term),
                    Ok(Renamed::Taken) => Err(vec![taken(kind, new)]),
                    Ok(Renamed::Gone) => Err(vec![missing(kind, slug)]),
                    Err(refused) => Err(refused),
                })
            }
        }
    }

    /// Deletes the term, unless a post or draft has it.
    pub async fn delete_term(&self, kind: TermKind, slug: &str) -> Result<Edited<TermNodeId>> {
        permission::require(self.actor, Role::Admin, CHANGES_TERMS)?;
        let mut errors = Vec::new();
        let Some(slug) = parse(slug, "slug", &mut errors) else { return Ok(Err(errors)) };
        match self.writer.delete_term(kind, &slug).await {
            Ok(Deleted::Done(term)) => {
                audit::log_term(self.actor, "delete_term", &term);
                Ok(Ok(term.node_id()))
            }
            Ok(Deleted::InUse) => {
                let message =
                    format!("posts or drafts still have the {} {slug}; remove it from them first", kind.noun());
                let uses = total::count_uses(self.reader, kind, &slug).await?;
                Ok(Err(vec![UserError::in_use("slug", message, uses)]))
            }
            Ok(Deleted::Gone) => Ok(Err(vec![missing(kind, &slug)])),
            Err(e) => Err(e),
        }
    }
}

fn parse(text: &str, field: &'static str, errors: &mut Vec<UserError>) -> Option<Slug> {
    text.parse().map_err(|e| errors.push(UserError::invalid(field, format!("{e}")))).ok()
}

fn changed(kind: TermKind, slug: &Slug, existing: Option<&Term>, changes: &TermChanges) -> Edited<Term> {
    let mut term = existing.cloned().unwrap_or_else(|| Term::new(kind, slug.clone(), slug.as_str()));
    let mut errors = Vec::new();
    match changes.name.clone().required("name") {
        Ok(name) => term.name = name.map_or(term.name, |name| name.trim().to_owned()),
        Err(error) => errors.push(error),
    }
    term.description = changes.description.clone().apply(term.description).filter(|text| !text.trim().is_empty());
    term.url = changes.url.clone().apply(term.url).filter(|url| !url.trim().is_empty());
    let (description, url) = (term.description.as_deref(), term.url.as_deref());
    let broken = rules::check_term(kind, &term.name, description, url).err().unwrap_or_default();
    let broken = broken.iter().map(|rule| UserError::invalid(rule.field, format!("{} {}", rule.field, rule.reason)));
    errors.extend(broken);
    if errors.is_empty() { Ok(term) } else { Err(errors) }
}

/// The number of former slugs is limited, because each is a row, and a name in the term's identity row.
fn check_former_slugs(term: &Term) -> Edited<&Term> {
    match term.former_slugs.len() {
        0..FORMER_SLUGS_MAX => Ok(term),
        _ => {
            let message = format!("the term has {FORMER_SLUGS_MAX} former slugs already, and cannot have more");
            Err(vec![UserError::invalid("newSlug", message)])
        }
    }
}

fn taken(kind: TermKind, slug: &Slug) -> UserError {
    UserError::taken("newSlug", format!("the slug {slug} belongs to another {}", kind.noun()))
}

fn missing(kind: TermKind, slug: &Slug) -> UserError {
    UserError::not_found("slug", format!("there is no {} with the slug {slug}", kind.noun()))
}
