//! Writes the pages of the site, on both stores in the same way. The rule (W12): each change is one transaction of the partition of all pages that replaces the
//! row of the tree under the ETag with which it was read, before anything else was read; so every change is based on the state that the one before it has left.
//!
//! The row of the tree remembers the last changes, so that after a lost answer it shows whether a change was made; and what the newest one has changed, so
//! that the log and the record of changes get it even if the process stops after the transaction.

mod places;

pub(crate) use places::{BadPlace, MOVED_MAX};

use std::collections::BTreeMap;

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::change::{Action, ChangeRow, ChangedItem, KIND_OF_PAGES};
use crate::content::tables::rows::change_log::LogItem;
use crate::content::tables::rows::site_page as rows;
use crate::content::tables::rows::site_page::{RECENT_MAX, TreeRow};
use crate::content::write::log::{self, NewEntry};
use crate::content::write::{Writer, announcing, in_time, record, revisions};
use crate::keys::intent::IntentName;
use crate::keys::site_page::{self as keys, PageRow};
use crate::keys::{Table, history};
use crate::model::{PagePath, PostId, WholeSitePage};
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Etag, Key, Operation, Precondition, Store, StoreError};

/// How often a transaction is sent whose answers are lost.
const SENDS_MAX: u32 = 4;

const TABLE: &str = Table::Pages.name();

/// The state of the pages for one try of a change, as far as it was read, and what the change makes of it.
pub struct PageTree<'a> {
    store: &'a Store,
    tree: TreeRow,
    /// `None`: there is no row yet, because there was never a page.
    etag: Option<Etag>,
    /// Pages as they were read, and as they will be; `None` if there is no page.
    pages: BTreeMap<PostId, (Option<WholeSitePage>, Option<WholeSitePage>)>,
    /// The pages that each path named when it was read.
    paths: BTreeMap<PagePath, Option<PostId>>,
    /// What [`put`](Self::put) has replaced since [`begin`](Self::begin).
    replaced: Vec<(PostId, Option<WholeSitePage>)>,
}

/// The outcome of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PagesWritten {
    Done,
    /// Another change was made since the tree was read.
    Conflict,
    /// One transaction cannot hold the change, for this reason.
    TooLarge(String),
}

impl<'a> PageTree<'a> {
    async fn read(store: &'a Store) -> Result<Self> {
        let row = store.get(TABLE, &keys::tree()).await?;
        let tree = row.as_ref().map(rows::read_tree).transpose()?.unwrap_or_default();
        let etag = row.map(|row| row.etag);
        Ok(Self { store, tree, etag, pages: BTreeMap::new(), paths: BTreeMap::new(), replaced: Vec::new() })
    }

    /// How many pages there will be.
    pub fn count(&self) -> usize {
        let stored = usize::try_from(self.tree.pages).unwrap_or(0);
        let made = self.pages.values().filter(|(before, after)| before.is_none() && after.is_some()).count();
        let gone = self.pages.values().filter(|(before, after)| before.is_some() && after.is_none()).count();
        (stored + made).saturating_sub(gone)
    }

    /// The page with this id. One point read, if it was not read yet.
    pub async fn by_id(&mut self, id: &PostId) -> Result<Option<WholeSitePage>> {
        if let Some((_, after)) = self.pages.get(id) {
            return Ok(after.clone());
        }
        let row = self.store.get(TABLE, &keys::whole(id)).await?;
        let page = row.as_ref().map(rows::read_whole).transpose()?;
        self.pages.insert(id.clone(), (page.clone(), page.clone()));
        Ok(page)
    }

    /// The page that a path finds: by its present path, or a former one. Two point reads at most.
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

    /// The page will be like this.
    pub fn put(&mut self, page: WholeSitePage) {
        let id = page.id().clone();
        let entry = self.pages.entry(id.clone()).or_insert((None, None));
        let replaced = entry.1.replace(page);
        self.replaced.push((id, replaced));
    }

    /// From here on, [`abort`](Self::abort) undoes what is put.
    pub fn begin(&mut self) {
        self.replaced.clear();
    }

