//! `check`: reads everything and holds every row against every other. The rule: it names each difference, and trusts no row.
//!
//! `Posts` and `Drafts` are read first, and in them the row that holds the whole post is the truth; every other row follows from it. If all rows
//! agree, everything is asked once more, as readers ask for it: what is wrong for a reader is never clean.

mod collections;
mod ends;
mod fix;
mod history;
mod idempotency;
mod index;
mod known;
mod lookups;
mod months;
mod partition;
mod posts;
mod readers;
mod terms;
mod tokens;

use std::collections::HashSet;
use std::fmt;

use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::model::Term;
use crate::store::{Entity, Key, Store, StoreError};

use super::error::Result;
use super::partition_catalog::scan_all;
use super::reader::Reader;
use super::write::intent;
pub use fix::Fix;
pub(super) use known::{Known, Posts};
pub(super) use lookups::Owners;
use partition::Partitions;

/// The names of the intents that exist.
type Intents = HashSet<String>;

/// Something in the tables that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub table: &'static str,
    pub key: String,
    pub what: String,
    /// What puts it right; the same for all that one fix does.
    pub fix: Fix,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", self.table, self.key, self.what)
    }
}

/// What was read, and what differs.
#[derive(Debug, Clone, Default)]
pub struct CheckReport {
    pub rows: u64,
    pub posts: u64,
    pub drafts: u64,
    pub terms: u64,
    pub differences: Vec<Difference>,
}

impl CheckReport {
    fn add(&mut self, table: Table, key: &Key, what: impl Into<String>, fix: Fix) {
        self.differences.push(Difference { table: table.name(), key: key.to_string(), what: what.into(), fix });
    }

    /// A row that does not read as what it should be.
    fn add_unreadable(&mut self, table: Table, row: &Entity, error: &StoreError, fix: Fix) {
        self.add(table, &row.key, error.to_string(), fix);
    }
}

/// `readers`: makes a reader that has cached nothing.
///
/// # Errors
/// Where the store cannot be read; differences are not errors.
pub(super) async fn check(store: &Store, readers: impl Fn() -> Reader) -> Result<CheckReport> {
    let mut examined = examine(store).await?;
    if examined.report.differences.is_empty() {
        examined.check_readers(store, readers).await?;
    }
    Ok(examined.report)
}

/// The report, and what the tables were held against.
pub(super) struct Examined {
    pub report: CheckReport,
    pub posts: Posts,
    terms: Vec<Term>,
}

impl Examined {
    /// Asks everything as readers do. On tables a change may be under way: what differs is asked again, until nothing has changed meanwhile.
    async fn check_readers(&mut self, store: &Store, readers: impl Fn() -> Reader) -> Result<()> {
        for _ in 0..READER_QUERIES_MAX {
            let reader = readers().at_one_moment().await?;
            let found = readers::check(&reader, &self.posts, &self.terms).await?;
            let is_repeated = found == self.report.differences;
            self.report.differences = found;
            if is_repeated {
                return Ok(());
            }
            let again = examine(store).await?;
            (self.posts, self.terms) = (again.posts, again.terms);
        }
        Ok(())
    }
}

/// How often readers are asked, if the answers differ each time.
const READER_QUERIES_MAX: usize = 4;

/// Every row against every other.
pub(super) async fn examine(store: &Store) -> Result<Examined> {
    let mut report = CheckReport::default();
    let intents = scan_all(store, Table::Intents).await?;
    let names = intents.iter().map(|row| IntentName::of_key(&row.key).to_string()).collect();
    let posts = posts::check(store, &names, &mut report).await?;
    index::check(store, &posts, &mut report).await?;
    lookups::check(store, &posts, &mut report).await?;
    let terms = terms::check(store, &posts, &names, &mut report).await?;
    tokens::check(store, &mut report).await?;
    history::check(store, &mut report).await?;
    idempotency::check(store, &mut report).await?;
    for row in intents {
        report.rows += 1;
        let what = match intent::read(&row) {
            Ok(intent::StoredIntent::Kept { .. }) => continue,
            Ok(intent::StoredIntent::Open { .. }) => {
                "a change was left unfinished; the next start of the server finishes it or undoes it"
            }
            Ok(intent::StoredIntent::Foreign) => "a change of another version of Tidings was left unfinished",
            Err(_) => "a change was left unfinished, and its row does not read",
        };
        report.add(Table::Intents, &row.key, what, Fix::Intent(row.key.clone()));
    }
    report.differences.sort_by(|a, b| (a.table, &a.key, &a.what).cmp(&(b.table, &b.key, &b.what)));
    Ok(Examined { report, posts, terms })
}
