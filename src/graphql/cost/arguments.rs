//! The arguments of a field, as far as the cost depends on them. The rule: a value that validation refuses counts as absent or as the largest one,
//! and an unknown value as the most expensive one.

use async_graphql::{Value, Variables};
use async_graphql_value::Value as Literal;

use crate::content::read::Start;
use crate::content::read::pages::{FILTER_SLUGS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use crate::graphql::outline::{Field, OperationOutline};
use crate::model::NodeId;
use crate::model::post::TERMS_MAX;

/// The maximum number of ids of one `nodes`: the size of the largest page.
pub const NODES_MAX: usize = 100;

/// The arguments of one selected field, with the variables of the request.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    pub operation: &'a OperationOutline,
    pub variables: &'a Variables,
    /// Whether a variable without value and default may have any value; otherwise it is absent.
    pub assumes_any: bool,
    pub field: &'a Field,
}

/// What the filter of a list of posts names: each slug, language and value of a field stands for an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Filter {
    /// The indexes that a matching post is in, or one of which it is in.
    pub indexes: u64,
    /// The number of conditions; a page merges their indexes if there are several.
    pub conditions: u64,
    /// The indexes that no matching post is in.
    pub excluded: u64,
}

impl<'a> Arguments<'a> {
    /// The maximum number of items of a page.
    pub(super) fn page_size(&self) -> u64 {
        // The default also applies to types that validation refuses.
        let size = self.size("first").or_else(|| self.size("last")).unwrap_or(PAGE_SIZE_DEFAULT as u64);
        size.min(PAGE_SIZE_MAX as u64)
    }

    /// Where the page certainly begins.
    pub(super) fn start(&self) -> Start {
        match (self.at(&["first"]), self.at(&["last"])) {
            _ if ["after", "before", "orderBy"].iter().any(|name| self.has(&[name])) => Start::Anywhere,
            (_, None) => Start::First,
            (None, Some(last)) if !matches!(last, Argument::Any) => Start::Last,
            _ => Start::Anywhere,
        }
    }

    /// Whether the page may be counted from the end of the list.
    pub(super) fn is_from_end(&self) -> bool {
        let first = self.at(&["first"]);
        self.has(&["last"]) && first.is_none_or(|size| matches!(size, Argument::Any))
    }

    fn size(&self, name: &str) -> Option<u64> {
        match self.at(&[name])? {
            Argument::Any => Some(PAGE_SIZE_MAX as u64),
            // A number that is not a valid size counts as the maximum; the field refuses it when it runs.
            size => size.number().map(|number| number.as_u64().unwrap_or(u64::MAX)),
        }
    }

