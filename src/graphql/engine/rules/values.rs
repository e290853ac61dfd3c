//! Checks whether a value fits its type ("Values of Correct Type" and "Input Coercion" of the GraphQL specification). The rule: every
//! argument of the type accepts a value that passes, so that no field of a mutation runs before a value is refused; literals and variables
//! are treated differently only where the specification requires it.

use std::fmt;

use async_graphql::Name;
use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{BaseType, Type};
use async_graphql_value::Value as Literal;

use super::suggest::did_you_mean;
use crate::graphql::scalars::DateTime;
use crate::graphql::site_fields::{PAGE_FIELDS, POST_FIELDS, input_name};
use crate::graphql::type_map::{Arguments, Input, Scalar, TypeMap};

pub(super) struct Use<'a> {
    pub variable: &'a Name,
    pub expected: &'a Type,
    /// Whether the argument or input field with this value has a default.
    pub has_default: bool,
}

/// The path of a value, from its argument or variable.
#[derive(Clone, Copy)]
pub(super) struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    segment: Segment<'p>,
}

#[derive(Clone, Copy)]
enum Segment<'p> {
    Argument(&'p str),
    Variable(&'p str),
    Field(&'p str),
    Item(usize),
}

impl<'p> Path<'p> {
    pub(super) fn of_argument(name: &'p str) -> Self {
        Self { parent: None, segment: Segment::Argument(name) }
    }

    pub(super) fn of_variable(name: &'p str) -> Self {
        Self { parent: None, segment: Segment::Variable(name) }
    }
}

impl fmt::Display for Path<'_> {
    /// Recursion is bounded by the nesting of values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            write!(f, "{parent}.")?;
        }
        match self.segment {
            Segment::Argument(name) | Segment::Field(name) => f.write_str(name),
            Segment::Variable(name) => write!(f, "${name}"),
            Segment::Item(index) => write!(f, "{index}"),
        }
    }
}

/// The types, and how values are interpreted.
#[derive(Clone, Copy)]
pub(super) struct Checker<'a> {
    pub types: &'a TypeMap,
    /// Whether the values are GraphQL literals; in JSON, enum values are strings.
    pub is_literal: bool,
    pub suggests_names: bool,
    /// Whether the values belong to declared fields. There, a time can also be a date, and `content` reports each value that does not fit.
    pub is_declared: bool,
}

