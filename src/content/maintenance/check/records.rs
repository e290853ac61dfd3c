//! Checks the tables whose rows follow from no post or term: `Assets`, `Tokens`, `Webhooks`, `Revisions`, `Changes`, `ChangeLog`, `Idempotency` and `Log`. The rule:
//! each row can be decoded and fits its key. Beyond that, an asset and its copy in the list are equal; a version belongs to a post or page that exists,
//! because no text of a deleted one may remain; and followers can continue from every entry of the log of changes.

use std::collections::BTreeMap;

use crate::content::error::Result;
use crate::content::tables::Scan;
use crate::content::tables::rows::{
    asset, change, change_log as log_rows, idempotency as used_keys, post, token as tokens, webhook as webhooks,
};
use crate::content::webhooks::Webhook;
use crate::keys::asset::{self as asset_keys, AssetRow};
use crate::keys::change_log::{self, LogKey};
use crate::keys::{Table, history, idempotency, lookup, site_page as page_keys, token, webhook};
use crate::model::{Asset, AssetHash, PostId};
use crate::store::{Entity, Key, Store, StoreError, is_row_of_log};

use super::known::Posts;
use super::partition::Partitions;
use super::report::{CheckReport, Fix};

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<()> {
    for table in [Table::Tokens, Table::Webhooks, Table::Changes, Table::Idempotency, Table::Log] {
        let mut pages = Scan::of(store, table);
        while let Some(rows) = pages.next().await? {
            check_rows(table, &rows, report);
        }
    }
    for table in [Table::Assets, Table::Revisions, Table::ChangeLog] {
        let mut partitions = Partitions::of(store, table);
        while let Some(rows) = partitions.next().await? {
            check_rows(table, &rows, report);
            match table {
                Table::Assets => check_assets(&rows, report),
                Table::Revisions => check_owner(store, posts, &rows[0].key, report).await?,
                _ => check_change_log(store, &rows, report).await?,
            }
        }
    }
    Ok(())
}

fn check_rows(table: Table, rows: &[Entity], report: &mut CheckReport) {
    // Rows of the two logs do not count as content.
    report.rows += if matches!(table, Table::ChangeLog | Table::Log) { 0 } else { rows.len() as u64 };
    rows.iter().for_each(|row| check_row(table, row, report));
}

fn check_row(table: Table, row: &Entity, report: &mut CheckReport) {
    let (read, fix) = match table {
        Table::Tokens => (read_token(row), Fix::TOKEN),
        Table::Webhooks => (read_webhook(row), Fix::WEBHOOK),
        Table::Assets => (read_asset(row), Fix::ASSET),
        Table::Revisions => (history::parse_revision(&row.key).map(|_| post::read_whole(row).map(drop)), Fix::HISTORY),
        Table::Changes => (history::parse_change(&row.key).map(|_| change::read(row).map(drop)), Fix::HISTORY),
        Table::ChangeLog => (read_log(row), Fix::ChangeLog),
        Table::Idempotency => (idempotency::is_row(&row.key).then(|| used_keys::read(row).map(drop)), Fix::HISTORY),
        _ => (is_row_of_log(&row.key).then_some(Ok(())), Fix::ORPHAN),
    };
    match read {
        None => report.add_orphan(table, &row.key),
        Some(Err(error)) => report.add_unreadable(table, row, &error, fix),
        Some(Ok(())) => {
            let checked = match table {
                Table::Revisions => post::check_actor(row),
                Table::Changes => change::check_actor(row),
                _ => Ok(()),
            };
            if let Err(error) = checked {
                report.add_unreadable(table, row, &error, Fix::ACTOR);
            }
        }
    }
}

/// `None` if the key is invalid in this table.
type Decoded = Option<Result<(), StoreError>>;

fn read_token(row: &Entity) -> Decoded {
    if token::parse(&row.key).is_some() {
        return Some(tokens::read(row).map(drop));
    }
    (row.key == token::preview_key()).then(|| tokens::read_key(row).and(tokens::read_key_version(row)).map(drop))
}

fn read_webhook(row: &Entity) -> Decoded {
    if webhook::parse(&row.key).is_some() {
        return Some(webhooks::read::<Webhook>(row).map(drop));
    }
    (row.key == webhook::sender()).then(|| webhooks::read_sender(row).map(drop))
}

