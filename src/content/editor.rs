//! Changes by editors, one post or term at a time. The rule: the caller hears what it can mend as [`UserError`]s, and then nothing was written.

use std::time::Duration;

use futures_util::future::try_join_all;

use crate::model::{Actor, Instant, PostId, Slug, Term, TermKind, WholePost, rules};

use super::audit::{self, PostChange};
use super::commands::{self, NewPost, PostChanges, UserError, UserErrorCode};
use super::error::{ContentError, Result};
use super::write::commit::Outcome;
use super::write::plan::{Change, Stored};
use super::{Content, Reader, Writer};

/// What was asked for, or why not.
pub type Edited<T> = std::result::Result<T, Vec<UserError>>;

/// How many numbers are tried for a slug that is made from a title.
const NUMBERS_MAX: u32 = 1_000;
/// How often a change is tried that meets others on their way.
const TRIES_MAX: u32 = 5;
/// Before it is tried again; twice as long each time.
const WAIT: Duration = Duration::from_millis(20);

/// One editor's request, at one instant.
pub struct Editor<'a> {
    content: &'a Content,
    writer: Writer,
    reader: &'a Reader,
    /// Who asks, for the log and for what it may.
    actor: &'a Actor,
}

/// Slugs of terms as the caller wrote them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedTerms {
    pub authors: Option<Vec<String>>,
    pub categories: Option<Vec<String>>,
    pub tags: Option<Vec<String>>,
}

/// What a term is to say; what is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermChanges {
    pub name: Option<String>,
    pub description: Option<String>,
    pub url: Option<String>,
}

struct FoundTerms {
    authors: Option<Vec<Slug>>,
    categories: Option<Vec<Slug>>,
    tags: Option<Vec<Slug>>,
    /// Tags that are made with the post.
    new_tags: Vec<Slug>,
}

impl<'a> Editor<'a> {
    pub fn new(content: &'a Content, reader: &'a Reader, actor: &'a Actor) -> Result<Self> {
        Ok(Self { content, writer: content.writer()?, reader, actor })
    }

    fn now(&self) -> Instant {
        self.reader.now()
    }

    /// `slug`: made from the title where it is `None`, with a number behind it where that is taken.
    pub async fn create_post(
        &self,
        slug: Option<String>,
        new: NewPost,
        terms: NamedTerms,
    ) -> Result<Edited<WholePost>> {
        let mut errors = Vec::new();
        let named = match &slug {
            Some(text) => text.parse().map_err(|e| UserError::invalid("slug", format!("{e}"))),
            None => {
                Ok(Slug::from_name(&new.title).unwrap_or_else(|| Slug::from_name("post").expect("letters are a slug")))
            }
        };
        let named: Option<Slug> = named.map_err(|e| errors.push(e)).ok();
        let found = self.find_terms(terms, &mut errors).await?;
        let id = self.writer.new_post_id()?;
        let new = NewPost {
            authors: found.authors.unwrap_or_default(),
            categories: found.categories.unwrap_or_default(),
            tags: found.tags.unwrap_or_default(),
            ..new
        };
        let Some(base) = named else { return Ok(Err(errors)) };
        let made = commands::make(new, base.clone(), id, self.now()).map_err(|e| errors.push(e));
        let (Ok(mut whole), true) = (made, errors.is_empty()) else { return Ok(Err(errors)) };
        for number in 1..=NUMBERS_MAX {
            whole.post.slug = base.numbered(number);
            let made = self.make(&mut whole, &found.new_tags).await?;
            match made {
                Err(errors) if slug.is_none() && errors.iter().all(|e| e.code == UserErrorCode::Taken) => {}
                done => return Ok(done.map(|()| whole)),
            }
        }
        Ok(Err(vec![UserError::new(
            UserErrorCode::Taken,
            "slug",
            format!("{base} and its numbers are taken; give a slug"),
        )]))
    }

    /// A slug may be held by a change that was left: that is settled, and the slug tried once more.
    async fn make(&self, whole: &mut WholePost, new_tags: &[Slug]) -> Result<Edited<()>> {
        for _ in 1..TRIES_MAX {
            let change = Change { before: None, after: Some(whole.clone()) };
            match self.write(change, new_tags).await? {
                Outcome::Taken(_) if self.content.recover_left().await?.settled > 0 => {}
                // Its place is fenced off: this server was taken to have stopped. A new id has a place of its own.
                Outcome::Conflict => whole.post.id = self.writer.new_post_id()?,
                outcome => return Ok(answer(outcome)),
            }
        }
        Ok(Err(vec![UserError::conflict(None)]))
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
        if let Err(error) = self.find_post(id, version).await? {
            return Ok(Err(vec![error]));
        }
        let mut errors = Vec::new();
        let slug = match slug.map(|text| text.parse::<Slug>()).transpose() {
            Ok(slug) => slug,
            Err(e) => {
                errors.push(UserError::invalid("slug", e.to_string()));
                None
            }
        };
        let found = self.find_terms(terms, &mut errors).await?;
        let changes =
            PostChanges { slug, authors: found.authors, categories: found.categories, tags: found.tags, ..changes };
        self.revise(id, version, &found.new_tags, |before| {
            let mut errors = errors.clone();
            let after = commands::change(before, changes.clone(), self.now()).map_err(|e| errors.push(e));
            after.ok().filter(|_| errors.is_empty()).ok_or(errors)
        })
        .await
    }

