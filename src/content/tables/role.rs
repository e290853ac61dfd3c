//! The role that each row has for the readers of its table. The log of a store applies a change in ranks by these roles (R3).

use super::rows::{self, partition_catalog};
use crate::keys::{COUNT_ROW, Table, change_log, place, site_page, term};
use crate::store::{Key, Properties, RowRole};

/// The prefix of rows that describe their whole partition.
const OF_PARTITION: char = '!';

/// The role of a written row. `properties`: `None` if it is deleted.
pub(in crate::content) fn role(table: &str, key: &Key, properties: Option<&Properties>) -> RowRole {
    let Some(table) = Table::ALL.into_iter().find(|known| known.name() == table) else { return RowRole::Together };
    match table {
        _ if key.row() == COUNT_ROW => RowRole::Count,
        // A partition is listed before it has posts, and as empty only after its last row is gone.
        Table::Months => of_listing(properties),
        Table::Terms(_) | Table::PostsBy(_) if key.partition() == term::CATALOG_PARTITION => of_listing(properties),
        Table::PostKeys => RowRole::Lookup,
        // An abandoned slug stays listed until the new slug is listed.
        Table::Terms(_) if properties.is_some_and(rows::term::is_unlisted) => RowRole::Conclusion,
        Table::Terms(_) if !key.row().starts_with(OF_PARTITION) => RowRole::Lookup,
        // A version is stored as a revision before it is replaced.
        Table::PostsBy(_) | Table::Revisions => RowRole::Pointer,
        Table::Posts | Table::Drafts => match place::is_whole_row(key.row()) {
            true => RowRole::Object,
            false => RowRole::Summary,
        },
        Table::Pages if site_page::is_path_row(key.row()) => RowRole::Path,
        // Changes of pages are based on this row: a reader of a partly applied change still reads its earlier state.
        Table::Pages if *key == site_page::tree() => RowRole::Count,
        // The head names the newest entry, so it is written together with it, as a count is.
        Table::ChangeLog if *key == change_log::head() => RowRole::Count,
        Table::ChangeLog | Table::Changes => RowRole::Report,
        // A used key claims that its post exists.
        Table::Idempotency => RowRole::Conclusion,
        _ => RowRole::Together,
    }
}

fn of_listing(properties: Option<&Properties>) -> RowRole {
    match properties.is_none_or(partition_catalog::has_rows) {
        true => RowRole::Pointer,
        false => RowRole::Conclusion,
    }
}
