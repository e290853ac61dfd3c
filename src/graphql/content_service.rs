//! Executes requests: signs in, checks the price, takes a snapshot, validates and runs the resolvers. The rule: what costs storage requests runs after
//! the price is checked.

use std::sync::Arc;

use async_graphql::parser::types::OperationType;
use async_graphql::{Request, Response, ServerError, Value};
use futures_util::StreamExt;

use crate::content::{Content, Reader};
use crate::model::Actor;
use crate::model::site::{Site, SiteUrl};

use super::access::{self, SignIn, SignedIn};
use super::budget::Budget;
use super::cached::{Announcements, TagsRequest, is_of_one, recording_of};
use super::context::RequestContext;
use super::cost::{BEHIND, CostModel, CostRequest, Disclosure, Price, Pricing, Purpose};
use super::dry_run::{DryRun, DryRuns};
use super::engine::completion::Completion;
use super::engine::validation::Validation;
use super::error::{Code, coded};
use super::explain::ExplainRequest;
use super::fair_use::{Charging, ClientAddress, FairUse, FairUseSettings, LimitedClient, Uncharged};
use super::guard::Limits;
use super::memory::Charge;
use super::outline::OperationOutline;
use super::presence::Presence;
use super::reported::{self, Reported};
use super::schema::{self, Schemas};
use super::service::GraphqlService;
use super::subscription::Subscribed;
use super::uploads::{self, Upload, Uploaded};

/// The schema with its content. The guard limits the depth, size and fragments of a document; this service limits its storage requests.
pub struct ContentService {
    schemas: Arc<Schemas>,
    validation: Arc<Validation>,
    costs: Arc<CostModel>,
    dry_runs: Arc<DryRuns>,
    content: Content,
    storage_requests: u64,
    anonymous_storage_requests: u64,
    fair_use: Option<FairUse>,
    sign_in: SignIn,
    reports_storage: bool,
    presence: Presence,
    site: Arc<Site>,
    public_url: Option<Arc<SiteUrl>>,
}

impl ContentService {
    /// Without [`with_sign_in`](Self::with_sign_in) no client can change anything.
    pub fn new(content: Content, storage_requests_max: u64) -> Self {
        let schemas = Schemas::of(content.fields());
        let costs = Arc::new(CostModel::new(Arc::clone(schemas.types())));
        let validation = Arc::new(Validation::new(&schemas, true));
        Self {
            dry_runs: dry_runs(&validation, &costs, &Limits::default()),
            schemas,
            validation,
            costs,
            content,
            storage_requests: storage_requests_max,
            anonymous_storage_requests: storage_requests_max,
            fair_use: None,
            sign_in: SignIn::default(),
            reports_storage: false,
            presence: Presence::default(),
            site: Arc::default(),
            public_url: None,
        }
    }

    /// Sets the maximum number of storage requests of one operation without a token.
    #[must_use]
    pub fn with_anonymous_limit(self, anonymous_storage_requests: u64) -> Self {
        Self { anonymous_storage_requests, ..self }
    }

    /// Limits the storage requests of each client per second.
    #[must_use]
    pub fn with_fair_use(self, settings: FairUseSettings) -> Self {
        Self { fair_use: FairUse::of(settings, self.content.clock()), ..self }
    }

    /// Reports the cost of an answer to every client that requests it, and not only to clients that are allowed to read all drafts. The
    /// reads reveal whether a draft exists.
    #[must_use]
    pub fn reporting_storage(self, reports_storage: bool) -> Self {
        Self { reports_storage, ..self }
    }

    /// Sets the limits of documents, as in the transport. Without [`Limits::introspection`], errors suggest no names.
    #[must_use]
    pub fn with_document_limits(self, limits: &Limits) -> Self {
        let validation = Arc::new(Validation::new(&self.schemas, limits.introspection));
        Self { dry_runs: dry_runs(&validation, &self.costs, limits), validation, ..self }
    }

    #[must_use]
    pub fn with_site(self, site: Arc<Site>) -> Self {
        Self { site, ..self }
    }

    /// Sets the address of this server, for absolute addresses of assets.
    #[must_use]
    pub fn with_public_url(self, public_url: Option<SiteUrl>) -> Self {
        Self { public_url: public_url.map(Arc::new), ..self }
    }

