//! Intents that a stopped server left. The rule: what was committed is finished, what was not is undone, and the post as it is found
//! decides which.
//!
//! A writer that has not been heard of may only have slept: its commit is fenced off before anything is undone, and its intent stands for a
//! time behind that, in which whatever it still does is settled again.

use std::time::Duration;

use tracing::Instrument;

use crate::content::directory::scan_all;
use crate::content::error::{ContentError, Result};
use crate::content::rows::Fields;
use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::model::{Post, Slug, TermKind};
use crate::store::Entity;
use crate::telemetry::{metrics, spans};

use super::Writer;
use super::directory::{self, Partition};
use super::fence;
use super::intent::{self, Intent};
use super::plan::Brief;
use super::rename;
use super::settle::{self, Settlement};
use super::term_delete;

/// How long a change that has failed is worked at to undo it at once; past it the next recovery does.
const GIVE_UP_TIME: Duration = Duration::from_secs(5);

/// What a recovery found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Intents that were finished or undone.
    pub settled: usize,
    /// Intents that another server may still be at work on.
    pub left: usize,
}

/// Whether anyone may still be at work on an intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::content) enum Writers {
    /// Its process is gone.
    Gone,
    /// It has not been heard of.
    Unheard,
}

impl Writer {
    /// Settles each intent whose writer has stopped. `is_alone`: no other process can write to this store, so every intent's has.
    pub async fn recover(&self, is_alone: bool) -> Result<Recovered> {
        self.recover_each(is_alone).instrument(spans::recover()).await
    }

    async fn recover_each(&self, is_alone: bool) -> Result<Recovered> {
        let now = self.clock.now();
        let mut recovered = Recovered::default();
        for row in scan_all(&self.store, Table::Intents).await? {
            let name = IntentName::of_key(&row.key);
            let (is_leased, found) = (intent::is_leased(&row, now)?, intent::read(&row)?);
            match (is_alone, is_leased) {
                (false, true) if !found.is_fenced() => recovered.left += 1,
                (false, true) => {}
                (true, _) => {
                    self.settle_intent(&name, &row, found, Writers::Gone).await?;
                    recovered.settled += 1;
                }
                (false, false) => {
                    self.settle_intent(&name, &row, found, Writers::Unheard).await?;
                    recovered.settled += 1;
                }
            }
        }
        self.directories.forget();
        Ok(recovered)
    }

    /// Settles a change of this writer's that has failed or lost its lease; where that fails too, the next recovery does.
    pub(super) async fn give_up(&self, name: &IntentName, intent: Intent) {
        let given_up = async {
            // Others may have settled it already, and more was written since.
            intent::open(&self.store, &self.clock, name, &intent).await?;
            let Some(row) = self.store.get(Table::Intents.name(), &name.key()).await? else { return Ok(()) };
            self.settle_intent(name, &row, intent, Writers::Unheard).await
        };
        match tokio::time::timeout(GIVE_UP_TIME, given_up).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                metrics::change_left();
                tracing::warn!(intent = %name, %error, "write.left");
            }
            Err(_) => {
                metrics::change_left();
                tracing::warn!(intent = %name, "write.left");
            }
        }
    }

    async fn settle_intent(&self, name: &IntentName, row: &Entity, found: Intent, writers: Writers) -> Result<()> {
        let damaged = || ContentError::from(Fields(row).damaged("Changes"));
        match &found {
            Intent::Posts { changes, new_tags, is_fenced, by } => {
                let sides = sides(row, changes)?;
                let is_to_fence = writers == Writers::Unheard && !is_fenced;
                if self.settle_posts(name, &sides, new_tags, by.as_deref(), is_to_fence).await? == Settled::Undone
                    && is_to_fence
                {
                    tracing::info!(intent = %name, "write.fenced");
                    return intent::keep_fenced(&self.store, &self.clock, name, &found).await;
                }
                let new_posts =
                    sides.iter().filter(|(before, _)| before.is_none()).filter_map(|(_, after)| after.as_ref());
                for post in new_posts {
                    fence::lower(&self.store, post).await?;
                }
            }
            Intent::Terms { kind, partitions } => {
                let kind = TermKind::of_noun(kind).ok_or_else(damaged)?;
                for partition in partitions {
                    directory::copy(&self.store, &Partition::Terms(kind, partition.clone())).await?;
                }
            }
            Intent::Rename { kind, from, to } => {
                let kind = TermKind::of_noun(kind).ok_or_else(damaged)?;
                let (from, to) = (from.parse().map_err(|_| damaged())?, to.parse().map_err(|_| damaged())?);
                rename::finish(&self.store, kind, &from, &to, writers).await?;
            }
            Intent::DeleteTerm { term } => {
                term_delete::finish(&self.store, &term.to_term().ok_or_else(damaged)?).await?;
            }
        }
        metrics::change_recovered();
        tracing::info!(intent = %name, "write.recovered");
        intent::close(&self.store, name).await
    }

    async fn settle_posts(
        &self,
        name: &IntentName,
        sides: &[Sides],
        new_tags: &[String],
        by: Option<&str>,
        is_to_fence: bool,
    ) -> Result<Settled> {
        let mut settlements = Vec::with_capacity(sides.len());
        for (before, after) in sides {
            if is_to_fence {
                fence::raise(&self.store, before.as_ref(), after.as_ref()).await?;
            }
            settlements.push(Settlement::find(&self.store, before.clone(), after.clone()).await?);
        }
        let settled = match settlements.iter().all(Settlement::is_committed) {
            true => Settled::Made,
            false => Settled::Undone,
        };
        let new_tags: Vec<Slug> = new_tags.iter().filter_map(|tag| tag.parse().ok()).collect();
        self.make_borne_tags(&settlements, &new_tags).await?;
        settle::settle(&self.store, name, by, settlements).await?;
        Ok(settled)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Settled {
    /// All of it had been committed, or can no more be.
    Made,
    Undone,
}

type Sides = (Option<Post>, Option<Post>);

fn sides(row: &Entity, changes: &[(Option<Brief>, Option<Brief>)]) -> Result<Vec<Sides>> {
    let damaged = || ContentError::from(Fields(row).damaged("Changes"));
    let post = |brief: &Option<Brief>| brief.as_ref().map(|b| b.to_post().ok_or_else(damaged)).transpose();
    changes.iter().map(|(before, after)| Ok((post(before)?, post(after)?))).collect()
}
