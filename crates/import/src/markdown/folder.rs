//! Reads a folder of Markdown files. The rule: a folder has the same entries, sorted by path, on every machine; hidden files are ignored, folders
//! that no generator builds are named, and links are not followed.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, DirEntry, File};
use std::io::{self, Read};
use std::path::Path;

use compact_str::CompactString;

use crate::found::FoundContent;
use crate::{Entry, Failed, ImportedPost, PictureFile, ReadOptions, parallel};
use tidings_model::Metadata;

use super::file;
use super::file_links::{self, TemplateLink};
use super::generator_files::{self, Kind};
use super::hidden_folders;
use super::name::folder_of;
use super::name::is_section;
use super::outcome::ReadOutcome;
use super::site_files::{Cascades, SiteFiles};
use super::{front_matter, marks, mdx, pictures, unread};

/// The longest file that is read: far longer than any post, and short enough that one stray file does not fill the memory.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// How many files are read together, on all cores.
const FILES_AT_ONCE: usize = 1_000;
const DEPTH_MAX: usize = 64;

/// The paths below a root.
#[derive(Default)]
struct Listed {
    folders: Vec<String>,
    /// Folders that no generator builds.
    unread: Vec<String>,
    markdown: Vec<String>,
    data: Vec<(String, Kind)>,
}

/// Reads every Markdown file below the root once, and the files of the generator. Returns an error only if the root cannot be read.
pub(crate) fn scan(root: &Path, options: &ReadOptions) -> io::Result<(FoundContent, SiteFiles)> {
    let mut found = FoundContent::default();
    let mut listed = Listed::default();
    list(root, "", &mut listed, &mut found)?;
    while let Some(folder) = listed.folders.pop() {
        if folder.matches('/').count() >= DEPTH_MAX {
            found.fail(folder, "nested too deeply");
        } else if let Err(error) = list(root, &format!("{folder}/"), &mut listed, &mut found) {
            found.failed.push(unreadable(folder, &error));
        }
    }
    let Listed { markdown: mut files, mut data, mut unread, .. } = listed;
    unread.sort();
    unread.into_iter().for_each(|folder| found.note(folder, unread::NOTE));
    files.sort();
    data.sort_by(|a, b| a.0.cmp(&b.0));
    let data = texts(root, data, &files, &mut found);
    let site = generator_files::read((root, options), &files, &data, &mut found);
    let site = SiteFiles { cascades: cascades(root, &site, &files), ..site };
    let mut ids = HashSet::new();
    let mut templates = Vec::new();
    for part in files.chunks(FILES_AT_ONCE) {
        let read = parallel::map(part.iter().collect(), |origin| read_without_body(root, &site, origin));
        for (file, ReadFile { outcome, entry, pictures: named, links }) in part.iter().zip(read) {
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
            if let ReadOutcome::Term(term, Some(address)) = &outcome
                && let (Some(slug), None) = (&term.slug, &term.profile.avatar)
            {
                found.name_avatar(root, file, address, slug.clone());
            }
            found.take(outcome, entry);
            found.pictures.extend(named);
            found.link_targets.extend(links.files);
            templates.extend(links.templates.into_iter().map(|link| (file, link)));
        }
    }
    generator_files::add_folders(&site, &data, &mut found);
    note_templates(templates, &mut found);
    found.notes.extend(found.category_tree.notes());
    found.skipped.sort_by(|a, b| a.origin.cmp(&b.origin));
    found.failed.sort_by(|a, b| a.origin.cmp(&b.origin));
    Ok((found, site))
}

/// The values that files of folders give to the files below.
fn cascades(root: &Path, site: &SiteFiles, files: &[String]) -> Cascades {
    let given = files.iter().filter(|file| is_section(file)).filter_map(|file| {
        // The report names an unreadable file when it is read as a page.
        let text = String::from_utf8(content(&root.join(file)).ok()?).ok()?;
        let given = marks::cascade(&front_matter::split(&text).front.parse().ok()??);
        let language = site.translation(file).map(|translation| translation.language.clone());
        (!given.is_empty()).then(|| ((folder_of(file).to_owned(), language), given))
    });
    given.collect()
}

/// The texts of the generator's files. `files`: the Markdown files.
fn texts(
    root: &Path,
    data: Vec<(String, Kind)>,
    files: &[String],
    found: &mut FoundContent,
) -> Vec<(String, Kind, String)> {
    let mut texts = Vec::with_capacity(data.len());
    let own_name = generator_files::own_name(root);
    for (path, kind) in data {
        if !kind.is_for_files(&path, own_name.as_deref(), files) {
            found.ignore(&path);
            continue;
        }
        match content(&root.join(&path)).map(String::from_utf8) {
            Ok(Ok(text)) if text.len() as u64 <= FILE_BYTES_MAX => texts.push((path, kind, text)),
            Ok(_) => found.ignore(&path),
            Err(error) => found.failed.push(unreadable(path, &error)),
        }
    }
    texts
}

/// How many templates of a file a note shows.
const TEMPLATES_SHOWN: usize = 10;