impl<'a> Checker<'a> {
    /// Checks a value, and collects its variables, whose types are checked later.
    ///
    /// # Errors
    /// The path and the reason, as in `"filter.tags", expected type "TagFilter"`. Recursion is bounded, because the guard and the JSON
    /// parser limit the nesting of input.
    pub(super) fn check(
        self,
        (of, has_default): (&'a Type, bool),
        value: &'a Literal,
        path: Path<'_>,
        uses: &mut Vec<Use<'a>>,
    ) -> Result<(), String> {
        match (value, &of.base) {
            (Literal::Variable(variable), _) => {
                uses.push(Use { variable, expected: of, has_default });
                Ok(())
            }
            (Literal::Null, _) if of.nullable => Ok(()),
            (Literal::Null, _) => Err(expected(path, &of.to_string())),
            (Literal::List(items), BaseType::List(item)) => items.iter().enumerate().try_for_each(|(index, value)| {
                let path = Path { parent: Some(&path), segment: Segment::Item(index) };
                self.check((item, false), value, path, uses)
            }),
            // A single value counts as a list of one item.
            (_, BaseType::List(item)) => self.check((item, false), value, path, uses),
            (value, BaseType::Named(name)) => match self.types.input(name) {
                // The engine reports variables whose type is not an input type.
                None => Ok(()),
                Some(Input::Scalar(Scalar::DateTime)) if self.is_declared => Ok(()),
                Some(Input::Scalar(scalar)) => check_scalar(*scalar, value, name, path),
                Some(Input::Enum(values)) => self.check_enum((name, values), value, path),
                Some(Input::Object(fields)) => match value {
                    Literal::Object(given) => self.check_object((name, fields), given, path, uses),
                    _ => Err(expected(path, name)),
                },
            },
        }
    }

    fn check_enum(self, (of, values): (&Name, &[Name]), value: &Literal, path: Path<'_>) -> Result<(), String> {
        let name = match value {
            Literal::Enum(name) => name.as_str(),
            Literal::String(text) if !self.is_literal => text.as_str(),
            Literal::String(text) => {
                let text: String = text.chars().take(64).collect();
                return Err(format!("\"{path}\", a value of the enumeration type \"{of}\" has no quotes: {text}"));
            }
            _ => return Err(expected(path, of)),
        };
        if values.iter().any(|value| value == name) {
            return Ok(());
        }
        let mut suggestion = self.suggestion(name, values.iter().map(Name::as_str));
        if suggestion.is_empty() && self.suggests_names {
            let values: Vec<&str> = values.iter().map(Name::as_str).collect();
            suggestion = format!(". Its values are {}", values.join(", "));
        }
        Err(format!("\"{path}\", enumeration type \"{of}\" does not contain the value \"{name}\"{suggestion}"))
    }

    fn check_object(
        self,
        (of, fields): (&Name, &'a Arguments),
        given: &'a IndexMap<Name, Literal>,
        path: Path<'_>,
        uses: &mut Vec<Use<'a>>,
    ) -> Result<(), String> {
        let inside = Self { is_declared: self.is_declared || is_of_declared_fields(of), ..self };
        for (name, field) in fields.iter() {
            if let Some(value) = given.get(name) {
                let path = Path { parent: Some(&path), segment: Segment::Field(name) };
                inside.check((&field.of, field.has_default), value, path, uses)?;
            } else if !field.of.nullable && !field.has_default {
                let type_of = &field.of;
                return Err(format!("\"{path}\", field \"{name}\" of type \"{type_of}\" is required but not provided"));
            }
        }
        match given.keys().find(|name| fields.get(name).is_none()) {
            None => Ok(()),
            Some(unknown) => {
                let suggestion = self.suggestion(unknown, fields.names());
                Err(format!("\"{path}\", unknown field \"{unknown}\" of type \"{of}\"{suggestion}"))
            }
        }
    }

    fn suggestion<'s>(self, name: &str, known: impl Iterator<Item = &'s str>) -> String {
        if self.suggests_names { did_you_mean(name, known) } else { String::new() }
    }
}

fn is_of_declared_fields(type_name: &str) -> bool {
    [POST_FIELDS, PAGE_FIELDS].iter().any(|of| type_name == input_name(of))
}

fn expected(path: Path<'_>, of: &str) -> String {
    format!("\"{path}\", expected type \"{of}\"")
}

fn check_scalar(scalar: Scalar, value: &Literal, name: &Name, path: Path<'_>) -> Result<(), String> {
    let fits = match (scalar, value) {
        (Scalar::Any, _) | (Scalar::Boolean, Literal::Boolean(_)) | (Scalar::Float, Literal::Number(_)) => true,
        (Scalar::String | Scalar::Id, Literal::String(_)) => true,
        (Scalar::Id, Literal::Number(number)) => number.is_i64(),
        (Scalar::Int, Literal::Number(number)) => match number.as_i64() {
            Some(integer) if i32::try_from(integer).is_err() => {
                let range = format!("from {} to {}", i32::MIN, i32::MAX);
                return Err(format!("{}, an integer {range}", expected(path, name)));
            }
            found => found.is_some(),
        },
        (Scalar::DateTime, Literal::String(text)) => {
            return DateTime::check(text).map_err(|reason| format!("\"{path}\", {reason}"));
        }
        _ => false,
    };
    if fits { Ok(()) } else { Err(expected(path, name)) }
}
