//! The cost of an operation without running it, for the field `operationCost`. The rule: the operation passes all checks of an executed one
//! and gets the same price, and no resolver is called.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_graphql::{Request, ServerError, Value, Variables};
use tokio::sync::Semaphore;

use super::cost::{CostModel, Disclosure, Price, Pricing, Purpose};
use super::failure::{Result, bad_input};
use super::guard::{self, Admitted, Limits, Refusal};
use super::outline::OperationOutline;
use crate::content::Reader;

/// Validates an operation and returns its errors.
type Validate = dyn Fn(&OperationOutline, &mut Request) -> Vec<ServerError> + Send + Sync;

/// The shared state of all dry runs. The validation is a function, because resolvers do not know the schema that validates.
pub struct DryRuns {
    costs: Arc<CostModel>,
    validate: Box<Validate>,
    limits: Limits,
}

/// The dry runs of all requests at once, each of which needs some megabytes for a document and its variables; further ones wait.
static AT_ONCE: Semaphore = Semaphore::const_new(8);

/// The one dry run that a request may contain, because each is as much work as another request.
pub struct DryRun {
    runs: Arc<DryRuns>,
    reader: Reader,
    limit: u64,
    disclosure: Disclosure,
    was_used: AtomicBool,
}

/// The arguments of the field.
pub struct DryOperation {
    pub document: String,
    /// An object.
    pub variables: Option<Value>,
    pub operation_name: Option<String>,
}

impl DryRun {
    /// `limit`: the maximum number of storage requests of the operation. `is_open`: whether the client is allowed to know the cost of
    /// unpublished posts.
    pub fn new(runs: &Arc<DryRuns>, reader: &Reader, limit: u64, is_open: bool) -> Self {
        let disclosure = if is_open { Disclosure::Reported } else { Disclosure::Hidden };
        let (runs, reader) = (Arc::clone(runs), reader.clone());
        Self { runs, reader, limit, disclosure, was_used: AtomicBool::new(false) }
    }

    /// # Errors
    /// BAD_USER_INPUT if the operation would be refused for another reason than its cost.
    pub async fn price(&self, operation: DryOperation) -> Result<Price> {
        if self.was_used.swap(true, Ordering::Relaxed) {
            return Err(bad_input("query", "a request may contain `operationCost` once"));
        }
        let runs = &self.runs;
        let _place = AT_ONCE.acquire().await.expect("the semaphore is never closed");
        let mut request = runs.admit(operation)?;
        let outline = OperationOutline::of(&mut request).map_err(|error| bad_input("query", error.message))?;
        let Some(outline) = outline else { return Err(bad_input("query", "the document has no operation")) };
        if let Some(error) = (runs.validate)(&outline, &mut request).first() {
            let message =
                if runs.limits.introspection { &*error.message } else { "the document does not fit the schema" };
            return Err(bad_input("query", message));
        }
        let pricing =
            Pricing { limit: self.limit, disclosure: self.disclosure, purpose: Purpose::DryRun, is_explained: false };
        Ok(runs.costs.price(&outline, &request.variables, &self.reader, pricing).await)
    }
}

impl DryRuns {
    pub fn new(validate: Box<Validate>, costs: &Arc<CostModel>, limits: &Limits) -> Self {
        Self { costs: Arc::clone(costs), validate, limits: limits.clone() }
    }

    fn admit(&self, operation: DryOperation) -> Result<Request> {
        let mut request = Request::new(operation.document).variables(variables(operation.variables)?);
        request.operation_name = operation.operation_name;
        let admitted = guard::admit(request, &self.limits);
        admitted.map(|Admitted { request, .. }| request).map_err(|Refusal { code, message, .. }| {
            bad_input("query", format!("the operation would be refused with {}: {message}", code.as_str()))
        })
    }
}

fn variables(value: Option<Value>) -> Result<Variables> {
    match value {
        None | Some(Value::Null) => Ok(Variables::default()),
        Some(object @ Value::Object(_)) => Ok(Variables::from_value(object)),
        Some(_) => Err(bad_input("variables", "`variables` must be an object")),
    }
}
