//! Reads the whole content for imports and exports, and posts for a change. The rule: scans go page by page, and no query uses them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::content::Content;
use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::lookup::LookupRow;
use crate::content::tables::rows::term::TermRow;
use crate::content::tables::{Scan, rows, scan_all};
use crate::content::write::{Stored, is_whole_page};
use crate::keys::lookup::{self, Lookup};
use crate::keys::site_page::PageRow;
use crate::keys::{Collection, PostPlace, Table, place, site_page, term};
use crate::model::{Instant, PostId, SitePage, Slug, Term, TermKind, WholePost, WholeSitePage};
use crate::store::{Continuation, CountingStore, TableStore};

/// The maximum number of look-ups of a post that is not at the named place, because it may have been moved meanwhile.
const FINDS_MAX: usize = 4;

/// The number of posts that are read together: their bodies fit into one answer of a server to a command.
const READ_TOGETHER: usize = 100;

/// A post as described by `PostKeys`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InventoryPost {
    pub place: PostPlace,
    pub slug: Slug,
    pub origin: Option<String>,
}

impl InventoryPost {
    /// `None` for a draft.
    pub fn published_at(&self) -> Option<Instant> {
        (self.place.collection == Collection::Posts).then_some(self.place.key.at)
    }
}

/// Every post by its id, and the post of every current or former slug.
#[derive(Debug, Default)]
pub struct Inventory {
    pub posts: HashMap<PostId, InventoryPost>,
    pub slugs: HashMap<Slug, PostId>,
    /// The posts that have a group of translations.
    pub linked: HashSet<PostId>,
}

impl Content {
    /// The catalog of all posts. One range read for each 500 posts.
    pub async fn inventory(&self) -> Result<Inventory> {
        let (mut inventory, mut pages) = (Inventory::default(), Scan::of(&self.store, Table::PostKeys));
        while let Some(found) = pages.next().await? {
            for row in &found {
                let found_by = lookup::parse(&row.key);
                if found_by == Some(Lookup::Translation) {
                    inventory.linked.insert(rows::post::read_summary(row)?.id);
                    continue;
                }
                match (found_by, rows::lookup::read(row)?) {
                    (Some(Lookup::Id(id)), LookupRow::Place { place, slug, origin, .. }) => {
                        inventory.posts.insert(id, InventoryPost { place, slug, origin });
                    }
                    (Some(Lookup::Slug(by)), named) => drop(inventory.slugs.insert(by, named.id().clone())),
                    _ => {}
                }
            }
        }
        Ok(inventory)
    }

    /// Every term of a kind, in the order of their slugs.
    pub async fn all_terms(&self, kind: TermKind) -> Result<Vec<Term>> {
        let mut terms = Vec::new();
        for row in scan_all(&self.store, Table::Terms(kind)).await? {
            // Mirrors, counts and the list of first characters are in the same table.
            let is_own_row = row.key.row().parse::<Slug>().is_ok_and(|slug| term::term(&slug) == row.key);
            if !is_own_row {
                continue;
            }
            if let TermRow::Identity(found) = rows::term::read(kind, &row)? {
                terms.push(*found);
            }
        }
        terms.sort_by(|a, b| a.slug.cmp(&b.slug));
        Ok(terms)
    }

    /// A post or draft for a change; `None` if it is no longer at this place. One point read.
    pub async fn stored(&self, place: &PostPlace, slug: &Slug) -> Result<Option<Stored>> {
        let Some(row) = self.store.get(place.collection.name(), &place.whole(slug)).await? else { return Ok(None) };
        let stored = Stored::read(&row)?;
        Ok((stored.whole.post.id == place.key.id).then_some(stored))
    }

