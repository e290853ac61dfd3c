//! The types of the schema, for the cost, the completion and the rules of validation. The rule: they are parsed from the schema's own SDL, so that this code
//! names no type or field.
//!
//! The types of introspection, which the SDL does not contain, are known only to the rules. For the cost and the completion, their fields cannot fail, and
//! ordering their keys needs no type.

use std::collections::HashMap;

use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{
    BaseType, FieldDefinition, InputValueDefinition, OperationType, Type, TypeDefinition, TypeKind,
    TypeSystemDefinition,
};
use async_graphql::{Name, Positioned, parser};
use foldhash::fast::RandomState;

/// "Schema Introspection" of the GraphQL specification.
const INTROSPECTION: &str = include_str!("introspection.graphql");
/// The introspection fields of the root, and `__typename`, which every composite type has.
const INTROSPECTION_FIELDS: &str =
    "type __Fields { __schema: __Schema! __type(name: String!): __Type __typename: String! }";

type Map<T> = HashMap<Name, T, RandomState>;

/// The types and directives of a schema.
#[derive(Debug, Default)]
pub struct TypeMap {
    composites: Map<Composite>,
    inputs: Map<Input>,
    directives: Map<Arguments>,
    roots: [Option<Name>; 3],
}

/// An object, an interface or a union.
#[derive(Debug, Default)]
struct Composite {
    /// Empty for a union.
    fields: Map<FieldType>,
    /// The interfaces and unions that include objects of this type.
    is_also: Vec<Name>,
    is_object: bool,
    /// The object types of a value; for an object type, only itself.
    objects: Vec<Name>,
}

#[derive(Debug)]
pub(super) struct FieldType {
    pub of: Type,
    pub arguments: Arguments,
}

/// Arguments, or the fields of an input object, in the order of the schema.
#[derive(Debug, Default)]
pub(super) struct Arguments(Vec<(Name, InputType)>);

/// The type of an argument or of an input field.
#[derive(Debug)]
pub(super) struct InputType {
    pub of: Type,
    pub has_default: bool,
}

#[derive(Debug)]
pub(super) enum Input {
    Scalar(Scalar),
    Enum(Vec<Name>),
    Object(Arguments),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    Boolean,
    DateTime,
    Float,
    Id,
    Int,
    String,
    /// Any value; also used for scalars that no argument has.
    Any,
}

impl Scalar {
    fn of(name: &str) -> Self {
        match name {
            "Boolean" => Self::Boolean,
            "DateTime" => Self::DateTime,
            "Float" => Self::Float,
            "ID" => Self::Id,
            "Int" => Self::Int,
            "String" => Self::String,
            _ => Self::Any,
        }
    }
}

impl Arguments {
    fn of(definitions: Vec<Positioned<InputValueDefinition>>) -> Self {
        let argument = |definition: Positioned<InputValueDefinition>| {
            let InputValueDefinition { name, ty, default_value, .. } = definition.node;
            (name.node, InputType { of: ty.node, has_default: default_value.is_some() })
        };
        Self(definitions.into_iter().map(argument).collect())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn get(&self, name: &str) -> Option<&InputType> {
        self.iter().find(|(found, _)| *found == name).map(|(_, found)| found)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Name, InputType)> {
        self.0.iter()
    }
}

impl TypeMap {
    /// # Errors
    /// If the text is not valid SDL.
    pub fn of(sdl: &str) -> Result<Self, parser::Error> {
        let mut map = Self::default();
        for name in ["Boolean", "Float", "ID", "Int", "String"] {
            map.inputs.insert(Name::new(name), Input::Scalar(Scalar::of(name)));
        }
        for text in [sdl, INTROSPECTION, INTROSPECTION_FIELDS] {
            for definition in parse_schema(text)?.definitions {
                match definition {
                    TypeSystemDefinition::Schema(schema) => {
                        let roots = [schema.node.query, schema.node.mutation, schema.node.subscription];
                        map.roots = roots.map(|root| root.map(|root| root.node));
                    }
                    TypeSystemDefinition::Type(definition) => map.add_type(definition.node),
                    TypeSystemDefinition::Directive(directive) => {
                        let arguments = Arguments::of(directive.node.arguments);
                        map.directives.insert(directive.node.name.node, arguments);
                    }
                }
            }
        }
        map.add_objects();
        Ok(map)
    }

