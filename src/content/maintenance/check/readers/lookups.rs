//! Looks up each post by its id and its slugs, and each term by its slugs, as readers do.

use std::collections::HashSet;

use futures_util::future::try_join_all;

use crate::content::error::Result;
use crate::content::maintenance::check::Owners;
use crate::content::read::Reader;
use crate::model::{PostId, Slug, Term};

use super::shown::{Shown, difference};
use crate::content::maintenance::check::known::Known;
use crate::content::maintenance::check::report::Difference;

/// The maximum number of concurrent look-ups.
const LOOKUPS_AT_ONCE: usize = 32;

pub(super) async fn check(shown: &Shown<'_>) -> Result<Vec<Difference>> {
    let owners = Owners::of(shown.posts);
    let mut differences = Vec::new();
    let known: Vec<_> = shown.posts.by_id.iter().collect();
    for some in known.chunks(LOOKUPS_AT_ONCE) {
        let mut checks = Vec::with_capacity(some.len());
        for (id, known) in some {
            checks.push(check_post(shown.editor, &owners, id, known));
        }
        differences.extend(try_join_all(checks).await?.into_iter().flatten());
    }
    let taken: HashSet<(_, &Slug)> =
        shown.terms.iter().flat_map(|term| [&term.slug, &term.id.first_slug].map(|slug| (term.kind(), slug))).collect();
    for some in shown.terms.chunks(LOOKUPS_AT_ONCE) {
        let mut checks = Vec::with_capacity(some.len());
        for term in some {
            let former = term.former_slugs.iter().filter(|slug| !taken.contains(&(term.kind(), *slug)));
            checks.push(check_term(shown.public, term, former.collect()));
        }
        differences.extend(try_join_all(checks).await?.into_iter().flatten());
    }
    Ok(differences)
}

async fn check_post(reader: &Reader, owners: &Owners<'_>, id: &PostId, known: &Known) -> Result<Vec<Difference>> {
    let mut differences = Vec::new();
    let mut compare = |asked: String, found: Option<PostId>| {
        if found.as_ref() != Some(id) {
            let found = found.map_or_else(|| "nothing".to_owned(), |id| format!("the post {id}"));
            differences.push(difference(&asked, format!("shows {found}, but should show the post {id}")));
        }
    };
    let found = reader.post_by_id(id).await?;
    compare(format!("node, of the post {id}"), found.map(|post| post.id.clone()));
    for slug in known.former_slugs.iter().chain([&known.slug]) {
        // If several posts had a slug, it points to one of them.
        if owners.points_to(slug, Some(id)).is_some_and(|(owner, _)| owner == id) {
            let found = reader.post_by_slug(slug).await?;
            compare(format!("post, of the slug {slug}"), found.map(|post| post.id.clone()));
        }
    }
    Ok(differences)
}

/// `former`: slugs that it had, and that no other term has.
async fn check_term(reader: &Reader, term: &Term, former: Vec<&Slug>) -> Result<Vec<Difference>> {
    let mut differences = Vec::new();
    let noun = term.kind().noun();
    for slug in [&term.slug, &term.id.first_slug] {
        let found = reader.term(term.kind(), slug).await?;
        if found.as_deref() != Some(term) {
            let found = found.map_or_else(|| "nothing".to_owned(), |term| format!("{term:?}"));
            differences.push(difference(&format!("{noun}, of the slug {slug}"), format!("shows {found}")));
        }
    }
    for slug in former {
        // If several terms had a slug, it points to one of them.
        let found = reader.term(term.kind(), slug).await?;
        if !found.is_some_and(|term| term.former_slugs.contains(slug)) {
            let what = format!("does not show the {noun} that once had it");
            differences.push(difference(&format!("{noun}, of the slug {slug}"), what));
        }
    }
    Ok(differences)
}
