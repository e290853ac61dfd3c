//! The tables in which Zola and Hugo keep terms and fields of the site's own. The rule: what is looked for at the top level and in them is found at the top level first.

use super::value::Value;

pub(super) const TABLES: &[&str] = &["taxonomies", "extra", "params"];

/// The front matter and its tables.
pub(super) fn places(front: &Value) -> impl Iterator<Item = &Value> + Clone {
    std::iter::once(front).chain(TABLES.iter().filter_map(|table| front.get(table)))
}
