//! The terms that are looked up in vain. The rule: they are part of the price, because they are read.

use super::demand::Demand;
use super::priced::{Priced, terms_of_post};
use super::walk::{CostWalk, FRAGMENTS_DEPTH_MAX, Parents};
use crate::graphql::outline::{Field, SelectionKind, SetId};
use crate::model::TermKind;

impl<'a> CostWalk<'a> {
    /// The terms that a page of posts looks up for fragments that do not apply to posts, because its resolver ignores the type conditions.
    pub(super) fn looked_up(&self, field: &'a Field, priced: &Priced<'a>, parents: Parents<'a>) -> Demand {
        let (Some(set), true) = (field.set, parents.object.is_some_and(|object| object == "PostConnection")) else {
            return Demand::default();
        };
        let mut names = Vec::new();
        let mut note = |field: &'a Field| names.push(field.name.as_str());
        match field.name.as_str() {
            "nodes" => self.each_inapplicable(set, (0, false), &mut note),
            "edges" => self.each_field(set, 0, &mut |edge| {
                if let Some(set) = edge.set.filter(|_| edge.name == "node") {
                    self.each_inapplicable(set, (0, false), &mut note);
                }
            }),
            _ => {}
        }
        let posts = priced.list.items(priced.sizes).saturating_mul(parents.count.different);
        let has = |name: &str| names.contains(&name);
        let kinds = [
            (TermKind::Category, has("categories")),
            (TermKind::Tag, has("tags")),
            (TermKind::Author, has("authors") || has("author")),
        ];
        let looked_up = kinds.into_iter().filter(|(_, is_looked_up)| *is_looked_up);
        let each = looked_up.map(|(kind, _)| Demand::of_terms(kind, terms_of_post(kind, priced.sizes)).times(posts));
        each.fold(Demand::default(), Demand::plus)
    }

    /// The fields of fragments that do not apply to a post.
    fn each_inapplicable(&self, set: SetId, (depth, is_inside): (u32, bool), visit: &mut dyn FnMut(&'a Field)) {
        if depth > FRAGMENTS_DEPTH_MAX {
            return;
        }
        let outline = self.operation.outline();
        for selection in &outline.set(set).selections {
            match &selection.kind {
                SelectionKind::Field(field) if is_inside => visit(field),
                SelectionKind::Field(_) => {}
                fragment => {
                    if let Some((on, set)) = outline.fragment_of(fragment) {
                        let applies = on.is_none_or(|on| self.types.applies(on, "Post"));
                        self.each_inapplicable(set, (depth + 1, is_inside || !applies), visit);
                    }
                }
            }
        }
    }
}
