//! Intents that a stopped server left. The rule: what was committed is finished, what was not is undone, and the post as it is found
//! decides which.

use std::collections::HashMap;

use crate::content::directory::scan_all;
use crate::content::error::Result;
use crate::content::moves::stands;
use crate::content::rows::Fields;
use crate::content::rows::lookup::{self as lookup_rows, LookupRow};
use crate::content::rows::post as post_rows;
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, Table, lookup};
use crate::model::{Post, Slug, TermKind};
use crate::store::{Entity, Store};

use super::Writer;
use super::directory::{self, Partition};
use super::intent::{self, Intent};
use super::plan::Brief;
use super::settle::{self, Settlement};

/// What a recovery found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Intents that were finished or undone.
    pub settled: usize,
    /// Intents that another server may still be at work on.
    pub left: usize,
}

impl Writer {
    /// Settles each intent whose writer has stopped. `is_alone`: no other process can write to this store, so every intent's has.
    pub async fn recover(&self, is_alone: bool) -> Result<Recovered> {
        let found = scan_all(&self.store, Table::Intents).await?;
        let now = self.clock.now();
        let mut open = HashMap::new();
        for row in &found {
            let is_open = !is_alone && intent::is_leased(row, now)?;
            open.insert(IntentName::of_key(&row.key).to_string(), is_open);
        }
        let mut recovered = Recovered::default();
        for row in &found {
            let name = IntentName::of_key(&row.key);
            if open.get(&name.to_string()).copied().unwrap_or(false) {
                recovered.left += 1;
                continue;
            }
            self.settle_intent(&name, row, &open).await?;
            recovered.settled += 1;
        }
        self.directories.forget();
        Ok(recovered)
    }

    async fn settle_intent(&self, name: &IntentName, row: &Entity, open: &HashMap<String, bool>) -> Result<()> {
        match intent::read(row)? {
            Intent::Posts { changes, new_tags } => {
                let mut settlements = Vec::with_capacity(changes.len());
                for (before, after) in &changes {
                    settlements.push(self.find(row, before.as_ref(), after.as_ref()).await?);
                }
                let new_tags: Vec<Slug> = new_tags.iter().filter_map(|tag| tag.parse().ok()).collect();
                self.make_borne_tags(&settlements, &new_tags).await?;
                settle::settle_with(&self.store, name, open, settlements).await?;
            }
            Intent::Terms { kind, partitions } => {
                for kind in TermKind::ALL.into_iter().filter(|k| k.noun() == kind) {
                    for partition in &partitions {
                        directory::copy(&self.store, &Partition::Terms(kind, partition.clone())).await?;
                    }
                }
            }
        }
        tracing::info!(intent = %name, "write.recovered");
        intent::close(&self.store, name).await
    }

    /// The post of an intent as it is: at its new place, at its old one, or nowhere.
    async fn find(&self, row: &Entity, before: Option<&Brief>, after: Option<&Brief>) -> Result<Settlement> {
        let (before, after) = (post_of(row, before)?, post_of(row, after)?);
        let mut now = None;
        for side in [&after, &before].into_iter().flatten() {
            if now.is_none() {
                now = standing(&self.store, side).await?;
            }
        }
        // A later change may have moved the post further than this intent knows.
        if let (None, Some(side)) = (&now, after.as_ref().or(before.as_ref())) {
            now = self.by_id(side).await?;
        }
        Ok(Settlement { before, after, now })
    }

    async fn by_id(&self, side: &Post) -> Result<Option<Post>> {
        let Some(row) = self.store.get(Table::PostKeys.name(), &lookup::by_id(&side.id)).await? else {
            return Ok(None);
        };
        match lookup_rows::read(&row)? {
            LookupRow::Place { place, slug, .. } => standing_at(&self.store, &place, &slug, side).await,
            LookupRow::Former { .. } => Ok(None),
        }
    }
}

fn post_of(row: &Entity, brief: Option<&Brief>) -> Result<Option<Post>> {
    let read = |brief: &Brief| brief.to_post().ok_or_else(|| Fields(row).damaged("Changes").into());
    brief.map(read).transpose()
}

async fn standing(store: &Store, side: &Post) -> Result<Option<Post>> {
    standing_at(store, &PostPlace::of(side), &side.slug, side).await
}

async fn standing_at(store: &Store, place: &PostPlace, slug: &Slug, side: &Post) -> Result<Option<Post>> {
    let Some(row) = store.get(place.shelf.name(), &place.whole(slug)).await? else { return Ok(None) };
    let post = post_rows::read_summary(&row)?;
    if post.id != side.id || !stands(store, &row).await? {
        return Ok(None);
    }
    Ok(Some(post))
}
