//! Repairs `Pages`. The rule: the rows that follow from the whole pages are written again, in transactions that each replace the row of the tree under the ETag
//! that was read before them (W12); whole pages are never changed.

use crate::content::error::Result;
use crate::content::maintenance::check::{CheckReport, find_pages};
use crate::content::tables::rows::site_page as rows;
use crate::content::write::retry_on_conflict;
use crate::keys::Table;
use crate::keys::site_page as keys;
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Operation, Precondition};

use super::Done;
use super::context::Repair;

impl Repair<'_> {
    pub(super) async fn fix_pages(&self) -> Result<Done> {
        let written = retry_on_conflict("the pages", || self.write_rows_of_pages()).await?;
        Ok(match written {
            0 => Done::Nothing,
            rows => Done::fixed(format!("{rows} rows of pages were written as the pages say")),
        })
    }

    /// The number of rows that were wrong.
    async fn write_rows_of_pages(&self) -> Result<usize> {
        let found = find_pages(self.store, &mut CheckReport::default()).await?;
        let expected = found.expected();
        let puts = expected.iter().filter(|(row, properties)| found.beside.get(*row) != Some(*properties));
        let puts = puts.map(|(row, properties)| Operation::Put {
            row: row.clone(),
            properties: properties.clone(),
            precondition: Precondition::None,
        });
        let gone = found.beside.keys().filter(|row| !expected.contains_key(*row));
        let deletes = gone.map(|row| Operation::Delete { row: row.clone(), precondition: Precondition::None });
        let operations: Vec<Operation> = puts.chain(deletes).collect();
        let stored = found.tree.as_ref().map(rows::read_tree);
        let pages = i32::try_from(found.pages.len()).unwrap_or(i32::MAX);
        let mut tree = stored.and_then(std::result::Result::ok).unwrap_or_default();
        let is_counted = found.tree.is_some() && tree.pages == pages;
        tree.pages = pages;
        let mut etag = found.tree.map(|row| row.etag);
        let mut parts: Vec<&[Operation]> = operations.chunks(BATCH_OPERATIONS_MAX - 1).collect();
        if parts.is_empty() && !is_counted {
            parts.push(&[]);
        }
        for part in &parts {
            tree.number = tree.number.saturating_add(1);
            let properties = rows::tree_row(&tree).map_err(|e| crate::content::ContentError::TooLarge {
                what: "the row of the tree".to_owned(),
                reason: e.to_string(),
            })?;
            let precondition = etag.clone().map_or(Precondition::Absent, Precondition::Match);
            let put = Operation::Put { row: keys::tree().row().to_owned(), properties, precondition };
            let batch = Batch::new(keys::PARTITION, [part.to_vec(), vec![put]].concat())?;
            etag = self.store.commit(Table::Pages.name(), &batch).await?.pop().flatten();
        }
        Ok(operations.len() + usize::from(!is_counted))
    }
}
