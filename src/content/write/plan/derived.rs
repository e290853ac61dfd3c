//! Rows that follow only from a post or term. The rule: a change writes exactly the rows that these functions return.

use std::collections::{BTreeMap, BTreeSet};

use crate::content::access::secret;
use crate::content::tables::rows::{lookup as rows, post as post_rows, term};
use crate::content::write::Partition;
use crate::keys::change_name::ChangeName;
use crate::keys::lookup::{self, Lookup};
use crate::keys::{PostPlace, Table, place, tag, term as term_keys};
use crate::model::{CreationId, Post, Slug, Term, TermKind};
use crate::store::{Key, Properties, Tag};

use super::{lookups, pointers};

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
    /// Whether the slug has a mirror row and is counted.
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

/// The tags of all rows of a post: of the answers that may change when the post appears, changes or is deleted.
pub(in crate::content) fn tags_of_post(post: &Post) -> BTreeSet<Tag> {
    let place = PostPlace::of(post);
    let own = [place.whole(&post.slug), place.summary(), place::count(place.partition())];
    let own = own.into_iter().map(|key| (place.collection.table(), key));
    // No answer depends on the end of a publication, which is not public.
    let end = lookup::by_end(post);
    let found_by = lookups(post).into_iter().filter(|key| Some(key) != end.as_ref()).map(|key| (Table::PostKeys, key));
    let index = |slug: &Slug| place::count(term_keys::posts_partition(slug));
    let listed_by = pointers(post).into_iter().map(|pointer| (Table::PostsBy(pointer.kind), index(&pointer.slug)));
    let month = Partition::Month(place.collection, place.key.month()).listing();
    // Drafts are not in the list of languages.
    let language = post.language.as_ref().filter(|_| post.published_at.is_some());
    let language = language.map(|language| Partition::Language(language.index_slug()).listing());
    tag::of_writes(own.chain(found_by).chain(listed_by).chain([month]).chain(language))
}

/// The tags of all rows of a term.
pub(in crate::content::write) fn tags_of_term(of: &Term) -> BTreeSet<Tag> {
    let row = |slug: Slug| (Table::Terms(of.kind()), term_keys::term(&slug));
    tag::of_writes(term_rows(of).into_keys().map(row))
}

/// The tag that a change creates with a post. Its creation id follows from the name of the change, because the plan must be pure.
pub(crate) fn new_tag(name: &ChangeName, slug: &Slug) -> Term {
    let hash = secret::hash(&format!("{name} {slug}"));
    let bits = hash.first_chunk().expect("a hash has 32 bytes");
    let creation = CreationId::from_bits(u64::from_le_bytes(*bits));
    Term { creation: Some(creation), ..Term::new(TermKind::Tag, slug.clone(), slug.as_str()) }
}
