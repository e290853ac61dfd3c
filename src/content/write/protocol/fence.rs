//! Makes a late commit fail. The rule (W6): before a change is undone whose writer may still be at work, the row that its commit replaces is written
//! again, so that its ETag changes.

use crate::content::error::Result;
use crate::content::tables::rows::marker::{self, Marker};
use crate::content::tables::rows::post as rows;
use crate::content::tables::rows::term::{self as term_rows, TermRow};
use crate::content::write::retry::retry_on_conflict;
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, Table, place, term};
use crate::model::{Post, Term};
use crate::store::{Batch, Entity, Key, Operation, Precondition, Properties, Store};

use super::intent;

/// Fences one change of a post. One or two requests.
pub(super) async fn raise(store: &Store, name: &IntentName, before: Option<&Post>, after: Option<&Post>) -> Result<()> {
    match (before, after) {
        (Some(before), _) => renew_post(store, name, before).await,
        (None, Some(after)) => fence_marker(store, name, after).await,
        (None, None) => Ok(()),
    }
}

async fn renew_post(store: &Store, name: &IntentName, before: &Post) -> Result<()> {
    let place = PostPlace::of(before);
    retry_on_conflict("a post", || async {
        let row = store.get(place.collection.name(), &place.whole(&before.slug)).await?;
        let Some(row) = row.filter(|row| is_to_renew(row, name, before)) else { return Ok(()) };
        put(store, place.collection.table(), &row.key, rows::set_free(&row.properties), Precondition::Match(row.etag))
            .await
    })
    .await
}

/// Whether the row needs a new ETag. The row of another version, or one that another change has taken, has another ETag already. A committed change
/// is not fenced.
fn is_to_renew(row: &Entity, name: &IntentName, before: &Post) -> bool {
    let is_same = rows::read_summary(row).is_ok_and(|found| found.id == before.id && found.version == before.version);
    let is_committed = rows::made_by(row).is_ok_and(|by| by.as_ref() == Some(name));
    let is_taken_by_another = rows::taken_by(row).is_ok_and(|by| by.is_some_and(|by| by != *name));
    is_same && !is_committed && !is_taken_by_another
}

async fn fence_marker(store: &Store, name: &IntentName, after: &Post) -> Result<()> {
    let place = PostPlace::of(after);
    let key = place::marker(place.partition(), &after.id);
    retry_on_conflict("a post", || async {
        let precondition = match store.get(place.collection.name(), &key).await? {
            None if has_rows(store, &place, after).await? => return Ok(()),
            None => Precondition::Absent,
            Some(row) => {
                let marker = marker::read(&row)?;
                let is_fenced = matches!(&marker, Marker::Fenced(by) if *by == name.to_string());
                if is_fenced || is_of_an_open_change(store, name, marker.by()).await? {
                    return Ok(());
                }
                Precondition::Match(row.etag)
            }
        };
        put(store, place.collection.table(), &key, marker::row(&Marker::Fenced(name.to_string())), precondition).await
    })
    .await
}

/// Whether the row is of another change, which is open. The fenced change would wait for that one, and read the row again.
async fn is_of_an_open_change(store: &Store, name: &IntentName, by: &str) -> Result<bool> {
    match by.parse::<IntentName>() {
        Ok(by) if by != *name => Ok(!intent::is_closed(store, &by).await?),
        _ => Ok(false),
    }
}

async fn has_rows(store: &Store, place: &PostPlace, after: &Post) -> Result<bool> {
    let row = store.get(place.collection.name(), &place.whole(&after.slug)).await?;
    Ok(row.is_some_and(|row| rows::read_summary(&row).is_ok_and(|post| post.id == after.id)))
}

/// Removes the marker that names an intent whose creation of a post was not made.
pub(super) async fn remove_marker(store: &Store, name: &IntentName, after: &Post) -> Result<()> {
    let place = PostPlace::of(after);
    let key = place::marker(place.partition(), &after.id);
    retry_on_conflict("a post", || async {
        let Some(row) = store.get(place.collection.name(), &key).await? else { return Ok(()) };
        if marker::read(&row)?.by() != name.to_string() {
            return Ok(());
        }
        let delete = Operation::Delete { row: key.row().to_owned(), precondition: Precondition::Match(row.etag) };
        store.commit(place.collection.name(), &Batch::new(key.partition(), vec![delete])?).await?;
        Ok(())
    })
    .await
}

/// Fences one change of a term: the identity row is written again, without `DeletingBy`. If it is absent, a row with `GoneBy` is written, which
/// prevents a late reservation of a creation.
pub(super) async fn raise_term(store: &Store, name: &IntentName, before: Option<&Term>, changed: &Term) -> Result<()> {
    let kind = changed.kind();
    let (table, key) = (Table::Terms(kind), term::term(&changed.id.first_slug));
    retry_on_conflict("a term", || async {
        let Some(row) = store.get(table.name(), &key).await? else {
            // Only the reservation of a creation can still arrive.
            return match before {
                None => put(store, table, &key, term_rows::fence(&name.to_string()), Precondition::Absent).await,
                Some(_) => Ok(()),
            };
        };
        let found = match term_rows::read(kind, &row)? {
            TermRow::Identity(found) => found,
            // A creation replaces its own reservation, and the row that a closed change has left.
            TermRow::Gone { by, .. } if before.is_none() && !is_of_an_open_change(store, name, &by).await? => {
                let fence = term_rows::fence(&name.to_string());
                return put(store, table, &key, fence, Precondition::Match(row.etag)).await;
            }
            TermRow::Gone { .. } | TermRow::Slug(_) => return Ok(()),
        };
        if found.made_by.as_ref() == Some(name) || found.deleting_by.is_some_and(|by| by != *name) {
            return Ok(());
        }
        let properties = term_rows::without_deleting(&row.properties);
        put(store, table, &key, properties, Precondition::Match(row.etag)).await
    })
    .await
}

async fn put(store: &Store, table: Table, key: &Key, properties: Properties, precondition: Precondition) -> Result<()> {
    let put = Operation::Put { row: key.row().to_owned(), properties, precondition };
    store.commit(table.name(), &Batch::new(key.partition(), vec![put])?).await?;
    Ok(())
}
