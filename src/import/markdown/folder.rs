//! Reads a folder of Markdown files. The rule: the same files result in the same entries, sorted by path, on every machine; hidden files are
//! ignored, and links are not followed.

use std::collections::HashSet;
use std::fs::{self, DirEntry, File};
use std::io::{self, Read};
use std::path::Path;

use compact_str::CompactString;

use crate::import::found::FoundContent;
use crate::import::{Entry, Failed, ImportedPost, PictureFile, parallel};
use crate::model::Metadata;

use super::file::{self, ReadOutcome};
use super::pictures;

/// The longest file that is read: far longer than any post, and short enough that one stray file does not fill the memory.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Files that are read together, on all cores.
const FILES_AT_ONCE: usize = 1_000;
/// The deepest nesting of folders.
const DEPTH_MAX: usize = 64;

/// Reads every Markdown file below the root once. Returns an error only if the root cannot be read.
pub(in crate::import) fn scan(root: &Path) -> io::Result<FoundContent> {
    let mut found = FoundContent::default();
    let mut files = Vec::new();
    let mut folders = Vec::new();
    list(root, "", &mut folders, &mut files, &mut found)?;
    while let Some(folder) = folders.pop() {
        if folder.matches('/').count() >= DEPTH_MAX {
            found.fail(folder, "nested too deeply");
        } else if let Err(error) = list(root, &format!("{folder}/"), &mut folders, &mut files, &mut found) {
            found.failed.push(unreadable(folder, &error));
        }
    }
    files.sort();
    let mut ids = HashSet::new();
    for part in files.chunks(FILES_AT_ONCE) {
        for (outcome, entry, named) in parallel::map(part.iter().collect(), |origin| read_without_body(root, origin)) {
            let id = match &outcome {
                ReadOutcome::Post(post, _) => post.id.as_ref(),
                ReadOutcome::Page(page, _) => page.id.as_ref(),
                _ => None,
            };
            if let Some(again) = id.filter(|id| !ids.insert(CompactString::from(id.as_str()))) {
                let origin = outcome.origin().unwrap_or_default().to_owned();
                found.fail(origin, format!("has the id {again} of another file; a copy must not have `tidings.id`"));
                continue;
            }
            found.take(outcome, entry);
            found.pictures.extend(named);
        }
    }
    found.skipped.sort_by(|a, b| a.origin.cmp(&b.origin));
    found.failed.sort_by(|a, b| a.origin.cmp(&b.origin));
    Ok(found)
}

/// Adds the content of one folder.
fn list(
    root: &Path,
    prefix: &str,
    folders: &mut Vec<String>,
    files: &mut Vec<String>,
    found: &mut FoundContent,
) -> io::Result<()> {
    for child in fs::read_dir(root.join(prefix))? {
        let child = match child {
            Ok(child) => child,
            Err(error) => {
                found.failed.push(unreadable(prefix.to_owned(), &error));
                continue;
            }
        };
        match look_at(prefix, &child) {
            Ok(Child::Folder(path)) => folders.push(path),
            Ok(Child::Markdown(path)) => files.push(path),
            Ok(Child::Link(path)) => found.skip(path, "a link, which is not followed"),
            Ok(Child::Other(path)) => found.ignore(&path),
            Ok(Child::Hidden) => {}
            Err(error) => {
                let name = child.file_name();
                found.failed.push(unreadable(format!("{prefix}{}", name.to_string_lossy()), &error));
            }
        }
    }
    Ok(())
}

/// Reads a file for its entry. The body is dropped at once, so that the results of many files fit in memory.
fn read_without_body(root: &Path, origin: &str) -> (ReadOutcome, Option<Entry>, Vec<PictureFile>) {
    let mut outcome = read_file(root, origin);
    let (named, others) = match &outcome {
        ReadOutcome::Post(post, _) => {
            let named = pictures::of_file(root, origin, &post.markdown, &post.cover);
            (named, post.of_export.as_ref().map(|_| (&post.markdown, &post.metadata)))
        }
        ReadOutcome::Page(page, _) => {
            let named = pictures::of_file(root, origin, &page.markdown, &page.cover);
            (named, page.of_export.as_ref().map(|_| (&page.markdown, &page.metadata)))
        }
        ReadOutcome::Term(_, Some(avatar)) => (pictures::mentioned(root, origin, avatar), None),
        _ => (Vec::new(), None),
    };
    let mentioned = others.into_iter().flat_map(|(markdown, metadata)| {
        let texts = [markdown.as_str(), metadata.as_ref().map_or("", Metadata::text)];
        texts.into_iter().flat_map(|text| pictures::mentioned(root, origin, text)).collect::<Vec<_>>()
    });
    let known: HashSet<String> = named.iter().filter_map(|picture| picture.file.clone().ok()).collect();
    let others = mentioned.filter(|other| other.file.as_ref().is_ok_and(|file| !known.contains(file)));
    let named = named.into_iter().chain(others).collect();
    let entry = match &mut outcome {
        ReadOutcome::Post(post, _) => {
            let entry = post.to_entry();
            post.markdown = String::new();
            Some(entry)
        }
        _ => None,
    };
    (outcome, entry, named)
}