    #[must_use]
    pub fn with_sign_in(self, sign_in: SignIn) -> Self {
        Self { sign_in, ..self }
    }
}

impl ContentService {
    /// The maximum number of storage requests of one operation.
    fn limit_of(&self, actor: Option<&Actor>) -> u64 {
        if actor.is_some() { self.storage_requests } else { self.anonymous_storage_requests }
    }

    /// Whether this actor is allowed to know the cost of the answer.
    fn reports_storage_to(&self, actor: Option<&Actor>) -> bool {
        self.reports_storage || actor.is_some_and(Actor::sees_all)
    }

    /// The reader for this request, which reads as the owner of its token. An address that has sent many refused tokens may send only known
    /// ones.
    async fn reader_of(&self, request: &Request) -> Result<Reader, ServerError> {
        let reader = match ExplainRequest::of(request) {
            Some(ExplainRequest) => self.content.explaining_reader(),
            None => self.content.reader(),
        };
        let fair_use = self.fair_use.as_ref().filter(|_| access::has_token(request));
        let client = fair_use.and_then(|fair_use| fair_use.signing_in(ClientAddress::of(request)));
        if let Some(client) = client.as_ref().filter(|_| self.sign_in.is_unknown(&self.content, request)) {
            // This takes no request; it only fails if the limit is used up.
            drop(client.take(1, Charging::Requests(0))?);
        }
        let signed_in = self.sign_in.reader(&self.content, reader.clone(), request).await;
        if let (Some(client), Err(_)) = (client, &signed_in) {
            client.charge(reader.storage_used().requests().into());
        }
        signed_in
    }

    /// The limits of the client, and the cost of its sign-in. The client is charged this cost at once, because it depends only on the
    /// token.
    fn client_of(&self, request: &Request, reader: &Reader) -> (Option<LimitedClient>, u64) {
        let fair_use = self.fair_use.as_ref();
        let client = fair_use.and_then(|fair_use| fair_use.client(reader.actor(), ClientAddress::of(request)));
        let signed_in = reader.storage_used().requests().into();
        if let Some(client) = &client {
            client.charge(signed_in);
        }
        (client, signed_in)
    }

    /// The price of the request. The limit is the rest of the batch's budget.
    async fn price(
        &self,
        operation: Option<&OperationOutline>,
        request: &Request,
        reader: &Reader,
        (disclosure, purpose, is_explained): (Disclosure, Purpose, bool),
    ) -> Price {
        let budget = Budget::of(request);
        let most = self.limit_of(reader.actor());
        let limit = most.saturating_sub(budget.as_ref().map_or(0, |budget| budget.spent()));
        // Without an operation nothing runs; the engine reports the error.
        let Some(operation) = operation else { return Price::default() };
        let pricing = Pricing { limit, disclosure, purpose, is_explained };
        let mut price = self.costs.price(operation, &request.variables, reader, pricing).await;
        // All subscribers share the reads of an event.
        if Subscribed::of(request).is_some_and(|subscribed| subscribed.has_event()) {
            price.bound = price.bound.minus(BEHIND);
        }
        price
    }

    /// The value of the header `GraphQL-Cost`, if the client is allowed to know the cost.
    ///
    /// # Errors
    /// FORBIDDEN if the client requests only the cost and is not allowed to know it. Then nothing runs.
    fn cost_request(&self, request: &Request, actor: Option<&Actor>) -> Result<Option<CostRequest>, ServerError> {
        match CostRequest::of(request) {
            Some(CostRequest::Validate) if !self.reports_storage_to(actor) => {
                let message = "This server reports costs only to tokens that may read all drafts. Nothing was run.";
                Err(coded(Code::Forbidden, message.to_owned(), None))
            }
            asked => Ok(asked.filter(|_| self.reports_storage_to(actor))),
        }
    }

