//! Slugs that posts in several languages prefer. The rule: such a post has its language after the slug, so its address does not depend on the order
//! of the files; the language of most posts needs no suffix.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Entry;
use super::assigned::AssignedSlugs;
use tidings_model::{Language, Slug};

pub(super) struct SlugLanguages<'e> {
    /// The language of most posts.
    main: Option<&'e Language>,
    /// The slugs that posts in several languages prefer.
    shared: HashSet<&'e str>,
}

impl<'e> SlugLanguages<'e> {
    pub(super) fn of(entries: &'e [Entry], assigned: &AssignedSlugs<'e>) -> Self {
        let groups = assigned.groups().into_iter();
        let shared = groups.filter_map(|range| shared_slug(entries, assigned.group(range))).collect();
        Self { main: most_frequent(entries), shared }
    }

    /// The slug with the language of an entry, if entries in other languages prefer the same slug.
    pub(super) fn told_apart(&self, entry: &Entry) -> Option<Slug> {
        if self.shared.contains(entry.slug.as_str()) { with_language(entry) } else { None }
    }

    pub(super) fn is_main(&self, entry: &Entry) -> bool {
        entry.language.as_ref() == self.main
    }
}

/// The preferred slug of an entry, followed by its language.
pub(super) fn with_language(entry: &Entry) -> Option<Slug> {
    Some(entry.slug.with_suffix(&entry.language.as_ref()?.index_slug()))
}

/// The slugs with a language that earlier runs may have given to the entries of a group.
pub(super) fn named(entries: &[Entry], group: &[u32]) -> BTreeSet<Slug> {
    let mut known = HashSet::new();
    let entries = group.iter().map(|index| &entries[*index as usize]);
    entries.filter(|entry| known.insert(entry.language.as_ref())).filter_map(with_language).collect()
}

/// The preferred slug of a group, if its entries are in several languages.
fn shared_slug<'e>(entries: &'e [Entry], group: &[u32]) -> Option<&'e str> {
    let entry = |index: &u32| &entries[*index as usize];
    let (first, others) = group.split_first()?;
    let differs = others.iter().any(|other| entry(other).language != entry(first).language);
    differs.then(|| entry(first).slug.as_str())
}

/// The language of most entries; of several, English, the default of the generators, or else the first one.
fn most_frequent(entries: &[Entry]) -> Option<&Language> {
    let mut posts: BTreeMap<&Language, u32> = BTreeMap::new();
    for language in entries.iter().filter_map(|entry| entry.language.as_ref()) {
        *posts.entry(language).or_default() += 1;
    }
    let most = *posts.values().max()?;
    let mut languages = posts.iter().filter(|(_, count)| **count == most).map(|(language, _)| *language);
    languages.clone().find(|language| language.as_str() == "en").or_else(|| languages.next())
}
