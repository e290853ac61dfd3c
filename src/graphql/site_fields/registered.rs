//! The types of declared fields in the engine's registry. The rule: a schema is built inside [`declaring`], which sets the declared fields;
//! without any, the registry has none of their types and fields.
//!
//! The engine requests the definition of a type without arguments, so the declared fields are passed in a thread-local variable, which is
//! set only while a schema is built.

use std::borrow::Cow;
use std::cell::RefCell;

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::Field;
use async_graphql::registry::{Deprecation, MetaEnumValue, MetaField, MetaInputValue, MetaType, MetaTypeId, Registry};
use async_graphql::{ContextSelectionSet, InputType, OutputType, Positioned, ServerResult, Value};

use super::{PAGE_FIELDS, POST_FIELDS, POST_FIELDS_FILTER, input_name};
use crate::graphql::scalars::{DateTime, Json, Url};
use crate::model::site_fields::DeclaredEnum;
use crate::model::{DeclaredField, DeclaredObject, DeclaredType, SiteFields};

thread_local! {
    static DECLARED: RefCell<SiteFields> = RefCell::default();
}

/// Calls `build`, which builds a schema with these fields.
pub(in crate::graphql) fn declaring<T>(fields: &SiteFields, build: impl FnOnce() -> T) -> T {
    /// Restores the previous fields, even after a panic.
    struct Restore(SiteFields);
    impl Drop for Restore {
        fn drop(&mut self) {
            DECLARED.set(std::mem::take(&mut self.0));
        }
    }
    let _restore = Restore(DECLARED.replace(fields.clone()));
    build()
}

/// The names of the declared fields of posts or pages in the schema.
struct Place {
    /// The type with the field [`FIELD`].
    object: &'static str,
    of: &'static str,
    inputs: [&'static str; 2],
    description: &'static str,
    input_description: &'static str,
}

const FIELD: &str = "fields";
const FILTER_DESCRIPTION: &str = "Values of the fields that this site declares with `@index`. A post must match each field that is given; null is the same as omitted. Values are compared exactly, texts letter by letter.";
const OF_POSTS: Place = Place {
    object: "Post",
    of: POST_FIELDS,
    inputs: ["CreatePostInput", "UpdatePostInput"],
    description: "The fields that this site declares for its posts.",
    input_description: "Values of the fields that this site declares for its posts. An omitted field keeps its value, and null removes it.",
};
const OF_PAGES: Place = Place {
    object: "Page",
    of: PAGE_FIELDS,
    inputs: ["CreatePageInput", "UpdatePageInput"],
    description: "The fields that this site declares for its pages.",
    input_description: "Values of the fields that this site declares for its pages. An omitted field keeps its value, and null removes it.",
};

/// Completes the registry of a schema, after all other types were added. It has no values.
pub(in crate::graphql) enum DeclaredTypes {}

impl OutputType for DeclaredTypes {
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed("DeclaredTypes")
    }

    fn create_type_info(registry: &mut Registry) -> String {
        DECLARED.with_borrow(|fields| {
            complete(registry, fields.of_posts.as_deref(), &OF_POSTS);
            complete(registry, fields.of_pages.as_deref(), &OF_PAGES);
            complete_filter(registry, fields.of_posts.as_deref());
        });
        Self::qualified_type_name()
    }

    async fn resolve(&self, _: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        match *self {}
    }
}

/// Registers the types of declared fields, or removes their compiled parts if none are declared.
fn complete(registry: &mut Registry, declared: Option<&DeclaredObject>, place: &Place) {
    let input = input_name(place.of);
    if let Some(declared) = declared {
        register_scalars(registry);
        let output = object(place.of, Some(place.description), declared, Side::Content);
        registry.types.insert(place.of.to_owned(), output);
        let output = input_object(&input, place.input_description.to_owned(), declared, Side::Content);
        registry.types.insert(input, output);
        register_inside(registry, declared);
        return;
    }
    if let Some(MetaType::Object { fields, .. }) = registry.types.get_mut(place.object) {
        fields.shift_remove(FIELD);
    }
    for of in place.inputs {
        if let Some(MetaType::InputObject { input_fields, .. }) = registry.types.get_mut(of) {
            input_fields.shift_remove(FIELD);
        }
    }
    registry.types.remove(place.of);
    registry.types.remove(&input);
}

