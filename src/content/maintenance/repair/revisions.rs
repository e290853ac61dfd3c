//! Removes the versions of posts and pages that do not exist. The rule: a version is removed only if no post and no page has its id.

use crate::content::error::Result;
use crate::content::tables::read_all;
use crate::content::write::retry_on_conflict;
use crate::keys::{Table, history, lookup, site_page as page_keys};
use crate::model::PostId;
use crate::store::limits::BATCH_OPERATIONS_MAX;
use crate::store::{Batch, Entity, Operation, Precondition};

use super::Done;
use super::context::Repair;

impl Repair<'_> {
    pub(super) async fn fix_revisions(&self, id: &PostId) -> Result<Done> {
        retry_on_conflict("the versions of a post", || self.delete_revisions(id)).await
    }

    async fn delete_revisions(&self, id: &PostId) -> Result<Done> {
        let kept = read_all(self.store, Table::Revisions, &history::revisions(id)).await?;
        for rows in kept.chunks(BATCH_OPERATIONS_MAX) {
            let of_post = self.get(Table::PostKeys, &lookup::by_id(id)).await?;
            if of_post.is_some() || self.get(Table::Pages, &page_keys::whole(id)).await?.is_some() {
                return Ok(Done::Nothing);
            }
            let delete =
                |row: &Entity| Operation::Delete { row: row.key.row().to_owned(), precondition: Precondition::None };
            let batch = Batch::new(history::revisions_partition(id), rows.iter().map(delete).collect())?;
            self.commit(Table::Revisions, batch).await?;
        }
        Ok(Done::fixed("deleted, with the others of the same id"))
    }
}
