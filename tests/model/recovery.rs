//! What happens to an open intent whose lease has expired: decide, raise the fence, reconcile or remove, keep.

use crate::case::Case;
use crate::rows::{Marker, Post, PostRow, Row, TagRow};
use crate::state::{Actor, Plan, Reply, Role, State, Step};

impl Case {
    pub fn decide(&self, s: &mut State, a: &mut Actor) {
        if self.looks_made(s, a) {
            s.set_uncertain_reply(a, Reply::Made);
            return self.reconcile(s, a);
        }
        match fence_row(s, a).filter(|_| self.rules.fence) {
            Some(row) => {
                a.keep_etag(row);
                a.go(Step::Fence);
            }
            None => self.undo(s, a),
        }
    }

    /// W5.
    fn looks_made(&self, s: &State, a: &Actor) -> bool {
        if s.tables.record & (1 << a.name) != 0 {
            return true;
        }
        match s.plan(a.name) {
            Plan::None => false,
            Plan::Post { id, after, .. } if !self.rules.commit_is_named => {
                let is_like =
                    |post: Post| after.is_some_and(|after| after.place == post.place && after.tags == post.tags);
                s.tables.find(id).map_or(after.is_none(), |(post, _)| is_like(post))
            }
            Plan::Post { id, before, after, .. } => {
                let rows = before.into_iter().chain(after).map(|post| s.tables.post(post.place));
                let is_named = |row| match row {
                    PostRow::Whole { id: i, made_by, .. } => i == id && made_by == a.name,
                    PostRow::Redirect { id: i, by } => i == id && by == a.name,
                    PostRow::None | PostRow::Tentative { .. } => false,
                };
                let is_deleted =
                    before.is_some_and(|before| s.tables.marker(before.place.month, id) == Marker::Deleted(a.name));
                rows.into_iter().any(is_named) || is_deleted
            }
            Plan::Tag { tag, to, .. } => match s.tables.tag(tag) {
                TagRow::Identity { made_by, .. } => made_by == a.name,
                TagRow::Gone { by } => by == a.name && to.is_none(),
                TagRow::None | TagRow::Slug { .. } => false,
            },
        }
    }

    /// W6: the row that the commit replaces gets another ETag.
    pub fn raise_fence(&self, s: &mut State, a: &mut Actor) {
        let Some(row) = fence_row(s, a).filter(|row| a.sees(*row)) else {
            a.go(Step::Decide);
            return;
        };
        match row {
            Row::Marker { month, id } => *s.tables.marker_mut(month, id) = Marker::Fenced(a.name),
            Row::Tag(tag) if s.tables.tag(tag) == TagRow::None => {
                s.tables.put_tag_row(tag, TagRow::Gone { by: a.name }, false);
            }
            _ => {}
        }
        s.touch(a, row);
        self.undo(s, a);
    }

    fn undo(&self, s: &mut State, a: &mut Actor) {
        s.set_uncertain_reply(a, Reply::Refused);
        a.is_aborting = true;
        a.seen = 0;
        self.go(s, a, Step::ReadOwnRow);
    }
}

impl State {
    /// A writer that has lost the answer to its commit decides for itself; a recovery sends no reply.
    fn set_uncertain_reply(&mut self, a: &Actor, reply: Reply) {
        if a.role == Role::Writer {
            self.set_reply(a.name, reply);
        }
    }
}

fn fence_row(s: &State, a: &Actor) -> Option<Row> {
    match s.plan(a.name) {
        Plan::Post { id, before: Some(before), .. } => {
            let is_there = matches!(s.tables.post(before.place), PostRow::Whole { id: i, .. } if i == id);
            is_there.then_some(Row::Post(before.place))
        }
        Plan::Post { id, after: Some(after), .. } => {
            let is_done = matches!(s.tables.marker(after.place.month, id), Marker::Fenced(_));
            (!is_done).then_some(Row::Marker { month: after.place.month, id })
        }
        // A deleted tag cannot be renamed or deleted any more.
        Plan::Tag { tag, from, .. } => (from.is_none() || s.tables.tag(tag) != TagRow::None).then_some(Row::Tag(tag)),
        Plan::Post { .. } | Plan::None => None,
    }
}
