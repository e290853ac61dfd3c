//! What the price of a field depends on. The rule: nothing is computed here but what several prices need.

use super::arguments::Arguments;
use super::circumstances::Sees;
use super::pages::{List, Requested};
use super::prices::TERMS_OF_POST;
use crate::content::read::Sizes;
use crate::model::TermKind;

/// What the price of a field depends on.
pub(super) struct Priced<'a> {
    pub arguments: Arguments<'a>,
    pub sizes: &'a Sizes,
    /// The list whose page the field is on.
    pub list: List,
    /// The parts of a page that are selected below the field.
    pub requested: Requested,
    /// Whether the post was read with its body.
    pub has_body: bool,
    /// The terms that the post has at most, by kind, if that is known.
    pub terms: Option<[u64; 3]>,
    pub sees: Sees,
}

impl Priced<'_> {
    pub(super) fn terms_of_post(&self, kind: TermKind) -> u64 {
        let known = self.terms.map_or(u64::MAX, |terms| terms[kind as usize]);
        terms_of_post(kind, self.sizes).min(known)
    }
}

/// The terms of one kind that a post has at most.
pub(super) fn terms_of_post(kind: TermKind, sizes: &Sizes) -> u64 {
    TERMS_OF_POST.min(sizes.terms(kind).unwrap_or(u64::MAX))
}
