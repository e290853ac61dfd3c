//! The scalars `HTML` and `URL`: strings with a form on which clients can rely. The rule: only answers have them. Input that a person types
//! is a `String`, so that an invalid one is reported together with all other user errors.

use std::borrow::Cow;

use async_graphql::parser::types::Field;
use async_graphql::registry::{MetaType, MetaTypeId, Registry};
use async_graphql::{ContextSelectionSet, OutputType, Positioned, ServerResult, Value};

use super::json_text::JsonText;

/// Sanitised HTML.
pub struct HtmlText(pub JsonText);

pub struct Url(pub String);

impl OutputType for HtmlText {
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed("HTML")
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let description = "A fragment of HTML as a string, sanitised by the server: no scripts, no event handlers, no `javascript:` links. It can be inserted \
                           into a page\nunchanged.";
        register::<Self>(registry, description, "https://html.spec.whatwg.org/multipage/")
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        self.0.resolve(ctx, field).await
    }
}

impl OutputType for Url {
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed("URL")
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let description = "An absolute URL with the scheme `http` or `https`, as a string.";
        register::<Self>(registry, description, "https://url.spec.whatwg.org/")
    }

    async fn resolve(&self, _ctx: &ContextSelectionSet<'_>, _field: &Positioned<Field>) -> ServerResult<Value> {
        Ok(Value::String(self.0.clone()))
    }
}

fn register<T: OutputType>(registry: &mut Registry, description: &str, specified_by_url: &str) -> String {
    registry.create_output_type::<T, _>(MetaTypeId::Scalar, |_| MetaType::Scalar {
        name: T::type_name().into_owned(),
        description: Some(description.to_owned()),
        is_valid: None,
        visible: None,
        inaccessible: false,
        tags: Vec::new(),
        specified_by_url: Some(specified_by_url.to_owned()),
        directive_invocations: Vec::new(),
        requires_scopes: Vec::new(),
    })
}
