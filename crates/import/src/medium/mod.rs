//! Reads the unpacked export of Medium (Settings → Security and apps → Download your information). The rule: one story at a time is in memory; every
//! file below `posts` is imported or in the report.

mod body;
mod story;

use std::io;
use std::path::{Path, PathBuf};

use super::export_files;
use super::found::{FoundContent, ReadItem, Taken};
use super::media::Media;
use super::source::Export;

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
        for file in export_files::list(root)? {
            let Some(name) = story_name(&file) else {
                found.ignore(&file);
                continue;
            };
            if found.take_item(&file, medium.story(name), &medium.media) == Taken::Post {
                medium.names.push(name.to_owned());
            }
        }
        found.report_pictures_left(&medium.media);
        Ok((found, medium))
    }

    fn story(&self, name: &str) -> ReadItem {
        let text = export_files::text(&self.root.join(FOLDER).join(name))?;
        story::read(name, &text, &self.media)
    }
}

impl Export for Medium {
    fn read(&self, index: usize) -> ReadItem {
        self.story(&self.names[index])
    }

    fn media(&self) -> &Media {
        &self.media
    }
}

/// The file name of a story.
fn story_name(file: &str) -> Option<&str> {
    let name = file.strip_prefix(FOLDER)?.strip_prefix('/')?;
    (name.ends_with(".html") && !name.contains('/')).then_some(name)
}
