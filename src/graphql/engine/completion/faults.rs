//! The positions of failed fields, as a tree of the keys and indexes of their paths.

use std::collections::{HashMap, HashSet};

use async_graphql::{PathSegment, ServerError};

/// The faults at a position and below it.
#[derive(Default)]
pub(super) struct Faults<'a> {
    /// Whether the field at this position has failed itself.
    pub are_here: bool,
    pub keys: HashMap<&'a str, Self>,
    pub items: HashMap<usize, Self>,
}

impl<'a> Faults<'a> {
    /// An error without a path is not the error of a field.
    pub(super) fn of(errors: &'a [ServerError]) -> Self {
        let mut all = Self::default();
        for error in errors.iter().filter(|error| !error.path.is_empty()) {
            let place = error.path.iter().fold(&mut all, |at, segment| match segment {
                PathSegment::Field(key) => at.keys.entry(key.as_str()).or_default(),
                PathSegment::Index(index) => at.items.entry(*index).or_default(),
            });
            place.are_here = true;
        }
        all
    }
}

/// Keeps one error for each field ("Handling Execution Errors"), because the engine runs a field as often as it is selected.
pub(super) fn keep_one_for_each_position(errors: &mut Vec<ServerError>) {
    let mut seen = HashSet::new();
    errors.retain(|error| error.path.is_empty() || seen.insert(format!("{:?}", error.path)));
}
