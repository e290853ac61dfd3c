//! An entry of the log, and the transactions that apply it.

use std::hash::{Hash, Hasher};

use super::plan::{Change, Refusal};
use super::rows::{
    KEYS, OBJECTS, PARTITIONS, REPORTS, Rows, World, count_key, is_count, is_object, list_of_pointer, partition,
    rows_of,
};
use super::rules::Rules;

/// The changes of one group.
pub const GROUP: usize = 2;

/// One append: the changes of a group, each planned on the one before, as one change.
#[derive(Debug, Clone)]
pub struct Entry {
    pub writer: usize,
    /// The random id of the append: a writer never uses it for another one.
    pub id: u8,
    /// The group of its writer's program.
    pub group: usize,
    /// The changes of the group that it contains, and those that were refused on its base.
    pub made: [bool; GROUP],
    pub refused: [Option<Refusal>; GROUP],
    pub instant: u8,
    pub change: Change,
    /// Follows from the change.
    pub transactions: Vec<Transaction>,
    /// The last step of each partition; 0 if the entry leaves it as it is.
    pub last_steps: [u8; PARTITIONS],
}

/// The rows of one partition that are written together with its watermark.
#[derive(Debug, Clone)]
pub struct Transaction {
    pub partition: usize,
    /// Of the steps of the entry in this partition, from 1.
    pub step: u8,
    /// Transactions of a rank are sent when those of lower ranks are done.
    pub rank: u8,
    /// A key and its new row, or 0 if it is removed.
    pub rows: Vec<(usize, u8)>,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (self.writer, self.id, self.group, self.made, self.refused, self.change)
            == (other.writer, other.id, other.group, other.made, other.refused, other.change)
    }
}

impl Eq for Entry {}

impl Hash for Entry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.writer, self.id, self.group, self.made, self.refused, self.change).hash(state);
    }
}

impl Entry {
    /// With its transactions, each of at most `bound` rows.
    pub fn with_transactions(mut self, bound: usize, rules: &Rules) -> Self {
        for (rank, key, row) in effects(&self.change, rules) {
            let partition = partition(key);
            let last = self.transactions.iter_mut().rfind(|t| t.partition == partition);
            match last {
                Some(last) if last.rank == rank && last.rows.len() < bound => last.rows.push((key, row)),
                _ => {
                    self.last_steps[partition] += 1;
                    let step = self.last_steps[partition];
                    self.transactions.push(Transaction { partition, step, rank, rows: vec![(key, row)] });
                }
            }
        }
        self
    }

    /// With the transaction that reports it, which is sent with those of the last rank.
    pub fn with_report(mut self) -> Self {
        let rank = self.transactions.iter().map(|t| t.rank).max().unwrap_or(0);
        self.last_steps[REPORTS] = 1;
        self.transactions.push(Transaction { partition: REPORTS, step: 1, rank, rows: Vec::new() });
        self
    }

    pub fn touches(&self, partition: usize) -> bool {
        self.last_steps[partition] != 0
    }
}

/// The rows that differ before and after the change, and the rank of each, in this order: what is new and leads to an object; objects; what leads
/// to another place of its object; objects that are removed; what led to them.
fn effects(change: &Change, rules: &Rules) -> Vec<(u8, usize, u8)> {
    let side = |pick: fn((u8, u8)) -> u8| rows_of(&change.map(|pair| pair.map_or(0, pick)));
    let (before, after) = (side(|pair| pair.0), side(|pair| pair.1));
    let differs = (0..KEYS).filter(|key| before[*key] != after[*key] && !is_count(*key));
    let mut found: Vec<_> = differs
        .map(|key| {
            let rank = match (before[key] != 0, after[key] != 0) {
                _ if !rules.order => 0,
                (_, true) if is_object(key) => 1,
                (false, _) => 0,
                (true, true) => 2,
                (true, false) if is_object(key) => 3,
                (true, false) => 4,
            };
            (rank, key, after[key])
        })
        .collect();
    found.sort_unstable();
    found
}

/// Writes the rows of a transaction, and changes the count of a list by what the entry adds and removes.
/// `None` if a row that is to be removed does not exist, because then the storage refuses the transaction.
pub fn write(transaction: &Transaction, rows: &Rows) -> Option<Rows> {
    let mut rows = *rows;
    for (key, row) in &transaction.rows {
        if *row == 0 && rows[*key] == 0 {
            return None;
        }
        rows[*key] = *row;
        if let Some(list) = list_of_pointer(*key) {
            let count = &mut rows[count_key(list)];
            *count = if *row == 0 { count.wrapping_sub(1) } else { count.wrapping_add(1) };
        }
    }
    Some(rows)
}

pub fn apply(change: &Change, world: &World) -> World {
    let mut world = *world;
    for object in 0..OBJECTS {
        if let Some((_, after)) = change[object] {
            world[object] = after;
        }
    }
    world
}

/// The two changes as one.
pub fn merge(first: &Change, second: &Change) -> Change {
    let mut both = *first;
    for object in 0..OBJECTS {
        if let Some((before, after)) = second[object] {
            both[object] = Some((first[object].map_or(before, |pair| pair.0), after));
        }
    }
    both
}
