//! Reads the unpacked export of Medium (Settings → Security and apps → Download your information). The rule: one story at a time is in memory; every
//! file below `posts` is imported or in the report.

mod body;
mod story;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::export_files;
use super::found::FoundContent;
use super::media::Media;
use super::{Failed, ImportedPost};
use story::MediumFile;

const FOLDER: &str = "posts";
/// How many files of the folder, and how many bytes of each, are searched for a story, which follows the style sheet.
const FILES_TRIED: usize = 20;
const OPENING_BYTES: u64 = 16 << 10;

/// An export, with the name of the file of each entry.
pub(super) struct Medium {
    root: PathBuf,
    names: Vec<String>,
    media: Media,
}

impl Medium {
    pub(super) fn is_at(root: &Path) -> bool {
        let Ok(folder) = std::fs::read_dir(root.join(FOLDER)) else { return false };
        let files =
            folder.flatten().map(|child| child.path()).filter(|path| path.extension().is_some_and(|e| e == "html"));
        let is_story = |text: String| text.contains("class=\"h-entry\"") && text.contains("data-field=\"body\"");
        files.take(FILES_TRIED).any(|path| export_files::opening(&path, OPENING_BYTES).is_some_and(is_story))
    }

    /// Reads every file once.
    pub(super) fn scan(root: &Path) -> io::Result<(FoundContent, Self)> {
        let mut found = FoundContent::default();
        let media = Media::inside(root, body::name_of);
        let mut medium = Self { root: root.to_owned(), names: Vec::new(), media };
        let mut origins = HashSet::new();
        for file in export_files::list(root)? {
            match story_name(&file) {
                Some(name) => medium.take(name, &file, &mut origins, &mut found),
                None => found.ignore(&file),
            }
        }
        medium.media.report(&mut found);
        Ok((found, medium))
    }

    pub(super) fn media(&self) -> &Media {
        &self.media
    }

    pub(super) fn read(&self, index: usize, origin: &str) -> Result<ImportedPost, Failed> {
        let failed = |reason: String| Failed { origin: origin.to_owned(), reason };
        match self.story(&self.names[index]).map_err(failed)? {
            MediumFile::Story { post, .. } => Ok(*post),
            MediumFile::Skipped(_) | MediumFile::Failed(_) => Err(Failed::changed(origin)),
        }
    }

    fn take(&mut self, name: &str, file: &str, origins: &mut HashSet<String>, found: &mut FoundContent) {
        match self.story(name) {
            Err(reason) | Ok(MediumFile::Failed(reason)) => found.fail(file, reason),
            Ok(MediumFile::Skipped(reason)) => found.skip(file, reason),
            Ok(MediumFile::Story { post, .. }) if !origins.insert(post.origin.clone()) => {
                found
                    .fail(file, format!("the story {} is in another file too; the first one is imported", post.origin));
            }
            Ok(MediumFile::Story { post, notes }) => {
                if found.take_post(&post) {
                    self.names.push(name.to_owned());
                    self.media.find(file, &post.markdown, &post.cover, found);
                    notes.into_iter().for_each(|note| found.note(file, note));
                }
            }
        }
    }

    fn story(&self, name: &str) -> Result<MediumFile, String> {
        let text = export_files::text(&self.root.join(FOLDER).join(name))?;
        Ok(story::read(name, &text, &self.media))
    }
}

/// The file name of a story.
fn story_name(file: &str) -> Option<&str> {
    let name = file.strip_prefix(FOLDER)?.strip_prefix('/')?;
    (name.ends_with(".html") && !name.contains('/')).then_some(name)
}
