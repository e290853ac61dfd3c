//! The figures in the extensions of an answer. The rule: a client gets only the figures that it requests; the metrics count every
//! operation.

use async_graphql::{Request, Response, Value};

use super::cost::{Bound, CostRequest, Price};
use super::explain::money::StoragePrices;
use super::explain::{self, ExplainRequest};
use super::memory::Charge;
use crate::content::{Reader, StorageUse};
use crate::model::Actor;
use crate::telemetry::metrics::{self, HeldKind};

/// The figures that the client requests.
#[derive(Clone, Copy)]
pub(super) struct Reported<'p> {
    /// `extensions.storage`
    pub storage: bool,
    /// `extensions.operationCost`
    pub cost: Option<CostRequest>,
    /// `extensions.explain`, with these prices.
    pub plan: Option<&'p StoragePrices>,
    /// The charge for the memory of the plan.
    pub charge: Option<&'p Charge>,
}

pub(super) fn requests_storage(request: &Request) -> bool {
    matches!(request.extensions.get("storage"), Some(Value::Boolean(true)))
}

/// Whether the client requests figures, so that no other client may get its answer.
pub(super) fn is_asked_for(request: &Request) -> bool {
    requests_storage(request) || CostRequest::of(request).is_some() || ExplainRequest::of(request).is_some()
}

/// The answer to an operation that was not executed, with its price if the client requests it.
pub(super) fn without_run(response: Response, price: &Price, reported: Reported<'_>) -> Response {
    let response = match reported.cost {
        Some(_) => response.extension(CostRequest::EXTENSION, price.describe(None)),
        None => response,
    };
    match reported.plan {
        Some(prices) => {
            let plan = explain::describe_bounds((&price.bound, &price.fields), prices, reported.charge);
            response.extension(ExplainRequest::EXTENSION, plan)
        }
        None => response,
    }
}

/// Counts the cost of an answer in the metrics, and adds it to the answer if the client requests it.
pub(super) fn with_cost(response: Response, reader: &Reader, price: &Price, reported: Reported<'_>) -> Response {
    let (used, bound) = (reader.storage_used(), &price.bound);
    metrics::query_cost(
        bound.requests(),
        &metrics::QueryCost {
            requests: used.requests(),
            rows: used.rows,
            bytes: used.bytes,
            round_trips: used.round_trips,
        },
    );
    metrics::held(HeldKind::Value, "hit", u64::from(used.hits));
    price.check_used(used.bounded_requests().into());
    let response = if reported.storage { response.extension("storage", describe(&used, bound)) } else { response };
    let response = match reported.cost {
        Some(_) => response.extension(CostRequest::EXTENSION, price.describe(Some(&used))),
        None => response,
    };
    match reader.explanation().zip(reported.plan) {
        Some((explanation, prices)) => {
            // For a client that sees only some drafts, keys are hidden: to refuse a change, the server may read drafts of others.
            let shows_keys = reader.actor().is_none_or(Actor::sees_all);
            let (explained, shown) = (explanation.explained(), (prices, shows_keys));
            let plan = explain::describe(explained, &used, (bound, &price.fields), shown, reported.charge);
            response.extension(ExplainRequest::EXTENSION, plan)
        }
        None => response,
    }
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
