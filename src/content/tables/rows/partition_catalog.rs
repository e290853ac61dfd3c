//! The rows that list partitions: months of posts, first characters of terms. The rule: a partition is listed before it holds a row, either with a
//! count, which is a copy of its `!count`, or with the name of the intent that will put a row there.

use std::collections::BTreeSet;

use crate::model::Month;
use crate::store::{Entity, Properties, StoreError};

use super::count::{self, Count};
use super::{NewRow, RowFields};

/// One partition: a month, or the first character of slugs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<P> {
    pub partition: P,
    pub count: Count,
    /// Whether an open intent will put a row there.
    pub is_awaited: bool,
}

impl<P> Listed<P> {
    /// Whether the partition may hold rows.
    pub fn may_hold_rows(&self) -> bool {
        self.count.rows > 0 || self.is_awaited
    }
}

const AWAITED_BY: &str = "AwaitedBy";

/// The names of the intents that will put a row into the partition.
pub fn awaited_by(row: &Entity) -> Result<BTreeSet<String>, StoreError> {
    let text = RowFields(row).optional_text(AWAITED_BY)?;
    Ok(text.map(|text| text.split(' ').map(ToOwned::to_owned).collect()).unwrap_or_default())
}

/// `awaited_by`: the names of the intents that will put a row into the partition.
pub fn row(partition: &str, copied: &Count, awaited_by: &BTreeSet<String>) -> Properties {
    let names: Vec<&str> = awaited_by.iter().map(String::as_str).collect();
    let names = (!names.is_empty()).then(|| names.join(" "));
    let mut properties = NewRow::default().text("Partition", partition).optional_text(AWAITED_BY, names).build();
    for (name, value) in count::row(copied).iter() {
        properties.set(name, value.clone());
    }
    properties
}

pub fn read_month(row: &Entity) -> Result<Listed<Month>, StoreError> {
    Ok(Listed { partition: RowFields(row).parsed("Partition")?, count: count::read(row)?, is_awaited: is_awaited(row) })
}

pub fn read_first_character(row: &Entity) -> Result<Listed<String>, StoreError> {
    Ok(Listed {
        partition: RowFields(row).text("Partition")?.to_string(),
        count: count::read(row)?,
        is_awaited: is_awaited(row),
    })
}

fn is_awaited(row: &Entity) -> bool {
    row.properties.get(AWAITED_BY).is_some()
}
