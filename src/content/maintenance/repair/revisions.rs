//! Versions that are kept of a post or page that does not exist. The rule: they are deleted only if no change that is under way will do it.

use crate::content::error::Result;
use crate::content::maintenance::check::is_without_owner;
use crate::content::write::delete_revisions;
use crate::model::PostId;

use super::Done;
use super::context::Repair;

impl Repair<'_> {
    pub(super) async fn fix_revisions(&self, id: &PostId) -> Result<Done> {
        if !is_without_owner(self.store, id).await? {
            return Ok(Done::Nothing);
        }
        delete_revisions(self.store, id).await?;
        Ok(Done::fixed("deleted, with the others of the same id"))
    }
}
