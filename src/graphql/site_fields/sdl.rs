//! Reads declared fields from SDL. The rule: the file is not trusted: its size is limited, it is scanned before it is parsed, and no type
//! may contain itself; each error names its position, the type and the field, and what to do.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_graphql::parser::types::{BaseType, EnumValueDefinition, FieldDefinition, Type};
use async_graphql::{Pos, Positioned};

use super::bad_fields::BadFields;
use super::declarations::{Declaration, Declarations, Directives};
use super::{PAGE_FIELDS, POST_FIELDS};
use crate::graphql::guard::{self, Limits};
use crate::model::field_index::INDEXED_FIELDS_MAX;
use crate::model::site_fields::{DeclaredEnum, DeclaredItems, DeclaredValue};
use crate::model::{DeclaredField, DeclaredObject, DeclaredType, SiteFields};

/// The maximum size of the file in bytes: [`FIELDS_MAX`](super::declarations::FIELDS_MAX) fields with a description of one line each.
pub const FILE_BYTES_MAX: usize = 64 << 10;
/// The maximum number of tokens in the file: 40 for each field.
const TOKENS_MAX: usize = 20_000;
/// The maximum number of directives in the file: about one for each field or value.
const DIRECTIVES_MAX: usize = 2_000;
/// The maximum depth of nested objects, without that of `fields`. Metadata has 16 levels, and a query 16 levels of fields.
const DEPTH_MAX: usize = 5;

/// Parses declared fields from SDL. `served`: the names of the types in the schema without declared fields.
///
/// # Errors
/// The first fault.
pub fn parse(text: &str, served: &HashSet<String>) -> Result<SiteFields, BadFields> {
    let limits =
        Limits { document_bytes: FILE_BYTES_MAX, tokens: TOKENS_MAX, directives: DIRECTIVES_MAX, ..Limits::default() };
    if text.trim().is_empty() {
        return Err(BadFields::of("the file is empty; declare fields with `extend type PostFields { … }`"));
    }
    let definitions = guard::definitions(text, &limits).map_err(|refusal| match refusal.at {
        Some(at) => BadFields::at(at, refusal.message),
        None => BadFields::of(refusal.message),
    })?;
    let declarations = Declarations::of(definitions, served)?;
    let mut resolver =
        Resolver { declarations: &declarations, objects: HashMap::new(), enums: HashMap::new(), open: Vec::new() };
    let of_posts = resolver.of_content(POST_FIELDS, &declarations.posts)?;
    let of_pages = resolver.of_content(PAGE_FIELDS, &declarations.pages)?;
    if of_posts.is_none() && of_pages.is_none() {
        return Err(BadFields::of("the file declares no field; declare some with `extend type PostFields { … }`"));
    }
    resolver.check_all_used()?;
    Ok(SiteFields { of_posts, of_pages })
}

/// Builds types from definitions, each once.
struct Resolver<'d> {
    declarations: &'d Declarations,
    /// The types with their depth of nested objects, including the type itself.
    objects: HashMap<&'d str, (Arc<DeclaredObject>, usize)>,
    enums: HashMap<&'d str, Arc<DeclaredEnum>>,
    /// The types whose fields are being read, from the outside.
    open: Vec<&'d str>,
}

impl<'d> Resolver<'d> {
    /// The type of `Post.fields` or `Page.fields`; `None` if nothing is declared for it.
    fn of_content(
        &mut self,
        name: &str,
        fields: &'d [Positioned<FieldDefinition>],
    ) -> Result<Option<Arc<DeclaredObject>>, BadFields> {
        if fields.is_empty() {
            return Ok(None);
        }
        let (fields, _) = self.fields(name, fields)?;
        let indexed = fields.iter().filter(|field| field.is_indexed).count();
        if indexed > INDEXED_FIELDS_MAX {
            let message = format!("{name}: {indexed} fields have @index; at most {INDEXED_FIELDS_MAX} are allowed");
            return Err(BadFields::of(message));
        }
        Ok(Some(Arc::new(DeclaredObject { name: name.to_owned(), description: None, fields })))
    }

