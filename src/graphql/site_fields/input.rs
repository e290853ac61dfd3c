//! The inputs `PostFieldsInput`, `PageFieldsInput` and `PostFieldsFilter`. The rule: validation checks a value by the registered type. `content` checks an
//! input again together with the rest of the input, because the engine accepts values that are not objects for the types of a site. In a filter, values are
//! compared as texts, like the index rows of posts.

use std::borrow::Cow;

use async_graphql::registry::{MetaTypeId, Registry};
use async_graphql::{InputType, InputValueError, InputValueResult, ScalarType, Value};

use super::registered::unregistered_input;
use super::{PAGE_FIELDS, POST_FIELDS, POST_FIELDS_FILTER, input_name};
use crate::content::read::pages::SlugFilter;
use crate::graphql::scalars::Json;
use crate::model::JsonValue;
use crate::model::field_index::field_partition;

/// Declares an input type for declared fields: its name, and how it is made from the object with the values by field name.
macro_rules! fields_input {
    ($(#[$meta:meta])* $name:ident($value:ty), $type_name:expr, $made:expr) => {
        $(#[$meta])*
        pub(in crate::graphql) struct $name($value);

        impl InputType for $name {
            type RawValueType = Self;

            fn type_name() -> Cow<'static, str> {
                Cow::Owned($type_name)
            }

            fn create_type_info(registry: &mut Registry) -> String {
                registry.create_input_type::<Self, _>(MetaTypeId::InputObject, |_| unregistered_input(&Self::type_name()))
            }

            fn parse(value: Option<Value>) -> InputValueResult<Self> {
                let object = match value.unwrap_or_default() {
                    object @ Value::Object(_) => <Json as ScalarType>::parse(object).map_err(InputValueError::propagate)?,
                    other => return Err(InputValueError::expected_type(other)),
                };
                let made: fn(JsonValue) -> Result<$value, String> = $made;
                made(object.into()).map(Self).map_err(InputValueError::custom)
            }

            /// This is never called, because nothing has a default.
            fn to_value(&self) -> Value {
                Value::Null
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }
        }
    };
}

fields_input! {
    /// Values of the fields that a site declares for its posts.
    PostFieldsInput(JsonValue), input_name(POST_FIELDS), Ok
}

fields_input! {
    /// Values of the fields that a site declares for its pages.
    PageFieldsInput(JsonValue), input_name(PAGE_FIELDS), Ok
}

fields_input! {
    /// The values for each named field. A post must have one of them.
    #[derive(Debug, Clone)]
    PostFieldsFilter(Vec<(String, Vec<String>)>), POST_FIELDS_FILTER.to_owned(), texts_of
}

impl From<PostFieldsInput> for JsonValue {
    /// The object with the values by field name.
    fn from(PostFieldsInput(object): PostFieldsInput) -> Self {
        object
    }
}

impl From<PageFieldsInput> for JsonValue {
    fn from(PageFieldsInput(object): PageFieldsInput) -> Self {
        object
    }
}

/// The texts of the values of a filter. A single value counts as a list of one item ("List" of the GraphQL specification, "Input Coercion").
fn texts_of(filter: JsonValue) -> Result<Vec<(String, Vec<String>)>, String> {
    let JsonValue::Object(fields) = filter else { return Ok(Vec::new()) };
    let mut named = Vec::with_capacity(fields.len());
    for (name, value) in fields.into_iter().filter(|(_, value)| *value != JsonValue::Null) {
        let items = if let JsonValue::List(items) = value { items } else { vec![value] };
        let texts = items.iter().map(|item| item.scalar_text().map(Cow::into_owned));
        match texts.collect::<Option<Vec<_>>>() {
            Some(texts) => named.push((name, texts)),
            None => return Err(format!("{name} must be a value or a list of values")),
        }
    }
    Ok(named)
}

impl PostFieldsFilter {
    pub(in crate::graphql) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl From<PostFieldsFilter> for Vec<SlugFilter> {
    /// Sorts the fields and values, so that equal filters make the same list.
    fn from(PostFieldsFilter(mut fields): PostFieldsFilter) -> Self {
        fields.sort();
        let of_field = |(name, values): (String, Vec<String>)| {
            let mut partitions: Vec<_> = values.iter().map(|value| field_partition(&name, value)).collect();
            partitions.sort();
            partitions.dedup();
            SlugFilter { any: Some(partitions), ..SlugFilter::default() }
        };
        fields.into_iter().map(of_field).collect()
    }
}
