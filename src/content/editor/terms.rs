//! Changes of categories, tags, authors and series. The rule: a change names the object by its id and the version on which it is based, so
//! nothing is changed if the slug belongs to another object now, or if somebody else has changed the object.

use std::collections::HashSet;

use serde::Serialize;

use crate::content::access::permission;
use crate::content::audit;
use crate::content::commands::{Current, Edited, NamedPicture, Patch, Problem, UserError};
use crate::content::error::{ContentError, Result};
use crate::content::write::{Deleted, Renamed};
use crate::model::rules::{self, FORMER_SLUGS_MAX};
use crate::model::{NodeId, PostId, ProfileLink, Slug, Term, TermKind, TermNodeId};

use super::parents::{NamedParent, bad_parent};
use super::{Editor, once};

pub(super) const CHANGES_TERMS: &str = "this changes a category, tag, author or series";

/// Why a term was not created.
enum NotCreated {
    /// An earlier creation with the same key and input has created this one.
    Repeated(Box<Term>),
    Taken(UserError),
}

/// Changes to a term, or the values of a new one. A field that is [`Patch::Keep`] keeps its value, and is not part of the hash with an idempotency key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TermChanges {
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub name: Patch<String>,
    /// The old slug remains a former slug of the term. A new term without one gets a slug that is generated from its name.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub slug: Patch<String>,
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub description: Patch<String>,
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub url: Patch<String>,
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub avatar: Patch<NamedPicture>,
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub job_title: Patch<String>,
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub links: Patch<Vec<ProfileLink>>,
    /// Categories only.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub parent: Patch<NamedParent>,
    /// The ids of the posts that come first in a series, as the client has sent them.
    #[serde(skip)]
    pub order: Patch<Vec<String>>,
    /// For a new term: the same input with the same key returns the created term.
    #[serde(skip)]
    pub idempotency_key: Option<String>,
}

/// A term that a change names, with the version on which the change is based.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub id: TermNodeId,
    version: i32,
}

