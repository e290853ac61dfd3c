//! The schema as a whole, and the execution of a request. The rule: the schema is the one in `schema.graphql`, which a test compares.

use std::any::TypeId;
use std::sync::Arc;

use async_graphql::parser::types::OperationType;
use async_graphql::{
    EmptySubscription, Request, Response, SDLExportOptions, Schema, SchemaBuilder, ServerError, Value,
};

use crate::content::{Content, Reader, StorageUse};
use crate::model::Actor;
use crate::telemetry::metrics::{self, HeldKind};

use super::access::{self, SignIn};
use super::budget::Budget;
use super::completion::Completion;
use super::context::RequestContext;
use super::cost::{Bound, CostModel, CostRequest, Disclosure, OnlyCheck, Price};
use super::error::{Code, coded};
use super::guard::Limits;
use super::held::{Announcements, Recording};
use super::memory::{Charge, OverBudget};
use super::mutation::{Mutation, PostPayload};
use super::outline::OperationOutline;
use super::query::Query;
use super::service::GraphqlService;
use super::type_map::TypeMap;
use super::types::term::GroupingTerm;
use super::unsent::{ADDED_NESTING, omit_unsent};

pub type TidingsSchema = Schema<Query, Mutation, EmptySubscription>;

/// The schema over some content. The guard bounds the depth, size and fragments of a document; this service bounds its storage requests.
pub struct ContentService {
    schema: TidingsSchema,
    /// The same schema, which validates and runs nothing.
    checking: TidingsSchema,
    types: Arc<TypeMap>,
    costs: CostModel,
    content: Content,
    storage_requests_max: u64,
    sign_in: SignIn,
    reports_storage: bool,
}

impl ContentService {
    /// Without [`with_sign_in`](Self::with_sign_in) no client can change anything.
    pub fn new(content: Content, storage_requests_max: u64) -> Self {
        let schema = build();
        let types = Arc::new(TypeMap::of(&schema.sdl()).expect("the engine's own SDL is well-formed"));
        Self {
            schema,
            checking: builder().extension(OnlyCheck).finish(),
            costs: CostModel::new(Arc::clone(&types)),
            types,
            content,
            storage_requests_max,
            sign_in: SignIn::default(),
            reports_storage: false,
        }
    }

    /// Returns the cost of an answer to every client that requests it, not only to clients that may read every draft. The list of rows that were
    /// read reveals whether a draft exists.
    #[must_use]
    pub fn reporting_storage(self, reports_storage: bool) -> Self {
        Self { reports_storage, ..self }
    }

    /// Makes errors without suggested names, for a server whose introspection is switched off by
    /// [`Limits::introspection`](super::guard::Limits::introspection).
    #[must_use]
    pub fn without_suggestions(self) -> Self {
        Self {
            schema: builder().disable_suggestions().finish(),
            checking: builder().disable_suggestions().extension(OnlyCheck).finish(),
            ..self
        }
    }

    #[must_use]
    pub fn with_sign_in(self, sign_in: SignIn) -> Self {
        Self { sign_in, ..self }
    }
}

impl ContentService {
    /// Whether this actor may read the cost of the answer.
    fn reports_storage_to(&self, actor: Option<&Actor>) -> bool {
        self.reports_storage || actor.is_some_and(Actor::sees_all)
    }

    /// The reader for this request, which reads as the owner of its token.
    async fn reader_of(&self, request: &Request) -> Result<Reader, ServerError> {
        let reader = if requests_storage(request) { self.content.naming_reader() } else { self.content.reader() };
        self.sign_in.reader(&self.content, reader, request).await
    }

    /// The price of the request, which leaves the rest of the limit to the requests after it in a batch.
    async fn price(
        &self,
        operation: Option<&OperationOutline>,
        request: &Request,
        reader: &Reader,
        disclosure: Disclosure,
    ) -> Price {
        let budget = Budget::of(request);
        let limit = self.storage_requests_max.saturating_sub(budget.as_ref().map_or(0, |budget| budget.spent()));
        // Without an operation nothing runs: the engine reports that the request names none.
        let Some(operation) = operation else { return Price::default() };
        self.costs.price(operation, request, reader, (limit, disclosure)).await
    }

