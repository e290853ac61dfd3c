//! The positions of failed fields. The rule: the paths are sorted, so that the faults below a position are a slice of them, without
//! copying.

use std::cmp::Ordering;

use async_graphql::{PathSegment, ServerError};

/// The paths of all errors of an answer.
pub(super) struct Places<'a>(Vec<&'a [PathSegment]>);

impl<'a> Places<'a> {
    pub(super) fn of(errors: &'a [ServerError]) -> Self {
        let mut paths: Vec<_> = errors.iter().map(|error| error.path.as_slice()).collect();
        paths.sort_unstable_by(|one, other| compare_paths(one, other));
        Self(paths)
    }

    pub(super) fn faults(&self) -> Faults<'_> {
        // An error without a path is not the error of a field; such errors sort first.
        let nowhere = self.0.partition_point(|path| path.is_empty());
        Faults { paths: self.0.get(nowhere..).unwrap_or_default(), depth: 0 }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Faults<'a> {
    paths: &'a [&'a [PathSegment]],
    /// The number of segments in the path of the position.
    depth: usize,
}

impl<'a> Faults<'a> {
    pub(super) fn is_empty(self) -> bool {
        self.paths.is_empty()
    }

    /// Whether the field at this position has failed itself. Its path is the shortest, so it is the first.
    pub(super) fn are_here(self) -> bool {
        self.paths.first().is_some_and(|path| path.len() == self.depth)
    }

    pub(super) fn below_key(self, key: &str) -> Self {
        self.below(|segment| match segment {
            PathSegment::Index(_) => Ordering::Less,
            PathSegment::Field(name) => name.as_str().cmp(key),
        })
    }

    pub(super) fn below_index(self, index: usize) -> Self {
        self.below(|segment| match segment {
            PathSegment::Index(other) => other.cmp(&index),
            PathSegment::Field(_) => Ordering::Greater,
        })
    }

    /// The keys of this position at which or below which there are faults.
    pub(super) fn keys(self) -> impl Iterator<Item = &'a str> {
        let mut last = None;
        self.paths.iter().filter_map(move |path| match path.get(self.depth) {
            Some(PathSegment::Field(name)) if last != Some(name) => {
                last = Some(name);
                Some(name.as_str())
            }
            _ => None,
        })
    }

    fn below(self, compare: impl Fn(&PathSegment) -> Ordering) -> Self {
        if self.paths.is_empty() {
            return self;
        }
        // A fault at this position itself sorts before those below it.
        let ordering = |path: &&[PathSegment]| path.get(self.depth).map_or(Ordering::Less, &compare);
        let start = self.paths.partition_point(|path| ordering(path) == Ordering::Less);
        let end = self.paths.partition_point(|path| ordering(path) != Ordering::Greater);
        Self { paths: self.paths.get(start..end).unwrap_or_default(), depth: self.depth + 1 }
    }
}

/// Keeps one error for each field ("Handling Execution Errors"), because the engine runs a field as often as it is selected.
pub(super) fn keep_one_for_each_position(errors: &mut Vec<ServerError>) {
    let mut order: Vec<usize> = (0..errors.len()).collect();
    // The sort is stable, so that the first of the errors at one position is kept.
    order.sort_by(|one, other| compare_paths(&errors[*one].path, &errors[*other].path));
    let mut kept = vec![true; errors.len()];
    for pair in order.windows(2) {
        let path = &errors[pair[1]].path;
        kept[pair[1]] = path.is_empty() || *path != errors[pair[0]].path;
    }
    let mut kept = kept.into_iter();
    errors.retain(|_| kept.next().unwrap_or(true));
}

fn compare_paths(one: &[PathSegment], other: &[PathSegment]) -> Ordering {
    let differences = one.iter().zip(other).map(|(one, other)| compare(one, other));
    differences.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| one.len().cmp(&other.len()))
}

/// Indexes sort before keys; one position has only one of the two kinds.
fn compare(one: &PathSegment, other: &PathSegment) -> Ordering {
    match (one, other) {
        (PathSegment::Index(one), PathSegment::Index(other)) => one.cmp(other),
        (PathSegment::Field(one), PathSegment::Field(other)) => one.cmp(other),
        (PathSegment::Index(_), PathSegment::Field(_)) => Ordering::Less,
        (PathSegment::Field(_), PathSegment::Index(_)) => Ordering::Greater,
    }
}
