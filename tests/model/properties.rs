//! The properties that must hold: always, and after all actors have ended.

use stateright::{Model, Property};

use crate::case::Case;
use crate::rows::{Listing, MONTHS, Marker, POSTS, Place, Post, PostRow, SLUGS, TAGS, Tables, TagRow};
use crate::state::{Reply, State, Step, WRITERS};

pub const ALL_HAVE_ENDED: &str = "all have ended";

pub fn all() -> Vec<Property<Case>> {
    vec![
        Property::always("a change was made exactly as its reply says", |_, s| replies_are_true(s)),
        Property::always("every commit is built on the version before it", |_, s: &State| !s.is_update_lost),
        Property::always("readers find each post as it was committed, and once", |_, s| posts_are_found(s)),
        Property::always("a committed post is in the list of each of its tags", |_, s| pointers_exist(s)),
        Property::always("a committed post has its id and its slugs", |_, s| claims_exist(s)),
        Property::always("a committed post is in a listed month", |_, s| months_are_listed(s)),
        Property::always("a tag that is used exists", |_, s| tags_exist(s)),
        Property::always("nobody waits for ever", |case, s: &State| s.is_at_rest() || !is_stuck(case, s)),
        Property::always("at rest nothing is left to repair", |_, s: &State| !s.is_at_rest() || is_exact(s)),
        Property::sometimes(ALL_HAVE_ENDED, |_, s: &State| s.is_at_rest()),
    ]
}

fn replies_are_true(s: &State) -> bool {
    (0..WRITERS).all(|number| {
        let is_made = s.made & (1 << number) != 0;
        match s.replies[number] {
            Reply::Nothing => true,
            Reply::Made => is_made,
            Reply::Refused => !is_made,
            Reply::Unknown => s.disturbed & (1 << number) != 0,
        }
    })
}

fn committed(s: &State) -> impl Iterator<Item = (u8, Post)> {
    (0..POSTS).filter_map(|id| s.posts[usize::from(id)].map(|post| (id, post)))
}

fn posts_are_found(s: &State) -> bool {
    (0..POSTS).all(|id| {
        let found = s.tables.find(id);
        let expected = s.posts[usize::from(id)];
        let is_once = Tables::places().filter(|place| is_whole(s, *place, id)).count() <= 1;
        found == expected.map(|post| (post, post.place))
            && is_once
            && expected.is_none_or(|post| points_to(s, id, post.place))
    })
}

/// The claim of the id names the place, or a place with a redirect.
fn points_to(s: &State, id: u8, place: Place) -> bool {
    let Some(claim) = s.tables.ids[usize::from(id)] else { return false };
    claim.place == place || matches!(s.tables.post(claim.place), PostRow::Redirect { id: i, .. } if i == id)
}

fn is_whole(s: &State, place: Place, id: u8) -> bool {
    matches!(s.tables.post(place), PostRow::Whole { id: i, .. } if i == id)
}

fn pointers_exist(s: &State) -> bool {
    committed(s).all(|(id, post)| {
        (0..TAGS).all(|tag| !post.has_tag(tag) || s.tables.pointer(tag, post.place.month, id).is_some())
    })
}

fn claims_exist(s: &State) -> bool {
    committed(s).all(|(id, post)| {
        let is_claimed = |slug: u8| s.tables.slugs[usize::from(slug)].is_some_and(|claim| claim.id == id);
        s.tables.ids[usize::from(id)].is_some() && (0..SLUGS).all(|slug| !post.has_slug(slug) || is_claimed(slug))
    })
}

fn months_are_listed(s: &State) -> bool {
    committed(s).all(|(_, post)| {
        let listing = s.tables.listings[usize::from(post.place.month)];
        listing.count > 0 || listing.needed_by != 0
    })
}

