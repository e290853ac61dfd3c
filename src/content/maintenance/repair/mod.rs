//! `check --repair`: fixes what `check` reports; the whole rows of the posts are the truth. The rule: a fix is one transaction that reads its dependencies, or
//! is guarded by the ETag of a row that changes with them; so a repair can be stopped anywhere, run twice, and run while servers change the store.
//!
//! It runs in passes: check, fix each difference in the order of [`Fix::phase`], check again, until a pass has fixed nothing. The differences that remain are
//! reported with the reason, for a person to decide.

mod counts;
mod posts;
mod site_pages;
mod terms;

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::try_join_all;

use crate::content::error::Result;
use crate::content::write::{Overlay, delete_log, retry_on_conflict};
use crate::content::{Content, Writer};
use crate::keys::{Table, history, lookup, site_page};
use crate::model::{IndexedFields, PostId};
use crate::store::transaction::transact;
use crate::store::{Key, Properties, Rows, Store, StoreError};

use super::check::{self, CheckReport, Difference, Fix, Posts, Terms};

/// A fix may uncover another difference, such as the count of a lost partition; later passes find nothing new.
const PASSES_MAX: usize = 8;
/// The number of concurrent fixes: a new index of a field needs as many as the site has posts.
const AT_ONCE: usize = 32;

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
    /// Describes the fix.
    Fixed(String),
    /// The difference remains; the text explains the reason and the solution.
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
    /// The differences of that check, and the reason why each remains.
    pub left: Vec<(Difference, String)>,
}

/// `on_fix`: gets a line for each fix, with the difference and the correction.
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
        let check::Examined { report, posts, terms } = check::examine(&content.store, &indexed).await?;
        let truth = Arc::new(Truth { posts, terms, indexed: indexed.clone(), options });
        let repair = Repair { store: &content.store, writer: content.writer()?, truth };
        let (done, left) = repair.fix_all(&report, &mut on_fix).await?;
        content.invalidate_cached();
        fixed += done;
        if done == 0 && !report.concerns_fields() {
            for field in content.set_fields_built(&indexed).await? {
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
            return Ok(Repaired { fixed, report, left });
        }
    }
    unreachable!("the number of passes is bounded")
}

fn for_a_person(difference: &Difference) -> Option<(Difference, String)> {
    let Fix::Person(advice) = difference.fix else { return None };
    Some((difference.clone(), advice.to_owned()))
}

/// The differences of one pass that were not fixed, each with the reason.
type Left = Vec<(Difference, String)>;

struct Repair<'a> {
    store: &'a Store,
    writer: Writer,
    truth: Arc<Truth>,
}

