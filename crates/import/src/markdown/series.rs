//! The series of a post in its front matter, and the post's position there, under all names that site generators use. The rule: a value that is not a
//! number is not a position.

use super::value::Value;

/// A name, a list of names, or a table with a name and a position.
pub(super) const SERIES: &str = "series";
/// The key of the position in an export.
pub const SERIES_ORDER: &str = "series_order";

const POSITIONS: &[&str] = &[
    SERIES_ORDER,
    "series_weight",
    "series_index",
    "series_part",
    "seriesOrder",
    "seriesWeight",
    "seriesIndex",
    "seriesPart",
];
/// The keys in such a table.
const NAMES: &[&str] = &["name", "title"];
const POSITIONS_IN_TABLE: &[&str] = &["order", "part", "index", "weight", "position"];

/// The first series that a table of the front matter names.
pub(super) fn name(table: &Value) -> Option<String> {
    let value = table.get(SERIES)?.items().first()?;
    let name = value.text().or_else(|| NAMES.iter().find_map(|key| value.get(key)?.text()))?;
    Some(name.to_owned())
}

/// The position of the post in a table of the front matter.
pub(super) fn position(table: &Value) -> Option<i32> {
    let own = POSITIONS.iter().find_map(|key| number(table.get(key)?));
    own.or_else(|| {
        let value = table.get(SERIES)?.items().first()?;
        POSITIONS_IN_TABLE.iter().find_map(|key| number(value.get(key)?))
    })
}

fn number(value: &Value) -> Option<i32> {
    value.text()?.parse::<f64>().ok().filter(|number| number.abs() < 1e9).map(|number| number.floor() as i32)
}

/// Whether the value contains only the name of the series.
pub(super) fn is_only(value: &Value, series: &[String]) -> bool {
    let items = value.items();
    value.is_empty() || (items.len() == 1 && items[0].text() == series.first().map(String::as_str))
}
