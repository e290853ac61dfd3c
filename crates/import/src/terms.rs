//! The categories, tags, authors and series of a source, and their slugs. The rule: each term occurs once, in the order of the source; the same
//! names in the same order with the same stored terms result in the same slugs, and a stored name keeps its slug.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{ImportedTerm, Note, Term, TermKind};
use tidings_model::composed::composed;
use tidings_model::{Slug, Term as StoredTerm};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTerm {
    pub slug: Slug,
    /// Whether the slug is not stored yet.
    pub is_new: bool,
    pub imported: ImportedTerm,
}

/// Every term of one kind that an import needs, and the slug of each name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedTerms {
    pub terms: Vec<NewTerm>,
    slugs: HashMap<String, Slug>,
}

/// Finds the slug of each term, all of one kind:
/// - a slug from the source is kept;
/// - names that differ only in case are one term, which has the first spelling as its name;
/// - a stored name keeps its slug; names with the same slug are distinguished by `-2`, `-3`…;
/// - a name without any character for a slug gets the slug `category`, `tag`, `author` or `series`.
pub fn resolve_terms(imported: &[ImportedTerm], stored: &[StoredTerm]) -> ResolvedTerms {
    let mut resolver = Resolver::new(stored);
    // Given slugs are first, so that no name takes the given slug of another term.
    for term in imported {
        if let Some(slug) = &term.slug {
            resolver.add(term, slug.clone());
        }
    }
    for term in imported.iter().filter(|term| term.slug.is_none()) {
        let known = resolver.resolved.slugs.get(&folded(&term.name)).cloned();
        let slug = known.unwrap_or_else(|| resolver.free(&base(term)));
        resolver.add(term, slug);
    }
    resolver.resolved
}

impl ResolvedTerms {
    pub fn slug_of(&self, term: &Term) -> Option<Slug> {
        term.slug.clone().or_else(|| self.slugs.get(&folded(&term.name)).cloned())
    }
}

#[derive(Default)]
struct Resolver {
    resolved: ResolvedTerms,
    /// The stored slugs, and those assigned here.
    taken: HashSet<Slug>,
    stored: HashSet<Slug>,
    added: HashSet<Slug>,
    /// The next number to try for a slug.
    next: HashMap<Slug, u32>,
}

impl Resolver {
    fn new(stored: &[StoredTerm]) -> Self {
        let mut resolver = Self::default();
        for term in stored {
            resolver.taken.insert(term.slug.clone());
            resolver.stored.insert(term.slug.clone());
            resolver.resolved.slugs.entry(folded(&term.name)).or_insert_with(|| term.slug.clone());
        }
        resolver
    }

    fn add(&mut self, term: &ImportedTerm, slug: Slug) {
        self.resolved.slugs.entry(folded(&term.name)).or_insert_with(|| slug.clone());
        self.taken.insert(slug.clone());
        if self.added.insert(slug.clone()) {
            let is_new = !self.stored.contains(&slug);
            self.resolved.terms.push(NewTerm { slug, is_new, imported: term.clone() });
        }
    }

    fn free(&mut self, base: &Slug) -> Slug {
        let next = self.next.entry(base.clone()).or_insert(1);
        while self.taken.contains(&base.numbered(*next)) {
            *next += 1;
        }
        base.numbered(*next)
    }
}

fn base(term: &ImportedTerm) -> Slug {
    Slug::from_name(&term.name).unwrap_or_else(|| Slug::from_name(term.kind.noun()).expect("letters are a slug"))
}