    /// Undoes what was put since [`begin`](Self::begin): a part of a change that is refused must not be written with the others of its transaction.
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

    /// Whether the change changes anything.
    pub fn is_changed(&self) -> bool {
        self.changed().next().is_some()
    }

    fn changed(&self) -> impl Iterator<Item = &(Option<WholeSitePage>, Option<WholeSitePage>)> {
        self.pages.values().filter(|(before, after)| before != after)
    }

    /// The writes of the change: a row of the state after it wins over the removal of the same row. The inner error: a page is too large.
    ///
    /// # Errors
    /// `Corrupt` if two pages would have one row, which can only be if their rows contradicted each other before.
    fn operations(&self) -> Result<std::result::Result<Vec<Operation>, String>> {
        let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
        for (before, after) in self.changed() {
            for (page, rows) in [(before, &mut old), (after, &mut new)] {
                let Some(page) = page else { continue };
                let of_page = match rows::rows_of(page) {
                    Ok(rows) => rows,
                    Err(error) => return Ok(Err(format!("the body of {}: {error}", page.page.path))),
                };
                for (row, properties) in of_page {
                    rows.entry(row).or_insert_with(Vec::new).push(properties);
                }
            }
        }
        if let Some((row, _)) = new.iter().find(|(_, of_pages)| of_pages.len() > 1) {
            return Err(
                StoreError::corrupt(format!("two pages have the row {row}; run `tidings check --repair`")).into()
            );
        }
        let gone = old.keys().filter(|row| !new.contains_key(*row));
        let deletes = gone.map(|row| Operation::Delete { row: row.clone(), precondition: Precondition::None });
        let changed = new.iter().filter(|(row, of_page)| old.get(*row) != Some(*of_page));
        let puts = changed.flat_map(|(row, of_page)| of_page.iter().map(move |properties| (row, properties)));
        let puts = puts.map(|(row, properties)| {
            let (row, properties) = (row.clone(), properties.clone());
            Operation::Put { row, properties, precondition: Precondition::None }
        });
        Ok(Ok(deletes.chain(puts).collect()))
    }
}

