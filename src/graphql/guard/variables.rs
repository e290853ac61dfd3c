//! Checks the variables of a request before its execution. The rule: a missing required variable fails the whole request. The engine would
//! report it only at the first field that uses it, after earlier mutations were made.
//!
//! Validation checks the types of the values.

use async_graphql::{Positioned, Value, Variables, parser::types::VariableDefinition};

use super::{limits::Limits, refusal::Refusal};
use crate::graphql::error::Code;
use crate::graphql::outline::Operation;

/// Checks `variables` against the limits and the definitions of `operation`. `uses`: the number of uses of variables in the document.
pub(super) fn check(variables: &Variables, operation: &Operation, uses: u64, limits: &Limits) -> Result<(), Refusal> {
    let values: u64 = variables.values().map(count_values).sum();
    if values > limits.variable_values as u64 {
        return Err(Refusal::found_over(Code::QueryTooLarge, "values in `variables`", values, limits.variable_values));
    }
    let unsent = operation.variables.iter().filter(|definition| !variables.contains_key(&definition.node.name.node));
    let defaults = unsent.filter_map(|definition| definition.node.default_value.as_ref());
    let with_defaults = values + defaults.map(|default| count_values(&default.node)).sum::<u64>();
    let copies = uses.saturating_mul(with_defaults);
    if copies > limits.variable_copies as u64 {
        let what = "uses of variables times values of variables";
        return Err(Refusal::found_over(Code::QueryTooComplex, what, copies, limits.variable_copies));
    }
    operation.variables.iter().try_for_each(|definition| require(definition, variables))
}

fn require(definition: &Positioned<VariableDefinition>, variables: &Variables) -> Result<(), Refusal> {
    let VariableDefinition { name, var_type, default_value, .. } = &definition.node;
    let missing = match variables.get(&name.node) {
        Some(Value::Null) => Some("is null"),
        None if default_value.is_none() => Some("was not given"),
        _ => None,
    };
    match missing {
        Some(missing) if !var_type.node.nullable => {
            let message = format!("The variable \"${}\" of type \"{}\" {missing}.", name.node, var_type.node);
            Err(Refusal::new(Code::BadUserInput, message).at(definition.pos))
        }
        _ => Ok(()),
    }
}

/// Recursion is bounded, because the JSON parser refuses values that are nested more than 128 levels deep.
fn count_values(value: &Value) -> u64 {
    match value {
        Value::List(values) => 1 + values.iter().map(count_values).sum::<u64>(),
        Value::Object(fields) => 1 + fields.values().map(count_values).sum::<u64>(),
        _ => 1,
    }
}
