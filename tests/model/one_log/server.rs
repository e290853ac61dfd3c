//! A server with a cache, and a reader without one.

use super::case::{Action, Cache, Case};
use super::rows::{PARTITIONS, Post, post_key, read_slug_row, slug_key};
use super::state::{Lookup, Mark, State};

/// The partition of the slugs.
const OF_SLUGS: usize = 4;

impl Case {
    pub fn actions_of_server(&self, s: &State, actions: &mut Vec<Action>) {
        if self.cache == Cache::Nowhere {
            return;
        }
        if s.server.cached.is_none() && s.server.reading.is_none() {
            let changes = |partition: &usize| s.log.iter().any(|entry| entry.touches(*partition)) || *partition == 0;
            actions.extend((0..PARTITIONS).filter(changes).map(Action::Fill));
        }
        if s.server.reading.is_some() {
            actions.push(Action::Keep);
        }
        // All entries but the last are applied, because the next one was appended.
        let known = [s.head().saturating_sub(1), s.head()];
        let is_next =
            |number: &usize| *number > s.server.horizon && (!self.rules.wait_for_applied || s.is_applied(*number));
        actions.extend(known.into_iter().filter(is_next).map(Action::Advance));
    }

    pub fn fill(s: &mut State, partition: usize) {
        s.server.reading = Some((partition, s.marks[partition], s.server.horizon));
    }

    pub fn keep(&self, s: &mut State) {
        let Some((partition, seen, since)) = s.server.reading.take() else { return };
        let was_dropped = s.log[since..s.server.horizon].iter().any(|entry| entry.touches(partition));
        if !was_dropped || !self.rules.check_generation {
            s.server.cached = Some((partition, seen));
        }
    }

    /// The horizon goes to an entry, and what the entries on the way touch is dropped.
    pub fn advance(s: &mut State, number: usize) {
        let from = s.server.horizon;
        if number > from {
            s.server.horizon = number;
            let is_touched = |partition: usize| s.log[from..number].iter().any(|entry| entry.touches(partition));
            s.server.cached = s.server.cached.filter(|(partition, _)| !is_touched(*partition));
        }
    }

    pub fn actions_of_reader(&self, s: &State, actions: &mut Vec<Action>) {
        if self.lookup.is_some() {
            actions.push(match s.lookup {
                None => Action::ReadSlug,
                Some(Lookup::Named { .. }) => Action::ReadPost,
                Some(Lookup::Gone { .. }) => Action::ReadSlugAgain,
            });
        }
    }

    pub fn read_slug(&self, s: &mut State) {
        let Some(slug) = self.lookup else { return };
        let (row, seen): (u8, Mark) = (s.rows[slug_key(slug)], s.marks[OF_SLUGS]);
        let (since, is_same) = match s.lookup {
            Some(Lookup::Gone { since, row: earlier, seen: then }) => (since, (earlier, then) == (row, seen)),
            _ => (s.head(), false),
        };
        s.lookup = Some(Lookup::Named { since, row, seen });
        if row == 0 || is_same {
            self.answer_missing(s, since, slug);
        }
    }

    pub fn read_post(&self, s: &mut State) {
        let (Some(Lookup::Named { since, row, seen }), Some(slug)) = (s.lookup.take(), self.lookup) else { return };
        let Some((post, month)) = read_slug_row(row) else { return };
        if Post::unpack(s.rows[post_key(month, post)]).is_some_and(|state| state.slug == slug) {
            return;
        }
        if self.rules.read_slug_again {
            s.lookup = Some(Lookup::Gone { since, row, seen });
        } else {
            self.answer_missing(s, since, slug);
        }
    }

    /// Right if at some moment since the reader began no post had the slug.
    fn answer_missing(&self, s: &mut State, since: usize, slug: usize) {
        s.lookup = None;
        let has_slug = |state: u8| Post::unpack(state).is_some_and(|post| post.slug == slug);
        if s.worlds[since.saturating_sub(1)..].iter().all(|world| world[..2].iter().any(|state| has_slug(*state))) {
            s.broken = Some("a reader was told that a post is missing which existed all the time");
        }
    }
}
