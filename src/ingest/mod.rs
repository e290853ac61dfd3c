//! Runs an import: writes the terms and posts of a source. The rule: it can be stopped at any point and run again; unchanged posts are not written,
//! posts that a mutation changed since the last import are kept, and invalid posts are reported and do not stop the import.

mod build;
mod declared;
mod gone;
mod order;
mod own_terms;
mod pictures;
mod report;
mod series;
mod site_pages;
mod translations;

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use crate::content::maintenance::{Inventory, InventoryPost};
use crate::content::write::{Change, Outcome, Planned, Renamed, SavedTerms, Stored};
use crate::content::{Content, ContentError, Result, Writer};
use crate::import::{
    ExistingPost, Failed, ImportSource, ImportedTerm, InternalLinks, Note, PostSlugs, ResolvedPosts, parallel,
    resolve_post_slugs, resolve_terms,
};
use crate::model::{
    ActorKind, ActorSnapshot, BadParent, IndexedFields, Instant, Post, PostId, Slug, Term, TermKind, WholePost, rules,
};
use crate::telemetry::metrics;

pub use gone::{Gone, remove};
use report::explain;
pub use report::{BROKEN_LINKS_MAX, ImportOptions, ImportReport, PageCounts, PictureCounts};

use build::ImportTerms;
use declared::DeclaredFields;
use gone::{GoneFiles, importer};
use order::Batches;
use pictures::Pictures;
use series::SeriesOrders;
use translations::{Groups, not_linked};

/// Counts the posts in the metrics.
fn count(report: &ImportReport) {
    let (skipped, failed) = (report.skipped.len(), report.failed.len());
    let outcomes = [("created", report.made), ("changed", report.changed), ("unchanged", report.unchanged)];
    let outcomes = outcomes.into_iter().chain([("kept", report.kept), ("skipped", skipped), ("failed", failed)]);
    outcomes.for_each(|(outcome, posts)| metrics::posts_imported(outcome, posts));
}

/// Imports everything. `progress`: called with the number of finished posts and the number of all posts.
///
/// # Errors
/// If the store fails. The posts that were already written remain, and the next run continues from there.
pub async fn import(
    content: &Content,
    source: Arc<ImportSource>,
    options: ImportOptions,
    progress: impl Fn(usize, usize),
) -> Result<ImportReport> {
    let inventory = content.inventory().await?;
    let writer = content.writer()?.by(ActorSnapshot::import());
    let mut report = report_of(&source);
    let existing = |slug: &Slug| Ok::<_, Infallible>(existing(&inventory, slug));
    let Ok(PostSlugs { posts, notes }) = resolve_post_slugs(&source.found.entries, &source.found.redirects, existing);
    let mut resolved = find_renamed(&inventory, &source, posts);
    let by = importer(&source);
    let gone_files = GoneFiles::of(content, &source, &by, options.prune);
    if let Some(files) = &gone_files {
        report.gone = files.of_posts(&inventory, &mut resolved).await?;
    }
    let links = InternalLinks::of(&source, &resolved);
    let pictures = pictures::add(content, &source, options, &mut report).await?;
    let mut pages = source.found.pages.clone();
    for page in &mut pages {
        pictures.replace(&mut page.post);
        links.write(&mut page.post);
    }
    if let Some(files) = gone_files {
        report.gone.append(&mut files.of_pages(&mut pages).await?);
    }
    let declared = DeclaredFields::of(&source, content.fields());
    let pages = declared.of_pages(pages, &mut report.failed);
    site_pages::import(content, (&writer, &by), pages, options, &mut report).await?;
    let terms = save_terms(content, &writer, &source, &pictures, options.dry_run, &mut report).await?;
    report.notes.extend(notes);
    let (mut done, total) = (0, source.found.entries.len());
    let (series, groups) = (SeriesOrders::default(), Groups::default());
    let parts = Parts {
        source: Arc::clone(&source),
        by: by.clone(),
        inventory,
        terms,
        resolved,
        pictures,
        links,
        declared,
        series,
        groups,
        overwrites: options.overwrite,
        long: Mutex::default(),
    };
    let run = ImportRun { content, writer, parts: Arc::new(parts), is_dry: options.dry_run };
    let is_linked = |index: usize| {
        let id = run.parts.resolved.existing_id(index).and_then(|id| id.parse::<PostId>().ok());
        id.is_some_and(|id| run.parts.inventory.linked.contains(&id))
    };
    let mut batches = Batches::new(&source.found.entries, is_linked);
    let mut next = run.build(&batches.next().unwrap_or_default()).await?;
    while !next.is_empty() {
        done += next.len();
        // While a batch is written, the next one is read and planned.
        let upcoming = batches.next().unwrap_or_default();
        let write = run.write(next, &mut report);
        ((), next) = futures_util::future::try_join(write, run.build(&upcoming)).await?;
        progress(done, total);
    }
    // A run with errors has not seen the whole folder.
    if !report.failed.is_empty() || (source.found.entries.is_empty() && source.found.pages.is_empty()) {
        report.gone.clear();
    }
    if !options.dry_run {
        report.notes.extend(run.parts.series.write(&run.writer).await?);
        count(&report);
    }
    Ok(report)
}

