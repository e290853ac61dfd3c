//! The declared fields of a site in GraphQL: read from an SDL file, served in the schema, returned and accepted as input. The rule:
//! declared types are not known when the program is compiled, so they are added to the engine's registry while a schema is built
//! ([`registered`]). Then validation, introspection and the SDL treat them like all other types.
//!
//! The resolvers and inputs of `fields` are always compiled in. In a schema without declared fields they are removed from the registry, so
//! no document can reach them.

mod bad_fields;
mod declarations;
mod input;
mod registered;
mod sdl;
mod served;

pub use bad_fields::BadFields;
pub use sdl::{FILE_BYTES_MAX, parse};

pub(super) use input::{PageFieldsInput, PostFieldsFilter, PostFieldsInput};
pub(super) use registered::{DeclaredTypes, declaring};
pub(super) use served::{PageFields, PostFields};

pub(super) const POST_FIELDS: &str = "PostFields";
pub(super) const PAGE_FIELDS: &str = "PageFields";
/// The type of `PostFilter.fields`.
const POST_FIELDS_FILTER: &str = "PostFieldsFilter";

pub(super) fn input_name(of: &str) -> String {
    format!("{of}Input")
}

#[cfg(test)]
mod tests;
