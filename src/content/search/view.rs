//! The indexes within one search. The rule: words, statistics and documents of drafts count only for a client with access to those drafts (I4b).

use std::sync::Arc;

use tidings_search::{Condition, Found, Hit, IndexError, Page, Query, View};
use tokio::sync::Semaphore;

use crate::content::error::{ContentError, Result};
use crate::model::{Actor, Slug, TermKind};

use super::documents::label;
use super::pair::{Pair, failed_thread, index_failed};

/// The drafts to which a client has access.
#[derive(PartialEq, Eq)]
pub(super) enum Sees {
    All,
    /// The drafts of one author.
    Own(Slug),
    Public,
}

impl Sees {
    pub(super) fn of(actor: Option<&Actor>) -> Self {
        match actor {
            Some(actor) if actor.sees_all() => Self::All,
            Some(actor) => actor.own_author().cloned().map_or(Self::Public, Self::Own),
            None => Self::Public,
        }
    }
}

/// The indexes of one search, which runs on a separate thread.
pub(super) struct SearchView {
    view: Arc<View>,
    pair: Arc<Pair>,
    turns: Arc<Semaphore>,
}

impl SearchView {
    pub(super) fn of(pair: Arc<Pair>, turns: Arc<Semaphore>, sees: &Sees) -> Result<Self> {
        let indexes = if *sees == Sees::All { vec![&pair.public, &pair.drafts] } else { vec![&pair.public] };
        let view =
            View::of(&indexes).ok_or(ContentError::Internal { what: "there is no search index", source: None })?;
        let view = match sees {
            Sees::Own(author) => view.with_labelled(&pair.drafts, label(TermKind::Author.into(), author)),
            Sees::All | Sees::Public => view,
        };
        Ok(Self { view: Arc::new(view), pair, turns })
    }

    /// A view of only the public index.
    pub(super) fn public(&self) -> Result<Self> {
        Self::of(Arc::clone(&self.pair), Arc::clone(&self.turns), &Sees::Public)
    }

    pub(super) async fn find(&self, query: &Query, page: &Page<'_>) -> Result<Found> {
        let (query, first, after) = (query.clone(), page.first, page.after);
        let conditions = page.conditions.to_vec();
        self.apart(move |view| view.find(&query, &Page { first, after, conditions: &conditions })).await
    }

    pub(super) async fn similar(
        &self,
        text: String,
        labels: Vec<String>,
        key: u64,
        first: usize,
        conditions: Vec<Condition>,
    ) -> Result<Vec<Hit>> {
        self.apart(move |view| view.similar((&text, &labels), key, first, &conditions)).await
    }

    pub(super) async fn suggestion(&self, query: &Query) -> Result<Option<String>> {
        let query = query.clone();
        self.apart(move |view| view.suggestion(&query)).await
    }

    pub(super) async fn continuations(&self, text: String, first: usize) -> Result<Vec<String>> {
        self.apart(move |view| view.continuations(&text, first)).await
    }

    async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce(&View) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T> {
        let view = Arc::clone(&self.view);
        let turn = Arc::clone(&self.turns).acquire_owned().await.expect("the semaphore is never closed");
        let work = move || {
            let _turn = turn;
            work(&view)
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(failed_thread)?.map_err(index_failed)
    }
}
