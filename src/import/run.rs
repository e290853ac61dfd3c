//! The import itself: from a source to posts that stand. The rule: it can be stopped anywhere and run again; what is the same is left alone,
//! what was changed here since is kept, what is broken is named and stops nothing.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;

use crate::content::inventory::Catalog;
use crate::content::write::Renamed;
use crate::content::write::outcomes::Outcome;
use crate::content::write::plan::{Change, Planned, Stored};
use crate::content::{Content, ContentError, Result, Writer};
use crate::model::{Instant, PostId, Slug, Term, TermKind, WholePost, rules};
use crate::telemetry::metrics;

use super::build::{self, ImportTerms};
use super::order;
use super::{
    ExistingPost, Failed, ImportSource, ImportedTerm, KnownTerm, Note, ResolvedPost, Skipped, resolve_post_slugs,
    resolve_terms,
};

/// Posts that are read, planned and written together: a share of each month whose turn it is, few enough to hold their bodies.
const POSTS_PER_BATCH: usize = order::SHARE * order::MONTHS_AT_ONCE;

/// How an import goes about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Write nothing.
    pub dry_run: bool,
    /// Take the source also where the post was changed here since.
    pub overwrite: bool,
}

/// What an import did, or with `dry_run` would have done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    pub made: usize,
    pub changed: usize,
    pub unchanged: usize,
    /// Posts that differ from the source, and were changed here since; each has a note.
    pub kept: usize,
    pub terms_made: usize,
    pub redirects: usize,
    pub skipped: Vec<Skipped>,
    pub failed: Vec<Failed>,
    pub notes: Vec<Note>,
}

impl ImportReport {
    /// For those who watch.
    fn count(&self) {
        let (skipped, failed) = (self.skipped.len(), self.failed.len());
        let outcomes = [("made", self.made), ("changed", self.changed), ("unchanged", self.unchanged)];
        let outcomes = outcomes.into_iter().chain([("kept", self.kept), ("skipped", skipped), ("failed", failed)]);
        outcomes.for_each(|(outcome, posts)| metrics::posts_imported(outcome, posts));
    }
}

/// Imports everything. `progress` is told how many posts of how many are done.
///
/// # Errors
/// Where the store fails; what was written until then stands, and the next run goes on from there.
pub async fn import(
    content: &Content,
    source: Arc<ImportSource>,
    options: ImportOptions,
    progress: impl Fn(usize, usize),
) -> Result<ImportReport> {
    let inventory = Arc::new(content.inventory().await?);
    let writer = content.writer()?.by(build::CHANGED_BY);
    let mut report = ImportReport {
        redirects: source.redirects().len(),
        skipped: source.skipped().to_vec(),
        failed: source.failed().to_vec(),
        notes: source.notes().to_vec(),
        ..ImportReport::default()
    };
    let terms = Arc::new(save_terms(content, &writer, &source, options.dry_run, &mut report).await?);
    let existing = |slug: &Slug| Ok::<_, Infallible>(existing(&inventory, slug));
    let Ok(resolved) = resolve_post_slugs(source.entries(), source.redirects(), existing);
    report.notes.extend(resolved.notes);
    let resolved = Arc::new(find_renamed(&inventory, &source, resolved.posts));
    let order = order::to_write(source.entries());
    let run = ImportRun { content, writer, source, inventory, terms, resolved, options };
    let (mut done, total) = (0, order.len());
    let mut batches = order.chunks(POSTS_PER_BATCH);
    let mut next = run.build(batches.next().unwrap_or_default()).await?;
    while !next.is_empty() {
        done += next.len();
        // While a batch is written the next one is read and planned.
        let write = run.write(next, &mut report);
        ((), next) = futures_util::future::try_join(write, run.build(batches.next().unwrap_or_default())).await?;
        progress(done, total);
    }
    if !options.dry_run {
        report.count();
    }
    Ok(report)
}

struct ImportRun<'a> {
    content: &'a Content,
    writer: Writer,
    source: Arc<ImportSource>,
    inventory: Arc<Catalog>,
    terms: Arc<ImportTerms>,
    resolved: Arc<Vec<ResolvedPost>>,
    options: ImportOptions,
}

