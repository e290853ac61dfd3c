//! A change of pages inside a transaction. The rule: the row of the tree must be unchanged since it was read, before all other reads; so every change is based
//! on the state after the previous one.

use crate::content::error::Result;
use crate::content::tables::rows::change_log::LogItem;
use crate::content::tables::rows::idempotency as key_rows;
use crate::content::write::Writer;
use crate::content::write::change_log::Changed;
use crate::content::write::keyed::NewKey;
use crate::keys::{Table, site_page as keys};
use crate::model::{Instant, PostId};
use crate::store::{Etag, Key, Properties};

use super::posts::used;
use super::revisions;

/// The writes of a change of pages.
pub(in crate::content::write) struct PagesChange {
    /// The ETag of the row of the tree when it was read; `None` if it did not exist.
    pub tree: Option<Etag>,
    pub rows: Vec<(Key, Option<Properties>)>,
    /// The versions that are replaced.
    pub replaced: Vec<(PostId, i32, Properties)>,
    pub deleted: Vec<PostId>,
    pub items: Vec<LogItem>,
    /// An idempotency key, the page that it creates, and the current instant.
    pub key: Option<(NewKey, PostId, Instant)>,
}

impl Writer {
    /// Returns false if another change was made since the tree was read, or if the key was used: on tables, its row becomes visible after the tree's.
    pub(in crate::content::write) async fn change_pages_at_once(&self, change: PagesChange) -> Result<bool> {
        self.transact(move |rows, _| {
            rows.expect([(Table::Pages, keys::tree())]);
            if rows.get(Table::Pages, &keys::tree())?.map(|row| row.etag) != change.tree {
                return Ok((false, Changed::default()));
            }
            if let Some((key, page, now)) = &change.key {
                rows.expect([(Table::Idempotency, key.place.clone())]);
                if used(rows, key, *now)?.is_some() {
                    return Ok((false, Changed::default()));
                }
                rows.put(Table::Idempotency, key.place.clone(), key_rows::row(&key.row(page, *now)));
            }
            for (key, properties) in change.rows.iter().cloned() {
                match properties {
                    Some(properties) => rows.put(Table::Pages, key, properties),
                    None => rows.delete(Table::Pages, key),
                }
            }
            for (id, version, row) in change.replaced.iter().cloned() {
                revisions::keep(rows, &id, version, row);
            }
            for id in &change.deleted {
                revisions::delete_all(rows, id)?;
            }
            Ok((true, Changed { objects: change.items.clone(), new_tags: Vec::new() }))
        })
        .await
    }
}
