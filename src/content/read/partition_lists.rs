//! The lists of partitions as held values. The rule: only for a reader without a snapshot; one with a snapshot finds the list of its version in the cache
//! of lists.
//!
//! A reader without a snapshot finds a list in that cache for a second only, because nothing drops it when another server writes. A held list is dropped
//! when one of its rows is written.

use crate::content::error::Result;
use crate::content::held::{HeldValue, ValueKey};
use crate::content::tables::{FirstCharacters, Months};
use crate::keys::Collection;
use crate::model::TermKind;

use super::reader::Reader;

impl Reader {
    /// Notes the whole list; [`unnoted_months`](Self::unnoted_months) calls it with a reader that notes nothing.
    pub(super) async fn held_or_read_months(&self, collection: Collection) -> Result<Months> {
        if !self.holds_catalogs() {
            return Ok(self.partition_catalogs.months(&self.source, collection).await?);
        }
        let read = |key| async move {
            let part = self.part();
            let months = self.partition_catalogs.months(&part.reader().source, collection).await?;
            part.keep(key, HeldValue::Months(Months::clone(&months)));
            Ok(months)
        };
        self.one_held_or_read(ValueKey::Months(collection), months_of, read).await
    }

    pub(super) async fn held_or_read_first_characters(&self, kind: TermKind) -> Result<FirstCharacters> {
        if !self.holds_catalogs() {
            return Ok(self.partition_catalogs.first_characters(&self.source, kind).await?);
        }
        let read = |key| async move {
            let part = self.part();
            let listed = self.partition_catalogs.first_characters(&part.reader().source, kind).await?;
            part.keep(key, HeldValue::FirstCharacters(FirstCharacters::clone(&listed)));
            Ok(listed)
        };
        self.one_held_or_read(ValueKey::FirstCharacters(kind), first_characters_of, read).await
    }

    pub(super) fn months_in_memory(&self, collection: Collection) -> Option<Months> {
        let cached = self.partition_catalogs.cached_months_of(&self.source, collection);
        cached.or_else(|| months_of(self.held_beside(&ValueKey::Months(collection))?))
    }

    pub(super) fn first_characters_in_memory(&self, kind: TermKind) -> Option<FirstCharacters> {
        let cached = self.partition_catalogs.cached_first_characters(&self.source, kind);
        cached.or_else(|| first_characters_of(self.held_beside(&ValueKey::FirstCharacters(kind))?))
    }

    fn holds_catalogs(&self) -> bool {
        self.source.version.is_none() && self.takes_values()
    }
}

fn months_of(value: HeldValue) -> Option<Months> {
    match value {
        HeldValue::Months(months) => Some(months),
        _ => None,
    }
}

fn first_characters_of(value: HeldValue) -> Option<FirstCharacters> {
    match value {
        HeldValue::FirstCharacters(listed) => Some(listed),
        _ => None,
    }
}
