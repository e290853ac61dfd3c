//! The plan as JSON. The rule: it contains no secret key, times are whole microseconds, and its memory is charged before it is used.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::indexmap::IndexMap;
use async_graphql::{Name, Value, value};

use super::money::StoragePrices;
use crate::content::{AccessKind, Explained, ExplainedHits, ExplainedRequest, StorageUse, has_secret_keys};
use crate::graphql::cost::{Bound, FieldCost};
use crate::graphql::memory::Charge;

/// In place of a key that must not be shown.
const SECRET: &str = "(secret)";

/// The memory of an object of the plan without its texts: about 16 properties, as values and as JSON.
const OBJECT_BYTES: u64 = 4_096;
/// The memory of a listed path in addition to its text, as a value and as JSON.
const PATH_BYTES: u64 = 128;

/// The plan of an executed operation. `shows_keys`: whether the client may get the keys of all rows that were read for it. `charge`: the
/// charge for the memory of the plan. If the memory is not free now, the plan lists nothing.
pub fn describe(
    mut explained: Explained,
    used: &StorageUse,
    (bound, mut fields): (&Bound, &[FieldCost]),
    (prices, shows_keys): (&StoragePrices, bool),
    charge: Option<&Charge>,
) -> Value {
    let used = shown(used, &explained);
    if !is_charged(charge, bytes_of(&explained) + bytes_of_fields(fields)) {
        explained.not_listed += std::mem::take(&mut explained.requests).len() as u64;
        explained.hits_not_listed += std::mem::take(&mut explained.hits).iter().map(|hits| hits.count).sum::<u64>();
        fields = &[];
    }
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
        "hitsNotListed": explained.hits_not_listed,
        "fields": describe_fields(fields, Some(&explained.requests_of)),
    })
}

/// The plan of an operation that was not executed. `charge`: as for [`describe`].
pub fn describe_bounds(
    (bound, fields): (&Bound, &[FieldCost]),
    prices: &StoragePrices,
    charge: Option<&Charge>,
) -> Value {
    let fields = if is_charged(charge, bytes_of_fields(fields)) { fields } else { &[] };
    value!({
        "executed": false,
        "bound": describe_bound(bound),
        "price": prices.describe(None, bound),
        "requests": [],
        "notListed": 0,
        "hits": [],
        "hitsNotListed": 0,
        "fields": describe_fields(fields, None),
    })
}

/// Charges the bytes until the answer is sent, and returns whether they were free. A transport that counts no memory has no charge.
fn is_charged(charge: Option<&Charge>, bytes: u64) -> bool {
    charge.is_none_or(|charge| charge.try_take(bytes))
}

fn bytes_of(explained: &Explained) -> u64 {
    let of_paths = |paths: &[Arc<str>]| paths.iter().map(|path| 2 * path.len() as u64 + PATH_BYTES).sum::<u64>();
    let requests = explained.requests.iter().map(|request| OBJECT_BYTES + of_paths(&request.paths));
    let hits = explained.hits.iter().map(|hits| OBJECT_BYTES + of_paths(&hits.paths));
    requests.chain(hits).sum()
}

fn bytes_of_fields(fields: &[FieldCost]) -> u64 {
    fields.iter().map(|field| OBJECT_BYTES + 2 * field.path.len() as u64 + bytes_of_fields(&field.fields)).sum()
}

/// The storage use without concealed reads.
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
        "roundTrips": bound.requests(),
        "rows": bound.rows,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{AccessedRows, StorageUse};
    use crate::graphql::memory::{AnswerMemory, OWN_BYTES};

    fn request(path: &str) -> ExplainedRequest {
        let partition = "2026-06".to_owned();
        let accessed =
            AccessedRows { kind: AccessKind::Point, table: "Posts", partition, row: None, from: None, to: None };
        ExplainedRequest {
            accessed,
            rows: 1,
            bytes: 100,
            start: Duration::ZERO,
            duration: None,
            round_trip: 1,
            batch: None,
            paths: vec![path.into(); 20],
            paths_not_listed: 0,
        }
    }

    fn explained(requests: usize) -> Explained {
        let path = format!("list.{}", "a".repeat(64));
        let hits = ExplainedHits { table: "Tags", count: 7, paths: vec!["tags".into()], paths_not_listed: 0 };
        Explained {
            requests: (0..requests).map(|_| request(&path)).collect(),
            not_listed: 2,
            hits: vec![hits],
            ..Explained::default()
        }
    }

    #[test]
    fn a_plan_without_free_memory_lists_nothing_and_counts_all() {
        let memory = AnswerMemory::new(OWN_BYTES, OWN_BYTES, 1);
        for (requests, are_listed) in [(3, true), (1_000, false)] {
            let charge = memory.connection().charge();
            let prices = StoragePrices::default();
            let (used, bound) = (StorageUse::default(), Bound::default());
            let plan = describe(explained(requests), &used, (&bound, &[]), (&prices, true), Some(&charge));
            let plan = plan.into_json().expect("JSON");
            let found = (plan["requests"].as_array().map(Vec::len), plan["notListed"].as_u64());
            let listed = if are_listed { requests } else { 0 };
            assert_eq!(found, (Some(listed), Some((requests - listed) as u64 + 2)));
            assert_eq!(plan["hitsNotListed"], if are_listed { 0 } else { 7 });
            assert_eq!(charge.bytes() > 0, are_listed);
        }
    }

    /// The JSON is shorter than the charge, because the values need several times its length.
    #[test]
    fn what_is_charged_is_more_than_the_json_needs() {
        let explained = explained(500);
        let (bytes, prices, bound) = (bytes_of(&explained), StoragePrices::default(), Bound::default());
        let plan = describe(explained, &StorageUse::default(), (&bound, &[]), (&prices, true), None);
        let json = plan.into_json().expect("JSON").to_string().len() as u64;
        assert!(2 * json < bytes && bytes < 10 * json, "{bytes} charged, {json} of JSON");
    }
}