    /// The requests that an operation reserves, and how the client is charged at its end. `before`: the cost of the sign-in, which was already charged.
    /// `uncharged`: the part of the bound that [`Uncharged`] names.
    fn charging(&self, reader: &Reader, price: &Price, (before, uncharged): (u64, u64)) -> (u64, Charging) {
        let bound = price.bound.requests();
        if self.reports_storage_to(reader.actor()) {
            return (bound.saturating_sub(before), Charging::Spent { reader: reader.clone(), before });
        }
        // The client is charged the bound, because the spent requests would reveal which lists other clients have read or changed.
        let own = bound.saturating_sub(price.made).saturating_sub(uncharged);
        (own, Charging::Requests(own))
    }

    /// Runs an admitted operation. `limited`: the limit of its client, and the requests to reserve.
    async fn run(
        &self,
        operation: Option<OperationOutline>,
        mut request: Request,
        reader: &Reader,
        (price, reported): (&Price, Reported<'_>),
        limited: Option<(LimitedClient, u64)>,
    ) -> Response {
        if let Some(budget) = Budget::of(&request) {
            budget.spend(price.bound.requests());
        }
        let recording = recording_of(&request, operation.as_ref());
        let kind = operation.as_ref().map(|found| found.operation().kind);
        let shows_tags = TagsRequest::of(&request).is_some() && kind == Some(OperationType::Query);
        if recording.is_some() || shows_tags {
            reader.start_recording();
        }
        let charge = Charge::of(&request);
        let _values = match Charge::of_values(charge.as_ref(), price.bound.values).await {
            Ok(charged) => charged,
            Err(over_budget) => return Response::from_errors(vec![over_budget.into()]),
        };
        if let Some(operation) = &operation
            && let Err(faults) = self.validation.prepare(operation, &mut request)
        {
            return reported::with_cost(Response::from_errors(faults), reader, price, reported);
        }
        let writes_text = operation.as_ref().is_some_and(|operation| !operation.outline().repeats_fields());
        let content = if kind == Some(OperationType::Mutation) {
            self.content.counted_with(reader)
        } else {
            reader.stop_at(Some(price.stopped_at()));
            self.content.clone()
        };
        let schema = match operation {
            Some(_) => self.schemas.trusting(),
            None => self.schemas.checking(),
        };
        let completion = operation.map(|operation| Completion::prepare(self.schemas.types(), operation, &mut request));
        let budget = Budget::of(&request).unwrap_or_default();
        let (limit, is_open) = (self.limit_of(reader.actor()), self.reports_storage_to(reader.actor()));
        let dry_run = DryRun::new(&self.dry_runs, reader, limit, is_open);
        let context = RequestContext::new((content, Arc::clone(&self.site)), reader.clone(), budget, charge, dry_run);
        let (presence, public_url) = (self.presence.clone(), self.public_url.clone());
        let context = RequestContext { writes_text, rate_limit: limited, presence, public_url, ..context };
        let request = request.data(context);
        let response = match kind {
            Some(OperationType::Subscription) => schema.execute_stream(request).next().await,
            _ => Some(schema.execute(request).await),
        };
        reader.stop_at(None);
        // A subscription without an event has no data.
        let is_nothing = response.is_none();
        let mut response = response.unwrap_or_default();
        if let Some(completion) = completion.filter(|_| !is_nothing) {
            completion.complete(&mut response);
        }
        let mut response = reported::with_cost(response, reader, price, reported);
        let recording = recording.filter(|_| response.errors.is_empty());
        if recording.is_some() || shows_tags {
            let tags = reader.end_recording(recording.as_ref()).await;
            if shows_tags {
                let tags = tags.iter().map(|tag| Value::from(tag.to_string())).collect();
                response = response.extension(TagsRequest::EXTENSION, Value::List(tags));
            }
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
        let (client, before) = self.client_of(&request, &reader);
        let operation = match OperationOutline::of(&mut request) {
            Ok(operation) => operation,
            Err(error) => return Response::from_errors(vec![error]),
        };
        let begins = Subscribed::of(&request).is_some_and(|subscribed| !subscribed.has_begun());
        if let (Some(subscribed), Some(operation)) = (Subscribed::of(&request), &operation)
            && operation.operation().is_live()
        {
            subscribed.begin_live(is_of_one(&request, operation), operation.operation().is_patched(&request.variables));
        }
        let reader = match at_one_moment(&self.content, reader, operation.as_ref(), begins).await {
            Ok(reader) => reader,
            Err(error) => return Response::from_errors(vec![error]),
        };
        let (may_know, charge) = (self.reports_storage_to(reader.actor()), Charge::of(&request));
        let reported = match self.cost_request(&request, reader.actor()) {
            Ok(cost) => {
                Reported { cost, plan: ExplainRequest::of(&request).filter(|_| may_know), charge: charge.as_ref() }
            }
            Err(error) => return Response::from_errors(vec![error]),
        };
        let reader = if may_know { reader } else { reader.unexplained() };
        if let Some(explanation) = reader.explanation() {
            explanation.execution_begins();
        }
        let disclosure = match may_know {
            true if reported.cost.is_some() => Disclosure::Reported,
            true => Disclosure::Open,
            false => Disclosure::Hidden,
        };
        let purpose = if client.is_some() { Purpose::LimitedRun } else { Purpose::Run };
        let price =
            self.price(operation.as_ref(), &request, &reader, (disclosure, purpose, reported.plan.is_some())).await;
        if let Err(error) = price.check() {
            return reported::without_run(Response::from_errors(vec![error]), &price, reported);
        }
        if reported.cost == Some(CostRequest::Validate) {
            let Some(operation) = operation else { return self.schemas.checking().execute(request).await };
            let validated = match self.validation.check(&operation, &mut request) {
                faults if faults.is_empty() => Response::new(Value::Null),
                faults => Response::from_errors(faults),
            };
            return reported::without_run(validated, &price, reported);
        }
        let (cost, charging) = self.charging(&reader, &price, (before, Uncharged::of(&request)));
        let reservation = match client.as_ref().map(|client| client.take(cost, charging)).transpose() {
            Ok(reservation) => reservation,
            Err(refused) => return refused.into_response(),
        };
        let limited = client.clone().map(|client| (client, cost));
        let mut response = self.run(operation, request, &reader, (&price, reported), limited).await;
        if let (Some(reservation), Some(client)) = (reservation, client) {
            reservation.end(&client, &mut response);
        }
        response
    }

    fn check_upload(&self, request: &Request) -> Result<(), ServerError> {
        uploads::check(SignedIn::of(request).as_ref().and_then(Reader::actor)).map(drop)
    }

    async fn add_asset(&self, request: Request, upload: Upload) -> Result<Uploaded, ServerError> {
        let reader = SignedIn::of(&request).unwrap_or_else(|| self.content.reader());
        let client = self.client_of(&request, &reader).0;
        let charging = Charging::Requests(uploads::REQUESTS);
        let _taken = client.map(|client| client.take(uploads::REQUESTS, charging)).transpose()?;
        uploads::add(&self.content, &reader, upload, self.public_url.as_deref()).await
    }

    fn announcements(&self) -> Option<Announcements> {
        Some(self.content.announcements())
    }

    fn position(&self) -> Option<u64> {
        self.content.position()
    }

    async fn wait_for(&self, position: u64) -> Result<bool, ServerError> {
        self.content.wait_for(position).await.map_err(access::failed)
    }

    fn sdl(&self) -> String {
        schema::sdl(self.schemas.trusting())
    }
}

/// If the store has snapshots, a query or an event reads everything as of its start. A mutation must read its own and all earlier writes. A subscription begins
/// to wait for changes before it reads the log, so that it misses none.
async fn at_one_moment(
    content: &Content,
    reader: Reader,
    operation: Option<&OperationOutline>,
    begins: bool,
) -> Result<Reader, ServerError> {
    match operation.map(|operation| operation.operation().kind) {
        Some(OperationType::Subscription) if begins => Ok(reader),
        Some(OperationType::Query | OperationType::Subscription) => {
            reader.at_one_moment().await.map_err(access::failed)
        }
        Some(OperationType::Mutation) | None => content.settle().await.map(|()| reader).map_err(access::failed),
    }
}

fn dry_runs(validation: &Arc<Validation>, costs: &Arc<CostModel>, limits: &Limits) -> Arc<DryRuns> {
    let validation = Arc::clone(validation);
    let validate = move |operation: &OperationOutline, request: &mut Request| validation.check(operation, request);
    Arc::new(DryRuns::new(Box::new(validate), costs, limits))
}
