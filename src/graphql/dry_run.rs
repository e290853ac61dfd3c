//! The cost of an operation without running it, for the field `operationCost`. The rule: the operation passes all checks of an executed one
//! and gets the same price, and no resolver is called.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_graphql::{Request, ServerError, Variables};

use super::cost::{CostModel, Disclosure, Price, Pricing, Purpose};
use super::error::Code;
use super::failure::{FieldError, Result, bad_input, with_code};
use super::guard::{self, Admitted, Limits, Refusal};
use super::memory::{Charge, OverBudget, PARSED_TOKEN_BYTES, PARSED_VALUE_BYTES};
use super::outline::OperationOutline;
use crate::content::Reader;

/// Validates an operation and returns its errors.
type Validate = dyn Fn(&OperationOutline, &mut Request) -> Vec<ServerError> + Send + Sync;

/// What the dry runs of all requests share. The validation is a function, because resolvers do not know the schema that validates.
pub struct DryRuns {
    costs: Arc<CostModel>,
    validate: Box<Validate>,
    limits: Limits,
}

/// The one dry run that a request may contain, because each is as much work as another request.
pub struct DryRun {
    runs: Arc<DryRuns>,
    reader: Reader,
    charge: Option<Charge>,
    limit: u64,
    disclosure: Disclosure,
    was_used: AtomicBool,
}

/// The arguments of the field.
pub struct DryOperation {
    pub document: String,
    /// A JSON object.
    pub variables: Option<String>,
    pub operation_name: Option<String>,
}

impl DryRun {
    /// `limit`: the maximum number of storage requests of the operation. `is_open`: whether the client is allowed to know the cost of
    /// unpublished posts.
    pub fn new(runs: &Arc<DryRuns>, reader: &Reader, charge: Option<Charge>, limit: u64, is_open: bool) -> Self {
        let disclosure = if is_open { Disclosure::Reported } else { Disclosure::Hidden };
        let (runs, reader) = (Arc::clone(runs), reader.clone());
        Self { runs, reader, charge, limit, disclosure, was_used: AtomicBool::new(false) }
    }

    /// # Errors
    /// BAD_USER_INPUT if the operation would be refused for another reason than its cost.
    pub async fn price(&self, operation: DryOperation) -> Result<Price> {
        if self.was_used.swap(true, Ordering::Relaxed) {
            return Err(bad_input("query", "a request may contain `operationCost` once"));
        }
        let runs = &self.runs;
        let _memory = self.charge(&operation, &runs.limits).await?;
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

    /// Charges the memory that the operation needs while it is checked.
    async fn charge(&self, operation: &DryOperation, limits: &Limits) -> Result<Option<Charge>> {
        let bytes = operation.variables.as_ref().map_or(0, String::len);
        if bytes > limits.document_bytes {
            let message = format!("`variables` has {bytes} bytes; the limit is {}", limits.document_bytes);
            return Err(bad_input("variables", message));
        }
        let Some(charge) = &self.charge else { return Ok(None) };
        let tokens = guard::count_tokens(&operation.document, limits).unwrap_or_default();
        let memory = charge.beside();
        let values = operation.variables.as_deref().map_or(0, values_at_most);
        let needed = tokens as u64 * PARSED_TOKEN_BYTES + bytes as u64 + values as u64 * PARSED_VALUE_BYTES;
        let over = |error: OverBudget| FieldError::from(with_code(error.to_string(), Code::Overloaded));
        memory.take(needed).await.map_err(over)?;
        Ok(Some(memory))
    }
}

impl DryRuns {
    pub fn new(validate: Box<Validate>, costs: &Arc<CostModel>, limits: &Limits) -> Self {
        Self { costs: Arc::clone(costs), validate, limits: limits.clone() }
    }

    fn admit(&self, operation: DryOperation) -> Result<Request> {
        let mut request = Request::new(operation.document).variables(variables(operation.variables.as_deref())?);
        request.operation_name = operation.operation_name;
        let admitted = guard::admit(request, &self.limits);
        admitted.map(|Admitted { request, .. }| request).map_err(|Refusal { code, message, .. }| {
            bad_input("query", format!("the operation would be refused with {}: {message}", code.as_str()))
        })
    }
}

/// The maximum number of values in a JSON text: one of these characters precedes each value but the first. They may also occur in strings.
fn values_at_most(text: &str) -> usize {
    1 + text.bytes().filter(|byte| matches!(byte, b'[' | b',' | b':')).count()
}

fn variables(text: Option<&str>) -> Result<Variables> {
    let Some(text) = text else { return Ok(Variables::default()) };
    match serde_json::from_str(text) {
        Ok(object @ serde_json::Value::Object(_)) => Ok(Variables::from_json(object)),
        Ok(_) => Err(bad_input("variables", "`variables` must be a JSON object")),
        Err(error) => Err(bad_input("variables", format!("`variables` is not JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(value: &serde_json::Value) -> usize {
        1 + match value {
            serde_json::Value::Array(items) => items.iter().map(count).sum(),
            serde_json::Value::Object(fields) => fields.values().map(count).sum(),
            _ => 0,
        }
    }

    #[test]
    fn a_text_has_no_more_values_than_are_charged() {
        for text in ["{}", "[]", "1", "{\"a\":1,\"b\":[1,[],{}]}", "[[[[1]]],{\"a\":{\"b\":{}}}]", "\"a,b:[\""] {
            let value = serde_json::from_str(text).expect("JSON");
            assert!(count(&value) <= values_at_most(text), "{text}");
        }
    }
}