    pub fn root(&self, kind: OperationType) -> Option<&Name> {
        let index = match kind {
            OperationType::Query => 0,
            OperationType::Mutation => 1,
            OperationType::Subscription => 2,
        };
        self.roots[index].as_ref()
    }

    pub fn field(&self, on: &str, field: &str) -> Option<&Type> {
        self.own(on)?.1.fields.get(field).map(|field| &field.of)
    }

    /// The name of a type that has a selection, borrowed from the map.
    pub fn composite(&self, name: &str) -> Option<&Name> {
        self.own(name).map(|(name, _)| name)
    }

    /// The name of an object type, borrowed from the map; `None` for interfaces and unions.
    pub fn object(&self, name: &str) -> Option<&Name> {
        self.own(name).filter(|(_, composite)| composite.is_object).map(|(name, _)| name)
    }

    /// The object types of a value of this type: the implementers of an interface, the members of a union, or the object type itself.
    pub fn objects(&self, name: &str) -> &[Name] {
        self.own(name).map_or(&[], |(_, composite)| &composite.objects)
    }

    /// Whether a fragment on `condition` applies to an object of the type `object`.
    pub fn applies(&self, condition: &str, object: &str) -> bool {
        condition == object
            || self.composites.get(object).is_some_and(|object| object.is_also.iter().any(|name| name == condition))
    }

    /// A type that is not one of introspection.
    fn own(&self, name: &str) -> Option<(&Name, &Composite)> {
        self.composites.get_key_value(name).filter(|(name, _)| !is_of_introspection(name))
    }

    /// The field with its arguments, including fields of introspection types.
    pub(super) fn any_field(&self, on: &str, name: &str) -> Option<&FieldType> {
        let composite = self.composites.get(on)?;
        let is_root = || self.roots[0].as_ref().is_some_and(|root| root == on);
        match is_of_introspection(name) && (name == "__typename" || is_root()) {
            true => self.composites.get("__Fields")?.fields.get(name),
            false => composite.fields.get(name),
        }
    }

    /// The names of the fields of a type, including introspection types.
    pub(super) fn field_names(&self, on: &str) -> impl Iterator<Item = &str> {
        self.composites.get(on).into_iter().flat_map(|composite| composite.fields.keys()).map(Name::as_str)
    }

    /// The names of objects, interfaces, unions and input types.
    pub(super) fn type_names(&self) -> impl Iterator<Item = &str> {
        self.composites.keys().chain(self.inputs.keys()).map(Name::as_str).filter(|name| !is_of_introspection(name))
    }

    /// Whether this type has a selection, including introspection types.
    pub(super) fn has_selection(&self, name: &str) -> bool {
        self.composites.contains_key(name)
    }

    /// Whether this is an object type, including introspection types.
    pub(super) fn is_object(&self, name: &str) -> bool {
        self.composites.get(name).is_some_and(|composite| composite.is_object)
    }

    /// `None` if there is no input type with this name.
    pub(super) fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.get(name)
    }

    pub(super) fn directive(&self, name: &str) -> Option<&Arguments> {
        self.directives.get(name)
    }

    fn add_objects(&mut self) {
        let objects = self.composites.iter().filter(|(_, composite)| composite.is_object);
        let mut pairs: Vec<(Name, Name)> = objects
            .flat_map(|(object, composite)| {
                composite.is_also.iter().chain([object]).map(|name| (name.clone(), object.clone()))
            })
            .collect();
        pairs.sort();
        for (name, object) in pairs {
            self.composites.entry(name).or_default().objects.push(object);
        }
    }

