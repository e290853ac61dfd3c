//! Checks `Pages`. The rule: the whole row of a page is the truth; the rows of its paths and its place among the children of its parent follow from it, and the
//! row of the tree has the number of pages. All rows belong to one state, because the row of the tree is the same before and after they are read.

use std::collections::{BTreeMap, BTreeSet};

use crate::content::error::Result;
use crate::content::tables::Scan;
use crate::content::tables::rows::{post as post_rows, site_page as rows};
use crate::keys::Table;
use crate::keys::site_page::{self as keys, PageRow};
use crate::model::{PagePath, PostId, SitePage};
use crate::store::{Entity, Key, Properties, Store};

use super::report::{CheckReport, Fix};

/// Each page with its former paths.
pub(in crate::content::maintenance) type Pages = BTreeMap<PostId, (SitePage, Vec<PagePath>)>;

/// The maximum number of times that the rows are read because a page has changed meanwhile.
const READS_MAX: usize = 5;

/// The pages as their whole rows describe them, and the other rows as they were found.
#[derive(Default)]
pub(in crate::content::maintenance) struct FoundPages {
    pub pages: Pages,
    pub beside: BTreeMap<String, Properties>,
    pub tree: Option<Entity>,
    /// For each other row, the page that it names and that readers find by it.
    named: BTreeMap<String, PostId>,
}

impl FoundPages {
    /// The corrected pages: each former path belongs to one page, and is not a current path. The page that readers find keeps it.
    pub(in crate::content::maintenance) fn resolved(&self) -> Pages {
        let present: BTreeSet<&PagePath> = self.pages.values().map(|(page, _)| &page.path).collect();
        let mut holders: BTreeMap<&PagePath, &PostId> = BTreeMap::new();
        for (id, (_, former)) in &self.pages {
            for path in former.iter().filter(|path| !present.contains(path)) {
                if !holders.contains_key(path) || self.named.get(keys::path(path).row()) == Some(id) {
                    holders.insert(path, id);
                }
            }
        }
        let mut resolved = self.pages.clone();
        for (id, (_, former)) in &mut resolved {
            former
                .retain(|path| holders.get(path).is_some_and(|holder| *holder == id) && holders.remove(path).is_some());
        }
        resolved
    }

    /// The rows that follow from these pages, each with its page. If two pages claim a row, the one that readers find keeps it.
    pub(in crate::content::maintenance) fn rows_beside<'p>(
        &self,
        pages: &'p Pages,
    ) -> BTreeMap<String, (&'p PostId, Properties)> {
        let mut rows_beside = BTreeMap::new();
        for (id, (page, former)) in pages {
            for (row, properties) in rows::rows_beside(page, former) {
                if !rows_beside.contains_key(&row) || self.named.get(&row) == Some(id) {
                    rows_beside.insert(row, (id, properties));
                }
            }
        }
        rows_beside
    }
}

/// Reads the table. `report`: gets the rows that no fix can correct.
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
            PageRow::Path(_)
            | PageRow::Child { .. }
            | PageRow::Scheduled(..)
            | PageRow::End(..)
            | PageRow::Translation(..),
        ) => {
            let name = row.key.row().to_owned();
            found.named.extend(rows::read_path(&row).ok().map(|id| (name.clone(), id)));
            found.beside.insert(name, row.properties);
        }
    }
}

pub(super) async fn check(store: &Store, report: &mut CheckReport) -> Result<()> {
    let found = find(store, report).await?;
    let resolved = found.resolved();
    let expected = found.rows_beside(&resolved);
    let key = |row: &String| Key::new(keys::PARTITION, row.as_str());
    for row in expected.keys().chain(found.beside.keys().filter(|row| !expected.contains_key(*row))) {
        let what = match (found.beside.get(row), expected.get(row).map(|(_, properties)| properties)) {
            (found, expected) if found == expected => continue,
            (_, None) => "no page has this row",
            (None, _) => "is missing",
            _ => "differs from the page",
        };
        report.add(Table::Pages, &key(row)?, what, Fix::Pages);
    }
    for (id, (_, former)) in &found.pages {
        for path in former.iter().filter(|path| !resolved[id].1.contains(path)) {
            let what = format!("has the former path {path}, which belongs to another page");
            report.add(Table::Pages, &keys::whole(id), what, Fix::Pages);
        }
    }
    check_places(&resolved, &expected, report);
    check_tree(&found, report);
    Ok(())
}

/// Checks that each page is below the page that its path names, and that no other page keeps its path, or its language in its group of translations.
fn check_places(pages: &Pages, rows: &BTreeMap<String, (&PostId, Properties)>, report: &mut CheckReport) {
    for (id, (page, _)) in pages {
        let path = (Some(keys::path(&page.path)), "path", Fix::SHARED_PATH);
        let language =
            (keys::by_translation(&page.post), "language in its group of translations", Fix::SHARED_LANGUAGE);
        for (row, what, fix) in [path, language] {
            let keeper = row.and_then(|row| rows.get(row.row())).map(|(keeper, _)| *keeper);
            if let Some(keeper) = keeper.filter(|keeper| *keeper != id) {
                let what = format!("its {what} is that of the page {keeper} too");
                report.add(Table::Pages, &keys::whole(id), what, fix);
            }
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
