//! The definitions in a file of declared fields, by name. The rule: only definitions that a site can declare are accepted, under free names; anything else is
//! refused with its position and the correct form.

use std::collections::HashSet;

use async_graphql::parser::types::{
    ConstDirective, EnumType, EnumValueDefinition, FieldDefinition, ObjectType, TypeDefinition, TypeKind,
    TypeSystemDefinition,
};
use async_graphql::{Pos, Positioned, Value};

use super::bad_fields::BadFields;
use super::{PAGE_FIELDS, POST_FIELDS, POST_FIELDS_FILTER, input_name};
use crate::model::DeclaredType;

/// The maximum number of fields of all types and values of all enums. The schema without them has about 600 fields, and the limits of introspection are made
/// for it.
pub(super) const FIELDS_MAX: usize = 500;

#[derive(Default)]
pub(super) struct Declarations {
    /// The fields of all `extend type PostFields`.
    pub posts: Vec<Positioned<FieldDefinition>>,
    pub pages: Vec<Positioned<FieldDefinition>>,
    pub objects: Vec<Declaration<FieldDefinition>>,
    pub enums: Vec<Declaration<EnumValueDefinition>>,
}

/// A type with its fields, or an enum with its values.
pub(super) struct Declaration<M> {
    pub name: String,
    pub at: Pos,
    pub description: Option<String>,
    pub members: Vec<Positioned<M>>,
}

const WHAT_IS_POSSIBLE: &str =
    "a file of fields has `extend type PostFields`, `extend type PageFields`, and the types and enums that they use";

impl Declarations {
    /// `served`: the names of the types in the schema without declared fields.
    pub(super) fn of(definitions: Vec<TypeSystemDefinition>, served: &HashSet<String>) -> Result<Self, BadFields> {
        let mut all = Self::default();
        for definition in definitions {
            match definition {
                TypeSystemDefinition::Type(definition) => all.add(definition.node, definition.pos, served)?,
                TypeSystemDefinition::Schema(Positioned { pos, .. })
                | TypeSystemDefinition::Directive(Positioned { pos, .. }) => {
                    return Err(BadFields::at(pos, WHAT_IS_POSSIBLE));
                }
            }
        }
        all.check_number()?;
        Ok(all)
    }

    fn add(&mut self, definition: TypeDefinition, at: Pos, served: &HashSet<String>) -> Result<(), BadFields> {
        let TypeDefinition { extend, description, name, directives, kind } = definition;
        let (name, name_at) = (name.node.to_string(), name.pos);
        let refused = |what: &str| Err(BadFields::at(name_at, format!("{name}: {what}")));
        if let Some(directive) = directives.first() {
            return refused(&format!("a type has no directives here; remove @{}", directive.node.name.node));
        }
        let of_content = match name.as_str() {
            POST_FIELDS => Some(&mut self.posts),
            PAGE_FIELDS => Some(&mut self.pages),
            _ => None,
        };
        match (kind, of_content, extend) {
            (TypeKind::Object(ObjectType { implements, .. }), ..) if !implements.is_empty() => {
                refused("a declared type implements no interface")
            }
            (TypeKind::Object(object), Some(fields), true) => {
                fields.extend(object.fields);
                Ok(())
            }
            (_, Some(_), _) => refused(&format!("the server has this type; write `extend type {name} {{ … }}`")),
            (TypeKind::Object(_), None, true) if served.contains(&name) => refused(
                "only PostFields and PageFields can be extended; they are the type of `Post.fields` and `Page.fields`",
            ),
            (_, None, true) => {
                refused("only PostFields and PageFields are extended; declare a type of your own without `extend`")
            }
            (TypeKind::Object(object), None, false) => {
                self.check_name(&name, name_at, served)?;
                let description = description.map(|text| text.node);
                self.objects.push(Declaration { name, at: name_at, description, members: object.fields });
                Ok(())
            }
            (TypeKind::Enum(EnumType { values }), None, false) => {
                self.check_name(&name, name_at, served)?;
                let description = description.map(|text| text.node);
                self.enums.push(Declaration { name, at: name_at, description, members: values });
                Ok(())
            }
            (
                TypeKind::Scalar | TypeKind::Interface(_) | TypeKind::Union(_) | TypeKind::InputObject(_),
                None,
                false,
            ) => Err(BadFields::at(at, format!("{name}: {WHAT_IS_POSSIBLE}; the types for inputs are made from them"))),
        }
    }