impl Editor<'_> {
    /// Creates a term, or returns the one that the same input with the same key has created. A current or former slug of another term of this kind is refused.
    pub async fn create_term(&self, kind: TermKind, new: TermChanges) -> Result<Edited<Term>> {
        permission::require(self.actor, kind.role_to_change(), CHANGES_TERMS)?;
        let mut errors = Vec::new();
        let slug = match (new.slug.value(), new.name.value()) {
            (Some(text), _) => parse(text, &mut errors),
            (None, name) => slug_of_name(name.map_or("", String::as_str), &mut errors),
        };
        let key = new.idempotency_key.as_deref();
        let creation_key = key.map(|key| once::key_of_term(self.actor, kind, key, &new)).transpose();
        let creation_key = creation_key.map_err(|error| errors.push(error)).ok().flatten();
        let avatar = self.find_picture(new.avatar).await?;
        let parent = self.find_parent(new.parent).await?;
        let changes = TermChanges { avatar, parent, ..new };
        let base = slug.clone().unwrap_or_else(|| Slug::from_name("new").expect("\"new\" is a valid slug"));
        let made = changed(Term::new(kind, base, ""), &changes, &mut errors);
        let made = Term { creation_key, ..made };
        let (Some(slug), true) = (slug.clone(), errors.is_empty()) else {
            errors.extend(self.taken_term_slug(kind, slug.as_ref(), None).await?);
            return Ok(Err(errors));
        };
        let created = self.writer.edit_term(kind, &slug, |owner| match owner {
            None => Ok(made.clone()),
            Some(owner) if made.creation_key.is_some() && owner.creation_key == made.creation_key => {
                Err(NotCreated::Repeated(Box::new(owner.clone())))
            }
            Some(owner) => Err(NotCreated::Taken(taken_by(owner, &slug))),
        });
        Ok(match created.await {
            Ok(Ok(term)) => {
                audit::log_term(self.actor, "create_term", &term);
                Ok(term)
            }
            Ok(Err(NotCreated::Repeated(term))) => Ok(*term),
            Ok(Err(NotCreated::Taken(error))) => Err(vec![error]),
            Err(ContentError::BadParent(why)) => Err(vec![bad_parent(why)]),
            Err(failed) => return Err(failed),
        })
    }

    /// Changes the term with this id, if it has this version.
    pub async fn update_term(
        &self,
        kind: TermKind,
        id: &str,
        version: i32,
        changes: TermChanges,
    ) -> Result<Edited<Term>> {
        permission::require(self.actor, kind.role_to_change(), CHANGES_TERMS)?;
        let Some(named) = named(kind, id, version) else { return Ok(Err(vec![missing(kind)])) };
        let mut errors = Vec::new();
        let slug = changes.slug.clone().required("slug").map_err(|error| errors.push(error)).ok().flatten();
        let slug = slug.and_then(|new| parse(&new, &mut errors));
        let avatar = self.find_picture(changes.avatar.clone()).await?;
        let parent = self.find_parent(changes.parent.clone()).await?;
        let changes = TermChanges { avatar, parent, ..changes };
        let edit = |found: &Term| edited(&named, found, slug.as_ref(), &changes, &errors);
        let first_slug = &named.id.key.first_slug;
        let saving = async {
            Ok::<_, ContentError>(match &slug {
                None => {
                    let edit = |found: Option<&Term>| found.ok_or_else(|| vec![missing(kind)]).and_then(edit);
                    self.writer.edit_term(kind, first_slug, edit).await?
                }
                Some(new) => match self.writer.rename_term(kind, first_slug, new, edit).await? {
                    Ok(Renamed::Done(term)) => Ok(*term),
                    Ok(Renamed::Taken) => Err(vec![taken(kind, new)]),
                    Ok(Renamed::Gone) => Err(vec![missing(kind)]),
                    Err(refused) => Err(refused),
                },
            })
        };
        let saved = match saving.await {
            Err(ContentError::BadParent(why)) => Err(vec![bad_parent(why)]),
            saved => saved?,
        };
        match saved {
            Ok(term) => {
                audit::log_term(self.actor, "update_term", &term);
                Ok(Ok(term))
            }
            Err(mut errors) => {
                let is_final = |error: &UserError| match error.problem {
                    Problem::NotFound { .. } => error.field == Some("id"),
                    Problem::Taken => true,
                    _ => false,
                };
                if !errors.iter().any(is_final) {
                    errors.extend(self.taken_term_slug(kind, slug.as_ref(), Some(&named.id)).await?);
                }
                Ok(Err(errors))
            }
        }
    }

    /// The error for a slug that belongs to another term. It is computed only for an input with other errors; otherwise the transaction checks the slug.
    async fn taken_term_slug(
        &self,
        kind: TermKind,
        given: Option<&Slug>,
        id: Option<&TermNodeId>,
    ) -> Result<Option<UserError>> {
        let Some(slug) = given else { return Ok(None) };
        let owner = self.reader.term(kind, slug).await?.filter(|owner| id != Some(&owner.node_id()));
        Ok(owner.map(|owner| taken_by(&owner, slug)))
    }

    /// Deletes the term with this id, if it has this version, no post or draft has it, and it has no child categories.
    pub async fn delete_term(&self, kind: TermKind, id: &str, version: i32) -> Result<Edited<TermNodeId>> {
        permission::require(self.actor, kind.role_to_change(), CHANGES_TERMS)?;
        let Some(named) = named(kind, id, version) else { return Ok(Err(vec![missing(kind)])) };
        let first_slug = &named.id.key.first_slug;
        let check = |found: &Term| refusal(&named, found).map_or(Ok(()), |refused| Err(vec![refused]));
        Ok(match self.writer.delete_term(kind, first_slug, check).await? {
            Ok(Deleted::Done(term)) => {
                audit::log_term(self.actor, "delete_term", &term);
                Ok(term.node_id())
            }
            Ok(Deleted::InUse(uses)) => {
                if kind == TermKind::Category
                    && let Some(error) = self.below_deleted(first_slug).await?
                {
                    return Ok(Err(vec![error]));
                }
                // The last child category may have been deleted since.
                let uses = uses.max(1);
                let noun = kind.noun();
                let message = format!("posts or drafts have the {noun}: {uses} of them; remove it from them first");
                Err(vec![UserError::in_use("id", message, uses)])
            }
            Ok(Deleted::Gone) => Err(vec![missing(kind)]),
            Err(refused) => Err(refused),
        })
    }
}

/// The term of this kind that an id names.
pub(super) fn named(kind: TermKind, id: &str, version: i32) -> Option<Named> {
    match id.parse() {
        Ok(NodeId::Term(id)) if id.key.kind == kind => Some(Named { id, version }),
        _ => None,
    }
}

/// Why a change that names a term cannot be made on the term of its first slug.
pub(super) fn refusal(named: &Named, found: &Term) -> Option<UserError> {
    if found.node_id() != named.id {
        return Some(missing(found.kind()));
    }
    (found.version != named.version).then(|| UserError::conflict(Current::Term(found.clone())))
}

