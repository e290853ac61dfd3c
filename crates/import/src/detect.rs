//! Detects the format of an import. The rule: the content decides, not the name; content of no known format is refused with a list of the
//! formats.

use std::io;
use std::path::{Path, PathBuf};

use super::formats::{Format, ReadOptions};
use super::jsonl::{JsonLines, is_header};
use super::source::{ImportSource, Posts};
use super::{contentful, export_files, ghost, markdown, medium, notion, substack, wxr};

/// How many bytes are searched for the format: a WordPress export begins with a long comment.
const OPENING_BYTES: u64 = 16 << 10;

/// The first bytes of a ZIP archive.
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// The file in the folder of an export until the export is complete.
pub const INCOMPLETE_EXPORT: &str = "tidings-export-incomplete.txt";

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{} cannot be read", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(
        "{} has no format that can be imported: a folder of Markdown files, a WordPress export (WXR, an .xml file), \
         a Ghost or Contentful export (.json), the unpacked export of Substack, Medium or Notion (a folder), or an export from Tidings of version 1 (.jsonl)",
        path.display()
    )]
    Unknown { path: PathBuf },
    #[error("{} is a ZIP archive; unpack it, and import the folder", path.display())]
    Archive { path: PathBuf },
    #[error("{} is neither a folder nor a regular file; write its content to a file first", path.display())]
    NotAFile { path: PathBuf },
    #[error("{} has an export that was not completed, as its file {INCOMPLETE_EXPORT} says; export again to another folder", path.display())]
    Incomplete { path: PathBuf },
    #[error("no .md file in {} or its subfolders; import a folder of Markdown files, or an export", path.display())]
    NoMarkdown { path: PathBuf },
    #[error("no .md file in {} or its subfolders, but {}, which has the format {format}; import this file", path.display(), file.display())]
    ExportInside { path: PathBuf, file: PathBuf, format: Format },
    #[error("--public is for pages of Notion, and {} is in the format {format}; omit it", path.display())]
    PublicOfOther { path: PathBuf, format: Format },
    #[error("{} contains nothing in the format {format}; omit --format to detect the format", path.display())]
    Other { path: PathBuf, format: Format },
}

/// Reads everything at this path once. Detects the format unless it is given.
pub fn open(path: &Path, format: Option<Format>) -> Result<ImportSource, OpenError> {
    open_with(path, format, ReadOptions::default())
}

pub fn open_with(path: &Path, format: Option<Format>, options: ReadOptions) -> Result<ImportSource, OpenError> {
    let unreadable = |source| OpenError::Unreadable { path: path.to_owned(), source };
    let kind = path.metadata().map_err(unreadable)?.file_type();
    // Opening a FIFO waits for a writer, and its content cannot be read twice.
    if !kind.is_dir() && !kind.is_file() {
        return Err(OpenError::NotAFile { path: path.to_owned() });
    }
    let folder = if kind.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
    if folder.join(INCOMPLETE_EXPORT).exists() {
        return Err(OpenError::Incomplete { path: path.to_owned() });
    }
    let mut found = match detect(path).map_err(unreadable)? {
        Detected::Archive => return Err(OpenError::Archive { path: path.to_owned() }),
        Detected::Format(format) => Some(format),
        Detected::Unknown => None,
    };
    let mut requested = format.or(found).ok_or_else(|| OpenError::Unknown { path: path.to_owned() })?;
    if options.unmarked_are_public && requested != Format::Notion {
        return Err(OpenError::PublicOfOther { path: path.to_owned(), format: requested });
    }
    let mut source = read(path, requested, options.clone()).map_err(unreadable)?;
    // The parts of a large site: WordPress.com sends them in one archive.
    if requested == Format::Markdown && source.is_empty() && !wxr::parts_in(path).map_err(unreadable)?.is_empty() {
        (requested, found) = (Format::Wxr, Some(Format::Wxr));
        source = read(path, requested, options).map_err(unreadable)?;
    }
    if found != Some(requested) && source.is_empty() {
        return Err(OpenError::Other { path: path.to_owned(), format: requested });
    }
    if requested == Format::Markdown && source.is_empty() {
        return Err(without_markdown(path).map_err(unreadable)?);
    }
    Ok(source)
}

