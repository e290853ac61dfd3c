//! Applies an entry of the log. The rule: the transaction of each step replaces the watermark of its partition under its ETag, so a step is carried out once,
//! even if several servers send it repeatedly or late.

use std::collections::HashMap;

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Properties, Result, Store, StoreError, Value};

use super::progress::{Place, Progress, StoredRow};
use super::steps::{Step, StepWrite, WATERMARK, steps};

/// The maximum number of concurrent transactions.
const STEPS_AT_ONCE: usize = 32;
/// The maximum number of tries of a step, if its answers are lost or other servers carry it out at the same time.
const SENDS_MAX: u32 = 8;

/// The rows after a step. They are unknown if another server has carried out the step, or if its answer was lost.
pub(super) type Applied = HashMap<Place, Option<Entity>>;

/// Carries out all steps, those of one rank concurrently.
///
/// # Errors
/// If the storage fails; missing steps can be sent again.
pub(super) async fn apply((store, progress): (&Store, &Progress), entry: u64, writes: &[StepWrite]) -> Result<Applied> {
    let mut applied = Applied::new();
    for of_rank in ranks(writes) {
        let mut partitions = Vec::with_capacity(of_rank.len());
        for of_partition in &of_rank {
            partitions.push(carry_out_all((store, progress), entry, of_partition, &applied));
        }
        let rows: Vec<_> = stream::iter(partitions).buffer_unordered(STEPS_AT_ONCE).try_collect().await?;
        applied.extend(rows.into_iter().flatten());
    }
    Ok(applied)
}

/// The steps of each rank, by partition.
fn ranks(writes: &[StepWrite]) -> Vec<Vec<Vec<Step<'_>>>> {
    let mut ranks: Vec<Vec<Vec<Step<'_>>>> = Vec::new();
    for step in steps(writes) {
        match ranks.last_mut().filter(|rank| rank[0][0].rank == step.rank) {
            None => ranks.push(vec![vec![step]]),
            Some(rank) => match rank.last_mut().filter(|partition| partition[0].place() == step.place()) {
                None => rank.push(vec![step]),
                Some(partition) => partition.push(step),
            },
        }
    }
    ranks
}

/// Carries out the steps of one partition one by one.
async fn carry_out_all(
    (store, progress): (&Store, &Progress),
    entry: u64,
    steps: &[Step<'_>],
    earlier: &Applied,
) -> Result<Applied> {
    let mut rows = Applied::new();
    for step in steps {
        let watermark = watermark(step)?;
        let last = rows.get(&watermark).or_else(|| earlier.get(&watermark)).cloned();
        let last = last.or_else(|| progress.row(&watermark));
        rows.extend(carry_out(store, entry, step, &watermark, last).await?);
    }
    Ok(rows)
}

/// Whether every step of the entry was carried out. One point read for each partition.
///
/// # Errors
/// If the storage fails.
pub(super) async fn is_applied(store: &Store, entry: u64, writes: &[StepWrite]) -> Result<bool> {
    let mut last: HashMap<Place, u32> = HashMap::new();
    for step in steps(writes) {
        last.insert(watermark(&step)?, step.number);
    }
    let mut reads = Vec::with_capacity(last.len());
    for (place, step) in last {
        reads.push(is_at(store, place, (entry, step)));
    }
    let reads: Vec<_> = stream::iter(reads).buffer_unordered(STEPS_AT_ONCE).try_collect().await?;
    Ok(reads.into_iter().all(|is_applied| is_applied))
}

/// Whether a watermark is at this step or a later one.
async fn is_at(store: &Store, (table, key): Place, step: (u64, u32)) -> Result<bool> {
    let row = store.get(table, &key).await?;
    Ok(row.as_ref().map(read).transpose()?.unwrap_or_default() >= step)
}

/// The place of the watermark of a step's partition.
fn watermark(step: &Step<'_>) -> Result<Place> {
    let (table, partition) = step.place();
    Ok((table, Key::new(partition, WATERMARK)?))
}

/// `watermark`: the last known row, if any; it is read again if it is outdated.
async fn carry_out(
    store: &Store,
    entry: u64,
    step: &Step<'_>,
    (table, key): &Place,
    mut watermark: Option<StoredRow>,
) -> Result<Applied> {
    let (mut absent, mut last) = (Vec::new(), None);
    for _ in 0..SENDS_MAX {
        let stored = match watermark.take() {
            Some(row) => row,
            None => store.get(table, key).await?,
        };
        if stored.as_ref().map(read).transpose()?.unwrap_or_default() >= (entry, step.number) {
            return Ok(Applied::new());
        }
        let batch = batch(entry, step, stored.as_ref(), &absent)?;
        match store.commit(table, &batch).await {
            Ok(etags) => return Ok(rows(table, &batch, etags)),
            Err(error @ (StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. })) => last = Some(error),
            Err(error) => return Err(error),
        }
        watermark = Some(store.get(table, key).await?);
        if watermark.as_ref() == Some(&stored) {
            // A person has deleted a row that the step deletes, so the step would always fail.
            absent = missing(store, step).await?;
        }
    }
    Err(last.unwrap_or_else(|| StoreError::Internal("a step of the log was not sent".to_owned())))
}

