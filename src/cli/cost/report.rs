//! The report of `tidings cost`. The rule: both forms have the same operations in the same order, the dearest first, so that two reports can be compared.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::cli::in_one_line;
use crate::graphql::cost::VALUES_MAX;
use crate::graphql::persisted::OperationBound;

#[derive(Debug)]
pub(super) struct Costed {
    pub file: String,
    /// The id of its document.
    pub id: String,
    /// The name of the operation, or the id of its document if it has none.
    pub name: String,
    pub operation: OperationBound,
    pub budget: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Report {
    /// What the bounds assume of the content.
    assumed: String,
    /// A server refuses an operation with a higher bound.
    limit: u64,
    operations: Vec<Costed>,
}

impl Report {
    pub(super) fn new(assumed: String, limit: u64) -> Self {
        Self { assumed, limit, operations: Vec::new() }
    }

    /// Operations of several files with the same document are listed once for each file.
    pub(super) fn add(&mut self, costed: Costed) {
        let order = |costed: &Costed| (u64::MAX - costed.operation.bound.requests(), costed.name.clone());
        let place = self.operations.partition_point(|other| order(other) <= order(&costed));
        self.operations.insert(place, costed);
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.operations.iter().map(|costed| costed.name.as_str())
    }

    pub(super) fn has_variable(&self, name: &str) -> bool {
        self.operations.iter().any(|costed| costed.operation.variables.iter().any(|variable| variable == name))
    }

    /// A line for each operation that is over its budget.
    pub(super) fn over_budget(&self) -> Vec<String> {
        let is_over = |costed: &&Costed| costed.budget.is_some_and(|budget| costed.operation.bound.requests() > budget);
        let over = self.operations.iter().filter(is_over).map(|costed| {
            let Costed { name, operation, budget, .. } = costed;
            let (requests, budget) = (operation.bound.requests(), budget.unwrap_or_default());
            let dearest = dearest(operation);
            format!("over budget: {name} may need {requests} storage requests; its budget is {budget}. The dearest part is {dearest}.")
        });
        over.collect()
    }

    pub(super) fn json(&self) -> String {
        let operation = |costed: &Costed| {
            let Costed { file, id, name, operation, budget } = costed;
            let bound = &operation.bound;
            json!({
                "file": file,
                "id": id,
                "operation": operation.name.as_ref().map(|_| name),
                "kind": if operation.is_mutation { "mutation" } else { "query" },
                "bound": {
                    "requests": bound.requests(),
                    "pointReads": bound.point_reads,
                    "rangeReads": bound.range_reads,
                    "transactions": bound.transactions,
                    "values": bound.values,
                },
                "dearest": operation.dearest.as_ref().map(|dearest| json!({ "path": dearest.path, "requests": dearest.requests })),
                "assumedVariables": operation.assumed,
                "defaultVariables": operation.defaulted,
                "isRefused": bound.requests() > self.limit || bound.values > VALUES_MAX,
                "budget": budget,
            })
        };
        let operations: Vec<Value> = self.operations.iter().map(operation).collect();
        let report = json!({ "assumed": self.assumed, "operations": operations });
        format!("{report:#}\n")
    }

    pub(super) fn table(&self) -> String {
        let has_budgets = self.operations.iter().any(|costed| costed.budget.is_some());
        let mut rows = vec![["requests", "budget", "operation", "dearest part"].map(str::to_owned)];
        rows.extend(self.operations.iter().map(|costed| {
            let budget = costed.budget.map_or_else(|| "-".to_owned(), |budget| budget.to_string());
            let requests = costed.operation.bound.requests().to_string();
            [requests, budget, in_one_line(&costed.name), dearest(&costed.operation)]
        }));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
        let (requests, budget, name) = (width(0), width(1), width(2));
        let mut text = format!("Assumed: {}.\n", self.assumed);
        for [of_requests, of_budget, of_name, dearest] in &rows {
            let of_budget = if has_budgets { format!("{of_budget:>budget$}  ") } else { String::new() };
            let line = format!("{of_requests:>requests$}  {of_budget}{of_name:name$}  {dearest}");
            // Writing to a text does not fail.
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text.push_str(&self.variables("With the dearest values of the variables of", |operation| &operation.assumed));
        text.push_str(&self.variables("With the defaults of the variables of", |operation| &operation.defaulted));
        let is_refused = |costed: &&Costed| {
            costed.operation.bound.requests() > self.limit || costed.operation.bound.values > VALUES_MAX
        };
        for costed in self.operations.iter().filter(is_refused) {
            let _ = writeln!(text, "A server may refuse {}: its bound is above a limit.", in_one_line(&costed.name));
        }
        text
    }

    /// Some variables of each operation, in one line.
    fn variables(&self, what: &str, names: impl Fn(&OperationBound) -> &Vec<String>) -> String {
        let of_operation = |costed: &Costed| {
            let names: Vec<String> = names(&costed.operation).iter().map(|name| format!("${name}")).collect();
            (!names.is_empty()).then(|| format!("{} ({})", in_one_line(&costed.name), names.join(", ")))
        };
        let listed: Vec<String> = self.operations.iter().filter_map(of_operation).collect();
        if listed.is_empty() { String::new() } else { format!("{what} {}.\n", listed.join(", ")) }
    }
}

fn dearest(operation: &OperationBound) -> String {
    operation.dearest.as_ref().map_or_else(|| "nothing is read".to_owned(), ToString::to_string)
}