/// Why a folder without Markdown is not imported. It may contain an export that is a file.
fn without_markdown(path: &Path) -> io::Result<OpenError> {
    let mut files = Vec::new();
    for child in std::fs::read_dir(path)? {
        files.push(child?.path());
    }
    files.sort();
    for file in files.into_iter().filter(|file| file.is_file()) {
        if let Detected::Format(format) = detect(&file)? {
            return Ok(OpenError::ExportInside { path: path.to_owned(), file, format });
        }
    }
    Ok(OpenError::NoMarkdown { path: path.to_owned() })
}

fn read(path: &Path, format: Format, options: ReadOptions) -> io::Result<ImportSource> {
    let (found, media) = match format {
        Format::Markdown => {
            let (found, site) = markdown::scan(path, &options)?;
            return Ok(ImportSource::new(found, Posts::Folder(path.to_owned(), Box::new(site))));
        }
        Format::JsonLines => {
            let (found, lines) = JsonLines::scan(path)?;
            return Ok(ImportSource::new(found, Posts::JsonLines(lines)));
        }
        Format::Wxr => wxr::scan(path, options.time_zone)?,
        Format::Ghost => ghost::scan(path),
        Format::Substack => substack::scan(path)?,
        Format::Medium => medium::scan(path)?,
        Format::Notion => notion::scan(path, options)?,
        Format::Contentful => contentful::scan(path, options.time_zone),
    };
    Ok(ImportSource::new(found, Posts::Export(format, media)))
}

#[derive(Debug, PartialEq, Eq)]
enum Detected {
    Format(Format),
    /// Substack, Medium and Notion send their exports as archives.
    Archive,
    Unknown,
}

fn detect(path: &Path) -> io::Result<Detected> {
    if path.is_dir() {
        return Ok(Detected::Format(match () {
            () if JsonLines::is_at(path) => Format::JsonLines,
            () if substack::is_at(path) => Format::Substack,
            () if medium::is_at(path) => Format::Medium,
            () if notion::is_at(path) => Format::Notion,
            () => Format::Markdown,
        }));
    }
    let opening = export_files::beginning(path, OPENING_BYTES)?;
    let text = opening.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&opening).trim_ascii_start();
    let first_line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(if is_header(first_line.trim_ascii()) {
        Detected::Format(Format::JsonLines)
    } else if wxr::is_rss(&opening) {
        Detected::Format(Format::Wxr)
    } else if is_contentful(text) {
        Detected::Format(Format::Contentful)
    } else if is_ghost(text) {
        Detected::Format(Format::Ghost)
    } else if opening.starts_with(ARCHIVE) {
        Detected::Archive
    } else {
        Detected::Unknown
    })
}

/// The lists of a Contentful export, in their order. Export options can omit the first ones.
const CONTENTFUL: &[&str] = &["contentTypes", "tags", "editorInterfaces", "entries", "assets", "locales"];

/// Whether the text is an object that begins with such a list, whose items have system properties.
fn is_contentful(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"{") else { return false };
    let name = rest.trim_ascii_start().strip_prefix(b"\"").unwrap_or_default();
    let begins = |list: &&str| name.strip_prefix(list.as_bytes()).is_some_and(|rest| rest.starts_with(b"\""));
    let system = b"\"sys\"";
    CONTENTFUL.iter().any(begins) && rest.windows(system.len()).any(|window| window == system)
}

