//! Writes the pages of the site. The rule: each change is one transaction that replaces the row of the tree under its ETag, which was read before all other
//! rows; so every change is based on the state after the previous one.

mod places;

pub(crate) use places::{BadPlace, MOVED_MAX};

use std::collections::BTreeMap;

use crate::content::error::{ContentError, Result};
use crate::content::tables::read_all;
use crate::content::tables::rows::change::{Action, ChangedItem, KIND_OF_PAGES};
use crate::content::tables::rows::change_log::LogItem;
use crate::content::tables::rows::packed::TooLarge;
use crate::content::tables::rows::post as post_rows;
use crate::content::tables::rows::site_page::{self as rows, TreeRow};
use crate::keys::Table;
use crate::keys::site_page::{self as keys, PageRow};
use crate::model::post::{BadTranslation, TRANSLATIONS_MAX};
use crate::model::{ContentField, Instant, PagePath, PostId, PostStatus, WholeSitePage};
use crate::store::{Entity, Etag, Key, Properties, Store, StoreError};

use super::Writer;
use super::atomic::PagesChange;
use super::keyed::NewKey;

const TABLE: &str = Table::Pages.name();

/// The pages that one try of a change has read, before and after the change.
pub struct PageTree<'a> {
    store: &'a Store,
    tree: TreeRow,
    /// `None` if the row does not exist, because there was never a page.
    etag: Option<Etag>,
    /// Pages as they were read, and as they will be written; `None` if there is no page.
    pages: BTreeMap<PostId, (Option<WholeSitePage>, Option<WholeSitePage>)>,
    /// The page that each path named when it was read.
    paths: BTreeMap<PagePath, Option<PostId>>,
    /// The earlier states of pages that [`put`](Self::put) has replaced since [`begin`](Self::begin).
    replaced: Vec<(PostId, Option<WholeSitePage>)>,
    /// An idempotency key, the page that it creates, and the current instant.
    key: Option<(NewKey, PostId, Instant)>,
}

/// The outcome of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PagesWritten {
    Done,
    /// Another change was made since the tree was read.
    Conflict,
    /// No transaction is large enough for the change; the text has the sizes.
    TooLarge(String),
}

