//! What an import and an export need to know of the whole content. The rule: read by scans, page by page, and never for a query.

use std::collections::HashMap;

use crate::keys::lookup::{self, Lookup};
use crate::keys::{PostPlace, Shelf, Table, term, time};
use crate::model::{Instant, PostId, Slug, Term, TermKind, WholePost};
use crate::store::{Continuation, Store};

use super::Content;
use super::directory::scan_all;
use super::error::{ContentError, Result};
use super::moves;
use super::rows;
use super::rows::lookup::LookupRow;
use super::rows::term::TermRow;
use super::write::plan::Stored;

/// How often a post may be moved on while it is looked for.
const FINDS_MAX: usize = 8;

/// A post as `PostKeys` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogued {
    pub place: PostPlace,
    pub slug: Slug,
    pub origin: Option<String>,
}

impl Catalogued {
    /// `None` for a draft.
    pub fn published_at(&self) -> Option<Instant> {
        (self.place.shelf == Shelf::Posts).then_some(self.place.key.at)
    }
}

/// Every post by its id, and every slug with the post that it leads to.
#[derive(Debug, Default)]
pub struct Catalog {
    pub posts: HashMap<PostId, Catalogued>,
    pub slugs: HashMap<Slug, PostId>,
}

impl Content {
    /// One range read for each 500 posts.
    pub async fn catalog(&self) -> Result<Catalog> {
        let mut catalog = Catalog::default();
        let mut continuation = None;
        loop {
            let page = self.store.scan(Table::PostKeys.name(), continuation.as_ref()).await?;
            for row in &page.rows {
                let found = lookup::parse(&row.key);
                match (found, rows::lookup::read(row)?) {
                    (Some(Lookup::Id(id)), LookupRow::Place { place, slug, origin, .. }) => {
                        catalog.posts.insert(id, Catalogued { place, slug, origin });
                    }
                    (Some(Lookup::Slug(by)), LookupRow::Place { place, .. }) => {
                        catalog.slugs.insert(by, place.key.id);
                    }
                    (Some(Lookup::Slug(by)), LookupRow::Former { id, .. }) => {
                        catalog.slugs.insert(by, id);
                    }
                    _ => {}
                }
            }
            continuation = page.continuation;
            if continuation.is_none() {
                return Ok(catalog);
            }
        }
    }

    /// Every term of a kind, in the order of their slugs.
    pub async fn all_terms(&self, kind: TermKind) -> Result<Vec<Term>> {
        let mut terms = Vec::new();
        for row in scan_all(&self.store, Table::Terms(kind)).await? {
            // Mirrors, counts and the list of first characters stand in the same table.
            let is_own_row = row.key.row().parse::<Slug>().is_ok_and(|slug| term::term(&slug) == row.key);
            if !is_own_row {
                continue;
            }
            if let TermRow::Term(found) = rows::term::read(kind, &row)? {
                terms.push(found);
            }
        }
        Ok(terms)
    }

    /// A post for a change: as it is, drafts included; `None` where it no longer stands there. 1 point read.
    pub async fn stored(&self, place: &PostPlace, slug: &Slug) -> Result<Option<Stored>> {
        let Some(row) = self.store.get(place.shelf.name(), &place.whole(slug)).await? else { return Ok(None) };
        if !moves::stands(&self.store, &row).await? {
            return Ok(None);
        }
        let whole = rows::post::read_whole(&row)?;
        Ok((whole.post.id == place.key.id).then_some(Stored { whole, etag: row.etag }))
    }

    /// The post with this id for a change, wherever it stands, and `PostKeys` names it there: a change upon a change that was left unfinished
    /// would else part the post from its id. 2 point reads where it is not on the move.
    pub async fn stored_by_id(&self, id: &PostId) -> Result<Option<Stored>> {
        for _ in 0..FINDS_MAX {
            let Some(row) = self.store.get(Table::PostKeys.name(), &lookup::by_id(id)).await? else { return Ok(None) };
            let LookupRow::Place { place, slug, .. } = rows::lookup::read(&row)? else { return Ok(None) };
            let post = match self.stored(&place, &slug).await? {
                Some(stored) if PostPlace::of(&stored.whole.post) == place => return Ok(Some(stored)),
                Some(stored) => stored.whole.post,
                None => match moves::find(&self.store, id, &[]).await? {
                    Some(post) => post,
                    None => return Ok(None),
                },
            };
            self.writer()?.name_place(&post).await?;
        }
        Err(ContentError::Gone { what: "a post" })
    }

    /// Walks every post with its body, drafts first, then the oldest month first.
    pub fn walk(&self) -> Walk {
        Walk { store: self.store.clone(), shelf: Some(Shelf::Drafts), continuation: None }
    }
}

/// See [`Content::walk`].
pub struct Walk {
    store: Store,
    shelf: Option<Shelf>,
    continuation: Option<Continuation>,
}

impl Walk {
    /// The posts of the next page of rows, which may be none; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<WholePost>>> {
        let Some(shelf) = self.shelf else { return Ok(None) };
        let page = self.store.scan(shelf.name(), self.continuation.as_ref()).await?;
        let is_whole = |row: &&crate::store::Entity| {
            let row = row.key.row();
            row != crate::keys::COUNT_ROW
                && time::parse_time_row(row).is_none()
                && time::parse_mirror_row(row).is_none()
        };
        let mut posts = Vec::new();
        for row in page.rows.iter().filter(is_whole) {
            // A post that another server is just moving has rows at both places; one of them stands.
            if moves::stands(&self.store, row).await? {
                posts.push(rows::post::read_whole(row)?);
            }
        }
        self.continuation = page.continuation;
        if self.continuation.is_none() {
            self.shelf = match shelf {
                Shelf::Drafts => Some(Shelf::Posts),
                Shelf::Posts => None,
            };
        }
        Ok(Some(posts))
    }
}