    /// Checks that no other type has the name of a new one, or that of its input.
    fn check_name(&self, name: &str, at: Pos, served: &HashSet<String>) -> Result<(), BadFields> {
        let refused = |why: String| Err(BadFields::at(at, format!("{name}: {why}")));
        if name.starts_with("__") {
            return refused("names that begin with __ are those of introspection; choose another".to_owned());
        }
        let others = || {
            let objects = self.objects.iter().map(|other| other.name.as_str());
            objects.chain(self.enums.iter().map(|other| other.name.as_str()))
        };
        if others().any(|other| other == name) {
            return refused("the file declares this name twice; choose another for one of them".to_owned());
        }
        let input = input_name(name);
        let reserved = [POST_FIELDS, PAGE_FIELDS].map(input_name);
        let is_served = |name: &str| {
            served.contains(name)
                || name == POST_FIELDS_FILTER
                || reserved.iter().any(|other| other == name)
                || DeclaredType::scalar(name).is_some()
        };
        if is_served(name) {
            return refused("the schema of the server has a type of this name; choose another".to_owned());
        }
        if is_served(&input) {
            let why = "and the schema of the server has a type of this name; choose another name";
            return refused(format!("its input would be {input}, {why}"));
        }
        match others().find(|other| *other == input || input_name(other) == name) {
            Some(other) => refused(format!(
                "the input of a type has the word Input after its name, so this name and {other} exclude each other; choose another"
            )),
            None => Ok(()),
        }
    }

    fn check_number(&self) -> Result<(), BadFields> {
        let of_objects = self.objects.iter().map(|object| object.members.len());
        let of_enums = self.enums.iter().map(|of| of.members.len());
        let fields = self.posts.len() + self.pages.len() + of_objects.chain(of_enums).sum::<usize>();
        match fields > FIELDS_MAX {
            true => Err(BadFields::of(format!(
                "the file declares {fields} fields and values of enums; at most {FIELDS_MAX} are allowed"
            ))),
            false => Ok(()),
        }
    }
}

/// The directives of a field or value.
#[derive(Default)]
pub(super) struct Directives {
    /// The reason of `@deprecated`.
    pub deprecation: Option<String>,
    /// The position of `@index`.
    pub index: Option<Pos>,
}

impl Directives {
    /// `of`: the element with the directives, for the message.
    pub(super) fn of(of: &str, directives: &[Positioned<ConstDirective>]) -> Result<Self, BadFields> {
        let mut found = Self::default();
        for Positioned { node: directive, pos } in directives {
            match directive.name.node.as_str() {
                "deprecated" => {
                    let argument = directive.arguments.iter().find(|(name, _)| name.node == "reason");
                    found.deprecation = Some(match argument.map(|(_, value)| &value.node) {
                        Some(Value::String(text)) => text.clone(),
                        _ => "No longer supported".to_owned(),
                    });
                }
                "index" if !directive.arguments.is_empty() => {
                    return Err(BadFields::at(*pos, format!("{of}: @index has no arguments; remove them")));
                }
                "index" => found.index = Some(*pos),
                other => {
                    let message =
                        format!("{of}: @{other} is unknown; the directives here are @deprecated(reason:) and @index");
                    return Err(BadFields::at(*pos, message));
                }
            }
        }
        Ok(found)
    }

    /// The reason of `@deprecated`, for an element that cannot have `@index`.
    pub(super) fn without_index(self, of: &str) -> Result<Option<String>, BadFields> {
        match self.index {
            None => Ok(self.deprecation),
            Some(at) => Err(BadFields::at(
                at,
                format!("{of}: only the fields of `extend type PostFields` can have @index; remove it"),
            )),
        }
    }
}
