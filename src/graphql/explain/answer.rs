//! The plan as JSON. The rule: it has no key that is a secret, and times are whole microseconds.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::indexmap::IndexMap;
use async_graphql::{Name, Value, value};

use super::money::StoragePrices;
use crate::content::{AccessKind, Explained, ExplainedHits, ExplainedRequest, StorageUse, has_secret_keys};
use crate::graphql::cost::{Bound, FieldCost};

/// In place of a key that must not be shown.
const SECRET: &str = "(secret)";

/// What an operation has done. `shows_keys`: whether the client gets the keys of all rows that were read for it.
pub fn describe(
    explained: &Explained,
    used: &StorageUse,
    (bound, fields): (&Bound, &[FieldCost]),
    (prices, shows_keys): (&StoragePrices, bool),
) -> Value {
    let used = shown(used, explained);
    let requests =
        explained.requests.iter().zip(1_u64..).map(|(request, id)| describe_request(request, id, shows_keys));
    value!({
        "executed": true,
        "spent": spent(&used, explained.elapsed),
        "bound": describe_bound(bound),
        "price": prices.describe(Some(&used), bound),
        "requests": requests.collect::<Vec<Value>>(),
        "notListed": explained.not_listed,
        "hits": explained.hits.iter().map(describe_hits).collect::<Vec<Value>>(),
        "fields": describe_fields(fields, Some(&explained.requests_of)),
    })
}

/// What an operation may do that has not run.
pub fn describe_bounds((bound, fields): (&Bound, &[FieldCost]), prices: &StoragePrices) -> Value {
    value!({
        "executed": false,
        "bound": describe_bound(bound),
        "price": prices.describe(None, bound),
        "requests": [],
        "notListed": 0,
        "hits": [],
        "fields": describe_fields(fields, None),
    })
}

/// What was used, without what is concealed.
fn shown(used: &StorageUse, explained: &Explained) -> StorageUse {
    let concealed = &explained.concealed;
    let round_trips = match concealed.point_reads {
        0 => used.round_trips,
        _ => explained.requests.iter().map(|request| request.round_trip).max().unwrap_or_default(),
    };
    StorageUse {
        point_reads: used.point_reads.saturating_sub(concealed.point_reads),
        rows: used.rows.saturating_sub(concealed.rows),
        bytes: used.bytes.saturating_sub(concealed.bytes),
        round_trips,
        ..used.clone()
    }
}

fn spent(used: &StorageUse, elapsed: Duration) -> Value {
    value!({
        "storageRequests": used.requests(),
        "pointReads": used.point_reads,
        "rangeReads": used.range_reads,
        "transactions": used.transactions,
        "hits": used.hits,
        "roundTrips": used.round_trips,
        "rows": used.rows,
        "bytes": used.bytes,
        "microseconds": microseconds(elapsed),
    })
}

fn describe_bound(bound: &Bound) -> Value {
    value!({
        "storageRequests": bound.requests(),
        "pointReads": bound.point_reads,
        "rangeReads": bound.range_reads,
        "transactions": bound.transactions,
    })
}

fn describe_request(request: &ExplainedRequest, id: u64, shows_keys: bool) -> Value {
    let ExplainedRequest { accessed, rows, bytes, start, duration, round_trip, batch, paths, paths_not_listed } =
        request;
    let kind = match accessed.kind {
        AccessKind::Point => "POINT",
        AccessKind::Range => "RANGE",
        AccessKind::Transaction => "TRANSACTION",
    };
    let mut described = IndexMap::from([
        (Name::new("id"), Value::from(id)),
        (Name::new("kind"), kind.into()),
        (Name::new("table"), accessed.table.into()),
    ]);
    let keys = [
        ("partitionKey", Some(&accessed.partition)),
        ("rowKey", accessed.row.as_ref()),
        ("from", accessed.from.as_ref()),
        ("to", accessed.to.as_ref()),
    ];
    for (name, key) in keys {
        if let Some(key) = key {
            let is_secret = !shows_keys || has_secret_keys(accessed.table);
            let shown = if is_secret { SECRET } else { key.as_str() };
            described.insert(Name::new(name), shown.into());
        }
    }
    let figures = [
        ("rows", Value::from(*rows)),
        ("bytes", (*bytes).into()),
        ("start", microseconds(*start).into()),
        ("duration", duration.map_or(Value::Null, |duration| microseconds(duration).into())),
        ("roundTrip", (*round_trip).into()),
        ("batch", batch.map_or(Value::Null, Value::from)),
        ("paths", texts(paths)),
        ("pathsNotListed", (*paths_not_listed).into()),
    ];
    described.extend(figures.map(|(name, figure)| (Name::new(name), figure)));
    Value::Object(described)
}

fn describe_hits(hits: &ExplainedHits) -> Value {
    value!({ "table": hits.table, "count": hits.count, "paths": texts(&hits.paths), "pathsNotListed": hits.paths_not_listed })
}

/// `requests_of`: the storage requests by path; `None` if nothing ran.
fn describe_fields(fields: &[FieldCost], requests_of: Option<&HashMap<Arc<str>, u64>>) -> Value {
    let field = |field: &FieldCost| {
        let mut described = IndexMap::from([
            (Name::new("path"), Value::from(field.path.as_str())),
            (Name::new("fieldName"), field.name.as_str().into()),
            (Name::new("type"), field.type_text.as_str().into()),
            (Name::new("line"), field.position.line.into()),
            (Name::new("column"), field.position.column.into()),
        ]);
        if let Some(requests_of) = requests_of {
            let requests = requests_of.get(field.path.as_str()).copied().unwrap_or_default();
            described.insert(Name::new("storageRequests"), requests.into());
        }
        described.insert(Name::new("bound"), field.bound.into());
        described.insert(Name::new("fields"), describe_fields(&field.fields, requests_of));
        Value::Object(described)
    };
    Value::List(fields.iter().map(field).collect())
}

fn texts(texts: &[Arc<str>]) -> Value {
    Value::List(texts.iter().map(|text| Value::from(&**text)).collect())
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
