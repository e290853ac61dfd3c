//! The series of a post in its front matter, and the position of the post there, under all names that site generators use. The rule: what is not a number is no
//! position.

use super::value::Value;

/// The key of the series: a name, a list of names, or a table with a name and a position.
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
/// Those of a table.
const NAMES: &[&str] = &["name", "title"];
const POSITIONS_IN_TABLE: &[&str] = &["order", "part", "index", "weight", "position"];

/// The name of the series that a table of the front matter names: the first one, if it names several.
pub(super) fn name(table: &Value) -> Option<String> {
    let value = table.get(SERIES)?.items().first()?;
    let name = value.text().or_else(|| NAMES.iter().find_map(|key| value.get(key)?.text()))?;
    Some(name.to_owned())
}

/// The position that a table of the front matter has for the post.
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

/// Whether the value names the series and says nothing else.
pub(super) fn is_only(value: &Value, series: &[String]) -> bool {
    let items = value.items();
    value.is_empty() || (items.len() == 1 && items[0].text() == series.first().map(String::as_str))
}
