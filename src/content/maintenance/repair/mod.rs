//! `check --repair`: fixes what `check` reports; the whole rows of the posts are the truth. The rule: a fix reads the rows again, and
//! writes only if none of them has changed by then; so a repair can be stopped anywhere, run twice, and run while servers change the store.
//!
//! It runs in passes: check, fix each difference in the order of [`Fix::phase`], check again, until a pass has fixed nothing. The differences that
//! remain are reported with the reason, for a person to decide.

mod category_tree;
mod change_log;
mod context;
mod counts;
mod field_index;
mod listings;
mod lookups;
mod pointers;
mod posts;
mod revisions;
mod site_pages;
mod terms;

use std::collections::{HashMap, HashSet};

use crate::content::Content;
use crate::content::error::Result;

use super::check::{self, CheckReport, Difference, Fix};
use context::Repair;

/// A fix may uncover another difference, such as the count of a partition that was lost completely; more passes than this find nothing new.
const PASSES_MAX: usize = 8;

/// The options of a repair, for changes that the user must request.
#[derive(Debug, Clone, Copy, Default)]
pub struct RepairOptions {
    /// Remove posts of which only the summary is left, or whose whole row cannot be read.
    pub removes_lost: bool,
}

/// The outcome of one fix.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Done {
    /// The rows were right when they were read again.
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

#[derive(Debug)]
pub struct Repaired {
    pub fixed: usize,
    /// The check after the last fix.
    pub report: CheckReport,
    /// The differences of that check, and why each of them was left.
    pub left: Vec<(Difference, String)>,
}

/// `on_fix`: gets a line for each fix, with what was wrong and what was done.
///
/// # Errors
/// If the store cannot be read or written.
pub(in crate::content) async fn repair(
    content: &Content,
    options: RepairOptions,
    mut on_fix: impl FnMut(String),
) -> Result<Repaired> {
    content.list_declared_fields().await?;
    let indexed = content.indexed_fields();
    let mut fixed = 0;
    for pass in 1.. {
        let examined = check::examine(&content.store, &indexed).await?;
        let mut repair = Repair::new(content, &examined.posts, options)?;
        let (done, left) = fix_all(&mut repair, &examined.report, &mut on_fix).await?;
        content.invalidate_cached();
        fixed += done;
        if done == 0 && !examined.report.concerns_fields() {
            for field in content.set_fields_built().await? {
                on_fix(format!("PostsByField: the index of the field {field} is built"));
                fixed += 1;
            }
        }
        if done == 0 && left.is_empty() {
            let report = content.check().await?;
            let left = report.differences.iter().filter_map(for_a_person).collect();
            return Ok(Repaired { fixed, report, left });
        }
        if done == 0 || pass == PASSES_MAX {
            return Ok(Repaired { fixed, report: examined.report, left });
        }
    }
    unreachable!("the number of passes is bounded")
}

fn for_a_person(difference: &Difference) -> Option<(Difference, String)> {
    let Fix::Person(advice) = difference.fix else { return None };
    Some((difference.clone(), advice.to_owned()))
}

/// Returns how many were fixed, and the differences that were not, with the reason.
async fn fix_all(
    repair: &mut Repair<'_>,
    report: &CheckReport,
    on_fix: &mut impl FnMut(String),
) -> Result<(usize, Vec<(Difference, String)>)> {
    let (mut fixed, mut left) = (0, Vec::new());
    // One fix may remove several differences.
    let mut reasons: HashMap<&Fix, Option<String>> = HashMap::new();
    let mut differences: Vec<&Difference> = report.differences.iter().collect();
    differences.sort_by_key(|difference| difference.fix.phase());
    let mut at_once: HashMap<Fix, Done> = HashMap::new();
    for difference in &differences {
        if difference.fix.phase() >= Fix::COUNTS {
            fixed += repair.recount_touched(on_fix).await?;
        }
        let reason = match reasons.get(&difference.fix) {
            Some(reason) => reason.clone(),
            None => match fix_one(repair, &difference.fix, &differences, &mut at_once).await? {
                Done::Nothing => Some("it was right when it was read again".to_owned()),
                Done::Left(why) => Some(why),
                Done::Fixed(done) => {
                    fixed += 1;
                    on_fix(format!("{difference}; {done}"));
                    None
                }
            },
        };
        left.extend(reason.clone().map(|reason| (Difference::clone(difference), reason)));
        reasons.insert(&difference.fix, reason);
    }
    fixed += repair.recount_touched(on_fix).await?;
    Ok((fixed, left))
}

/// Makes one fix. A fix of the index of fields is made together with all others of the same phase, because a new index needs as many as the site
/// has posts.
async fn fix_one(
    repair: &mut Repair<'_>,
    fix: &Fix,
    differences: &[&Difference],
    at_once: &mut HashMap<Fix, Done>,
) -> Result<Done> {
    if fix.is_of_fields() && !at_once.contains_key(fix) {
        let all: HashSet<&Fix> = differences.iter().map(|difference| &difference.fix).collect();
        let same_phase = all.into_iter().filter(|other| other.is_of_fields() && other.phase() == fix.phase());
        let same_phase: Vec<Fix> = same_phase.cloned().collect();
        at_once.extend(repair.fix_at_once(same_phase).await?);
    }
    match at_once.remove(fix) {
        Some(done) => Ok(done),
        None => repair.fix(fix).await,
    }
}
