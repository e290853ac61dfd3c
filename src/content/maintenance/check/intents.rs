//! Checks `Intents`. The rule: an intent that is not kept for a while after a recovery is a change that was left unfinished, which is reported.

use std::collections::HashSet;

use crate::content::write::{StoredIntent, intent};
use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::store::Entity;

use super::fix::Fix;
use super::report::CheckReport;

/// The names of the intents that exist.
pub(super) type Intents = HashSet<String>;

pub(super) fn names(rows: &[Entity]) -> Intents {
    rows.iter().map(|row| IntentName::of_key(&row.key).to_string()).collect()
}

pub(super) fn check(rows: &[Entity], report: &mut CheckReport) {
    for row in rows {
        report.rows += 1;
        let what = match intent::read(row) {
            Ok(StoredIntent::Kept { .. }) => continue,
            Ok(StoredIntent::Open { .. }) => {
                "a change was left unfinished; the next start of the server finishes it or undoes it"
            }
            Ok(StoredIntent::Foreign) => "a change of another version of Tidings was left unfinished",
            Err(_) => "a change was left unfinished, and its row cannot be read",
        };
        report.add(Table::Intents, &row.key, what, Fix::Intent(row.key.clone()));
    }
}
