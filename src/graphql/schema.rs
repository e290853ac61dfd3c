//! The schema as a whole. The rule: it is what `schema.graphql` says, which a test holds.

use async_graphql::{EmptyMutation, EmptySubscription, Request, Response, SDLExportOptions, Schema, Value};

use crate::content::{Content, StorageUse};

use super::context::RequestContext;
use super::cost::{self, Bound};
use super::query::Query;
use super::service::GraphqlService;

pub type TidingsSchema = Schema<Query, EmptyMutation, EmptySubscription>;

/// The schema over some content. Depth, size and fragments are the guard's matter, the storage requests are bounded here.
pub struct ContentService {
    schema: TidingsSchema,
    content: Content,
    storage_requests_max: u64,
}

impl ContentService {
    pub fn new(content: Content, storage_requests_max: u64) -> Self {
        Self { schema: build(), content, storage_requests_max }
    }
}

#[async_trait::async_trait]
impl GraphqlService for ContentService {
    async fn execute(&self, mut request: Request) -> Response {
        let bound = match cost::bound(&mut request, self.content.month_count()) {
            Ok(bound) => bound,
            Err(error) => return Response::from_errors(vec![error]),
        };
        if bound.requests() > self.storage_requests_max {
            return Response::from_errors(vec![cost::refusal(&bound, self.storage_requests_max)]);
        }
        let tells_storage = matches!(request.extensions.get("storage"), Some(Value::Boolean(true)));
        let reader = if tells_storage { self.content.naming_reader() } else { self.content.reader() };
        let response = self.schema.execute(request.data(RequestContext::new(reader.clone()))).await;
        if tells_storage { response.extension("storage", describe(&reader.storage_used(), &bound)) } else { response }
    }

    fn sdl(&self) -> String {
        sdl(&self.schema)
    }
}

pub fn build() -> TidingsSchema {
    Schema::build(Query, EmptyMutation, EmptySubscription).finish()
}

/// The public contract, as `tidings schema` prints it.
pub fn sdl(schema: &TidingsSchema) -> String {
    let text = schema.sdl_with_options(SDLExportOptions::new());
    format!("{}\n", text.trim_end())
}

/// `extensions.storage`: what the answer cost, each read by name, and what the query could have cost at the most.
fn describe(used: &StorageUse, bound: &Bound) -> Value {
    let reads: Vec<Value> = used.reads.iter().map(|read| Value::from(read.as_str())).collect();
    async_graphql::value!({
        "pointReads": used.point_reads,
        "rangeReads": used.range_reads,
        "rows": used.rows,
        "bytes": used.bytes,
        "roundTrips": used.round_trips,
        "reads": reads,
        "bound": { "pointReads": bound.point_reads, "rangeReads": bound.range_reads },
    })
}
