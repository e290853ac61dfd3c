//! The arguments of a field, as far as the cost depends on them. The rule: a value that validation refuses counts as absent or as the largest one.

use async_graphql::{Value, Variables};
use async_graphql_value::Value as Literal;

use crate::content::read::pages::{FILTER_SLUGS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use crate::graphql::outline::{Field, OperationOutline};

/// The arguments of one selected field, with the variables of the request.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    pub operation: &'a OperationOutline,
    pub variables: &'a Variables,
    pub field: &'a Field,
}

/// The slugs that the filter of a list of posts names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct FilteredSlugs {
    /// Indexes of which the list has the common posts: each slug of `all`.
    pub all: u64,
    /// Conditions `any`, each with the posts of at least one of its slugs.
    pub any_lists: u64,
    pub any: u64,
    pub none: u64,
}

impl FilteredSlugs {
    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The indexes that a page reads.
    pub(super) fn indexes(self) -> u64 {
        self.all + self.any
    }
}

impl<'a> Arguments<'a> {
    /// The number of items that a page has at most.
    pub(super) fn page_size(&self) -> u64 {
        // Absent, null, or of a type that validation refuses: the default.
        let size = self.size("first").or_else(|| self.size("last")).unwrap_or(PAGE_SIZE_DEFAULT as u64);
        size.min(PAGE_SIZE_MAX as u64)
    }

    /// Whether the page is counted from the end of the list.
    pub(super) fn is_from_end(&self) -> bool {
        self.size("first").is_none() && self.size("last").is_some()
    }

    fn size(&self, name: &str) -> Option<u64> {
        self.argument(name)?.size()
    }

    /// A whole number that is not negative.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.size(name).filter(|number| *number != u64::MAX)
    }

    /// The length of a list; one if a single value is given in its place.
    pub(super) fn list_length(&self, name: &str) -> u64 {
        self.argument(name).and_then(Argument::list_length).unwrap_or(1) as u64
    }

    /// Whether the argument has a value other than null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.argument(name).is_some_and(|argument| !argument.is_null())
    }

    /// The length of a list in an input object; one if a single value is given in its place, 0 without one.
    pub(super) fn length_in(&self, name: &str, entry: &str) -> u64 {
        let list = self.argument(name).and_then(|input| self.resolved(input.entry(entry)?));
        list.filter(|list| !list.is_null()).map_or(0, |list| list.list_length().unwrap_or(1) as u64)
    }

    /// Whether an input object has a value other than null.
    pub(super) fn has_in(&self, name: &str, entry: &str) -> bool {
        let value = self.argument(name).and_then(|input| self.resolved(input.entry(entry)?));
        value.is_some_and(|value| !value.is_null())
    }

    /// The direction of `orderBy`.
    pub(super) fn direction(&self) -> Option<&'a str> {
        self.argument("orderBy").and_then(|order| self.resolved(order.entry("direction")?)).and_then(Argument::name)
    }

    /// Whether the filter has a range of dates.
    pub(super) fn has_dates(&self) -> bool {
        let range = self.argument("filter").and_then(|filter| self.resolved(filter.entry("publishedAt")?));
        range.is_some_and(|range| !range.is_null())
    }

    /// The slugs that the filter names; a list that is a single value has one.
    pub(super) fn filtered_slugs(&self) -> FilteredSlugs {
        let mut slugs = FilteredSlugs::default();
        let Some(filter) = self.argument("filter") else { return slugs };
        for kind in ["categories", "tags", "authors"] {
            let Some(of_kind) = filter.entry(kind).and_then(|of_kind| self.resolved(of_kind)) else { continue };
            let named = |condition: &str| {
                let named = self.resolved(of_kind.entry(condition)?)?;
                // Duplicates are dropped before they are counted, so a longer list may be a shorter one.
                (!named.is_null()).then(|| named.list_length().unwrap_or(1).min(FILTER_SLUGS_MAX) as u64)
            };
            slugs.all += named("all").unwrap_or(0);
            slugs.any_lists += u64::from(named("any").is_some());
            slugs.any += named("any").unwrap_or(0);
            slugs.none += named("none").unwrap_or(0);
        }
        slugs
    }

    /// The texts of a list, or the text of an argument that is no list.
    pub(super) fn texts(&self, name: &str) -> Vec<Option<&'a str>> {
        let Some(argument) = self.argument(name) else { return Vec::new() };
        match argument {
            Argument::Literal(Literal::List(items)) => {
                items.iter().map(|item| self.resolved(Argument::Literal(item))?.text()).collect()
            }
            Argument::Variable(Value::List(items)) => {
                items.iter().map(|item| Argument::Variable(item).text()).collect()
            }
            single => vec![single.text()],
        }
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

    fn text(self) -> Option<&'a str> {
        match self {
            Self::Literal(Literal::String(text)) | Self::Variable(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// The name of an enum's value; a variable may have it as a text.
    fn name(self) -> Option<&'a str> {
        match self {
            Self::Literal(Literal::Enum(name)) | Self::Variable(Value::Enum(name)) => Some(name),
            other => other.text(),
        }
    }
}
