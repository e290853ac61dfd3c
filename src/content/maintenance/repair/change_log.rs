//! Fixes the log of changes. The rule: it is removed as a whole, so that the next change begins a new one; every follower notices that, because
//! a position is valid only for its own log.

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
