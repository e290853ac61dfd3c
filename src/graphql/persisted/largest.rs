//! Values for the variables of a document that nobody has sent yet. The rule: a variable without a value gets the most expensive one, so
//! that the bound holds for all values.

use std::collections::{HashMap, HashSet};

use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{BaseType, Type, TypeKind, TypeSystemDefinition, VariableDefinition};
use async_graphql::{Name, Value, Variables, parser};
use async_graphql_value::Value as Literal;

use crate::content::read::pages::PAGE_SIZE_MAX;
use crate::graphql::cost::NODES_MAX;
use crate::graphql::outline::{Operation, Outline, SelectionKind};
use crate::graphql::type_map::{innermost, item};

/// An id of each kind of object, which `node` and `nodes` find at different costs.
pub(super) const IDS: [&str; 10] = [
    "post-0123456789ab",
    "page-0123456789ab",
    "revision-0123456789ab-17",
    "tag-0123456789abcnVzdA",
    "category-0123456789abcnVzdA",
    "author-0123456789abcnVzdA",
    "series-0123456789abcnVzdA",
    "token-0123456789yz",
    "change-2516238943999999999-0123456789ab-0",
    "asset-0123456789abcdef0123456789abcdef01234567",
];

/// A text that is not an id.
pub(super) const NO_ID: &str = "x";

/// The maximum depth of nested input objects; the schema has three levels.
const DEPTH_MAX: u32 = 8;

/// The types of the schema that variables can have.
pub(super) struct InputTypes {
    objects: HashMap<Name, Vec<(Name, Type)>>,
    enums: HashMap<Name, Vec<Name>>,
}

/// The index that stands for an omitted order.
const NO_ORDER: usize = 2;

/// One combination of values, for choices in which no value is always the most expensive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    /// The index of the value of each enum that is not a direction. Prices depend only on directions and on the field by which terms are
    /// ordered.
    of_enum: usize,
    /// The index of the direction. With [`NO_ORDER`], a nullable order of posts is omitted, because the posts of a series are then another
    /// list.
    of_direction: usize,
    /// Whether optional single values are given: a post without a slug is more expensive than one with it. Cursors are always given.
    gives_optional: bool,
    /// Which page sizes are given if both `first` and `last` are variables: a client sends one of them.
    gives_first: bool,
    gives_last: bool,
}

impl Choice {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let sizes = [(true, true), (true, false), (false, true)];
        let enums = (0..2).flat_map(|of_enum| (0..=NO_ORDER).map(move |of_direction| (of_enum, of_direction)));
        let all = enums.flat_map(move |enums| sizes.map(|size| (enums, size)));
        all.flat_map(|((of_enum, of_direction), (gives_first, gives_last))| {
            [true, false].map(|gives_optional| Self { of_enum, of_direction, gives_optional, gives_first, gives_last })
        })
    }
}

impl InputTypes {
    /// # Errors
    /// If the text is not valid SDL.
    pub(super) fn of(sdl: &str) -> Result<Self, parser::Error> {
        let (mut objects, mut enums) = (HashMap::new(), HashMap::new());
        for definition in parse_schema(sdl)?.definitions {
            let TypeSystemDefinition::Type(definition) = definition else { continue };
            let name = definition.node.name.node;
            match definition.node.kind {
                TypeKind::InputObject(object) => {
                    let fields = object.fields.into_iter().map(|field| (field.node.name.node, field.node.ty.node));
                    objects.insert(name, fields.collect());
                }
                TypeKind::Enum(values) => {
                    enums.insert(name, values.values.into_iter().map(|value| value.node.value.node).collect());
                }
                TypeKind::Scalar | TypeKind::Object(_) | TypeKind::Interface(_) | TypeKind::Union(_) => {}
            }
        }
        Ok(Self { objects, enums })
    }

