//! Changes of posts. The rule: a change is made on the version that the caller has seen, or not at all.

use std::time::Duration;

use crate::content::audit::PostChange;
use crate::content::commands::{self, NewPost, PostChanges, UserError, UserErrorCode};
use crate::content::error::{ContentError, Result};
use crate::content::permission;
use crate::content::write::commit::Outcome;
use crate::content::write::plan::{Change, Stored};
use crate::model::{Instant, PostId, Slug, WholePost};

use super::{Edited, Editor, NamedTerms};

/// How many numbers are tried for a slug that is made from a title.
const NUMBERS_MAX: u32 = 1_000;
/// How often a change is tried that meets others on their way.
const TRIES_MAX: u32 = 5;
/// Before it is tried again; twice as long each time.
const WAIT: Duration = Duration::from_millis(20);

impl Editor<'_> {
    /// `slug`: made from the title where it is `None`, with a number behind it where that is taken.
    pub async fn create_post(
        &self,
        slug: Option<String>,
        new: NewPost,
        terms: NamedTerms,
    ) -> Result<Edited<WholePost>> {
        for tries in 0..TRIES_MAX {
            if let Some(made) = self.try_to_create(slug.as_deref(), new.clone(), terms.clone()).await? {
                return Ok(made);
            }
            self.let_others_end(tries).await?;
        }
        Ok(Err(vec![UserError::conflict(None)]))
    }

    /// `None` where it met a change of others: of the terms that were found, or one that is undone.
    async fn try_to_create(
        &self,
        slug: Option<&str>,
        new: NewPost,
        terms: NamedTerms,
    ) -> Result<Option<Edited<WholePost>>> {
        let mut errors = Vec::new();
        let named = match slug {
            Some(text) => text.parse().map_err(|e| UserError::invalid("slug", format!("{e}"))),
            None => {
                Ok(Slug::from_name(&new.title).unwrap_or_else(|| Slug::from_name("post").expect("letters are a slug")))
            }
        };
        let named: Option<Slug> = named.map_err(|e| errors.push(e)).ok();
        let found = self.find_terms(terms, &mut errors).await?;
        let authors = permission::authors(self.actor, found.authors, true)?;
        let id = self.writer.new_post_id()?;
        let new = NewPost {
            authors: authors.unwrap_or_default(),
            categories: found.categories.unwrap_or_default(),
            tags: found.tags.unwrap_or_default(),
            ..new
        };
        let Some(base) = named else { return Ok(Some(Err(errors))) };
        let made = commands::make(new, base.clone(), id, self.now()).map_err(|e| errors.push(e));
        let (Ok(mut whole), true) = (made, errors.is_empty()) else { return Ok(Some(Err(errors))) };
        whole.changed_by = Some(self.actor.name.clone());
        for number in 1..=NUMBERS_MAX {
            whole.post.slug = base.numbered(number);
            let change = Change { before: None, after: Some(whole.clone()) };
            match self.write(change, &found.new_tags).await? {
                Outcome::Conflict => return Ok(None),
                // A slug may be held by a change that was left: that is settled, and the slug tried once more.
                Outcome::Taken(_) if self.content.recover_left().await?.settled > 0 => return Ok(None),
                Outcome::Taken(_) if slug.is_none() => {}
                outcome => return Ok(Some(answer(outcome).map(|()| whole))),
            }
        }
        let message = format!("{base} and its numbers are taken; give a slug");
        Ok(Some(Err(vec![UserError::new(UserErrorCode::Taken, "slug", message)])))
    }

    pub async fn update_post(
        &self,
        id: &str,
        version: i32,
        slug: Option<String>,
        changes: PostChanges,
        terms: NamedTerms,
    ) -> Result<Edited<WholePost>> {
        // Who has lost the race hears that first.
        let mut known = match self.find_post(id, version).await? {
            Ok(stored) => Some(stored),
            Err(error) => return Ok(Err(vec![error])),
        };
        let mut errors = Vec::new();
        let slug = match slug.map(|text| text.parse::<Slug>()).transpose() {
            Ok(slug) => slug,
            Err(e) => {
                errors.push(UserError::invalid("slug", e.to_string()));
                None
            }
        };
        for tries in 0..TRIES_MAX {
            let mut errors = errors.clone();
            let found = self.find_terms(terms.clone(), &mut errors).await?;
            let authors = permission::authors(self.actor, found.authors, false)?;
            let (categories, tags) = (found.categories, found.tags);
            let changes = PostChanges { slug: slug.clone(), authors, categories, tags, ..changes.clone() };
            let tried = self.try_to_revise((id, version, known.take()), &found.new_tags, |before| {
                let after = commands::change(before, changes.clone(), self.now());
                let mut errors = errors.clone();
                after.map_err(|e| errors.push(e)).ok().filter(|_| errors.is_empty()).ok_or(errors)
            });
            if let Some(revised) = tried.await? {
                return Ok(revised);
            }
            self.let_others_end(tries).await?;
        }
        Ok(Err(vec![UserError::conflict(None)]))
    }

    /// The text and the terms of an earlier version, as a new version.
    pub async fn restore_revision(&self, id: &str, version: i32, revision: i32) -> Result<Edited<WholePost>> {
        let before = match self.find_post(id, version).await? {
            Ok(before) => before,
            Err(error) => return Ok(Err(vec![error])),
        };
        let earlier = match revision == version {
            true => Some(before.whole.clone()),
            false => self.reader.revision(&before.whole.post.id, revision).await?,
        };
        let mut known = Some(before);
        let Some(earlier) = earlier.filter(|_| revision <= version) else {
            let message = format!("version {revision} of the post is not kept; `revisions` lists those that are");
            return Ok(Err(vec![UserError::new(UserErrorCode::NotFound, "revision", message)]));
        };
        permission::authors(self.actor, Some(earlier.post.authors.clone()), false)?;
        for tries in 0..TRIES_MAX {
            let (new_tags, errors) = self.find_gone(&earlier.post, revision).await?;
            if !errors.is_empty() {
                return Ok(Err(errors));
            }
            let restore = |before: &WholePost| commands::restore(before, &earlier, self.now()).map_err(|e| vec![e]);
            if let Some(revised) = self.try_to_revise((id, version, known.take()), &new_tags, restore).await? {
                return Ok(revised);
            }
            self.let_others_end(tries).await?;
        }
        Ok(Err(vec![UserError::conflict(None)]))
    }

    /// Now, or at an instant; a post that is published stays at its own where none is given.
    pub async fn publish_post(&self, id: &str, version: i32, at: Option<Instant>) -> Result<Edited<WholePost>> {
        self.revise(id, version, |before| {
            let is_out = before.post.published_at.filter(|at| *at <= self.now());
            let at = at.or(is_out).unwrap_or(self.now());
            commands::publish(before, Some(at), self.now()).map_err(|e| vec![UserError { field: Some("at"), ..e }])
        })
        .await
    }

    pub async fn unpublish_post(&self, id: &str, version: i32) -> Result<Edited<WholePost>> {
        self.revise(id, version, |before| commands::publish(before, None, self.now()).map_err(|e| vec![e])).await
    }

    pub async fn delete_post(&self, id: &str, version: i32) -> Result<Edited<PostId>> {
        for tries in 0..TRIES_MAX {
            let before = match self.find_post(id, version).await? {
                Ok(before) => before,
                Err(error) => return Ok(Err(vec![error])),
            };
            let id = before.whole.post.id.clone();
            match self.write(Change { before: Some(before), after: None }, &[]).await? {
                Outcome::Conflict => self.let_others_end(tries).await?,
                outcome => return Ok(answer(outcome).map(|()| id)),
            }
        }
        Ok(Err(vec![UserError::conflict(None)]))
    }

    async fn revise(
        &self,
        id: &str,
        version: i32,
        change: impl Fn(&WholePost) -> Edited<WholePost>,
    ) -> Result<Edited<WholePost>> {
        for tries in 0..TRIES_MAX {
            if let Some(revised) = self.try_to_revise((id, version, None), &[], &change).await? {
                return Ok(revised);
            }
            self.let_others_end(tries).await?;
        }
        Ok(Err(vec![UserError::conflict(None)]))
    }

    /// Changes the post of this version, which is read where it was not just found. `None` where that was refused, though the version may be
    /// the same: by a change of the terms that it comes to bear, or one that is undone.
    async fn try_to_revise(
        &self,
        (id, version, known): (&str, i32, Option<Stored>),
        new_tags: &[Slug],
        change: impl Fn(&WholePost) -> Edited<WholePost>,
    ) -> Result<Option<Edited<WholePost>>> {
        let found = match known {
            Some(stored) => Ok(stored),
            None => self.find_post(id, version).await?,
        };
        let before = match found {
            Ok(before) => before,
            Err(error) => return Ok(Some(Err(vec![error]))),
        };
        let after = match change(&before.whole) {
            Ok(after) if after == before.whole => return Ok(Some(Ok(after))),
            Ok(after) => after,
            Err(errors) => return Ok(Some(Err(errors))),
        };
        let after = WholePost { changed_by: Some(self.actor.name.clone()), ..after };
        let change = Change { before: Some(before), after: Some(after.clone()) };
        Ok(match self.write(change, new_tags).await? {
            Outcome::Conflict => None,
            Outcome::Taken(_) if self.content.recover_left().await?.settled > 0 => None,
            outcome => Some(answer(outcome).map(|()| after)),
        })
    }

    async fn let_others_end(&self, tries: u32) -> Result<()> {
        self.content.recover_left().await?;
        tokio::time::sleep(WAIT * 2_u32.pow(tries)).await;
        Ok(())
    }

    async fn write(&self, change: Change, new_tags: &[Slug]) -> Result<Outcome> {
        let logged = PostChange::of(&change);
        let outcome = self.writer.change_posts_with(vec![change], new_tags).await?.pop();
        let outcome = outcome.ok_or(ContentError::Internal { what: "a change was not answered for", source: None })?;
        if outcome == Outcome::Done {
            logged.log(self.actor);
        }
        Ok(outcome)
    }
}

fn answer(outcome: Outcome) -> Edited<()> {
    let error = match outcome {
        Outcome::Done => return Ok(()),
        Outcome::Taken(slug) => {
            UserError::new(UserErrorCode::Taken, "slug", format!("the slug {slug} belongs to another post"))
        }
        Outcome::Conflict => UserError::conflict(None),
        Outcome::TooLarge(reason) => UserError::new(UserErrorCode::TooLarge, "markdown", reason),
    };
    Err(vec![error])
}
