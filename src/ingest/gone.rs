//! Posts and pages whose file is gone. The rule: one belongs to a folder only if an import from this folder was its last change, so nothing else is moved or
//! removed; and a file under another name is not gone: its post or page moves.

use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::path::Path;

use futures_util::future::try_join_all;
use serde::Serialize;

use crate::assets::sha256_of_text;
use crate::content::editor::Editor;
use crate::content::maintenance::Inventory;
use crate::content::write::{Change, Outcome, Planned};
use crate::content::{Content, Result};
use crate::import::{ENDINGS, ImportSource, ImportedPage, ImportedPost, ResolvedPosts};
use crate::model::{Actor, ActorKind, ActorSnapshot, Instant, NodeId, PagePath, PostId, Role, WholePost, rules};

/// How many posts are read and removed together.
const POSTS_AT_ONCE: usize = 100;

/// A post or page that an import from a folder made, and whose file is not there any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gone {
    /// The path of the file, or of the page of a folder that had none.
    pub origin: String,
    /// What it is, for the report.
    pub text: String,
    #[serde(skip)]
    is_page: bool,
    #[serde(skip)]
    id: PostId,
    #[serde(skip)]
    version: i32,
}

impl Gone {
    fn of(whole: &WholePost, path: Option<&PagePath>) -> Self {
        let post = &whole.post;
        let text = path.map_or_else(|| format!("post {}", post.slug), |path| format!("page {path}"));
        let own_path = || path.map(ToString::to_string).unwrap_or_default();
        let (origin, id) = (post.origin.clone().unwrap_or_else(own_path), post.id.clone());
        Self { origin, text, is_page: path.is_some(), id, version: post.version }
    }
}

/// Who an import of this source is in the posts that it writes. That of a folder has a hash of its path, which clients must not read.
pub(super) fn importer(source: &ImportSource) -> ActorSnapshot {
    let by = ActorSnapshot::import();
    let Some(folder) = source.folder().and_then(|folder| folder.canonicalize().ok()) else { return by };
    let hash = sha256_of_text(&folder.to_string_lossy());
    ActorSnapshot { name: format!("{} {hash:.12}", by.name), ..by }
}

/// Finds what is gone, and what has moved, in an import of a folder.
pub(super) struct GoneFiles<'a> {
    content: &'a Content,
    source: &'a ImportSource,
    folder: &'a Path,
    by: &'a ActorSnapshot,
    /// Whether all of it is listed, not only what has moved.
    lists: bool,
}

impl<'a> GoneFiles<'a> {
    /// `None` if the source is not a folder of Markdown.
    pub(super) fn of(
        content: &'a Content,
        source: &'a ImportSource,
        by: &'a ActorSnapshot,
        lists: bool,
    ) -> Option<Self> {
        Some(Self { content, source, folder: source.folder()?, by, lists })
    }

    /// Gives new files their moved posts. Returns those that are gone.
    pub(super) async fn of_posts(&self, inventory: &Inventory, resolved: &mut ResolvedPosts) -> Result<Vec<Gone>> {
        let entries = &self.source.found.entries;
        let new: Vec<usize> = (0..entries.len()).filter(|index| resolved.existing_id(*index).is_none()).collect();
        if inventory.posts.is_empty() || (new.is_empty() && !self.lists) {
            return Ok(Vec::new());
        }
        let instants: HashSet<_> = new.iter().map(|index| entries[*index].published_at).collect();
        let found = (0..entries.len()).filter_map(|index| resolved.existing_id(index));
        let found: HashSet<&str> = found.chain(entries.iter().filter_map(|entry| entry.id.as_deref())).collect();
        let candidates = inventory.posts.iter().filter(|(id, post)| {
            (self.lists || instants.contains(&post.published_at()))
                && !found.contains(id.as_str())
                && post.origin.as_deref().is_some_and(|origin| is_gone(self.folder, origin))
        });
        let candidates: Vec<_> = candidates.map(|(_, post)| Some(post)).collect();
        let stored = self.content.stored_many(&candidates).await?.into_iter().flatten().map(|stored| stored.whole);
        let lost: Vec<_> = stored.filter(|whole| whole.changed_by.as_ref() == Some(self.by)).collect();
        let read = new.iter().filter(|_| !lost.is_empty()).map(|index| self.source.read(*index).unwrap_or_default());
        let marks_of_new: Vec<_> = read.map(|post| Marks::of_new(post.published_at, &post)).collect();
        let marks_of_lost: Vec<_> = lost.iter().map(|whole| Marks::of_lost(whole.post.published_at, whole)).collect();
        let moved = pairs(&marks_of_new, &marks_of_lost);
        for (lost_at, new_at) in &moved {
            resolved.set_existing_id(entries, new[*new_at], lost[*lost_at].post.id.to_string());
        }
        let gone = lost.iter().enumerate().filter(|(at, _)| self.lists && !moved.contains_key(at));
        Ok(gone.map(|(_, whole)| Gone::of(whole, None)).collect())
    }