impl<'a> PageTree<'a> {
    async fn read(store: &'a Store) -> Result<Self> {
        let row = store.get(TABLE, &keys::tree()).await?;
        let tree = row.as_ref().map(rows::read_tree).transpose()?.unwrap_or_default();
        let etag = row.map(|row| row.etag);
        let (pages, paths) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { store, tree, etag, pages, paths, replaced: Vec::new(), key: None })
    }

    /// The number of pages after the change.
    pub fn count(&self) -> usize {
        let stored = usize::try_from(self.tree.pages).unwrap_or(0);
        let made = self.pages.values().filter(|(before, after)| before.is_none() && after.is_some()).count();
        let gone = self.pages.values().filter(|(before, after)| before.is_some() && after.is_none()).count();
        (stored + made).saturating_sub(gone)
    }

    /// The number of scheduled pages after the change. One range read of keys.
    pub async fn scheduled(&self, now: Instant) -> Result<usize> {
        let stored = read_all(self.store, Table::Pages, &keys::scheduled_after(now).of_keys()).await?;
        let is_unchanged = |row: &Entity| match keys::parse(&row.key) {
            Some(PageRow::Scheduled(_, id)) => !self.pages.contains_key(&id),
            _ => false,
        };
        let is_scheduled = |page: &WholeSitePage| page.page.status(now) == PostStatus::Scheduled;
        let changed = self.pages.values().filter(|(_, after)| after.as_ref().is_some_and(is_scheduled));
        Ok(stored.into_iter().filter(is_unchanged).count() + changed.count())
    }

    /// The page with this id. One point read at most.
    pub async fn by_id(&mut self, id: &PostId) -> Result<Option<WholeSitePage>> {
        if let Some((_, after)) = self.pages.get(id) {
            return Ok(after.clone());
        }
        let row = self.store.get(TABLE, &keys::whole(id)).await?;
        let page = row.as_ref().map(rows::read_whole).transpose()?;
        self.pages.insert(id.clone(), (page.clone(), page.clone()));
        Ok(page)
    }

    /// Why a changed page cannot be in its group of translations.
    pub async fn bad_translation(&self) -> Result<Option<BadTranslation>> {
        for id in self.pages.keys() {
            if let Some(why) = self.bad_translation_of(id).await? {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    /// Why this page cannot be in its group of translations. One range read if it joins a group or changes its language.
    pub async fn bad_translation_of(&self, id: &PostId) -> Result<Option<BadTranslation>> {
        let Some((before, Some(page))) = self.pages.get(id) else { return Ok(None) };
        let (post, before) = (&page.page.post, before.as_ref().map(|before| &before.page.post));
        let (Some(group), Some(own)) = (&post.translation_group, keys::by_translation(post)) else { return Ok(None) };
        if before.and_then(keys::by_translation).as_ref() == Some(&own) {
            return Ok(None);
        }
        let changed = self.pages.values().filter_map(|(_, after)| Some(&after.as_ref()?.page.post));
        let others = changed.filter(|other| other.id != *id && other.translation_group == post.translation_group);
        let mut others: Vec<Key> = others.filter_map(keys::by_translation).collect();
        for row in read_all(self.store, Table::Pages, &keys::translations(group)).await? {
            if !self.pages.contains_key(rows::read_page(&row)?.id()) {
                others.push(row.key);
            }
        }
        Ok(match others.contains(&own) {
            true => Some(BadTranslation::Language),
            false => (others.len() >= TRANSLATIONS_MAX).then_some(BadTranslation::TooMany),
        })
    }

    /// The page with this current or former path. Two point reads at most.
    pub async fn at(&mut self, path: &PagePath) -> Result<Option<WholeSitePage>> {
        let changed = self.pages.values().filter_map(|(_, after)| after.as_ref());
        let owns = |page: &&WholeSitePage| page.page.path == *path;
        let had = |page: &&WholeSitePage| page.former_paths.contains(path);
        if let Some(page) = changed.clone().find(owns).or_else(|| changed.clone().find(had)) {
            return Ok(Some(page.clone()));
        }
        let id = match self.paths.get(path) {
            Some(known) => known.clone(),
            None => {
                let row = self.store.get(TABLE, &keys::path(path)).await?;
                let id = row.as_ref().map(rows::read_path).transpose()?;
                self.paths.insert(path.clone(), id.clone());
                id
            }
        };
        let Some(id) = id else { return Ok(None) };
        let page = self.by_id(&id).await?;
        // The change may have given the page another path.
        Ok(page.filter(|page| page.page.path == *path || page.former_paths.contains(path)))
    }

    /// Creates or replaces a page.
    pub fn put(&mut self, page: WholeSitePage) {
        let id = page.id().clone();
        let entry = self.pages.entry(id.clone()).or_insert((None, None));
        let replaced = entry.1.replace(page);
        self.replaced.push((id, replaced));
    }

    /// Records that the new page uses an idempotency key.
    pub fn use_key(&mut self, key: &NewKey, page: &PostId, now: Instant) {
        self.key = Some((key.clone(), page.clone(), now));
    }

    /// From here on, [`abort`](Self::abort) undoes each [`put`](Self::put).
    pub fn begin(&mut self) {
        self.replaced.clear();
    }

    /// Undoes each [`put`](Self::put) since [`begin`](Self::begin), so that a refused change is not written with the others of its transaction.
    pub fn abort(&mut self) {
        for (id, replaced) in self.replaced.drain(..).rev() {
            if let Some(entry) = self.pages.get_mut(&id) {
                entry.1 = replaced;
            }
        }
    }

    pub fn remove(&mut self, id: &PostId) {
        if let Some(entry) = self.pages.get_mut(id) {
            entry.1 = None;
        }
    }

    pub fn is_changed(&self) -> bool {
        self.changed().next().is_some()
    }

    fn changed(&self) -> impl Iterator<Item = &(Option<WholeSitePage>, Option<WholeSitePage>)> {
        self.pages.values().filter(|(before, after)| before != after)
    }

    /// The writes of the change, without the row of the tree. If a row is both removed and written, it is written.
    ///
    /// # Errors
    /// [`ContentError::TooLarge`] if a page is too large; `Corrupt` if two pages claim one row, which happens only if the stored rows contradict each other.
    fn writes(&self) -> Result<Vec<(Key, Option<Properties>)>> {
        let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
        for (before, after) in self.changed() {
            for (page, rows) in [(before, &mut old), (after, &mut new)] {
                let Some(page) = page else { continue };
                for (row, properties) in rows::rows_of(page).map_err(|error| too_large(page, &error))? {
                    rows.entry(row).or_insert_with(Vec::new).push(properties);
                }
            }
        }
        if let Some((row, _)) = new.iter().find(|(_, of_pages)| of_pages.len() > 1) {
            return Err(
                StoreError::corrupt(format!("two pages have the row {row}; run `tidings check --repair`")).into()
            );
        }
        let gone = old.keys().filter(|row| !new.contains_key(*row)).map(|row| (row, None));
        let changed = new.iter().filter(|(row, of_page)| old.get(*row) != Some(*of_page));
        let puts = changed.flat_map(|(row, of_page)| of_page.iter().map(move |properties| (row, Some(properties))));
        let write = |(row, properties): (&String, Option<&Properties>)| {
            Ok((Key::new(keys::PARTITION, row.as_str())?, properties.cloned()))
        };
        gone.chain(puts).map(write).collect()
    }

    fn into_change(self, now: Instant) -> Result<PagesChange> {
        let mut rows = self.writes()?;
        let pages = i32::try_from(self.count()).unwrap_or(i32::MAX);
        let tree = TreeRow { pages, number: self.tree.number.saturating_add(1) };
        rows.push((keys::tree(), Some(rows::tree_row(tree))));
        let mut items: Vec<LogItem> = self.changed().filter_map(|sides| item(sides, now)).collect();
        items.sort_by(|a, b| a.item.slug.cmp(&b.item.slug));
        let versions = self.changed().filter(|(before, after)| is_new_version(before.as_ref(), after.as_ref()));
        let replaced = versions.filter_map(|(before, _)| before.as_ref()).map(|page| {
            let row = post_rows::whole(&page.to_post()).map_err(|error| too_large(page, &error))?;
            Ok((page.id().clone(), page.page.post.version, row))
        });
        let replaced = replaced.collect::<Result<_>>()?;
        let deleted = self.changed().filter(|(_, after)| after.is_none());
        let deleted = deleted.filter_map(|(before, _)| before.as_ref().map(|page| page.id().clone())).collect();
        Ok(PagesChange { tree: self.etag, rows, replaced, deleted, items, key: self.key })
    }
}

fn too_large(page: &WholeSitePage, error: &TooLarge) -> ContentError {
    ContentError::TooLarge { what: format!("the body of {}", page.page.path), reason: error.to_string() }
}

impl Writer {
    /// Begins a try of a change of pages. One point read.
    pub async fn page_tree(&self) -> Result<PageTree<'_>> {
        PageTree::read(&self.store).await
    }

    /// Writes the change in one transaction.
    ///
    /// # Errors
    /// [`ContentError::OutcomeUnknown`] if it is unknown whether the change was made; after any other error of the store, nothing has changed.
    pub async fn write_pages(&self, tree: PageTree<'_>) -> Result<PagesWritten> {
        if !tree.is_changed() {
            return Ok(PagesWritten::Done);
        }
        let change = match tree.into_change(self.clock.now()) {
            Err(ContentError::TooLarge { what, reason }) => {
                return Ok(PagesWritten::TooLarge(format!("{what}: {reason}")));
            }
            change => change?,
        };
        match self.change_pages_at_once(change).await {
            Err(ContentError::Store(error @ StoreError::Limit(_))) => Ok(PagesWritten::TooLarge(error.to_string())),
            Ok(true) => Ok(PagesWritten::Done),
            Ok(false) => Ok(PagesWritten::Conflict),
            Err(error) => Err(error),
        }
    }
}

/// Whether the change creates a new version of the page. A page that only loses a former path, or moves with its parent, keeps its version.
fn is_new_version(before: Option<&WholeSitePage>, after: Option<&WholeSitePage>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => before.page.post.version != after.page.post.version,
        _ => false,
    }
}