    fn add_type(&mut self, definition: TypeDefinition) {
        let name = definition.name.node;
        match definition.kind {
            TypeKind::Object(object) => {
                self.add_composite(name, object.fields, object.implements).is_object = true;
            }
            TypeKind::Interface(interface) => {
                self.add_composite(name, interface.fields, interface.implements);
            }
            TypeKind::Union(union) => {
                for member in union.members {
                    self.composites.entry(member.node).or_default().is_also.push(name.clone());
                }
                self.composites.entry(name).or_default();
            }
            TypeKind::Scalar => {
                let scalar = Scalar::of(&name);
                self.inputs.insert(name, Input::Scalar(scalar));
            }
            TypeKind::Enum(found) => {
                let values = found.values.into_iter().map(|value| value.node.value.node).collect();
                self.inputs.insert(name, Input::Enum(values));
            }
            TypeKind::InputObject(object) => {
                self.inputs.insert(name, Input::Object(Arguments::of(object.fields)));
            }
        }
    }

    /// Adds an object or interface. An earlier union may already have created its entry.
    fn add_composite(
        &mut self,
        name: Name,
        fields: Vec<Positioned<FieldDefinition>>,
        implements: Vec<Positioned<Name>>,
    ) -> &mut Composite {
        let field = |field: Positioned<FieldDefinition>| {
            let FieldDefinition { name, arguments, ty, .. } = field.node;
            (name.node, FieldType { of: ty.node, arguments: Arguments::of(arguments) })
        };
        let composite = self.composites.entry(name).or_default();
        composite.fields.extend(fields.into_iter().map(field));
        composite.is_also.extend(implements.into_iter().map(|name| name.node));
        composite
    }
}

/// The GraphQL specification reserves these names.
fn is_of_introspection(name: &str) -> bool {
    name.starts_with("__")
}

pub fn innermost(of: &Type) -> &Name {
    match &of.base {
        BaseType::Named(name) => name,
        BaseType::List(item) => innermost(item),
    }
}

/// The type of a list's items; `None` for other types.
pub fn item(of: &Type) -> Option<&Type> {
    match &of.base {
        BaseType::Named(_) => None,
        BaseType::List(item) => Some(item),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_contains_the_types_of_the_sdl() {
        let sdl = "schema { query: Q mutation: M } union U = A | B interface I { x: Int } scalar S enum E { X } \
                   type A implements I { x: Int us: [U!]! } type B { s: S! } type Q { a: A } type M { b: B! }";
        let map = TypeMap::of(sdl).expect("SDL");
        let roots = [OperationType::Query, OperationType::Mutation, OperationType::Subscription].map(|of| map.root(of));
        assert_eq!(roots.map(|root| root.map(Name::as_str)), [Some("Q"), Some("M"), None]);
        let of = map.field("A", "us").expect("a field");
        assert_eq!((of.to_string().as_str(), innermost(of).as_str()), ("[U!]!", "U"));
        assert_eq!(item(of).map(ToString::to_string).as_deref(), Some("U!"));
        let composites = ["A", "B", "I", "U", "S", "E", "Int", "__Type"].map(|name| map.composite(name).is_some());
        assert_eq!(composites, [true, true, true, true, false, false, false, false]);
        let objects = ["A", "B", "I", "U", "S"].map(|name| map.object(name).is_some());
        assert_eq!(objects, [true, true, false, false, false]);
        let possible = ["A", "I", "U", "S"].map(|name| map.objects(name).join(" "));
        assert_eq!(possible, ["A", "A", "A B", ""]);
        let applies = [("A", "A"), ("I", "A"), ("U", "A"), ("U", "B"), ("I", "B"), ("B", "A")];
        assert_eq!(applies.map(|(on, object)| map.applies(on, object)), [true, true, true, true, false, false]);
    }
}
