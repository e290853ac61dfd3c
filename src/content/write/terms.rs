//! Creates, changes, renames and deletes categories, tags, authors and series. The rule: a term is read, changed by a pure function, and written only if it has
//! not changed since; otherwise it is read again.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::term::{self as rows, TermRow};
use crate::keys::{Table, term};
use crate::model::{BadParent, Slug, Term, TermKind};

use super::outcomes::{self, TermOutcome, Together};
use super::plan::{Change, StoredTerm, TermChange};
use super::retry::until_made;
use super::{CONCURRENCY, Writer};

/// The maximum number of terms in one transaction.
const TERMS_PER_CHANGE: usize = 40;
/// The maximum number of tries if others change a term meanwhile.
const TRIES_MAX: u32 = 8;
const WAIT: Duration = Duration::from_millis(10);

/// The result of saving terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavedTerms {
    pub made: usize,
    pub changed: usize,
    /// The categories that were saved with their previous parent, with the reason.
    pub unplaced: Vec<(Slug, BadParent)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renamed {
    Done(Box<Term>),
    /// The slug belongs to another term; nothing was written.
    Taken,
    /// No term has the old slug.
    Gone,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deleted {
    Done(Box<Term>),
    /// This many posts, including drafts, have the term, or the category has children; nothing has changed.
    InUse(u64),
    /// No term has this slug.
    Gone,
}

impl Writer {
    /// The term with this current or former slug, for a change. One or two point reads.
    pub(in crate::content) async fn find_term(&self, kind: TermKind, slug: &Slug) -> Result<Option<StoredTerm>> {
        let mut key = term::term(slug);
        for _ in 0..2 {
            let Some(row) = self.store.get(Table::Terms(kind).name(), &key).await? else { return Ok(None) };
            match rows::read(kind, &row)? {
                TermRow::Identity(term) => {
                    return Ok(term.has_slug(slug).then_some(StoredTerm { term: *term, etag: row.etag }));
                }
                TermRow::Slug(found) => key = term::term(&found.first_slug),
            }
        }
        Ok(None)
    }

    /// Creates new terms and changes those that differ. A term whose slug belongs to another term is skipped. A category that cannot have its
    /// parent keeps its current one.
    pub async fn save_terms(&self, kind: TermKind, terms: Vec<Term>) -> Result<SavedTerms> {
        let mut saved = SavedTerms::default();
        // A parent exists before a category that has it.
        for mut level in levels(terms) {
            // Terms with the same first character share a partition, and therefore a transaction.
            level.sort_by(|a, b| a.slug.cmp(&b.slug));
            for chunk in level.chunks(TERMS_PER_CHANGE) {
                let SavedTerms { made, changed, unplaced } = self.save_chunk(kind, chunk.to_vec()).await?;
                saved.made += made;
                saved.changed += changed;
                saved.unplaced.extend(unplaced);
            }
        }
        Ok(saved)
    }

    async fn save_chunk(&self, kind: TermKind, chunk: Vec<Term>) -> Result<SavedTerms> {
        let mut saved = SavedTerms::default();
        let mut rest = chunk;
        for tries in 0..TRIES_MAX {
            let changes = self.changes_to_save(kind, &rest).await?;
            if changes.is_empty() {
                break;
            }
            let outcomes = self.change_terms(&changes).await?;
            let mut conflicting = Vec::new();
            for (change, outcome) in changes.into_iter().zip(outcomes) {
                match (outcome, change.before.is_some(), change.after) {
                    (TermOutcome::Done, true, _) => saved.changed += 1,
                    (TermOutcome::Done, false, _) => saved.made += 1,
                    // A term that was deleted meanwhile must not be created again with its old id.
                    (TermOutcome::Conflict, true, Some(after)) => {
                        conflicting.push(Term { creation: None, creation_key: None, version: 1, ..after });
                    }
                    (TermOutcome::Conflict, false, Some(after)) => conflicting.push(after),
                    (TermOutcome::Parent(why), false, Some(after)) => {
                        saved.unplaced.push((after.slug.clone(), why));
                        conflicting.push(Term { parent: None, ..after });
                    }
                    (TermOutcome::Parent(why), true, Some(after)) => {
                        saved.unplaced.push((after.slug.clone(), why));
                        let parent = change.before.and_then(|stored| stored.term.parent);
                        conflicting.push(Term { creation: None, creation_key: None, version: 1, parent, ..after });
                    }
                    _ => {}
                }
            }
            rest = conflicting;
            if !rest.is_empty() {
                tokio::time::sleep(WAIT * 2_u32.pow(tries)).await;
            }
        }
        Ok(saved)
    }

    async fn changes_to_save(&self, kind: TermKind, terms: &[Term]) -> Result<Vec<TermChange>> {
        let mut finds = Vec::with_capacity(terms.len());
        for term in terms {
            finds.push(async move {
                let before = self.find_term(kind, &term.slug).await?;
                Ok::<_, ContentError>((before, term.clone()))
            });
        }
        let found: Vec<(Option<StoredTerm>, Term)> = stream::iter(finds).buffered(CONCURRENCY).try_collect().await?;
        let differs = |(before, after): &(Option<StoredTerm>, Term)| match before.as_ref().map(|stored| &stored.term) {
            None => true,
            Some(stored) if stored.id != after.id || stored.slug != after.slug => false,
            Some(stored) => !stored.is_same_content(after),
        };
        found.into_iter().filter(differs).map(|(before, after)| self.change_to(before, after)).collect()
    }

    /// The change that creates or replaces a term: a new term gets a creation id unless it has one; an existing one keeps its id and key, and gets the next
    /// version.
    fn change_to(&self, before: Option<StoredTerm>, after: Term) -> Result<TermChange> {
        let after = match (&before, &after.creation) {
            (Some(StoredTerm { term, .. }), _) => Term {
                creation: term.creation.clone(),
                creation_key: term.creation_key.clone(),
                version: term.version.saturating_add(1),
                ..after
            },
            (None, Some(_)) => after,
            (None, None) => Term { creation: Some(self.new_creation_id()?), ..after },
        };
        Ok(TermChange { before, after: Some(after) })
    }

    /// Creates or changes the term of a slug: `edit`: gets the existing term and returns the changed one; it runs again if others change the term meanwhile.
    ///
    /// # Errors
    /// [`ContentError::Busy`] if others change the term each time; [`ContentError::BadParent`] if it cannot have its new parent.
    pub async fn edit_term<E>(
        &self,
        kind: TermKind,
        slug: &Slug,
        edit: impl Fn(Option<&Term>) -> std::result::Result<Term, E>,
    ) -> Result<std::result::Result<Term, E>> {
        until_made(TRIES_MAX, WAIT, || async {
            let before = self.find_term(kind, slug).await?;
            let after = match edit(before.as_ref().map(|stored| &stored.term)) {
                Ok(after) => after,
                Err(refused) => return Ok(Some(Err(refused))),
            };
            if let Some(stored) = before.as_ref().filter(|stored| stored.term.is_same_content(&after)) {
                return Ok(Some(Ok(stored.term.clone())));
            }
            let change = self.change_to(before, after)?;
            let after = change.term().clone();
            let outcome = self.change_term(change).await?;
            Ok((outcome == TermOutcome::Done).then_some(Ok(after)))
        })
        .await
    }

    /// Renames the term with the slug `from` to the slug `to`, and applies `edit`. The term can return to a former slug.
    ///
    /// # Errors
    /// Those of [`edit_term`](Self::edit_term).
    pub async fn rename_term<E>(
        &self,
        kind: TermKind,
        from: &Slug,
        to: &Slug,
        edit: impl Fn(&Term) -> std::result::Result<Term, E>,
    ) -> Result<std::result::Result<Renamed, E>> {
        until_made(TRIES_MAX, WAIT, || async {
            let Some(before) = self.find_term(kind, from).await? else { return Ok(Some(Ok(Renamed::Gone))) };
            let after = match edit(&before.term) {
                Ok(edited) => renamed(edited, to),
                Err(refused) => return Ok(Some(Err(refused))),
            };
            if after.is_same_content(&before.term) {
                return Ok(Some(Ok(Renamed::Done(Box::new(before.term)))));
            }
            let change = self.change_to(Some(before), after)?;
            let after = change.term().clone();
            Ok(match self.change_term(change).await? {
                TermOutcome::Done => Some(Ok(Renamed::Done(Box::new(after)))),
                TermOutcome::Taken => Some(Ok(Renamed::Taken)),
                _ => None,
            })
        })
        .await
    }

    /// Deletes the term of a slug with all its slugs, unless `check` refuses it.
    ///
    /// # Errors
    /// Those of [`edit_term`](Self::edit_term).
    pub async fn delete_term<E>(
        &self,
        kind: TermKind,
        slug: &Slug,
        check: impl Fn(&Term) -> std::result::Result<(), E>,
    ) -> Result<std::result::Result<Deleted, E>> {
        until_made(TRIES_MAX, WAIT, || async {
            let Some(before) = self.find_term(kind, slug).await? else { return Ok(Some(Ok(Deleted::Gone))) };
            if let Err(refused) = check(&before.term) {
                return Ok(Some(Err(refused)));
            }
            let term = before.term.clone();
            Ok(match self.change_term(TermChange { before: Some(before), after: None }).await? {
                TermOutcome::Done => Some(Ok(Deleted::Done(Box::new(term)))),
                TermOutcome::InUse(uses) => Some(Ok(Deleted::InUse(uses))),
                _ => None,
            })
        })
        .await
    }

    /// In one transaction, makes these changes of posts, deletes the term `from`, and replaces the term `into` by `after`. Also returns the changed term
    /// `into`.
    ///
    /// # Errors
    /// Those of [`change_posts_with`](Self::change_posts_with).
    pub(in crate::content) async fn merge_terms(
        &self,
        from: StoredTerm,
        into: StoredTerm,
        after: Term,
        posts: Vec<Change>,
    ) -> Result<(Together, Term)> {
        let change = self.change_to(Some(into), after)?;
        let after = change.term().clone();
        let of_terms = vec![TermChange { before: Some(from), after: None }, change];
        Ok((self.change_together(posts, &[], None, of_terms).await?, after))
    }

    /// # Errors
    /// [`ContentError::BadParent`] if the term cannot have its new parent.
    async fn change_term(&self, change: TermChange) -> Result<TermOutcome> {
        match self.change_terms(&[change]).await?.into_iter().next() {
            Some(TermOutcome::Parent(why)) => Err(why.into()),
            Some(outcome) => Ok(outcome),
            None => Err(ContentError::Internal { what: "a change has no outcome", source: None }),
        }
    }

    async fn change_terms(&self, changes: &[TermChange]) -> Result<Vec<TermOutcome>> {
        let ended = self.change_terms_at_once(changes).await;
        outcomes::count_terms(&ended);
        ended
    }
}

/// Sorts the terms into levels: a category comes in a later level than its parent. Categories in a cycle are in the last level.
fn levels(terms: Vec<Term>) -> Vec<Vec<Term>> {
    let (mut levels, mut rest) = (Vec::new(), terms);
    while !rest.is_empty() {
        let waiting: HashSet<Slug> = rest.iter().map(|term| term.id.first_slug.clone()).collect();
        let is_waiting = |term: &Term| term.parent.as_ref().is_some_and(|parent| waiting.contains(parent));
        let (later, level): (Vec<Term>, Vec<Term>) = rest.into_iter().partition(is_waiting);
        if level.is_empty() {
            levels.push(later);
            break;
        }
        levels.push(level);
        rest = later;
    }
    levels
}

/// The term with the slug `to`; its previous slug becomes a former slug.
fn renamed(term: Term, to: &Slug) -> Term {
    let mut after = term;
    if after.slug != *to {
        after.former_slugs.retain(|former| former != to);
        let left = std::mem::replace(&mut after.slug, to.clone());
        after.former_slugs.push(left);
    }
    after
}
