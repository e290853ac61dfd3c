//! Validation without execution, for a request that asks for its cost alone. The rule: the document is validated by the engine, with the rules of a request
//! that runs, and no resolver is called.

use std::sync::Arc;

use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextExecute};
use async_graphql::{Response, Value};

/// Ends a request where its execution would begin.
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
