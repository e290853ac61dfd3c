//! The directive `@live`. The rule: it does not change the answer; the transport executes the query again when rows that it has read have changed, and sends
//! the answer, or with `patch` how it differs.

use std::borrow::Cow;

use async_graphql::parser::types::Directive;
use async_graphql::registry::{__DirectiveLocation, Deprecation, MetaDirective, MetaInputValue, Registry};
use async_graphql::{ContextDirective, CustomDirective, CustomDirectiveFactory, ServerError, ServerResult};

pub(super) const LIVE: &str = "live";
pub(super) const PATCH: &str = "patch";

fn patch() -> MetaInputValue {
    MetaInputValue {
        name: PATCH.to_owned(),
        // The engine prints the schema without the descriptions of a directive's arguments.
        description: None,
        ty: "Boolean!".to_owned(),
        deprecation: Deprecation::NoDeprecated,
        default_value: Some("false".to_owned()),
        visible: None,
        inaccessible: false,
        tags: Vec::new(),
        is_secret: false,
        directive_invocations: Vec::new(),
    }
}

/// Declares the directive. The engine has no macro for a directive of operations.
pub(super) struct Live;

impl CustomDirectiveFactory for Live {
    fn name(&self) -> Cow<'static, str> {
        LIVE.into()
    }

    fn register(&self, registry: &mut Registry) {
        let description = "The answer, and then each answer that is different: over Server-Sent Events or a WebSocket. With `patch`, how it differs, as a JSON Patch.";
        registry.add_directive(MetaDirective {
            name: LIVE.to_owned(),
            description: Some(description.to_owned()),
            locations: vec![__DirectiveLocation::QUERY],
            args: [(PATCH.to_owned(), patch())].into_iter().collect(),
            is_repeatable: false,
            visible: None,
            composable: None,
        });
    }

    fn create(&self, _: &ContextDirective<'_>, _: &Directive) -> ServerResult<Box<dyn CustomDirective>> {
        Err(ServerError::new("`@live` is a directive of queries, not of fields.", None))
    }
}
