//! `check`: reads everything and holds every row against every other. The rule: it names each difference, and trusts no row.
//!
//! `Posts` and `Drafts` are read first, and in them the row that holds the whole post is the truth; every other row follows from it.

mod ends;
mod history;
mod idempotency;
mod index;
mod known;
mod lookups;
mod mend;
mod months;
mod partition;
mod posts;
mod shelved;
mod terms;
mod tokens;

use std::collections::HashSet;
use std::fmt;

use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::store::{Entity, Key, Store, StoreError};

use super::directory::scan_all;
use super::error::Result;
use super::write::intent;
pub(super) use known::{Known, Posts};
pub(super) use lookups::Owners;
pub use mend::Mend;
use partition::Partitions;

/// The names of the intents that exist.
type Intents = HashSet<String>;

/// Something in the tables that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub table: &'static str,
    pub key: String,
    pub what: String,
    /// What puts it right; the same for all that one mend does.
    pub mend: Mend,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", self.table, self.key, self.what)
    }
}

/// What was read, and what differs.
#[derive(Debug, Clone, Default)]
pub struct Report {
    pub rows: u64,
    pub posts: u64,
    pub drafts: u64,
    pub terms: u64,
    pub differences: Vec<Difference>,
}

impl Report {
    fn add(&mut self, table: Table, key: &Key, what: impl Into<String>, mend: Mend) {
        self.differences.push(Difference { table: table.name(), key: key.to_string(), what: what.into(), mend });
    }

    /// A row that does not read as what it should be.
    fn add_unreadable(&mut self, table: Table, row: &Entity, error: &StoreError, mend: Mend) {
        self.add(table, &row.key, error.to_string(), mend);
    }
}

/// # Errors
/// Where the store cannot be read; differences are not errors.
pub async fn check(store: &Store) -> Result<Report> {
    Ok(examine(store).await?.0)
}

/// As [`check`], with the posts that the tables were held against.
pub(super) async fn examine(store: &Store) -> Result<(Report, Posts)> {
    let mut report = Report::default();
    let intents = scan_all(store, Table::Intents).await?;
    let names = intents.iter().map(|row| IntentName::of_key(&row.key).to_string()).collect();
    let posts = posts::check(store, &names, &mut report).await?;
    index::check(store, &posts, &mut report).await?;
    lookups::check(store, &posts, &mut report).await?;
    terms::check(store, &posts, &names, &mut report).await?;
    tokens::check(store, &mut report).await?;
    history::check(store, &mut report).await?;
    idempotency::check(store, &mut report).await?;
    for row in intents {
        report.rows += 1;
        let what = match intent::read(&row) {
            Ok(intent::Found::Kept { .. }) => continue,
            Ok(intent::Found::Open { .. }) => {
                "a change was left unfinished; the next start of the server finishes it or undoes it"
            }
            Ok(intent::Found::Foreign) => "a change of another version of Tidings was left unfinished",
            Err(_) => "a change was left unfinished, and its row does not read",
        };
        report.add(Table::Intents, &row.key, what, Mend::Intent(row.key.clone()));
    }
    report.differences.sort_by(|a, b| (a.table, &a.key, &a.what).cmp(&(b.table, &b.key, &b.what)));
    Ok((report, posts))
}
