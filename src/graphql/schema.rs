//! The schema as a whole. The rule: it is what `schema.graphql` says, which a test holds.

use async_graphql::{EmptyMutation, EmptySubscription, SDLExportOptions, Schema};

use super::query::Query;

pub type TidingsSchema = Schema<Query, EmptyMutation, EmptySubscription>;

pub fn build() -> TidingsSchema {
    Schema::build(Query, EmptyMutation, EmptySubscription).finish()
}

/// The public contract, as `tidings schema` prints it.
pub fn sdl(schema: &TidingsSchema) -> String {
    let text = schema.sdl_with_options(SDLExportOptions::new().include_specified_by());
    format!("{}\n", text.trim_end())
}
