//! The arguments of a field, as far as the cost depends on them. The rule: a value that validation refuses counts as absent or as the largest one.

use std::borrow::Cow;

use async_graphql::{Value, Variables};
use async_graphql_value::Value as Literal;

use crate::content::read::pages::{FILTER_SLUGS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use crate::graphql::outline::{Field, OperationOutline};
use crate::model::field_index::field_partition;
use crate::model::index_kind::featured_partition;
use crate::model::{IndexKind, Language, Slug, TermKind};

/// The arguments of one selected field, with the variables of the request.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    pub operation: &'a OperationOutline,
    pub variables: &'a Variables,
    pub field: &'a Field,
}

pub(super) struct Condition {
    pub kind: IndexKind,
    pub quantifier: Quantifier,
    /// The index partitions that the condition names, each once. `None` stands for a text that is not a slug or a language and so has no
    /// posts.
    pub slugs: Vec<Option<Slug>>,
}

/// How many of the slugs of a condition a post must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    All,
    Any,
    None,
}

impl Quantifier {
    const EACH: [(Self, &'static str); 3] = [(Self::All, "all"), (Self::Any, "any"), (Self::None, "none")];
}

impl<'a> Arguments<'a> {
    /// The maximum number of items of a page.
    pub(super) fn page_size(&self) -> u64 {
        // The default also applies to null and to types that validation refuses.
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

    /// The argument, if it is a non-negative integer.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.size(name).filter(|number| *number != u64::MAX)
    }

    /// The length of a list argument; one for a single value.
    pub(super) fn list_length(&self, name: &str) -> u64 {
        self.argument(name).and_then(Argument::list_length).unwrap_or(1) as u64
    }

    /// Whether the argument has a value other than null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.argument(name).is_some_and(|argument| !argument.is_null())
    }

    /// The length of a list in an input object; one for a single value, zero if it is absent.
    pub(super) fn length_in(&self, name: &str, entry: &str) -> u64 {
        let list = self.argument(name).and_then(|input| self.resolved(input.entry(entry)?));
        list.filter(|list| !list.is_null()).map_or(0, |list| list.list_length().unwrap_or(1) as u64)
    }

    /// Whether an input object has a value other than null.
    pub(super) fn has_in(&self, name: &str, entry: &str) -> bool {
        let value = self.argument(name).and_then(|input| self.resolved(input.entry(entry)?));
        value.is_some_and(|value| !value.is_null())
    }

    pub(super) fn direction(&self) -> Option<&'a str> {
        self.argument("orderBy").and_then(|order| self.resolved(order.entry("direction")?)).and_then(Argument::name)
    }