fn read_asset(row: &Entity) -> Decoded {
    Some(match asset_keys::parse(&row.key)? {
        AssetRow::Asset(_) | AssetRow::Listed(..) => asset::read(row).map(drop),
        // This is an upload or a deletion in progress.
        AssetRow::Pending(_) => asset::read_pending(row).map(drop),
    })
}

fn read_log(row: &Entity) -> Decoded {
    Some(match change_log::parse(&row.key)? {
        LogKey::Due(..) => Ok(()),
        LogKey::Head => log_rows::read_head(row).map(drop),
        LogKey::Entry(_) => log_rows::read_entry(row).map(drop),
    })
}

fn check_assets(rows: &[Entity], report: &mut CheckReport) {
    let (mut assets, mut listed) = (BTreeMap::<AssetHash, Asset>::new(), Vec::new());
    for (key, asset) in rows.iter().filter_map(|row| Some((asset_keys::parse(&row.key)?, asset::read(row).ok()?))) {
        match key {
            AssetRow::Asset(hash) => drop(assets.insert(hash, asset)),
            AssetRow::Listed(..) => listed.push(asset),
            AssetRow::Pending(_) => {}
        }
    }
    for copy in listed {
        if assets.remove(copy.hash()).is_none_or(|asset| asset != copy) {
            let key = asset_keys::listed(copy.created_at, copy.hash());
            report.add(Table::Assets, &key, "is not equal to the row of the asset", Fix::ASSET);
        }
    }
    for hash in assets.into_keys() {
        report.add(Table::Assets, &asset_keys::asset(&hash), "is not in the list of assets", Fix::ASSET);
    }
}

/// `first`: the first row of a partition, which has the versions of one post or page.
async fn check_owner(store: &Store, posts: &Posts, first: &Key, report: &mut CheckReport) -> Result<()> {
    let Some((id, _)) = history::parse_revision(first).filter(|(id, _)| posts.get(id).is_none()) else {
        return Ok(());
    };
    // The row is read again, because the versions of a post that was deleted meanwhile are gone.
    if is_without_owner(store, &id).await? && store.get(Table::Revisions.name(), first).await?.is_some() {
        let what = format!("an earlier version of {id} is kept, and no post or page has this id");
        report.add(Table::Revisions, first, what, Fix::Revisions(id));
    }
    Ok(())
}

/// Whether no post or page has this id.
async fn is_without_owner(store: &Store, id: &PostId) -> Result<bool> {
    let of_post = store.get(Table::PostKeys.name(), &lookup::by_id(id)).await?;
    Ok(of_post.is_none() && store.get(Table::Pages.name(), &page_keys::whole(id)).await?.is_none())
}

/// Checks that no number is missing, and that the head does not name an entry that does not exist.
async fn check_change_log(store: &Store, rows: &[Entity], report: &mut CheckReport) -> Result<()> {
    // Rows are sorted by key, so the head comes before the entries, and the entries that it names must follow.
    let (mut head, mut last) = (None, None);
    for row in rows {
        match change_log::parse(&row.key) {
            Some(LogKey::Head) => head = Some((row, log_rows::read_head(row).ok())),
            Some(LogKey::Entry(number)) => {
                if last.is_some_and(|last| last + 1 != number) && !is_first(store, number).await? {
                    report.add(Table::ChangeLog, &row.key, "is not after the number before it", Fix::ChangeLog);
                }
                last = Some(number);
            }
            Some(LogKey::Due(..)) | None => {}
        }
    }
    match (head, last) {
        (Some((row, Some(newest))), last) if last.is_none_or(|last| last < newest.sequence) => {
            report.add(Table::ChangeLog, &row.key, "names an entry that does not exist", Fix::ChangeLog);
        }
        (None, Some(last)) => {
            report.add(Table::ChangeLog, &change_log::entry(last), "is in a log without a head", Fix::ChangeLog);
        }
        _ => {}
    }
    Ok(())
}

/// Whether the entries before this one have been dropped meanwhile.
async fn is_first(store: &Store, number: i64) -> Result<bool> {
    let page = store.range(Table::ChangeLog.name(), &change_log::entries(0, None).of_keys(), 1, None).await?;
    Ok(page.rows.first().is_some_and(|first| first.key.row() >= change_log::entry(number).row()))
}
