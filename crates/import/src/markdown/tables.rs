//! The tables in which Zola and Hugo keep terms and custom fields. The rule: a key at the top level wins over the same key in a table.

use super::value::Value;

pub(super) const TABLES: &[&str] = &["taxonomies", "extra", "params"];

pub(super) fn places(front: &Value) -> impl Iterator<Item = &Value> + Clone {
    std::iter::once(front).chain(TABLES.iter().filter_map(|table| front.get(table)))
}
