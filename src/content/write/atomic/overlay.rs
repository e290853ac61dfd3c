//! The rows inside a transaction: those of the store, with the writes of this transaction on top. The rule: a later change of the same transaction sees the
//! writes of an earlier one.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::keys::Table;
use crate::store::transaction::WrittenRows;
use crate::store::{Entity, Key, PAGE_ROWS_MAX, Properties, RowRange, RowWrite, Rows, StoreError};

pub(in crate::content) struct Overlay<'a> {
    stored: &'a dyn Rows,
    written: WrittenRows,
    /// Cached rows of terms, because the posts of one transaction often have the same terms.
    terms: RefCell<HashMap<(Table, Key), Option<Entity>>>,
}

/// The maximum number of cached rows of terms.
const TERMS_MAX: usize = 10_000;

impl<'a> Overlay<'a> {
    pub(in crate::content) fn new(stored: &'a dyn Rows) -> Self {
        Self { stored, written: WrittenRows::default(), terms: RefCell::default() }
    }

    /// Announces the rows that the change will read.
    pub(in crate::content) fn expect(&self, rows: impl IntoIterator<Item = (Table, Key)>) {
        let rows: Vec<_> = rows.into_iter().map(|(table, key)| (table.name(), key)).collect();
        self.stored.expect(&rows);
    }

    pub(in crate::content) fn get(&self, table: Table, key: &Key) -> Result<Option<Entity>, StoreError> {
        match self.written.get(table.name(), key) {
            Some(written) => Ok(written),
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

    pub(in crate::content) fn put(&mut self, table: Table, key: Key, properties: Properties) {
        self.written.write(table.name(), key, Some(properties));
    }

    /// Deleting a row that does not exist is not an error.
    pub(in crate::content) fn delete(&mut self, table: Table, key: Key) {
        self.written.write(table.name(), key, None);
    }

    /// Undoes all writes.
    pub(in crate::content) fn discard(&mut self) {
        self.written = WrittenRows::default();
    }

    /// All rows of a range, ascending.
    pub(in crate::content) fn range(&self, table: Table, range: &RowRange) -> Result<Vec<Entity>, StoreError> {
        let (mut stored, mut rest) = (Vec::new(), range.clone());
        loop {
            let page = self.stored.range(table.name(), &rest, PAGE_ROWS_MAX)?;
            let last = page.last().filter(|_| page.len() == PAGE_ROWS_MAX).map(|row| row.key.row().to_owned());
            stored.extend(page);
            // The space sorts before every other character of a key, so it appends to the last key.
            let Some(last) = last else { return self.written.over(table.name(), range, stored) };
            rest = rest.starting_at(format!("{last} "))?;
        }
    }

    pub(in crate::content) fn into_writes(self) -> Vec<RowWrite> {
        self.written.into_writes()
    }
}
