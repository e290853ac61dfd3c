//! Reads assets. The rule: an asset is one point read, and a page of the list one range read. Everyone can read an asset by its id; the list is for
//! tokens, because it shows pictures of drafts.

use crate::content::Reader;
use crate::content::error::{ContentError, Result};
use crate::content::read::pages::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, Page, Take};
use crate::content::tables::read_all;
use crate::content::tables::rows::asset as rows;
use crate::keys::asset::AssetRow;
use crate::keys::cursor::{self as cursors, ListTag};
use crate::keys::{Table, asset as keys};
use crate::model::{Asset, AssetHash, AssetName};
use crate::store::{Entity, Etag, RowWrite};

fn list_tag() -> ListTag {
    ListTag::of("assets")
}

pub(crate) fn cursor(asset: &Asset) -> String {
    cursors::encode(list_tag(), keys::listed(asset.created_at, asset.hash()).row())
}

/// The name of the asset whose row is written; `None` for any other row or a deletion.
///
/// # Errors
/// If the row is damaged.
pub(crate) fn name_of_row(write: &RowWrite) -> Result<Option<AssetName>> {
    let is_asset = write.table == Table::Assets.name() && matches!(keys::parse(&write.key), Some(AssetRow::Asset(_)));
    let Some(properties) = write.properties.as_ref().filter(|_| is_asset) else { return Ok(None) };
    let row = Entity { key: write.key.clone(), etag: Etag(Default::default()), properties: properties.clone() };
    Ok(Some(rows::read(&row)?.facts.name))
}

impl Reader {
    /// One point read.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn asset(&self, hash: &AssetHash) -> Result<Option<Asset>> {
        let row = self.store().get(Table::Assets.name(), &keys::asset(hash)).await?;
        Ok(row.as_ref().map(rows::read).transpose()?)
    }

    /// All assets, the newest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn all_assets(&self) -> Result<Vec<Asset>> {
        let found = read_all(self.store(), Table::Assets, &keys::list(None)).await?;
        Ok(found.iter().map(rows::read).collect::<Result<_, _>>()?)
    }

    /// A page of all assets, the newest first.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range, [`ContentError::BadCursor`] for a cursor of another list.
    pub async fn assets(&self, first: Option<i32>, after: Option<&str>) -> Result<Page<Asset>> {
        let count = Take::of(first, None, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)?.count();
        let row_of = |text| cursors::decode::<String>(list_tag(), text).ok().filter(|row| keys::is_listed(row));
        let after = after.map(|text| row_of(text).ok_or(ContentError::BadCursor { argument: "after" })).transpose()?;
        let range = keys::list(after.as_deref());
        // One additional asset shows whether another page follows. The asset of the cursor is read, too, unless it was deleted.
        let need = count + 1;
        let (mut items, mut continuation) = (Vec::new(), None);
        while items.len() < need {
            let limit = need - items.len() + usize::from(after.is_some());
            let page = self.store().range(Table::Assets.name(), &range, limit, continuation.as_ref()).await?;
            let rows = page.rows.iter().filter(|row| after.as_deref() != Some(row.key.row()));
            for row in rows.take(need - items.len()) {
                items.push(rows::read(row)?);
            }
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
        }
        let has_next = items.len() > count;
        items.truncate(count);
        Ok(Page { items, has_next, has_previous: after.is_some() })
    }
}
