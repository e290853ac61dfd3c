//! Checks `Revisions` and `Changes`: earlier versions of posts and pages, and what was changed. The rule: each row can be decoded and fits its
//! key, and a version belongs to a post or page that exists, because no text of a deleted one may remain.

use crate::content::error::Result;
use crate::content::tables::rows::{change, post};
use crate::keys::{Table, history, lookup, site_page as page_keys};
use crate::model::PostId;
use crate::store::{Key, Store};

use super::fix::Fix;
use super::known::Posts;
use super::partition::Partitions;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<()> {
    // The first version of each id for which no post was found.
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
    for (id, key) in unknown {
        // Read again: the versions of a post that was deleted meanwhile are gone by now.
        if is_without_owner(store, &id).await? && store.get(Table::Revisions.name(), &key).await?.is_some() {
            let what = format!("an earlier version of {id} is kept, and no post or page has this id");
            report.add(Table::Revisions, &key, what, Fix::Revisions(id));
        }
    }
    Ok(())
}

/// Whether no post or page has this id.
async fn is_without_owner(store: &Store, id: &PostId) -> Result<bool> {
    let of_post = store.get(Table::PostKeys.name(), &lookup::by_id(id)).await?;
    Ok(of_post.is_none() && store.get(Table::Pages.name(), &page_keys::whole(id)).await?.is_none())
}
