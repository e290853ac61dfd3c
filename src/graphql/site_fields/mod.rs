//! The fields that a site declares, in GraphQL: read from a file of SDL, served in the schema, answered and accepted as input. The rule: the engine's types are
//! fixed when the program is built, and these types are not; they are added to its registry while a schema is built ([`registered`]), so that validation,
//! introspection and the SDL know them as they know all others.
//!
//! The resolvers and inputs of `fields` are always in the program. In a schema without declared fields they are removed from the registry, so no document
//! reaches them.

mod bad_fields;
mod declarations;
mod filter;
mod input;
mod registered;
mod sdl;
mod served;

pub use bad_fields::BadFields;
pub use sdl::{FILE_BYTES_MAX, parse};

pub(super) use filter::PostFieldsFilter;
pub(super) use input::{PageFieldsInput, PostFieldsInput};
pub(super) use registered::{DeclaredTypes, declaring};
pub(super) use served::{PageFields, PostFields};

/// The names of the types and of their inputs.
pub(super) const POST_FIELDS: &str = "PostFields";
pub(super) const PAGE_FIELDS: &str = "PageFields";
/// The name of the type of `PostFilter.fields`.
const POST_FIELDS_FILTER: &str = "PostFieldsFilter";

/// The name of the input type of an object type.
pub(super) fn input_name(of: &str) -> String {
    format!("{of}Input")
}

#[cfg(test)]
mod tests;
