//! Checks `Pages`. The rule: the whole row of a page is the truth; the rows of its paths and its place among the children of its parent follow
//! from it, and the row of the tree has the number of pages. All rows are read between two reads of an unchanged row of the tree.

use std::collections::BTreeMap;

use crate::content::error::Result;
use crate::content::tables::Scan;
use crate::content::tables::rows::{post as post_rows, site_page as rows};
use crate::keys::Table;
use crate::keys::site_page::{self as keys, PageRow};
use crate::model::{PagePath, PostId};
use crate::store::{Entity, Key, Properties, Store};

use super::page_paths::{Pages, resolved};
use super::report::{CheckReport, Fix};

/// How often the rows are read again because a page was changed meanwhile.
const READS_MAX: usize = 5;

/// The pages as their whole rows describe them, and the other rows as they were found.
#[derive(Default)]
pub(in crate::content::maintenance) struct FoundPages {
    pub pages: Pages,
    pub beside: BTreeMap<String, Properties>,
    pub tree: Option<Entity>,
    /// The page that the row of each path names.
    named: BTreeMap<PagePath, PostId>,
}

impl FoundPages {
    /// The corrected pages: each has a path, and each path has one page.
    pub(in crate::content::maintenance) fn resolved(&self) -> Pages {
        resolved(&self.pages, &self.named)
    }
}

/// The rows that follow from pages.
pub(in crate::content::maintenance) fn rows_beside(pages: &Pages) -> BTreeMap<String, Properties> {
    pages.values().flat_map(|(page, former)| rows::rows_beside(page, former)).collect()
}

/// Reads the table. `report` gets the rows that no fix can correct.
pub(in crate::content::maintenance) async fn find(store: &Store, report: &mut CheckReport) -> Result<FoundPages> {
    for _ in 1..READS_MAX {
        let before = store.get(Table::Pages.name(), &keys::tree()).await?;
        let mut own = CheckReport::default();
        let found = scan(store, &mut own).await?;
        let after = store.get(Table::Pages.name(), &keys::tree()).await?;
        let [before, read, after] = [&before, &found.tree, &after].map(|row| row.as_ref().map(|row| &row.etag));
        if before == read && read == after {
            report.rows += own.rows;
            report.differences.extend(own.differences);
            return Ok(found);
        }
    }
    scan(store, report).await
}

async fn scan(store: &Store, report: &mut CheckReport) -> Result<FoundPages> {
    let mut found = FoundPages::default();
    let mut pages = Scan::of(store, Table::Pages);
    while let Some(rows) = pages.next().await? {
        report.rows += rows.len() as u64;
        rows.into_iter().for_each(|row| note(&mut found, row, report));
    }
    Ok(found)
}

fn note(found: &mut FoundPages, row: Entity, report: &mut CheckReport) {
    match keys::parse(&row.key) {
        None => report.add_orphan(Table::Pages, &row.key),
        Some(PageRow::Tree) => found.tree = Some(row),
        Some(PageRow::Whole(id)) => match rows::read_whole(&row) {
            Err(error) => report.add_unreadable(Table::Pages, &row, &error, Fix::PAGE),
            Ok(whole) if *whole.id() != id => {
                report.add(Table::Pages, &row.key, "has the id of another page", Fix::PAGE);
            }
            Ok(whole) => {
                if let Err(error) = post_rows::check_actor(&row) {
                    report.add_unreadable(Table::Pages, &row, &error, Fix::ACTOR);
                }
                found.pages.insert(id, (whole.page, whole.former_paths));
            }
        },
        Some(
            beside @ (PageRow::Path(_)
            | PageRow::Child { .. }
            | PageRow::Scheduled(..)
            | PageRow::End(..)
            | PageRow::Translation(..)),
        ) => {
            if let (PageRow::Path(path), Ok(id)) = (beside, rows::read_path(&row)) {
                found.named.insert(path, id);
            }
            found.beside.insert(row.key.row().to_owned(), row.properties);
        }
    }
}

pub(super) async fn check(store: &Store, report: &mut CheckReport) -> Result<()> {
    let found = find(store, report).await?;
    let resolved = found.resolved();
    let expected = rows_beside(&resolved);
    let key = |row: &str| Key::new(keys::PARTITION, row);
    for (row, properties) in &expected {
        match found.beside.get(row) {
            Some(properties_found) if properties_found == properties => {}
            Some(_) => report.add(Table::Pages, &key(row)?, "differs from the page", Fix::Pages),
            None => report.add(Table::Pages, &key(row)?, "is missing", Fix::Pages),
        }
    }
    for row in found.beside.keys().filter(|row| !expected.contains_key(*row)) {
        report.add(Table::Pages, &key(row)?, "no page has this row", Fix::Pages);
    }
    check_paths(&found, &resolved, report);
    check_places(&resolved, report);
    check_tree(&found, report);
    Ok(())
}

/// Checks that each path belongs to one page.
fn check_paths(found: &FoundPages, resolved: &Pages, report: &mut CheckReport) {
    for (id, (page, former)) in &found.pages {
        let Some((right, right_former)) = resolved.get(id) else { continue };
        if page.path != right.path {
            let what = format!("the path {} belongs to another page, or is below one that does", page.path);
            report.add(Table::Pages, &keys::whole(id), what, Fix::Pages);
        }
        for path in former.iter().filter(|path| !right_former.contains(path)) {
            let what = format!("has the former path {path}, which belongs to another page");
            report.add(Table::Pages, &keys::whole(id), what, Fix::Pages);
        }
    }
}

/// Checks that each page is below the page that its path names.
fn check_places(pages: &Pages, report: &mut CheckReport) {
    let mut by_path: BTreeMap<&PagePath, &PostId> = BTreeMap::new();
    for (id, (page, _)) in pages {
        if by_path.insert(&page.path, id).is_some() {
            report.add(Table::Pages, &keys::whole(id), "another page has the same path", Fix::PAGE);
        }
        let parent = page.parent().map(|parent| pages.get(parent));
        let is_placed = match (page.path.parent(), parent) {
            (None, None) => true,
            (Some(above), Some(Some((parent, _)))) => {
                parent.path == above && page.ancestors[..page.ancestors.len() - 1] == parent.ancestors
            }
            _ => false,
        };
        if !is_placed {
            report.add(Table::Pages, &keys::whole(id), "the page above it is missing, or has another path", Fix::PAGE);
        }
    }
}

fn check_tree(found: &FoundPages, report: &mut CheckReport) {
    let count = i32::try_from(found.pages.len()).unwrap_or(i32::MAX);
    match found.tree.as_ref().map(rows::read_tree) {
        None if count == 0 => {}
        None => report.add(Table::Pages, &keys::tree(), "is missing", Fix::Pages),
        Some(Err(error)) => report.add(Table::Pages, &keys::tree(), error.to_string(), Fix::Pages),
        Some(Ok(tree)) if tree.pages == count => {}
        Some(Ok(tree)) => {
            let what = format!("says {} pages; there are {count}", tree.pages);
            report.add(Table::Pages, &keys::tree(), what, Fix::Pages);
        }
    }
}
