//! Reads a folder of Markdown files. The rule: a folder has the same entries, sorted by path, on every machine; hidden files are ignored, folders
//! that no generator builds are named, and links are not followed.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use compact_str::CompactString;

use crate::found::FoundContent;
use crate::words::has_word;
use crate::{Entry, Failed, ImportedPost, PictureFile, ReadOptions, export_files, parallel};
use tidings_model::Metadata;

use super::enclosure;
use super::file_links::{FileTemplate, Targets};
use super::generator_files::{self, Kind};
use super::name::{folder_of, is_section};
use super::outcome::ReadOutcome;
use super::site_files::{Cascades, SiteFiles};
use super::{file, file_links, folder_data, front_matter, marks, pictures};

/// The longest file that is read: far longer than any post, and short enough that one stray file does not fill the memory.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// How many files are read together, on all cores.
const FILES_AT_ONCE: usize = 1_000;
const DEPTH_MAX: usize = 64;
/// How many templates a note shows.
const TEMPLATES_SHOWN: usize = 10;

/// For a folder that no generator builds: packages, templates, themes with example posts, and generated files.
const UNREAD: &str = "is not read, because generators do not publish what is in it; to import it, give this folder";

/// Names that are never content.
const ALWAYS: &str = "\
    node_modules bower_components exampleSite _includes _layouts _partials _templates _site _vendor _book";
/// Names of a generator's folders, if they are next to its other files.
const OF_SITES: &str = "themes archetypes layouts scaffolds templates vendor";
/// Folders that generators write to, if they contain a home page.
const WRITTEN: &str = "public dist build out";
const HOME_PAGE: &str = "index.html";

/// The names of folders, and the first characters of file names, in the root of a site.
const FOLDERS_OF_SITES: &str = "content _posts source src static _layouts _includes";
const FILES_OF_SITES: &str = "\
    hugo. config.toml config.yaml config.yml _config. zola.toml theme.toml package.json Gemfile eleventy.config. \
    .eleventy.js astro.config. docusaurus.config.";

/// The folders of a site's content, below which folder names have no special meaning.
const CONTENT: &str = "content source";

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
    unread.into_iter().for_each(|folder| found.note(folder, UNREAD));
    files.sort();
    data.sort_by(|a, b| a.0.cmp(&b.0));
    let data = texts(root, data, &files, &mut found);
    let site = generator_files::read((root, options), &files, &data, &mut found);
    let site = SiteFiles { cascades: cascades(root, &site, &files), ..site };
    let (mut ids, mut templates) = (HashSet::new(), Vec::new());
    for part in files.chunks(FILES_AT_ONCE) {
        let read = parallel::map(part.iter().collect(), |origin| read_without_body(root, &site, origin));
        for (file, ReadFile { outcome, entry, pictures: named, targets }) in part.iter().zip(read) {
            let id = outcome.content().and_then(|content| content.id.as_ref());
            if let Some(again) = id.filter(|id| !ids.insert(CompactString::from(id.as_str()))) {
                found.fail(file, format!("has the id {again} of another file; a copy must not have `tidings.id`"));
                continue;
            }
            if let ReadOutcome::Term(term, Some(address)) = &outcome
                && let (Some(slug), None) = (&term.slug, &term.profile.avatar)
            {
                found.name_avatar(root, file, address, slug.clone());
            }
            found.take(outcome, entry);
            found.pictures.extend(named);
            found.link_targets.extend(targets.names);
            templates.extend((!targets.templates.is_empty()).then_some((file, targets.templates)));
        }
    }
    generator_files::add_folders(&site, &data, &mut found);
    note_templates(templates, &mut found);
    found.notes.extend(found.category_tree.notes());
    found.skipped.sort_by(|a, b| a.origin.cmp(&b.origin));
    found.failed.sort_by(|a, b| a.origin.cmp(&b.origin));
    Ok((found, site))
}

