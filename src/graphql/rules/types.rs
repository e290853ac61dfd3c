//! The schema as the rules need it: fields with their arguments, input objects, enums, scalars and directives. The rule: it is read from the schema's own
//! SDL, and from the types of introspection, which the SDL does not contain.

use std::collections::HashMap;

use async_graphql::Name;
use async_graphql::Positioned;
use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{
    FieldDefinition, InputValueDefinition, OperationType, Type, TypeDefinition, TypeKind, TypeSystemDefinition,
};
use foldhash::fast::RandomState;

/// "Schema Introspection" of the GraphQL specification.
const INTROSPECTION: &str = include_str!("introspection.graphql");

type Map<T> = HashMap<Name, T, RandomState>;

#[derive(Debug, Default)]
pub(super) struct RuleTypes {
    composites: Map<Composite>,
    inputs: Map<Input>,
    directives: Map<Arguments>,
    roots: [Option<Name>; 2],
    /// The type of `__typename`.
    type_name: Option<FieldType>,
}

/// An object, an interface or a union.
#[derive(Debug, Default)]
pub(super) struct Composite {
    pub is_object: bool,
    fields: Map<FieldType>,
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
    /// Any value. Also stands for scalars that no argument has.
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

impl Composite {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(Name::as_str)
    }
}

impl Arguments {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn get(&self, name: &str) -> Option<&InputType> {
        self.iter().find(|(found, _)| *found == name).map(|(_, found)| found)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Name, InputType)> {
        self.0.iter()
    }

    fn of(definitions: Vec<Positioned<InputValueDefinition>>) -> Self {
        let argument = |definition: Positioned<InputValueDefinition>| {
            let InputValueDefinition { name, ty, default_value, .. } = definition.node;
            (name.node, InputType { of: ty.node, has_default: default_value.is_some() })
        };
        Self(definitions.into_iter().map(argument).collect())
    }
}

impl RuleTypes {
    /// # Panics
    /// If the text is not the SDL of a schema.
    pub(super) fn of(sdl: &str) -> Self {
        let mut types = Self::default();
        for name in ["Boolean", "Float", "ID", "Int", "String"] {
            types.inputs.insert(Name::new(name), Input::Scalar(Scalar::of(name)));
        }
        for text in [sdl, INTROSPECTION] {
            let document =
                parse_schema(text).expect("the engine's own SDL, and that of introspection, are well-formed");
            for definition in document.definitions {
                match definition {
                    TypeSystemDefinition::Schema(schema) => {
                        let roots = [schema.node.query, schema.node.mutation];
                        types.roots = roots.map(|root| root.map(|root| root.node));
                    }
                    TypeSystemDefinition::Type(definition) => types.add(definition.node),
                    TypeSystemDefinition::Directive(directive) => {
                        let arguments = Arguments::of(directive.node.arguments);
                        types.directives.insert(directive.node.name.node, arguments);
                    }
                }
            }
        }
        types.add_introspection();
        types
    }

    pub(super) fn root(&self, kind: OperationType) -> Option<&Name> {
        match kind {
            OperationType::Query => self.roots[0].as_ref(),
            OperationType::Mutation => self.roots[1].as_ref(),
            OperationType::Subscription => None,
        }
    }

    pub(super) fn composite(&self, name: &str) -> Option<&Composite> {
        self.composites.get(name)
    }

    pub(super) fn field(&self, on: &str, name: &str) -> Option<&FieldType> {
        let composite = self.composite(on)?;
        composite.fields.get(name).or_else(|| self.type_name.as_ref().filter(|_| name == "__typename"))
    }

    /// `None` if there is no input type with this name.
    pub(super) fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.get(name)
    }

    pub(super) fn directive(&self, name: &str) -> Option<&Arguments> {
        self.directives.get(name)
    }

    fn add(&mut self, definition: TypeDefinition) {
        let name = definition.name.node;
        let (fields, is_object) = match definition.kind {
            TypeKind::Object(object) => (object.fields, true),
            TypeKind::Interface(interface) => (interface.fields, false),
            TypeKind::Union(_) => (Vec::new(), false),
            TypeKind::Scalar => {
                self.inputs.insert(name.clone(), Input::Scalar(Scalar::of(&name)));
                return;
            }
            TypeKind::Enum(found) => {
                let values = found.values.into_iter().map(|value| value.node.value.node).collect();
                self.inputs.insert(name, Input::Enum(values));
                return;
            }
            TypeKind::InputObject(object) => {
                self.inputs.insert(name, Input::Object(Arguments::of(object.fields)));
                return;
            }
        };
        let field = |field: Positioned<FieldDefinition>| {
            let FieldDefinition { name, arguments, ty, .. } = field.node;
            (name.node, FieldType { of: ty.node, arguments: Arguments::of(arguments) })
        };
        self.composites.insert(name, Composite { is_object, fields: fields.into_iter().map(field).collect() });
    }

    /// Adds the introspection fields of the root, and `__typename`.
    fn add_introspection(&mut self) {
        let of = |text: &str| Type::new(text).expect("a type");
        self.type_name = Some(FieldType { of: of("String!"), arguments: Arguments::default() });
        let name = (Name::new("name"), InputType { of: of("String!"), has_default: false });
        let fields = [("__schema", "__Schema!", Vec::new()), ("__type", "__Type", vec![name])];
        let Some(root) = self.roots[0].as_ref().and_then(|root| self.composites.get_mut(root)) else { return };
        for (name, type_of, arguments) in fields {
            root.fields.insert(Name::new(name), FieldType { of: of(type_of), arguments: Arguments(arguments) });
        }
    }
}
