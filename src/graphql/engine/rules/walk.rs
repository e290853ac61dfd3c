//! The rules about each argument, directive and variable of a document. The rule: each selection is visited once, for any number of
//! spreads, so that the time is proportional to the length of the document and its number of operations.

use std::collections::{HashMap, HashSet};

use async_graphql::parser::types::{
    BaseType, Directive, ExecutableDocument, OperationDefinition, Selection, SelectionSet, Type,
};
use async_graphql::{Name, Pos, Positioned, Value};
use async_graphql_value::Value as Literal;

use super::faults::Faults;
use super::values::{Checker, Path, Use};
use crate::graphql::type_map::{Arguments, innermost};

/// The variables and fragments that an operation or a fragment uses.
#[derive(Default)]
struct Scope<'a> {
    /// The uses of variables with their positions.
    uses: Vec<(Use<'a>, Pos)>,
    spreads: Vec<&'a Name>,
}

pub(super) struct Walk<'a, 'f> {
    checker: Checker<'a>,
    faults: &'f mut Faults,
    fragments: HashMap<&'a Name, Scope<'a>>,
}

impl<'a, 'f> Walk<'a, 'f> {
    /// Checks a document. Returns for each operation the variables that must not be null, although their types are nullable.
    pub(super) fn check(
        checker: Checker<'a>,
        document: &'a ExecutableDocument,
        faults: &'f mut Faults,
    ) -> Vec<(Option<Name>, Vec<Name>)> {
        let mut walk = Self { checker, faults, fragments: HashMap::new() };
        for (name, fragment) in &document.fragments {
            let on = &fragment.node.type_condition.node.on.node;
            let scope = walk.scope(Some(on), &fragment.node.directives, &fragment.node.selection_set.node);
            walk.fragments.insert(name, scope);
        }
        let operations = document.operations.iter();
        operations.map(|(name, operation)| (name.cloned(), walk.operation(&operation.node))).collect()
    }

    fn operation(&mut self, operation: &'a OperationDefinition) -> Vec<Name> {
        let root = self.checker.types.root(operation.ty);
        let scope = self.scope(root, &operation.directives, &operation.selection_set.node);
        self.definitions(operation);
        self.positions(operation, &scope)
    }

