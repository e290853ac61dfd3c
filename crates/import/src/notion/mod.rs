//! Reads the unpacked export of Notion (Export → Markdown & CSV): a Markdown file for each page, and a table for each database. The rule: one page at
//! a time is in memory; every file of the export is imported or in the report.

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
use super::found::{FoundContent, Item, PagePlace, ReadItem, Taken};
use super::media::Media;
use super::source::Export;
use super::{PictureFile, ReadOptions};
use database::Databases;
use page::{NotionExport, NotionPage};
use paths::PagePaths;

/// How many files and folders are examined to recognize an export, and how deep.
const FILES_TRIED: usize = 2_000;
const DEPTH_TRIED: usize = 4;

/// An export, with the path of the file of each entry.
pub(super) struct Notion {
    export: NotionExport,
    files: Vec<String>,
    media: Media,
    /// How many pages are drafts because nothing says whether they are published.
    unmarked: usize,
}

impl Notion {
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

    /// Reads every file once.
    pub(super) fn scan(root: &Path, options: ReadOptions) -> io::Result<(FoundContent, Self)> {
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
        let mut notion = Self { export, files: Vec::new(), media, unmarked: 0 };
        let mut paths = PagePaths::of(pages());
        for file in &files {
            match name::of_page(file) {
                Some(_) => notion.take(file, &mut paths, &mut found),
                None if file.ends_with(".md") => {
                    found.skip(file, "its name does not end with an id of Notion, so it is no page of the export");
                }
                None => found.ignore(file),
            }
        }
        if notion.unmarked > 0 {
            let text = "do not say whether they are published, so they are imported as drafts; with --public, they are published";
            found.note("pages", format!("{text} (found: {})", notion.unmarked));
        }
        Ok((found, notion))
    }

    fn take(&mut self, file: &str, paths: &mut PagePaths, found: &mut FoundContent) {
        let NotionPage { post, is_page, is_unmarked, notes, missing } = match self.page(file) {
            Ok(page) => page,
            Err(reason) => return found.fail(file, reason),
        };
        // A page that occurs twice is refused below, and takes no path.
        let is_first = !found.origins.contains(&post.origin);
        let path = (is_page && is_first).then(|| paths.add(file, post.slug.as_deref())).transpose();
        let page = path.map(|path| path.map(|path| PagePlace { path, former_paths: Vec::new(), order: None }));
        let read = page.map(|page| Item { post, page, notes }).map_err(Into::into);
        match found.take_item(file, read, &self.media) {
            Taken::Post => self.files.push(file.to_owned()),
            Taken::Page => {}
            Taken::Nothing => return,
        }
        self.unmarked += usize::from(is_unmarked);
        let missing = missing.into_iter().map(|(address, reason)| PictureFile {
            origin: file.to_owned(),
            address,
            alt: None,
            file: Err(reason),
        });
        found.pictures.extend(missing);
    }

    fn page(&self, file: &str) -> Result<NotionPage, String> {
        page::read(file, export_files::text(&self.export.root.join(file))?, &self.export)
    }
}

impl Export for Notion {
    fn read(&self, index: usize) -> ReadItem {
        let NotionPage { post, is_page, notes, .. } = self.page(&self.files[index])?;
        match is_page {
            true => Err("is no post any more".into()),
            false => Ok(Item { post, page: None, notes }),
        }
    }

    fn media(&self) -> &Media {
        &self.media
    }
}

/// Whether a file has the name of a page or of a database table.
fn is_of_notion(file: &str) -> bool {
    name::of_page(file).is_some() || database::is_table(file)
}