    /// The given values, and the most expensive ones for the variables that have neither a value nor a default. `id`: the value of every
    /// id.
    pub(super) fn complete(
        &self,
        given: &Variables,
        (outline, operation): (&Outline, &Operation),
        (choice, id): (Choice, &str),
    ) -> Variables {
        let mut variables = given.clone();
        let [first, last, before, after] = ["first", "last", "before", "after"].map(|name| used_as(outline, name));
        for definition in assumed(operation, given) {
            let (name, of) = (&definition.name.node, &definition.var_type.node);
            let is_given = (first.contains(name) && choice.gives_first) || (last.contains(name) && choice.gives_last);
            let value = if first.contains(name) || last.contains(name) {
                is_given.then(|| Value::from(PAGE_SIZE_MAX))
            } else if before.contains(name) || after.contains(name) {
                Some(Value::from("x"))
            } else {
                self.largest(of, (choice, id), 0)
            };
            if let Some(value) = value {
                variables.insert(name.clone(), value);
            }
        }
        variables
    }

    /// How many ids the variables without value and default can contain: zero, one or several.
    pub(super) fn ids(&self, given: &Variables, operation: &Operation) -> usize {
        let is_id = |of: &Type| innermost(of) == "ID" || self.objects.contains_key(innermost(of));
        let several = |of: &Type| if item(of).is_some() || innermost(of) != "ID" { 2 } else { 1 };
        let types = assumed(operation, given).map(|definition| &definition.var_type.node);
        types.filter(|of| is_id(of)).map(several).sum()
    }

    /// The most expensive value of a type. `None` for numbers, which have none: one year of the archive is cheaper than all years.
    fn largest(&self, of: &Type, (choice, id): (Choice, &str), depth: u32) -> Option<Value> {
        let name = match &of.base {
            BaseType::List(item) => {
                let item = self.largest(&Type { nullable: false, ..(**item).clone() }, (choice, id), depth)?;
                // Repeated texts count once, so all are different.
                let different = |n: usize| match &item {
                    Value::String(text) if innermost(of) == "String" => Value::from(format!("{text}{n}")),
                    same => same.clone(),
                };
                return Some(Value::List((0..NODES_MAX).map(different).collect()));
            }
            BaseType::Named(name) => name,
        };
        if name == "PostOrder" && of.nullable && choice.of_direction == NO_ORDER {
            return None;
        }
        if let Some(fields) = self.objects.get(name) {
            let fields = fields.iter().filter(|_| depth < DEPTH_MAX);
            let fields =
                fields.filter_map(|(name, of)| Some((name.clone(), self.largest(of, (choice, id), depth + 1)?)));
            return Some(Value::Object(fields.collect()));
        }
        if let Some(values) = self.enums.get(name) {
            let at = if name == "OrderDirection" { choice.of_direction } else { choice.of_enum };
            return values.get(at % values.len()).cloned().map(Value::Enum);
        }
        if of.nullable && !choice.gives_optional {
            return None;
        }
        match name.as_str() {
            "Int" | "Float" => None,
            "Boolean" => Some(Value::Boolean(true)),
            "ID" => Some(Value::from(id)),
            _ => Some(Value::from("x")),
        }
    }
}

/// The variables of an operation that have neither a value nor a default.
pub(super) fn assumed<'o>(operation: &'o Operation, given: &Variables) -> impl Iterator<Item = &'o VariableDefinition> {
    let definitions = operation.variables.iter().map(|definition| &definition.node);
    definitions.filter(|definition| definition.default_value.is_none() && !given.contains_key(&definition.name.node))
}

/// The variables of an operation that have a default and no value.
pub(super) fn defaulted<'o>(
    operation: &'o Operation,
    given: &Variables,
) -> impl Iterator<Item = &'o VariableDefinition> {
    let definitions = operation.variables.iter().map(|definition| &definition.node);
    definitions.filter(|definition| definition.default_value.is_some() && !given.contains_key(&definition.name.node))
}

/// The variables that are the value of an argument of this name anywhere in the document.
fn used_as(outline: &Outline, argument: &str) -> HashSet<Name> {
    let selections = outline.sets().flat_map(|(_, set)| &set.selections);
    let fields = selections.filter_map(|selection| match &selection.kind {
        SelectionKind::Field(field) => Some(field),
        SelectionKind::InlineFragment { .. } | SelectionKind::Spread { .. } => None,
    });
    let arguments = fields.flat_map(|field| &field.arguments).filter(|(name, _)| name == argument);
    let variables = arguments.filter_map(|(_, value)| match value {
        Literal::Variable(name) => Some(name.clone()),
        _ => None,
    });
    variables.collect()
}