impl Writer {
    /// Begins a try of a change of pages. One point read.
    pub async fn page_tree(&self) -> Result<PageTree<'_>> {
        PageTree::read(&self.store).await
    }

    /// Writes what the change makes of the pages, in one transaction; the versions that it replaces are kept before, the change is recorded after it.
    ///
    /// # Errors
    /// [`ContentError::OutcomeUnknown`] if it cannot be learned whether the change was made; any other error of the store, with nothing changed.
    pub async fn write_pages(&self, tree: PageTree<'_>) -> Result<PagesWritten> {
        let mut operations = match tree.operations()? {
            Ok(operations) if operations.is_empty() => return Ok(PagesWritten::Done),
            Ok(operations) => operations,
            Err(reason) => return Ok(PagesWritten::TooLarge(reason)),
        };
        if operations.len() >= BATCH_OPERATIONS_MAX {
            let rows = operations.len() + 1;
            return Ok(PagesWritten::TooLarge(format!(
                "it writes {rows} rows; one transaction has at most {BATCH_OPERATIONS_MAX}: change fewer pages at once"
            )));
        }
        let name = self.new_intent_name()?;
        let after = self.tree_after(&tree, &name);
        let Ok(properties) = rows::tree_row(&after) else {
            return Ok(PagesWritten::TooLarge("the record of the change does not fit a row".to_owned()));
        };
        let precondition = tree.etag.clone().map_or(Precondition::Absent, Precondition::Match);
        operations.push(Operation::Put { row: keys::tree().row().to_owned(), properties, precondition });
        let batch = match Batch::new(keys::PARTITION, operations) {
            Ok(batch) => batch,
            Err(error @ StoreError::Limit(_)) => return Ok(PagesWritten::TooLarge(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        // What the change before has changed is recorded before the row loses it.
        self.follow_up(&tree.tree).await?;
        let replaced = tree.changed().filter(|(before, after)| is_new_version(before.as_ref(), after.as_ref()));
        let replaced: Vec<_> = replaced.filter_map(|(before, _)| Some(before.as_ref()?.to_post())).collect();
        revisions::keep(&self.store, replaced.iter()).await?;
        let rows = batch.operations().iter().filter_map(|operation| Key::new(keys::PARTITION, operation.row()).ok());
        let _announced = announcing::ahead(&self.store, rows.map(|key| (TABLE, key)).collect()).await;
        let committed = self.commit_pages(&batch, &tree, &name).await;
        if !matches!(committed, Ok(true)) {
            for whole in &replaced {
                self.forget_deleted(&whole.post.id).await;
            }
            return committed.map(|_| PagesWritten::Conflict);
        }
        // The change is made, whatever fails now: the next change or recovery records it.
        if let Err(error) = in_time(1, self.record_pages(&after)).await {
            tracing::warn!(%error, change = %name, "write.pages_not_recorded");
        }
        Ok(PagesWritten::Done)
    }

    /// Deletes the versions of a page that was deleted by another change: this one has kept a version after that had deleted all. If it fails, `check`
    /// finds them.
    async fn forget_deleted(&self, id: &PostId) {
        let deleted = async {
            match self.store.get(TABLE, &keys::whole(id)).await? {
                Some(_) => Ok(()),
                None => revisions::delete_all(&self.store, id).await,
            }
        };
        if let Err(error) = deleted.await {
            tracing::warn!(%error, page = %id, "write.revisions_not_deleted");
        }
    }

    /// Records the newest change of pages, if a process has stopped before it did. One point read if there is nothing to record.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn recover_pages(&self) -> Result<()> {
        let tree = self.page_tree().await?.tree;
        self.follow_up(&tree).await
    }

    /// The row of the tree after the change.
    fn tree_after(&self, tree: &PageTree<'_>, name: &IntentName) -> TreeRow {
        let mut recent = vec![name.clone()];
        recent.extend(tree.tree.recent.iter().take(RECENT_MAX - 1).cloned());
        let mut items: Vec<LogItem> = tree.changed().filter_map(item).collect();
        items.sort_by(|a, b| a.item.slug.cmp(&b.item.slug));
        let at = name.parts().map_or_else(|| self.clock.now(), |(at, _)| at);
        let last = Some(ChangeRow { at, by: self.by.as_deref().cloned(), items });
        let pages = i32::try_from(tree.count()).unwrap_or(i32::MAX);
        TreeRow { pages, number: tree.tree.number.saturating_add(1), recent, last }
    }

    /// Whether the transaction was carried out; `false` if another change came first, so that it never can be.
    async fn commit_pages(&self, batch: &Batch, tree: &PageTree<'_>, name: &IntentName) -> Result<bool> {
        let mut is_unknown = false;
        for _ in 0..SENDS_MAX {
            match self.store.commit(TABLE, batch).await {
                Ok(_) => return Ok(true),
                Err(StoreError::Precondition(_)) if !is_unknown => return Ok(false),
                // An earlier request may have been carried out.
                Err(StoreError::Precondition(_)) => return self.was_made(tree, name).await,
                Err(StoreError::OutcomeUnknown { .. }) => is_unknown = true,
                Err(_) if is_unknown => break,
                Err(e) => return Err(e.into()),
            }
        }
        self.was_made(tree, name).await
    }

    /// Whether the changes that the tree remembers include this one.
    async fn was_made(&self, tree: &PageTree<'_>, name: &IntentName) -> Result<bool> {
        let Ok(row) = self.store.get(TABLE, &keys::tree()).await else { return Err(ContentError::OutcomeUnknown) };
        let is_untouched = row.as_ref().map(|row| &row.etag) == tree.etag.as_ref();
        let now = row.as_ref().map(rows::read_tree).transpose()?.unwrap_or_default();
        if now.recent.contains(name) {
            return Ok(true);
        }
        let since = usize::try_from(now.number - tree.tree.number).unwrap_or(usize::MAX);
        // While the row is untouched, a request that is still under way can be carried out.
        if is_untouched || since > RECENT_MAX { Err(ContentError::OutcomeUnknown) } else { Ok(false) }
    }

    /// Writes what follows from the newest change, if its record is missing, which is written last. Any server can do it again. One point read if it is there.
    /// The record of a change that is older than what is kept was deleted.
    async fn follow_up(&self, tree: &TreeRow) -> Result<()> {
        if tree.last.as_ref().is_some_and(|last| !record::is_kept(last.at, self.clock.now())) {
            return Ok(());
        }
        let Some(key) = tree.recent.first().and_then(history::change) else { return Ok(()) };
        match self.store.get_key(Table::Changes.name(), &key).await? {
            Some(_) => Ok(()),
            None => self.record_pages(tree).await,
        }
    }

    /// Removes the versions of the pages that the newest change has deleted, appends the change to the log, and records it.
    async fn record_pages(&self, tree: &TreeRow) -> Result<()> {
        let (Some(name), Some(last)) = (tree.recent.first(), &tree.last) else { return Ok(()) };
        for item in last.items.iter().filter(|changed| changed.item.actions.contains(&Action::Deleted)) {
            if let Ok(id) = item.item.id.parse() {
                revisions::delete_all(&self.store, &id).await?;
            }
        }
        let new = NewEntry { intent: name, items: last.items.clone(), now: self.clock.now() };
        log::append_unrecorded(&self.store, new).await?;
        record::write(
            &self.store,
            name,
            last.by.as_ref(),
            last.items.iter().map(|changed| changed.item.clone()).collect(),
        )
        .await
    }
}

/// Whether the change makes a new version of the page: a page that only loses a former path, or is below one that moves, keeps its version.
fn is_new_version(before: Option<&WholeSitePage>, after: Option<&WholeSitePage>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => before.page.post.version != after.page.post.version,
        _ => false,
    }
}

