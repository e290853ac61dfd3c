//! Changes of posts. The rule: a change applies only to the version that the caller names.

use std::time::Duration;

use futures_util::future::join3;

use crate::content::access::permission;
use crate::content::audit::PostChange;
use crate::content::commands::{self, Current, Edited, Patch, PostChanges, Problem, UserError};
use crate::content::error::{ContentError, Result};
use crate::content::write::{Change, GoneTerm, NewKey, Outcome, Stored, until_made};
use crate::model::{ActorSnapshot, Instant, NodeId, Post, PostId, Slug, WholePost, WholeSitePage};

use super::find::FoundPost;
use super::{Editor, NamedTerms, once};

/// The maximum number of tries of a change that conflicts with others.
pub(super) const TRIES_MAX: u32 = 5;
/// The wait before the first retry; it doubles with each retry.
pub(super) const WAIT: Duration = Duration::from_millis(20);

/// The slug of a post whose title has no letter or digit.
fn fallback_slug() -> Slug {
    Slug::from_name("post").expect("\"post\" is a valid slug")
}

/// The content whose version was restored.
pub enum Restored {
    Post(WholePost),
    Page(WholeSitePage),
}

impl Editor<'_> {
    /// `key`: the post is created at most once for each key of this actor; the same input returns the post that was created. `slug`: if it is `None`, it is
    /// generated from the title, followed by a number if that slug is taken.
    pub async fn create_post(
        &self,
        key: Option<&str>,
        slug: Option<String>,
        new: PostChanges,
        terms: NamedTerms,
    ) -> Result<Edited<WholePost>> {
        let key = match key.map(|key| once::key_of_post(self.actor, key, slug.as_deref(), &new, &terms)).transpose() {
            Ok(key) => key,
            Err(error) => return Ok(Err(vec![error])),
        };
        if let Some(key) = &key
            && let Some(answered) = self.answer_used(key).await?
        {
            return Ok(answered);
        }
        let new = self.find_files(self.content.renderer().with_excerpt(new, "".into()).await).await?;
        let (key, slug) = (key.as_ref(), slug.as_deref());
        until_made(TRIES_MAX, WAIT, || self.try_to_create(key, slug, new.clone(), terms.clone())).await
    }

    /// Returns `None` to try again after a conflict with another change, such as a change of one of its terms.
    async fn try_to_create(
        &self,
        key: Option<&NewKey>,
        slug: Option<&str>,
        new: PostChanges,
        terms: NamedTerms,
    ) -> Result<Option<Edited<WholePost>>> {
        let mut errors = Vec::new();
        let named = match slug {
            Some(text) => text.parse().map_err(|e| UserError::invalid("slug", format!("{e}"))),
            None => Ok(new.title.value().and_then(|title| Slug::from_name(title)).unwrap_or_else(fallback_slug)),
        };
        let named: Option<Slug> = named.map_err(|e| errors.push(e)).ok();
        let found = self.find_terms(terms, &mut errors).await?;
        let original = self.find_original(new.translation_of.as_deref(), &mut errors).await?;
        let authors = self.permitted_authors(found.authors, true, &errors)?;
        let (categories, tags, series) = (found.categories, found.tags, found.series);
        let new = PostChanges { authors, categories, tags, series, ..new };
        // A slug that is invalid must not hide the errors of the other fields.
        let given = named.clone().filter(|_| slug.is_some());
        let base = named.unwrap_or_else(fallback_slug);
        let id = self.writer.new_post_id_beside(&base)?;
        let declared = self.content.fields().of_posts.as_deref();
        let made = commands::make(new, base.clone(), id, self.now(), declared);
        let made = made.map_err(|broken| errors.extend(broken));
        let (Ok(mut whole), true) = (made, errors.is_empty()) else {
            errors.extend(self.taken_slug(given.as_ref(), None).await?);
            return Ok(Some(Err(errors)));
        };
        whole.changed_by = Some(ActorSnapshot::of(self.actor));
        let original = match self.link_original(original, &mut whole.post)? {
            Ok(original) => original,
            Err(errors) => return Ok(Some(Err(errors))),
        };
        let mut number = 1;
        loop {
            whole.post.slug = base.numbered(number);
            let change = Change { before: None, after: Some(whole.clone()) };
            let changes = [change].into_iter().chain(original.clone()).collect();
            match self.write(changes, &found.new_tags, key).await? {
                // A term was deleted after its look-up. The next try reports that, or creates the tag.
                Outcome::Conflict | Outcome::TermsGone(_) => return Ok(None),
                Outcome::Taken(_) if slug.is_none() => match self.writer.free_number(&base, number).await? {
                    Some(free) => number = free,
                    None => break,
                },
                Outcome::Repeated(id) => return self.answer_repeated(&id).await.map(Some),
                outcome => return Ok(Some(answer(outcome)?.map(|()| whole))),
            }
        }
        let message = format!("the slug {base} and those with a number after it are taken; give another slug");
        Ok(Some(Err(vec![UserError::taken("slug", message)])))
    }

    pub async fn update_post(
        &self,
        id: &str,
        version: i32,
        slug: Patch<String>,
        changes: PostChanges,
        terms: NamedTerms,
    ) -> Result<Edited<WholePost>> {
        // A stale version is reported together with the other errors of the input, and before them.
        let (mut errors, mut of_terms) = (Vec::new(), Vec::new());
        let terms_found = self.find_terms(terms.clone(), &mut of_terms);
        let files_found = self.find_files(changes);
        let (post_found, terms_found, files_found) = join3(self.find_post(id, version), terms_found, files_found).await;
        let stored = match post_found? {
            FoundPost::Current(stored) => stored,
            FoundPost::Stale(stored) => {
                errors.push(UserError::conflict(Current::Post(stored.whole.clone())));
                stored
            }
            missing @ FoundPost::Missing => return Ok(missing.current().map(|stored| stored.whole)),
        };
        let changes = self.content.renderer().with_excerpt(files_found?, stored.whole.markdown.clone()).await;
        let mut known = Some(stored);
        let mut known_terms = Some((terms_found?, of_terms));
        let parse = |text: String| text.parse::<Slug>().map_err(|e| UserError::invalid("slug", e.to_string()));
        let slug = slug.required("slug").and_then(|text| text.map(parse).transpose());
        let slug = slug.map_err(|error| errors.push(error)).ok().flatten();
        until_made(TRIES_MAX, WAIT, || {
            let (known, known_terms) = (known.take(), known_terms.take());
            async {
                let mut errors = errors.clone();
                let found = match known_terms {
                    Some((found, of_terms)) => {
                        errors.extend(of_terms);
                        found
                    }
                    None => self.find_terms(terms.clone(), &mut errors).await?,
                };
                let authors = self.permitted_authors(found.authors, false, &errors)?;
                let (categories, tags, series) = (found.categories, found.tags, found.series);
                let changes = PostChanges { slug: slug.clone(), authors, categories, tags, series, ..changes.clone() };
                let revised = self.try_to_revise((id, version, known), &found.new_tags, |before| {
                    let declared = self.content.fields().of_posts.as_deref();
                    let after = commands::change(before, changes.clone(), self.now(), declared);
                    let mut errors = errors.clone();
                    after.map_err(|broken| errors.extend(broken)).ok().filter(|_| errors.is_empty()).ok_or(errors)
                });
                let answer = match revised.await? {
                    None => return Ok(None),
                    // The terms of this change are looked up again.
                    Some(Revised::Gone(terms, had))
                        if terms.iter().all(|term| !had.has_term(term.kind, &term.slug)) =>
                    {
                        return Ok(None);
                    }
                    Some(revised) => revised.into_answer(),
                };
                Ok(Some(match answer {
                    Err(mut errors) if errors.iter().all(|error| error.problem != Problem::Taken) => {
                        errors.extend(self.taken_slug(slug.as_ref(), Some(id)).await?);
                        Err(errors)
                    }
                    answer => answer,
                }))
            }
        })
        .await
    }

    /// The error for a slug that belongs to another post. It is computed only for an input with other errors; otherwise the transaction checks the slug.
    async fn taken_slug(&self, given: Option<&Slug>, id: Option<&str>) -> Result<Option<UserError>> {
        let Some(slug) = given else { return Ok(None) };
        let owner = self.reader.owner_of_slug(slug).await?;
        let is_other = owner.is_some_and(|owner| id != Some(NodeId::Post(owner).to_string().as_str()));
        Ok(is_other.then(|| taken(slug)))
    }

    /// Makes a new version of a post or page with the text and the terms of an earlier version.
    pub async fn restore_revision(&self, revision_id: &str, version: i32) -> Result<Edited<Restored>> {
        let Ok(NodeId::Revision(id, revision)) = revision_id.parse() else {
            return Ok(Err(vec![UserError::not_found("revisionId", "there is no version with this id")]));
        };
        Ok(match self.find_post(&NodeId::Post(id.clone()).to_string(), version).await? {
            FoundPost::Missing => self.restore_page(id, version, revision).await?.map(Restored::Page),
            found => match found.current() {
                Ok(before) => self.restore_post(before, revision).await?.map(Restored::Post),
                Err(errors) => Err(errors),
            },
        })
    }

    /// The earlier version to restore. `current`: the post or page now.
    pub(super) async fn kept_version(&self, current: &WholePost, revision: i32) -> Result<Edited<WholePost>> {
        let earlier = match revision == current.post.version {
            true => Some(current.clone()),
            false => self.reader.revision(&current.post.id, revision).await?,
        };
        Ok(earlier.filter(|_| revision <= current.post.version).ok_or_else(|| {
            let message = format!("version {revision} is not kept; `revisions` lists those that are");
            vec![UserError::not_found("revisionId", message)]
        }))
    }

    async fn restore_post(&self, before: Stored, revision: i32) -> Result<Edited<WholePost>> {
        let (id, version) = (&NodeId::Post(before.whole.post.id.clone()).to_string(), before.whole.post.version);
        let mut earlier = match self.kept_version(&before.whole, revision).await? {
            Ok(earlier) => earlier,
            Err(errors) => return Ok(Err(errors)),
        };
        let mut known = Some(before.clone());
        loop {
            permission::authors(self.actor, Some(earlier.post.authors.clone()), false)?;
            let had = |tag: &&Slug| !before.whole.post.tags.contains(tag);
            let new_tags: Vec<Slug> = earlier.post.tags.iter().filter(had).cloned().collect();
            let restored = until_made(TRIES_MAX, WAIT, || {
                let known = known.take();
                let restore = |before: &WholePost| commands::restore(before, &earlier, self.now());
                self.try_to_revise((id, version, known), &new_tags, restore)
            });
            let gone = match restored.await? {
                Revised::Gone(gone, _) => gone,
                Revised::Answered(edited) => return Ok(of_input(edited, &["revisionId", "expectedVersion"])),
            };
            let merged: Vec<_> = gone.iter().filter_map(|term| Some((term, term.merged_into()?))).collect();
            if merged.is_empty() {
                return Ok(Err(gone.iter().map(|term| gone_since(term, revision)).collect()));
            }
            for (term, into) in merged {
                earlier.post.replace_term(term.kind, &term.slug, &into);
            }
        }
    }

    /// Publishes a post at an instant. Without one, a published post keeps its instant, and any other is published now.
    pub async fn publish_post(&self, id: &str, version: i32, at: Option<Instant>) -> Result<Edited<WholePost>> {
        let changes = PostChanges { publish: Patch::Set(true), publish_at: at.into(), ..PostChanges::default() };
        self.change_publication(id, version, changes).await
    }

    pub async fn unpublish_post(&self, id: &str, version: i32) -> Result<Edited<WholePost>> {
        let changes = PostChanges { publish: Patch::Set(false), ..PostChanges::default() };
        self.change_publication(id, version, changes).await
    }

    pub async fn delete_post(&self, id: &str, version: i32) -> Result<Edited<PostId>> {
        until_made(TRIES_MAX, WAIT, || async {
            let before = match self.find_post(id, version).await?.current() {
                Ok(before) => before,
                Err(errors) => return Ok(Some(Err(errors))),
            };
            let id = before.whole.post.id.clone();
            Ok(match self.write(vec![Change { before: Some(before), after: None }], &[], None).await? {
                Outcome::Conflict => None,
                outcome => Some(of_input(answer(outcome)?, &["id", "expectedVersion"]).map(|()| id)),
            })
        })
        .await
    }

    async fn change_publication(&self, id: &str, version: i32, changes: PostChanges) -> Result<Edited<WholePost>> {
        let change = |before: &WholePost| commands::change(before, changes.clone(), self.now(), None);
        let changed = until_made(TRIES_MAX, WAIT, || self.try_to_revise((id, version, None), &[], &change));
        Ok(of_input(changed.await?.into_answer(), &["id", "expectedVersion", "publishAt"]))
    }

    /// Changes the post of this version, which is read unless the caller passes it in `known`. `new_tags`: tags that are created if they do not
    /// exist. Returns `None` to try again after a conflict with another change.
    async fn try_to_revise(
        &self,
        (id, version, known): (&str, i32, Option<Stored>),
        new_tags: &[Slug],
        change: impl Fn(&WholePost) -> Edited<WholePost>,
    ) -> Result<Option<Revised>> {
        let found = match known {
            Some(stored) => Ok(stored),
            None => self.find_post(id, version).await?.current(),
        };
        let changed = found.and_then(|before| change(&before.whole).map(|after| (before, after)));
        let (before, after) = match changed {
            Ok((before, after)) if after == before.whole => return Ok(Some(Revised::Answered(Ok(after)))),
            Ok(changed) => changed,
            Err(errors) => return Ok(Some(Revised::Answered(Err(errors)))),
        };
        let after = WholePost { changed_by: Some(ActorSnapshot::of(self.actor)), ..after };
        let had = before.whole.post.clone();
        let change = Change { before: Some(before), after: Some(after.clone()) };
        Ok(match self.write(vec![change], new_tags, None).await? {
            Outcome::Conflict => None,
            Outcome::TermsGone(terms) => Some(Revised::Gone(terms, had)),
            outcome => Some(Revised::Answered(answer(outcome)?.map(|()| after))),
        })
    }

    /// Makes all of these changes, or none of them. `key`: the idempotency key of a creation.
    async fn write(&self, changes: Vec<Change>, new_tags: &[Slug], key: Option<&NewKey>) -> Result<Outcome> {
        let logged: Vec<PostChange> = changes.iter().map(PostChange::of).collect();
        let outcome = match changes.len() {
            1 => self.writer.change_posts_with(changes, new_tags, key).await?.pop(),
            _ => Some(self.writer.change_posts_together(changes, new_tags, key).await?.into_outcome()),
        };
        let outcome = outcome.ok_or_else(|| defect("a change has no outcome"))?;
        logged.iter().filter(|_| outcome == Outcome::Done).for_each(|change| change.log(self.actor));
        Ok(outcome)
    }
}

