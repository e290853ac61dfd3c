//! Imports the pages of a site. The rule: each page comes after its parent; a folder without its own file gets a page with only a title; unchanged pages are
//! not written, and pages that a mutation has changed since the last import are kept.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::content::write::{PageTree, PagesWritten};
use crate::content::{Content, ContentError, Result, Writer};
use crate::model::post::BadTranslation;
use crate::model::site_page::{FORMER_PATHS_MAX, PAGES_MAX, SCHEDULED_PAGES_MAX};
use crate::model::{
    ActorSnapshot, Instant, PagePath, Post, PostId, PostStatus, TranslationGroup, WholePost, WholeSitePage, rules,
};

use super::build::{ImportTerms, build, is_over, note_of_end};
use super::report::{ImportOptions, ImportReport};
use super::translations::{Groups, not_linked};
use super::{changed_here, kept};
use crate::import::{Failed, ImportedPage, ImportedPost, Note, ResolvedPost, in_words};

/// The number of pages in one transaction: a new page has at most four of the 100 rows, including the row in its group of translations.
const PAGES_PER_TRANSACTION: usize = 24;
/// The maximum number of tries if others change pages.
const TRIES_MAX: u32 = 20;
const WAIT: Duration = Duration::from_millis(50);

/// The outcome for a page.
enum Planned {
    Made(Option<BadTranslation>),
    Changed(Option<BadTranslation>),
    Unchanged,
    Kept(Note),
    Failed(Failed),
}

pub(super) async fn import(
    content: &Content,
    (writer, by): (&Writer, &ActorSnapshot),
    pages: Vec<ImportedPage>,
    options: ImportOptions,
    report: &mut ImportReport,
) -> Result<()> {
    let pages = in_order(pages, report);
    let run = PageImport { now: content.clock().now(), writer, by, options, groups: Groups::default() };
    run.find_groups(&pages).await?;
    // A dry run plans all pages on one tree, because it writes nothing on which the next part could build.
    let size = if options.dry_run { pages.len().max(1) } else { PAGES_PER_TRANSACTION };
    for part in pages.chunks(size) {
        if !run.write(part, report).await? {
            for page in part {
                if !run.write(std::slice::from_ref(page), report).await? {
                    let reason = "the page is too large for a transaction".to_owned();
                    report.failed.push(Failed { origin: page.name(), reason });
                }
            }
        }
    }
    Ok(())
}

/// The pages sorted by path, with a page for each folder that has none. If several pages have the same path, the first published one is imported, or else the
/// first one.
fn in_order(pages: Vec<ImportedPage>, report: &mut ImportReport) -> Vec<ImportedPage> {
    let mut by_path: BTreeMap<PagePath, ImportedPage> = BTreeMap::new();
    for page in pages {
        match by_path.entry(page.place.path.clone()) {
            Entry::Vacant(free) => {
                free.insert(page);
            }
            Entry::Occupied(mut taken) => {
                let is_draft = taken.get().is_draft && !page.is_draft;
                let other = if is_draft { taken.insert(page) } else { page };
                let reason = format!("has the path {}, as {} has", other.place.path, taken.get().name());
                report.failed.push(Failed { origin: other.name(), reason });
            }
        }
    }
    let mut folders = BTreeSet::new();
    for path in by_path.keys() {
        let mut above = path.parent();
        while let Some(folder) = above {
            above = folder.parent();
            folders.insert(folder);
        }
    }
    for path in folders {
        let title = in_words(path.slug().as_str());
        by_path.entry(path.clone()).or_insert_with(|| ImportedPage::of_folder(path, title, None));
    }
    by_path.into_values().collect()
}

struct PageImport<'a> {
    now: Instant,
    writer: &'a Writer,
    by: &'a ActorSnapshot,
    options: ImportOptions,
    groups: Groups,
}