    /// Gives new files their moved pages. Returns those that are gone, each after the page above it.
    pub(super) async fn of_pages(&self, pages: &mut [ImportedPage]) -> Result<Vec<Gone>> {
        if pages.is_empty() && !self.lists {
            return Ok(Vec::new());
        }
        let mut paths: HashSet<PagePath> = HashSet::new();
        for page in &*pages {
            let mut path = Some(page.place.path.clone());
            while let Some(new) = path.filter(|path| paths.insert(path.clone())) {
                path = new.parent();
            }
        }
        let ids: HashSet<String> = pages.iter().filter_map(|page| page.id.clone()).collect();
        let stored = self.content.site_pages().await?;
        let mut lost = Vec::new();
        for page in &stored {
            let is_found = paths.contains(&page.path) || ids.contains(page.post.id.as_str());
            if !is_found && page.post.origin.as_deref().is_none_or(|origin| is_gone(self.folder, origin)) {
                let whole = self.content.stored_site_page(&page.post.id).await?;
                lost.extend(whole.filter(|whole| whole.changed_by.as_ref() == Some(self.by)));
            }
        }
        let known: HashSet<&PagePath> = stored.iter().map(|page| &page.path).collect();
        let is_new = |page: &&mut ImportedPage| page.id.is_none() && !known.contains(&page.place.path);
        let mut new: Vec<&mut ImportedPage> = pages.iter_mut().filter(is_new).collect();
        let marks_of_new: Vec<_> = new.iter().map(|page| Marks::of_new(None, &page.post)).collect();
        let lost: Vec<_> = lost.iter().map(|page| (page.to_post(), &page.page.path)).collect();
        let marks_of_lost: Vec<_> = lost.iter().map(|(whole, _)| Marks::of_lost(None, whole)).collect();
        let moved = pairs(&marks_of_new, &marks_of_lost);
        for (lost_at, new_at) in &moved {
            new[*new_at].post.id = Some(lost[*lost_at].0.post.id.to_string());
        }
        let gone = lost.iter().enumerate().filter(|(at, _)| self.lists && !moved.contains_key(at));
        Ok(gone.map(|(_, (whole, path))| Gone::of(whole, Some(path))).collect())
    }
}

/// Whether this is the path of a Markdown file that does not exist. A folder that cannot be read hides its files, which are not gone.
fn is_gone(folder: &Path, origin: &str) -> bool {
    let is_missing = |error: std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    is_markdown(origin) && folder.join(origin).symlink_metadata().is_err_and(is_missing)
}

fn is_markdown(origin: &str) -> bool {
    ENDINGS.iter().any(|ending| origin.ends_with(ending))
}

/// By what a file is found under another name: its instant, and its title or its text. Drafts and pages have no instant, so both must be the same.
struct Marks {
    at: Option<Instant>,
    texts: [String; 2],
}

impl Marks {
    fn of(at: Option<Instant>, title: &str, markdown: &str) -> Self {
        let texts = match at {
            Some(_) => [title.to_owned(), markdown.to_owned()],
            None if markdown.trim().is_empty() => Default::default(),
            None => [format!("{title}\n{markdown}"), String::new()],
        };
        Self { at, texts }
    }

    fn of_new(at: Option<Instant>, post: &ImportedPost) -> Self {
        Self::of(at, &rules::without_unwritten(&post.title), &post.markdown)
    }

    /// The page of a folder that had no file cannot be found.
    fn of_lost(at: Option<Instant>, whole: &WholePost) -> Self {
        let markdown = whole.post.origin.is_some().then_some(&*whole.markdown);
        Self::of(at, &whole.post.title, markdown.unwrap_or_default())
    }
}

