//! Reads the pictures that posts, pages and authors name. The rule: a deleted picture is `None`, and cached ones are not read.

use std::sync::Arc;

use crate::content::cache::CacheKey;
use crate::content::error::Result;
use crate::content::tables::rows::asset as rows;
use crate::keys::{Table, asset as keys};
use crate::model::{Asset, AssetHash};

use super::Reader;

impl Reader {
    /// The assets with these hashes, in their order; `None` for each deleted one. One point read for each uncached one, sent together. An asset that is cached
    /// as missing is read again, because a row that names it can be newer than the cached value.
    pub async fn named_assets(&self, hashes: &[AssetHash]) -> Vec<Result<Option<Arc<Asset>>>> {
        let key_of = |hash: &AssetHash| CacheKey::Asset(hash.clone());
        let is_usable = |_: &AssetHash, asset: &Option<Arc<Asset>>| asset.is_some();
        let read = |hashes: Vec<AssetHash>| async move { self.read_assets(&hashes).await };
        self.cached_or_read(hashes, key_of, is_usable, read).await
    }

    async fn read_assets(&self, hashes: &[AssetHash]) -> Vec<Result<Option<Arc<Asset>>>> {
        let places: Vec<_> = hashes.iter().map(keys::asset).collect();
        let found = self.store().get_many(Table::Assets.name(), &places).await;
        let mut assets = Vec::with_capacity(hashes.len());
        for ((hash, place), row) in hashes.iter().zip(places).zip(found) {
            let asset =
                row.map_err(Into::into).and_then(|row| Ok(row.as_ref().map(rows::read).transpose()?.map(Arc::new)));
            if let Ok(asset) = &asset {
                self.keep_row(CacheKey::Asset(hash.clone()), asset.clone(), [(Table::Assets, place)]);
            }
            assets.push(asset);
        }
        assets
    }
}