/// The report of an import that has written nothing yet.
fn report_of(source: &ImportSource) -> ImportReport {
    ImportReport {
        redirects: source.found.redirects.len(),
        skipped: source.found.skipped.clone(),
        failed: source.found.failed.clone(),
        notes: source.found.notes.clone(),
        metadata: source.metadata(),
        ignored: source.ignored(),
        ..ImportReport::default()
    }
}

struct ImportRun<'a> {
    content: &'a Content,
    writer: Writer,
    parts: Arc<Parts>,
    is_dry: bool,
}

/// The inputs from which the posts of an import are built.
struct Parts {
    source: Arc<ImportSource>,
    by: ActorSnapshot,
    inventory: Inventory,
    terms: ImportTerms,
    resolved: ResolvedPosts,
    pictures: Pictures,
    links: InternalLinks,
    declared: DeclaredFields,
    series: SeriesOrders,
    groups: Groups,
    /// Whether posts that a mutation has changed since the last import are overwritten.
    overwrites: bool,
    /// Locked while a post with a long body is planned.
    long: Mutex<()>,
}

/// Posts with bodies of at least this length are planned one by one, because the parser may need more than a hundred times the length.
const LONG_BYTES: usize = 256 * 1024;

/// The result of building an entry, before it is written.
enum Built {
    Unchanged,
    Kept(Note),
    /// The planned change, and a note if there is one.
    Changed(Box<Planned>, Option<Note>),
    Failed(Failed),
}

impl ImportRun<'_> {
    async fn write(&self, built: Vec<Built>, report: &mut ImportReport) -> Result<()> {
        let mut changes = Vec::with_capacity(built.len());
        for built in built {
            match built {
                Built::Unchanged => report.unchanged += 1,
                Built::Kept(note) => {
                    report.kept += 1;
                    report.notes.push(note);
                }
                Built::Changed(planned, note) => {
                    changes.push(*planned);
                    report.notes.extend(note);
                }
                Built::Failed(failed) => report.failed.push(failed),
            }
        }
        let description = |planned: &Planned| {
            let origin = planned.change.after().and_then(|post| post.origin.clone());
            let linked = planned.change.after().is_some_and(|post| post.translation_group.is_some());
            (linked.then(|| planned.change.clone()), planned.change.before.is_some(), origin.unwrap_or_default())
        };
        let descriptions: Vec<_> = changes.iter().map(description).collect();
        let outcomes = match self.is_dry {
            true => vec![Outcome::Done; changes.len()],
            false => self.writer.change_planned(changes, &[], None).await?,
        };
        for (outcome, (linked, existed, origin)) in outcomes.into_iter().zip(descriptions) {
            let outcome = match (outcome, linked) {
                (Outcome::Untranslatable(why), Some(change)) => {
                    report.notes.push(Note { origin: origin.clone(), text: not_linked(why) });
                    match self.write_unlinked(change).await? {
                        Some(outcome) => outcome,
                        None => {
                            report.unchanged += 1;
                            continue;
                        }
                    }
                }
                (outcome, _) => outcome,
            };
            match outcome {
                Outcome::Done if existed => report.changed += 1,
                Outcome::Done => report.made += 1,
                other => {
                    report.is_again |= matches!(other, Outcome::Taken(_) | Outcome::TermsGone(_) | Outcome::Conflict);
                    report.failed.push(Failed { origin, reason: explain(&other) });
                }
            }
        }
        Ok(())
    }

    /// Where the post of an entry is stored, if there is one.
    fn found(&self, index: usize) -> Option<&InventoryPost> {
        let id = self.parts.resolved.existing_id(index).and_then(|id| id.parse::<PostId>().ok());
        self.parts.inventory.posts.get(&id?)
    }

    /// Reads and plans the posts on all cores, because parsing, packing and reading files take long.
    async fn build(&self, batch: &[usize]) -> Result<Vec<Built>> {
        let found: Vec<_> = batch.iter().map(|index| self.found(*index)).collect();
        let stored = self.content.stored_many(&found).await?;
        let mut work = Vec::with_capacity(batch.len());
        for (index, stored) in batch.iter().copied().zip(stored) {
            work.push((index, stored, self.writer.new_post_id()?));
        }
        let (now, indexed) = (self.content.clock().now(), self.content.indexed_fields());
        let parts = Arc::clone(&self.parts);
        let build = move || {
            parallel::map(work, |(index, stored, new_id)| {
                parts.build(index, stored, new_id, (now, &indexed)).unwrap_or_else(Built::Failed)
            })
        };
        match tokio::task::spawn_blocking(build).await {
            Ok(built) => Ok(built),
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }
}