impl PageImport<'_> {
    /// Writes pages in one transaction. Returns false, without a write, if they do not fit.
    async fn write(&self, pages: &[ImportedPage], report: &mut ImportReport) -> Result<bool> {
        for tries in 0..TRIES_MAX {
            let mut tree = self.writer.page_tree().await?;
            let mut planned = Vec::with_capacity(pages.len());
            for page in pages {
                tree.begin();
                let outcome = self.plan(&mut tree, page).await?;
                if matches!(outcome, Planned::Failed(_)) {
                    tree.abort();
                }
                planned.push(outcome);
            }
            let written = match self.options.dry_run {
                true => PagesWritten::Done,
                false => self.writer.write_pages(tree).await?,
            };
            match written {
                PagesWritten::Done => {
                    planned.into_iter().zip(pages).for_each(|(planned, page)| note(planned, page, self.now, report));
                    return Ok(true);
                }
                PagesWritten::TooLarge(_) => return Ok(false),
                PagesWritten::Conflict => tokio::time::sleep(WAIT * (tries + 1)).await,
            }
        }
        Err(ContentError::Busy)
    }

    /// Records the groups of stored pages, so that new translations join them.
    async fn find_groups(&self, pages: &[ImportedPage]) -> Result<()> {
        let mut linked = pages.iter().filter(|page| page.translations.is_some()).peekable();
        if linked.peek().is_none() {
            return Ok(());
        }
        let mut tree = self.writer.page_tree().await?;
        for page in linked {
            if let Some(stored) = stored(&mut tree, page).await? {
                self.groups.join(page.translations.as_deref(), &stored.page.post);
            }
        }
        Ok(())
    }

    async fn plan(&self, tree: &mut PageTree<'_>, page: &ImportedPage) -> Result<Planned> {
        let failed = |reason: String| Planned::Failed(Failed { origin: page.name(), reason });
        let own_id = own_id(page);
        let Some(before) = stored(tree, page).await? else {
            if tree.count() >= PAGES_MAX {
                return Ok(failed(format!("a site has at most {PAGES_MAX} pages")));
            }
            let id = match own_id {
                Some(id) => id,
                None => self.writer.new_post_id()?,
            };
            let ancestors = match tree.free_path(&page.place.path, &id).await? {
                Ok(ancestors) => ancestors,
                Err(bad) => return Ok(failed(bad.to_string())),
            };
            let mut whole =
                WholeSitePage::of_post(self.text(page, None, id), page.place.path.clone(), ancestors, page.place.order);
            for path in page.place.former_paths.iter().take(FORMER_PATHS_MAX) {
                let is_own = *path == page.place.path || whole.former_paths.contains(path);
                if !is_own && tree.at(path).await?.is_none() {
                    whole.former_paths.push(path.clone());
                }
            }
            whole.page.is_scheduled = whole.page.post.published_at.is_some_and(|at| at > self.now);
            if let Err(reason) = checked(&whole) {
                return Ok(failed(reason));
            }
            let unlinked = put(tree, &mut whole, None).await?;
            return Ok(match self.too_many_scheduled(tree, &whole).await? {
                Some(reason) => failed(reason),
                None => Planned::Made(unlinked),
            });
        };
        self.plan_change(tree, page, before).await
    }

    async fn plan_change(
        &self,
        tree: &mut PageTree<'_>,
        page: &ImportedPage,
        before: WholeSitePage,
    ) -> Result<Planned> {
        let failed = |reason: String| Planned::Failed(Failed { origin: page.name(), reason });
        // A folder has no file, so all changes of its page are kept.
        if page.place.is_folder {
            return Ok(Planned::Unchanged);
        }
        let mut after = before.with_text(self.text(page, Some(&before), before.id().clone()));
        after.page.order = page.place.order;
        if after.page.post.published_at != before.page.post.published_at {
            after.page.is_scheduled = after.page.post.published_at.is_some_and(|at| at > self.now);
        }
        let is_same = |after: &WholeSitePage| {
            let mut same = after.clone();
            same.changed_by.clone_from(&before.changed_by);
            same.page.post.version = before.page.post.version;
            same.page.post.updated_at = page.updated_at.unwrap_or(before.page.post.updated_at);
            same == before && page.place.path == before.page.path
        };
        if is_same(&after) {
            return Ok(Planned::Unchanged);
        }
        let changed_by = changed_here(before.changed_by.as_ref(), &before.page.post);
        if let Some(by) = changed_by.filter(|_| !self.options.overwrite) {
            return Ok(Planned::Kept(kept(&page.name(), by)));
        }
        if let Err(reason) = checked(&after) {
            return Ok(failed(reason));
        }
        after.changed_by = Some(self.by.clone());
        if page.place.path != before.page.path {
            match tree.move_page(after, page.place.path.clone()).await? {
                Ok(moved) => after = moved,
                Err(bad) => return Ok(failed(bad.to_string())),
            }
        }
        let unlinked = put(tree, &mut after, before.page.post.translation_group.clone()).await?;
        if unlinked.is_some() && is_same(&after) {
            tree.put(before);
            return Ok(Planned::Unchanged);
        }
        Ok(match self.too_many_scheduled(tree, &after).await? {
            Some(reason) => failed(reason),
            None => Planned::Changed(unlinked),
        })
    }

    async fn too_many_scheduled(&self, tree: &PageTree<'_>, page: &WholeSitePage) -> Result<Option<String>> {
        let is_too_many = page.page.status(self.now) == PostStatus::Scheduled
            && tree.scheduled(self.now).await? > SCHEDULED_PAGES_MAX;
        Ok(is_too_many.then(|| format!("at most {SCHEDULED_PAGES_MAX} pages can be scheduled at one time")))
    }

    /// The text and dates of the page's next version.
    fn text(&self, page: &ImportedPage, before: Option<&WholeSitePage>, id: PostId) -> WholePost {
        let before = before.map(WholeSitePage::to_post);
        let stored = before.as_ref().map(|before| &before.post);
        let created_at = page.created_at.or(stored.map(|post| post.created_at)).unwrap_or(self.now);
        // A published page without a date gets its creation time.
        let published_at = page.published_at.or_else(|| stored?.published_at).unwrap_or(created_at.min(self.now));
        let translation_group = self.groups.of(page.translations.as_deref(), stored, &id);
        let slug = stored.map_or(page.place.path.slug(), |post| &post.slug).clone();
        let imported = ImportedPost { published_at: Some(published_at), ..page.post.clone() };
        let (terms, resolved) = (ImportTerms::default(), ResolvedPost::of(slug));
        let text = build(imported, &terms, &resolved, before.as_ref(), id, self.now);
        WholePost { post: Post { translation_group, ..text.post }, changed_by: Some(self.by.clone()), ..text }
    }
}

