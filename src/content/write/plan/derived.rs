//! Rows that follow from a post or term alone. The rule: a change writes exactly what these functions return.

use std::collections::BTreeMap;

use crate::content::access::secret;
use crate::content::tables::rows::{lookup as rows, post as post_rows, term};
use crate::keys::change_name::ChangeName;
use crate::keys::lookup::{self, Lookup};
use crate::model::{CreationId, Post, Slug, Term, TermKind};
use crate::store::{Key, Properties};

/// The content of a row of `PostKeys` for the post that owns it; `None` if the post does not own it.
pub(crate) fn claim_row(key: &Key, post: &Post) -> Option<Properties> {
    match lookup::parse(key)? {
        Lookup::Id(_) => Some(rows::place(post)),
        Lookup::End(..) => (lookup::by_end(post).as_ref() == Some(key)).then(|| rows::place(post)),
        Lookup::Slug(slug) if slug == post.slug => Some(rows::place(post)),
        Lookup::Slug(slug) if post.former_slugs.contains(&slug) => Some(rows::former(&post.id)),
        Lookup::Translation if lookup::by_translation(post).as_ref() == Some(key) => Some(post_rows::summary(post)),
        Lookup::Slug(_) | Lookup::Translation => None,
    }
}

/// The row of one slug of a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DerivedSlugRow {
    pub properties: Properties,
    /// Whether it has a mirror row and is counted.
    pub is_listed: bool,
}

/// The rows of all slugs of a term.
pub(crate) fn term_rows(of: &Term) -> BTreeMap<Slug, DerivedSlugRow> {
    let first_slug = &of.id.first_slug;
    let row = |slug: &Slug| {
        let is_listed = *slug == of.slug;
        let properties = match slug == first_slug {
            true => term::identity(of),
            false => term::slug_row(first_slug, is_listed),
        };
        (slug.clone(), DerivedSlugRow { properties, is_listed })
    };
    [first_slug, &of.slug].into_iter().chain(&of.former_slugs).map(row).collect()
}

/// The tag that a change creates with a post. Its creation id follows from the name of the change, so that the plan is pure.
pub(crate) fn new_tag(name: &ChangeName, slug: &Slug) -> Term {
    let hash = secret::hash(&format!("{name} {slug}"));
    let bits = hash.first_chunk().expect("a hash has 32 bytes");
    let creation = CreationId::from_bits(u64::from_le_bytes(*bits));
    Term { creation: Some(creation), ..Term::new(TermKind::Tag, slug.clone(), slug.as_str()) }
}