    fn scope(
        &mut self,
        on: Option<&'a Name>,
        directives: &'a [Positioned<Directive>],
        set: &'a SelectionSet,
    ) -> Scope<'a> {
        let mut scope = Scope::default();
        self.directives(directives, &mut scope);
        self.set(on, set, &mut scope);
        scope
    }

    /// The guard limits the recursion.
    fn set(&mut self, on: Option<&'a Name>, set: &'a SelectionSet, scope: &mut Scope<'a>) {
        for selection in &set.items {
            self.directives(selection.node.directives(), scope);
            match &selection.node {
                Selection::Field(field) => {
                    let field = &field.node;
                    let found = on.and_then(|on| self.checker.types.any_field(on, &field.name.node));
                    if let Some(found) = found {
                        self.arguments(&found.arguments, &field.arguments, scope);
                    }
                    let inside = found.map(|found| innermost(&found.of));
                    self.set(inside, &field.selection_set.node, scope);
                }
                Selection::InlineFragment(inline) => {
                    let condition = inline.node.type_condition.as_ref().map(|condition| &condition.node.on.node);
                    self.set(condition.or(on), &inline.node.selection_set.node, scope);
                }
                Selection::FragmentSpread(spread) => scope.spreads.push(&spread.node.fragment_name.node),
            }
        }
    }

    fn directives(&mut self, directives: &'a [Positioned<Directive>], scope: &mut Scope<'a>) {
        for directive in directives {
            if let Some(known) = self.checker.types.directive(&directive.node.name.node) {
                self.arguments(known, &directive.node.arguments, scope);
            }
        }
    }

    fn arguments(
        &mut self,
        known: &'a Arguments,
        given: &'a [(Positioned<Name>, Positioned<Literal>)],
        scope: &mut Scope<'a>,
    ) {
        for (name, value) in given {
            let Some(argument) = known.get(&name.node) else { continue };
            let (expected, path) = ((&argument.of, argument.has_default), Path::of_argument(&name.node));
            let mut uses = Vec::new();
            if let Err(reason) = self.checker.check(expected, &value.node, path, &mut uses) {
                self.faults.add(format!("Invalid value for argument {reason}"), &[name.pos]);
            }
            scope.uses.extend(uses.into_iter().map(|used| (used, value.pos)));
        }
    }

    /// "All Variables Default Values Are of Correct Type" and, for variable definitions, "Directives Are In Valid Locations".
    fn definitions(&mut self, operation: &'a OperationDefinition) {
        for definition in &operation.variable_definitions {
            let variable = &definition.node;
            if let Some(default) = &variable.default_value {
                let (of, path) = ((&variable.var_type.node, false), Path::of_variable(&variable.name.node));
                let value = default.node.clone().into_value();
                if let Err(reason) = self.checker.check(of, &value, path, &mut Vec::new()) {
                    self.faults.add(format!("Invalid default value for variable {reason}"), &[definition.pos]);
                }
            }
            for directive in &variable.directives {
                let name = &directive.node.name.node;
                let message = match self.checker.types.directive(name) {
                    Some(_) => format!("Directive \"{name}\" may not be used on \"VARIABLE_DEFINITION\""),
                    None => format!("Unknown directive \"{name}\""),
                };
                self.faults.add(message, &[directive.pos]);
            }
        }
    }

    /// "All Variable Usages Are Allowed".
    fn positions(&mut self, operation: &'a OperationDefinition, scope: &Scope<'a>) -> Vec<Name> {
        let definitions: HashMap<&Name, _> =
            operation.variable_definitions.iter().map(|definition| (&definition.node.name.node, definition)).collect();
        let (mut seen, mut left, mut not_null) = (HashSet::new(), vec![scope], Vec::new());
        while let Some(scope) = left.pop() {
            for (used, at) in &scope.uses {
                // The engine reports undefined variables.
                let Some(definition) = definitions.get(used.variable) else { continue };
                let of = &definition.node.var_type.node;
                let has_default = definition.node.default_value.as_ref().is_some_and(|value| value.node != Value::Null);
                if !is_allowed(of, has_default, used) {
                    let (name, expected) = (used.variable, used.expected);
                    let message =
                        format!("Variable \"${name}\" of type \"{of}\" used in position expecting type \"{expected}\"");
                    self.faults.add(message, &[definition.pos, *at]);
                } else if of.nullable && !used.expected.nullable {
                    not_null.push(used.variable.clone());
                }
            }
            let spreads = scope.spreads.iter().filter(|name| seen.insert(**name));
            left.extend(spreads.filter_map(|name| self.fragments.get(*name)));
        }
        not_null.sort_unstable();
        not_null.dedup();
        not_null
    }
}

/// IsVariableUsageAllowed() of the specification.
fn is_allowed(of: &Type, has_default: bool, used: &Use<'_>) -> bool {
    if used.expected.nullable || !of.nullable {
        return are_compatible(of, used.expected);
    }
    (has_default || used.has_default) && is_base_compatible(&of.base, &used.expected.base)
}

/// AreTypesCompatible() of the specification.
fn are_compatible(of: &Type, expected: &Type) -> bool {
    (expected.nullable || !of.nullable) && is_base_compatible(&of.base, &expected.base)
}

fn is_base_compatible(of: &BaseType, expected: &BaseType) -> bool {
    match (of, expected) {
        (BaseType::Named(of), BaseType::Named(expected)) => of == expected,
        (BaseType::List(of), BaseType::List(expected)) => are_compatible(of, expected),
        _ => false,
    }
}
