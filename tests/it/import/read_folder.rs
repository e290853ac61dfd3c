//! A folder of Markdown as the import reads it, without a store.

use std::collections::BTreeMap;

use tempfile::TempDir;
use tidings::import::{ImportedPage, ImportedPost, ReadOptions, open_with};

use crate::support::folder::folder;
use crate::support::site::{NOW, instant};

/// The posts and pages by the paths of their files, and the notes.
pub struct ReadFolder {
    pub posts: BTreeMap<String, ImportedPost>,
    pub pages: BTreeMap<String, ImportedPage>,
    pub notes: Vec<String>,
    pub failed: Vec<String>,
    _files: TempDir,
}

impl ReadFolder {
    /// Reads files at [`NOW`].
    pub fn of(files: &[(&str, &str)]) -> Self {
        let files = folder(files);
        let options = ReadOptions { now: Some(instant(NOW)), ..ReadOptions::default() };
        let source = open_with(files.path(), None, options).expect("a source");
        let posts = (0..source.found.entries.len()).map(|index| source.read(index).expect("a post"));
        let pages = source.found.pages.iter().cloned();
        Self {
            posts: posts.map(|post| (post.origin.clone(), post)).collect(),
            pages: pages.map(|page| (page.origin.clone(), page)).collect(),
            notes: source.found.notes.iter().map(|note| format!("{}: {}", note.origin, note.text)).collect(),
            failed: source.found.failed.iter().map(ToString::to_string).collect(),
            _files: files,
        }
    }

    /// The only post of a folder with one file with this front matter.
    pub fn post(front: &str) -> (ImportedPost, Vec<String>) {
        let text = format!("---\n{front}\n---\nText.\n");
        let mut read = Self::of(&[("posts/a.md", &text)]);
        let post = read.posts.remove("posts/a.md").unwrap_or_else(|| panic!("{front}: {:?}", read.failed));
        (post, read.notes.iter().map(|note| note.trim_start_matches("posts/a.md: ").to_owned()).collect())
    }
}
