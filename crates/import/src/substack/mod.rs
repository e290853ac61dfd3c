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
use super::found::{FoundContent, Item, NotImported, ReadItem, Taken};
use super::media::Media;
use super::source::Export;
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
        let (mut read, mut buttons) = (HashSet::new(), 0);
        for row in table.rows {
            match row {
                Err((line, reason)) => found.fail(format!("{TABLE}, line {line}"), reason),
                Ok(row) => {
                    let file = body_file(&row);
                    let post = Found { has_body: bodies.contains(file.as_str()), row };
                    let item = substack.item(&post).map(|(item, removed)| {
                        buttons += removed;
                        item
                    });
                    if found.take_item(&file, item, &substack.media) == Taken::Post {
                        substack.posts.push(post);
                    }
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
        found.report_pictures_left(&substack.media);
        Ok((found, substack))
    }

    /// Also returns how many buttons were removed.
    fn item(&self, Found { row, has_body }: &Found) -> Result<(Item, usize), NotImported> {
        let html = has_body.then(|| export_files::text(&self.root.join(body_file(row)))).transpose()?;
        post::read(row, html.as_deref())
    }
}

impl Export for Substack {
    fn read(&self, index: usize) -> ReadItem {
        self.item(&self.posts[index]).map(|(item, _)| item)
    }

    fn media(&self) -> &Media {
        &self.media
    }
}

fn body_file(row: &Row) -> String {
    format!("posts/{}.html", row.id)
}

fn is_body(file: &str) -> bool {
    file.strip_prefix("posts/").is_some_and(|name| name.ends_with(".html") && !name.contains('/'))
}
