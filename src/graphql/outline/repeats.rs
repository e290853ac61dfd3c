//! Detects documents that select a field with a selection set twice under one key, so that the two values are merged. The rule: in doubt,
//! the answer is yes.

use std::collections::HashSet;

use super::{Outline, SelectionKind, SetId};

/// The maximum number of selections that are visited: more than an admitted document has with its spreads expanded.
const SELECTIONS_MAX: usize = 20_000;
/// The maximum depth of fields and fragments that are followed.
const DEPTH_MAX: usize = 128;

impl Outline {
    /// Whether values of one object may have to be merged ("Field Selection Merging" of the GraphQL specification), for any types of its
    /// fragments.
    pub fn repeats_fields(&self) -> bool {
        *self.repeats_fields.get_or_init(|| {
            let mut walk = RepeatsWalk { outline: self, left: SELECTIONS_MAX, depth: 0 };
            self.operations().iter().any(|operation| walk.repeats(operation.set))
        })
    }
}

struct RepeatsWalk<'a> {
    outline: &'a Outline,
    left: usize,
    depth: usize,
}

impl<'a> RepeatsWalk<'a> {
    /// Whether an object with this selection set, or an object inside it, repeats a field.
    fn repeats(&mut self, set: SetId) -> bool {
        let (mut keys, mut below) = (HashSet::new(), Vec::new());
        self.depth += 1;
        let repeats = !self.add(set, &mut keys, &mut below) || below.into_iter().any(|set| self.repeats(set));
        self.depth -= 1;
        repeats
    }

    /// Adds the fields of a set and its fragments. Returns false if two of them have the same key.
    fn add(&mut self, set: SetId, keys: &mut HashSet<&'a str>, below: &mut Vec<SetId>) -> bool {
        if self.depth > DEPTH_MAX {
            return false;
        }
        self.depth += 1;
        let are_distinct = self.add_each(set, keys, below);
        self.depth -= 1;
        are_distinct
    }

    fn add_each(&mut self, set: SetId, keys: &mut HashSet<&'a str>, below: &mut Vec<SetId>) -> bool {
        let outline = self.outline;
        outline.set(set).selections.iter().all(|selection| {
            let Some(left) = self.left.checked_sub(1) else { return false };
            self.left = left;
            match &selection.kind {
                SelectionKind::Field(field) => field.set.is_none_or(|inside| {
                    below.push(inside);
                    keys.insert(field.response_key().as_str())
                }),
                fragment => outline.fragment_of(fragment).is_none_or(|(_, inside)| self.add(inside, keys, below)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    #[test]
    fn a_field_with_a_selection_set_is_repeated_if_its_key_is_selected_twice_for_one_object() {
        for (document, repeats) in [
            ("{ posts { nodes { slug } pageInfo { hasNextPage } } tags { nodes { slug } } slug slug }", false),
            ("{ a: posts { nodes { slug } } b: posts { nodes { slug } } }", false),
            ("{ posts { nodes { slug } } posts { totalCount } }", true),
            (
                "{ posts { nodes { ...A ...B } } } fragment A on Post { tags { name } } fragment B on Post { slug }",
                false,
            ),
            ("{ posts { nodes { ...A tags { slug } } } } fragment A on Post { tags { name } }", true),
            ("{ node { ... on Post { a { b } } ... on Tag { a { c } } } }", true),
            ("query A { a { b } } query B { a { b a { b } } }", false),
            ("{ ...A } fragment A on Query { ...A }", true),
            ("{ ...A } fragment A on Query { a { ...A } }", true),
        ] {
            let document_of = parse_query(document).expect("a document");
            assert_eq!(Outline::of(&document_of).repeats_fields(), repeats, "{document}");
        }
    }
}