/// A tag that is created with a post is created after it.
fn tags_exist(s: &State) -> bool {
    committed(s).all(|(id, post)| {
        (0..TAGS).filter(|tag| post.has_tag(*tag)).all(|tag| {
            let is_being_made = (0..WRITERS as u8).any(|name| {
                let plan = s.plan(name);
                plan.id() == Some(id) && plan.makes_tag(tag) && s.made & (1 << name) != 0 && !s.is_closed(name)
            });
            is_being_made || matches!(s.tables.tag(tag), TagRow::Identity { .. })
        })
    })
}

/// Evaluated only if all actors that have not ended are at a step that can wait.
fn is_stuck(case: &Case, s: &State) -> bool {
    let may_wait = |step| matches!(step, Step::Done | Step::Plan | Step::ReadClaimIntents | Step::MakeTags);
    let is_suspect = s.late.is_none()
        && s.cleaner.as_ref().is_none_or(|cleaner| may_wait(cleaner.step))
        && s.writers.iter().all(|writer| may_wait(writer.step));
    is_suspect && case.next_states(s).is_empty()
}

fn is_exact(s: &State) -> bool {
    posts_are_exact(s) && index_is_exact(s) && tags_are_exact(s) && s.tables.record == s.made
}

fn posts_are_exact(s: &State) -> bool {
    let rows = Tables::places().all(|place| match s.tables.post(place) {
        PostRow::None => true,
        PostRow::Whole { id, post, .. } => s.posts[usize::from(id)] == Some(post) && post.place == place,
        PostRow::Tentative { .. } | PostRow::Redirect { .. } => false,
    });
    let markers = (0..MONTHS).all(|month| (0..POSTS).all(|id| s.tables.marker(month, id) == Marker::None));
    let posts = s.posts;
    let ids =
        (0..POSTS as usize).all(|id| s.tables.ids[id].map(|claim| claim.place) == posts[id].map(|post| post.place));
    let slugs = (0..SLUGS).all(|slug| {
        let owner = (0..POSTS).find(|id| posts[usize::from(*id)].is_some_and(|post| post.has_slug(slug)));
        s.tables.slugs[usize::from(slug)].map(|claim| claim.id) == owner
    });
    let revisions = (0..POSTS as usize).all(|id| posts[id].is_some() || !s.tables.revisions[id]);
    rows && markers && ids && slugs && revisions
}

fn index_is_exact(s: &State) -> bool {
    let pointers = (0..TAGS).all(|tag| {
        (0..MONTHS).all(|month| {
            (0..POSTS).all(|id| {
                let has = s.posts[usize::from(id)].is_some_and(|post| post.has_pointer(tag, month));
                s.tables.pointer(tag, month, id).is_some() == has
            })
        })
    });
    let count = |month| committed(s).map(|(_, post)| u8::from(post.place.month == month)).sum::<u8>();
    pointers
        && (0..MONTHS)
            .all(|month| s.tables.listings[usize::from(month)] == Listing { count: count(month), needed_by: 0 })
}

fn tags_are_exact(s: &State) -> bool {
    s.tables.tags_are_counted()
        && (0..TAGS).all(|key| match s.tables.tag(key) {
            TagRow::None => s.tags[usize::from(key)].is_none(),
            TagRow::Identity { slug, former, .. } => {
                let is_slug_row =
                    |slug: u8| slug == key || matches!(s.tables.tag(slug), TagRow::Slug { first, .. } if first == key);
                s.tags[usize::from(key)] == Some((slug, former))
                    && (0..TAGS).filter(|k| former & (1 << k) != 0).chain([slug]).all(is_slug_row)
            }
            TagRow::Gone { .. } => false,
            TagRow::Slug { first, listed, .. } => match s.tables.tag(first) {
                TagRow::Identity { slug, former, .. } => {
                    listed == (slug == key) && (slug == key || former & (1 << key) != 0)
                }
                TagRow::None | TagRow::Gone { .. } | TagRow::Slug { .. } => false,
            },
        })
}
