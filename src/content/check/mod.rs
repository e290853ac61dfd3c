//! `check`: reads everything and holds every row against every other. The rule: it names each difference, and trusts no row.
//!
//! `Posts` and `Drafts` are read first and are the truth; every other table follows from them.

mod index;
mod lookups;
mod partition;
mod posts;
mod terms;
mod tokens;

use std::collections::HashMap;
use std::fmt;

use crate::keys::{PostPlace, Table};
use crate::model::{PostId, Slug, TermKind};
use crate::store::{Entity, Key, Store, StoreError};

use super::directory::scan_all;
use super::error::Result;
use super::write::intent;
use partition::Partitions;

/// Something in the tables that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    pub table: &'static str,
    pub key: String,
    pub what: String,
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
    fn add(&mut self, table: Table, key: &Key, what: impl Into<String>) {
        self.differences.push(Difference { table: table.name(), key: key.to_string(), what: what.into() });
    }
}

/// A post as its rows tell, with what else must follow from it.
#[derive(Debug)]
struct Known {
    place: PostPlace,
    slug: Slug,
    former_slugs: Vec<Slug>,
    terms: Vec<(TermKind, Slug)>,
    version: i32,
    origin: Option<String>,
}

type Posts = HashMap<PostId, Known>;

/// # Errors
/// Where the store cannot be read; differences are not errors.
pub async fn check(store: &Store) -> Result<Report> {
    let mut report = Report::default();
    let posts = posts::check(store, &mut report).await?;
    index::check(store, &posts, &mut report).await?;
    lookups::check(store, &posts, &mut report).await?;
    terms::check(store, &posts, &mut report).await?;
    tokens::check(store, &mut report).await?;
    for row in scan_all(store, Table::Intents).await? {
        report.rows += 1;
        if intent::read(&row).is_ok_and(|intent| intent.is_fenced()) {
            continue;
        }
        report.add(Table::Intents, &row.key, "a change was left unfinished; the next start of the server settles it");
    }
    report.differences.sort();
    Ok(report)
}

/// What a row that does not read as what it should be is reported as.
fn unreadable(report: &mut Report, table: Table, row: &Entity, error: &StoreError) {
    report.add(table, &row.key, error.to_string());
}
