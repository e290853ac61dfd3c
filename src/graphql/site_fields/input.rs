//! The inputs `PostFieldsInput` and `PageFieldsInput`. The rule: validation checks a value by the registered type, and `content` checks it
//! again together with the rest of the input, because the engine accepts values that are not objects for the types of a site.

use std::borrow::Cow;

use async_graphql::registry::{MetaTypeId, Registry};
use async_graphql::{InputType, InputValueError, InputValueResult, ScalarType, Value};

use super::registered::unregistered_input;
use super::{PAGE_FIELDS, POST_FIELDS, input_name};
use crate::graphql::scalars::Json;
use crate::model::JsonValue;

/// Declares an input type for declared fields.
macro_rules! fields_input {
    ($(#[$doc:meta])* $name:ident, $of:expr) => {
        $(#[$doc])*
        pub(in crate::graphql) struct $name(JsonValue);

        impl InputType for $name {
            type RawValueType = Self;

            fn type_name() -> Cow<'static, str> {
                Cow::Owned(input_name($of))
            }

            fn create_type_info(registry: &mut Registry) -> String {
                registry.create_input_type::<Self, _>(MetaTypeId::InputObject, |_| unregistered_input(&Self::type_name()))
            }

            fn parse(value: Option<Value>) -> InputValueResult<Self> {
                match value.unwrap_or_default() {
                    object @ Value::Object(_) => match <Json as ScalarType>::parse(object) {
                        Ok(json) => Ok(Self(json.into())),
                        Err(error) => Err(error.propagate()),
                    },
                    other => Err(InputValueError::expected_type(other)),
                }
            }

            /// Never called, because no field has a default.
            fn to_value(&self) -> Value {
                Value::Null
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }
        }

        impl From<$name> for JsonValue {
            /// The object with the values by field name.
            fn from(input: $name) -> Self {
                input.0
            }
        }
    };
}

fields_input! {
    /// Values of the fields that a site declares for its posts.
    PostFieldsInput, POST_FIELDS
}

fields_input! {
    /// Values of the fields that a site declares for its pages.
    PageFieldsInput, PAGE_FIELDS
}
