//! Admits an operation by its price. The rule: an operation is admitted or refused before anything runs. Partition catalogs that are not in
//! memory are read only if the operation would be refused without them, reports its cost, or is charged to a client with a rate limit.

use std::any::TypeId;
use std::fmt::Display;

use async_graphql::parser::types::OperationType;
use async_graphql::{Request, ServerError, Value, Variables};
use futures_util::future::join_all;

use super::{Bound, CostModel, ExpensiveField, FieldCost, Sizes, VALUES_MAX, refusal, refusal_of_values};
use crate::content::read::Catalog;
use crate::content::{Reader, StorageUse};
use crate::graphql::outline::OperationOutline;

/// A bound of at most this many requests is not refined, because that takes about as many (B7).
const CLOSE: u64 = 8;

/// The value of the header `GraphQL-Cost`, as in Hot Chocolate. The transport adds it to the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostRequest {
    /// Execute, and report the cost.
    Report,
    /// Report the cost without executing.
    Validate,
}

impl CostRequest {
    pub const HEADER: &str = "graphql-cost";
    /// The key of the cost in the extensions of the answer.
    pub const EXTENSION: &str = "operationCost";

    /// `None` if the value is unknown.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "report" => Some(Self::Report),
            "validate" => Some(Self::Validate),
            _ => None,
        }
    }

    pub fn of(request: &Request) -> Option<Self> {
        request.data.get(&TypeId::of::<Self>())?.downcast_ref().copied()
    }
}

/// The part of a price that the client is allowed to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disclosure {
    /// The client gets the numbers, so they are as exact as possible.
    Reported,
    /// The client is allowed to know the numbers.
    Open,
    /// The client sees a number only in a refusal, and it must reveal nothing about unpublished posts.
    Hidden,
}

#[derive(Debug, Clone, Copy)]
pub struct Pricing {
    /// The maximum number of storage requests.
    pub limit: u64,
    pub disclosure: Disclosure,
    pub purpose: Purpose,
    /// Whether the price has the bounds by field.
    pub is_explained: bool,
}

/// Why an operation is priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The operation is to run.
    Run,
    /// The operation is to run for a client with a rate limit, which is charged the bound. So uncached catalogs are read to refine the bound.
    LimitedRun,
    /// The operation does not run. The price excludes the requests that were already made.
    DryRun,
}

/// The price of an operation.
#[derive(Debug, Default)]
pub struct Price {
    /// Includes the storage requests that were made before the price was known.
    pub bound: Bound,
    /// The part of the bound that was already spent, by the sign-in and for catalogs that were not in memory.
    pub made: u64,
    pub limit: u64,
    /// Set if the client gets the numbers, or if the operation exceeds the limit.
    pub most_expensive: Option<ExpensiveField>,
    /// The bounds by field, if the client gets them.
    pub fields: Vec<FieldCost>,
    /// Whether concurrent changes may cause more requests.
    may_be_exceeded: bool,
    is_of_mutation: bool,
}

impl Price {
    /// # Errors
    /// If the operation exceeds a limit.
    pub fn check(&self) -> Result<(), ServerError> {
        if self.bound.requests() > self.limit {
            let most_expensive = self.most_expensive.as_ref().map(|most_expensive| most_expensive as &dyn Display);
            return Err(refusal(&self.bound, self.limit, most_expensive));
        }
        if self.bound.values > VALUES_MAX {
            return Err(refusal_of_values(&self.bound));
        }
        Ok(())
    }

    /// The number of storage requests after which a query is stopped. On a file, which has snapshots, a query exceeds its bound only if a
    /// price is wrong or it reads the rows of thousands of deleted terms. On tables, posts may be moved and terms created while the query
    /// runs.
    pub fn stopped_at(&self) -> u64 {
        let bound = self.bound.requests();
        bound.saturating_add(if self.may_be_exceeded { bound.saturating_add(1_000) } else { 100 })
    }

