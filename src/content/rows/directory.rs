//! The rows that list partitions: months of posts, first characters of terms. The rule: a partition is listed before it holds a row, and its
//! count here is a copy of its `!count`, of which the higher sequence wins.

use crate::model::Month;
use crate::store::{Entity, Properties, StoreError};

use super::count::{self, Count};
use super::{Fields, NewRow};

/// One partition: a month, or the first character of slugs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<P> {
    pub partition: P,
    pub count: Count,
}

pub fn row(partition: &str, copied: &Count) -> Properties {
    let mut properties = NewRow::default().text("Partition", partition).build();
    for (name, value) in count::row(copied).iter() {
        properties.set(name, value.clone());
    }
    properties
}

pub fn read_month(row: &Entity) -> Result<Listed<Month>, StoreError> {
    Ok(Listed { partition: Fields(row).parsed("Partition")?, count: count::read(row)? })
}

pub fn read_first_character(row: &Entity) -> Result<Listed<String>, StoreError> {
    Ok(Listed { partition: Fields(row).text("Partition")?.to_string(), count: count::read(row)? })
}
