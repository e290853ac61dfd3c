//! What each row is to the readers of its table, for the log of a store that applies a change in ranks.

use super::rows::{self, partition_catalog};
use crate::keys::{COUNT_ROW, Table, change_log, place, site_page, term};
use crate::store::{Key, Properties, RowRole};

/// How the rows begin that describe all of their partition.
const OF_PARTITION: char = '!';

/// The role of a row of the table with this name, as it is written; `None`: it is removed.
pub(in crate::content) fn role(table: &str, key: &Key, properties: Option<&Properties>) -> RowRole {
    let Some(table) = Table::ALL.into_iter().find(|known| known.name() == table) else { return RowRole::Together };
    match table {
        _ if key.row() == COUNT_ROW => RowRole::Count,
        // A partition is listed before it has posts, and as empty only after its last row is gone.
        Table::Months => of_listing(properties),
        Table::Terms(_) if key.partition() == term::CATALOG_PARTITION => of_listing(properties),
        Table::PostKeys => RowRole::Lookup,
        // A slug that is given up is listed until the new one is.
        Table::Terms(_) if properties.is_some_and(rows::term::is_unlisted) => RowRole::Report,
        Table::Terms(_) if !key.row().starts_with(OF_PARTITION) => RowRole::Lookup,
        // A version is kept before it is replaced.
        Table::PostsBy(_) | Table::PostsByLanguage | Table::FeaturedPosts | Table::PostsByField | Table::Revisions => {
            RowRole::Pointer
        }
        Table::Posts | Table::Drafts => match place::is_whole_row(key.row()) {
            true => RowRole::Object,
            false => RowRole::Summary,
        },
        Table::Pages if site_page::is_path_row(key.row()) => RowRole::Path,
        // The head names the newest entry.
        Table::ChangeLog if *key == change_log::head() => RowRole::Count,
        // A key says that its post exists.
        Table::ChangeLog | Table::Changes | Table::Idempotency => RowRole::Report,
        _ => RowRole::Together,
    }
}

fn of_listing(properties: Option<&Properties>) -> RowRole {
    match properties.is_none_or(partition_catalog::has_rows) {
        true => RowRole::Pointer,
        false => RowRole::Report,
    }
}
