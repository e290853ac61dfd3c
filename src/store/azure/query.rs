//! Range reads and scans as OData queries. The rule: a range names its partition and bounds its rows, so that the service seeks
//! and never scans.

use azure_core::{Context, Continuable};
use azure_data_tables::operations::{QueryEntityBuilder, QueryEntityResponse};
use azure_data_tables::prelude::{Select, TableClient, Top};

use super::json::StoredRow;
use crate::store::{Continuation, Page, RowRange};

/// The `$select` of a read that uses only the keys.
pub(super) const KEYS: &str = "PartitionKey,RowKey";

/// One request for a page of a range, or of the whole table.
#[derive(Clone, Copy)]
pub(super) struct TableQuery<'a> {
    pub(super) table: &'static str,
    pub(super) range: Option<&'a RowRange>,
    pub(super) limit: usize,
    pub(super) continuation: Option<&'a Continuation>,
}

impl TableQuery<'_> {
    pub(super) fn build(&self, table: &TableClient, context: Context) -> QueryEntityBuilder {
        let mut query = table.query().top(Top::new(self.limit as u32)).context(context);
        if let Some(range) = self.range {
            query = query.filter(filter(range));
            if range.is_of_keys() {
                query = query.select(Select::new(KEYS));
            }
        }
        let Some(Continuation(next)) = self.continuation else { return query };
        match next.split_once('\n') {
            Some((partition, row)) => query.initial_partition_key(partition).initial_row_key(row),
            None => query.initial_partition_key(next.clone()),
        }
    }
}

/// The rows of a response, and the continuation from its two headers, which cannot contain a line feed.
pub(super) fn page(answer: QueryEntityResponse<StoredRow>) -> Page {
    let continuation = answer.continuation().map(|(partition, row)| match row {
        Some(row) => Continuation(format!("{partition}\n{row}")),
        None => Continuation(partition),
    });
    Page { rows: answer.entities.into_iter().map(|row| row.0).collect(), continuation }
}

fn filter(range: &RowRange) -> String {
    let mut filter = format!("PartitionKey eq {}", quoted(range.partition()));
    for (operator, bound) in [("ge", range.from()), ("lt", range.to())] {
        if let Some(bound) = bound {
            filter.push_str(&format!(" and RowKey {operator} {}", quoted(bound)));
        }
    }
    filter
}

/// A string literal. Quotes are doubled although a `Key` has none, because a filter is code.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_names_its_partition_and_both_bounds() {
        let range = |from: Option<&str>, to: Option<&str>| {
            filter(&RowRange::new("2025-02", from.map(Into::into), to.map(Into::into)).expect("a range"))
        };
        assert_eq!(range(Some("a"), Some("b")), "PartitionKey eq '2025-02' and RowKey ge 'a' and RowKey lt 'b'");
        assert_eq!(range(None, Some("b")), "PartitionKey eq '2025-02' and RowKey lt 'b'");
        assert_eq!(range(None, None), "PartitionKey eq '2025-02'");
        assert_eq!(quoted("O'Brien"), "'O''Brien'");
    }
}