    /// The fields of a type, and the depth of nested objects in their values.
    fn fields(
        &mut self,
        of: &str,
        definitions: &'d [Positioned<FieldDefinition>],
    ) -> Result<(Vec<DeclaredField>, usize), BadFields> {
        let (mut fields, mut depth) = (Vec::with_capacity(definitions.len()), 0);
        let mut names = HashSet::new();
        for Positioned { node: definition, .. } in definitions {
            let (name, at) = (definition.name.node.as_str(), definition.name.pos);
            let place = format!("{of}.{name}");
            if name.starts_with("__") {
                let message = "names that begin with __ are those of introspection; choose another";
                return Err(BadFields::at(at, format!("{place}: {message}")));
            }
            if !names.insert(name) {
                return Err(BadFields::at(at, format!("{place}: the field is declared twice; remove one of them")));
            }
            let (field, inside) = self.field(&place, definition, of == POST_FIELDS)?;
            depth = depth.max(inside);
            fields.push(field);
        }
        Ok((fields, depth))
    }

    /// `is_of_posts`: whether it is a field of posts, which may have `@index`.
    fn field(
        &mut self,
        place: &str,
        definition: &'d FieldDefinition,
        is_of_posts: bool,
    ) -> Result<(DeclaredField, usize), BadFields> {
        if let Some(argument) = definition.arguments.first() {
            return Err(BadFields::at(argument.pos, format!("{place}: a declared field has no arguments")));
        }
        let Positioned { node: of, pos: at } = &definition.ty;
        let (items, named) = match &of.base {
            BaseType::Named(name) => (None, name),
            BaseType::List(item) => match item.as_ref() {
                Type { base: BaseType::Named(name), nullable: true } => (Some(DeclaredItems::Nullable), name),
                Type { base: BaseType::Named(name), nullable: false } => (Some(DeclaredItems::Required), name),
                Type { base: BaseType::List(_), .. } => {
                    let message = "lists of lists are not supported; declare a type with a field for the inner list";
                    return Err(BadFields::at(*at, format!("{place}: {message}")));
                }
            },
        };
        let (of_values, depth) = self.type_of(place, named, *at)?;
        let directives = Directives::of(place, &definition.directives)?;
        let index = directives.index;
        if let Some(at) = index {
            check_index(place, at, (&of_values, items), is_of_posts)?;
        }
        let field = DeclaredField {
            name: definition.name.node.to_string(),
            description: definition.description.as_ref().map(|text| text.node.clone()),
            deprecation: directives.deprecation,
            of: of_values,
            items,
            is_required: !of.nullable,
            is_indexed: index.is_some(),
        };
        Ok((field, depth))
    }

    /// The type with this name, and the depth of nested objects in its values.
    fn type_of(&mut self, place: &str, name: &str, at: Pos) -> Result<(DeclaredType, usize), BadFields> {
        if let Some(scalar) = DeclaredType::scalar(name) {
            return Ok((scalar, 0));
        }
        let declarations = self.declarations;
        if let Some(declared) = declarations.enums.iter().find(|declared| declared.name == name) {
            return Ok((DeclaredType::Enum(self.declared_enum(declared)?), 0));
        }
        if let Some(declared) = declarations.objects.iter().find(|declared| declared.name == name) {
            let (object, depth) = self.object(place, declared, at)?;
            return Ok((DeclaredType::Object(object), depth));
        }
        let message = "is not a type that a field can have: String, Int, Float, Boolean, ID, DateTime, URL, JSON, or a type or an enum of this file";
        Err(BadFields::at(at, format!("{place}: {name} {message}")))
    }