    /// What the client asks for by the header `GraphQL-Cost`, if it may.
    ///
    /// # Errors
    /// FORBIDDEN if it asks for the cost alone and may not know it: then nothing runs.
    fn cost_request(&self, request: &Request, actor: Option<&Actor>) -> Result<Option<CostRequest>, ServerError> {
        match CostRequest::of(request) {
            Some(CostRequest::Validate) if !self.reports_storage_to(actor) => {
                let message = "This server reports costs only to tokens that may read all drafts. Nothing was run.";
                Err(coded(Code::Forbidden, message.to_owned(), None))
            }
            asked => Ok(asked.filter(|_| self.reports_storage_to(actor))),
        }
    }

    /// Runs an operation that is admitted.
    async fn run(
        &self,
        operation: Option<OperationOutline>,
        mut request: Request,
        reader: &Reader,
        (price, reported): (&Price, Reported),
    ) -> Response {
        let recording = recording_of(&request, operation.as_ref());
        if recording.is_some() {
            reader.start_recording();
        }
        let charge = Charge::of(&request);
        let _values = match charge_values(charge.as_ref(), &price.bound).await {
            Ok(charged) => charged,
            Err(over_budget) => return Response::from_errors(vec![over_budget.into()]),
        };
        if let Some(operation) = &operation
            && let Err(response) = omit_unsent(&self.schema, operation, &mut request).await
        {
            return with_cost(response, reader, price, reported);
        }
        let writes_text = operation.as_ref().is_some_and(|operation| !operation.outline().repeats_fields());
        let is_mutation = operation.as_ref().is_some_and(|found| found.operation().kind == OperationType::Mutation);
        let content = if is_mutation {
            self.content.counted_with(reader)
        } else {
            reader.stop_at(Some(price.stopped_at()));
            self.content.clone()
        };
        let completion = operation.map(|operation| Completion::prepare(&self.types, operation, &mut request));
        let budget = Budget::of(&request).unwrap_or_default();
        let context = RequestContext::new(content, reader.clone(), budget, charge).writing_text(writes_text);
        let mut response = self.schema.execute(request.data(context)).await;
        reader.stop_at(None);
        if let Some(completion) = completion {
            completion.complete(&mut response);
        }
        let response = with_cost(response, reader, price, reported);
        if let Some(recording) = recording.filter(|_| response.errors.is_empty()) {
            reader.end_recording(&recording).await;
        }
        response
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
        let operation = match OperationOutline::of(&mut request) {
            Ok(operation) => operation,
            Err(error) => return Response::from_errors(vec![error]),
        };
        let reader = match at_one_moment(reader, operation.as_ref()).await {
            Ok(reader) => reader,
            Err(error) => return Response::from_errors(vec![error]),
        };
        let reported = match self.cost_request(&request, reader.actor()) {
            Ok(cost) => {
                Reported { storage: requests_storage(&request) && self.reports_storage_to(reader.actor()), cost }
            }
            Err(error) => return Response::from_errors(vec![error]),
        };
        let disclosure = match self.reports_storage_to(reader.actor()) {
            true if reported.cost.is_some() => Disclosure::Reported,
            true => Disclosure::Open,
            false => Disclosure::Hidden,
        };
        let price = self.price(operation.as_ref(), &request, &reader, disclosure).await;
        if let Err(error) = price.check() {
            return without_run(Response::from_errors(vec![error]), &price, reported);
        }
        if reported.cost == Some(CostRequest::Validate) {
            if let Some(operation) = &operation
                && let Err(response) = omit_unsent(&self.schema, operation, &mut request).await
            {
                return response;
            }
            return without_run(self.checking.execute(request).await, &price, reported);
        }
        if let Some(budget) = Budget::of(&request) {
            budget.spend(price.bound.requests());
        }
        self.run(operation, request, &reader, (&price, reported)).await
    }

    fn announcements(&self) -> Option<Announcements> {
        Some(self.content.announcements())
    }

    fn sdl(&self) -> String {
        sdl(&self.schema)
    }
}

/// The figures that the client gets with the answer.
#[derive(Clone, Copy)]
struct Reported {
    /// `extensions.storage`
    storage: bool,
    cost: Option<CostRequest>,
}

