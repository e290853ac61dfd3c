//! Reads the unpacked export of Substack (Settings → Exports): `posts.csv`, and an HTML file for each body. The rule: every row and
//! every file of the export is imported or in the report.

mod body;
mod pictures;
mod post;
mod row;
mod widgets;

use std::collections::HashSet;
use std::io;
use std::path::Path;

use super::export_files;
use super::found::{FoundContent, Item, NotImported};
use super::media::Media;
use row::Row;

const TABLE: &str = "posts.csv";
/// How many bytes of the table are searched for the name of its first column.
const HEADER_BYTES: u64 = 4 << 10;

pub(super) fn is_at(root: &Path) -> bool {
    let header = export_files::opening(&root.join(TABLE), HEADER_BYTES);
    header.is_some_and(|text| text.lines().next().is_some_and(|line| line.to_ascii_lowercase().contains(row::ID)))
}

pub(super) fn scan(root: &Path) -> io::Result<(FoundContent, Media)> {
    let (mut found, media) = (FoundContent::default(), Media::inside(root, pictures::name_of));
    let files = export_files::list(root)?;
    if !files.iter().any(|file| file == TABLE) {
        return Ok((found, media));
    }
    let table = export_files::text(&root.join(TABLE)).map_err(|reason| (1, reason)).and_then(|text| row::table(&text));
    let table = match table {
        Ok(table) => table,
        Err((line, reason)) => {
            let reason = format!("{reason}; nothing was imported, so export the posts again");
            found.fail(format!("{TABLE}, line {line}"), reason);
            return Ok((found, media));
        }
    };
    if !table.unknown.is_empty() {
        let columns = table.unknown.join(", ");
        found.note(TABLE, format!("these columns are not known, so they are not imported: {columns}"));
    }
    let bodies: HashSet<&str> = files.iter().map(String::as_str).filter(|file| is_body(file)).collect();
    let (mut read, mut buttons) = (HashSet::new(), 0);
    for row in table.rows {
        match row {
            Err((line, reason)) => found.fail(format!("{TABLE}, line {line}"), reason),
            Ok(row) => {
                let file = body_file(&row);
                // A draft with only a title has no body.
                let body = bodies.contains(file.as_str()).then(|| root.join(&file));
                let item = item(&row, body.as_deref()).map(|(item, removed)| {
                    buttons += removed;
                    item
                });
                found.take_item(&file, item, &media);
                read.insert(file);
            }
        }
    }
    if buttons > 0 {
        let text = format!("forms and buttons to subscribe, share or comment are not imported (found: {buttons})");
        found.note("posts", text);
    }
    for file in files.iter().filter(|file| *file != TABLE && !read.contains(*file)) {
        match is_body(file) {
            true => found.skip(file, format!("has no row in {TABLE}, so it is no post")),
            false => found.ignore(file),
        }
    }
    found.report_pictures_left(&media);
    Ok((found, media))
}

/// Also returns how many buttons were removed.
fn item(row: &Row, body: Option<&Path>) -> Result<(Item, usize), NotImported> {
    post::read(row, body.map(export_files::text).transpose()?.as_deref())
}

fn body_file(row: &Row) -> String {
    format!("posts/{}.html", row.id)
}

fn is_body(file: &str) -> bool {
    file.strip_prefix("posts/").is_some_and(|name| name.ends_with(".html") && !name.contains('/'))
}