    /// Now, or at an instant; a post that is published stays at its own where none is given.
    pub async fn publish_post(&self, id: &str, version: i32, at: Option<Instant>) -> Result<Edited<WholePost>> {
        self.revise(id, version, &[], |before| {
            let is_out = before.post.published_at.filter(|at| *at <= self.now());
            let at = at.or(is_out).unwrap_or(self.now());
            commands::publish(before, Some(at), self.now()).map_err(|e| vec![UserError { field: Some("at"), ..e }])
        })
        .await
    }

    pub async fn unpublish_post(&self, id: &str, version: i32) -> Result<Edited<WholePost>> {
        self.revise(id, version, &[], |before| commands::publish(before, None, self.now()).map_err(|e| vec![e])).await
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

    /// Changes the post of this version. A refusal though the version is the same came of a change that is undone, and does not count.
    async fn revise(
        &self,
        id: &str,
        version: i32,
        new_tags: &[Slug],
        change: impl Fn(&WholePost) -> Edited<WholePost>,
    ) -> Result<Edited<WholePost>> {
        for tries in 0..TRIES_MAX {
            let before = match self.find_post(id, version).await? {
                Ok(before) => before,
                Err(error) => return Ok(Err(vec![error])),
            };
            let after = match change(&before.whole) {
                Ok(after) if after == before.whole => return Ok(Ok(after)),
                Ok(after) => after,
                Err(errors) => return Ok(Err(errors)),
            };
            let change = Change { before: Some(before), after: Some(after.clone()) };
            match self.write(change, new_tags).await? {
                Outcome::Conflict => self.let_others_end(tries).await?,
                Outcome::Taken(_) if self.content.recover_left().await?.settled > 0 => {}
                outcome => return Ok(answer(outcome).map(|()| after)),
            }
        }
        Ok(Err(vec![UserError::conflict(None)]))
    }

    async fn let_others_end(&self, tries: u32) -> Result<()> {
        self.content.recover_left().await?;
        tokio::time::sleep(WAIT * 2_u32.pow(tries)).await;
        Ok(())
    }

    /// Made where the slug is new, changed where it stands.
    pub async fn save_term(&self, kind: TermKind, slug: &str, changes: TermChanges) -> Result<Edited<Term>> {
        let slug = match slug.parse::<Slug>() {
            Ok(slug) => slug,
            Err(e) => return Ok(Err(vec![UserError::invalid("slug", e.to_string())])),
        };
        let found = self.reader.term(kind, &slug).await?;
        let mut term = found.map_or_else(|| Term::new(kind, slug.clone(), slug.as_str()), |term| (*term).clone());
        term.name = changes.name.map_or(term.name, |name| name.trim().to_owned());
        term.description = changes.description.or(term.description);
        term.url = changes.url.or(term.url);
        let (description, url) = (term.description.as_deref(), term.url.as_deref());
        if let Err(broken) = rules::check_term(kind, &term.name, description, url) {
            return Ok(Err(vec![UserError::invalid(broken.field, format!("{} {}", broken.field, broken.reason))]));
        }
        self.writer.save_terms(kind, vec![term.clone()]).await?;
        audit::log_term(self.actor, "save_term", &term);
        Ok(Ok(term))
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

    /// The post as it stands, if it is of this version.
    async fn find_post(&self, id: &str, version: i32) -> Result<std::result::Result<Stored, UserError>> {
        let missing = || UserError::new(UserErrorCode::NotFound, "id", "there is no post with this id");
        let Ok(crate::model::NodeId::Post(id)) = id.parse() else { return Ok(Err(missing())) };
        Ok(match self.content.stored_by_id(&id).await? {
            None => Err(missing()),
            Some(stored) if stored.whole.post.version != version => {
                Err(UserError::conflict(Some(stored.whole.post.version)))
            }
            Some(stored) => Ok(stored),
        })
    }

    /// Authors and categories must be there; a tag that is not is made.
    async fn find_terms(&self, named: NamedTerms, errors: &mut Vec<UserError>) -> Result<FoundTerms> {
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
                Some(term) => term.slug.clone(),
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