/// The entry of a page in the log of changes.
fn item<'p>((before, after): &'p (Option<WholeSitePage>, Option<WholeSitePage>)) -> Option<LogItem> {
    let page = &after.as_ref().or(before.as_ref())?.page;
    let actions = match (before, after) {
        (None, Some(after)) if after.page.is_draft() => vec![Action::Created],
        (None, _) => vec![Action::Created, Action::Published],
        (_, None) => vec![Action::Deleted],
        (Some(old), Some(new)) if is_new_version(before.as_ref(), after.as_ref()) => actions(old, new),
        _ => return None,
    };
    let item = ChangedItem {
        kind: KIND_OF_PAGES.to_owned(),
        id: page.id().to_string(),
        slug: page.path.to_string(),
        actions,
        version: Some(page.post.version),
        creation: None,
    };
    let side = |page: &'p Option<WholeSitePage>| page.as_ref().map(|page| &page.page);
    Some(LogItem::of_page(item, side(before), side(after)))
}

fn actions(old: &WholeSitePage, new: &WholeSitePage) -> Vec<Action> {
    let text = |page: &WholeSitePage| {
        let post = &page.page.post;
        let shown = (post.title.clone(), post.excerpt.clone(), post.cover.clone(), post.language.clone());
        (shown, page.markdown.clone(), page.metadata.clone(), page.page.order)
    };
    let publication = match (old.page.is_draft(), new.page.is_draft()) {
        (true, false) => Some(Action::Published),
        (false, true) => Some(Action::Unpublished),
        _ => None,
    };
    let renamed = (old.page.path != new.page.path).then_some(Action::Renamed);
    let updated = (text(old) != text(new)).then_some(Action::Updated);
    let actions: Vec<Action> = [updated, renamed, publication].into_iter().flatten().collect();
    if actions.is_empty() { vec![Action::Updated] } else { actions }
}

/// Whether a row is a whole page, for a walk over them.
pub(in crate::content) fn is_whole(row: &crate::store::Entity) -> bool {
    matches!(keys::parse(&row.key), Some(PageRow::Whole(_)))
}
