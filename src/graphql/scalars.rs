//! The scalar of instants. The rule: what is read in full is given in full, to the tick.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};

use crate::model::Instant;

/// As the schema describes it below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime(pub Instant);

/// An instant in UTC, RFC 3339, to the tick (100 ns) where the source has it: 2025-02-03T04:05:06.1234567Z
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