/// What became of an entry before it is written.
enum Built {
    Unchanged,
    Kept(Note),
    Changed(Box<Planned>),
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
                Built::Changed(planned) => changes.push(*planned),
                Built::Failed(failed) => report.failed.push(failed),
            }
        }
        let told = |planned: &Planned| {
            let origin = planned.change.after().and_then(|post| post.origin.clone());
            (planned.change.before.is_some(), origin.unwrap_or_default())
        };
        let told: Vec<_> = changes.iter().map(told).collect();
        let outcomes = if self.options.dry_run {
            vec![Outcome::Done; changes.len()]
        } else {
            self.writer.change_planned(changes).await?
        };
        for (outcome, (was_there, origin)) in outcomes.into_iter().zip(told) {
            match outcome {
                Outcome::Done if was_there => report.changed += 1,
                Outcome::Done => report.made += 1,
                other => report.failed.push(Failed { origin, reason: explain(&other) }),
            }
        }
        Ok(())
    }

    /// The post that an entry is already, where it is one.
    async fn stored(&self, i: usize) -> Result<Option<Stored>> {
        let id = self.resolved[i].existing_id.as_ref().and_then(|id| id.parse::<PostId>().ok());
        match id.and_then(|id| self.inventory.posts.get(&id)) {
            Some(found) => self.content.stored(&found.place, &found.slug).await,
            None => Ok(None),
        }
    }

    /// Reads and plans the posts away from the threads that serve: it is parsing, packing and file reads, shared among the cores.
    async fn build(&self, batch: &[usize]) -> Result<Vec<Built>> {
        let stored = futures_util::future::try_join_all(batch.iter().map(|i| self.stored(*i))).await?;
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let mut work: Vec<(usize, Option<Stored>)> = batch.iter().copied().zip(stored).collect();
        let share = work.len().div_ceil(workers).max(1);
        let mut tasks = Vec::new();
        while !work.is_empty() {
            let part: Vec<_> = work.drain(..share.min(work.len())).collect();
            let ids: Vec<_> = part.iter().map(|_| self.writer.new_post_id()).collect();
            let now = self.content.clock().now();
            let (source, terms, resolved) = (self.source.clone(), self.terms.clone(), self.resolved.clone());
            let (inventory, options) = (Arc::clone(&self.inventory), self.options);
            tasks.push(tokio::task::spawn_blocking(move || {
                let build_one = |((i, stored), id): ((usize, Option<Stored>), Result<PostId>)| {
                    let failed = |reason| Failed { origin: source.entries()[i].origin.clone(), reason };
                    let new_id = id.map_err(|e| failed(e.to_string()))?;
                    let change = build_change(&source, i, &terms, &resolved[i], &inventory, stored, new_id, now)?;
                    let built = change.map_or(Ok(Built::Unchanged), |change| match changed_here(&change) {
                        Some(by) if !options.overwrite => Ok(Built::Kept(kept(&source.entries()[i].origin, by))),
                        _ => plan_change(change),
                    });
                    built.map_err(failed)
                };
                let built = part.into_iter().zip(ids).map(build_one);
                built.map(|built| built.unwrap_or_else(Built::Failed)).collect::<Vec<_>>()
            }));
        }
        let mut built = Vec::with_capacity(batch.len());
        for task in tasks {
            match task.await {
                Ok(part) => built.extend(part),
                Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
            }
        }
        Ok(built)
    }
}

/// `None` where the post stands just so.
#[expect(clippy::too_many_arguments, reason = "all that a post is made of, in one place")]
fn build_change(
    source: &ImportSource,
    i: usize,
    terms: &ImportTerms,
    resolved: &ResolvedPost,
    inventory: &Catalog,
    stored: Option<Stored>,
    new_id: PostId,
    now: Instant,
) -> std::result::Result<Option<Change>, Failed> {
    let imported = source.read(i)?;
    let own_id = imported.id.as_ref().and_then(|id| id.parse::<PostId>().ok());
    let id = own_id.filter(|id| !inventory.posts.contains_key(id)).unwrap_or(new_id);
    let updated_at = imported.updated_at;
    let after = build::build(imported, terms, resolved, stored.as_ref().map(|s| &s.whole.post), id, now);
    rules::check(&after)
        .map_err(|broken| Failed { origin: source.entries()[i].origin.clone(), reason: broken.to_string() })?;
    let stands = stored.as_ref().is_some_and(|before| is_same(&before.whole, &after, updated_at));
    Ok((!stands).then_some(Change { before: stored, after: Some(after) }))
}

fn plan_change(change: Change) -> std::result::Result<Built, String> {
    match Planned::of(change) {
        Ok(planned) => Ok(Built::Changed(Box::new(planned))),
        Err(ContentError::TooLarge { reason, .. }) => Err(reason),
        Err(e) => Err(e.to_string()),
    }
}

/// Where the post that stands is not as an import left it: who changed it. What no import should undo in passing.
fn changed_here(change: &Change) -> Option<&str> {
    change.before.as_ref()?.whole.changed_by.as_deref().filter(|by| *by != build::CHANGED_BY)
}

fn kept(origin: &str, by: &str) -> Note {
    let text = format!("changed here since, by {by}: kept; --overwrite takes the file");
    Note { origin: origin.to_owned(), text }
}

