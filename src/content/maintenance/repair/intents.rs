//! Changes that were left unfinished. The rule: they are finished or undone as at every start. An intent that this version cannot read is removed,
//! because all rows that it would have changed are compared with the posts themselves.

use crate::content::error::{ContentError, Result};
use crate::content::write::{StoredIntent, intent, retry_on_conflict};
use crate::keys::Table;
use crate::store::{Key, StoreError};

use super::Done;
use super::context::{AT_WORK, Repair};
use super::rows::{FoundRow, make};

impl Repair<'_> {
    pub(super) async fn fix_intent(&self, key: &Key) -> Result<Done> {
        if self.get(Table::Intents, key).await?.is_none() {
            return Ok(Done::Nothing);
        }
        match self.content.recover().await {
            Ok(_) | Err(ContentError::Store(StoreError::Corrupt { .. })) => {}
            Err(e) => return Err(e),
        }
        retry_on_conflict("an intent", || async {
            let Some(found) = self.get(Table::Intents, key).await? else {
                return Ok(Done::fixed("finished or undone"));
            };
            if self.is_open(&found) {
                return Ok(Done::left(AT_WORK));
            }
            match intent::read(&found) {
                Ok(StoredIntent::Open { .. }) => {
                    return Ok(Done::left("a row that it would change cannot be read: fix that row first"));
                }
                Ok(StoredIntent::Kept { .. }) => return Ok(Done::fixed("finished or undone")),
                Ok(StoredIntent::Foreign) | Err(_) => {}
            }
            let row = FoundRow { row: key.row().to_owned(), found: Some(found), expected: None };
            make(self.store, Table::Intents, key.partition(), vec![row]).await?;
            Ok(Done::fixed("this version cannot read it; removed, after the tables were compared with the posts"))
        })
        .await
    }
}