/// Ghost writes `{"db":[…]}`, or only the object inside, which begins with the time of the export.
fn is_ghost(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"{") else { return false };
    let name = b"\"exported_on\"";
    rest.trim_ascii_start().starts_with(b"\"db\"") || rest.windows(name.len()).any(|window| window == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_determines_the_format() {
        let folder = tempfile::tempdir().expect("a folder");
        let form = |content: &str| {
            let path = folder.path().join("file");
            std::fs::write(&path, content).expect("a file");
            detect(&path).expect("a readable file")
        };
        assert_eq!(
            form("\u{feff}<?xml version=\"1.0\"?>\n<!-- x -->\n<rss version=\"2.0\">"),
            Detected::Format(Format::Wxr)
        );
        assert_eq!(form("{\"tidings\":1}\n"), Detected::Format(Format::JsonLines));
        assert_eq!(form("{\n  \"db\": [{\"meta\": {}}]}"), Detected::Format(Format::Ghost));
        let older = "{\"meta\":{\"exported_on\":1,\"version\":\"003\"},\"data\":{}}";
        assert_eq!(form(older), Detected::Format(Format::Ghost));
        assert_eq!(
            form("{\n  \"contentTypes\": [{ \"sys\": { \"id\": \"exported_on\" } }]}"),
            Detected::Format(Format::Contentful)
        );
        assert_eq!(form("{\"entries\":[{\"sys\":{}}]}"), Detected::Format(Format::Contentful));
        assert_eq!(form("PK\u{3}\u{4}x"), Detected::Archive);
        for content in ["{\"entries\":[]}", "{\"tidings\":2}\n", "<html>", "{}", "---\ntitle: a\n---\n", "", "PK"] {
            assert_eq!(form(content), Detected::Unknown, "{content}");
        }
    }

    #[test]
    fn a_folder_is_the_export_whose_files_it_has() {
        let form = |files: &[(&str, &str)]| {
            let folder = tempfile::tempdir().expect("a folder");
            std::fs::create_dir(folder.path().join("posts")).expect("a folder");
            for (name, content) in files {
                std::fs::write(folder.path().join(name), content).expect("a file");
            }
            detect(folder.path()).expect("a folder")
        };
        let story =
            "<html><style>x</style><article class=\"h-entry\"><section data-field=\"body\" class=\"e-content\">";
        for (files, format) in [
            (&[][..], Format::Markdown),
            (&[("posts.csv", "\u{feff}\"post_id\",title\n")][..], Format::Substack),
            (&[("posts.csv", "id,title\npost_id,x\n")][..], Format::Markdown),
            (&[("content.jsonl", "{\"tidings\":1}\n"), ("posts/a.md", "")][..], Format::JsonLines),
            (&[("content.jsonl", "{\"x\":1}\n"), ("posts/a.md", "")][..], Format::Markdown),
            (&[("posts/2019-05-01_a-0123456789ab.html", story)][..], Format::Medium),
            (&[("posts/a.html", "<article>"), ("posts/a.md", story)][..], Format::Markdown),
            (&[("posts/A b 0123456789abcdef0123456789abcdef.md", "# A b\n")][..], Format::Notion),
            (&[("Blog 0123456789abcdef0123456789abcdef_all.csv", "Name\n")][..], Format::Notion),
            (&[("a-0123456789abcdef0123456789abcdef.md", ""), ("a.csv", "")][..], Format::Markdown),
        ] {
            assert_eq!(form(files), Detected::Format(format), "{files:?}");
        }
    }

    #[test]
    fn an_unknown_format_is_refused_with_a_list_of_the_formats() {
        let error = open(Path::new("Cargo.toml"), None).err().expect("not an import").to_string();
        assert!(
            ["Markdown", "WXR", "Ghost", "Contentful", "Substack", "Medium", "Notion", ".jsonl"]
                .iter()
                .all(|name| error.contains(name)),
            "{error}"
        );
        assert!(matches!(open(Path::new("no such file"), None), Err(OpenError::Unreadable { .. })));
    }
}
