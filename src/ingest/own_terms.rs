//! Terms of an export whose first slug now belongs to another term of the store. The rule: an import never changes a stored term that only has the same first
//! slug, because that is another term; the imported term becomes a new one.

use std::collections::HashMap;

use crate::model::{Slug, Term, TermNodeId};

use crate::import::{ImportedTerm, Note};

/// The id and the slug of an exported term whose slug is not its first.
pub(super) fn renamed(imported: &ImportedTerm) -> Option<(&TermNodeId, &Slug)> {
    let (id, slug) = imported.node_id.as_ref().zip(imported.slug.as_ref())?;
    (id.key.first_slug != *slug).then_some((id, slug))
}

/// Makes the imported terms compatible with the store. A term whose first slug belongs to another stored term becomes a new term, which the notes name: its
/// present slug becomes its first slug, and it keeps the former slugs that belong to no stored term.
pub(super) fn give_own_slugs(imported: &[ImportedTerm], stored: &[Term]) -> (Vec<ImportedTerm>, Vec<Note>) {
    let owners = owners(stored);
    let mut notes = Vec::new();
    let own = imported.iter().map(|term| {
        let Some((id, slug)) = renamed(term) else { return term.clone() };
        let first_slug = &id.key.first_slug;
        if owners.get(first_slug).is_none_or(|owner| owner.node_id() == *id) {
            return term.clone();
        }
        if !owners.contains_key(slug) {
            let noun = term.kind.noun();
            let text = format!(
                "the slug {first_slug}, which it had first, belongs to another {noun}, so it becomes a new {noun} with a new id"
            );
            notes.push(Note { origin: format!("{noun} {slug}"), text });
        }
        let former_slugs = term.former_slugs.iter().filter(|former| !owners.contains_key(former)).cloned().collect();
        ImportedTerm { node_id: None, version: 1, former_slugs, ..term.clone() }
    });
    (own.collect(), notes)
}

/// The owner of each slug: the term that has it as its first slug, else as its current slug, else as a former one.
fn owners(stored: &[Term]) -> HashMap<&Slug, &Term> {
    let former = stored.iter().flat_map(|term| term.former_slugs.iter().map(move |slug| (slug, term)));
    let present = stored.iter().map(|term| (&term.slug, term));
    let first = stored.iter().map(|term| (&term.id.first_slug, term));
    former.chain(present).chain(first).collect()
}
