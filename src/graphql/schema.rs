//! The schema as a whole. The rule: it is what `schema.graphql` says, which a test holds.

use std::any::TypeId;
use std::sync::Arc;

use async_graphql::parser::types::OperationType;
use async_graphql::{
    EmptySubscription, Request, Response, SDLExportOptions, Schema, SchemaBuilder, ServerError, Value,
};

use crate::content::{Content, Reader, StorageUse};
use crate::model::Actor;
use crate::telemetry::metrics;

use super::access::{self, SignIn};
use super::budget::Budget;
use super::completion::{Completion, TypeMap};
use super::context::RequestContext;
use super::cost::{self, Bound};
use super::guard::select_operation;
use super::memory::{Charge, OverBudget};
use super::mutation::Mutation;
use super::query::Query;
use super::service::GraphqlService;

pub type TidingsSchema = Schema<Query, Mutation, EmptySubscription>;

/// The schema over some content. Depth, size and fragments are the guard's matter, the storage requests are bounded here.
pub struct ContentService {
    schema: TidingsSchema,
    types: Arc<TypeMap>,
    content: Content,
    storage_requests_max: u64,
    sign_in: SignIn,
    reports_storage: bool,
}

impl ContentService {
    /// Without a way to sign in nobody may change anything.
    pub fn new(content: Content, storage_requests_max: u64) -> Self {
        let schema = build();
        let types = TypeMap::of(&schema.sdl()).expect("the engine's own SDL is well-formed");
        Self {
            schema,
            types: Arc::new(types),
            content,
            storage_requests_max,
            sign_in: SignIn::default(),
            reports_storage: false,
        }
    }

    /// Tells whoever asks what an answer cost, and not only those who see every draft. The rows that were read show that a draft is there.
    #[must_use]
    pub fn telling_storage(self, reports_storage: bool) -> Self {
        Self { reports_storage, ..self }
    }

    /// Answers no error with names that the client did not send: for a server whose introspection is switched off, by
    /// [`Limits::introspection`](super::guard::Limits::introspection).
    #[must_use]
    pub fn without_suggestions(self) -> Self {
        Self { schema: builder().disable_suggestions().finish(), ..self }
    }

    #[must_use]
    pub fn with_sign_in(self, sign_in: SignIn) -> Self {
        Self { sign_in, ..self }
    }
}

impl ContentService {
    /// Whether who asks what the answer costs may know.
    fn reports_storage_to(&self, actor: Option<&Actor>) -> bool {
        self.reports_storage || actor.is_some_and(Actor::sees_all)
    }

    /// What the request reads through: as the one whose token it has.
    async fn reader_of(&self, request: &Request) -> Result<Reader, ServerError> {
        let reader = if requests_storage(request) { self.content.naming_reader() } else { self.content.reader() };
        let actor = self.sign_in.actor(&self.content, &reader, request).await?;
        Ok(reader.for_actor(actor))
    }

    /// What the request may cost.
    ///
    /// # Errors
    /// Where that is over the limit.
    async fn bound(&self, request: &mut Request, reader: &Reader) -> Result<Bound, ServerError> {
        let signing_in = if access::has_token(request) { cost::SIGN_IN } else { Bound::default() };
        let bound = cost::bound(request, months_for(request, reader).await)?.plus(signing_in);
        let budget = Budget::of(request);
        let limit = self.storage_requests_max.saturating_sub(budget.as_ref().map_or(0, |budget| budget.spent()));
        if bound.requests() > limit {
            return Err(cost::refusal(&bound, limit));
        }
        if bound.values > cost::VALUES_MAX {
            return Err(cost::refusal_of_values(&bound));
        }
        if let Some(budget) = budget {
            budget.spend(bound.requests());
        }
        Ok(bound)
    }
}

#[async_trait::async_trait]
impl GraphqlService for ContentService {
    async fn sign_in(&self, request: Request) -> Result<Request, ServerError> {
        let reader = self.reader_of(&request).await?;
        Ok(request.data(SignedIn(reader)))
    }

