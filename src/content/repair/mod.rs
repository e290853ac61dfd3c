//! `check --repair`: mends what `check` has named, from the posts' whole rows as the truth. The rule: what is written was read again just before, and
//! is written under the ETags of that reading; so it can be stopped anywhere, run twice, and run beside servers at work.
//!
//! It goes round: check, fix each difference in the order of [`Fix::phase`], check again; until a round has fixed nothing. What then still
//! differs is for a person, with the reason. Rows of a change that another server may be at work on are that server's.

mod context;
mod counts;
mod intents;
mod listings;
mod lookups;
mod moves;
mod pointers;
mod posts;
mod rows;
mod terms;

use std::collections::HashMap;

use super::Content;
use super::check::{self, CheckReport, Difference, Fix};
use super::error::{ContentError, Result};
use crate::store::StoreError;
use context::Repair;

/// A fix may bring to light what it hid, such as a count of a partition that was lost whole; more rounds than this bring nothing.
const PASSES_MAX: usize = 8;

/// What a repair may do beside mending.
#[derive(Debug, Clone, Copy, Default)]
pub struct RepairOptions {
    /// Posts of which only the summary is left, or whose whole row does not read, go.
    pub removes_lost: bool,
}

/// What became of one difference.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Done {
    /// It was right when it was read again.
    Nothing,
    /// What was done.
    Fixed(String),
    /// Why nothing was done, and what to do.
    Left(String),
}

impl Done {
    fn fixed(what: impl Into<String>) -> Self {
        Self::Fixed(what.into())
    }

    fn left(why: impl Into<String>) -> Self {
        Self::Left(why.into())
    }
}

/// What a repair has come to.
#[derive(Debug)]
pub struct Repaired {
    pub fixed: usize,
    /// The check after the last fix.
    pub report: CheckReport,
    /// Its differences, and why each of them was left.
    pub left: Vec<(Difference, String)>,
}

/// `told`: a line for each fix, what was wrong and what was done.
///
/// # Errors
/// Where the store cannot be read or written.
pub async fn repair(content: &Content, options: RepairOptions, mut told: impl FnMut(String)) -> Result<Repaired> {
    let migrated = content.migrate_all_terms().await?;
    if migrated > 0 {
        told(format!(
            "{migrated} categories, tags and authors had rows of an earlier version; they were written again"
        ));
    }
    let mut fixed = migrated + recover(content, &mut told).await?;
    for pass in 1.. {
        let examined = check::examine(&content.store).await?;
        let mut repair = Repair::new(content, &examined.posts, options)?;
        let (done, left) = fix_all(&mut repair, &examined.report, &mut told).await?;
        content.invalidate_cached();
        fixed += done;
        if done == 0 && left.is_empty() {
            let report = content.check().await?;
            let left = report.differences.iter().filter_map(for_a_person).collect();
            return Ok(Repaired { fixed, report, left });
        }
        if done == 0 || pass == PASSES_MAX {
            return Ok(Repaired { fixed, report: examined.report, left });
        }
    }
    unreachable!("the rounds are counted")
}

fn for_a_person(difference: &Difference) -> Option<(Difference, String)> {
    let Fix::Person(advice) = difference.fix else { return None };
    Some((difference.clone(), advice.to_owned()))
}

/// Changes that were left unfinished first. Where a damaged row stands in the way, they are settled once it is fixed.
async fn recover(content: &Content, told: &mut impl FnMut(String)) -> Result<usize> {
    match content.recover().await {
        Ok(recovered) => {
            if recovered.settled > 0 {
                told(format!("Intents: {} changes were left unfinished; settled", recovered.settled));
            }
            Ok(recovered.settled)
        }
        Err(ContentError::Store(StoreError::Corrupt { .. })) => Ok(0),
        Err(e) => Err(e),
    }
}

/// How many were fixed, and which were not.
async fn fix_all(
    repair: &mut Repair<'_>,
    report: &CheckReport,
    told: &mut impl FnMut(String),
) -> Result<(usize, Vec<(Difference, String)>)> {
    let (mut fixed, mut left) = (0, Vec::new());
    // One fix may put several differences right.
    let mut reasons: HashMap<&Fix, Option<String>> = HashMap::new();
    let mut differences: Vec<&Difference> = report.differences.iter().collect();
    differences.sort_by_key(|difference| difference.fix.phase());
    for difference in differences {
        if difference.fix.phase() >= Fix::COUNTS {
            fixed += repair.recount_touched(told).await?;
        }
        let reason = match reasons.get(&difference.fix) {
            Some(reason) => reason.clone(),
            None => match repair.fix(&difference.fix).await? {
                Done::Nothing => Some("it was right when it was read again".to_owned()),
                Done::Left(why) => Some(why),
                Done::Fixed(done) => {
                    fixed += 1;
                    told(format!("{difference}; {done}"));
                    None
                }
            },
        };
        left.extend(reason.clone().map(|reason| (difference.clone(), reason)));
        reasons.insert(&difference.fix, reason);
    }
    fixed += repair.recount_touched(told).await?;
    Ok((fixed, left))
}
