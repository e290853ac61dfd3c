//! The types of the schema, for the cost and the completion. The rule: they are read from the schema's own SDL, so that this code names no
//! type or field.
//!
//! Types that are not in the SDL, such as those of introspection, are unknown: their fields cannot fail, and ordering their keys needs no
//! type.

use std::collections::HashMap;

use async_graphql::Name;
use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{
    BaseType, FieldDefinition, OperationType, SchemaDefinition, Type, TypeDefinition, TypeKind, TypeSystemDefinition,
};
use async_graphql::{Positioned, parser};
use foldhash::fast::RandomState;

/// The objects, interfaces and unions of a schema.
#[derive(Debug, Default)]
pub struct TypeMap {
    composites: HashMap<Name, Composite, RandomState>,
    roots: [Option<Name>; 2],
}

#[derive(Debug, Default)]
struct Composite {
    /// Empty for a union.
    fields: HashMap<Name, Type, RandomState>,
    /// The interfaces and unions that include objects of this type.
    is_also: Vec<Name>,
    is_object: bool,
    /// The object types of a value; for an object type, only itself.
    objects: Vec<Name>,
}

impl TypeMap {
    /// # Errors
    /// If the text is not valid SDL.
    pub fn of(sdl: &str) -> Result<Self, parser::Error> {
        let mut map = Self::default();
        for definition in parse_schema(sdl)?.definitions {
            match definition {
                TypeSystemDefinition::Schema(schema) => map.add_roots(schema.node),
                TypeSystemDefinition::Type(definition) => map.add_type(definition.node),
                TypeSystemDefinition::Directive(_) => {}
            }
        }
        map.add_objects();
        Ok(map)
    }

    pub fn root(&self, kind: OperationType) -> Option<&Name> {
        match kind {
            OperationType::Query => self.roots[0].as_ref(),
            OperationType::Mutation => self.roots[1].as_ref(),
            OperationType::Subscription => None,
        }
    }

    pub fn field(&self, on: &str, field: &str) -> Option<&Type> {
        self.composites.get(on)?.fields.get(field)
    }

    /// The name of a type that has a selection, borrowed from the map.
    pub fn composite(&self, name: &str) -> Option<&Name> {
        self.composites.get_key_value(name).map(|(name, _)| name)
    }

    /// The name of an object type, borrowed from the map; `None` for interfaces and unions.
    pub fn object(&self, name: &str) -> Option<&Name> {
        self.composites.get_key_value(name).filter(|(_, composite)| composite.is_object).map(|(name, _)| name)
    }

    /// The object types of a value of this type: the implementers of an interface, the members of a union, or the object type itself.
    pub fn objects(&self, name: &str) -> &[Name] {
        self.composites.get(name).map_or(&[], |composite| &composite.objects)
    }

    /// Whether a fragment on `condition` applies to an object of the type `object`.
    pub fn applies(&self, condition: &str, object: &str) -> bool {
        condition == object
            || self.composites.get(object).is_some_and(|object| object.is_also.iter().any(|name| name == condition))
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

    fn add_roots(&mut self, schema: SchemaDefinition) {
        self.roots = [schema.query, schema.mutation].map(|root| root.map(|root| root.node));
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
            TypeKind::Scalar | TypeKind::Enum(_) | TypeKind::InputObject(_) => {}
        }
    }

    /// Adds an object or interface. An earlier union may already have created its entry.
    fn add_composite(
        &mut self,
        name: Name,
        fields: Vec<Positioned<FieldDefinition>>,
        implements: Vec<Positioned<Name>>,
    ) -> &mut Composite {
        let composite = self.composites.entry(name).or_default();
        composite.fields.extend(fields.into_iter().map(|field| (field.node.name.node, field.node.ty.node)));
        composite.is_also.extend(implements.into_iter().map(|name| name.node));
        composite
    }
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