/// Registers the filter by fields with `@index`, or removes its compiled parts if there are none.
fn complete_filter(registry: &mut Registry, declared: Option<&DeclaredObject>) {
    let indexed = declared.into_iter().flat_map(DeclaredObject::indexed);
    let fields: IndexMap<String, MetaInputValue> = indexed.map(filter_field).collect();
    if !fields.is_empty() {
        let filter = input_object_of(POST_FIELDS_FILTER, Some(FILTER_DESCRIPTION.to_owned()), fields);
        registry.types.insert(POST_FIELDS_FILTER.to_owned(), filter);
        return;
    }
    if let Some(MetaType::InputObject { input_fields, .. }) = registry.types.get_mut("PostFilter") {
        input_fields.shift_remove(FIELD);
    }
    registry.types.remove(POST_FIELDS_FILTER);
}

fn filter_field(field: &DeclaredField) -> (String, MetaInputValue) {
    let about = "Only posts with one of these values. An empty list matches no post.";
    let about: Vec<&str> = field.description.as_deref().into_iter().chain([about]).collect();
    input_value(&field.name, Some(about.join("\n")), format!("[{}!]", field.of.name()))
}

/// A field can have a type that nothing else in the schema has.
fn register_scalars(registry: &mut Registry) {
    <f64 as InputType>::create_type_info(registry);
    <DateTime as InputType>::create_type_info(registry);
    <Json as InputType>::create_type_info(registry);
    <Url as OutputType>::create_type_info(registry);
}

