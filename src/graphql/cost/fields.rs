//! The cost of fields, for clients. The rule: a field is named by its key in the answer, as the client wrote it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use async_graphql::{Name, Pos};

use super::demand::Demand;
use super::walk::{FieldNode, OperationCost};
use crate::content::read::Sizes;

/// The most expensive field of an operation, which the client has to make cheaper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpensiveField {
    /// The keys of the answer without list indexes, such as `tags.nodes.posts`.
    pub path: String,
    /// The maximum number of its own requests on all objects together.
    pub requests: u64,
}

impl fmt::Display for ExpensiveField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.requests)
    }
}

/// The characters of a response key that are shown: an alias can be as long as a document.
const KEY_CHARS_MAX: usize = 64;

/// A response key, shortened for messages.
fn shown_key(key: &str) -> Cow<'_, str> {
    match key.char_indices().nth(KEY_CHARS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}…", &key[..end])),
        None => Cow::Borrowed(key),
    }
}

/// The bound of a field. Fields with the same key are one field, as in the answer.
#[derive(Debug, Clone)]
pub struct FieldCost {
    /// Like [`ExpensiveField::path`].
    pub path: String,
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
    pub fn most_expensive_field(&self) -> Option<ExpensiveField> {
        let mut most_expensive: Option<ExpensiveField> = None;
        let mut open = self.fields();
        open.reverse();
        while let Some(field) = open.pop() {
            if field.bound > most_expensive.as_ref().map_or(0, |most_expensive| most_expensive.requests) {
                most_expensive = Some(ExpensiveField { path: field.path, requests: field.bound });
            }
            open.extend(field.fields.into_iter().rev());
        }
        most_expensive
    }

    pub(super) fn fields(&self) -> Vec<FieldCost> {
        costs(self.roots.iter().collect(), "", self.sizes)
    }
}

fn costs<'t>(nodes: Vec<&'t FieldNode<'t>>, above: &str, sizes: &Sizes) -> Vec<FieldCost> {
    let (mut by_key, mut places): (Vec<(&Name, Vec<&FieldNode<'_>>)>, _) = (Vec::new(), HashMap::new());
    for node in nodes {
        let key = node.field.response_key();
        let place = *places.entry(key).or_insert(by_key.len());
        match by_key.get_mut(place) {
            Some((_, same)) => same.push(node),
            None => by_key.push((key, vec![node])),
        }
    }
    let cost = |(key, nodes): (&Name, Vec<&FieldNode<'_>>)| {
        let shown = shown_key(key);
        let path = if above.is_empty() { shown.into_owned() } else { format!("{above}.{shown}") };
        // Together, they read a catalog once.
        let own = nodes.iter().fold(Demand::default(), |all, node| all.plus(node.own));
        FieldCost {
            name: nodes[0].field.name.clone(),
            type_text: nodes[0].of.map(ToString::to_string).unwrap_or_default(),
            position: nodes[0].field.position,
            bound: own.bound(sizes).requests(),
            fields: costs(nodes.iter().flat_map(|node| &node.below).collect(), &path, sizes),
            path,
        }
    };
    by_key.into_iter().map(cost).collect()
}
