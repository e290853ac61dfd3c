//! The bounds of an operation by its fields. The rule: a field is named as the client wrote it, by the keys of the answer, and fields of one key are one
//! field, as in the answer.

use std::borrow::Cow;

use async_graphql::{Name, Pos};

use super::demand::Demand;
use super::walk::{Children, CostWalk, Count, Parents, Parts};
use crate::content::read::Catalog;
use crate::graphql::outline::{Field, SelectionKind, SetId};

/// The characters of a response key that are shown: an alias can be as long as a document.
const KEY_CHARS_MAX: usize = 64;

/// A response key as it is shown.
fn shown_key(key: &str) -> Cow<'_, str> {
    match key.char_indices().nth(KEY_CHARS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}…", &key[..end])),
        None => Cow::Borrowed(key),
    }
}

/// The bound of a field.
#[derive(Debug, Clone)]
pub struct FieldCost {
    /// The keys of the answer without list indexes, such as `tags.nodes.posts`. Long keys are shortened.
    pub path: String,
    key: Name,
    pub name: Name,
    /// The type; empty if the field is not in the schema.
    pub type_text: String,
    pub position: Pos,
    /// The storage requests of the field itself on all objects together, without those of its selection.
    pub bound: u64,
    pub fields: Vec<Self>,
    demand: Demand,
}

/// The catalogs that the price has read, and the storage requests for them. They are counted to the fields that need a catalog, although
/// these find it in memory.
#[derive(Debug, Clone, Copy)]
pub struct ReadForPrice<'c> {
    pub catalogs: &'c [Catalog],
    pub requests: u64,
}

impl ReadForPrice<'_> {
    /// The requests that were made for a field with this demand.
    fn requests_for(&self, demand: &Demand) -> u64 {
        let needed = self.catalogs.iter().filter(|catalog| demand.needs(**catalog)).count() as u64;
        // If a catalog took several requests, it is unknown which catalog that was.
        let more = self.requests.saturating_sub(self.catalogs.len() as u64);
        if needed == 0 { 0 } else { needed + more }
    }
}

impl<'a> CostWalk<'a> {
    pub(super) fn tree(&self, read: ReadForPrice<'_>) -> Vec<FieldCost> {
        let mut fields = Vec::new();
        self.add(&mut fields, "", self.operation.operation().set, (self.root_parents(), Demand::plus));
        fields.iter_mut().for_each(|field| field.compute(self, read));
        fields
    }

    /// Adds the fields of a selection on these objects. The guard has refused fragments that spread themselves.
    fn add(
        &self,
        into: &mut Vec<FieldCost>,
        path: &str,
        set: SetId,
        (parents, combine): (Parents<'a>, fn(Demand, Demand) -> Demand),
    ) {
        let outline = self.operation.outline();
        for selection in &outline.set(set).selections {
            let SelectionKind::Field(field) = &selection.kind else {
                if let Some((on, set)) = outline.fragment_of(&selection.kind)
                    && self.applies(on, parents)
                {
                    self.add(into, path, set, (parents, combine));
                }
                continue;
            };
            let Parts { own, children } = self.parts_of(field, parents);
            let found = self.find(into, path, field, parents);
            found.demand = combine(found.demand, own);
            let (path, Some(set)) = (found.path.clone(), field.set) else { continue };
            // A single object has one type; several objects can have different types.
            let combine = match &children {
                Children::AnyOf(any) if any.iter().all(|parents| parents.count == Count::ONE) => Demand::max,
                _ => combine,
            };
            let (Children::Each(children) | Children::AnyOf(children)) = children;
            for parents in children {
                self.add(&mut found.fields, &path, set, (parents, combine));
            }
        }
    }

    /// The field with this key, which is added if it is missing.
    fn find<'f>(
        &self,
        fields: &'f mut Vec<FieldCost>,
        path: &str,
        field: &Field,
        parents: Parents<'_>,
    ) -> &'f mut FieldCost {
        let key = field.response_key();
        let at = fields.iter().position(|known| known.key == *key).unwrap_or_else(|| {
            let shown = shown_key(key);
            let path = if path.is_empty() { shown.into_owned() } else { format!("{path}.{shown}") };
            let of = parents.object.and_then(|object| self.type_of(object, &field.name));
            fields.push(FieldCost {
                path,
                key: key.clone(),
                name: field.name.clone(),
                type_text: of.map(ToString::to_string).unwrap_or_default(),
                position: field.position,
                bound: 0,
                fields: Vec::new(),
                demand: Demand::default(),
            });
            fields.len() - 1
        });
        &mut fields[at]
    }
}

impl FieldCost {
    fn compute(&mut self, walk: &CostWalk<'_>, read: ReadForPrice<'_>) {
        let bound = self.demand.bound(walk.circumstances.sizes, 1).requests();
        self.bound = bound.saturating_add(read.requests_for(&self.demand));
        self.fields.iter_mut().for_each(|field| field.compute(walk, read));
    }
}
