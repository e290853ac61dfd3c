//! Computes the new post or term from the source and the stored one. The rule: all functions are pure; values that are missing in the source are kept.

use std::collections::HashMap;

use crate::model::excerpt::excerpt_of;
use crate::model::{ActorSnapshot, Instant, Post, PostId, Slug, Term, TermKind, TermNodeId, WholePost, rules};

use crate::import::CategoryTree;
use crate::import::{ImportedPost, ImportedTerm, NewTerm, Note, ResolvedPost, ResolvedTerms, Term as NamedTerm};

/// The slugs of all terms that an import names.
#[derive(Debug, Default)]
pub(super) struct ImportTerms {
    resolved: [ResolvedTerms; TermKind::ALL.len()],
    /// The first slug of a term, which posts store, by any other slug of the term.
    first_slugs: HashMap<(TermKind, Slug), Slug>,
}

impl ImportTerms {
    pub(super) fn set(&mut self, kind: TermKind, resolved: ResolvedTerms) {
        self.resolved[kind as usize] = resolved;
    }

    /// Maps each current and former slug of these terms to the first slug of the term.
    pub(super) fn know(&mut self, terms: &[Term]) {
        for term in terms {
            let others = term.former_slugs.iter().chain([&term.slug]).filter(|slug| **slug != term.id.first_slug);
            self.first_slugs.extend(others.map(|slug| ((term.kind(), slug.clone()), term.id.first_slug.clone())));
        }
    }

    /// Sets the parent of each category that its description or a post names. A category without a parent in the source keeps its current one.
    pub(super) fn set_parents(&self, resolved: &ResolvedTerms, tree: &CategoryTree, categories: &mut [Term]) {
        for (category, new) in categories.iter_mut().zip(&resolved.terms) {
            let by_name = || resolved.slug_of(&NamedTerm::named(tree.above(&new.imported.name)?));
            if let Some(parent) = new.imported.parent.clone().or_else(by_name) {
                let key = (TermKind::Category, parent.clone());
                category.parent = Some(self.first_slugs.get(&key).cloned().unwrap_or(parent));
            }
        }
    }

    /// The slugs in the order of the source, each once.
    fn slugs(&self, kind: TermKind, names: &[NamedTerm]) -> Vec<Slug> {
        let mut slugs: Vec<Slug> = Vec::with_capacity(names.len());
        for slug in names.iter().filter_map(|name| self.resolved[kind as usize].slug_of(name)) {
            let slug = self.first_slugs.get(&(kind, slug.clone())).cloned().unwrap_or(slug);
            if !slugs.contains(&slug) {
                slugs.push(slug);
            }
        }
        slugs
    }
}

/// The term to store: a new one as the source describes it, or an existing one with the values that the source adds.
pub(super) fn term(kind: TermKind, new: &NewTerm, stored: &[Term]) -> Term {
    let old = stored.iter().find(|term| term.slug == new.slug);
    let ImportedTerm { name, description, url, profile, node_id, version, former_slugs, .. } = new.imported.clone();
    // The writer keeps the id and counts the version of a stored term. If the term is deleted meanwhile, a new one with a new id is created.
    let kept = old.map(|old| Term { creation: None, creation_key: None, version: 1, ..old.clone() });
    let mut term = kept.unwrap_or_else(|| {
        let named = Term::new(kind, new.slug.clone(), name);
        let named = Term { version, former_slugs, ..named };
        match node_id {
            Some(TermNodeId { key, creation }) => Term { id: key, creation: Some(creation), ..named },
            None => named,
        }
    });
    term.description = description.or(term.description);
    term.url = url.or(term.url).filter(|url| !url.is_empty());
    term.profile = profile.over(term.profile);
    term
}

/// Whether the publication has ended at the import, or would end before it begins. Such a post is imported as a draft.
pub(super) fn is_over(unpublish_at: Option<Instant>, published_at: Option<Instant>, now: Instant) -> bool {
    unpublish_at.is_some_and(|end| end <= published_at.map_or(now, |at| at.max(now)))
}

pub(super) fn note_of_end(origin: String, unpublish_at: Option<Instant>) -> Option<Note> {
    Some(Note { origin, text: format!("is imported as a draft, because its publication ends at {}", unpublish_at?) })
}