fn own_id(page: &ImportedPage) -> Option<PostId> {
    page.id.as_ref().and_then(|id| id.parse().ok())
}

/// The stored page of an imported one, by id or path.
async fn stored(tree: &mut PageTree<'_>, page: &ImportedPage) -> Result<Option<WholeSitePage>> {
    if let Some(id) = own_id(page)
        && let Some(stored) = tree.by_id(&id).await?
    {
        return Ok(Some(stored));
    }
    Ok(tree.at(&page.place.path).await?.filter(|stored| stored.page.path == page.place.path))
}

/// Puts a page into the tree. If it cannot be in its group of translations, it is put into the group `other`, or into none; returns the reason.
async fn put(
    tree: &mut PageTree<'_>,
    page: &mut WholeSitePage,
    other: Option<TranslationGroup>,
) -> Result<Option<BadTranslation>> {
    tree.put(page.clone());
    let bad = tree.bad_translation_of(page.id()).await?;
    if bad.is_some() {
        page.page.post.translation_group = other;
        tree.put(page.clone());
        if tree.bad_translation_of(page.id()).await?.is_some() {
            page.page.post.translation_group = None;
            tree.put(page.clone());
        }
    }
    Ok(bad)
}

fn checked(page: &WholeSitePage) -> std::result::Result<(), String> {
    rules::check(&page.to_post()).map_err(|broken| rules::in_one_text(&broken))
}

fn note(planned: Planned, page: &ImportedPage, now: Instant, report: &mut ImportReport) {
    let is_written = matches!(planned, Planned::Made(_) | Planned::Changed(_)) && !page.is_draft;
    if is_written && is_over(page.unpublish_at, page.published_at, now) {
        report.notes.extend(note_of_end(page.name(), page.unpublish_at));
    }
    match planned {
        Planned::Made(unlinked) => {
            report.pages.made += 1;
            note_unlinked(unlinked, page, report);
            if page.place.is_folder {
                let text = "has no file of its own, so it is a page with only a title".to_owned();
                report.notes.push(Note { origin: page.place.path.to_string(), text });
            }
        }
        Planned::Changed(unlinked) => {
            report.pages.changed += 1;
            note_unlinked(unlinked, page, report);
        }
        Planned::Unchanged => report.pages.unchanged += 1,
        Planned::Kept(note) => {
            report.kept += 1;
            report.notes.push(note);
        }
        Planned::Failed(failed) => report.failed.push(failed),
    }
}

fn note_unlinked(why: Option<BadTranslation>, page: &ImportedPage, report: &mut ImportReport) {
    report.notes.extend(why.map(|why| Note { origin: page.name(), text: not_linked(why) }));
}
