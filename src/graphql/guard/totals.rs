//! The totals of a selection set with its fragments expanded. The rule: sums and products saturate, so that a fragment bomb results
//! in a very large number and not in a long walk.

/// The totals of one selection set, including everything below it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Totals {
    /// Fields, spreads and inline fragments.
    pub fields: u64,
    /// Levels of nested fields.
    pub depth: u64,
    /// Levels of nested selection sets, including those of fragments. The engine recurses over them.
    pub nesting: u64,
    /// Fields of the set itself, including those of its fragments.
    pub own_fields: u64,
    pub aliases: u64,
    pub variable_uses: u64,
    /// The estimated number of values that introspection returns.
    pub introspection_values: u64,
}

impl Totals {
    pub(super) fn of_variables(uses: u32) -> Self {
        Self { variable_uses: uses.into(), ..Self::default() }
    }

    /// The totals of a selection set that contains both `self` and `other`.
    #[must_use]
    pub(super) fn beside(self, other: Self) -> Self {
        Self {
            fields: self.fields.saturating_add(other.fields),
            depth: self.depth.max(other.depth),
            nesting: self.nesting.max(other.nesting),
            own_fields: self.own_fields.saturating_add(other.own_fields),
            aliases: self.aliases.saturating_add(other.aliases),
            variable_uses: self.variable_uses.saturating_add(other.variable_uses),
            introspection_values: self.introspection_values.saturating_add(other.introspection_values),
        }
    }

    /// The totals of a fragment that contains `self`.
    #[must_use]
    pub(super) fn in_fragment(self) -> Self {
        Self { nesting: self.nesting.saturating_add(1), fields: self.fields.saturating_add(1), ..self }
    }

    /// The totals of a field outside of introspection whose selection set has the totals `self`.
    #[must_use]
    pub(super) fn under_field(self, has_selection: bool) -> Self {
        let nesting = self.nesting.saturating_add(u64::from(has_selection));
        let (depth, fields) = (self.depth.saturating_add(1), self.fields.saturating_add(1));
        Self { depth, nesting, fields, own_fields: 1, ..self }
    }

    /// The totals of an introspection field whose selection set has the totals `self`, and which returns about `values` values for each
    /// parent.
    #[must_use]
    pub(super) fn under_introspection_field(self, has_selection: bool, values: u64) -> Self {
        let introspection_values = self.introspection_values.saturating_add(1).saturating_mul(values);
        Self { depth: 0, introspection_values, ..self.under_field(has_selection) }
    }
}