/// Registers the declared types inside an object. Recursion is bounded, because a type cannot contain itself.
fn register_inside(registry: &mut Registry, declared: &DeclaredObject) {
    for field in &declared.fields {
        match &field.of {
            DeclaredType::Object(of) if !registry.types.contains_key(&of.name) => {
                let output = object(&of.name, of.description.as_deref(), of, Side::Inside);
                registry.types.insert(of.name.clone(), output);
                let input = input_name(&of.name);
                let description =
                    of.description.clone().unwrap_or_else(|| format!("A value of the type `{}`.", of.name));
                let object = input_object(&input, description, of, Side::Inside);
                registry.types.insert(input, object);
                register_inside(registry, of);
            }
            DeclaredType::Enum(of) if !registry.types.contains_key(&of.name) => {
                registry.types.insert(of.name.clone(), enumeration(of));
            }
            _ => {}
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// A field of posts or pages. It may have no value, because content can be older than the declaration, and a change may omit it.
    Content,
    /// A field inside such a value, which fits its declaration as a whole.
    Inside,
}

/// The type text of a field with this innermost type. A required field of posts or pages is nullable; changes of content check that it has
/// a value.
fn type_of(field: &DeclaredField, named: &str, side: Side) -> String {
    let nullable = field.nullable_type_text(named);
    if field.is_required && side == Side::Inside { format!("{nullable}!") } else { nullable }
}

fn object(name: &str, description: Option<&str>, of: &DeclaredObject, side: Side) -> MetaType {
    let field = |field: &DeclaredField| {
        let meta = MetaField {
            name: field.name.clone(),
            description: field.description.clone(),
            args: IndexMap::new(),
            ty: type_of(field, field.of.name(), side),
            deprecation: deprecation(field.deprecation.as_ref()),
            cache_control: async_graphql::CacheControl::default(),
            external: false,
            requires: None,
            provides: None,
            visible: None,
            shareable: false,
            inaccessible: false,
            tags: Vec::new(),
            override_from: None,
            compute_complexity: None,
            directive_invocations: Vec::new(),
            requires_scopes: Vec::new(),
        };
        (field.name.clone(), meta)
    };
    object_of(name, description, of.fields.iter().map(field).collect(), None)
}

fn object_of(
    name: &str,
    description: Option<&str>,
    fields: IndexMap<String, MetaField>,
    rust_typename: Option<&'static str>,
) -> MetaType {
    MetaType::Object {
        name: name.to_owned(),
        description: description.map(str::to_owned),
        fields,
        cache_control: async_graphql::CacheControl::default(),
        extends: false,
        shareable: false,
        resolvable: true,
        keys: None,
        visible: None,
        inaccessible: false,
        interface_object: false,
        tags: Vec::new(),
        is_subscription: false,
        rust_typename,
        directive_invocations: Vec::new(),
        requires_scopes: Vec::new(),
    }
}

fn input_object(name: &str, description: String, of: &DeclaredObject, side: Side) -> MetaType {
    let field = |field: &DeclaredField| {
        let named = match &field.of {
            DeclaredType::Object(inner) => Cow::Owned(input_name(&inner.name)),
            // A person types this text, so an invalid one must be a user error.
            DeclaredType::Url => Cow::Borrowed("String"),
            other => Cow::Borrowed(other.name()),
        };
        let is_required = field.is_required && side == Side::Content;
        let required = is_required.then_some("Required: after a change, it must have a value.");
        let about: Vec<&str> = field.description.as_deref().into_iter().chain(required).collect();
        let description = (!about.is_empty()).then(|| about.join("\n"));
        input_value(&field.name, description, type_of(field, &named, side))
    };
    input_object_of(name, Some(description), of.fields.iter().map(field).collect())
}

fn input_value(name: &str, description: Option<String>, type_text: String) -> (String, MetaInputValue) {
    let meta = MetaInputValue {
        name: name.to_owned(),
        description,
        ty: type_text,
        deprecation: Deprecation::NoDeprecated,
        default_value: None,
        visible: None,
        inaccessible: false,
        tags: Vec::new(),
        is_secret: false,
        directive_invocations: Vec::new(),
    };
    (name.to_owned(), meta)
}

fn input_object_of(name: &str, description: Option<String>, fields: IndexMap<String, MetaInputValue>) -> MetaType {
    MetaType::InputObject {
        name: name.to_owned(),
        description,
        input_fields: fields,
        visible: None,
        inaccessible: false,
        tags: Vec::new(),
        rust_typename: None,
        oneof: false,
        directive_invocations: Vec::new(),
    }
}

fn enumeration(of: &DeclaredEnum) -> MetaType {
    let values = of.values.iter().map(|value| {
        let meta = MetaEnumValue {
            name: value.name.clone(),
            description: value.description.clone(),
            deprecation: deprecation(value.deprecation.as_ref()),
            visible: None,
            inaccessible: false,
            tags: Vec::new(),
            directive_invocations: Vec::new(),
        };
        (value.name.clone(), meta)
    });
    MetaType::Enum {
        name: of.name.clone(),
        description: of.description.clone(),
        enum_values: values.collect(),
        visible: None,
        inaccessible: false,
        tags: Vec::new(),
        rust_typename: None,
        directive_invocations: Vec::new(),
        requires_scopes: Vec::new(),
    }
}

fn deprecation(reason: Option<&String>) -> Deprecation {
    match reason {
        None => Deprecation::NoDeprecated,
        Some(reason) => Deprecation::Deprecated { reason: Some(reason.clone()) },
    }
}

/// Registers a type without fields, until [`DeclaredTypes`] completes the registry.
pub(super) fn unregistered_object<T: OutputType>(registry: &mut Registry) -> String {
    let name = T::type_name();
    registry.create_output_type::<T, _>(MetaTypeId::Object, |_| object_of(&name, None, IndexMap::new(), None))
}

/// Like [`unregistered_object`], for an input.
pub(super) fn unregistered_input(name: &str) -> MetaType {
    input_object_of(name, None, IndexMap::new())
}
