//! The value of a field whose type is an interface. The rule: the error of a field that is selected on the interface has the field's path,
//! as with an object type ("Errors" of the GraphQL specification).
//!
//! The engine's `Interface` resolves such a field without its path. Then the completion could not make the field null.

use std::borrow::Cow;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::resolver_utils::{ContainerType, Fields, resolve_container};
use async_graphql::{
    Context, ContextSelectionSet, InterfaceType, OutputType, Positioned, ServerError, ServerResult, Value,
};

/// A value of the interface `T`. Every field that returns an interface returns this.
pub(in crate::graphql) struct InterfaceValue<T>(pub T);

impl<T: InterfaceType> ContainerType for InterfaceValue<T> {
    async fn resolve_field(&self, ctx: &Context<'_>) -> ServerResult<Option<Value>> {
        let add_path = |error: ServerError| if error.path.is_empty() { ctx.set_error_path(error) } else { error };
        self.0.resolve_field(ctx).await.map_err(add_path)
    }

    fn collect_all_fields<'a>(&'a self, ctx: &ContextSelectionSet<'a>, fields: &mut Fields<'a>) -> ServerResult<()> {
        self.0.collect_all_fields(ctx, fields)
    }
}

impl<T: InterfaceType> OutputType for InterfaceValue<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        T::create_type_info(registry)
    }

    fn introspection_type_name(&self) -> Cow<'static, str> {
        self.0.introspection_type_name()
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, _field: &Positioned<Field>) -> ServerResult<Value> {
        resolve_container(ctx, self).await
    }
}
