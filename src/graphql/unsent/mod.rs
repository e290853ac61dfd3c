//! The variables of a mutation that its client has not sent. The rule: an argument, or a field of an input object, whose value is such a variable
//! is omitted (GraphQL specification, CoerceArgumentValues() and "Input Objects"); an omitted field keeps its value, and null clears it.
//!
//! The engine takes such a variable for null. It also does not validate an argument that contains one, nor one whose variable has its default, so
//! that its faults would be found only after the fields before it have run. A query has no argument for which null and an omitted value differ.

use std::collections::{HashMap, HashSet};

use async_graphql::parser::types::{
    Directive, DocumentOperations, ExecutableDocument, FragmentDefinition, InlineFragment, OperationDefinition,
    OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, ObjectType, Positioned, Request, Response, Schema, SubscriptionType, Value, Variables};
use async_graphql_value::Value as Literal;

use super::outline::OperationOutline;

/// How many selection sets [`validation`] adds around the deepest one of a document.
pub const ADDED_NESTING: usize = 1;

/// Omits the variables that were not sent from a mutation that is to run.
///
/// # Errors
/// The response, if the document is not valid as it was sent.
pub async fn omit_unsent<Query, Mutation, Subscription>(
    schema: &Schema<Query, Mutation, Subscription>,
    operation: &OperationOutline,
    request: &mut Request,
) -> Result<(), Response>
where
    Query: ObjectType + 'static,
    Mutation: ObjectType + 'static,
    Subscription: SubscriptionType + 'static,
{
    let Some(unsent) = Unsent::of(operation, &mut request.variables) else { return Ok(()) };
    let failed = |error| Response::from_errors(vec![error]);
    let document = request.parsed_query().map_err(failed)?.clone();
    let validated = schema.execute(validation(request, document)).await;
    if !validated.errors.is_empty() {
        return Err(validated);
    }
    let document = request.parsed_query().map_err(failed)?.clone();
    let omitted = unsent.omitted_from(document, request.operation_name.as_deref());
    request.set_parsed_query(omitted);
    Ok(())
}

/// The variables without a value.
struct Unsent(HashSet<Name>);

impl Unsent {
    /// Puts the default values of a mutation's variables into the request. `None` if the document can run as it is: a query, or the only operation of
    /// its document with a value for each variable. The guard has refused a required variable without a value.
    fn of(operation: &OperationOutline, variables: &mut Variables) -> Option<Self> {
        let is_alone = operation.outline().operations().len() == 1;
        let operation = operation.operation();
        if operation.kind != OperationType::Mutation {
            return None;
        }
        operation.insert_defaults(variables, |_| true);
        let nullable = operation.variables.iter().filter(|definition| definition.node.var_type.node.nullable);
        let names = nullable.map(|definition| &definition.node.name.node);
        let unsent: HashSet<Name> = names.filter(|name| !variables.contains_key(*name)).cloned().collect();
        (!is_alone || !unsent.is_empty()).then_some(Self(unsent))
    }

    /// The document with nothing but the operation that runs, without the variables that were not sent. The engine validates arguments of other
    /// operations' fragments with the variables of this one.
    fn omitted_from(&self, mut document: ExecutableDocument, name: Option<&str>) -> ExecutableDocument {
        let ExecutableDocument { operations, fragments } = &mut document;
        if let (DocumentOperations::Multiple(operations), Some(name)) = (&mut *operations, name) {
            operations.retain(|other, _| other == name);
        }
        if let Some(operation) = selected(operations, name) {
            operation.node.variable_definitions.retain(|definition| !self.0.contains(&definition.node.name.node));
            self.omit(&mut operation.node.selection_set.node);
            let spread = spread_from(&operation.node.selection_set.node, fragments);
            fragments.retain(|name, _| spread.contains(name));
            fragments.values_mut().for_each(|fragment| self.omit(&mut fragment.node.selection_set.node));
        }
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

/// A request that validates the document as it was sent, and runs nothing of it. It has no variables: the values are validated when the operation
/// runs, and the engine would validate them in the fragments of other operations too.
fn validation(request: &Request, mut document: ExecutableDocument) -> Request {
    match &mut document.operations {
        DocumentOperations::Single(operation) => skip_all(&mut operation.node.selection_set),
        DocumentOperations::Multiple(operations) => {
            operations.values_mut().for_each(|operation| skip_all(&mut operation.node.selection_set));
        }
    }
    let mut validation = Request::new(request.query.as_str());
    validation.operation_name.clone_from(&request.operation_name);
    validation.set_parsed_query(document);
    validation
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

/// Puts all selections of the set into one fragment that is skipped.
fn skip_all(set: &mut Positioned<SelectionSet>) {
    let position = set.pos;
    let skip = Directive {
        name: Positioned::new(Name::new("skip"), position),
        arguments: vec![(
            Positioned::new(Name::new("if"), position),
            Positioned::new(Value::Boolean(true).into_value(), position),
        )],
    };
    let fragment = InlineFragment {
        type_condition: None,
        directives: vec![Positioned::new(skip, position)],
        selection_set: Positioned::new(std::mem::take(&mut set.node), position),
    };
    set.node.items.push(Positioned::new(Selection::InlineFragment(Positioned::new(fragment, position)), position));
}

/// The fragments that a selection set spreads, directly or through others.
fn spread_from(set: &SelectionSet, fragments: &HashMap<Name, Positioned<FragmentDefinition>>) -> HashSet<Name> {
    let mut found = HashSet::new();
    let mut sets = vec![set];
    while let Some(set) = sets.pop() {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => sets.push(&field.node.selection_set.node),
                Selection::InlineFragment(inline) => sets.push(&inline.node.selection_set.node),
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    let fragment = fragments.get(name);
                    if let Some(fragment) = fragment.filter(|_| found.insert(name.clone())) {
                        sets.push(&fragment.node.selection_set.node);
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
