//! The objects that an operation names in its arguments, whose sizes refine its bound. The rule: for a mutation only if it has a single
//! change, because a second one depends on the result of the first.

use std::collections::{BTreeSet, HashSet};

use async_graphql::parser::types::OperationType;

use super::arguments::Arguments;
use super::prices::{Change, Price, Reads};
use super::walk::CostWalk;
use crate::content::read::{INDEXES_READ_MAX, NamedChange, NamedKeys};
use crate::graphql::outline::{Field, SelectionKind, SetId};
use crate::model::{IndexKind, NodeId, Slug};

impl<'a> CostWalk<'a> {
    pub(super) fn named(&self) -> NamedKeys {
        match self.operation.operation().kind {
            OperationType::Mutation => NamedKeys { indexes: BTreeSet::new(), change: self.named_change() },
            _ => NamedKeys { indexes: self.named_indexes(), change: None },
        }
    }

    fn arguments(&self, field: &'a Field) -> Arguments<'a> {
        Arguments { operation: self.operation, variables: self.circumstances.variables, field }
    }

    /// The indexes in the filters of all fields; each fragment is visited once.
    fn named_indexes(&self) -> BTreeSet<(IndexKind, Slug)> {
        let outline = self.operation.outline();
        let (mut indexes, mut seen) = (BTreeSet::new(), HashSet::new());
        let mut open = vec![self.operation.operation().set];
        while let Some(set) = open.pop().filter(|_| indexes.len() < INDEXES_READ_MAX) {
            if !seen.insert(set) {
                continue;
            }
            let of_set = |set: SetId| &outline.set(set).selections;
            for selection in of_set(set) {
                let SelectionKind::Field(field) = &selection.kind else {
                    open.extend(outline.fragment_of(&selection.kind).map(|(_, set)| set));
                    continue;
                };
                open.extend(field.set);
                if field.name == "posts" {
                    for condition in self.arguments(field).conditions() {
                        indexes.extend(condition.slugs.into_iter().flatten().map(|slug| (condition.kind, slug)));
                    }
                }
            }
        }
        while indexes.len() > INDEXES_READ_MAX {
            indexes.pop_last();
        }
        indexes
    }

    /// The object that the only change of a mutation changes.
    fn named_change(&self) -> Option<NamedChange> {
        let mut fields = Vec::new();
        self.each_field(self.operation.operation().set, 0, &mut |field| fields.push(field));
        let [field] = fields[..] else { return None };
        let parents = self.root_parents();
        let Price { reads: Reads::Change(change), .. } = self.prices.get(parents.object?, &field.name)? else {
            return None;
        };
        let arguments = self.arguments(field);
        let id = |entry: &str| arguments.text_in("input", entry)?.parse::<NodeId>().ok();
        match (change, id("id"), id("revisionId")) {
            (Change::CreatePost, ..) => {
                let slug = match arguments.has_in("input", "slug") {
                    true => arguments.text_in("input", "slug")?.parse().ok(),
                    false => Slug::from_name(arguments.text_in("input", "title")?),
                };
                slug.map(NamedChange::NewPost)
            }
            (Change::UpdatePost | Change::Publish | Change::DeletePost, Some(NodeId::Post(id)), _) => {
                Some(NamedChange::Post(id))
            }
            (Change::RestoreRevision, _, Some(NodeId::Revision(id, version))) => {
                Some(NamedChange::Version(id, version))
            }
            (Change::DeleteTerm(_), Some(NodeId::Term(id)), _) => Some(NamedChange::Term(id.key)),
            _ => None,
        }
    }
}
