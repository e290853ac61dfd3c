//! Reads the unpacked export of Substack (Settings → Exports): `posts.csv`, and an HTML file for each body. The rule: one body at a time is in
//! memory; every row and every file of the export is imported or in the report.

mod body;
mod pictures;
mod post;
mod row;
mod widgets;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::export_files;
use super::found::FoundContent;
use super::media::Media;
use super::{Failed, ImportedPost};
use post::SubstackPost;
use row::Row;

const TABLE: &str = "posts.csv";
/// How many bytes of the table are searched for the name of its first column.
const HEADER_BYTES: u64 = 4 << 10;

/// An export, with the row of each entry.
pub(super) struct Substack {
    root: PathBuf,
    posts: Vec<Found>,
    media: Media,
}

/// A row whose body can be read again.
struct Found {
    row: Row,
    /// False for a draft with only a title.
    has_body: bool,
}

impl Substack {
    pub(super) fn is_at(root: &Path) -> bool {
        let header = export_files::opening(&root.join(TABLE), HEADER_BYTES);
        header.is_some_and(|text| text.lines().next().is_some_and(|line| line.to_ascii_lowercase().contains(row::ID)))
    }

    /// Reads every file once.
    pub(super) fn scan(root: &Path) -> io::Result<(FoundContent, Self)> {
        let mut found = FoundContent::default();
        let media = Media::inside(root, pictures::name_of);
        let mut substack = Self { root: root.to_owned(), posts: Vec::new(), media };
        let files = export_files::list(root)?;
        if !files.iter().any(|file| file == TABLE) {
            return Ok((found, substack));
        }
        let table =
            export_files::text(&root.join(TABLE)).map_err(|reason| (1, reason)).and_then(|text| row::table(&text));
        let table = match table {
            Ok(table) => table,
            Err((line, reason)) => {
                let reason = format!("{reason}; nothing was imported, so export the posts again");
                found.fail(format!("{TABLE}, line {line}"), reason);
                return Ok((found, substack));
            }
        };
        if !table.unknown.is_empty() {
            found.note(
                TABLE,
                format!("these columns are not known, so they are not imported: {}", table.unknown.join(", ")),
            );
        }
        let bodies: HashSet<&str> = files.iter().map(String::as_str).filter(|file| is_body(file)).collect();
        let (mut read, mut origins, mut buttons) = (HashSet::new(), HashSet::new(), 0);
        for row in table.rows {
            match row {
                Err((line, reason)) => found.fail(format!("{TABLE}, line {line}"), reason),
                Ok(row) if !origins.insert(post::origin(&row)) => {
                    found.fail(
                        format!("{TABLE}, line {}", row.line),
                        format!("the post {} occurs twice; the first one is imported", row.id),
                    );
                }
                Ok(row) => {
                    let file = body_file(&row);
                    let has_body = bodies.contains(file.as_str());
                    buttons += substack.take(row, has_body, &file, &mut found);
                    read.insert(file);
                }
            }
        }
        if buttons > 0 {
            found.note(
                "posts",
                format!("forms and buttons to subscribe, share or comment are not imported (found: {buttons})"),
            );
        }
        for file in files.iter().filter(|file| *file != TABLE && !read.contains(*file)) {
            match is_body(file) {
                true => found.skip(file, format!("has no row in {TABLE}, so it is no post")),
                false => found.ignore(file),
            }
        }
        substack.media.report(&mut found);
        Ok((found, substack))
    }

    pub(super) fn media(&self) -> &Media {
        &self.media
    }

    pub(super) fn read(&self, index: usize, origin: &str) -> Result<ImportedPost, Failed> {
        let Found { row, has_body } = &self.posts[index];
        let failed = |reason: String| Failed { origin: origin.to_owned(), reason };
        let html = has_body.then(|| export_files::text(&self.root.join(body_file(row)))).transpose().map_err(failed)?;
        match post::read(row, html.as_deref()) {
            SubstackPost::Post { post, .. } => Ok(*post),
            _ => Err(Failed::changed(origin)),
        }
    }

    /// Reads the body of a row. Returns how many buttons were removed.
    fn take(&mut self, row: Row, has_body: bool, file: &str, found: &mut FoundContent) -> usize {
        let html = match has_body.then(|| export_files::text(&self.root.join(file))).transpose() {
            Ok(html) => html,
            Err(reason) => {
                found.fail(file, reason);
                return 0;
            }
        };
        match post::read(&row, html.as_deref()) {
            SubstackPost::Skipped(reason) => {
                found.skip(file, reason);
                0
            }
            SubstackPost::Failed(reason) => {
                found.fail(file, reason);
                0
            }
            SubstackPost::Page { page, notes, buttons } => {
                self.media.find(file, &page.markdown, &page.cover, found);
                found.take_page(*page);
                notes.into_iter().for_each(|note| found.note(file, note));
                buttons
            }
            SubstackPost::Post { post, notes, buttons } => {
                if found.take_post(&post) {
                    self.posts.push(Found { row, has_body });
                    self.media.find(file, &post.markdown, &post.cover, found);
                    notes.into_iter().for_each(|note| found.note(file, note));
                }
                buttons
            }
        }
    }
}

fn body_file(row: &Row) -> String {
    format!("posts/{}.html", row.id)
}

fn is_body(file: &str) -> bool {
    file.strip_prefix("posts/").is_some_and(|name| name.ends_with(".html") && !name.contains('/'))
}
