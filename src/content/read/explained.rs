//! The purposes of the rows that a reader reads, for requests that are explained. The rule: for other requests, nothing is computed here.

use std::sync::Arc;

use futures_util::future::Either;

use crate::keys::{Table, asset, place, site_page, term};
use crate::model::{Actor, AssetHash, PostId, PostKey, Slug, TermId, TermKind};
use crate::store::{Explanation, Key, Purpose, Purposes};

use super::posts_at::DetailsPlace;
use super::reader::Reader;

impl Reader {
    /// Notes the storage requests of this request; `None` if it is not to be explained.
    pub fn explanation(&self) -> Option<&Arc<Explanation>> {
        self.source.counted.explanation()
    }

    /// The same reader, without an explanation.
    #[must_use]
    pub fn unexplained(self) -> Self {
        match self.explanation() {
            Some(_) => self.over(self.source.counted.unexplained()),
            None => self,
        }
    }

    /// A look-up of a post that the client may not have access to, which ends with [`end_step`](Self::end_step).
    pub(super) fn look_up_step(&self) -> Purpose {
        match self.explanation().filter(|_| !self.actor().is_some_and(Actor::sees_all)) {
            Some(explanation) => explanation.step(),
            None => Purpose::NONE,
        }
    }

    /// The plan shows what a look-up has read only if the client has access to what it has found.
    pub(super) fn end_step(&self, step: Purpose, is_visible: bool) {
        match self.explanation() {
            Some(explanation) if !is_visible => explanation.conceal(step),
            Some(_) => self.source.counted.reveal(step),
            None => {}
        }
    }

    /// Wraps a future that reads something for all fields that need it.
    pub(super) fn shared<F: Future>(&self, table: Table, name: &str, future: F) -> impl Future<Output = F::Output> {
        match self.explanation() {
            Some(explanation) => Either::Left(explanation.shared(table.name(), name).of(future)),
            None => Either::Right(future),
        }
    }

    /// Notes the purpose for which a batch reads each of these pages of the site.
    pub fn explain_pages(&self, ids: &[PostId], purposes: &Purposes) {
        self.explain_each(ids, purposes, |id| (Table::Pages, site_page::whole(id)));
    }

    /// Notes the purpose for which a batch reads each of these pictures.
    pub fn explain_assets(&self, hashes: &[AssetHash], purposes: &Purposes) {
        self.explain_each(hashes, purposes, |hash| (Table::Assets, asset::asset(hash)));
    }

    /// Notes the purpose for which a batch reads each of these terms.
    pub fn explain_terms(&self, keys: &[(TermKind, Slug)], purposes: &Purposes) {
        self.explain_each(keys, purposes, |(kind, slug)| (Table::Terms(*kind), term::term(slug)));
    }

    /// Notes that the row of a term's slug names the term by its first slug, which is read next.
    pub(super) fn explain_first_slug(&self, (kind, slug): &(TermKind, Slug), first: &Slug) {
        if let Some(explanation) = self.explanation() {
            explanation.note_next_row(Table::Terms(*kind).name(), &term::term(first), &term::term(slug));
        }
    }

    /// Notes the purpose for which a batch reads each of these details.
    pub fn explain_details(&self, places: &[DetailsPlace], purposes: &Purposes) {
        self.explain_each(places, purposes, |place| (place.table(), place.row()));
    }

    /// Notes the purpose for which a batch reads the count of each of these terms.
    pub fn explain_counts(&self, terms: &[TermId], purposes: &Purposes) {
        self.explain_each(terms, purposes, |counted| (Table::PostsBy(counted.kind), count_row(counted)));
    }

    /// `row`: the row that is read for each.
    fn explain_each<T>(&self, of: &[T], purposes: &Purposes, row: impl Fn(&T) -> (Table, Key)) {
        let Some(explanation) = self.explanation() else { return };
        for (at, one) in of.iter().enumerate() {
            let (table, key) = row(one);
            explanation.note_row(table.name(), &key, purposes.of(at));
        }
    }

    /// The purpose for which the count of a term is read.
    pub(super) fn purpose_of_count(&self, counted: &TermId) -> Purpose {
        let Some(explanation) = self.explanation() else { return Purpose::NONE };
        explanation.of_rows(Table::PostsBy(counted.kind).name(), std::iter::once(&count_row(counted)))
    }

    /// Notes that the running future needs these posts, which a batch will read.
    pub fn explain_posts(&self, keys: &[PostKey]) {
        let Some(explanation) = self.explanation() else { return };
        for key in keys {
            explanation.note_row(Table::Posts.name(), &place::summary(key), Purpose::current());
        }
    }

    /// The purpose for which the rows of these posts are read together.
    pub(super) fn purpose_of_posts(&self, keys: &[PostKey]) -> Purpose {
        let Some(explanation) = self.explanation() else { return Purpose::NONE };
        let rows: Vec<Key> = keys.iter().map(place::summary).collect();
        explanation.of_rows(Table::Posts.name(), rows.iter())
    }
}

fn count_row(counted: &TermId) -> Key {
    place::count(term::posts_partition(&counted.first_slug))
}