    /// Logs that an operation has exceeded its bound. For a query on a file, this means that a price is wrong. A mutation may exceed it
    /// because of concurrent changes.
    pub fn check_used(&self, used: u64) {
        let bound = self.bound.requests();
        match self.may_be_exceeded {
            _ if used <= bound => {}
            _ if self.is_of_mutation => tracing::info!(bound, used, "graphql.bound_exceeded"),
            true => tracing::warn!(bound, used, "graphql.bound_exceeded"),
            false => tracing::error!(bound, used, "graphql.bound_exceeded"),
        }
    }

    /// The report for the client. `used`: `None` if nothing was executed.
    pub fn describe(&self, used: Option<&StorageUse>) -> Value {
        let Bound { point_reads, range_reads, transactions, values } = self.bound;
        let bound = async_graphql::value!({
            "requests": self.bound.requests(),
            "pointReads": point_reads,
            "rangeReads": range_reads,
            "transactions": transactions,
            "rows": self.bound.rows(),
            // Any request may wait for any other, because fields and batches run at their own pace.
            "roundTrips": self.bound.requests(),
            "values": values,
        });
        let spent = used.map_or(Value::Null, |used| {
            async_graphql::value!({
                "requests": used.requests(),
                "pointReads": used.point_reads,
                "rangeReads": used.range_reads,
                "transactions": used.transactions,
                "rows": used.rows,
                "bytes": used.bytes,
                "roundTrips": used.round_trips,
            })
        });
        let most_expensive = self.most_expensive.as_ref().map_or(
            Value::Null,
            |ExpensiveField { path, requests }| async_graphql::value!({ "path": path.as_str(), "requests": *requests }),
        );
        async_graphql::value!({ "limit": self.limit, "bound": bound, "spent": spent, "mostExpensive": most_expensive })
    }
}

impl CostModel {
    /// The price of an operation of an admitted request. Unless it is a dry run, the price includes the requests that the reader has already made.
    pub async fn price(
        &self,
        operation: &OperationOutline,
        variables: &Variables,
        reader: &Reader,
        Pricing { limit, disclosure, purpose, is_explained }: Pricing,
    ) -> Price {
        let (is_reported, is_coarse) = (disclosure == Disclosure::Reported, disclosure == Disclosure::Hidden);
        let is_of_mutation = operation.operation().kind == OperationType::Mutation;
        let is_one_change = is_of_mutation && operation.only_root_field().is_some();
        let known = || match is_of_mutation {
            false => reader.sizes(is_coarse),
            true if is_one_change => reader.sizes(is_coarse).before_a_change(),
            true => Sizes::default(),
        };
        let so_far = || if purpose == Purpose::DryRun { Bound::NONE } else { spent(reader) };
        let refined;
        let sizes = known();
        let mut cost = self.cost(operation, variables, &sizes);
        let requests = cost.bound().requests();
        let has_too_many_values = cost.bound().values > VALUES_MAX;
        let is_over = requests.saturating_add(so_far().requests()) > limit || has_too_many_values;
        // The charge of a client that must not know of drafts must not depend on the cache, so the catalogs are always read for it.
        let is_loose = is_coarse || requests > CLOSE || has_too_many_values;
        if is_loose && (is_over || is_reported || purpose != Purpose::Run) {
            let is_useful = |catalog| !is_of_mutation || is_one_change && matches!(catalog, Catalog::Terms(_));
            let unknown = cost.catalogs().filter(|catalog| is_useful(*catalog) && sizes.can_read(*catalog));
            // If the store cannot be read, the sizes stay unknown, and the field that needs them reports the error.
            join_all(unknown.map(|catalog| reader.read_catalog(catalog))).await;
            refined = known();
            cost = self.cost(operation, variables, &refined);
        }
        let bound = cost.bound().plus(so_far());
        let shows_most_expensive = is_reported || purpose == Purpose::DryRun || bound.requests() > limit;
        Price {
            bound,
            made: so_far().requests(),
            limit,
            most_expensive: if shows_most_expensive { cost.most_expensive_field() } else { None },
            fields: if is_explained { cost.fields() } else { Vec::new() },
            may_be_exceeded: sizes.are_shared,
            is_of_mutation,
        }
    }
}

/// The storage requests so far: of the sign-in, and of the catalogs that the price needs.
fn spent(reader: &Reader) -> Bound {
    let used = reader.storage_used();
    Bound::new(used.point_reads.into(), used.range_reads.into())
}
