//! Reads the unpacked export of Medium (Settings → Security and apps → Download your information). The rule: every file
//! below `posts` is imported or in the report.

mod body;
mod story;

use std::io;
use std::path::Path;

use super::export_files;
use super::found::FoundContent;
use super::media::Media;

const FOLDER: &str = "posts";
/// How many files of the folder, and how many bytes of each, are searched for a story, which follows the style sheet.
const FILES_TRIED: usize = 20;
const OPENING_BYTES: u64 = 16 << 10;

pub(super) fn is_at(root: &Path) -> bool {
    let Ok(folder) = std::fs::read_dir(root.join(FOLDER)) else { return false };
    let files = folder.flatten().map(|child| child.path()).filter(|path| path.extension().is_some_and(|e| e == "html"));
    let is_story = |text: String| text.contains("class=\"h-entry\"") && text.contains("data-field=\"body\"");
    files.take(FILES_TRIED).any(|path| export_files::opening(&path, OPENING_BYTES).is_some_and(is_story))
}

pub(super) fn scan(root: &Path) -> io::Result<(FoundContent, Media)> {
    let (mut found, media) = (FoundContent::default(), Media::inside(root, body::name_of));
    for file in export_files::list(root)? {
        let Some(name) = story_name(&file) else {
            found.ignore(&file);
            continue;
        };
        let text = export_files::text(&root.join(&file)).map_err(Into::into);
        found.take_item(&file, text.and_then(|text| story::read(name, &text, &media)), &media);
    }
    found.report_pictures_left(&media);
    Ok((found, media))
}

/// The file name of a story.
fn story_name(file: &str) -> Option<&str> {
    let name = file.strip_prefix(FOLDER)?.strip_prefix('/')?;
    (name.ends_with(".html") && !name.contains('/')).then_some(name)
}
