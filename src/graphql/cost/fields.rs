//! What a client learns of the cost of the fields. The rule: a field is named as the client wrote it, by the keys of the answer.

use std::borrow::Cow;
use std::fmt;

use async_graphql::{Name, Pos};

use super::bound::Bound;
use super::walk::{FieldNode, OperationCost};
use crate::content::read::{Catalog, Sizes};

/// The most expensive field of an operation, which the client has to make cheaper, and the maximum number of its requests on all objects
/// together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DearestPath {
    /// The keys of the answer without list indexes, such as `tags.nodes.posts`.
    path: String,
    /// The objects that the field is on.
    times: u64,
    /// The requests on one of them.
    each: Bound,
}

impl fmt::Display for DearestPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bound { point_reads, range_reads, transactions, .. } = self.each;
        let point_reads = point_reads + transactions;
        let each = match (point_reads, range_reads) {
            (points, 0) => format!("{points}"),
            (0, ranges) => format!("{ranges}"),
            (points, ranges) => format!("({ranges} + {points})"),
        };
        write!(f, "{}: {} × {each}", self.path, self.times)
    }
}

/// The characters of a response key that are shown: an alias can be as long as a document.
const KEY_CHARS_MAX: usize = 64;

/// A response key as it is shown.
fn shown_key(key: &str) -> Cow<'_, str> {
    match key.char_indices().nth(KEY_CHARS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}…", &key[..end])),
        None => Cow::Borrowed(key),
    }
}

/// The bound of a field. Fields of one key are one field, as in the answer.
#[derive(Debug, Clone)]
pub struct FieldCost {
    /// As in [`DearestPath`], with long keys shortened.
    pub path: String,
    key: Name,
    pub name: Name,
    /// The type; empty if the field is not in the schema.
    pub type_text: String,
    pub position: Pos,
    /// The storage requests of the field itself on all objects together, without those of its selection.
    pub bound: u64,
    pub fields: Vec<Self>,
}

impl OperationCost<'_> {
    /// `None` if nothing is read.
    pub fn dearest_path(&self) -> Option<DearestPath> {
        let mut dearest = None;
        search(&self.roots, self.sizes, &mut Vec::new(), &mut dearest);
        dearest.map(|(_, path)| path)
    }

    /// The bounds by field. `read`: the catalogs that the price has read. They count for the fields that need them, although these find them
    /// in memory.
    pub(super) fn fields(&self, read: &[Catalog]) -> Vec<FieldCost> {
        let mut fields = Vec::new();
        add(&mut fields, &self.roots, "", (self.sizes, read));
        fields
    }
}

fn search<'t>(
    nodes: &'t [FieldNode<'_>],
    sizes: &Sizes,
    keys: &mut Vec<&'t str>,
    dearest: &mut Option<(u64, DearestPath)>,
) {
    for node in nodes {
        keys.push(node.field.response_key());
        let own = node.own.bound(sizes, &[], 1);
        if own.requests() > dearest.as_ref().map_or(0, |(requests, _)| *requests) {
            // Equal requests of different objects are made once, so the field's requests may only suffice for the different objects.
            let times = [node.on.different, node.on.all].into_iter().find(|n| is_multiple(own, *n)).unwrap_or(1);
            let each = Bound::new(own.point_reads / times, own.range_reads / times).writing(own.transactions / times);
            *dearest = Some((own.requests(), DearestPath { path: keys.join("."), times, each }));
        }
        search(&node.below, sizes, keys, dearest);
        keys.pop();
    }
}

fn is_multiple(own: Bound, n: u64) -> bool {
    n > 0 && [own.point_reads, own.range_reads, own.transactions].iter().all(|requests| requests.is_multiple_of(n))
}

fn add(into: &mut Vec<FieldCost>, nodes: &[FieldNode<'_>], above: &str, (sizes, read): (&Sizes, &[Catalog])) {
    for node in nodes {
        let key = node.field.response_key();
        let at = into.iter().position(|known| known.key == *key).unwrap_or_else(|| {
            let shown = shown_key(key);
            into.push(FieldCost {
                path: if above.is_empty() { shown.into_owned() } else { format!("{above}.{shown}") },
                key: key.clone(),
                name: node.field.name.clone(),
                type_text: node.of.map(ToString::to_string).unwrap_or_default(),
                position: node.field.position,
                bound: 0,
                fields: Vec::new(),
            });
            into.len() - 1
        });
        let found = &mut into[at];
        found.bound = found.bound.saturating_add(node.own.bound(sizes, read, 1).requests());
        add(&mut found.fields, &node.below, &found.path, (sizes, read));
    }
}