/// The answer to an operation that does not run, with its price if the client asks for it.
fn without_run(response: Response, price: &Price, reported: Reported) -> Response {
    match reported.cost {
        Some(_) => response.extension(CostRequest::EXTENSION, price.describe(None)),
        None => response,
    }
}

/// Counts the cost of an answer in the metrics, and adds it to the answer if the client is to get it.
fn with_cost(response: Response, reader: &Reader, price: &Price, reported: Reported) -> Response {
    let (used, bound) = (reader.storage_used(), &price.bound);
    metrics::query_cost(bound.requests(), used.requests());
    metrics::held(HeldKind::Value, "hit", u64::from(used.hits));
    price.check_used(used.requests().into());
    let response = if reported.storage { response.extension("storage", describe(&used, bound)) } else { response };
    match reported.cost {
        Some(_) => response.extension(CostRequest::EXTENSION, price.describe(Some(&used))),
        None => response,
    }
}

/// Values that an answer can have without a charge of their own: so few that all running requests can have them at once.
const UNCHARGED_VALUES: u64 = 5_000;

/// The memory of a value until it is written: its node in the tree, its name and a short text.
const VALUE_BYTES: u64 = 128;

/// Charges the values of an answer, by their bound, before execution. The charge is released after execution.
async fn charge_values(charge: Option<&Charge>, bound: &Bound) -> Result<Option<Charge>, OverBudget> {
    let bytes = bound.values.saturating_sub(UNCHARGED_VALUES).saturating_mul(VALUE_BYTES);
    let Some(charge) = charge.filter(|_| bytes > 0) else { return Ok(None) };
    let values = charge.beside();
    values.take(bytes.min(charge.most() / 2)).await?;
    Ok(Some(values))
}

/// The reader of a request that is already signed in.
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

/// The recording for the answer to a query, if the transport may hold it. An answer that reports its cost is not held.
fn recording_of(request: &Request, operation: Option<&OperationOutline>) -> Option<Recording> {
    let is_query = operation.is_some_and(|operation| operation.operation().kind == OperationType::Query);
    let recording = request.data.get(&TypeId::of::<Recording>())?.downcast_ref::<Recording>()?;
    (is_query && !requests_storage(request) && CostRequest::of(request).is_none()).then(|| recording.clone())
}

/// If the store has snapshots, a query reads everything as of its start. A mutation must read what it has just written.
async fn at_one_moment(reader: Reader, operation: Option<&OperationOutline>) -> Result<Reader, ServerError> {
    if operation.is_none_or(|operation| operation.operation().kind != OperationType::Query) {
        return Ok(reader);
    }
    reader.at_one_moment().await.map_err(access::failed)
}

pub fn build() -> TidingsSchema {
    builder().finish()
}

fn builder() -> SchemaBuilder<Query, Mutation, EmptySubscription> {
    let nesting = Limits::default().nesting + ADDED_NESTING;
    // No field returns these interfaces, so the engine would not find them.
    Schema::build(Query, Mutation, EmptySubscription)
        .register_output_type::<PostPayload>()
        .register_output_type::<GroupingTerm>()
        .limit_recursive_depth(nesting)
}

/// The public contract, as `tidings schema` prints it.
pub fn sdl(schema: &TidingsSchema) -> String {
    let text = schema.sdl_with_options(SDLExportOptions::new().include_specified_by());
    format!("{}\n", text.trim_end())
}

/// `extensions.storage`: the cost of the answer, the name of each read, and the upper bound of the cost.
fn describe(used: &StorageUse, bound: &Bound) -> Value {
    let reads: Vec<Value> = used.reads.iter().map(|read| Value::from(read.as_str())).collect();
    async_graphql::value!({
        "pointReads": used.point_reads,
        "rangeReads": used.range_reads,
        "hits": used.hits,
        "transactions": used.transactions,
        "rows": used.rows,
        "bytes": used.bytes,
        "roundTrips": used.round_trips,
        "reads": reads,
        "bound": { "pointReads": bound.point_reads, "rangeReads": bound.range_reads, "transactions": bound.transactions },
    })
}
