//! The rows inside a transaction: those of the store, with the writes of this transaction on top. The rule: a later change of the same transaction
//! sees what an earlier one has written.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use crate::keys::Table;
use crate::store::{Entity, Etag, Key, PAGE_ROWS_MAX, Properties, RowRange, RowWrite, Rows, StoreError};

pub(super) struct Overlay<'a> {
    stored: &'a dyn Rows,
    /// `None`: deleted.
    written: BTreeMap<(Table, Key), Option<Properties>>,
    /// Stored rows of terms that were read, because the posts of one transaction often have the same terms.
    terms: RefCell<HashMap<(Table, Key), Option<Entity>>>,
}

/// The maximum number of rows of terms that are kept.
const TERMS_MAX: usize = 10_000;

impl<'a> Overlay<'a> {
    pub(super) fn new(stored: &'a dyn Rows) -> Self {
        Self { stored, written: BTreeMap::new(), terms: RefCell::default() }
    }

    /// Announces that the change will read these rows.
    pub(super) fn expect(&self, rows: impl IntoIterator<Item = (Table, Key)>) {
        let rows: Vec<_> = rows.into_iter().map(|(table, key)| (table.name(), key)).collect();
        self.stored.expect(&rows);
    }

    /// A row that was written in this transaction has an ETag that no stored row has; it gets its own ETag at the commit.
    pub(super) fn get(&self, table: Table, key: &Key) -> Result<Option<Entity>, StoreError> {
        match self.written.get(&(table, key.clone())) {
            Some(properties) => Ok(properties.clone().map(|properties| unsaved(key, properties))),
            None if matches!(table, Table::Terms(_)) => self.stored_term(table, key),
            None => self.stored.get(table.name(), key),
        }
    }

    fn stored_term(&self, table: Table, key: &Key) -> Result<Option<Entity>, StoreError> {
        let place = (table, key.clone());
        if let Some(row) = self.terms.borrow().get(&place) {
            return Ok(row.clone());
        }
        let row = self.stored.get(table.name(), key)?;
        let mut terms = self.terms.borrow_mut();
        if terms.len() < TERMS_MAX {
            terms.insert(place, row.clone());
        }
        Ok(row)
    }

    pub(super) fn put(&mut self, table: Table, key: Key, properties: Properties) {
        self.written.insert((table, key), Some(properties));
    }

    /// Deleting a row that does not exist is not an error.
    pub(super) fn delete(&mut self, table: Table, key: Key) {
        self.written.insert((table, key), None);
    }

    /// All rows of a range, ascending.
    pub(super) fn range(&self, table: Table, range: &RowRange) -> Result<Vec<Entity>, StoreError> {
        let mut found: BTreeMap<Key, Entity> = BTreeMap::new();
        let mut rest = range.clone();
        loop {
            let page = self.stored.range(table.name(), &rest, PAGE_ROWS_MAX)?;
            let last = page.last().filter(|_| page.len() == PAGE_ROWS_MAX).map(|row| row.key.row().to_owned());
            found.extend(page.into_iter().map(|row| (row.key.clone(), row)));
            // The space sorts before every other character of a key.
            let Some(last) = last else { break };
            rest = rest.starting_at(format!("{last} "))?;
        }
        for (key, properties) in self.written_in(table, range)? {
            match properties {
                Some(properties) => drop(found.insert(key.clone(), unsaved(key, properties.clone()))),
                None => drop(found.remove(key)),
            }
        }
        Ok(found.into_values().collect())
    }

    fn written_in<'r>(
        &'r self,
        table: Table,
        range: &'r RowRange,
    ) -> Result<impl Iterator<Item = (&'r Key, &'r Option<Properties>)>, StoreError> {
        let first = Key::new(range.partition(), range.from().unwrap_or_default())?;
        let is_in = move |of: &Table, key: &Key| {
            *of == table && key.partition() == range.partition() && range.to().is_none_or(|to| key.row() < to)
        };
        let rows = self.written.range((Bound::Included((table, first)), Bound::Unbounded));
        Ok(rows.take_while(move |((of, key), _)| is_in(of, key)).map(|((_, key), properties)| (key, properties)))
    }

    pub(super) fn into_writes(self) -> Vec<RowWrite> {
        let write = |((table, key), properties): ((Table, Key), _)| RowWrite { table: table.name(), key, properties };
        self.written.into_iter().map(write).collect()
    }
}

fn unsaved(key: &Key, properties: Properties) -> Entity {
    Entity { key: key.clone(), etag: Etag(Default::default()), properties }
}