    /// The argument, if it is a known non-negative integer.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.at(&[name])?.number()?.as_u64()
    }

    /// Whether the value may be given.
    pub(super) fn has(&self, path: &[&str]) -> bool {
        self.at(path).is_some()
    }

    /// Whether the value is certainly given.
    pub(super) fn surely_has(&self, path: &[&str]) -> bool {
        self.at(path).is_some_and(|value| !matches!(value, Argument::Any))
    }

    /// The length of a list, up to `most`; one for a single value, zero if it is absent.
    pub(super) fn length(&self, path: &[&str], most: usize) -> u64 {
        let length = match self.at(path) {
            None => 0,
            Some(Argument::Any) => most,
            Some(Argument::Literal(Literal::List(items))) => items.len(),
            Some(Argument::Variable(Value::List(items))) => items.len(),
            Some(_) => 1,
        };
        length.min(most) as u64
    }

    /// How many tags a change may create.
    pub(super) fn tags_created(&self) -> u64 {
        let named = |field| self.length(&["input", field], TERMS_MAX);
        match self.field.name.as_str() {
            "restoreRevision" => TERMS_MAX as u64,
            _ if self.has(&["input", "createMissingTags"]) => named("tagSlugs") + named("addTagSlugs"),
            _ => 0,
        }
    }

    /// Whether the list may be ordered by the number of posts.
    pub(super) fn is_by_count(&self) -> bool {
        let field = self.at(&["orderBy", "field"]);
        field.is_some_and(|field| matches!(field, Argument::Any) || field.text() == Some("POST_COUNT"))
    }

    /// What the argument `filter` names. `fields`: the number of declared fields by which posts can be filtered.
    pub(super) fn filter(&self, fields: u64) -> Filter {
        let of = |path: &[&str]| self.length(&[&["filter"], path].concat(), FILTER_SLUGS_MAX);
        let has = |path: &[&str]| u64::from(self.has(&[&["filter"], path].concat()));
        let mut filter = Filter::default();
        for kind in ["categories", "tags", "authors"] {
            let all = of(&[kind, "all"]);
            filter.indexes += all + of(&[kind, "any"]);
            filter.conditions += all + has(&[kind, "any"]);
            filter.excluded += of(&[kind, "none"]);
        }
        filter.indexes += of(&["languages"]);
        filter.conditions += has(&["languages"]);
        let featured = self.at(&["filter", "featured"]).map(Argument::boolean);
        let featured = featured.map(|is| (u64::from(is != Some(false)), u64::from(is != Some(true))));
        let (is_featured, is_not) = featured.unwrap_or_default();
        filter.indexes += is_featured;
        filter.conditions += is_featured;
        filter.excluded += is_not;
        let (values, named) = match self.at(&["filter", "fields"]) {
            Some(Argument::Any) => (fields * FILTER_SLUGS_MAX as u64, fields),
            Some(value) => {
                let names = value.names();
                (names.iter().map(|name| of(&["fields", name])).sum(), names.len() as u64)
            }
            None => (0, 0),
        };
        filter.indexes += values;
        filter.conditions += named;
        filter
    }

    /// Each id of an argument; `None` for any id. A text that is not an id names nothing.
    pub(super) fn ids(&self, argument: &str) -> Vec<Option<NodeId>> {
        let items = match self.at(&[argument]) {
            None => Vec::new(),
            Some(Argument::Any) => vec![Argument::Any; if argument == "ids" { NODES_MAX } else { 1 }],
            Some(Argument::Literal(Literal::List(items))) => {
                items.iter().filter_map(|item| self.resolved(Argument::Literal(item))).collect()
            }
            Some(Argument::Variable(Value::List(items))) => items.iter().map(Argument::Variable).collect(),
            Some(single) => vec![single],
        };
        let parsed = items.into_iter().take(NODES_MAX).map(|item| match item {
            Argument::Any => Some(None),
            text => text.text()?.parse().ok().map(Some),
        });
        parsed.flatten().collect()
    }

    /// The value of an argument, or of an entry of its input objects; `None` if it is absent or null.
    fn at(&self, path: &[&str]) -> Option<Argument<'a>> {
        let (name, below) = path.split_first()?;
        let (_, literal) = self.field.arguments.iter().find(|(argument, _)| argument == name)?;
        let whole = self.resolved(Argument::Literal(literal));
        let value = below.iter().try_fold(whole?, |value, name| self.resolved(value.entry(name)?))?;
        let is_null = matches!(value, Argument::Literal(Literal::Null) | Argument::Variable(Value::Null));
        (!is_null).then_some(value)
    }

    /// Replaces a variable by its value.
    fn resolved(&self, argument: Argument<'a>) -> Option<Argument<'a>> {
        let Argument::Literal(Literal::Variable(name)) = argument else { return Some(argument) };
        let value = self.operation.operation().variable(name, self.variables).map(Argument::Variable);
        value.or(self.assumes_any.then_some(Argument::Any))
    }
}

/// The value of an argument, from the document or from a variable.
#[derive(Clone, Copy)]
enum Argument<'a> {
    Literal(&'a Literal),
    Variable(&'a Value),
    /// An unknown value, which may be absent.
    Any,
}

impl<'a> Argument<'a> {
    fn entry(self, name: &str) -> Option<Self> {
        match self {
            Self::Literal(Literal::Object(fields)) => fields.get(name).map(Self::Literal),
            Self::Variable(Value::Object(fields)) => fields.get(name).map(Self::Variable),
            Self::Any => Some(Self::Any),
            _ => None,
        }
    }

    /// The names of the entries of an input object.
    fn names(self) -> Vec<&'a str> {
        match self {
            Self::Literal(Literal::Object(fields)) => fields.keys().map(|name| name.as_str()).collect(),
            Self::Variable(Value::Object(fields)) => fields.keys().map(|name| name.as_str()).collect(),
            _ => Vec::new(),
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
