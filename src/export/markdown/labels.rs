//! Names the terms of a post as people do, by their names. The rule: a name of several terms, or one that results in another slug, is written with its slug, so
//! that an import finds the same term.

use std::collections::{HashMap, HashSet};

use crate::import::jsonl::TermRecord;
use crate::import::{Term, folded};
use crate::model::{Slug, TermKind};

#[derive(Default)]
pub(super) struct Labels {
    /// The names by slug.
    names: HashMap<(TermKind, Slug), String>,
    /// The number of terms with a name.
    counts: HashMap<(TermKind, String), usize>,
}

impl Labels {
    /// Adds a term. All of a kind must be added before a post is written.
    pub(super) fn add(&mut self, kind: TermKind, term: &TermRecord) {
        *self.counts.entry((kind, folded(&term.name))).or_default() += 1;
        self.names.insert((kind, term.slug.clone()), term.name.clone());
    }

    /// The terms of a post, given by their slugs, by name, or by slug if two of them would have the same name.
    pub(super) fn of(&self, kind: TermKind, by_slug: Vec<Term>) -> Vec<Term> {
        let named: Vec<Term> = by_slug.iter().map(|term| self.named(kind, term)).collect();
        let mut seen = HashSet::new();
        if named.iter().all(|term| seen.insert(folded(&term.name))) { named } else { by_slug }
    }

    fn named(&self, kind: TermKind, by_slug: &Term) -> Term {
        let name = by_slug.slug.as_ref().and_then(|slug| self.names.get(&(kind, slug.clone())));
        let Some(name) = name.filter(|name| name.trim() == *name && !name.is_empty()) else { return by_slug.clone() };
        let is_only = self.counts.get(&(kind, folded(name))) == Some(&1);
        let is_clear = is_only && Slug::from_name(name) == by_slug.slug;
        Term { name: name.clone(), slug: by_slug.slug.clone().filter(|_| !is_clear) }
    }
}