/// Reads one post again.
pub(in crate::import) fn read(root: &Path, origin: &str) -> Result<ImportedPost, Failed> {
    match read_file(root, origin) {
        ReadOutcome::Post(post, _) => Ok(*post),
        ReadOutcome::Failed(failed) => Err(failed),
        _ => Err(Failed {
            origin: origin.to_owned(),
            reason: "was a post when the import began, but is not one now".into(),
        }),
    }
}

fn read_file(root: &Path, origin: &str) -> ReadOutcome {
    match content(&root.join(origin)) {
        Ok(content) if content.len() as u64 > FILE_BYTES_MAX => {
            let reason = format!("longer than {FILE_BYTES_MAX} bytes");
            ReadOutcome::Failed(Failed { origin: origin.to_owned(), reason })
        }
        Ok(content) => file::read(origin, content),
        Err(error) => ReadOutcome::Failed(unreadable(origin.to_owned(), &error)),
    }
}

/// The file's content, read to one byte past the limit.
fn content(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut content)?;
    Ok(content)
}

enum Child {
    Folder(String),
    Markdown(String),
    Link(String),
    Other(String),
    Hidden,
}

fn look_at(prefix: &str, child: &DirEntry) -> io::Result<Child> {
    let (raw, kind) = (child.file_name(), child.file_type()?);
    let name = raw.to_string_lossy();
    let is_markdown = [".md", ".markdown", file::MDX].iter().any(|ending| name.ends_with(ending));
    if raw.to_str().is_none() && (is_markdown || kind.is_dir()) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("the name {raw:?} is not UTF-8")));
    }
    let path = || format!("{prefix}{name}");
    Ok(match () {
        () if name.starts_with('.') => Child::Hidden,
        () if kind.is_symlink() && (is_markdown || child.path().is_dir()) => Child::Link(path()),
        () if kind.is_dir() => Child::Folder(path()),
        () if kind.is_file() && is_markdown => Child::Markdown(path()),
        () => Child::Other(path()),
    })
}

fn unreadable(origin: String, error: &io::Error) -> Failed {
    Failed { origin, reason: format!("cannot be read: {error}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POST: &str = "---\ntitle: A\ndate: 2020-01-01\n---\nb";

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, content) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, content).expect("a file");
        }
        root
    }

    #[test]
    fn entries_are_sorted_by_path() {
        let root =
            folder(&[("b.md", POST), ("a/z.md", POST), ("a.markdown", POST), (".git/x.md", POST), ("c.txt", POST)]);
        let found = scan(root.path()).expect("a folder");
        let origins: Vec<_> = found.entries.iter().map(|entry| entry.origin()).collect();
        assert_eq!(origins, ["a.markdown", "a/z.md", "b.md"]);
        assert_eq!((found.skipped, found.failed), (vec![], vec![]));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_reported_and_not_followed() {
        let root = folder(&[("a/b.md", POST)]);
        std::os::unix::fs::symlink(root.path(), root.path().join("a/loop")).expect("a link");
        let found = scan(root.path()).expect("a folder");
        assert_eq!((found.entries.len(), found.skipped.len()), (1, 1));
        assert_eq!(found.skipped[0].origin, "a/loop");
    }

    #[test]
    fn only_the_file_that_changed_in_between_fails() {
        let root = folder(&[("a.md", POST)]);
        scan(root.path()).expect("a folder");
        fs::write(root.path().join("a.md"), "not a post").expect("a file");
        assert!(read(root.path(), "a.md").expect_err("changed").reason.contains("is not one now"));
        assert!(read(root.path(), "gone.md").expect_err("gone").reason.contains("cannot be read"));
    }
}
