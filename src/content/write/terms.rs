//! Categories, tags and authors, made or changed. The rule: the term, its mirror and the count of its partition in one transaction.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::Result;
use crate::content::rows::change::Action;
use crate::content::rows::count::{self, Count};
use crate::content::rows::term::{self as rows, TermRow};
use crate::keys::{Table, place, term};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Batch, Precondition, StoreError};

use super::directory::{self, Partition};
use super::index::put_count;
use super::intent::{self, Intent};
use super::outcomes;
use super::record;
use super::retry::until_settled;
use super::settle::Settlement;
use super::term_rows::{self, Found};
use super::{CONCURRENCY, Writer};

/// Terms in one transaction: two rows each, and the count.
const TERMS_PER_BATCH: usize = 49;

/// How many terms were made and changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SavedTerms {
    pub made: usize,
    pub changed: usize,
}

/// What becomes of a term that stands already and differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Change,
    Keep,
}

impl SavedTerms {
    fn plus(self, other: Self) -> Self {
        Self { made: self.made + other.made, changed: self.changed + other.changed }
    }
}

impl Writer {
    /// Makes the terms that are new and changes those that differ, by their slugs. A slug that leads to another term is left alone.
    pub async fn save_terms(&self, kind: TermKind, terms: Vec<Term>) -> Result<SavedTerms> {
        self.save(kind, terms, Standing::Change).await
    }

    /// Makes or changes one term: `edit` is given what stands, and answers what is to stand. Changes of others meanwhile are built upon.
    /// `None` where the slug leads to another by now.
    pub async fn edit_term<E>(
        &self,
        kind: TermKind,
        slug: &Slug,
        edit: impl Fn(Option<&Term>) -> std::result::Result<Term, E>,
    ) -> Result<Option<std::result::Result<Term, E>>> {
        let partition = term::partition(slug);
        let name = self.new_intent_name()?;
        let intent = Intent::of_terms(kind, vec![partition.clone()]);
        let leased = intent::open(&self.store, &self.clock, &name, &intent).await?;
        let listed = Partition::Terms(kind, partition);
        let work = async {
            directory::promise(&self.store, &listed).await?;
            let edited = until_settled("a term", || self.edit_once(kind, slug, &edit)).await?;
            if let Some(Ok((term, Some(action)))) = &edited {
                let items = vec![record::of_term(term, *action)];
                record::write(&self.store, &name, self.by.as_deref(), items).await?;
            }
            directory::copy(&self.store, &listed).await?;
            Ok(edited)
        };
        let edited = leased.while_renewed(work).await;
        outcomes::count_terms(&edited, |edited| matches!(edited, Some(Ok(_))));
        self.directories.forget();
        let edited = match edited {
            Ok(edited) => edited,
            Err(error) => {
                self.give_up(&name, intent).await;
                return Err(error);
            }
        };
        self.close(&name).await;
        Ok(edited.map(|edited| edited.map(|(term, _)| term)))
    }

    async fn edit_once<E>(
        &self,
        kind: TermKind,
        slug: &Slug,
        edit: &impl Fn(Option<&Term>) -> std::result::Result<Term, E>,
    ) -> Result<Option<std::result::Result<(Term, Option<Action>), E>>> {
        let found = term_rows::find(&self.store, kind, slug).await?;
        let (standing, etag) = match found {
            None => (None, None),
            Some(Found { row: TermRow::Term(term), etag, .. }) => (Some(term), Some((etag, true))),
            Some(Found { row: TermRow::ForwardTo { .. }, .. }) => return Ok(None),
            Some(Found { row: TermRow::PendingFrom { term, old }, etag, .. })
                if term_rows::leads_to(&self.store, kind, &old, slug).await? =>
            {
                (Some(term), Some((etag, true)))
            }
            // It is just being renamed to this slug, or is not after all.
            Some(_) => return Err(StoreError::Precondition(format!("the {} {slug}", kind.noun())).into()),
        };
        let after = match edit(standing.as_ref()) {
            Ok(after) if standing.as_ref() == Some(&after) => return Ok(Some(Ok((after, None)))),
            Ok(after) => after,
            Err(refused) => return Ok(Some(Err(refused))),
        };
        let added = i64::from(standing.is_none());
        let put = term_rows::put(slug, &rows::row(&after), etag).into();
        term_rows::commit(&self.store, kind, slug, put, added).await?;
        let action = if added > 0 { Action::Created } else { Action::Updated };
        Ok(Some(Ok((after, Some(action)))))
    }

