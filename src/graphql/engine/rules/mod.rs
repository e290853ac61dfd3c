//! The rules of the GraphQL specification that the engine's validation lacks or applies in part: whether fields can be merged, where variables may be used, and
//! whether values fit their types, including those of variables. The rule: checks that depend only on the text are made once for a document; the values of
//! variables are checked for each request, before anything runs.

mod faults;
mod merge;
mod suggest;
mod values;
mod walk;

use std::sync::Arc;

use async_graphql::parser::types::ExecutableDocument;
use async_graphql::{Name, ServerError, Variables};
use async_graphql_value::Value as Literal;

use crate::graphql::outline::{Checked, Operation, Outline};
use crate::graphql::type_map::{Arguments, TypeMap, innermost};
use faults::Faults;
use merge::Merging;
use suggest::{did_you_mean, either};
use values::{Checker, Path};
use walk::Walk;

#[derive(Debug)]
pub(super) struct Rules {
    types: Arc<TypeMap>,
    suggests_names: bool,
}

impl Rules {
    /// `suggests_names`: whether messages suggest names.
    pub(super) fn new(types: Arc<TypeMap>, suggests_names: bool) -> Self {
        Self { types, suggests_names }
    }

    fn checker(&self, is_literal: bool) -> Checker<'_> {
        Checker { types: &self.types, is_literal, suggests_names: self.suggests_names, is_declared: false }
    }

    /// Checks the values and the variables of a document.
    pub(super) fn check_values(&self, document: &ExecutableDocument) -> Checked {
        let mut faults = Faults::default();
        let not_null = Walk::check(self.checker(true), document, &mut faults);
        Checked { faults: faults.into_errors(), not_null, repeats_fields: false }
    }

    /// Adds similar names to the engine's message about an unknown field, argument or type.
    pub(super) fn suggest(&self, message: &mut String) {
        if !self.suggests_names {
            return;
        }
        let quoted: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
        let suggestion = match quoted.as_slice() {
            [name, of, ..] if message.starts_with("Unknown field ") => {
                let similar = did_you_mean(name, self.types.field_names(of));
                let of_object = if similar.is_empty() { self.fields_of_objects(name, of) } else { similar };
                if of_object.is_empty() { self.fields_above(name, of) } else { of_object }
            }
            [name, ..] if message.starts_with("Unknown type ") => did_you_mean(name, self.types.type_names()),
            [name, field, of, ..] if message.starts_with("Unknown argument ") && message.contains(" on field ") => {
                let arguments = self.types.any_field(of, field).map(|found| &found.arguments);
                let similar = did_you_mean(name, arguments.into_iter().flat_map(Arguments::names));
                if similar.is_empty() { self.fields_with(name, field, of) } else { similar }
            }
            _ => return,
        };
        if !suggestion.is_empty() {
            *message = format!("{}{suggestion}", message.trim_end_matches('.'));
        }
    }

    /// Suggests the object types of an interface that have a field of this name, such as `... on Image { width }`.
    fn fields_of_objects(&self, name: &str, of: &str) -> String {
        let objects = self.types.objects(of).iter().map(Name::as_str);
        let has = |object: &&str| *object != of && self.types.any_field(object, name).is_some();
        either(name, objects.filter(has), |object| format!("... on {object} {{ {name} }}"))
    }

    /// Suggests the fields of a type that lead to a field of this name, such as `nodes { title }`.
    fn fields_above(&self, name: &str, of: &str) -> String {
        let leads = |field: &&str| {
            let found = self.types.any_field(of, field);
            found.is_some_and(|found| self.types.any_field(innermost(&found.of), name).is_some())
        };
        either(name, self.types.field_names(of).filter(leads), |field| format!("{field} {{ {name} }}"))
    }

    /// Suggests the other fields of a type that have an argument of this name, such as `node(id:)`.
    fn fields_with(&self, name: &str, field: &str, of: &str) -> String {
        let has = |field: &&str| {
            let found = self.types.any_field(of, field);
            found.is_some_and(|found| found.arguments.get(name).is_some())
        };
        either(field, self.types.field_names(of).filter(has), |field| format!("{field}({name}:)"))
    }

    /// Checks whether the fields of a document can be merged. All fields and arguments must exist. Also returns [`Checked::repeats_fields`].
    pub(super) fn check_merging(&self, outline: &Outline) -> (Vec<ServerError>, bool) {
        let mut faults = Faults::default();
        let repeats_fields = Merging::check(&self.types, outline, &mut faults);
        (faults.into_errors(), repeats_fields)
    }

    /// Checks the sent values of an operation's variables. `not_null`: the variables that must not be null, although their types are
    /// nullable.
    pub(super) fn check_variables(
        &self,
        operation: &Operation,
        not_null: &[Name],
        sent: &Variables,
    ) -> Vec<ServerError> {
        let mut faults = Faults::default();
        for definition in &operation.variables {
            let variable = &definition.node;
            let Some(value) = sent.get(&variable.name.node) else { continue };
            let value = value.clone().into_value();
            let (of, path) = (&variable.var_type.node, Path::of_variable(&variable.name.node));
            let checked = self.checker(false).check((of, false), &value, path, &mut Vec::new()).and_then(|()| {
                let is_null = value == Literal::Null && not_null.contains(&variable.name.node);
                if is_null { Err(format!("\"{path}\", null is not allowed where it is used")) } else { Ok(()) }
            });
            if let Err(reason) = checked {
                faults.add(format!("Invalid value for variable {reason}"), &[definition.pos]);
            }
        }
        faults.into_errors()
    }
}