/// The term after the changes, or all errors: a stale version before those of the input.
fn edited(
    named: &Named,
    found: &Term,
    slug: Option<&Slug>,
    changes: &TermChanges,
    faults: &[UserError],
) -> Edited<Term> {
    let mut errors: Vec<UserError> = refusal(named, found).into_iter().collect();
    if found.node_id() != named.id {
        return Err(errors);
    }
    errors.extend_from_slice(faults);
    if slug.is_some_and(|slug| *slug != found.slug) && found.former_slugs.len() >= FORMER_SLUGS_MAX {
        let message =
            format!("the {} has {FORMER_SLUGS_MAX} former slugs already, and cannot have more", found.kind().noun());
        errors.push(UserError::invalid("slug", message));
    }
    let term = changed(found.clone(), changes, &mut errors);
    if errors.is_empty() { Ok(term) } else { Err(errors) }
}

fn changed(mut term: Term, changes: &TermChanges, errors: &mut Vec<UserError>) -> Term {
    match changes.name.clone().required("name") {
        Ok(name) => term.name = name.map_or(term.name, |name| name.trim().to_owned()),
        Err(error) => errors.push(error),
    }
    term.description = changes.description.clone().apply(term.description).filter(|text| !text.trim().is_empty());
    term.url = changes.url.clone().apply(term.url).filter(|url| !url.trim().is_empty());
    let (description, url) = (term.description.as_deref(), term.url.as_deref());
    let mut broken = rules::check_term(term.kind(), &term.name, description, url).err().unwrap_or_default();
    match changes.avatar.clone().map(|named| named.found("avatarId")).transpose() {
        Ok(avatar) => term.profile.avatar = avatar.apply(term.profile.avatar),
        Err(error) => errors.push(error),
    }
    match changes.parent.clone().map(NamedParent::found).transpose() {
        Ok(parent) => term.parent = parent.apply(term.parent),
        Err(error) => errors.push(error),
    }
    let job_title = changes.job_title.clone().apply(term.profile.job_title);
    term.profile.job_title = job_title.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    term.profile.links = changes.links.clone().apply(Some(term.profile.links)).unwrap_or_default();
    broken.extend(rules::check_profile(&term.profile).err().unwrap_or_default());
    match changes.order.clone().map(|ids| posts_of(&ids)).transpose() {
        Ok(order) => term.order = order.apply(Some(term.order)).unwrap_or_default(),
        Err(error) => errors.push(error),
    }
    broken.extend(rules::check_order(&term.order).err().unwrap_or_default());
    errors.extend(broken.iter().map(|rule| UserError::invalid(rule.field, format!("{} {}", rule.field, rule.reason))));
    term
}

/// Parses the ids of posts, which need not exist.
fn posts_of(ids: &[String]) -> Result<Vec<PostId>, UserError> {
    let mut posts = Vec::with_capacity(ids.len());
    let mut seen = HashSet::with_capacity(ids.len());
    for id in ids {
        let Ok(NodeId::Post(post)) = id.parse() else {
            let shown: String = id.chars().take(100).collect();
            return Err(UserError::invalid("orderedPostIds", format!("{shown:?} is not the id of a post")));
        };
        if !seen.insert(post.clone()) {
            return Err(UserError::invalid("orderedPostIds", format!("{id} is named twice")));
        }
        posts.push(post);
    }
    Ok(posts)
}

fn parse(text: &str, errors: &mut Vec<UserError>) -> Option<Slug> {
    text.parse().map_err(|e| errors.push(UserError::invalid("slug", format!("{e}")))).ok()
}

fn slug_of_name(name: &str, errors: &mut Vec<UserError>) -> Option<Slug> {
    let slug = Slug::from_name(name);
    if slug.is_none() && !name.trim().is_empty() {
        errors.push(UserError::invalid(
            "slug",
            "the name has no letter or digit of which a slug could be made; give a slug",
        ));
    }
    slug
}

fn taken_by(owner: &Term, slug: &Slug) -> UserError {
    let noun = owner.kind().noun();
    let has = if owner.slug == *slug { "has" } else { "has had" };
    UserError::taken("slug", format!("the {noun} \"{}\" {has} the slug {slug}", owner.name))
}

fn taken(kind: TermKind, slug: &Slug) -> UserError {
    UserError::taken("slug", format!("another {} has or has had the slug {slug}", kind.noun()))
}

pub(super) fn missing(kind: TermKind) -> UserError {
    let noun = kind.noun();
    let article = if kind == TermKind::Author { "an" } else { "a" };
    UserError::not_found(
        "id",
        format!("there is no {noun} with this id; an id of {article} {noun} is in its field `id`"),
    )
}
