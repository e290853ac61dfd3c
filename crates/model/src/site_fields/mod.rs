//! The fields that a site declares for its posts and pages. The rule: a declared field stores nothing; its value is that of the metadata under its name, so a
//! change of the declarations loses no value.
//!
//! Types do not contain themselves, so every value that fits has a bounded depth. [`check`] decides which values fit; [`convert`] converts values that mean the
//! same.

mod check;
mod convert;

use std::sync::Arc;

pub use check::{Misfit, instant_of};

use super::field_index::IndexedFields;

/// The maximum number of items in a list of a declared field. An answer has a value for each.
pub const LIST_ITEMS_MAX: usize = 1_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteFields {
    /// `None` if the site declares none for its posts.
    pub of_posts: Option<Arc<DeclaredObject>>,
    /// `None` if the site declares none for its pages.
    pub of_pages: Option<Arc<DeclaredObject>>,
}

/// A type with fields: that of posts, that of pages, or a type of the site that some fields have.
#[derive(Debug, PartialEq, Eq)]
pub struct DeclaredObject {
    pub name: String,
    pub description: Option<String>,
    pub fields: Vec<DeclaredField>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct DeclaredField {
    /// The name in the schema, and the key in the metadata.
    pub name: String,
    pub description: Option<String>,
    /// The reason, if the field is deprecated.
    pub deprecation: Option<String>,
    pub of: DeclaredType,
    /// Set if the values are lists; determines whether their items may be null.
    pub items: Option<DeclaredItems>,
    pub is_required: bool,
    /// Whether lists of posts can be filtered by it: only fields of posts, and only values of [`DeclaredType::has_index`].
    pub is_indexed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredItems {
    Nullable,
    Required,
}

/// The type of a value, or of the items of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclaredType {
    String,
    Int,
    Float,
    Boolean,
    Id,
    /// A text: RFC 3339, or a day, which is its first instant in UTC.
    DateTime,
    /// A text: the address of a web page.
    Url,
    Json,
    /// A text: one of the names of the enum.
    Enum(Arc<DeclaredEnum>),
    Object(Arc<DeclaredObject>),
}

#[derive(Debug, PartialEq, Eq)]
pub struct DeclaredEnum {
    pub name: String,
    pub description: Option<String>,
    pub values: Vec<DeclaredValue>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct DeclaredValue {
    pub name: String,
    pub description: Option<String>,
    /// The reason, if the value is deprecated.
    pub deprecation: Option<String>,
}

impl SiteFields {
    pub fn is_empty(&self) -> bool {
        self.of_posts.is_none() && self.of_pages.is_none()
    }

    pub fn indexed(&self) -> IndexedFields {
        let indexed = self.of_posts.iter().flat_map(|declared| declared.indexed());
        IndexedFields::of(indexed.map(|field| field.name.clone()))
    }
}

impl DeclaredObject {
    /// The fields with `@index`, in the order of the declaration.
    pub fn indexed(&self) -> impl Iterator<Item = &DeclaredField> {
        self.fields.iter().filter(|field| field.is_indexed)
    }

    pub fn field(&self, name: &str) -> Option<&DeclaredField> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl DeclaredField {
    /// The type as the schema writes it, such as `[String!]!`.
    pub fn type_text(&self) -> String {
        let required = if self.is_required { "!" } else { "" };
        format!("{}{required}", self.nullable_type_text(self.of.name()))
    }

    /// The type without the `!` of a required field, and with another name for the innermost type.
    pub fn nullable_type_text(&self, named: &str) -> String {
        match self.items {
            None => named.to_owned(),
            Some(DeclaredItems::Nullable) => format!("[{named}]"),
            Some(DeclaredItems::Required) => format!("[{named}!]"),
        }
    }
}

impl DeclaredType {
    /// Whether posts can be indexed by values of this type.
    pub fn has_index(&self) -> bool {
        matches!(self, Self::String | Self::Int | Self::Boolean | Self::Id | Self::Enum(_))
    }

    /// The scalar with this name in the schema.
    pub fn scalar(name: &str) -> Option<Self> {
        [Self::String, Self::Int, Self::Float, Self::Boolean, Self::Id, Self::DateTime, Self::Url, Self::Json]
            .into_iter()
            .find(|scalar| scalar.name() == name)
    }

    pub fn name(&self) -> &str {
        match self {
            Self::String => "String",
            Self::Int => "Int",
            Self::Float => "Float",
            Self::Boolean => "Boolean",
            Self::Id => "ID",
            Self::DateTime => "DateTime",
            Self::Url => "URL",
            Self::Json => "JSON",
            Self::Enum(of) => &of.name,
            Self::Object(of) => &of.name,
        }
    }
}
