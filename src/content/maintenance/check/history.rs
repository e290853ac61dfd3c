//! Checks `Revisions` and `Changes`: earlier versions of posts and pages, and what was changed. The rule: each row can be read as its key says, and a version
//! is that of a post or page that exists, because the text of one that was deleted must be gone.

use crate::content::error::Result;
use crate::content::tables::rows::{change, post, site_page};
use crate::content::tables::scan_all;
use crate::content::write::{StoredIntent, intent};
use crate::keys::{Table, history, lookup, site_page as page_keys};
use crate::model::PostId;
use crate::store::{Entity, Key, Store};

use super::fix::Fix;
use super::known::Posts;
use super::partition::Partitions;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<()> {
    // The first version of each post or page that was not found before.
    let mut unknown: Vec<(PostId, Key)> = Vec::new();
    for table in [Table::Revisions, Table::Changes] {
        let mut partitions = Partitions::of(store, table);
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            let first = rows.first().filter(|_| table == Table::Revisions);
            if let Some(row) = first
                && let Some((id, _)) = history::parse_revision(&row.key)
                && posts.get(&id).is_none()
            {
                unknown.push((id, row.key.clone()));
            }
            for row in rows {
                let read = match table {
                    Table::Revisions => history::parse_revision(&row.key).map(|_| post::read_whole(&row).map(drop)),
                    _ => history::parse_change(&row.key).map(|_| change::read(&row).map(drop)),
                };
                match read {
                    None => report.add(table, &row.key, "is not a row of this table", Fix::ORPHAN),
                    Some(Err(error)) => report.add_unreadable(table, &row, &error, Fix::HISTORY),
                    Some(Ok(())) => {
                        let checked =
                            if table == Table::Revisions { post::check_actor(&row) } else { change::check_actor(&row) };
                        if let Err(error) = checked {
                            report.add_unreadable(table, &row, &error, Fix::ACTOR);
                        }
                    }
                }
            }
        }
    }
    check_owners(store, unknown, report).await
}

async fn check_owners(store: &Store, unknown: Vec<(PostId, Key)>, report: &mut CheckReport) -> Result<()> {
    let mut without_owner = Vec::new();
    for (id, key) in unknown {
        if !has_owner(store, &id).await? {
            without_owner.push((id, key));
        }
    }
    if without_owner.is_empty() {
        return Ok(());
    }
    let deletions = Deletions::read(store).await?;
    for (id, key) in without_owner {
        // Read again: a deletion that was under way before may be complete now.
        if !deletions.may_include(&id) && store.get(Table::Revisions.name(), &key).await?.is_some() {
            let what = format!("an earlier version of {id} is kept, and no post or page has this id");
            report.add(Table::Revisions, &key, what, Fix::Revisions(id));
        }
    }
    Ok(())
}

/// Whether a post or page has this id.
async fn has_owner(store: &Store, id: &PostId) -> Result<bool> {
    let of_post = store.get(Table::PostKeys.name(), &lookup::by_id(id)).await?;
    Ok(of_post.is_some() || store.get(Table::Pages.name(), &page_keys::whole(id)).await?.is_some())
}

/// Whether the versions that are kept of this id are those of nothing, and no change that is under way will remove them.
pub(in crate::content::maintenance) async fn is_without_owner(store: &Store, id: &PostId) -> Result<bool> {
    Ok(!has_owner(store, id).await? && !Deletions::read(store).await?.may_include(id))
}

/// The changes that may still remove the versions of what they have deleted.
struct Deletions {
    intents: Vec<Entity>,
    /// What the newest change of pages has changed, if its record is missing, which is written after that.
    pages: Vec<String>,
}

impl Deletions {
    async fn read(store: &Store) -> Result<Self> {
        let intents = scan_all(store, Table::Intents).await?;
        let tree = store.get(Table::Pages.name(), &page_keys::tree()).await?;
        let tree = tree.as_ref().map(site_page::read_tree).and_then(std::result::Result::ok).unwrap_or_default();
        let record = tree.recent.first().and_then(history::change);
        let is_recorded = match record {
            Some(key) => store.get(Table::Changes.name(), &key).await?.is_some(),
            None => true,
        };
        let items = tree.last.filter(|_| !is_recorded).map(|last| last.items).unwrap_or_default();
        Ok(Self { intents, pages: items.into_iter().map(|changed| changed.item.id).collect() })
    }

    fn may_include(&self, id: &PostId) -> bool {
        let names = |row: &Entity| match intent::read(row) {
            Ok(StoredIntent::Open { intent, .. }) => intent.changes_post(id),
            Ok(StoredIntent::Kept { .. }) => false,
            Ok(StoredIntent::Foreign) | Err(_) => true,
        };
        self.intents.iter().any(names) || self.pages.iter().any(|page| page == id.as_str())
    }
}
