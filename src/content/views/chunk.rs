//! Views of one day, written by one transaction. The rule: the transaction replaces a row of the process with the number of the chunk, under its ETag, so that
//! a process that has lost the answer can find out whether it was committed.

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::views as rows;
use crate::keys::views as keys;
use crate::model::{Day, PostId};
use crate::store::{Batch, Entity, Key, Operation, Precondition, Properties, Store, StoreError};

/// Together with the rows of the process and of the day, this is the maximum number of rows in a transaction.
pub(super) const CHUNK_POSTS_MAX: usize = 98;
/// The maximum number of tries if other servers write the same rows; then the next flush continues.
const TRIES_MAX: u32 = 10;

#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) day: Day,
    pub(super) number: i64,
    pub(super) views: Vec<(PostId, i64)>,
}

impl Chunk {
    /// `writer`: the name of the process.
    pub(super) async fn write(&self, store: &Store, writer: &str) -> Result<()> {
        let table = keys::table(self.day.month());
        let of_all = [keys::writer(writer), keys::top(self.day)];
        let keys: Vec<Key> = of_all.into_iter().chain(self.views.iter().map(|(post, _)| keys::post(post))).collect();
        for _ in 0..TRIES_MAX {
            let rows: Vec<Option<Entity>> =
                store.get_many(table, &keys).await.into_iter().collect::<Result<_, StoreError>>()?;
            if let Some(writer) = &rows[0]
                && rows::read_writer(writer)? == self.number
            {
                return Ok(());
            }
            match store.commit(table, &self.batch(&keys, &rows)?).await {
                Ok(_) => return Ok(()),
                // Each row is replaced under its ETag, so a request that arrives late changes nothing.
                Err(StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(ContentError::Busy)
    }

    /// `rows`: the current rows, in the order of the keys.
    fn batch(&self, keys: &[Key], rows: &[Option<Entity>]) -> Result<Batch, StoreError> {
        let mut contents: Vec<Properties> = vec![rows::writer(self.number), Properties::new()];
        let mut grown = Vec::with_capacity(self.views.len());
        for ((post, more), row) in self.views.iter().zip(&rows[2..]) {
            let (properties, views) = rows::add(row.as_ref(), self.day, *more)?;
            contents.push(properties);
            grown.push((post.clone(), views));
        }
        contents[1] = rows::rank(rows[1].as_ref(), &grown)?;
        let put = |((key, row), properties): ((&Key, &Option<Entity>), Properties)| {
            let precondition = row.as_ref().map_or(Precondition::Absent, |row| Precondition::Match(row.etag.clone()));
            Operation::Put { row: key.row().to_owned(), properties, precondition }
        };
        Batch::new(keys::PARTITION, keys.iter().zip(rows).zip(contents).map(put).collect())
    }
}
