//! The plan as JSON. The rule: it contains no secret key, times are whole microseconds, and its memory is charged before it is used.

use std::time::Duration;

use async_graphql::indexmap::IndexMap;
use async_graphql::{Name, Value, value};

use crate::content::{AccessKind, Explained, ExplainedRequest, StorageUse, has_secret_keys};
use crate::graphql::cost::{Bound, FieldCost};
use crate::graphql::memory::Charge;

/// Replaces a key that must not be shown.
const SECRET: &str = "(secret)";

/// The memory of an object of the plan without its texts: about 16 properties, as values and as JSON.
const OBJECT_BYTES: u64 = 4_096;

/// The plan of an operation. `executed`: its reads; `None` if it was not executed. `shows_keys`: whether the client may get the keys of all rows that were read
/// for it. `charge`: the charge for the memory of the plan. If the memory is not free now, the plan lists nothing.
pub fn describe(
    executed: Option<(Explained, &StorageUse)>,
    (bound, mut fields): (&Bound, &[FieldCost]),
    shows_keys: bool,
    charge: Option<&Charge>,
) -> Value {
    let spent = executed.as_ref().map(|(explained, used)| spent(used, explained.elapsed));
    let (mut explained, mut hits_not_listed) = (executed.map(|(explained, _)| explained).unwrap_or_default(), 0);
    if !is_charged(charge, bytes_of(&explained) + bytes_of_fields(fields)) {
        explained.not_listed += std::mem::take(&mut explained.requests).len() as u64;
        hits_not_listed = std::mem::take(&mut explained.hits).into_values().sum::<u64>();
        fields = &[];
    }
    let requests =
        explained.requests.iter().zip(1_u64..).map(|(request, id)| describe_request(request, id, shows_keys));
    let hits = explained.hits.iter().map(|(table, count)| value!({ "table": *table, "count": *count }));
    value!({
        "executed": spent.is_some(),
        "spent": spent.unwrap_or_default(),
        "bound": describe_bound(bound),
        "requests": requests.collect::<Vec<Value>>(),
        "notListed": explained.not_listed,
        "hits": hits.collect::<Vec<Value>>(),
        "hitsNotListed": hits_not_listed,
        "fields": describe_fields(fields),
    })
}

/// Charges the bytes until the answer is sent, and returns whether they were free. A transport that counts no memory has no charge.
fn is_charged(charge: Option<&Charge>, bytes: u64) -> bool {
    charge.is_none_or(|charge| charge.try_take(bytes))
}

fn bytes_of(explained: &Explained) -> u64 {
    OBJECT_BYTES * (explained.requests.len() + explained.hits.len()) as u64
}

fn bytes_of_fields(fields: &[FieldCost]) -> u64 {
    fields.iter().map(|field| OBJECT_BYTES + 2 * field.path.len() as u64 + bytes_of_fields(&field.fields)).sum()
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
        "rows": bound.rows(),
    })
}

fn describe_request(request: &ExplainedRequest, id: u64, shows_keys: bool) -> Value {
    let ExplainedRequest { accessed, rows, bytes, units, start, duration, round_trip, batch } = request;
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
        ("loader", batch.map_or(Value::Null, |(loader, _)| loader.into())),
        ("batch", batch.map_or(Value::Null, |(_, number)| number.into())),
    ];
    described.extend(figures.map(|(name, figure)| (Name::new(name), figure)));
    if *units > 0.0 {
        described.insert(Name::new("requestUnits"), (*units).into());
    }
    Value::Object(described)
}

fn describe_fields(fields: &[FieldCost]) -> Value {
    let field = |field: &FieldCost| {
        value!({
            "path": field.path.as_str(),
            "fieldName": field.name.as_str(),
            "type": field.type_text.as_str(),
            "line": field.position.line,
            "column": field.position.column,
            "bound": field.bound,
            "fields": describe_fields(&field.fields),
        })
    };
    Value::List(fields.iter().map(field).collect())
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{AccessedRows, StorageUse};
    use crate::graphql::memory::{AnswerMemory, OWN_BYTES};

    fn request() -> ExplainedRequest {
        let partition = "2026-06".to_owned();
        let accessed =
            AccessedRows { kind: AccessKind::Point, table: "Posts", partition, row: None, from: None, to: None };
        ExplainedRequest {
            accessed,
            rows: 1,
            units: 0.0,
            bytes: 100,
            start: Duration::ZERO,
            duration: None,
            round_trip: 1,
            batch: Some(("terms", 1)),
        }
    }

    fn explained(requests: usize) -> Explained {
        let requests = (0..requests).map(|_| request()).collect();
        Explained { requests, not_listed: 2, hits: [("Tags", 7)].into(), ..Explained::default() }
    }

    #[test]
    fn a_plan_without_free_memory_lists_nothing_and_counts_all() {
        let memory = AnswerMemory::new(OWN_BYTES, 1);
        for (requests, are_listed) in [(3, true), (1_000, false)] {
            let charge = memory.charge();
            let (used, bound) = (StorageUse::default(), Bound::default());
            let plan = describe(Some((explained(requests), &used)), (&bound, &[]), true, Some(&charge));
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
        let (bytes, bound) = (bytes_of(&explained), Bound::default());
        let plan = describe(Some((explained, &StorageUse::default())), (&bound, &[]), true, None);
        let json = plan.into_json().expect("JSON").to_string().len() as u64;
        assert!(2 * json < bytes && bytes < 40 * json, "{bytes} charged, {json} of JSON");
    }
}
