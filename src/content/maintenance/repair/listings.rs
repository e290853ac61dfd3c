//! Fixes the partition catalogs: the lists of months and of first characters. The rule: the row that lists a partition has a copy of its count,
//! or 0 if it has none; a row that lists a partition other than that of its key is removed.

use crate::content::error::Result;
use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::partition_catalog as rows;
use crate::content::write::{Partition, retry_on_conflict};
use crate::keys::{Table, place};
use crate::store::{Entity, Key};

use super::Done;
use super::context::{FoundRow, Repair};

impl Repair<'_> {
    pub(super) async fn fix_listing(&self, partition: &Partition) -> Result<Done> {
        retry_on_conflict("the list of partitions", || self.list_once(partition)).await
    }

    async fn list_once(&self, partition: &Partition) -> Result<Done> {
        // The copy is read before the count: if the count changes in between, the copy that is written is still the newer one.
        let (table, key) = partition.listing();
        let found = self.get(table, &key).await?;
        let (count_table, count_key) = partition.count();
        let own = match self.get(count_table, &count_key).await?.map(|row| count::read(&row)) {
            None => Count::default(),
            Some(Ok(own)) => own,
            Some(Err(_)) => return Ok(Done::left("its count row cannot be read")),
        };
        let name = partition.name();
        let is_right = match &found {
            None => own == Count::default(),
            Some(row) => {
                rows::read_first_character(row).is_ok_and(|listed| listed.partition == name && listed.count == own)
            }
        };
        if is_right {
            return Ok(Done::Nothing);
        }
        let expected = Some(rows::row(&name, &own));
        self.make(table, key.partition(), vec![FoundRow { row: key.row().to_owned(), found, expected }]).await?;
        Ok(Done::fixed(format!("listed with the count of the partition: {}", own.rows)))
    }

    pub(super) async fn fix_stray_listing(&self, table: Table, key: &Key) -> Result<Done> {
        retry_on_conflict("the list of partitions", || async {
            let Some(found) = self.get(table, key).await? else { return Ok(Done::Nothing) };
            if !is_stray(table, &found) {
                return Ok(Done::Nothing);
            }
            let row = FoundRow { row: key.row().to_owned(), found: Some(found), expected: None };
            self.make(table, key.partition(), vec![row]).await?;
            Ok(Done::fixed("removed"))
        })
        .await
    }
}

fn is_stray(table: Table, row: &Entity) -> bool {
    match table {
        Table::Months => {
            let of_row = place::parse_month_row(&row.key).map(|(_, month)| month);
            rows::read_month(row).is_ok_and(|listed| Some(listed.partition) != of_row)
        }
        _ => rows::read_first_character(row).is_ok_and(|listed| listed.partition != row.key.row()),
    }
}