impl Parts {
    fn build(
        &self,
        index: usize,
        stored: Option<Stored>,
        new_id: PostId,
        (now, indexed): (Instant, &IndexedFields),
    ) -> std::result::Result<Built, Failed> {
        let entries = &self.source.found.entries;
        let failed = |reason| Failed { origin: entries[index].origin.to_string(), reason };
        let resolved = self.resolved.get(entries, index);
        let mut imported = self.source.read(index)?;
        let is_long = imported.markdown.len() >= LONG_BYTES;
        let _alone = is_long.then(|| self.long.lock().unwrap_or_else(PoisonError::into_inner));
        self.pictures.replace(&mut imported);
        self.links.write(&mut imported);
        let metadata = imported.metadata.take();
        imported.metadata = self.declared.of_post(metadata, stored.is_none()).map_err(failed)?;
        let own_id = imported.id.as_ref().and_then(|id| id.parse::<PostId>().ok());
        let id = own_id.filter(|id| !self.inventory.posts.contains_key(id)).unwrap_or_else(|| new_id.clone());
        let (position, updated_at, origin) = (imported.series_position, imported.updated_at, imported.origin.clone());
        let before = stored.as_ref().map(|stored| &stored.whole);
        let translations = imported.translations.take();
        let is_over = !imported.is_draft && build::is_over(imported.unpublish_at, imported.published_at, now);
        let note = build::note_of_end(origin.clone(), imported.unpublish_at).filter(|_| is_over);
        let mut after = build::build(imported, &self.terms, &resolved, before, id, now);
        after.changed_by = Some(self.by.clone());
        let stored_post = before.map(|whole| &whole.post);
        after.post.translation_group = self.groups.of(translations.as_deref(), stored_post, &new_id);
        rules::check(&after).map_err(|broken| Failed { origin, reason: rules::in_one_text(&broken) })?;
        self.series.note(&after.post, position);
        if before.is_some_and(|before| is_same(before, &after, updated_at)) {
            return Ok(Built::Unchanged);
        }
        let changed_by = before.and_then(|before| changed_here(before.changed_by.as_ref(), &before.post));
        if let Some(by) = changed_by.filter(|_| !self.overwrites) {
            return Ok(Built::Kept(kept(&entries[index].origin, by)));
        }
        let change = Change { before: stored, after: Some(after) };
        plan_change(change, indexed).map(|planned| Built::Changed(Box::new(planned), note)).map_err(failed)
    }
}

fn plan_change(change: Change, indexed: &IndexedFields) -> std::result::Result<Planned, String> {
    Planned::of(change, indexed).map_err(|error| match error {
        ContentError::TooLarge { reason, .. } => reason,
        error => error.to_string(),
    })
}

/// The actor that has changed the stored post or page since the last import, if there was one. An import must not overwrite such a change by default.
fn changed_here<'s>(changed_by: Option<&'s ActorSnapshot>, stored: &Post) -> Option<&'s str> {
    match changed_by {
        Some(by) => (by.kind != ActorKind::Import).then_some(by.name.as_str()),
        // The server has unpublished it at `unpublishAt`, after a mutation.
        None => stored.published_at.is_none().then_some("the server"),
    }
}

fn kept(origin: &str, by: &str) -> Note {
    let text = format!("was changed since the last import by {by}, so it is kept; --overwrite replaces it");
    Note { origin: origin.to_owned(), text }
}

/// Compares the posts without the version, and without the time of the last change if the source has none, because every change sets them.
fn is_same(before: &WholePost, after: &WholePost, updated_at: Option<Instant>) -> bool {
    let mut same = after.clone();
    same.changed_by.clone_from(&before.changed_by);
    same.post.version = before.post.version;
    same.post.updated_at = updated_at.unwrap_or(before.post.updated_at);
    same == *before
}

