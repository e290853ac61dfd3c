//! Tables of a month, which are dropped as a whole after their retention. The rule: the name ends with the month, as in `Views202611`, and no other table's
//! name ends with digits.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::model::Month;

const DIGITS: usize = 6;

/// The name of a month's table. Each name is created once and never freed, so callers request only months within the retention.
pub fn table_of_month(prefix: &'static str, month: Month) -> &'static str {
    static NAMES: Mutex<BTreeMap<(&str, Month), &'static str>> = Mutex::new(BTreeMap::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let make = || Box::leak(format!("{prefix}{:04}{:02}", month.year(), month.month()).into_boxed_str());
    names.entry((prefix, month)).or_insert_with(|| make())
}

pub fn is_of_month(table: &str) -> bool {
    table.len() > DIGITS && table.bytes().rev().take(DIGITS).all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_month_is_made_once() {
        let month = Month::new(2026, 3).expect("a month");
        let name = table_of_month("Views", month);
        assert_eq!((name, name.as_ptr()), ("Views202603", table_of_month("Views", month).as_ptr()));
        assert!(is_of_month(name) && !is_of_month("Views") && !is_of_month("202603"));
    }
}
