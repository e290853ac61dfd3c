//! What the fields of a mutation's input cost. The rule: an input is known before the mutation runs, so a mutation costs what its input names.

use super::arguments::Arguments;
use super::bound::Bound;

/// The cost of a field of the argument `input`.
#[derive(Debug, Clone, Copy)]
pub(super) struct InputCost {
    pub field: &'static str,
    /// The maximum number of values that are looked up.
    most: u64,
    /// For each value.
    each: Bound,
    /// If the field may be omitted.
    omitted: Bound,
}

/// The cost of up to `most` values.
pub(super) const fn given(field: &'static str, most: u64, each: Bound) -> InputCost {
    InputCost { field, most, each, omitted: Bound::NONE }
}

impl InputCost {
    pub(super) const fn or_omitted(self, omitted: Bound) -> Self {
        Self { omitted, ..self }
    }

    pub(super) fn bound(&self, arguments: &Arguments<'_>) -> Bound {
        let path = ["input", self.field];
        let given = self.each.times(arguments.length(&path, self.most as usize));
        if arguments.surely_has(&path) { given } else { given.plus(self.omitted) }
    }
}