/// Finds stored posts whose slug was edited in the source, so that they are renamed: a line of an export by its id, a file by its path and its
/// publication instant. Both are compared, because two blogs in one store may have the same path. A draft has no instant and is not found.
fn find_renamed(inventory: &Inventory, source: &ImportSource, mut resolved: ResolvedPosts) -> ResolvedPosts {
    if inventory.posts.is_empty() {
        return resolved;
    }
    let entries = &source.found.entries;
    let taken = (0..entries.len()).filter_map(|index| resolved.existing_id(index));
    let taken: HashSet<String> = taken.map(str::to_owned).collect();
    let by_origin: HashMap<(&str, Instant), &PostId> = inventory
        .posts
        .iter()
        .filter(|(id, _)| !taken.contains(id.as_str()))
        .filter_map(|(id, found)| Some(((found.origin.as_deref()?, found.published_at()?), id)))
        .collect();
    let is_stored = |id: &str| id.parse::<PostId>().is_ok_and(|id| inventory.posts.contains_key(&id));
    for (index, entry) in entries.iter().enumerate() {
        if resolved.existing_id(index).is_some() {
            continue;
        }
        let by_id = entry.id.as_deref().filter(|id| !taken.contains(*id) && is_stored(id));
        let found = entry.published_at.and_then(|at| by_origin.get(&(entry.origin.as_str(), at)));
        if let Some(id) = by_id.or_else(|| found.map(|id| id.as_str())) {
            resolved.set_existing_id(entries, index, id.to_owned());
        }
    }
    resolved
}

fn existing(inventory: &Inventory, slug: &Slug) -> Option<ExistingPost> {
    let id = inventory.slugs.get(slug)?;
    let found = inventory.posts.get(id)?;
    Some(ExistingPost { id: id.to_string(), origin: found.origin.clone(), published_at: found.published_at() })
}

async fn save_terms(
    content: &Content,
    writer: &Writer,
    source: &ImportSource,
    pictures: &Pictures,
    dry_run: bool,
    report: &mut ImportReport,
) -> Result<ImportTerms> {
    let mut terms = ImportTerms::default();
    for kind in TermKind::ALL {
        let mut stored = content.all_terms(kind).await?;
        if !dry_run {
            rename_terms(writer, source.terms(kind), &mut stored).await?;
        }
        let (mut imported, notes) = own_terms::give_own_slugs(source.terms(kind), &stored);
        if kind == TermKind::Author {
            pictures.give_avatars(&source.found.avatars, &mut imported);
        }
        report.notes.extend(notes);
        let resolved = resolve_terms(&imported, &stored);
        let mut missing: Vec<Term> = resolved.terms.iter().map(|new| build::term(kind, new, &stored)).collect();
        terms.know(&stored);
        terms.know(&missing);
        if kind == TermKind::Category {
            terms.set_parents(&resolved, &source.found.category_tree, &mut missing);
        }
        if dry_run {
            report.terms_made += resolved.terms.iter().filter(|term| term.is_new).count();
        } else {
            let SavedTerms { made, unplaced, .. } = writer.save_terms(kind, missing).await?;
            report.terms_made += made;
            report.notes.extend(unplaced.into_iter().map(|(slug, why)| unplaced_category(&slug, why)));
        }
        terms.set(kind, resolved);
    }
    Ok(terms)
}

fn unplaced_category(slug: &Slug, why: BadParent) -> Note {
    let why = match why {
        BadParent::Missing => "its parent does not exist".to_owned(),
        why => why.to_string(),
    };
    Note { origin: format!("category {slug}"), text: format!("the parent was not imported: {why}") }
}

/// Renames stored terms whose slug differs in the source. Their id identifies them.
async fn rename_terms(writer: &Writer, imported: &[ImportedTerm], stored: &mut [Term]) -> Result<()> {
    for (id, slug) in imported.iter().filter_map(own_terms::renamed) {
        let is_renamed = |old: &&mut Term| old.node_id() == *id && old.slug != *slug;
        let Some(old) = stored.iter_mut().find(is_renamed) else { continue };
        let kind = id.key.kind;
        let renamed = writer.rename_term(kind, &old.slug, slug, |old| Ok::<_, Infallible>(old.clone())).await?;
        if let Ok(Renamed::Done(renamed)) = renamed {
            *old = *renamed;
        }
    }
    Ok(())
}