/// The errors of an input that has only these fields. An error at another field, such as a stored text that breaks a rule, names no field.
pub(super) fn of_input<T>(edited: Edited<T>, fields: &[&str]) -> Edited<T> {
    let named = |error: UserError| UserError { field: error.field.filter(|field| fields.contains(field)), ..error };
    edited.map_err(|errors| errors.into_iter().map(named).collect())
}

/// The outcome of a change of a post.
enum Revised {
    Answered(Edited<WholePost>),
    /// The post would have terms that do not exist; it is unchanged.
    Gone(Vec<GoneTerm>, Post),
}

impl Revised {
    fn into_answer(self) -> Edited<WholePost> {
        match self {
            Self::Answered(answer) => answer,
            Self::Gone(terms, _) => Err(terms.iter().map(needs_term).collect()),
        }
    }
}

fn needs_term(GoneTerm { kind, slug, .. }: &GoneTerm) -> UserError {
    let noun = kind.noun();
    let message =
        format!("The post would have the {noun} \"{slug}\", which does not exist; give it other terms first.");
    UserError::no_slug(kind.slugs_field(), slug, &message, Vec::new())
}

/// The error for a term of an earlier version that does not exist any more.
fn gone_since(GoneTerm { kind, slug, now_of }: &GoneTerm, revision: i32) -> UserError {
    let noun = kind.noun();
    let why = match now_of {
        Some(term) => format!("its slug now belongs to the {noun} \"{}\"", term.name),
        None => "create it again first".to_owned(),
    };
    let message = format!("The {noun} \"{slug}\" of version {revision} was deleted: {why}.");
    UserError::not_found("revisionId", message)
}

/// The errors name fields of the inputs that create or update a post. The callers retry after a conflict, and answer a repeated creation
/// themselves.
pub(super) fn answer(outcome: Outcome) -> Result<Edited<()>> {
    let error = match outcome {
        Outcome::Done => return Ok(Ok(())),
        Outcome::Conflict => return Err(ContentError::Busy),
        Outcome::Exists => return Err(defect("a post with this random id exists already")),
        Outcome::Repeated(_) => return Err(defect("a change without a key has the outcome of one with a key")),
        Outcome::Taken(slug) => taken(&slug),
        Outcome::Untranslatable(why) => UserError::untranslatable(why),
        Outcome::TermsGone(terms) => return Ok(Err(terms.iter().map(needs_term).collect())),
        Outcome::KeyUsed => once::used_for_another(),
        Outcome::TooLarge(reason) => UserError::too_large("markdown", reason),
    };
    Ok(Err(vec![error]))
}

fn taken(slug: &Slug) -> UserError {
    UserError::taken("slug", format!("the slug {slug} belongs to another post"))
}

fn defect(what: &'static str) -> ContentError {
    ContentError::Internal { what, source: None }
}