/// Notes the templates in links that name no file of the folder, with one note for each Markdown file.
fn note_templates(templates: Vec<(&String, TemplateLink)>, found: &mut FoundContent) {
    let named: HashSet<&str> = templates.iter().flat_map(|(_, link)| &link.names).map(String::as_str).collect();
    if templates.is_empty() {
        return;
    }
    let pages = found.pages.iter().filter_map(|page| page.origin.as_deref());
    let origins = found.entries.iter().map(Entry::origin).chain(pages);
    let known: HashSet<String> =
        origins.flat_map(file_links::names_of).filter(|name| named.contains(name.as_str())).collect();
    let mut unknown: BTreeMap<&String, Vec<&str>> = BTreeMap::new();
    for (file, link) in &templates {
        if !link.names.iter().any(|name| known.contains(name)) {
            unknown.entry(*file).or_default().push(&link.text);
        }
    }
    for (file, links) in unknown {
        let shown = links[..links.len().min(TEMPLATES_SHOWN)].join(", ");
        let others = links.len().saturating_sub(TEMPLATES_SHOWN);
        let others = if others > 0 { format!(", and {others} others") } else { String::new() };
        let text =
            format!("these templates in links name no file that is imported, so they stay as text: {shown}{others}");
        found.note(file.clone(), text);
    }
}

fn list(root: &Path, prefix: &str, listed: &mut Listed, found: &mut FoundContent) -> io::Result<()> {
    let (mut children, mut names) = (Vec::new(), HashSet::new());
    for child in fs::read_dir(root.join(prefix))? {
        match child {
            Ok(child) => {
                names.insert(child.file_name().to_string_lossy().into_owned());
                children.push(child);
            }
            Err(error) => found.failed.push(unreadable(prefix.to_owned(), &error)),
        }
    }
    for child in children {
        match look_at(prefix, &child) {
            Ok(Child::Folder(path)) => {
                let is_unread = unread::is_unread(&child.path(), &path, &names);
                if is_unread { &mut listed.unread } else { &mut listed.folders }.push(path);
            }
            Ok(Child::Markdown(path)) => listed.markdown.push(path),
            Ok(Child::Data(path, kind)) => listed.data.push((path, kind)),
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

/// A Markdown file without its body.
struct ReadFile {
    outcome: ReadOutcome,
    entry: Option<Entry>,
    pictures: Vec<PictureFile>,
    links: file_links::Named,
}

/// Reads a file for its entry. The body is dropped at once, so that the results of many files fit in memory.
fn read_without_body(root: &Path, site: &SiteFiles, origin: &str) -> ReadFile {
    let mut outcome = read_file(root, site, origin);
    let links = match &outcome {
        ReadOutcome::Post(post, _) if post.of_export.is_none() => file_links::named(origin, &post.markdown),
        ReadOutcome::Page(page, _) if page.of_export.is_none() => file_links::named(origin, &page.markdown),
        _ => file_links::Named::default(),
    };
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
    ReadFile { outcome, entry, pictures: named, links }
}

pub(crate) fn read(root: &Path, site: &SiteFiles, origin: &str) -> Result<ImportedPost, Failed> {
    match read_file(root, site, origin) {
        ReadOutcome::Post(post, _) => Ok(*post),
        ReadOutcome::Failed(failed) => Err(failed),
        _ => Err(Failed {
            origin: origin.to_owned(),
            reason: "was a post when the import began, but is not one now".into(),
        }),
    }
}

fn read_file(root: &Path, site: &SiteFiles, origin: &str) -> ReadOutcome {
    match content(&root.join(origin)) {
        Ok(content) if content.len() as u64 > FILE_BYTES_MAX => {
            let reason = format!("longer than {FILE_BYTES_MAX} bytes");
            ReadOutcome::Failed(Failed { origin: origin.to_owned(), reason })
        }
        Ok(content) => file::read_with(site, origin, content),
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
    Data(String, Kind),
    Link(String),
    Other(String),
    Hidden,
}

fn look_at(prefix: &str, child: &DirEntry) -> io::Result<Child> {
    let (raw, kind) = (child.file_name(), child.file_type()?);
    let name = raw.to_string_lossy();
    let is_markdown = [".md", ".markdown", mdx::ENDING].iter().any(|ending| name.ends_with(ending));
    if raw.to_str().is_none() && (is_markdown || kind.is_dir()) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("the name {raw:?} is not UTF-8")));
    }
    let path = || format!("{prefix}{name}");
    Ok(match () {
        () if name.starts_with('.') && name != hidden_folders::IGNORED => Child::Hidden,
        () if kind.is_symlink() && (is_markdown || child.path().is_dir()) => Child::Link(path()),
        () if kind.is_dir() => Child::Folder(path()),
        () if kind.is_file() && is_markdown => Child::Markdown(path()),
        () => match Kind::of(&path()) {
            Some(data) if kind.is_file() => Child::Data(path(), data),
            _ => Child::Other(path()),
        },
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
        let (found, _) = scan(root.path(), &ReadOptions::default()).expect("a folder");
        let origins: Vec<_> = found.entries.iter().map(|entry| entry.origin()).collect();
        assert_eq!(origins, ["a.markdown", "a/z.md", "b.md"]);
        assert_eq!((found.skipped, found.failed), (vec![], vec![]));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_reported_and_not_followed() {
        let root = folder(&[("a/b.md", POST)]);
        std::os::unix::fs::symlink(root.path(), root.path().join("a/loop")).expect("a link");
        let (found, _) = scan(root.path(), &ReadOptions::default()).expect("a folder");
        assert_eq!((found.entries.len(), found.skipped.len()), (1, 1));
        assert_eq!(found.skipped[0].origin, "a/loop");
    }

    #[test]
    fn only_the_file_that_changed_in_between_fails() {
        let root = folder(&[("a.md", POST)]);
        let (_, site) = scan(root.path(), &ReadOptions::default()).expect("a folder");
        fs::write(root.path().join("a.md"), "not a post").expect("a file");
        assert!(read(root.path(), &site, "a.md").expect_err("changed").reason.contains("is not one now"));
        assert!(read(root.path(), &site, "gone.md").expect_err("gone").reason.contains("cannot be read"));
    }
}
