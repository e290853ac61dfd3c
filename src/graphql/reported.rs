//! Cost and plan in the extensions of an answer. The rule: a client gets only the reports that it requests; the metrics count every operation.

use async_graphql::{Request, Response};

use super::cost::{CostRequest, Price};
use super::explain::{self, ExplainRequest};
use super::memory::Charge;
use crate::content::{Reader, StorageUse};
use crate::model::Actor;
use crate::telemetry::metrics::{self, CacheKind};

/// The reports that the client requests.
#[derive(Clone, Copy)]
pub(super) struct Reported<'p> {
    /// `extensions.operationCost`
    pub cost: Option<CostRequest>,
    /// `extensions.explain`
    pub plan: Option<ExplainRequest>,
    /// The charge for the memory of the plan.
    pub charge: Option<&'p Charge>,
}

/// Whether the client requests a report, so that no other client may get its answer.
pub(super) fn is_asked_for(request: &Request) -> bool {
    CostRequest::of(request).is_some() || ExplainRequest::of(request).is_some()
}

/// The answer to an operation that was not executed, with its price if the client requests it.
pub(super) fn without_run(response: Response, price: &Price, reported: Reported<'_>) -> Response {
    report(response, price, reported, None)
}

/// Counts the cost of an answer in the metrics, and adds it to the answer if the client requests it.
pub(super) fn with_cost(response: Response, reader: &Reader, price: &Price, reported: Reported<'_>) -> Response {
    let used = reader.storage_used();
    metrics::query_cost(
        price.bound.requests(),
        &metrics::QueryCost {
            requests: used.requests(),
            rows: used.rows,
            bytes: used.bytes,
            round_trips: used.round_trips,
        },
    );
    metrics::cached(CacheKind::Value, "hit", u64::from(used.hits));
    price.check_used(used.bounded_requests().into());
    report(response, price, reported, Some((reader, &used)))
}

fn report(
    mut response: Response,
    price: &Price,
    reported: Reported<'_>,
    executed: Option<(&Reader, &StorageUse)>,
) -> Response {
    if reported.cost.is_some() {
        response = response.extension(CostRequest::EXTENSION, price.describe(executed.map(|(_, used)| used)));
    }
    if reported.plan.is_some() {
        // Keys are hidden from clients with access to only some drafts, because the server may read other drafts to refuse a change.
        let shows_keys = executed.is_none_or(|(reader, _)| reader.actor().is_none_or(Actor::sees_all));
        let noted = executed.and_then(|(reader, used)| Some((reader.explanation()?.explained(), used)));
        let plan = explain::describe(noted, (&price.bound, &price.fields), shows_keys, reported.charge);
        response = response.extension(ExplainRequest::EXTENSION, plan);
    }
    response
}
