//! Rows that list partitions: months of posts, first characters of terms, languages of posts. The rule: the row has a copy of the `!count` of its partition.

use crate::model::Month;
use crate::store::{Entity, Properties, StoreError, Value};

use super::count::{self, Count};
use super::{NewRow, RowFields};

/// One partition: a month, the first character of slugs, or a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<P> {
    pub partition: P,
    pub count: Count,
}

impl<P> Listed<P> {
    pub fn may_hold_rows(&self) -> bool {
        self.count.rows > 0
    }
}

pub fn row(partition: &str, copied: &Count) -> Properties {
    let mut properties = NewRow::default().text("Partition", partition).build();
    for (name, value) in count::row(copied).iter() {
        properties.set(name, value.clone());
    }
    properties
}

/// Whether the listed partition has rows, from properties that `row` has built.
pub fn has_rows(row: &Properties) -> bool {
    row.get(count::ROWS) != Some(&Value::Int64(0))
}

pub fn read_month(row: &Entity) -> Result<Listed<Month>, StoreError> {
    Ok(Listed { partition: RowFields(row).parsed("Partition")?, count: count::read(row)? })
}

/// A first character, or a language by its tag in lower case.
pub fn read_name(row: &Entity) -> Result<Listed<String>, StoreError> {
    Ok(Listed { partition: RowFields(row).text("Partition")?.to_string(), count: count::read(row)? })
}
