//! A category, tag or author taken away. The rule: only where no post bears it, drafts included; and whoever gives it to a post at the same
//! time finds it gone, or brings it back.
//!
//! A writer of posts looks, after its index rows stand and before its commit, whether the terms are there (`commit`). A deletion looks, after
//! the term's row is gone, whether index rows stand. So one of the two sees the other.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::content::directory::read_all;
use crate::content::error::{ContentError, Result};
use crate::content::rows::change::Action;
use crate::content::rows::count;
use crate::content::rows::directory::read_month;
use crate::content::rows::post as post_rows;
use crate::content::rows::term::{self as rows, TermRow};
use crate::keys::{Shelf, Table, place, term, time};
use crate::model::{Slug, Term, TermKind};
use crate::store::{RowRange, Store, StoreError};

use super::Writer;
use super::directory::{self, Partition};
use super::intent::{self, Intent, TermBrief};
use super::outcomes;
use super::record;
use super::retry::until_settled;
use super::term_rows::{self, Found};

/// What became of a deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deleted {
    Done(Term),
    /// Posts or drafts bear it; nothing has changed.
    Borne,
    /// No term stands under this slug.
    Gone,
}

impl Writer {
    /// Deletes the term under this slug, and the slugs that led to it.
    pub async fn delete_term(&self, kind: TermKind, slug: &Slug) -> Result<Deleted> {
        let Some((term, _)) = term_rows::standing(&self.store, kind, slug).await? else { return Ok(Deleted::Gone) };
        if is_borne(&self.store, &term).await? {
            return Ok(Deleted::Borne);
        }
        let name = self.new_intent_name()?;
        let intent = Intent::DeleteTerm { term: TermBrief::of(&term) };
        let leased = intent::open(&self.store, &self.clock, &name, &intent).await?;
        let work = async {
            let is_gone = self.remove_term(&term).await?;
            let stays = finish(&self.store, &term).await?;
            if is_gone && !stays {
                let items = vec![record::of_term(&term, Action::Deleted)];
                record::write(&self.store, &name, self.by.as_deref(), items).await?;
            }
            Ok(match (is_gone, stays) {
                (false, _) => Deleted::Gone,
                (true, true) => Deleted::Borne,
                (true, false) => Deleted::Done(term.clone()),
            })
        };
        let deleted = leased.while_renewed(work).await;
        outcomes::count_terms(&deleted, |deleted| matches!(deleted, Deleted::Done(_)));
        self.directories.forget();
        match deleted {
            Ok(deleted) => {
                self.close(&name).await;
                Ok(deleted)
            }
            Err(error) => {
                self.give_up(&name, intent).await;
                Err(error)
            }
        }
    }
}

impl Writer {
    /// `false` where it was changed, renamed or deleted meanwhile, and is another than was asked for.
    async fn remove_term(&self, term: &Term) -> Result<bool> {
        let is_in_doubt = AtomicBool::new(false);
        until_settled("a term", || async {
            let removed = remove(&self.store, term, is_in_doubt.load(Ordering::Relaxed)).await;
            if matches!(removed, Err(ContentError::Store(StoreError::OutcomeUnknown { .. }))) {
                is_in_doubt.store(true, Ordering::Relaxed);
            }
            removed
        })
        .await
    }
}

/// `is_in_doubt`: the answer to an earlier try was lost.
async fn remove(store: &Store, term: &Term, is_in_doubt: bool) -> Result<bool> {
    match term_rows::standing(store, term.kind(), &term.slug).await? {
        Some((found, Found { etag, .. })) if found == *term => {
            let operations = vec![term_rows::delete(&term.slug, etag), term_rows::delete_mirror(&term.slug)];
            term_rows::commit(store, term.kind(), &term.slug, operations, -1).await?;
            Ok(true)
        }
        None => Ok(is_in_doubt),
        Some(_) => Ok(false),
    }
}

/// Where the term is gone: brings it back if a post has come to bear it, and takes its former slugs away if not. Whether it stands.
pub(super) async fn finish(store: &Store, term: &Term) -> Result<bool> {
    let kind = term.kind();
    let is_borne = is_borne(store, term).await?;
    if is_borne {
        directory::promise(store, &Partition::Terms(kind, term::partition(&term.slug))).await?;
    }
    let stays = until_settled("a term", || async {
        match term_rows::find(store, kind, &term.slug).await? {
            Some(Found { row: TermRow::Term(found), .. }) => Ok(found == *term),
            // Another has the slug by now.
            Some(_) => Ok(false),
            None if !is_borne => Ok(false),
            None => {
                let put = term_rows::put(&term.slug, &rows::row(term), None).into();
                term_rows::commit(store, kind, &term.slug, put, 1).await.map(|()| true)
            }
        }
    });
    let stays = stays.await?;
    if !stays {
        term_rows::remove_forwards(store, term).await?;
    }
    directory::copy(store, &Partition::Terms(kind, term::partition(&term.slug))).await?;
    Ok(stays)
}

/// One point read for published posts; all drafts are read where there is none.
async fn is_borne(store: &Store, term: &Term) -> Result<bool> {
    Ok(is_listed(store, term.kind(), &term.id.first_slug).await? || is_borne_by_draft(store, term).await?)
}

/// Whether the index of a slug lists any post. One point read.
pub(super) async fn is_listed(store: &Store, kind: TermKind, slug: &Slug) -> Result<bool> {
    let row = store.get(Table::PostsBy(kind).name(), &place::count(term::posts_partition(slug))).await?;
    Ok(row.as_ref().map(count::read).transpose()?.is_some_and(|count| count.rows > 0))
}

/// A month of drafts at a time.
async fn is_borne_by_draft(store: &Store, term: &Term) -> Result<bool> {
    let months = RowRange::new(place::months_partition(Shelf::Drafts), None, None)?;
    for row in read_all(store, Table::Months, &months).await? {
        let month = read_month(&row)?.partition;
        let rows = RowRange::new(place::month_partition(month), None, None)?;
        for row in read_all(store, Table::Drafts, &rows).await? {
            let is_summary = time::parse_time_row(row.key.row()).is_some();
            if is_summary && post_rows::read_summary(&row)?.bears(term.kind(), &term.id.first_slug) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Of these, as posts name them, the ones that are not to be had: they are not there, or the slug is another term's. A new tag is to be had
/// while nothing stands under its slug.
pub(super) async fn not_to_be_had(
    store: &Store,
    terms: Vec<(TermKind, Slug)>,
    new_tags: &[Slug],
) -> Result<Vec<(TermKind, Slug)>> {
    let mut gone = Vec::new();
    for kind in TermKind::ALL {
        let slugs: Vec<&Slug> = terms.iter().filter(|(of, _)| *of == kind).map(|(_, slug)| slug).collect();
        let keys: Vec<_> = slugs.iter().map(|slug| term::term(slug)).collect();
        let found = store.get_many(Table::Terms(kind).name(), &keys).await;
        for (slug, found) in slugs.into_iter().zip(found) {
            let is_to_be_had = match found? {
                None => kind == TermKind::Tag && new_tags.contains(slug),
                Some(row) => rows::read(kind, &row)?.first_slug() == slug,
            };
            if !is_to_be_had {
                gone.push((kind, slug.clone()));
            }
        }
    }
    Ok(gone)
}
