//! How a post names its terms: by their names, as people write them. The rule: a name that several terms have, or that results in another slug, is written
//! with its slug, so that an import finds the same term.

use std::collections::{HashMap, HashSet};

use crate::import::{Term as Named, folded};
use crate::model::{Slug, Term, TermKind};

/// The terms by their first slugs, which are stored in the posts.
#[derive(Default)]
pub(super) struct Labels(HashMap<(TermKind, Slug), Named>);

impl Labels {
    /// Adds all terms of a kind.
    pub(super) fn add(&mut self, kind: TermKind, terms: &[Term]) {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for term in terms {
            *counts.entry(folded(&term.name)).or_default() += 1;
        }
        for term in terms {
            let is_plain = term.name.trim() == term.name && !term.name.is_empty();
            let is_clear = counts[&folded(&term.name)] == 1 && Slug::from_name(&term.name).as_ref() == Some(&term.slug);
            let named = match is_plain {
                true => Named { name: term.name.clone(), slug: Some(term.slug.clone()).filter(|_| !is_clear) },
                false => by_slug(&term.slug),
            };
            self.0.insert((kind, term.id.first_slug.clone()), named);
        }
    }

    /// The terms of a post with these first slugs: by their slugs, if two of them would have the same name.
    pub(super) fn of(&self, kind: TermKind, first_slugs: &[Slug]) -> Vec<Named> {
        let named = |first: &Slug| self.0.get(&(kind, first.clone())).cloned().unwrap_or_else(|| by_slug(first));
        let terms: Vec<Named> = first_slugs.iter().map(named).collect();
        let mut seen = HashSet::new();
        match terms.iter().all(|term| seen.insert(folded(&term.name))) {
            true => terms,
            false => terms.into_iter().map(by_its_slug).collect(),
        }
    }
}

fn by_its_slug(term: Named) -> Named {
    match term.slug.clone().or_else(|| Slug::from_name(&term.name)) {
        Some(slug) => by_slug(&slug),
        None => term,
    }
}

fn by_slug(slug: &Slug) -> Named {
    Named { name: slug.to_string(), slug: Some(slug.clone()) }
}
