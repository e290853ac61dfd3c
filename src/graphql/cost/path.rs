//! The most expensive part of a query, which the client has to make cheaper. The rule: it is named as the client wrote it, by the keys of
//! the answer.

use std::fmt;

use super::bound::Bound;
use super::walk::{Children, CostWalk, Parents, Parts};
use crate::graphql::outline::{SelectionKind, SetId};

/// A field, and the maximum number of its requests on all objects together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DearestPath {
    /// The keys of the answer without list indexes, such as `tags.nodes.posts`.
    path: String,
    /// The objects that the field is on.
    times: u64,
    /// The requests on one of them.
    each: Bound,
    total: u64,
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

impl<'a> CostWalk<'a> {
    pub(super) fn dearest_path(&self) -> Option<DearestPath> {
        let mut search = Search { walk: self, keys: Vec::new(), dearest: None };
        search.selection(self.operation.operation().set, self.root_parents());
        search.dearest
    }
}

struct Search<'w, 'a> {
    walk: &'w CostWalk<'a>,
    keys: Vec<&'a str>,
    dearest: Option<DearestPath>,
}

impl<'a> Search<'_, 'a> {
    /// The guard has refused fragments that spread themselves.
    fn selection(&mut self, set: SetId, parents: Parents<'a>) {
        let outline = self.walk.operation.outline();
        for selection in &outline.set(set).selections {
            let SelectionKind::Field(field) = &selection.kind else {
                if let Some((on, set)) = outline.fragment_of(&selection.kind)
                    && self.walk.applies(on, parents)
                {
                    self.selection(set, parents);
                }
                continue;
            };
            self.keys.push(field.response_key());
            let Parts { own, children } = self.walk.parts_of(field, parents);
            let total = own.bound(self.walk.circumstances.sizes, 1).requests();
            if total > self.dearest.as_ref().map_or(0, |dearest| dearest.total) {
                self.dearest = Some(self.found(total, &parents, own.bound(self.walk.circumstances.sizes, 1)));
            }
            let (Children::Each(children) | Children::AnyOf(children)) = children;
            if let Some(set) = field.set {
                children.into_iter().for_each(|parents| self.selection(set, parents));
            }
            self.keys.pop();
        }
    }

    /// Equal requests of different objects are made once, so the field's requests may only suffice for the different objects.
    fn found(&self, total: u64, parents: &Parents<'_>, own: Bound) -> DearestPath {
        let times =
            [parents.count.different, parents.count.all].into_iter().find(|n| is_multiple(own, *n)).unwrap_or(1);
        let each = Bound::new(own.point_reads / times, own.range_reads / times).writing(own.transactions / times);
        DearestPath { path: self.keys.join("."), times, each, total }
    }
}

fn is_multiple(own: Bound, n: u64) -> bool {
    n > 0 && [own.point_reads, own.range_reads, own.transactions].iter().all(|requests| requests.is_multiple_of(n))
}
