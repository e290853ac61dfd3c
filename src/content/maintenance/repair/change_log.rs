//! Fixes the log of changes. The rule: it is removed as a whole, so that the next change begins a new one, and every follower notices that: no position is
//! of another log than it was given for.

use crate::content::error::Result;
use crate::content::write::delete_log;

use super::Done;
use super::context::Repair;

impl Repair<'_> {
    pub(super) async fn remove_change_log(&self) -> Result<Done> {
        delete_log(self.store).await?;
        Ok(Done::fixed("removed the log of changes; followers get POSITION_EXPIRED, and read everything again"))
    }
}