    fn object(
        &mut self,
        place: &str,
        declared: &'d Declaration<FieldDefinition>,
        at: Pos,
    ) -> Result<(Arc<DeclaredObject>, usize), BadFields> {
        let name = declared.name.as_str();
        if self.open.contains(&name) {
            let chain = [self.open.as_slice(), &[name]].concat().join(" → ");
            return Err(BadFields::at(
                at,
                format!("{place}: {name} would contain itself ({chain}); remove this field"),
            ));
        }
        if declared.members.is_empty() {
            return Err(BadFields::at(declared.at, format!("{name}: the type has no fields; declare some in braces")));
        }
        if let Some(known) = self.objects.get(name) {
            return Ok(known.clone());
        }
        self.open.push(name);
        let (fields, inside) = self.fields(name, &declared.members)?;
        self.open.pop();
        let depth = inside + 1;
        if depth > DEPTH_MAX {
            let message = format!("{depth} objects would be inside each other; at most {DEPTH_MAX} are allowed");
            return Err(BadFields::at(declared.at, format!("{name}: {message}")));
        }
        let description = declared.description.clone();
        let object = Arc::new(DeclaredObject { name: name.to_owned(), description, fields });
        self.objects.insert(name, (Arc::clone(&object), depth));
        Ok((object, depth))
    }

    fn declared_enum(
        &mut self,
        declared: &'d Declaration<EnumValueDefinition>,
    ) -> Result<Arc<DeclaredEnum>, BadFields> {
        let name = declared.name.as_str();
        if let Some(known) = self.enums.get(name) {
            return Ok(Arc::clone(known));
        }
        if declared.members.is_empty() {
            return Err(BadFields::at(declared.at, format!("{name}: the enum has no values; declare some in braces")));
        }
        let (mut values, mut names) = (Vec::with_capacity(declared.members.len()), HashSet::new());
        for Positioned { node: value, .. } in &declared.members {
            let (value_name, at) = (value.value.node.as_str(), value.value.pos);
            let place = format!("{name}.{value_name}");
            if value_name.starts_with("__") {
                let message = "names that begin with __ are those of introspection; choose another";
                return Err(BadFields::at(at, format!("{place}: {message}")));
            }
            if !names.insert(value_name) {
                return Err(BadFields::at(at, format!("{place}: the value is declared twice; remove one of them")));
            }
            values.push(DeclaredValue {
                name: value_name.to_owned(),
                description: value.description.as_ref().map(|text| text.node.clone()),
                deprecation: Directives::of(&place, &value.directives)?.without_index(&place)?,
            });
        }
        let description = declared.description.clone();
        let made = Arc::new(DeclaredEnum { name: name.to_owned(), description, values });
        self.enums.insert(name, Arc::clone(&made));
        Ok(made)
    }

    /// Refuses unused types, because they are probably mistyped names.
    fn check_all_used(&self) -> Result<(), BadFields> {
        let objects = self.declarations.objects.iter().map(|declared| (declared.name.as_str(), declared.at));
        let enums = self.declarations.enums.iter().map(|declared| (declared.name.as_str(), declared.at));
        let mut all = objects.chain(enums);
        match all.find(|(name, _)| !self.objects.contains_key(name) && !self.enums.contains_key(name)) {
            Some((name, at)) => {
                Err(BadFields::at(at, format!("{name}: no field has this type; use it for a field, or remove it")))
            }
            None => Ok(()),
        }
    }
}

/// Checks that a field can have `@index`.
fn check_index(
    place: &str,
    at: Pos,
    (of, items): (&DeclaredType, Option<DeclaredItems>),
    is_of_posts: bool,
) -> Result<(), BadFields> {
    let refused = |why: &str| Err(BadFields::at(at, format!("{place}: {why}")));
    match items {
        _ if !is_of_posts => refused("only the fields of `extend type PostFields` can have @index; remove it"),
        Some(_) => refused("a list cannot have @index, only a field with a single value; remove @index, or use tags"),
        None if !of.has_index() => {
            let name = of.name();
            refused(&format!("{name} cannot have @index, only String, Int, Boolean, ID and enums; remove @index"))
        }
        None => Ok(()),
    }
}