    /// Of these tags makes those that one of the posts bears as it stands. What stands already is left as it is.
    pub(super) async fn make_borne_tags(&self, settlements: &[Settlement], new_tags: &[Slug]) -> Result<()> {
        let is_borne =
            |tag: &&Slug| settlements.iter().filter_map(|s| s.now.as_ref()).any(|post| post.tags.contains(tag));
        let made = new_tags.iter().filter(is_borne).map(|tag| Term::new(TermKind::Tag, tag.clone(), tag.as_str()));
        self.save(TermKind::Tag, made.collect(), Standing::Keep).await.map(drop)
    }

    async fn save(&self, kind: TermKind, terms: Vec<Term>, standing: Standing) -> Result<SavedTerms> {
        let mut partitions: BTreeMap<String, Vec<Term>> = BTreeMap::new();
        for term in terms {
            partitions.entry(term::partition(&term.slug)).or_default().push(term);
        }
        if partitions.is_empty() {
            return Ok(SavedTerms::default());
        }
        let name = self.new_intent_name()?;
        let intent = Intent::of_terms(kind, partitions.keys().cloned().collect());
        let leased = intent::open(&self.store, &self.clock, &name, &intent).await?;
        let saves = partitions
            .into_iter()
            .map(|(partition, terms)| async move { self.save_partition(kind, &partition, &terms, standing).await });
        let saved = stream::iter(saves).buffer_unordered(CONCURRENCY).try_collect();
        let saved: Result<Vec<SavedTerms>> = leased.while_renewed(saved).await;
        outcomes::count_terms(&saved, |_| true);
        let saved = saved?;
        self.directories.forget();
        intent::close(&self.store, &name).await?;
        Ok(saved.into_iter().fold(SavedTerms::default(), SavedTerms::plus))
    }

    async fn save_partition(
        &self,
        kind: TermKind,
        partition: &str,
        terms: &[Term],
        standing: Standing,
    ) -> Result<SavedTerms> {
        let listed = Partition::Terms(kind, partition.to_owned());
        directory::promise(&self.store, &listed).await?;
        let mut saved = SavedTerms::default();
        for chunk in terms.chunks(TERMS_PER_BATCH) {
            saved = saved.plus(until_settled("a term", || self.save_chunk(kind, partition, chunk, standing)).await?);
            for term in chunk {
                term_rows::put_forwards(&self.store, term).await?;
            }
        }
        directory::copy(&self.store, &listed).await?;
        Ok(saved)
    }

    async fn save_chunk(
        &self,
        kind: TermKind,
        partition: &str,
        chunk: &[Term],
        standing: Standing,
    ) -> Result<SavedTerms> {
        let table = Table::Terms(kind).name();
        let (count, unchanged) = match self.store.get(table, &place::count(partition)).await? {
            None => (Count::default(), Precondition::Absent),
            Some(row) => (count::read(&row)?, Precondition::Match(row.etag)),
        };
        let mut saved = SavedTerms::default();
        let mut operations = Vec::new();
        let keys: Vec<_> = chunk.iter().map(|t| term::term(&t.slug)).collect();
        let found = try_join_all(keys.iter().map(|key| self.store.get(table, key))).await?;
        for (term, found) in chunk.iter().zip(found) {
            match found.map(|row| Ok::<_, StoreError>((rows::read(kind, &row)?, row.etag))).transpose()? {
                None => {
                    saved.made += 1;
                    operations.extend(term_rows::put(&term.slug, &rows::row(term), None));
                }
                Some((TermRow::Term(old), etag)) if old != *term && standing == Standing::Change => {
                    saved.changed += 1;
                    operations.extend(term_rows::put(&term.slug, &rows::row(term), Some((etag, true))));
                }
                // A rename to this slug has seen the posts that bear the new tag, or will see them, and gives way.
                Some((TermRow::PendingFrom { .. }, etag)) if standing == Standing::Keep => {
                    saved.changed += 1;
                    operations.extend(term_rows::put(&term.slug, &rows::row(term), Some((etag, true))));
                }
                Some(_) => {}
            }
        }
        if operations.is_empty() {
            return Ok(saved);
        }
        if saved.made > 0 {
            operations.push(put_count(&count.changed(saved.made as i64, None), unchanged));
        }
        self.store.commit(table, &Batch::new(partition, operations)?).await?;
        Ok(saved)
    }
}