/// `before`: the stored post or page. `id`: the id for a new one.
pub(super) fn build(
    imported: ImportedPost,
    terms: &ImportTerms,
    resolved: &ResolvedPost,
    before: Option<&WholePost>,
    id: PostId,
    now: Instant,
) -> WholePost {
    let stored = before.map(|whole| &whole.post);
    let is_over = is_over(imported.unpublish_at, imported.published_at, now);
    let published_at = imported.published_at.filter(|_| !imported.is_draft && !is_over);
    let created_at = imported
        .created_at
        .or(stored.map(|post| post.created_at))
        .unwrap_or_else(|| published_at.map_or(now, |at| at.min(now)));
    let updated_at = imported.updated_at.unwrap_or(if stored.is_some() { now } else { created_at });
    let id = stored.map_or(id, |post| post.id.clone());
    // In an export of Tidings, an empty excerpt counts, too.
    let is_exported = imported.of_export.is_some() || imported.version.is_some();
    let own_excerpt = imported.excerpt.as_deref().filter(|text| is_exported || !text.trim().is_empty());
    let has_own_excerpt = own_excerpt.is_some();
    let excerpt = match (own_excerpt, before) {
        (Some(own), _) => rules::without_unwritten(own).into_owned(),
        // A later version of Tidings may generate a different excerpt, which is not a change of the post.
        (None, Some(before)) if !before.post.has_own_excerpt && *before.markdown == *imported.markdown => {
            before.post.excerpt.clone()
        }
        (None, _) => excerpt_of(&imported.markdown),
    };
    // A draft has no end of publication.
    let unpublish_at = imported.unpublish_at.or(stored.and_then(|post| post.unpublish_at));
    let unpublish_at = unpublish_at.filter(|end| published_at.is_some_and(|at| *end > at));
    let post = Post {
        slug: resolved.slug.clone(),
        title: rules::without_unwritten(&imported.title).into_owned(),
        subtitle: imported.subtitle.as_deref().and_then(|text| rules::subtitle(&rules::without_unwritten(text))),
        excerpt,
        has_own_excerpt,
        version: stored.map_or(imported.version.unwrap_or(1), |post| post.version.saturating_add(1)),
        created_at,
        updated_at,
        published_at,
        unpublish_at,
        authors: terms.slugs(TermKind::Author, &imported.authors),
        categories: terms.slugs(TermKind::Category, &imported.categories),
        tags: terms.slugs(TermKind::Tag, &imported.tags),
        series: match &imported.series {
            Some(named) => terms.slugs(TermKind::Series, named).into_iter().next(),
            None => stored.and_then(|post| post.series.clone()),
        },
        translation_group: stored.and_then(|post| post.translation_group.clone()),
        former_slugs: former_slugs(resolved, stored),
        cover: imported.cover.over(stored),
        enclosure: imported.enclosure.clone(),
        language: imported.language.over(stored),
        is_featured: imported.is_featured.unwrap_or_else(|| stored.is_some_and(|post| post.is_featured)),
        field_index: stored.map(|post| post.field_index.clone()).unwrap_or_default(),
        origin: imported.stored_origin(&id),
        id,
    };
    let metadata = imported.metadata.or_else(|| before.map(|whole| whole.metadata.clone())).unwrap_or_default();
    WholePost { post, markdown: imported.markdown.into(), metadata, changed_by: Some(ActorSnapshot::import()) }
}

/// Former slugs never stop redirecting to their post: the stored ones are kept, and those of the source are added.
fn former_slugs(resolved: &ResolvedPost, before: Option<&Post>) -> Vec<Slug> {
    let mut former: Vec<Slug> = before.map(|post| post.former_slugs.clone()).unwrap_or_default();
    let old = before.map(|post| &post.slug).filter(|slug| **slug != resolved.slug);
    for slug in old.into_iter().chain(&resolved.aliases) {
        if !former.contains(slug) {
            former.push(slug.clone());
        }
    }
    former.retain(|slug| *slug != resolved.slug);
    former
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::OfExport;

    #[test]
    fn a_blank_excerpt_is_none_except_in_an_export() {
        let built = |excerpt: &str, of_export: Option<OfExport>| {
            let (excerpt, markdown) = (Some(excerpt.to_owned()), "The text.".to_owned());
            let imported = ImportedPost { excerpt, markdown, of_export, ..ImportedPost::default() };
            let resolved = ResolvedPost::of("a".parse().expect("a slug"));
            let terms = ImportTerms::default();
            let post = build(imported, &terms, &resolved, None, PostId::from_bits(1), Instant::MIN).post;
            (post.excerpt, post.has_own_excerpt)
        };
        assert_eq!(built("A", None), ("A".to_owned(), true));
        for blank in ["", " \n"] {
            assert_eq!(built(blank, None), ("The text.".to_owned(), false));
        }
        assert_eq!(built("", Some(OfExport::default())), (String::new(), true));
    }
}