    async fn execute(&self, mut request: Request) -> Response {
        let reader = match SignedIn::of(&request) {
            Some(reader) => reader,
            None => match self.reader_of(&request).await {
                Ok(reader) => reader,
                Err(error) => return Response::from_errors(vec![error]),
            },
        };
        let reader = match at_one_moment(reader, &mut request).await {
            Ok(reader) => reader,
            Err(error) => return Response::from_errors(vec![error]),
        };
        let reports_storage = requests_storage(&request) && self.reports_storage_to(reader.actor());
        let bound = match self.bound(&mut request, &reader).await {
            Ok(bound) => bound,
            Err(error) => return Response::from_errors(vec![error]),
        };
        let charge = Charge::of(&request);
        let _values = match charge_values(charge.as_ref(), &bound).await {
            Ok(charged) => charged,
            Err(over_budget) => return Response::from_errors(vec![over_budget.into()]),
        };
        let completion = Completion::prepare(&self.types, &mut request);
        let budget = Budget::of(&request).unwrap_or_default();
        let context = RequestContext::new(self.content.clone(), reader.clone(), budget, charge);
        let mut response = self.schema.execute(request.data(context)).await;
        if let Some(completion) = completion {
            completion.complete(&mut response);
        }
        let used = reader.storage_used();
        metrics::query_cost(bound.requests(), used.requests());
        if reports_storage { response.extension("storage", describe(&used, &bound)) } else { response }
    }

    fn sdl(&self) -> String {
        sdl(&self.schema)
    }
}

/// Values that a query may answer without a charge of their own: as many as all running requests can have at once.
const UNCHARGED_VALUES: u64 = 5_000;

/// What a value takes until it is written: its place in the tree, its name there and a short text.
const VALUE_BYTES: u64 = 128;

/// Charges the values of an answer before they are made, by their bound; given back when they are written.
async fn charge_values(charge: Option<&Charge>, bound: &Bound) -> Result<Option<Charge>, OverBudget> {
    let bytes = bound.values.saturating_sub(UNCHARGED_VALUES).saturating_mul(VALUE_BYTES);
    let Some(charge) = charge.filter(|_| bytes > 0) else { return Ok(None) };
    let values = charge.beside();
    values.take(bytes.min(charge.most() / 2)).await?;
    Ok(Some(values))
}

/// The reader of a request whose sender is known.
struct SignedIn(Reader);

impl SignedIn {
    fn of(request: &Request) -> Option<Reader> {
        let data = request.data.get(&TypeId::of::<Self>())?;
        data.downcast_ref::<Self>().map(|signed_in| signed_in.0.clone())
    }
}

fn requests_storage(request: &Request) -> bool {
    matches!(request.extensions.get("storage"), Some(Value::Boolean(true)))
}

/// A query sees everything as it is when it starts, if the store has snapshots. A mutation reads what it has just written.
async fn at_one_moment(reader: Reader, request: &mut Request) -> Result<Reader, ServerError> {
    let name = request.operation_name.clone();
    let operation = select_operation(request.parsed_query()?, name.as_deref());
    if !operation.is_ok_and(|operation| operation.node.ty == OperationType::Query) {
        return Ok(reader);
    }
    reader.at_one_moment().await.map_err(|error| access::failed(error.into()))
}

/// How many months the archive has, where the query may ask for it: read once, and at hand when the archive itself is asked for.
async fn months_for(request: &Request, reader: &Reader) -> usize {
    if !request.query.contains("archive") {
        return 0;
    }
    // A store that cannot be read is told of by the field that needs it.
    reader.month_count().await.unwrap_or(0)
}

pub fn build() -> TidingsSchema {
    builder().finish()
}

fn builder() -> SchemaBuilder<Query, Mutation, EmptySubscription> {
    Schema::build(Query, Mutation, EmptySubscription)
}

/// The public contract, as `tidings schema` prints it.
pub fn sdl(schema: &TidingsSchema) -> String {
    let text = schema.sdl_with_options(SDLExportOptions::new().include_specified_by());
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