    /// Reads each of these as [`stored`](Self::stored) does. Those of one month, in the order of a batch, take few requests.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn stored_many(&self, found: &[Option<&InventoryPost>]) -> Result<Vec<Option<Stored>>> {
        let near = CountingStore::new(Arc::clone(&self.store));
        let mut stored: Vec<Option<Stored>> = found.iter().map(|_| None).collect();
        for collection in [Collection::Drafts, Collection::Posts] {
            let here = found.iter().enumerate().filter_map(|(at, post)| Some((at, (*post)?)));
            let here: Vec<_> = here.filter(|(_, post)| post.place.collection == collection).collect();
            for part in here.chunks(READ_TOGETHER) {
                let keys: Vec<_> = part.iter().map(|(_, post)| post.place.whole(&post.slug)).collect();
                let rows = near.get_near(collection.name(), &keys).await;
                for ((at, post), row) in part.iter().zip(rows) {
                    let read = row?.map(|row| Stored::read(&row)).transpose()?;
                    stored[*at] = read.filter(|read| read.whole.post.id == post.place.key.id);
                }
            }
        }
        Ok(stored)
    }

    /// The post with this id, for a change, at the place that `PostKeys` names. Two point reads, and the first again if the post is not there.
    pub async fn stored_by_id(&self, id: &PostId) -> Result<Option<Stored>> {
        let mut last_read = None;
        for _ in 0..FINDS_MAX {
            let Some(row) = self.store.get(Table::PostKeys.name(), &lookup::by_id(id)).await? else { return Ok(None) };
            let LookupRow::Place { place, slug, .. } = rows::lookup::read(&row)? else { return Ok(None) };
            if let Some(stored) = self.stored(&place, &slug).await? {
                return Ok(Some(stored));
            }
            // A move writes the row that names the place before it deletes the post's rows there.
            if last_read.as_ref() == Some(&row.etag) {
                return Ok(None);
            }
            last_read = Some(row.etag);
        }
        Err(ContentError::Gone { what: "a post" })
    }

    /// The ids of all pages of the site, each after the page above it; those of damaged rows are first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn site_page_ids(&self) -> Result<Vec<PostId>> {
        let (mut pages, mut scan) = (Vec::new(), Scan::of(&self.store, Table::Pages));
        while let Some(found) = scan.next().await? {
            for row in &found {
                if let Some(PageRow::Whole(id)) = site_page::parse(&row.key) {
                    pages.push((rows::site_page::read_page(row).ok().map(|page| page.path), id));
                }
            }
        }
        pages.sort();
        Ok(pages.into_iter().map(|(_, id)| id).collect())
    }

    /// All pages of the site without their bodies, each after the page above it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn site_pages(&self) -> Result<Vec<SitePage>> {
        let (mut pages, mut scan) = (Vec::new(), Scan::of(&self.store, Table::Pages));
        while let Some(found) = scan.next().await? {
            for row in found.iter().filter(|row| is_whole_page(row)) {
                pages.push(rows::site_page::read_page(row)?);
            }
        }
        pages.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(pages)
    }

    /// A page of the site, drafts included. One point read.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn stored_site_page(&self, id: &PostId) -> Result<Option<WholeSitePage>> {
        let row = self.store.get(Table::Pages.name(), &site_page::whole(id)).await?;
        Ok(row.as_ref().map(rows::site_page::read_whole).transpose()?)
    }

    /// Iterates over all posts with their bodies, each once: the drafts first, then the posts, each from the oldest month.
    pub fn walk(&self) -> InventoryWalk {
        let seen = (!self.store.is_local()).then(HashSet::new);
        InventoryWalk { content: self.clone(), collection: Some(Collection::Drafts), continuation: None, seen }
    }
}

/// See [`Content::walk`].
pub struct InventoryWalk {
    content: Content,
    collection: Option<Collection>,
    continuation: Option<Continuation>,
    /// The posts that were already returned, if others can write meanwhile.
    seen: Option<HashSet<PostId>>,
}

impl InventoryWalk {
    /// The posts of the next page of rows; the list can be empty. `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<WholePost>>> {
        let Some(collection) = self.collection else { return self.moved().await };
        let page = self.content.store.scan(collection.name(), self.continuation.as_ref()).await?;
        let is_whole = |row: &&crate::store::Entity| place::parse_whole_row(row.key.row()).is_some();
        let mut posts = Vec::new();
        for row in page.rows.iter().filter(is_whole) {
            let post = rows::post::read_whole(row)?;
            // While a post is moved, it exists at both places.
            if self.seen.as_mut().is_none_or(|seen| seen.insert(post.post.id.clone())) {
                posts.push(post);
            }
        }
        self.continuation = page.continuation;
        if self.continuation.is_none() {
            self.collection = match collection {
                Collection::Drafts => Some(Collection::Posts),
                Collection::Posts => None,
            };
        }
        Ok(Some(posts))
    }

    /// The posts that were moved to a place that the iteration has already passed.
    async fn moved(&mut self) -> Result<Option<Vec<WholePost>>> {
        let Some(seen) = self.seen.take() else { return Ok(None) };
        let mut posts = Vec::new();
        for id in self.content.inventory().await?.posts.into_keys().filter(|id| !seen.contains(id)) {
            posts.extend(self.content.stored_by_id(&id).await?.map(|stored| stored.whole));
        }
        Ok(Some(posts))
    }
}
