//! Rows that follow from a post or term alone. The rule: both executors write exactly what these functions return.

use std::collections::BTreeMap;

use crate::content::access::secret;
use crate::content::tables::rows::{lookup as rows, post, term};
use crate::keys::intent::IntentName;
use crate::keys::lookup::{self, Lookup};
use crate::model::{CreationId, Post, Slug, Term, TermKind};
use crate::store::{Key, Properties};

/// The content of a row of `PostKeys` for the post that owns it; `None` if the post does not own it.
pub(crate) fn claim_row(key: &Key, post: &Post, intent: &str) -> Option<Properties> {
    match lookup::parse(key)? {
        Lookup::Id(_) => Some(rows::place(post, intent)),
        Lookup::Slug(slug) if slug == post.slug => Some(rows::place(post, intent)),
        Lookup::Slug(slug) if post.former_slugs.contains(&slug) => Some(rows::former(&post.id, intent)),
        Lookup::Slug(_) => None,
    }
}

/// What `Revisions` keeps of a version that is replaced: its row, without the names of intents and without `PendingFrom`.
pub(crate) fn revision_row(row: &Properties) -> Properties {
    let marks = [post::MADE_BY, post::TAKEN_BY, post::PENDING_FROM, post::PENDING_BY];
    let set: Vec<&str> = marks.into_iter().filter(|mark| row.get(mark).is_some()).collect();
    set.into_iter().fold(row.clone(), |row, mark| row.without(mark))
}

/// The row of one slug of a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DerivedSlugRow {
    pub properties: Properties,
    /// Whether it has a mirror row and is counted.
    pub is_listed: bool,
}

/// The rows of all slugs of a term, without the names of intents.
pub(crate) fn term_rows(of: &Term) -> BTreeMap<Slug, DerivedSlugRow> {
    let first_slug = &of.id.first_slug;
    let row = |slug: &Slug| {
        let is_listed = *slug == of.slug;
        let properties = match slug == first_slug {
            true => term::identity(of),
            false => term::slug_row(first_slug, is_listed, ""),
        };
        (slug.clone(), DerivedSlugRow { properties, is_listed })
    };
    [first_slug, &of.slug].into_iter().chain(&of.former_slugs).map(row).collect()
}

/// The tag that an intent creates with a post. Its creation id follows from the intent, so that the writer and a recovery create the same tag.
pub(crate) fn new_tag(intent: &IntentName, slug: &Slug) -> Term {
    let hash = secret::hash(&format!("{intent} {slug}"));
    let bits = hash.first_chunk().expect("a hash has 32 bytes");
    let creation = CreationId::from_bits(u64::from_le_bytes(*bits));
    Term { creation: Some(creation), ..Term::new(TermKind::Tag, slug.clone(), slug.as_str()) }
}