/// The rows that a step deletes but that do not exist.
async fn missing(store: &Store, step: &Step<'_>) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for write in step.writes.iter().filter(|write| write.properties.is_none()) {
        if store.get_key(write.table.name, &write.key).await?.is_none() {
            missing.push(write.key.row().to_owned());
        }
    }
    Ok(missing)
}

fn batch(entry: u64, step: &Step<'_>, watermark: Option<&Entity>, absent: &[String]) -> Result<Batch> {
    let operation = |write: &StepWrite| match &write.properties {
        Some(properties) => Operation::Put {
            row: write.key.row().to_owned(),
            properties: properties.clone(),
            precondition: Precondition::None,
        },
        None => Operation::Delete { row: write.key.row().to_owned(), precondition: Precondition::None },
    };
    let mut operations: Vec<_> =
        step.writes.iter().filter(|write| !absent.iter().any(|row| row == write.key.row())).map(operation).collect();
    let mut properties = Properties::new();
    properties.set("Entry", Value::Int64(i64::try_from(entry).unwrap_or(i64::MAX)));
    properties.set("Step", Value::Int32(i32::try_from(step.number).unwrap_or(i32::MAX)));
    let precondition = watermark.map_or(Precondition::Absent, |row| Precondition::Match(row.etag.clone()));
    operations.push(Operation::Put { row: WATERMARK.to_owned(), properties, precondition });
    Batch::new(step.place().1, operations)
}

/// The rows after a transaction.
fn rows(table: &'static str, batch: &Batch, etags: Vec<Option<Etag>>) -> Applied {
    let mut rows = Applied::new();
    for (operation, etag) in batch.operations().iter().zip(etags) {
        let Ok(key) = Key::new(batch.partition(), operation.row()) else { continue };
        let row = match (operation, etag) {
            (Operation::Put { properties, .. }, Some(etag)) => {
                Some(Entity { key: key.clone(), etag, properties: properties.clone() })
            }
            (Operation::Delete { .. }, _) => None,
            (Operation::Put { .. }, None) => continue,
        };
        rows.insert((table, key), row);
    }
    rows
}

/// The entry and the step in a watermark.
pub(super) fn read(row: &Entity) -> Result<(u64, u32)> {
    let damaged = || StoreError::corrupt(format!("the watermark {}", row.key));
    match (row.properties.get("Entry"), row.properties.get("Step")) {
        (Some(Value::Int64(entry)), Some(Value::Int32(step))) => {
            Ok((u64::try_from(*entry).map_err(|_| damaged())?, u32::try_from(*step).map_err(|_| damaged())?))
        }
        _ => Err(damaged()),
    }
}