/// All but the version, and the time of the change where the source does not tell it: a change would change them.
fn is_same(before: &WholePost, after: &WholePost, updated_at: Option<Instant>) -> bool {
    let mut same = after.clone();
    same.changed_by.clone_from(&before.changed_by);
    same.post.version = before.post.version;
    same.post.updated_at = updated_at.unwrap_or(before.post.updated_at);
    same == *before
}

/// A post whose slug was edited is found again, and renamed. A line of an export by its id; a file by where it is and when it was published.
/// Both are asked for: two blogs in one store may well have a path in common. A draft has no such instant, and is not found again.
fn find_renamed(inventory: &Catalog, source: &ImportSource, mut resolved: Vec<ResolvedPost>) -> Vec<ResolvedPost> {
    let taken: HashSet<String> = resolved.iter().filter_map(|post| post.existing_id.clone()).collect();
    let by_origin: HashMap<(&str, Instant), &PostId> = inventory
        .posts
        .iter()
        .filter(|(id, _)| !taken.contains(id.as_str()))
        .filter_map(|(id, found)| Some(((found.origin.as_deref()?, found.published_at()?), id)))
        .collect();
    let is_stored = |id: &str| id.parse::<PostId>().is_ok_and(|id| inventory.posts.contains_key(&id));
    for (entry, post) in source.entries().iter().zip(&mut resolved).filter(|(_, post)| post.existing_id.is_none()) {
        let by_id = entry.id.as_ref().filter(|id| !taken.contains(*id) && is_stored(id));
        let found = entry.published_at.and_then(|at| by_origin.get(&(entry.origin.as_str(), at)));
        post.existing_id = by_id.cloned().or_else(|| found.map(|id| id.to_string()));
    }
    resolved
}

fn existing(inventory: &Catalog, slug: &Slug) -> Option<ExistingPost> {
    let id = inventory.slugs.get(slug)?;
    let found = inventory.posts.get(id)?;
    Some(ExistingPost { id: id.to_string(), origin: found.origin.clone(), published_at: found.published_at() })
}

async fn save_terms(
    content: &Content,
    writer: &Writer,
    source: &ImportSource,
    dry_run: bool,
    report: &mut ImportReport,
) -> Result<ImportTerms> {
    let mut terms = ImportTerms::default();
    for kind in TermKind::ALL {
        let mut stored = content.all_terms(kind).await?;
        if !dry_run {
            rename_terms(writer, source.terms(kind), &mut stored).await?;
        }
        let known: Vec<KnownTerm> =
            stored.iter().map(|term| KnownTerm { slug: term.slug.clone(), name: term.name.clone() }).collect();
        let resolved = resolve_terms(source.terms(kind), &known);
        let missing: Vec<Term> = resolved.terms.iter().map(|new| build::term(kind, new, &stored)).collect();
        terms.know(&stored);
        terms.know(&missing);
        if dry_run {
            report.terms_made += resolved.terms.iter().filter(|term| term.is_new).count();
        } else {
            report.terms_made += writer.save_terms(kind, missing).await?.made;
        }
        terms.set(kind, resolved);
    }
    Ok(terms)
}

/// A term that the source knows by another slug than the store does is renamed, as its id tells.
async fn rename_terms(writer: &Writer, imported: &[ImportedTerm], stored: &mut [Term]) -> Result<()> {
    for (term, first) in imported.iter().filter_map(|term| Some((term, term.first_slug.as_ref()?))) {
        let old = stored.iter_mut().find(|old| old.id.first_slug == *first && Some(&old.slug) != term.slug.as_ref());
        let (Some(old), Some(slug)) = (old, &term.slug) else { continue };
        let renamed = writer.rename_term(term.kind, &old.slug, slug, |old| Ok::<_, Infallible>(old.clone())).await?;
        if let Ok(Renamed::Done(renamed)) = renamed {
            *old = renamed;
        }
    }
    Ok(())
}

fn explain(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Taken(slug) => {
            format!("the slug {slug} belongs to another post that was written meanwhile; import again")
        }
        Outcome::Exists => "a post with this id exists already".to_owned(),
        Outcome::TermGone(kind, slug) => {
            format!("the {} \"{slug}\" was deleted or renamed meanwhile; import again", kind.noun())
        }
        Outcome::Conflict | Outcome::Busy => "the post was changed by someone else meanwhile; import again".to_owned(),
        Outcome::TooLarge(reason) => reason.clone(),
        // An import gives no keys.
        Outcome::Repeated(_) | Outcome::KeyUsed => "the post was created with this idempotency key before".to_owned(),
        Outcome::Done => "done".to_owned(),
    }
}
