//! Repairs `Pages`. The rule: the rows that follow from the whole pages are written again, in transactions that each require the ETag of the row of the tree
//! that was read first. A whole page changes only if it has a former path that belongs to another page.

use crate::content::error::{ContentError, Result};
use crate::content::maintenance::check::{CheckReport, find_pages};
use crate::content::tables::rows::packed::TooLarge;
use crate::content::tables::rows::site_page as rows;
use crate::content::write::retry_on_conflict;
use crate::keys::Table;
use crate::keys::site_page as keys;
use crate::model::WholeSitePage;
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Operation, Precondition, Properties};

use super::{Done, Repair};

impl Repair<'_> {
    pub(super) async fn fix_pages(&self) -> Result<Done> {
        let written = retry_on_conflict("the pages", || self.write_rows_of_pages()).await?;
        Ok(match written {
            0 => Done::Nothing,
            rows => Done::fixed(format!("{rows} rows of pages were written as the pages say")),
        })
    }

    /// Returns the number of rows that were wrong.
    async fn write_rows_of_pages(&self) -> Result<usize> {
        let found = find_pages(self.store, &mut CheckReport::default()).await?;
        let resolved = found.resolved();
        let expected = found.rows_beside(&resolved);
        let mut wholes = Vec::new();
        for (id, (_, former)) in resolved.iter().filter(|(id, page)| found.pages.get(*id) != Some(*page)) {
            let Some(row) = self.store.get(Table::Pages.name(), &keys::whole(id)).await? else { continue };
            let whole = WholeSitePage { former_paths: former.clone(), ..rows::read_whole(&row)? };
            let row = keys::whole(id).row().to_owned();
            let properties = rows::rows_of(&whole).map_err(too_large)?.remove(&row);
            wholes.extend(properties.map(|properties| put(row, properties)));
        }
        let puts = expected.iter().filter(|(row, (_, properties))| found.beside.get(*row) != Some(properties));
        let puts = puts.map(|(row, (_, properties))| put(row.clone(), properties.clone()));
        let gone = found.beside.keys().filter(|row| !expected.contains_key(*row));
        let deletes = gone.map(|row| Operation::Delete { row: row.clone(), precondition: Precondition::None });
        let operations: Vec<Operation> = puts.chain(deletes).collect();
        let stored = found.tree.as_ref().map(rows::read_tree);
        let pages = i32::try_from(found.pages.len()).unwrap_or(i32::MAX);
        let mut tree = stored.and_then(std::result::Result::ok).unwrap_or_default();
        let is_counted = found.tree.is_some() && tree.pages == pages;
        tree.pages = pages;
        let mut etag = found.tree.map(|row| row.etag);
        // Each whole page has its own transaction, because it can be as large as a transaction can be.
        let mut parts: Vec<&[Operation]> =
            wholes.chunks(1).chain(operations.chunks(BATCH_OPERATIONS_MAX - 1)).collect();
        if parts.is_empty() && !is_counted {
            parts.push(&[]);
        }
        for part in &parts {
            tree.number = tree.number.saturating_add(1);
            let properties = rows::tree_row(tree);
            let precondition = etag.clone().map_or(Precondition::Absent, Precondition::Match);
            let row = Operation::Put { row: keys::tree().row().to_owned(), properties, precondition };
            let batch = Batch::new(keys::PARTITION, [part.to_vec(), vec![row]].concat())?;
            etag = self.store.commit(Table::Pages.name(), &batch).await?.pop().flatten();
        }
        Ok(wholes.len() + operations.len() + usize::from(!is_counted))
    }
}

fn put(row: String, properties: Properties) -> Operation {
    Operation::Put { row, properties, precondition: Precondition::None }
}

fn too_large(error: TooLarge) -> ContentError {
    ContentError::TooLarge { what: "a row of the pages".to_owned(), reason: error.to_string() }
}
