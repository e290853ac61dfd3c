//! The arguments of a field, as far as the cost depends on them. The rule: a value that validation refuses counts as absent or as the largest one.

use async_graphql::{Value, Variables};
use async_graphql_value::Value as Literal;

use crate::content::read::pages::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use crate::graphql::outline::{Field, OperationOutline};

/// The arguments of one selected field, with the variables of the request.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    pub operation: &'a OperationOutline,
    pub variables: &'a Variables,
    pub field: &'a Field,
}

impl<'a> Arguments<'a> {
    /// The number of items that a page has at most.
    pub(super) fn page_size(&self) -> u64 {
        // Absent, null, or of a type that validation refuses: the default.
        let size = |name| self.argument(name)?.size();
        let size = size("first").or_else(|| size("last")).unwrap_or(PAGE_SIZE_DEFAULT as u64);
        size.min(PAGE_SIZE_MAX as u64)
    }

    /// The length of a list; one if a single value is given in its place.
    pub(super) fn list_length(&self, name: &str) -> u64 {
        self.argument(name).and_then(Argument::list_length).unwrap_or(1) as u64
    }

    /// Whether the argument has a value other than null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.argument(name).is_some_and(|argument| !argument.is_null())
    }

    /// Whether the page begins or ends at a cursor.
    pub(super) fn has_cursor(&self) -> bool {
        self.has("after") || self.has("before")
    }

    /// Whether the filter of a list of posts excludes categories, tags or authors with `none`.
    pub(super) fn excludes_terms(&self) -> bool {
        let Some(filter) = self.argument("filter") else { return false };
        let of_kind = |kind: &str| filter.entry(kind).and_then(|slugs| self.resolved(slugs)?.entry("none"));
        let none = ["categories", "tags", "authors"].into_iter().filter_map(of_kind);
        none.filter_map(|none| self.resolved(none)).any(|none| !none.is_null())
    }

    /// `None` if the argument is absent, or its variable has no value.
    fn argument(&self, name: &str) -> Option<Argument<'a>> {
        let (_, literal) = self.field.arguments.iter().find(|(argument, _)| argument == name)?;
        self.resolved(Argument::Literal(literal))
    }

    /// The value of the variable, if that is what is written.
    fn resolved(&self, argument: Argument<'a>) -> Option<Argument<'a>> {
        match argument {
            Argument::Literal(Literal::Variable(variable)) => {
                self.operation.operation().variable(variable, self.variables).map(Argument::Variable)
            }
            argument => Some(argument),
        }
    }
}

/// The value of an argument, as it is written or as its variable has it.
#[derive(Clone, Copy)]
enum Argument<'a> {
    Literal(&'a Literal),
    Variable(&'a Value),
}

impl<'a> Argument<'a> {
    /// A field of an input object.
    fn entry(self, name: &str) -> Option<Self> {
        match self {
            Self::Literal(Literal::Object(fields)) => fields.get(name).map(Self::Literal),
            Self::Variable(Value::Object(fields)) => fields.get(name).map(Self::Variable),
            _ => None,
        }
    }

    fn is_null(self) -> bool {
        matches!(self, Self::Literal(Literal::Null) | Self::Variable(Value::Null))
    }

    /// The size of a page; a number that is no size is refused when the field runs, and counts as the largest one.
    fn size(self) -> Option<u64> {
        match self {
            Self::Literal(Literal::Number(n)) | Self::Variable(Value::Number(n)) => {
                Some(n.as_u64().unwrap_or(u64::MAX))
            }
            _ => None,
        }
    }

    fn list_length(self) -> Option<usize> {
        match self {
            Self::Literal(Literal::List(items)) => Some(items.len()),
            Self::Variable(Value::List(items)) => Some(items.len()),
            _ => None,
        }
    }
}