    pub(super) fn order_field(&self) -> Option<&'a str> {
        self.argument("orderBy").and_then(|order| self.resolved(order.entry("field")?)).and_then(Argument::name)
    }

    /// Whether the filter has a range of dates.
    pub(super) fn has_dates(&self) -> bool {
        let range = self.argument("filter").and_then(|filter| self.resolved(filter.entry("publishedAt")?));
        range.is_some_and(|range| !range.is_null())
    }

    /// The conditions of the filter that name index partitions: slugs, languages, `featured` and declared fields.
    pub(super) fn conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        let Some(filter) = self.argument("filter") else { return conditions };
        for (kind, name) in TermKind::ALL.into_iter().zip(["categories", "tags", "authors"]) {
            let Some(of_kind) = filter.entry(name).and_then(|of_kind| self.resolved(of_kind)) else { continue };
            for (quantifier, name) in Quantifier::EACH {
                let named = of_kind.entry(name).and_then(|named| self.resolved(named));
                conditions.extend(self.condition(kind.into(), quantifier, named));
            }
        }
        let languages = filter.entry("languages").and_then(|named| self.resolved(named));
        conditions.extend(self.condition(IndexKind::Language, Quantifier::Any, languages));
        let featured = filter.entry("featured").and_then(|named| self.resolved(named)).and_then(Argument::boolean);
        conditions.extend(featured.map(|is_featured| Condition {
            kind: IndexKind::Featured,
            quantifier: if is_featured { Quantifier::All } else { Quantifier::None },
            slugs: vec![Some(featured_partition())],
        }));
        let fields = filter.entry("fields").and_then(|fields| self.resolved(fields));
        let fields = fields.map(Argument::entries).unwrap_or_default().into_iter();
        conditions.extend(fields.filter_map(|(name, values)| self.condition_on_field(name, values)));
        conditions
    }

    fn condition(&self, kind: IndexKind, quantifier: Quantifier, named: Option<Argument<'a>>) -> Option<Condition> {
        let mut texts = self.texts_of(named.filter(|named| !named.is_null())?);
        texts.sort_unstable();
        texts.dedup();
        // A filter with more slugs is refused.
        texts.truncate(FILTER_SLUGS_MAX);
        let slug = |text: &str| match kind {
            IndexKind::Language => text.parse::<Language>().ok().map(|language| language.index_slug()),
            _ => Slug::from_address(text),
        };
        let slugs = texts.into_iter().map(|text| text.and_then(slug)).collect();
        Some(Condition { kind, quantifier, slugs })
    }

    fn condition_on_field(&self, name: &str, values: Argument<'a>) -> Option<Condition> {
        let values = self.resolved(values).filter(|values| !values.is_null())?;
        let texts = self.items_of(values).into_iter().map(|value| value?.scalar_text());
        let mut texts: Vec<Option<Cow<'_, str>>> = texts.collect();
        texts.sort_unstable();
        texts.dedup();
        texts.truncate(FILTER_SLUGS_MAX);
        let slugs = texts.into_iter().map(|text| Some(field_partition(name, &text?))).collect();
        Some(Condition { kind: IndexKind::Field, quantifier: Quantifier::Any, slugs })
    }

    /// The texts of a list argument, or of a single value.
    pub(super) fn texts(&self, name: &str) -> Vec<Option<&'a str>> {
        self.argument(name).map(|argument| self.texts_of(argument)).unwrap_or_default()
    }

    fn texts_of(&self, argument: Argument<'a>) -> Vec<Option<&'a str>> {
        self.items_of(argument).into_iter().map(|item| item?.text()).collect()
    }

    /// The items of a list, or a single value.
    fn items_of(&self, argument: Argument<'a>) -> Vec<Option<Argument<'a>>> {
        match argument {
            Argument::Literal(Literal::List(items)) => {
                items.iter().map(|item| self.resolved(Argument::Literal(item))).collect()
            }
            Argument::Variable(Value::List(items)) => items.iter().map(|item| Some(Argument::Variable(item))).collect(),
            single => vec![Some(single)],
        }
    }

    /// The text of an entry of an input object.
    pub(super) fn text_in(&self, name: &str, entry: &str) -> Option<&'a str> {
        self.argument(name).and_then(|input| self.resolved(input.entry(entry)?))?.text()
    }

    /// `None` if the argument is absent, or its variable has no value.
    fn argument(&self, name: &str) -> Option<Argument<'a>> {
        let (_, literal) = self.field.arguments.iter().find(|(argument, _)| argument == name)?;
        self.resolved(Argument::Literal(literal))
    }

    /// Replaces a variable by its value.
    fn resolved(&self, argument: Argument<'a>) -> Option<Argument<'a>> {
        match argument {
            Argument::Literal(Literal::Variable(variable)) => {
                self.operation.operation().variable(variable, self.variables).map(Argument::Variable)
            }
            argument => Some(argument),
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
    fn entry(self, name: &str) -> Option<Self> {
        match self {
            Self::Literal(Literal::Object(fields)) => fields.get(name).map(Self::Literal),
            Self::Variable(Value::Object(fields)) => fields.get(name).map(Self::Variable),
            _ => None,
        }
    }

    fn entries(self) -> Vec<(&'a str, Self)> {
        match self {
            Self::Literal(Literal::Object(fields)) => {
                fields.iter().map(|(name, value)| (name.as_str(), Self::Literal(value))).collect()
            }
            Self::Variable(Value::Object(fields)) => {
                fields.iter().map(|(name, value)| (name.as_str(), Self::Variable(value))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn is_null(self) -> bool {
        matches!(self, Self::Literal(Literal::Null) | Self::Variable(Value::Null))
    }

    /// The size of a page. A number that is not a valid size counts as the maximum; the field refuses it when it runs.
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

    /// The text of a scalar or an enum value.
    fn scalar_text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Literal(Literal::Number(number)) | Self::Variable(Value::Number(number)) => {
                Some(Cow::Owned(number.to_string()))
            }
            _ => match self.boolean() {
                Some(truth) => Some(Cow::Borrowed(if truth { "true" } else { "false" })),
                None => self.name().map(Cow::Borrowed),
            },
        }
    }

    fn boolean(self) -> Option<bool> {
        match self {
            Self::Literal(Literal::Boolean(is)) | Self::Variable(Value::Boolean(is)) => Some(*is),
            _ => None,
        }
    }

    /// The name of an enum value, which a variable may contain as a string.
    fn name(self) -> Option<&'a str> {
        match self {
            Self::Literal(Literal::Enum(name)) | Self::Variable(Value::Enum(name)) => Some(name),
            other => other.text(),
        }
    }
}
