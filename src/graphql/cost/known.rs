//! The bound of an operation, kept for later requests with the same document. The rule: it is reused only if everything on which it depends
//! is the same.

use async_graphql::{Value, Variables};

use super::bound::Bound;
use super::circumstances::{Circumstances, Sees};
use crate::content::read::SizesMark;
use crate::graphql::outline::{Found, OperationOutline};

/// With more or longer variables, no bound is kept, so that a cached document stays small.
const VARIABLES_MAX: usize = 8;
const STRING_BYTES_MAX: usize = 64;

/// The bound for the most recent circumstances of an operation.
#[derive(Debug)]
struct KnownBound {
    variables: Variables,
    sees: Sees,
    sizes: SizesMark,
    bound: Bound,
}

/// The bound of the operation, if it was last computed for the same circumstances.
pub(super) fn find(operation: &OperationOutline, circumstances: Circumstances<'_>) -> Option<Bound> {
    let Found(found) = operation.operation().found()?;
    let known = found.downcast_ref::<KnownBound>()?;
    let is_same = known.sees == circumstances.sees
        && circumstances.sizes.have(&known.sizes)
        && known.variables == *circumstances.variables;
    is_same.then_some(known.bound)
}

/// Keeps the bound for these circumstances, in place of the previous one.
pub(super) fn keep(operation: &OperationOutline, circumstances: Circumstances<'_>, bound: Bound) {
    let Circumstances { variables, sizes, sees } = circumstances;
    if variables.len() > VARIABLES_MAX || !variables.values().all(is_short) {
        return;
    }
    if let Some(sizes) = sizes.mark() {
        operation.operation().note(Found::new(KnownBound { variables: variables.clone(), sees, sizes, bound }));
    }
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::Null | Value::Number(_) | Value::Boolean(_) => true,
        Value::String(text) => text.len() <= STRING_BYTES_MAX,
        Value::Enum(name) => name.len() <= STRING_BYTES_MAX,
        Value::Binary(_) | Value::List(_) | Value::Object(_) => false,
    }
}