/// The name in lower case with single spaces, in Unicode's composed form; all spellings of one name have the same result.
pub fn folded(name: &str) -> String {
    composed(name).split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The terms of a source, without duplicates.
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

    pub(super) fn has_slug(&self, kind: TermKind, slug: Option<&Slug>) -> bool {
        slug.is_some_and(|slug| self.places.contains_key(&(kind, Ok(slug.clone()))))
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

/// The names of categories and of their parents, by the folded names, as in Hexo. A name that is below two others has no parent, and a note says so, because a
/// name is one category in Tidings.
#[derive(Debug, Default)]
pub struct CategoryTree(BTreeMap<String, (String, Option<String>)>);

impl CategoryTree {
    pub(super) fn add(&mut self, parent: &str, name: &str) {
        let (key, folded_parent) = (folded(name), folded(parent));
        if key != folded_parent {
            let (_, above) = self.0.entry(key).or_insert_with(|| (name.to_owned(), Some(parent.to_owned())));
            above.take_if(|known| folded(known) != folded_parent);
        }
    }

    /// The parent of the category.
    pub fn above(&self, name: &str) -> Option<&str> {
        self.0.get(&folded(name))?.1.as_deref()
    }

    /// Notes the names that are below several others.
    pub(super) fn notes(&self) -> impl Iterator<Item = Note> {
        let text = "is below several categories, so it is imported without a parent";
        let several = self.0.values().filter(|(_, above)| above.is_none());
        several.map(|(name, _)| Note { origin: format!("category {name}"), text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(name: &str, slug: Option<&str>) -> ImportedTerm {
        let slug = slug.map(|slug| slug.parse().expect("a slug"));
        ImportedTerm::named(TermKind::Author, slug, name)
    }

    fn resolve(names: &[&str], stored: &[(&str, &str)]) -> Vec<(String, String, bool)> {
        let names: Vec<_> = names.iter().map(|name| imported(name, None)).collect();
        let stored: Vec<_> = stored
            .iter()
            .map(|(slug, name)| StoredTerm::new(TermKind::Author, slug.parse().expect("a slug"), *name))
            .collect();
        let terms = resolve_terms(&names, &stored).terms;
        terms.into_iter().map(|term| (term.slug.to_string(), term.imported.name, term.is_new)).collect()
    }

    fn row(slug: &str, name: &str, is_new: bool) -> (String, String, bool) {
        (slug.into(), name.into(), is_new)
    }

    #[test]
    fn names_with_one_slug_are_numbered_and_spellings_are_one_term() {
        assert_eq!(
            resolve(&["Caf\u{e9}", "cafe\u{301}", "Cafe"], &[]),
            [row("cafe", "Caf\u{e9}", true), row("cafe-2", "Cafe", true)]
        );
        let found = resolve(&["DirtyF", "dirtyf", "C++", "C", "!?", "…?", "dirtyF "], &[]);
        let expected = [
            row("dirtyf", "DirtyF", true),
            row("c", "C++", true),
            row("c-2", "C", true),
            row("author", "!?", true),
            row("...", "…?", true),
        ];
        assert_eq!(found[..4], expected[..4]);
    }

    #[test]
    fn a_second_run_finds_the_same_slugs() {
        let stored = [("c", "C++"), ("c-2", "C"), ("author", "!?")];
        let found = resolve(&["C", "C++", "c#", "!?"], &stored);
        let expected =
            [row("c-2", "C", false), row("c", "C++", false), row("c-3", "c#", true), row("author", "!?", false)];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_given_slug_is_kept_and_no_name_takes_it() {
        let terms = [imported("Edge", None), imported("Edge Case", Some("edge")), imported("edge case", None)];
        let resolved = resolve_terms(&terms, &[]);
        let slug = |name, slug: Option<&str>| {
            let term = Term { name: String::from(name), slug: slug.map(|slug| slug.parse().expect("a slug")) };
            resolved.slug_of(&term).map(|slug| slug.to_string())
        };
        assert_eq!(slug("Edge Case", Some("edge")).as_deref(), Some("edge"));
        assert_eq!(slug("EDGE case", None).as_deref(), Some("edge"));
        assert_eq!(slug("Edge", None).as_deref(), Some("edge-2"));
        assert_eq!(slug("unheard of", None), None);
    }

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
