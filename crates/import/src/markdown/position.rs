//! The position of a page among its siblings, under all names that site generators use. The rule: a value that is not a number is not a position.

use super::value::Value;

const ORDERS: &[&str] = &["weight", "order", "nav_order", "sidebar_position", "menu_order"];
/// Tables that contain a position.
const ORDER_TABLES: &[&str] = &["eleventyNavigation", "sidebar", "navigation", "menu", "menus"];

pub(super) fn is_position(key: &str) -> bool {
    ORDERS.contains(&key) || ORDER_TABLES.contains(&key)
}

/// Hugo's weight 0 means that there is no position.
pub(super) fn order(front: &Value) -> Option<i32> {
    let number = |value: &Value| value.text()?.parse::<f64>().ok().filter(|n| n.abs() < 1e9).map(|n| n.floor() as i32);
    let own =
        |value: &Value| ORDERS.iter().find_map(|key| number(value.get(key)?).filter(|n| *key != "weight" || *n != 0));
    let in_table = |table: &str| {
        let table = front.get(table)?;
        // Each menu of Hugo has a table.
        own(table).or_else(|| ["main", "docs", "footer"].iter().find_map(|menu| own(table.get(menu)?)))
    };
    own(front).or_else(|| ORDER_TABLES.iter().find_map(|table| in_table(table)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::yaml;

    #[test]
    fn every_generators_position_is_read() {
        let order = |text: &str| order(&yaml::parse(text).expect("YAML"));
        for (text, expected) in [
            ("weight: 10", Some(10)),
            ("weight: 0", None),
            ("order: -1", Some(-1)),
            ("nav_order: 2", Some(2)),
            ("sidebar_position: 1.5", Some(1)),
            ("eleventyNavigation: {key: A, order: 3}", Some(3)),
            ("sidebar: {order: 4}", Some(4)),
            ("menu: {main: {weight: 5}}", Some(5)),
            ("menu: main", None),
            ("order: first", None),
            ("title: A", None),
        ] {
            assert_eq!(order(text), expected, "{text}");
        }
    }
}
