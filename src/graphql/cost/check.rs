//! Validation without execution, of each new document. The rule: the engine validates the document with the rules of an executed request, and calls no
//! resolver.

use std::sync::Arc;

use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextExecute};
use async_graphql::{Response, Value};

/// Ends a request at the start of its execution.
pub struct OnlyCheck;

impl ExtensionFactory for OnlyCheck {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Self)
    }
}

#[async_trait::async_trait]
impl Extension for OnlyCheck {
    async fn execute(&self, _: &ExtensionContext<'_>, _: Option<&str>, _: NextExecute<'_>) -> Response {
        Response::new(Value::Null)
    }
}
