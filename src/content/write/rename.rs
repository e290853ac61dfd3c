//! A category, tag or author under another slug. The rule: posts and indexes name a term by its first slug, so that a rename is a matter of
//! the term's own rows, whatever the number of posts; and the old slug leads to the new one from the commit on.
//!
//! The commit is the old row becoming one that leads on. The rows of the new slug are put before, marked as pending. A writer of posts that
//! makes a tag of that slug looks for such rows after its pointers stand; the rename looks for pointers after its rows do.

use crate::content::error::Result;
use crate::content::rows::change::Action;
use crate::content::rows::term::{self as rows, TermRow};
use crate::keys::term;
use crate::model::{Slug, Term, TermKind};
use crate::store::{Precondition, Store};

use super::Writer;
use super::directory::{self, Partition};
use super::intent::{self, Intent};
use super::outcomes;
use super::record;
use super::recover::Writers;
use super::retry::until_settled;
use super::term_delete;
use super::term_rows::{self, Found};

/// How many slugs of one term may lead to each other for a moment.
const FORWARDS_MAX: usize = 8;

/// What became of a rename.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renamed {
    Done(Term),
    /// The slug leads to another term; nothing was written.
    Taken,
    /// No term stands under the old slug.
    Gone,
}

impl Writer {
    /// Gives the term under `from` the slug `to`, and changes it by `edit`. A slug that it had before may be taken up again.
    pub async fn rename_term<E>(
        &self,
        kind: TermKind,
        from: &Slug,
        to: &Slug,
        edit: impl Fn(&Term) -> std::result::Result<Term, E>,
    ) -> Result<std::result::Result<Renamed, E>> {
        let name = self.new_intent_name()?;
        let intent = Intent::rename(kind, from, to);
        let leased = intent::open(&self.store, &self.clock, &name, &intent).await?;
        let work = async {
            let renamed = until_settled("a term", || self.rename(kind, from, to, &edit)).await?;
            finish(&self.store, kind, from, to, Writers::Gone).await?;
            if let Ok(Renamed::Done(term)) = &renamed {
                let items = vec![record::of_term(term, Action::Renamed)];
                record::write(&self.store, &name, self.by.as_deref(), items).await?;
            }
            Ok(renamed)
        };
        let renamed = leased.while_renewed(work).await;
        outcomes::count_terms(&renamed, |renamed| matches!(renamed, Ok(Renamed::Done(_))));
        self.directories.forget();
        match renamed {
            Ok(renamed) => {
                self.close(&name).await;
                Ok(renamed)
            }
            Err(error) => {
                self.give_up(&name, intent).await;
                Err(error)
            }
        }
    }

    async fn rename<E>(
        &self,
        kind: TermKind,
        from: &Slug,
        to: &Slug,
        edit: &impl Fn(&Term) -> std::result::Result<Term, E>,
    ) -> Result<std::result::Result<Renamed, E>> {
        let Some((before, Found { etag, .. })) = term_rows::standing(&self.store, kind, from).await? else {
            return Ok(Ok(Renamed::Gone));
        };
        let target = term_rows::find(&self.store, kind, to).await?;
        let standing = match target {
            None => None,
            Some(Found { row, etag, .. }) => match row {
                TermRow::ForwardTo { first_slug, .. } if first_slug == before.id.first_slug => Some((etag, false)),
                TermRow::PendingFrom { old, .. } if old == *from => Some((etag, true)),
                _ => return Ok(Ok(Renamed::Taken)),
            },
        };
        let after = match edit(&before) {
            Ok(edited) => renamed(&edited, to),
            Err(refused) => return Ok(Err(refused)),
        };
        directory::promise(&self.store, &Partition::Terms(kind, term::partition(to))).await?;
        let added = i64::from(standing.as_ref().is_none_or(|(_, is_listed)| !is_listed));
        let pending = term_rows::put(to, &rows::pending(&after, from), standing).into();
        term_rows::commit(&self.store, kind, to, pending, added).await?;
        // Posts are just getting a new tag of that slug.
        if *to != after.id.first_slug && term_delete::is_listed(&self.store, kind, to).await? {
            return Ok(Ok(Renamed::Taken));
        }
        let leave =
            vec![term_rows::put_forward(from, &after, Precondition::Match(etag)), term_rows::delete_mirror(from)];
        term_rows::commit(&self.store, kind, from, leave, -1).await?;
        Ok(Ok(Renamed::Done(after)))
    }
}

fn renamed(before: &Term, to: &Slug) -> Term {
    let mut after = Term { slug: to.clone(), ..before.clone() };
    after.former_slugs.retain(|former| former != to);
    after.former_slugs.push(before.slug.clone());
    after
}

/// Finishes a rename whose commit was made, or undoes what was put for it. Idempotent.
pub(in crate::content) async fn finish(
    store: &Store,
    kind: TermKind,
    from: &Slug,
    to: &Slug,
    writers: Writers,
) -> Result<()> {
    until_settled("a term", || async {
        let standing = term_rows::standing(store, kind, from).await?;
        if let (Some((_, found)), Writers::Unheard) = (&standing, writers) {
            // As it is, under a new ETag: a commit that comes late is not made.
            let put = term_rows::put(from, &found.properties, Some((found.etag.clone(), true))).into();
            term_rows::commit(store, kind, from, put, 0).await?;
        }
        match term_rows::leads_to(store, kind, from, to).await? {
            true => clear_mark(store, kind, from, to).await,
            false => undo(store, kind, from, to).await,
        }
    })
    .await?;
    if let Some(Found { row: TermRow::Term(term), .. }) = term_rows::find(store, kind, to).await? {
        term_rows::put_forwards(store, &term).await?;
    }
    directory::copy(store, &Partition::Terms(kind, term::partition(from))).await?;
    directory::copy(store, &Partition::Terms(kind, term::partition(to))).await
}

async fn clear_mark(store: &Store, kind: TermKind, from: &Slug, to: &Slug) -> Result<()> {
    match term_rows::find(store, kind, to).await? {
        Some(Found { row: TermRow::PendingFrom { term, old }, etag, .. }) if old == *from => {
            let put = term_rows::put(to, &rows::row(&term), Some((etag, true))).into();
            term_rows::commit(store, kind, to, put, 0).await
        }
        _ => Ok(()),
    }
}

async fn undo(store: &Store, kind: TermKind, from: &Slug, to: &Slug) -> Result<()> {
    let etag = match term_rows::find(store, kind, to).await? {
        Some(Found { row: TermRow::PendingFrom { old, .. }, etag, .. }) if old == *from => etag,
        _ => return Ok(()),
    };
    let own = match present(store, kind, from).await?.filter(|term| term.former_slugs.contains(to)) {
        Some(term) => term_rows::put_forward(to, &term, Precondition::Match(etag)),
        None => term_rows::delete(to, etag),
    };
    term_rows::commit(store, kind, to, vec![own, term_rows::delete_mirror(to)], -1).await
}

/// The term that a slug leads to by now.
async fn present(store: &Store, kind: TermKind, slug: &Slug) -> Result<Option<Term>> {
    let mut slug = slug.clone();
    for _ in 0..FORWARDS_MAX {
        if let Some((term, _)) = term_rows::standing(store, kind, &slug).await? {
            return Ok(Some(term));
        }
        slug = match term_rows::find(store, kind, &slug).await? {
            Some(Found { row: TermRow::ForwardTo { slug, .. }, .. }) => slug,
            _ => return Ok(None),
        };
    }
    Ok(None)
}
