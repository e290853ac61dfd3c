//! The categories, tags, authors and series of a source. The rule: each term occurs once, in the order of the source, so every run assigns the same
//! numbers to them.

use std::collections::HashMap;

use super::terms::folded;
use super::{ImportedTerm, Term, TermKind};
use tidings_model::Slug;

#[derive(Debug, Default)]
pub(super) struct TermList {
    terms: HashMap<TermKind, Vec<ImportedTerm>>,
    /// The index of a term in its list, by its slug if the source gives one, or else by its name.
    places: HashMap<(TermKind, Result<Slug, String>), usize>,
}

impl TermList {
    pub(super) fn of(&self, kind: TermKind) -> &[ImportedTerm] {
        self.terms.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// Adds a term that a post names.
    pub(super) fn add_named(&mut self, kind: TermKind, term: &Term) {
        let Term { name, slug } = term.clone();
        self.place(ImportedTerm::named(kind, slug, name));
    }

    /// Adds a term that the source describes. It replaces a term that a post named, because it has more data.
    pub(super) fn add_described(&mut self, term: ImportedTerm) {
        let place = self.place(term.clone());
        if let Some(known) = self.terms.get_mut(&term.kind).and_then(|list| list.get_mut(place)) {
            *known = term;
        }
    }

    fn place(&mut self, term: ImportedTerm) -> usize {
        let key = term.slug.clone().ok_or_else(|| folded(&term.name));
        let list = self.terms.entry(term.kind).or_default();
        *self.places.entry((term.kind, key)).or_insert_with(|| {
            list.push(term);
            list.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_after_the_name_is_kept() {
        let slug: Option<Slug> = "a".parse().ok();
        let (description, url) = (Some("d".to_owned()), None);
        let named = ImportedTerm::named(TermKind::Author, slug.clone(), "Ada");
        let ada = ImportedTerm { description, url, ..named };
        let mut list = TermList::default();
        list.add_named(TermKind::Author, &Term { name: "a".into(), slug });
        list.add_described(ada.clone());
        list.add_named(TermKind::Author, &Term { name: "B b".into(), slug: None });
        list.add_named(TermKind::Author, &Term { name: "b  B".into(), slug: None });
        let names: Vec<_> = list.of(TermKind::Author).iter().map(|term| term.name.as_str()).collect();
        assert_eq!((&list.of(TermKind::Author)[0], names), (&ada, vec!["Ada", "B b"]));
    }
}
