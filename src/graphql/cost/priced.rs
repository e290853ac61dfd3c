//! The prices of a schema, and what the price of a field depends on. The rule: only what several prices need is computed here.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::arguments::Arguments;
use super::circumstances::Sees;
use super::pages::{List, Requested};
use super::prices::{Price, PriceTable, TERMS_OF_POST};
use crate::content::read::Sizes;
use crate::model::TermKind;

pub(super) type TermCounts = [u64; TermKind::ALL.len()];

#[derive(Debug)]
pub(super) struct Prices(HashMap<&'static str, HashMap<&'static str, Price, RandomState>, RandomState>);

impl Prices {
    pub(super) fn of(table: &PriceTable) -> Self {
        Self(table.iter().map(|(of, fields)| (*of, fields.iter().copied().collect())).collect())
    }

    pub(super) fn get(&self, of: &str, field: &str) -> Option<&Price> {
        self.0.get(of)?.get(field)
    }
}

/// What the price of a field depends on.
pub(super) struct Priced<'a> {
    pub arguments: Arguments<'a>,
    pub sizes: &'a Sizes,
    /// The list of the page that the field is on.
    pub list: List,
    /// The selected parts of the page that the field returns.
    pub requested: Requested,
    /// Whether the post was read with its body.
    pub has_body: bool,
    /// The maximum number of terms of the post by kind, if it is known.
    pub terms: Option<TermCounts>,
    pub sees: Sees,
}

impl Priced<'_> {
    pub(super) fn terms_of_post(&self, kind: TermKind) -> u64 {
        let known = self.terms.map_or(u64::MAX, |terms| terms[kind as usize]);
        terms_of_post(kind, self.sizes).min(known)
    }
}

/// The maximum number of terms of one kind that a post has.
pub(super) fn terms_of_post(kind: TermKind, sizes: &Sizes) -> u64 {
    TERMS_OF_POST.min(sizes.terms(kind).unwrap_or(u64::MAX))
}
