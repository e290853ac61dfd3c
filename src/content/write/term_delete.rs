//! A category, tag or author taken away. The rule: only where no post bears it, drafts included; and whoever gives it to a post at the same
//! time finds it gone, or brings it back.
//!
//! A writer of posts looks, after its index rows stand and before its commit, whether the terms are there (`commit`). A deletion looks, after
//! the term's row is gone, whether index rows stand. So one of the two sees the other.

use crate::content::directory::read_all;
use crate::content::error::Result;
use crate::content::rows::change::Action;
use crate::content::rows::count;
use crate::content::rows::directory::read_month;
use crate::content::rows::post as post_rows;
use crate::content::rows::term::{self as rows, TermRow};
use crate::keys::{Shelf, Table, place, term, time};
use crate::model::{Slug, Term, TermKind};
use crate::store::{RowRange, Store};

use super::Writer;
use super::directory::{self, Partition};
use super::intent::{self, Intent, TermBrief};
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
        let Some(Found { row: TermRow::Term(term), .. }) = term_rows::find(&self.store, kind, slug).await? else {
            return Ok(Deleted::Gone);
        };
        if is_borne(&self.store, &term).await? {
            return Ok(Deleted::Borne);
        }
        let name = self.new_intent_name()?;
        let intent = Intent::DeleteTerm { term: TermBrief::of(&term) };
        let leased = intent::open(&self.store, &self.clock, &name, &intent).await?;
        let work = async {
            let is_gone = until_settled("a term", || remove(&self.store, &term)).await?;
            let stays = finish(&self.store, &term).await?;
            Ok(match (is_gone, stays) {
                (false, _) => Deleted::Gone,
                (true, true) => Deleted::Borne,
                (true, false) => Deleted::Done(term.clone()),
            })
        };
        let deleted = leased.while_renewed(work).await;
        self.directories.forget();
        match deleted {
            Ok(deleted) => {
                if let Deleted::Done(term) = &deleted {
                    let items = vec![record::of_term(term, Action::Deleted)];
                    record::write(&self.store, &name, self.by.as_deref(), items).await?;
                }
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

/// `false` where it was changed or renamed meanwhile, and is another than was asked for.
async fn remove(store: &Store, term: &Term) -> Result<bool> {
    match term_rows::find(store, term.kind(), &term.slug).await? {
        Some(Found { row: TermRow::Term(found), etag, .. }) if found == *term => {
            let operations = vec![term_rows::delete(&term.slug, etag), term_rows::delete_mirror(&term.slug)];
            term_rows::commit(store, term.kind(), &term.slug, operations, -1).await?;
            Ok(true)
        }
        // A lost answer.
        None => Ok(true),
        Some(_) => Ok(false),
    }
}

/// Where the term is gone: brings it back if a post has come to bear it, and takes its former slugs away if not. Whether it stands.
pub(super) async fn finish(store: &Store, term: &Term) -> Result<bool> {
    let kind = term.kind();
    if term_rows::find(store, kind, &term.slug).await?.is_some() {
        return Ok(true);
    }
    let is_borne = is_borne(store, term).await?;
    if is_borne {
        directory::promise(store, &Partition::Terms(kind, term::partition(&term.slug))).await?;
        until_settled("a term", || async {
            if term_rows::find(store, kind, &term.slug).await?.is_some() {
                return Ok(());
            }
            let put = term_rows::put(&term.slug, &rows::row(term), None).into();
            term_rows::commit(store, kind, &term.slug, put, 1).await
        })
        .await?;
    } else {
        term_rows::remove_forwards(store, term).await?;
    }
    directory::copy(store, &Partition::Terms(kind, term::partition(&term.slug))).await?;
    Ok(is_borne)
}

/// One point read for published posts; all drafts are read where there is none.
async fn is_borne(store: &Store, term: &Term) -> Result<bool> {
    let (table, first) = (Table::PostsBy(term.kind()).name(), term::posts_partition(&term.id.first_slug));
    let row = store.get(table, &place::count(first)).await?;
    let posts = row.as_ref().map(count::read).transpose()?.map_or(0, |count| count.rows);
    Ok(posts > 0 || is_borne_by_draft(store, term).await?)
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

/// The slugs of those that are not there.
pub(super) async fn missing(store: &Store, terms: Vec<(TermKind, Slug)>) -> Result<Vec<(TermKind, Slug)>> {
    let mut missing = Vec::new();
    for kind in TermKind::ALL {
        let slugs: Vec<&Slug> = terms.iter().filter(|(of, _)| *of == kind).map(|(_, slug)| slug).collect();
        let keys: Vec<_> = slugs.iter().map(|slug| term::term(slug)).collect();
        let found = store.get_many(Table::Terms(kind).name(), &keys).await;
        for (slug, found) in slugs.into_iter().zip(found) {
            if found?.is_none() {
                missing.push((kind, slug.clone()));
            }
        }
    }
    Ok(missing)
}
