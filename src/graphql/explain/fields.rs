//! The fields for which storage requests are made. The rule: a resolver has the purpose of its field while it runs, both in the engine's
//! container and in ours (`object_value`).

use std::sync::Arc;

use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextResolve, ResolveInfo};
use async_graphql::parser::types::Field;
use async_graphql::{QueryPathSegment, ServerResult, Value};

use crate::content::{Explanation, Purpose};
use crate::graphql::context::RequestContext;

/// Sets the purpose of each resolver that the engine calls.
pub struct FieldPurposes;

impl ExtensionFactory for FieldPurposes {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Self)
    }
}

#[async_trait::async_trait]
impl Extension for FieldPurposes {
    async fn resolve(
        &self,
        ctx: &ExtensionContext<'_>,
        info: ResolveInfo<'_>,
        next: NextResolve<'_>,
    ) -> ServerResult<Option<Value>> {
        let explanation = ctx.data_opt::<RequestContext>().and_then(|request| request.reader.explanation());
        // The engine also calls this for each item of a list, which is not a field.
        let explanation = explanation.filter(|_| matches!(info.path_node.segment, QueryPathSegment::Name(_)));
        let purpose = purpose_of(explanation, info.field);
        purpose.of(next.run(ctx, info)).await
    }
}

/// The purpose of a field of the object that is being resolved; [`Purpose::NONE`] if the request is not explained.
pub fn purpose_of(explanation: Option<&Arc<Explanation>>, field: &Field) -> Purpose {
    match explanation {
        Some(explanation) => {
            let place = field.name.pos;
            explanation.field((place.line, place.column), &field.response_key().node)
        }
        None => Purpose::NONE,
    }
}
