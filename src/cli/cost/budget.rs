//! Budgets: the storage requests that an operation may need at most. The rule: a budget that no operation has is an error, so that a mistyped name is noticed.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};

use crate::cli::CommandError;

/// The name of the budget of all operations without one of their own.
const OTHERS: &str = "*";

#[derive(Debug)]
pub(super) struct Budgets(Vec<(String, u64)>);

impl Budgets {
    /// # Errors
    /// If a budget is not a whole number.
    pub(super) fn of(path: &Path, budgets: Map<String, Value>) -> Result<Self, CommandError> {
        let budget = |(name, value): (String, Value)| match value.as_u64() {
            Some(requests) => Ok((name, requests)),
            None => {
                Err(format!("{}: the budget of {name:?} is not a whole number of storage requests", path.display()))
            }
        };
        Ok(Self(budgets.into_iter().map(budget).collect::<Result<_, _>>()?))
    }

    pub(super) fn of_operation(&self, name: &str) -> Option<u64> {
        let find = |name: &str| self.0.iter().find(|(budgeted, _)| budgeted == name).map(|(_, requests)| *requests);
        find(name).or_else(|| find(OTHERS))
    }

    /// The first budget whose name none of these operations has.
    pub(super) fn unused<'a>(&self, names: impl Iterator<Item = &'a str>) -> Option<&str> {
        let names: BTreeSet<&str> = names.collect();
        let mut budgeted = self.0.iter().map(|(name, _)| name.as_str());
        budgeted.find(|name| *name != OTHERS && !names.contains(name))
    }
}