/// Notes the templates in links that name no file of the folder, with one note for each Markdown file. `templates`: by the file that contains them.
fn note_templates(templates: Vec<(&String, Vec<FileTemplate>)>, found: &mut FoundContent) {
    let all = templates.iter().flat_map(|(_, templates)| templates);
    let named: HashSet<&String> = all.flat_map(|template| &template.names).collect();
    let pages = found.pages.iter().map(|page| page.origin.as_str());
    let origins = found.entries.iter().map(|entry| entry.origin.as_str()).chain(pages).filter(|_| !named.is_empty());
    let known: HashSet<String> = origins.flat_map(file_links::names_of).filter(|name| named.contains(name)).collect();
    for (file, templates) in templates {
        let unknown = templates.into_iter().filter(|template| !template.names.iter().any(|name| known.contains(name)));
        let texts: BTreeSet<String> = unknown.map(|template| template.text).collect();
        if !texts.is_empty() {
            let shown = texts.into_iter().take(TEMPLATES_SHOWN).collect::<Vec<_>>().join(", ");
            found.note(file, format!("templates in links name no file that is imported, they stay as text: {shown}"));
        }
    }
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
        // A file that cannot contain data for one of the Markdown files or their folders.
        if let Kind::Data { is_certain } = kind
            && folder_data::key_of(&path, own_name.as_deref(), files, is_certain).is_none()
        {
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

fn list(root: &Path, prefix: &str, listed: &mut Listed, found: &mut FoundContent) -> io::Result<()> {
    let mut children = Vec::new();
    for child in fs::read_dir(root.join(prefix))? {
        match child {
            Ok(child) => children.push(child),
            Err(error) => found.failed.push(unreadable(prefix.to_owned(), &error)),
        }
    }
    let names = children.iter().map(|child| child.file_name().to_string_lossy().into_owned()).collect();
    for child in &children {
        let path = format!("{prefix}{}", child.file_name().to_string_lossy());
        if let Err(error) = take(child, &path, &names, listed, found) {
            found.failed.push(unreadable(path, &error));
        }
    }
    Ok(())
}

/// `beside`: the names of all children of its folder.
fn take(
    child: &DirEntry,
    path: &str,
    beside: &HashSet<String>,
    listed: &mut Listed,
    found: &mut FoundContent,
) -> io::Result<()> {
    let (raw, kind) = (child.file_name(), child.file_type()?);
    let name = raw.to_string_lossy();
    let is_markdown = file_links::ENDINGS.iter().any(|ending| name.ends_with(ending));
    if raw.to_str().is_none() && (is_markdown || kind.is_dir()) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("the name {raw:?} is not UTF-8")));
    }
    match Kind::of(path).filter(|_| kind.is_file()) {
        data if name.starts_with('.') && data != Some(Kind::Config) => {}
        _ if kind.is_symlink() && (is_markdown || child.path().is_dir()) => {
            found.skip(path, "a link, which is not followed");
        }
        _ if kind.is_dir() => {
            let is_unread = is_unread(&child.path(), path, beside);
            if is_unread { &mut listed.unread } else { &mut listed.folders }.push(path.to_owned());
        }
        _ if kind.is_file() && is_markdown => listed.markdown.push(path.to_owned()),
        Some(data) => listed.data.push((path.to_owned(), data)),
        None => found.ignore(path),
    }
    Ok(())
}

/// Whether no import reads what has this path below the root, because it is hidden, such as `.git` and the swap files of editors.
pub fn is_hidden(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|folder| folder.starts_with('.'))
        || (name.starts_with('.') && Kind::of(path) != Some(Kind::Config))
}

/// Whether a folder is not read because of its name. A name that content can have counts only next to the files of a site. `origin`: its path below the imported folder. `beside`: all names in its parent folder.
fn is_unread(path: &Path, origin: &str, beside: &HashSet<String>) -> bool {
    let name = origin.rsplit('/').next().unwrap_or(origin);
    let is_of_site = || {
        let starts = |file: &String| FILES_OF_SITES.split_whitespace().any(|start| file.starts_with(start));
        let has_folder = || FOLDERS_OF_SITES.split_whitespace().any(|folder| beside.contains(folder));
        let is_content = || origin.split('/').any(|part| has_word(CONTENT, part));
        beside.iter().any(starts) || (has_folder() && !is_content())
    };
    has_word(ALWAYS, name)
        || (has_word(OF_SITES, name) && is_of_site())
        || (has_word(WRITTEN, name) && path.join(HOME_PAGE).is_file())
}

/// A Markdown file without its body.
struct ReadFile {
    outcome: ReadOutcome,
    entry: Option<Entry>,
    pictures: Vec<PictureFile>,
    targets: Targets,
}

/// Reads a file for its entry. The body is dropped at once, so that the results of many files fit in memory.
fn read_without_body(root: &Path, site: &SiteFiles, origin: &str) -> ReadFile {
    let mut outcome = read_file(root, site, origin);
    let (mut pictures, mut targets) = (Vec::new(), Targets::default());
    match outcome.content() {
        Some(content) if content.of_export.is_some() => pictures = pictures_of_export(root, origin, content),
        Some(content) => {
            pictures = pictures::of_file(root, origin, &content.markdown, &content.cover);
            targets = file_links::targets(origin, &content.markdown);
        }
        None => {}
    }
    if let ReadOutcome::Term(_, Some(avatar)) = &outcome {
        pictures = pictures::mentioned(root, origin, avatar);
    }
    pictures.extend(outcome.content().and_then(|content| enclosure::file_of(root, origin, content.enclosure.as_ref())));
    let mut entry = None;
    if let ReadOutcome::Post(post, _) = &mut outcome {
        entry = Some(post.to_entry());
        post.markdown = String::new();
    }
    ReadFile { outcome, entry, pictures, targets }
}

/// The pictures of a file of an export: also those that it names in any other way, such as in a link or in its metadata.
fn pictures_of_export(root: &Path, origin: &str, content: &ImportedPost) -> Vec<PictureFile> {
    let mut found = pictures::of_file(root, origin, &content.markdown, &content.cover);
    let known: HashSet<String> = found.iter().filter_map(|picture| picture.file.clone().ok()).collect();
    let texts = [content.markdown.as_str(), content.metadata.as_ref().map_or("", Metadata::text)];
    let mentioned = texts.into_iter().flat_map(|text| pictures::mentioned(root, origin, text));
    found.extend(mentioned.filter(|other| other.file.as_ref().is_ok_and(|file| !known.contains(file))));
    found
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
    export_files::beginning(path, FILE_BYTES_MAX + 1)
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
        let origins: Vec<_> = found.entries.iter().map(|entry| entry.origin.as_str()).collect();
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