/// The new file of each lost one, if neither has another with the same marks: first by the title, then by the text.
fn pairs(new: &[Marks], lost: &[Marks]) -> HashMap<usize, usize> {
    let mut pairs: HashMap<usize, usize> = HashMap::new();
    for mark in 0..2 {
        let taken: HashSet<usize> = pairs.values().copied().collect();
        let mut same: HashMap<(Option<Instant>, &str), [Vec<usize>; 2]> = HashMap::new();
        let new = new.iter().enumerate().filter(|(at, _)| !taken.contains(at)).map(|(at, marks)| (0, at, marks));
        let lost = lost.iter().enumerate().filter(|(at, _)| !pairs.contains_key(at)).map(|(at, marks)| (1, at, marks));
        for (side, at, marks) in new.chain(lost).filter(|(_, _, marks)| !marks.texts[mark].trim().is_empty()) {
            same.entry((marks.at, &marks.texts[mark])).or_default()[side].push(at);
        }
        let only =
            same.into_values().filter_map(|[new, lost]| Some((*lost.first()?, *new.first()?, new.len() + lost.len())));
        let only: Vec<_> = only.filter(|(_, _, files)| *files == 2).collect();
        pairs.extend(only.into_iter().map(|(lost, new, _)| (lost, new)));
    }
    pairs
}

/// Removes posts and pages whose files are still gone, and which nobody has changed since they were listed. Returns how many.
///
/// # Errors
/// If the store fails. Those that were removed until then stay so.
pub async fn remove(content: &Content, source: &ImportSource, gone: &[Gone]) -> Result<usize> {
    let is_still = |gone: &&Gone| {
        !is_markdown(&gone.origin) || source.folder().is_some_and(|folder| is_gone(folder, &gone.origin))
    };
    let (pages, posts): (Vec<_>, Vec<_>) = gone.iter().filter(is_still).partition(|gone| gone.is_page);
    let writer = content.writer()?.by(ActorSnapshot::import());
    let mut removed = 0;
    for part in posts.chunks(POSTS_AT_ONCE) {
        let stored = try_join_all(part.iter().map(|gone| content.stored_by_id(&gone.id))).await?;
        let unchanged = stored
            .into_iter()
            .zip(part)
            .filter_map(|(stored, gone)| stored.filter(|stored| stored.whole.post.version == gone.version));
        let indexed = content.indexed_fields();
        let planned = unchanged.map(|stored| Planned::of(Change { before: Some(stored), after: None }, &indexed));
        let outcomes = writer.change_planned(planned.collect::<Result<_>>()?, &[], None).await?;
        removed += outcomes.iter().filter(|outcome| **outcome == Outcome::Done).count();
    }
    let (reader, actor) = (content.reader(), Actor::new(ActorKind::Import, "import", Role::Editor));
    let editor = Editor::new(content, &reader, &actor)?;
    // A page is removed after those below it.
    for page in pages.into_iter().rev() {
        let done = editor.delete_page(&NodeId::Page(page.id.clone()).to_string(), page.version).await?;
        removed += usize::from(done.is_ok());
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_moves_only_if_nothing_else_is_like_it() {
        let marks = |title: &str, text: &str| Marks::of(Some(Instant::MIN), title, text);
        let found = |new: &[Marks], lost: &[Marks]| {
            let mut found: Vec<_> = pairs(new, lost).into_iter().collect();
            found.sort_unstable();
            found
        };
        let (a, b, twin) = (|| marks("A", "a"), || marks("B", "b"), || marks("A", "b"));
        assert_eq!(found(&[b(), a()], &[a(), b()]), [(0, 1), (1, 0)]);
        assert_eq!(found(&[marks("A", "new")], &[b(), a()]), [(1, 0)]);
        assert_eq!(found(&[marks("New", "b")], &[a(), b()]), [(1, 0)]);
        // Two have the title, and one of them the text.
        assert_eq!(found(&[marks("A", "b")], &[a(), twin()]), [(1, 0)]);
        assert_eq!(found(&[marks("", "")], &[marks("", "")]), []);
        let page = |title: &str, text: &str| Marks::of(None, title, text);
        assert_eq!(found(&[page("A", "a")], &[a()]), []);
        assert_eq!(found(&[page("A", "a")], &[page("A", "a")]), [(0, 0)]);
        // Sections with one title, and texts such as "To do."
        assert_eq!(found(&[page("A", "b")], &[page("A", "a"), page("B", "b")]), []);
        assert_eq!(found(&[page("A", "")], &[page("A", "")]), []);
    }
}
