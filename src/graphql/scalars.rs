//! The scalar `DateTime`. The rule: no precision is lost: a stored instant is returned to the tick (100 ns).

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};

use crate::model::Instant;

/// See the description of the scalar below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime(pub Instant);

/// A time in UTC in RFC 3339 format, with up to seven fractional digits (100 ns): 2025-02-03T04:05:06.1234567Z
#[Scalar(name = "DateTime", specified_by_url = "https://scalars.graphql.org/andimarek/date-time.html")]
impl ScalarType for DateTime {
    fn parse(value: Value) -> InputValueResult<Self> {
        match value {
            Value::String(text) => text.parse().map(Self).map_err(InputValueError::custom),
            other => Err(InputValueError::expected_type(other)),
        }
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.to_string())
    }
}
