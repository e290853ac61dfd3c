//! Reads the unpacked export of Notion (Export → Markdown & CSV): a Markdown file for each page, and a table for each database. The rule:
//! every file of the export is imported or in the report.

mod addresses;
mod database;
mod fields;
mod name;
mod names;
mod page;
mod paths;
mod properties;
mod written_date;

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use super::export_files;
use super::found::{FoundContent, Item};
use super::media::Media;
use super::{PagePlace, PictureFile, ReadOptions};
use database::Databases;
use page::{NotionExport, NotionPage};
use paths::PagePaths;

/// The maximum number of files and folders that are examined to recognize an export, and the maximum depth.
const FILES_TRIED: usize = 2_000;
const DEPTH_TRIED: usize = 4;

/// Whether most Markdown files and tables in the folder have an id at the end of their names, as in an export of Notion.
pub(super) fn is_at(root: &Path) -> bool {
    let (mut with_id, mut others, mut tried) = (0_usize, 0_usize, 0_usize);
    let mut folders = VecDeque::from([(root.to_owned(), 0)]);
    while let Some((folder, depth)) = folders.pop_front() {
        for child in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            tried += 1;
            if tried > FILES_TRIED {
                return with_id > others;
            }
            let name = child.file_name().to_string_lossy().into_owned();
            match child.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEPTH_TRIED && !name.starts_with('.') => {
                    folders.push_back((child.path(), depth + 1));
                }
                _ if is_of_notion(&name) => with_id += 1,
                _ => others += usize::from(name.ends_with(".md")),
            }
        }
    }
    with_id > others
}

pub(super) fn scan(root: &Path, options: ReadOptions) -> io::Result<(FoundContent, Media)> {
    let mut found = FoundContent::default();
    let mut files = export_files::list(root)?;
    if !files.iter().any(|file| is_of_notion(file)) {
        files.clear();
    }
    let mut databases = Databases::read(root, &files, &mut found);
    let pages = || files.iter().map(String::as_str).filter(|file| name::of_page(file).is_some());
    for file in pages() {
        databases.count(file.rsplit_once('/').map_or("", |(folder, _)| folder));
    }
    databases.report(&mut found);
    let ids = pages().filter_map(|file| Some(name::of_page(file)?.1)).collect();
    let export = NotionExport { root: root.to_owned(), ids, databases, options };
    let media = Media::of_files(root, addresses::path_of);
    let (mut paths, mut unmarked) = (PagePaths::of(pages()), 0);
    for file in &files {
        match name::of_page(file) {
            Some(_) => {
                let text = export_files::text(&root.join(file));
                match text.and_then(|text| page::read(file, text, &export)) {
                    Ok(page) => unmarked += usize::from(take(file, page, &mut paths, &media, &mut found)),
                    Err(reason) => found.fail(file, reason),
                }
            }
            None if file.ends_with(".md") => {
                found.skip(file, "its name does not end with an id of Notion, so it is no page of the export");
            }
            None => found.ignore(file),
        }
    }
    if unmarked > 0 {
        let text =
            "do not say whether they are published, so they are imported as drafts; with --public, they are published";
        found.note("pages", format!("{text} (found: {unmarked})"));
    }
    Ok((found, media))
}

/// Returns whether it is imported as a draft because nothing says that it is published.
fn take(file: &str, page: NotionPage, paths: &mut PagePaths, media: &Media, found: &mut FoundContent) -> bool {
    let NotionPage { post, is_page, is_unmarked, notes, missing } = page;
    // A page that occurs twice is refused below, and takes no path.
    let is_first = !found.origins.contains(&post.origin);
    let path = (is_page && is_first).then(|| paths.add(file, post.slug.as_deref())).transpose();
    let page = path.map(|path| path.map(PagePlace::at));
    let is_taken = found.take_item(file, page.map(|page| Item { post, page, notes }).map_err(Into::into), media);
    if is_taken {
        let missing = missing.into_iter().map(|(address, reason)| PictureFile {
            origin: file.to_owned(),
            address,
            alt: None,
            file: Err(reason),
        });
        found.pictures.extend(missing);
    }
    is_taken && is_unmarked
}

/// Whether a file has the name of a page or of a database table.
fn is_of_notion(file: &str) -> bool {
    name::of_page(file).is_some() || database::is_table(file)
}