/// The entry of a page in the log of changes.
fn item<'p>((before, after): &'p (Option<WholeSitePage>, Option<WholeSitePage>), now: Instant) -> Option<LogItem> {
    let page = &after.as_ref().or(before.as_ref())?.page;
    let actions = match (before, after) {
        (None, _) => match page.status(now) {
            PostStatus::Draft => vec![Action::Created],
            PostStatus::Scheduled => vec![Action::Created, Action::Scheduled],
            PostStatus::Published => vec![Action::Created, Action::Published],
        },
        (_, None) => vec![Action::Deleted],
        (Some(old), Some(new)) if is_new_version(before.as_ref(), after.as_ref()) => actions(old, new, now),
        _ => return None,
    };
    let item = ChangedItem {
        kind: KIND_OF_PAGES.to_owned(),
        id: page.id().to_string(),
        slug: page.path.to_string(),
        actions,
        version: page.post.version,
        creation: None,
    };
    let side = |page: &'p Option<WholeSitePage>| page.as_ref().map(|page| &page.page);
    Some(LogItem::of_page(item, side(before), side(after)))
}

fn actions(old: &WholeSitePage, new: &WholeSitePage, now: Instant) -> Vec<Action> {
    use PostStatus::{Draft, Published, Scheduled};
    let has_other_text = new.page.post.changed_since(&old.page.post).any(ContentField::is_text)
        || (&old.markdown, &old.metadata, old.page.order) != (&new.markdown, &new.metadata, new.page.order);
    // A follower with a copy has to remove a page that was public, even though it will appear again.
    let publication = match (old.page.status(now), new.page.status(now)) {
        (Draft, Draft) | (Published, Published) => &[][..],
        (Scheduled, Scheduled) if old.page.post.published_at == new.page.post.published_at => &[],
        (_, Published) => &[Action::Published],
        (_, Draft) => &[Action::Unpublished],
        (Published, Scheduled) => &[Action::Unpublished, Action::Scheduled],
        (_, Scheduled) => &[Action::Scheduled],
    };
    let renamed = (old.page.path != new.page.path).then_some(Action::Renamed);
    let updated = has_other_text.then_some(Action::Updated);
    let actions: Vec<Action> = updated.into_iter().chain(renamed).chain(publication.iter().copied()).collect();
    if actions.is_empty() { vec![Action::Updated] } else { actions }
}

/// Whether a row is a whole page, to filter a scan.
pub(in crate::content) fn is_whole(row: &Entity) -> bool {
    matches!(keys::parse(&row.key), Some(PageRow::Whole(_)))
}