impl Repair<'_> {
    /// Makes the fixes of each phase, some concurrently. One fix may remove several differences, and the next pass counts the changed partitions. Returns how
    /// many were fixed, and the differences that were not.
    async fn fix_all(&self, report: &CheckReport, on_fix: &mut impl FnMut(String)) -> Result<(usize, Left)> {
        let (mut fixed, mut left) = (0, Left::new());
        let mut differences: Vec<&Difference> = report.differences.iter().collect();
        differences.sort_by_key(|difference| difference.fix.phase());
        for phase in differences.chunk_by(|one, next| one.fix.phase() == next.fix.phase()) {
            let (mut groups, mut group_of): (Vec<Vec<&Difference>>, HashMap<&Fix, usize>) = Default::default();
            for difference in phase {
                let group = *group_of.entry(&difference.fix).or_insert(groups.len());
                groups.resize_with(groups.len().max(group + 1), Vec::new);
                groups[group].push(difference);
            }
            // The versions of one post can be a hundred whole rows.
            let of_versions = groups.iter().any(|group| matches!(group[0].fix, Fix::Revisions(_)));
            for groups in groups.chunks(if of_versions { 1 } else { AT_ONCE }) {
                let fixes: Vec<_> = groups.iter().map(|group| self.fix(&group[0].fix)).collect();
                for (group, done) in groups.iter().zip(try_join_all(fixes).await?) {
                    let reason = match done {
                        Done::Fixed(what) => {
                            fixed += 1;
                            on_fix(format!("{}; {what}", group[0]));
                            continue;
                        }
                        Done::Nothing => "it was right when it was read again".to_owned(),
                        Done::Left(why) => why,
                    };
                    left.extend(group.iter().map(|difference| (Difference::clone(difference), reason.clone())));
                }
            }
        }
        Ok((fixed, left))
    }

    async fn fix(&self, fix: &Fix) -> Result<Done> {
        match fix {
            Fix::ChangeLog => {
                delete_log(self.store).await?;
                Ok(Done::fixed("removed the log of changes; followers get POSITION_EXPIRED, and read everything again"))
            }
            Fix::Count { table, partition } => self.recount(*table, partition).await,
            Fix::NewTerm { kind, slug } => self.make_term(*kind, slug).await,
            Fix::Parent { category } => self.fix_parent(category).await,
            Fix::Pages => self.fix_pages().await,
            Fix::FieldList => Ok(Done::left("the index rows of some posts are not fixed")),
            Fix::Person(advice) => Ok(Done::left(*advice)),
            _ => self.change(fix).await,
        }
    }

    /// Makes a fix that is planned inside of one transaction.
    async fn change(&self, fix: &Fix) -> Result<Done> {
        retry_on_conflict("the rows of a fix", || {
            let (truth, fix) = (Arc::clone(&self.truth), fix.clone());
            self.commit(move |rows| truth.plan(rows, &fix))
        })
        .await
    }

    async fn commit(&self, plan: impl Fn(&mut Overlay<'_>) -> Planned + Send + 'static) -> Result<Done> {
        let plan = move |stored: &dyn Rows| {
            let mut rows = Overlay::new(stored);
            let done = plan(&mut rows)?;
            let writes = rows.into_writes();
            let done = if matches!(done, Done::Fixed(_)) && writes.is_empty() { Done::Nothing } else { done };
            Ok((done, writes))
        };
        Ok(transact(self.store, plan).await?)
    }
}

/// The posts, terms and fields of a pass, from which the other rows follow.
struct Truth {
    posts: Posts,
    terms: Terms,
    indexed: IndexedFields,
    options: RepairOptions,
}

type Planned = Result<Done, StoreError>;

impl Truth {
    /// Reads the rows of a fix and those from which they follow again, and writes them.
    fn plan(&self, rows: &mut Overlay<'_>, fix: &Fix) -> Planned {
        match fix {
            Fix::Misplaced { collection, whole } => self.move_post(rows, *collection, whole),
            Fix::Row { table, key } => self.write_row(rows, *table, key),
            Fix::FieldIndex { collection, whole } => self.name_field_partitions(rows, *collection, whole),
            Fix::Lost { collection, partition, slug, key } => {
                self.remove_lost(rows, (*collection, partition), slug.as_ref(), key.as_ref())
            }
            Fix::Term { kind, slug } => self.write_term(rows, *kind, slug),
            Fix::MisplacedTerm { kind, at } => terms::move_row(rows, *kind, at),
            Fix::CategoryTree => self.write_tree(rows),
            Fix::Revisions(id) => delete_revisions(rows, id),
            // These fixes take more than one transaction.
            Fix::ChangeLog
            | Fix::Count { .. }
            | Fix::NewTerm { .. }
            | Fix::Parent { .. }
            | Fix::Pages
            | Fix::FieldList
            | Fix::Person(_) => Ok(Done::Nothing),
        }
    }
}

/// Writes the expected row; `None` deletes it.
fn make(rows: &mut Overlay<'_>, table: Table, key: Key, expected: Option<Properties>) -> Result<(), StoreError> {
    let found = rows.get(table, &key)?.map(|row| row.properties);
    match expected {
        expected if expected == found => {}
        Some(properties) => rows.put(table, key, properties),
        None => rows.delete(table, key),
    }
    Ok(())
}

/// Versions are deleted only if no post and no page has the id.
fn delete_revisions(rows: &mut Overlay<'_>, id: &PostId) -> Planned {
    let of_post = rows.get(Table::PostKeys, &lookup::by_id(id))?;
    if of_post.is_some() || rows.get(Table::Pages, &site_page::whole(id))?.is_some() {
        return Ok(Done::Nothing);
    }
    for kept in rows.range(Table::Revisions, &history::revisions(id).of_keys())? {
        rows.delete(Table::Revisions, kept.key);
    }
    Ok(Done::fixed("deleted, with the others of the same id"))
}
