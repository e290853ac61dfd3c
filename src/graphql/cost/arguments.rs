//! The arguments of a field, as far as the cost depends on them. The rule: a value that validation refuses counts as absent or as the largest
//! one.

use async_graphql::{Value, Variables};
use async_graphql_value::Value as Literal;

use crate::content::read::pages::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use crate::graphql::outline::{Field, OperationOutline};
use crate::model::NodeId;

/// The maximum number of ids of one `nodes`: the size of the largest page.
pub const NODES_MAX: usize = 100;

/// The arguments of one selected field, with the variables of the request.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    pub operation: &'a OperationOutline,
    /// The sent variables.
    pub variables: &'a Variables,
    pub field: &'a Field,
}

/// The numbers of slugs, languages and values in the filter of a list of posts. Each is an index to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Filter {
    /// The indexes that matching posts are in.
    pub named: u64,
    /// The indexes that no matching post is in.
    pub excluded: u64,
    pub has_dates: bool,
}

impl<'a> Arguments<'a> {
    /// The maximum number of items of a page.
    pub(super) fn page_size(&self) -> u64 {
        // The default also applies to types that validation refuses.
        let size = self.size("first").or_else(|| self.size("last")).unwrap_or(PAGE_SIZE_DEFAULT as u64);
        size.min(PAGE_SIZE_MAX as u64)
    }

    fn size(&self, name: &str) -> Option<u64> {
        // A number that is not a valid size counts as the maximum; the field refuses it when it runs.
        self.at(&[name])?.number().map(|number| number.as_u64().unwrap_or(u64::MAX))
    }

    /// The argument, if it is a known non-negative integer.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.at(&[name])?.number()?.as_u64()
    }

    pub(super) fn has(&self, path: &[&str]) -> bool {
        self.at(path).is_some()
    }

    /// The length of a list, up to `most`; one for a single value, zero if it is absent.
    pub(super) fn length(&self, path: &[&str], most: usize) -> u64 {
        self.at(path).map_or(0, |value| self.items(value).len().min(most)) as u64
    }

    /// The number of texts in the argument `input` of a mutation that may name something.
    pub(super) fn names_in_input(&self) -> u64 {
        let texts = |path: &[&str]| self.at(path).map_or(0, |value| self.leaves(value, |leaf| leaf.text().is_some()));
        texts(&["input"]) - texts(&["input", "metadata"]) - texts(&["input", "fields"])
    }

    /// Whether the list is ordered by the number of posts.
    pub(super) fn is_by_count(&self) -> bool {
        self.at(&["orderBy", "field"]).is_some_and(|field| field.text() == Some("POST_COUNT"))
    }

    /// The counts of the argument `filter`.
    pub(super) fn filter(&self) -> Filter {
        let count =
            |path: &[&str]| self.at(&[&["filter"], path].concat()).map_or(0, |value| self.leaves(value, |_| true));
        let is_featured = self.at(&["filter", "featured"]).and_then(Argument::boolean);
        let others = u64::from(is_featured == Some(false));
        let excluded =
            others + ["categories", "tags", "authors"].map(|kind| count(&[kind, "none"])).iter().sum::<u64>();
        let dates = count(&["publishedAt"]);
        Filter { named: count(&[]) - excluded - dates, excluded, has_dates: dates > 0 }
    }

    /// Each id of an argument. A text that is not an id names nothing.
    pub(super) fn ids(&self, argument: &str) -> Vec<NodeId> {
        let items = self.at(&[argument]).map(|value| self.items(value)).unwrap_or_default();
        items.into_iter().take(NODES_MAX).filter_map(|item| item.text()?.parse().ok()).collect()
    }

    /// The value of an argument, or of an entry of its input objects; `None` if it is absent or null.
    fn at(&self, path: &[&str]) -> Option<Argument<'a>> {
        let (name, below) = path.split_first()?;
        let (_, literal) = self.field.arguments.iter().find(|(argument, _)| argument == name)?;
        let whole = self.resolved(Argument::Literal(literal));
        let value = below.iter().try_fold(whole?, |value, name| self.resolved(value.entry(name)?))?;
        (!value.is_null()).then_some(value)
    }

    /// Replaces a variable by its value.
    fn resolved(&self, argument: Argument<'a>) -> Option<Argument<'a>> {
        let Argument::Literal(Literal::Variable(name)) = argument else { return Some(argument) };
        self.operation.operation().variable(name, self.variables).map(Argument::Variable)
    }

    /// The items of a list; a single value is a list of one.
    fn items(&self, value: Argument<'a>) -> Vec<Argument<'a>> {
        match value {
            Argument::Literal(Literal::List(items)) => {
                items.iter().filter_map(|item| self.resolved(Argument::Literal(item))).collect()
            }
            Argument::Variable(Value::List(items)) => items.iter().map(Argument::Variable).collect(),
            single => vec![single],
        }
    }

    /// The values inside of lists and input objects that are counted. Recursion is bounded, because the guard and the JSON parser limit the
    /// nesting.
    fn leaves(&self, value: Argument<'a>, is_counted: fn(Argument<'a>) -> bool) -> u64 {
        let of_entry = |entry| self.resolved(entry).map_or(0, |entry| self.leaves(entry, is_counted));
        match value {
            Argument::Literal(Literal::Object(fields)) => fields.values().map(Argument::Literal).map(of_entry).sum(),
            Argument::Variable(Value::Object(fields)) => fields.values().map(Argument::Variable).map(of_entry).sum(),
            Argument::Literal(Literal::List(_)) | Argument::Variable(Value::List(_)) => {
                self.items(value).into_iter().map(|item| self.leaves(item, is_counted)).sum()
            }
            leaf => u64::from(!leaf.is_null() && is_counted(leaf)),
        }
    }
}

/// The value of an argument, from the document or from a variable.
#[derive(Clone, Copy)]
enum Argument<'a> {
    Literal(&'a Literal),
    Variable(&'a Value),
}

impl<'a> Argument<'a> {
    fn is_null(self) -> bool {
        matches!(self, Self::Literal(Literal::Null) | Self::Variable(Value::Null))
    }

    fn entry(self, name: &str) -> Option<Self> {
        match self {
            Self::Literal(Literal::Object(fields)) => fields.get(name).map(Self::Literal),
            Self::Variable(Value::Object(fields)) => fields.get(name).map(Self::Variable),
            _ => None,
        }
    }

    fn number(self) -> Option<&'a async_graphql::Number> {
        match self {
            Self::Literal(Literal::Number(number)) | Self::Variable(Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// A text, or the name of an enum value, which a variable may contain as a text.
    fn text(self) -> Option<&'a str> {
        match self {
            Self::Literal(Literal::String(text)) | Self::Variable(Value::String(text)) => Some(text),
            Self::Literal(Literal::Enum(name)) | Self::Variable(Value::Enum(name)) => Some(name),
            _ => None,
        }
    }

    fn boolean(self) -> Option<bool> {
        match self {
            Self::Literal(Literal::Boolean(is)) | Self::Variable(Value::Boolean(is)) => Some(*is),
            _ => None,
        }
    }
}
