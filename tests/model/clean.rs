//! The rows that an abort, a recovery and the sweep of a kept intent remove (W4), the copies of counts (W8), and the end of an intent.

use crate::case::Case;
use crate::rows::{Intent, Marker, PostRow, Row, TagRow};
use crate::state::{Actor, Role, State, Step};

impl Case {
    /// Reads on until a row names the intent. A row that does not name it now never will, except after late requests, which the sweep handles.
    pub fn read_own_row(&self, s: &State, a: &mut Actor) {
        while let Some(row) = s.plan(a.name).own_rows().nth(usize::from(a.at)) {
            if self.is_to_clean(s, a, row) {
                a.keep_etag(row);
                a.step = Step::ReadForOwnRow;
                return;
            }
            a.at += 1;
        }
        self.go(s, a, Step::ReadListing);
    }

    fn is_to_clean(&self, s: &State, a: &Actor, row: Row) -> bool {
        let names = |by| by == a.name || !self.rules.remove_own_rows_only;
        match row {
            Row::Pointer { tag, month, id } => s.tables.pointer(tag, month, id).is_some_and(names),
            Row::Slug(slug) => {
                let id = s.plan(a.name).id();
                s.tables.slugs[usize::from(slug)].is_some_and(|claim| Some(claim.id) == id && names(claim.by))
            }
            Row::Id(id) => s.tables.ids[usize::from(id)].is_some_and(|claim| names(claim.by)),
            Row::Post(place) => matches!(s.tables.post(place), PostRow::Tentative { by, .. } if by == a.name),
            Row::Marker { month, id } => {
                // A fence stays until nothing can arrive late.
                let is_fence = a.role == Role::Recovery || (a.role == Role::Writer && a.is_uncertain);
                s.tables.marker(month, id).names(a.name) && !is_fence
            }
            Row::Tag(tag) => match s.tables.tag(tag) {
                TagRow::Slug { by, .. } => by == a.name,
                TagRow::Gone { by } => {
                    by == a.name && !(a.role == Role::Recovery || (a.role == Role::Writer && a.is_uncertain))
                }
                TagRow::None | TagRow::Identity { .. } => false,
            },
            Row::Revisions(id) => self.rules.sweep_revisions && s.tables.revisions[usize::from(id)],
            Row::Listing(_) => false,
        }
    }

    pub fn read_for_own_row(&self, s: &State, a: &mut Actor) {
        let row = self.own_row(s, a);
        let post = |id| s.tables.find(id).map(|(post, _)| post);
        let is_needed = match row {
            Row::Pointer { tag, month, id } => post(id).is_some_and(|post| post.has_pointer(tag, month)),
            Row::Slug(slug) => s.plan(a.name).id().and_then(post).is_some_and(|post| post.has_slug(slug)),
            Row::Id(id) | Row::Revisions(id) => post(id).is_some(),
            Row::Post(place) => s.plan(a.name).id().and_then(post).is_some_and(|post| post.place == place),
            Row::Tag(tag) => match s.tables.tag(tag) {
                TagRow::Slug { first, .. } => matches!(s.tables.tag(first), TagRow::Identity { slug, former, .. }
                    if slug == tag || former & (1 << tag) != 0),
                _ => false,
            },
            Row::Marker { .. } | Row::Listing(_) => false,
        };
        if is_needed && self.rules.remove_unneeded_rows_only {
            a.drop_etag(row);
            a.at += 1;
            let at = a.at;
            a.go(Step::ReadOwnRow);
            a.at = at;
            return self.skip(s, a);
        }
        a.step = Step::RemoveOwnRow;
    }

    pub fn remove_own_row(&self, s: &mut State, a: &mut Actor) {
        let row = self.own_row(s, a);
        if a.sees(row) {
            match row {
                Row::Pointer { tag, month, id } => *s.tables.pointer_mut(tag, month, id) = None,
                Row::Slug(slug) => s.tables.slugs[usize::from(slug)] = None,
                Row::Id(id) => s.tables.ids[usize::from(id)] = None,
                Row::Post(place) => *s.tables.post_mut(place) = PostRow::None,
                Row::Marker { month, id } => *s.tables.marker_mut(month, id) = Marker::None,
                Row::Tag(tag) => {
                    let was_listed = s.tables.tag(tag).is_listed(tag);
                    s.tables.put_tag_row(tag, TagRow::None, was_listed);
                }
                Row::Revisions(id) => s.tables.revisions[usize::from(id)] = false,
                Row::Listing(_) => unreachable!("a listing names nobody"),
            }
            s.touch(a, row);
        }
        // The row is read again: if it has changed, it may still name the intent.
        a.step = Step::ReadOwnRow;
        self.skip(s, a);
    }

    pub fn own_row(&self, s: &State, a: &Actor) -> Row {
        s.plan(a.name).own_rows().nth(usize::from(a.at)).expect("the step is skipped after the last row")
    }

    pub fn read_listing(&self, a: &mut Actor) {
        a.keep_etag(Row::Listing(a.at));
        a.step = Step::ReadCount;
    }

    pub fn read_count(&self, s: &State, a: &mut Actor) {
        a.read = s.tables.count(a.at);
        let is_look_needed = a.read == 0 && self.rules.look_before_unlisting && !self.rules.listing_names_changes;
        a.step = if is_look_needed { Step::LookBeforeUnlisting } else { Step::WriteListing };
    }

    pub fn look_before_unlisting(&self, s: &State, a: &mut Actor) {
        let names = |other| s.plan(other).puts_into(a.at) || s.plan(other).takes_from(a.at);
        if s.others(a.name).any(names) {
            self.next_listing(s, a);
        } else {
            a.step = Step::WriteListing;
        }
    }

    pub fn write_listing(&self, s: &mut State, a: &mut Actor) {
        let row = Row::Listing(a.at);
        if !a.sees(row) {
            a.step = Step::ReadListing;
            a.read = 0;
            return;
        }
        let listing = &mut s.tables.listings[usize::from(a.at)];
        listing.count = a.read;
        listing.needed_by &= if self.rules.look_before_unlisting { !(1 << a.name) } else { 0 };
        s.touch(a, row);
        self.next_listing(s, a);
    }

    fn next_listing(&self, s: &State, a: &mut Actor) {
        a.drop_etag(Row::Listing(a.at));
        a.read = 0;
        a.step = Step::ReadListing;
        a.at += 1;
        self.skip(s, a);
    }

    pub fn close(&self, s: &mut State, a: &mut Actor) {
        let is_kept = match a.role {
            Role::Writer => a.is_uncertain,
            Role::Recovery => true,
            Role::Sweep => false,
        };
        let is_kept = is_kept && self.rules.keep_recovered;
        s.intents[usize::from(a.name)] = if is_kept { Intent::Kept } else { Intent::Absent };
        a.seen = 0;
        a.go(Step::Done);
    }
}
