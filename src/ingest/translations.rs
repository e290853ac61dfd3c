//! The groups of translations of an import. The rule: posts or pages that the source links as translations get one group: the one named by the source, as in an
//! export of Tidings, or the stored group of the first of them, or a new one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::content::Result;
use crate::content::write::{Change, Outcome, Planned};
use crate::model::post::BadTranslation;
use crate::model::{Post, PostId, TranslationGroup};

use super::{ImportRun, is_same};

/// The groups of translations by the keys of the source.
#[derive(Debug, Default)]
pub(super) struct Groups(Mutex<HashMap<String, TranslationGroup>>);

impl Groups {
    /// `key`: `None` if the source has no information, so a stored post stays in its group. `new`: an unused id.
    pub(super) fn of(&self, key: Option<&str>, stored: Option<&Post>, new: &PostId) -> Option<TranslationGroup> {
        let stored = stored.and_then(|post| post.translation_group.clone());
        let Some(key) = key else { return stored };
        if let Ok(group) = key.parse() {
            return Some(group);
        }
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Some(groups.entry(key.to_owned()).or_insert_with(|| stored.unwrap_or_else(|| new.clone())).clone())
    }

    /// Records the group of a stored post or page, if it has one, for the translations with this key.
    pub(super) fn join(&self, key: Option<&str>, stored: &Post) {
        if let (Some(key), Some(group)) = (key, &stored.translation_group) {
            let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            groups.entry(key.to_owned()).or_insert_with(|| group.clone());
        }
    }
}

impl ImportRun<'_> {
    /// Makes a change without the impossible group: the post keeps its current group, or has none. `None` if nothing else changes.
    pub(super) async fn write_unlinked(&self, mut change: Change) -> Result<Option<Outcome>> {
        let before = change.before().and_then(|post| post.translation_group.clone());
        let mut outcome = Outcome::Conflict;
        for group in before.map(Some).into_iter().chain([None]) {
            let Some(after) = &mut change.after else { break };
            after.post.translation_group = group;
            if let Some(stored) = &change.before
                && is_same(&stored.whole, after, None)
            {
                return Ok(None);
            }
            let planned = Planned::of(change.clone(), &self.content.indexed_fields())?;
            outcome = self.writer.change_planned(vec![planned], &[], None).await?.pop().unwrap_or(Outcome::Conflict);
            if !matches!(outcome, Outcome::Untranslatable(_)) {
                break;
            }
        }
        Ok(Some(outcome))
    }
}

/// The note about a post or page without the group that its source names.
pub(super) fn not_linked(why: BadTranslation) -> String {
    format!("not linked with its translations: {why}")
}
