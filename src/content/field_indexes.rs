//! The list of declared fields with an index in this store. The rule: a field is listed in the store before a change writes its index rows, and a filter by the
//! field is refused until every post has its index rows.
//!
//! A post names its index rows itself ([`Post::field_index`](crate::model::Post::field_index)), so no change needs this list.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::keys::{Table, field_index};
use crate::model::{IndexKind, IndexedFields};
use crate::store::{Batch, Operation, Precondition, Store};

use super::error::{ContentError, Result};
use super::tables::rows::field_index::{self as rows, ListedFields};
use super::write::retry_on_conflict;

/// How often the list is read again while filters by an unbuilt field are requested.
const READ_EVERY: Duration = Duration::from_secs(1);

/// The last read list.
#[derive(Debug, Default)]
pub(super) struct FieldIndexes(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    fields: ListedFields,
    read_at: Option<Instant>,
}

/// The declared and the built indexes, with which a check compares the posts.
#[derive(Debug, Clone)]
pub(super) struct CheckedFields {
    pub indexed: IndexedFields,
    /// The indexed fields whose index is not built.
    pub unbuilt: Vec<String>,
}

impl FieldIndexes {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self) -> ListedFields {
        self.known().fields.clone()
    }

    fn set(&self, fields: ListedFields) {
        *self.known() = Known { fields, read_at: Some(Instant::now()) };
    }

    /// One point read. A damaged row lists nothing, so that filters are refused until a repair writes it again.
    pub(super) async fn read_again(&self, store: &Store) -> Result<()> {
        let row = store.get(Table::PostsBy(IndexKind::Field).name(), &field_index::fields()).await?;
        self.set(row.as_ref().and_then(|row| rows::read(row).ok()).unwrap_or_default());
        Ok(())
    }

    /// # Errors
    /// [`ContentError::IndexNotBuilt`] if the index of this field is not built.
    pub(super) async fn require(&self, store: &Store, name: &str) -> Result<()> {
        let is_built = || self.known().fields.built.has(name);
        if is_built() {
            return Ok(());
        }
        let is_recent = self.known().read_at.is_some_and(|at| at.elapsed() < READ_EVERY);
        if !is_recent {
            self.read_again(store).await?;
        }
        if is_built() { Ok(()) } else { Err(ContentError::IndexNotBuilt { field: name.to_owned() }) }
    }

    pub(super) async fn change(&self, store: &Store, change: impl Fn(ListedFields) -> ListedFields) -> Result<()> {
        let (table, key) = (Table::PostsBy(IndexKind::Field).name(), field_index::fields());
        let written = retry_on_conflict("the list of indexed fields", || async {
            let row = store.get(table, &key).await?;
            let stored = row.as_ref().and_then(|row| rows::read(row).ok());
            let fields = change(stored.clone().unwrap_or_default());
            let is_written = stored.as_ref() == Some(&fields) || (row.is_none() && fields == ListedFields::default());
            if !is_written {
                let precondition = row.map_or(Precondition::Absent, |row| Precondition::Match(row.etag));
                let put = Operation::Put { row: key.row().to_owned(), properties: rows::row(&fields), precondition };
                store.commit(table, &Batch::new(key.partition(), vec![put])?).await?;
            }
            Ok::<_, ContentError>(fields)
        });
        self.set(written.await?);
        Ok(())
    }
}
