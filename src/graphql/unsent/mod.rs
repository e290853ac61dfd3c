//! The variables of a mutation that its client has not sent. The rule: an argument, or a field of an input object, whose value is such a variable
//! is omitted (GraphQL specification, CoerceArgumentValues() and "Input Objects"); an omitted field keeps its value, and null clears it.
//!
//! The engine takes such a variable for null. A query has no argument for which null and an omitted value differ.

use std::collections::HashSet;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, OperationDefinition, OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned, Request, ServerError, Variables};
use async_graphql_value::Value as Literal;

use super::outline::OperationOutline;

/// Omits the variables that were not sent from a mutation that is to run.
///
/// # Errors
/// If the document does not parse.
pub fn omit_unsent(operation: &OperationOutline, request: &mut Request) -> Result<(), ServerError> {
    let Some(unsent) = Unsent::of(operation, &mut request.variables) else { return Ok(()) };
    let document = request.parsed_query()?.clone();
    let omitted = unsent.omitted_from(document, request.operation_name.as_deref());
    request.set_parsed_query(omitted);
    Ok(())
}

/// The variables without a value.
struct Unsent(HashSet<Name>);

impl Unsent {
    /// Puts the default values of a mutation's variables into the request. `None` if the document can run as it is: a query, or an operation with a value
    /// for each variable. The guard has refused a required variable without a value.
    fn of(operation: &OperationOutline, variables: &mut Variables) -> Option<Self> {
        let operation = operation.operation();
        if operation.kind != OperationType::Mutation {
            return None;
        }
        operation.insert_defaults(variables, |_| true);
        let nullable = operation.variables.iter().filter(|definition| definition.node.var_type.node.nullable);
        let names = nullable.map(|definition| &definition.node.name.node);
        let unsent: HashSet<Name> = names.filter(|name| !variables.contains_key(*name)).cloned().collect();
        (!unsent.is_empty()).then_some(Self(unsent))
    }

    /// The document, without the variables that were not sent. What another operation has does not matter, because it does not run.
    fn omitted_from(&self, mut document: ExecutableDocument, name: Option<&str>) -> ExecutableDocument {
        if let Some(operation) = selected(&mut document.operations, name) {
            operation.node.variable_definitions.retain(|definition| !self.0.contains(&definition.node.name.node));
            self.omit(&mut operation.node.selection_set.node);
        }
        document.fragments.values_mut().for_each(|fragment| self.omit(&mut fragment.node.selection_set.node));
        document
    }

    /// The guard bounds the recursion. Directives of a document have no nullable arguments.
    fn omit(&self, set: &mut SelectionSet) {
        for selection in &mut set.items {
            match &mut selection.node {
                Selection::Field(field) => {
                    field.node.arguments.retain_mut(|(_, value)| self.keep(&mut value.node));
                    self.omit(&mut field.node.selection_set.node);
                }
                Selection::InlineFragment(inline) => self.omit(&mut inline.node.selection_set.node),
                Selection::FragmentSpread(_) => {}
            }
        }
    }

    /// Whether the value stays. An item of a list cannot be omitted; it becomes null.
    fn keep(&self, value: &mut Literal) -> bool {
        match value {
            Literal::Variable(name) => return !self.0.contains(name),
            Literal::Object(fields) => fields.retain(|_, field| self.keep(field)),
            Literal::List(items) => {
                for item in items {
                    if !self.keep(item) {
                        *item = Literal::Null;
                    }
                }
            }
            _ => {}
        }
        true
    }
}

fn selected<'a>(
    operations: &'a mut DocumentOperations,
    name: Option<&str>,
) -> Option<&'a mut Positioned<OperationDefinition>> {
    match (operations, name) {
        (DocumentOperations::Single(operation), _) => Some(operation),
        (DocumentOperations::Multiple(operations), Some(name)) => operations.get_mut(name),
        (DocumentOperations::Multiple(operations), None) => operations.values_mut().next(),
    }
}

#[cfg(test)]
mod tests;
