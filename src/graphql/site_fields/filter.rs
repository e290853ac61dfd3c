//! The input `PostFieldsFilter`: values of the declared fields with `@index`. The rule: validation checks the values by the registered
//! type; only their texts decide which posts match, as with the index rows of the posts.

use std::borrow::Cow;

use async_graphql::registry::{MetaTypeId, Registry};
use async_graphql::{InputType, InputValueError, InputValueResult, ScalarType, Value};

use super::POST_FIELDS_FILTER;
use super::registered::unregistered_input;
use crate::content::read::pages::SlugFilter;
use crate::graphql::scalars::Json;
use crate::model::JsonValue;
use crate::model::field_index::field_partition;

/// The values for each named field. A post must have one of them.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct PostFieldsFilter(Vec<(String, Vec<String>)>);

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

impl InputType for PostFieldsFilter {
    type RawValueType = Self;

    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed(POST_FIELDS_FILTER)
    }

    fn create_type_info(registry: &mut Registry) -> String {
        registry.create_input_type::<Self, _>(MetaTypeId::InputObject, |_| unregistered_input(&Self::type_name()))
    }

    fn parse(value: Option<Value>) -> InputValueResult<Self> {
        let value = value.unwrap_or_default();
        if !matches!(value, Value::Object(_)) {
            return Err(InputValueError::expected_type(value));
        }
        let json = <Json as ScalarType>::parse(value).map_err(InputValueError::propagate)?;
        let JsonValue::Object(fields) = json.into() else { return Ok(Self(Vec::new())) };
        let mut named = Vec::with_capacity(fields.len());
        for (name, value) in fields.into_iter().filter(|(_, value)| *value != JsonValue::Null) {
            // A single value counts as a list of one item ("List" of the GraphQL specification, "Input Coercion").
            let items = if let JsonValue::List(items) = value { items } else { vec![value] };
            let texts = items.iter().map(|item| item.scalar_text().map(Cow::into_owned));
            match texts.collect::<Option<Vec<_>>>() {
                Some(texts) => named.push((name, texts)),
                None => return Err(InputValueError::custom(format!("{name} must be a value or a list of values"))),
            }
        }
        Ok(Self(named))
    }

    /// Never called, because no argument has a default.
    fn to_value(&self) -> Value {
        Value::Null
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }
}
