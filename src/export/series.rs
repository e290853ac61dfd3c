//! The places of posts in their series. The rule: only the posts that a series has in order have one, so that an import puts the same posts in order.

use std::collections::HashMap;

use crate::model::{Post, PostId, Slug, Term};

/// From 1 on, by the first slug of the series and the post.
#[derive(Default)]
pub(super) struct SeriesPlaces(HashMap<(Slug, PostId), i32>);

impl SeriesPlaces {
    /// Adds the posts of a term, if it is a series.
    pub(super) fn add(&mut self, term: &Term) {
        let places = term.order.iter().zip(1..);
        self.0.extend(places.map(|(post, place)| ((term.id.first_slug.clone(), post.clone()), place)));
    }

    pub(super) fn of(&self, post: &Post) -> Option<i32> {
        self.0.get(&(post.series.clone()?, post.id.clone())).copied()
    }
}
