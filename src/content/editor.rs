//! Changes by editors, one post or term at a time. The rule: the caller hears what it can mend as [`UserError`]s, and then nothing was written.

use futures_util::future::try_join_all;

use crate::keys::{Table, lookup};
use crate::model::{Actor, PostId, Role, Slug, Term, TermKind, WholePost, rules};

use super::audit::{self, PostChange};
use super::commands::{self, NewPost, PostChanges, UserError, UserErrorCode};
use super::error::{ContentError, Result};
use super::permission::{self, Permission};
use super::rows::lookup::LookupRow;
use super::write::commit::Outcome;
use super::write::plan::{Change, Stored};
use super::{Content, Reader, Writer, rows};
use crate::model::Instant;

/// What was asked for, or why not.
pub type Edited<T> = std::result::Result<T, Vec<UserError>>;

/// How many numbers are tried for a slug that is made from a title.
const NUMBERS_MAX: u32 = 1_000;

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
    /// # Errors
    /// [`ContentError::Forbidden`] where the actor may change nothing at all.
    pub fn new(content: &'a Content, reader: &'a Reader, actor: &'a Actor) -> Result<Self> {
        permission::require(actor, Role::Author, "this is a change")?;
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
        let authors = permission::authors(self.actor, found.authors, true)?;
        let id = self.writer.new_post_id()?;
        let new = NewPost {
            authors: authors.unwrap_or_default(),
            categories: found.categories.unwrap_or_default(),
            tags: found.tags.unwrap_or_default(),
            ..new
        };
        let Some(base) = named else { return Ok(Err(errors)) };
        let made = commands::make(new, base.clone(), id, self.now()).map_err(|e| errors.push(e));
        let (Ok(mut whole), true) = (made, errors.is_empty()) else { return Ok(Err(errors)) };
        for number in 1..=NUMBERS_MAX {
            whole.post.slug = base.numbered(number);
            let change = Change { before: None, after: Some(whole.clone()) };
            match self.write(change, &found.new_tags).await? {
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

    pub async fn update_post(
        &self,
        id: &str,
        version: i32,
        slug: Option<String>,
        changes: PostChanges,
        terms: NamedTerms,
    ) -> Result<Edited<WholePost>> {
        let before = match self.find_post(id, version).await? {
            Ok(before) => before,
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
        let found = self.find_terms(terms, &mut errors).await?;
        let authors = permission::authors(self.actor, found.authors, false)?;
        let changes = PostChanges { slug, authors, categories: found.categories, tags: found.tags, ..changes };
        let after = commands::change(&before.whole, changes, self.now()).map_err(|e| errors.push(e));
        let (Ok(after), true) = (after, errors.is_empty()) else { return Ok(Err(errors)) };
        self.replace(before, after, &found.new_tags).await
    }

    /// Now, or at an instant; a post that is published stays at its own where none is given.
    pub async fn publish_post(&self, id: &str, version: i32, at: Option<Instant>) -> Result<Edited<WholePost>> {
        let before = match self.find_post(id, version).await? {
            Ok(before) => before,
            Err(error) => return Ok(Err(vec![error])),
        };
        let is_out = before.whole.post.published_at.filter(|at| *at <= self.now());
        let at = at.or(is_out).unwrap_or(self.now());
        match commands::publish(&before.whole, Some(at), self.now()) {
            Ok(after) => self.replace(before, after, &[]).await,
            Err(error) => Ok(Err(vec![UserError { field: Some("at"), ..error }])),
        }
    }

    pub async fn unpublish_post(&self, id: &str, version: i32) -> Result<Edited<WholePost>> {
        let before = match self.find_post(id, version).await? {
            Ok(before) => before,
            Err(error) => return Ok(Err(vec![error])),
        };
        match commands::publish(&before.whole, None, self.now()) {
            Ok(after) => self.replace(before, after, &[]).await,
            Err(error) => Ok(Err(vec![error])),
        }
    }

    pub async fn delete_post(&self, id: &str, version: i32) -> Result<Edited<PostId>> {
        let before = match self.find_post(id, version).await? {
            Ok(before) => before,
            Err(error) => return Ok(Err(vec![error])),
        };
        let id = before.whole.post.id.clone();
        Ok(self.write(Change { before: Some(before), after: None }, &[]).await?.map(|()| id))
    }

    /// Made where the slug is new, changed where it stands.
    pub async fn save_term(&self, kind: TermKind, slug: &str, changes: TermChanges) -> Result<Edited<Term>> {
        permission::require(self.actor, Role::Admin, "this changes a category, tag or author")?;
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

    async fn replace(&self, before: Stored, after: WholePost, new_tags: &[Slug]) -> Result<Edited<WholePost>> {
        if after == before.whole {
            return Ok(Ok(after));
        }
        let change = Change { before: Some(before), after: Some(after.clone()) };
        Ok(self.write(change, new_tags).await?.map(|()| after))
    }

    async fn write(&self, change: Change, new_tags: &[Slug]) -> Result<Edited<()>> {
        let made = PostChange::of(&change);
        let error = match self.writer.change_posts_with(vec![change], new_tags).await?.pop() {
            Some(Outcome::Done) => {
                made.log(self.actor);
                return Ok(Ok(()));
            }
            Some(Outcome::Taken(slug)) => {
                UserError::new(UserErrorCode::Taken, "slug", format!("the slug {slug} belongs to another post"))
            }
            Some(Outcome::Conflict) => UserError::conflict(None),
            Some(Outcome::TooLarge(reason)) => UserError::new(UserErrorCode::TooLarge, "markdown", reason),
            None => return Err(ContentError::Internal { what: "a change was not answered for", source: None }),
        };
        Ok(Err(vec![error]))
    }

    /// The post as it stands, if it is of this version.
    async fn find_post(&self, id: &str, version: i32) -> Result<std::result::Result<Stored, UserError>> {
        let missing = || UserError::new(UserErrorCode::NotFound, "id", "there is no post with this id");
        let Ok(crate::model::NodeId::Post(id)) = id.parse() else { return Ok(Err(missing())) };
        let Some(row) = self.content.store.get(Table::PostKeys.name(), &lookup::by_id(&id)).await? else {
            return Ok(Err(missing()));
        };
        let LookupRow::Place { place, slug, .. } = rows::lookup::read(&row)? else { return Ok(Err(missing())) };
        let stored = self.content.stored(&place, &slug).await?;
        let asked = stored.as_ref().map(|stored| permission::to_change(self.actor, &stored.whole.post, self.now()));
        match stored {
            None => Ok(Err(missing())),
            Some(_) if asked == Some(Permission::Hidden) => Ok(Err(missing())),
            Some(_) if asked == Some(Permission::No) => Err(permission::of_another()),
            Some(stored) if stored.whole.post.version != version => {
                Ok(Err(UserError::conflict(Some(stored.whole.post.version))))
            }
            Some(stored) => Ok(Ok(stored)),
        }
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
