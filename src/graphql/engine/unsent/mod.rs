//! Removes variables from a mutation that its client has not sent. The rule: an argument or input field whose value is such a variable is omitted (GraphQL
//! specification, CoerceArgumentValues() and "Input Objects"); an omitted field keeps its value, and null clears it.
//!
//! The engine treats such a variable as null. No argument of a query distinguishes null from an omitted value.

use std::collections::HashSet;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, OperationDefinition, OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned, Request, ServerError, Variables};
use async_graphql_value::Value as Literal;

use crate::graphql::outline::OperationOutline;

/// Removes the unsent variables from a mutation before it runs.
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

struct Unsent(HashSet<Name>);

impl Unsent {
    /// Adds the defaults of a mutation's variables to the request. `None` if the document can run unchanged: it is a query, or each
    /// variable has a value. The guard has already refused required variables without a value.
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

    /// The document without the unsent variables. Other operations may become invalid, which does not matter, because they do not run.
    fn omitted_from(&self, mut document: ExecutableDocument, name: Option<&str>) -> ExecutableDocument {
        if let Some(operation) = selected(&mut document.operations, name) {
            operation.node.variable_definitions.retain(|definition| !self.0.contains(&definition.node.name.node));
            self.omit(&mut operation.node.selection_set.node);
        }
        document.fragments.values_mut().for_each(|fragment| self.omit(&mut fragment.node.selection_set.node));
        document
    }

    /// The guard limits the recursion. No directive of a document has a nullable argument.
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
