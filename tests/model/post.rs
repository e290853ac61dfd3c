//! The steps of a post's change up to its commit. Each is one storage request; a step that is repeated until it succeeds (read, write under the ETag)
//! is one step while its writer is alive, and is split when its write arrives late.

use crate::case::Case;
use crate::rows::{IdClaim, Intent, Listing, Marker, NOBODY, Place, Post, PostRow, Row, SlugClaim, TagRow};
use crate::state::{Actor, Change, Plan, Reply, State, Step};

impl Case {
    /// `false` if it has to wait.
    pub fn plan(&self, s: &mut State, a: &mut Actor) -> bool {
        let change = self.writers[usize::from(a.name)];
        let Some(plan) = Plan::new(change, &s.tables) else {
            s.set_reply(a.name, Reply::Refused);
            a.go(Step::Done);
            return true;
        };
        let row = match plan {
            Plan::Post { before: None, .. } | Plan::None => None,
            Plan::Post { before: Some(before), .. } => Some(Row::Post(before.place)),
            Plan::Tag { tag, .. } => Some(Row::Tag(tag)),
        };
        if let Some(row) = row {
            let is_post = matches!(row, Row::Post(_));
            if !self.may_start(s, row) && (self.rules.wait_before_insert || !is_post) {
                return false;
            }
            a.keep_etag(row);
        }
        s.plans[usize::from(a.name)] = plan;
        if !self.rules.terms_last && plan.gained_tags().any(|tag| is_being_deleted(s, tag)) {
            s.set_reply(a.name, Reply::Refused);
            a.go(Step::Done);
            return true;
        }
        a.go(Step::OpenIntent);
        true
    }

    /// W1.
    fn may_start(&self, s: &State, row: Row) -> bool {
        let named = match row {
            Row::Post(place) => match s.tables.post(place) {
                PostRow::Whole { made_by, taken_by, .. } => [made_by, taken_by],
                // The redirect at the old place is a row of the post on which the model plans no change.
                PostRow::Tentative { by, .. } => return s.is_closed(by),
                PostRow::None | PostRow::Redirect { .. } => return true,
            },
            Row::Tag(tag) => match s.tables.tag(tag) {
                TagRow::Identity { made_by, deleting_by, .. } => [made_by, deleting_by],
                TagRow::Gone { by } => [by, NOBODY],
                TagRow::None | TagRow::Slug { .. } => return true,
            },
            _ => return true,
        };
        !self.rules.one_at_a_time || named.iter().all(|name| s.is_closed(*name))
    }

    pub fn open_intent(&self, s: &mut State, a: &mut Actor) {
        s.intents[usize::from(a.name)] = Intent::Open;
        match self.writers[usize::from(a.name)] {
            Change::MakeTag { .. } => a.go(if self.rules.reserve_term { Step::ReserveTag } else { Step::CommitTag }),
            Change::RenameTag { .. } => a.go(Step::WriteSlugRow),
            Change::DeleteTag { .. } => {
                a.go(if self.rules.mark_before_look { Step::MarkTag } else { Step::LookAtIntents });
            }
            _ => self.prepare(s, a),
        }
    }

    /// Without the rule that a change waits before it inserts rows, it waits here.
    pub fn may_take(&self, s: &State, a: &Actor) -> bool {
        let Plan::Post { before: Some(before), .. } = s.plan(a.name) else { return true };
        self.rules.wait_before_insert || a.is_late || self.may_start(s, Row::Post(before.place))
    }

    pub fn take(&self, s: &mut State, a: &mut Actor) {
        let Plan::Post { id, before, after, .. } = s.plan(a.name) else { unreachable!("a tag is not taken") };
        let is_taken = match (before, after) {
            (Some(before), _) => {
                let row = Row::Post(before.place);
                let PostRow::Whole { taken_by, .. } = s.tables.post_mut(before.place) else { return self.refuse(s, a) };
                if !a.sees(row) {
                    return self.refuse(s, a);
                }
                *taken_by = a.name;
                s.touch(a, row);
                a.keep_etag(row);
                true
            }
            (None, Some(after)) => {
                let marker = s.tables.marker_mut(after.place.month, id);
                let is_free = *marker == Marker::None;
                if is_free {
                    *marker = Marker::Reserved(a.name);
                    let row = Row::Marker { month: after.place.month, id };
                    s.touch(a, row);
                    a.keep_etag(row);
                }
                is_free
            }
            (None, None) => false,
        };
        if is_taken { a.go(Step::Joined) } else { self.refuse(s, a) }
    }

    pub fn read_claim(&self, s: &State, a: &mut Actor) {
        let (id, row) = self.claim(s, a);
        a.keep_etag(row);
        let is_other =
            matches!(row, Row::Slug(slug) if s.tables.slugs[usize::from(slug)].is_some_and(|claim| claim.id != id));
        a.step = match (is_other, self.rules.claim_post_last) {
            (false, _) => Step::WriteClaim,
            (true, true) => Step::ReadClaimIntents,
            (true, false) => Step::ReadClaimPost,
        };
    }

    /// `false` while an open intent names the post that has the claim.
    pub fn read_claim_intents(&self, s: &State, a: &mut Actor) -> bool {
        let Some(owner) = self.claim_owner(s, a) else {
            a.step = Step::ReadClaim;
            return true;
        };
        if s.others(a.name).any(|other| s.plan(other).id() == Some(owner)) {
            return false;
        }
        a.step = if self.rules.claim_post_last { Step::ReadClaimPost } else { Step::WriteClaim };
        true
    }

    pub fn read_claim_post(&self, s: &mut State, a: &mut Actor) {
        let (_, row) = self.claim(s, a);
        let (Some(owner), Row::Slug(slug)) = (self.claim_owner(s, a), row) else {
            a.step = Step::ReadClaim;
            return;
        };
        if s.tables.find(owner).is_some_and(|(post, _)| post.has_slug(slug)) {
            return self.refuse(s, a);
        }
        a.step = if self.rules.claim_post_last { Step::WriteClaim } else { Step::ReadClaimIntents };
    }

    /// Under the ETag of the read. A claim that the post already has is written again (W2).
    pub fn write_claim(&self, s: &mut State, a: &mut Actor) {
        let (id, row) = self.claim(s, a);
        let Plan::Post { after: Some(after), .. } = s.plan(a.name) else { unreachable!("a deletion claims nothing") };
        if !a.sees(row) {
            a.step = Step::ReadClaim;
            return;
        }
        let by = a.name;
        let is_own = match row {
            Row::Slug(slug) => s.tables.slugs[usize::from(slug)].is_some_and(|claim| claim.id == id),
            _ => s.tables.ids[usize::from(id)].is_some(),
        };
        if !is_own || self.rules.rewrite_needed_rows {
            match row {
                Row::Slug(slug) => s.tables.slugs[usize::from(slug)] = Some(SlugClaim { id, by }),
                _ => s.tables.ids[usize::from(id)] = Some(IdClaim { place: after.place, by }),
            }
            s.touch(a, row);
        }
        a.drop_etag(row);
        let at = a.at + 1;
        a.step = Step::ReadClaim;
        a.at = at;
        self.skip(s, a);
    }

    pub fn claim(&self, s: &State, a: &Actor) -> (u8, Row) {
        let plan = s.plan(a.name);
        let row = plan.claims().nth(usize::from(a.at)).expect("the step is skipped after the last claim");
        (plan.id().expect("the plan is a post's"), row)
    }

    /// The post that the claim names, if its row is still as it was read.
    fn claim_owner(&self, s: &State, a: &Actor) -> Option<u8> {
        let (_, row) = self.claim(s, a);
        let Row::Slug(slug) = row else { return None };
        s.tables.slugs[usize::from(slug)].filter(|_| a.sees(row)).map(|claim| claim.id)
    }

    pub fn ensure_listing(&self, s: &mut State, a: &mut Actor) {
        let Plan::Post { after: Some(after), .. } = s.plan(a.name) else { unreachable!("a deletion lists nothing") };
        let row = Row::Listing(after.place.month);
        let listing = &mut s.tables.listings[usize::from(after.place.month)];
        let is_absent = *listing == Listing { count: 0, needed_by: 0 };
        if may_write(a, row, is_absent) && (listing.count == 0 || self.rules.rewrite_listing) {
            if self.rules.listing_names_changes {
                listing.needed_by |= 1 << a.name;
            } else {
                listing.count = listing.count.max(1);
            }
            s.touch(a, row);
        }
        self.go(s, a, Step::WriteRevision);
    }

    /// Without a condition, because it makes no difference to keep a version twice.
    pub fn write_revision(&self, s: &mut State, a: &mut Actor) {
        let id = s.plan(a.name).id().expect("the plan is a post's");
        s.tables.revisions[usize::from(id)] = true;
        s.touch(a, Row::Revisions(id));
        self.go(s, a, Step::ReadLostPointer);
    }

    pub fn write_pointer(&self, s: &mut State, a: &mut Actor) {
        let row = s
            .plan(a.name)
            .gained_pointers()
            .nth(usize::from(a.at))
            .expect("the step is skipped after the last pointer");
        let Row::Pointer { tag, month, id } = row else { unreachable!("pointers alone") };
        let is_absent = s.tables.pointer(tag, month, id).is_none();
        if may_write(a, row, is_absent) && (is_absent || self.rules.rewrite_needed_rows) {
            *s.tables.pointer_mut(tag, month, id) = Some(a.name);
            s.touch(a, row);
        }
        a.at += 1;
        self.skip(s, a);
    }

    pub fn write_copy(&self, s: &mut State, a: &mut Actor) {
        let Plan::Post { id, after: Some(after), .. } = s.plan(a.name) else {
            unreachable!("a deletion copies nothing")
        };
        let (from, to) = s.plan(a.name).copy().expect("a copy is made for another month");
        let there = s.tables.post(to);
        if there.id().is_some_and(|other| other != id) || matches!(there, PostRow::Whole { .. }) {
            return self.refuse(s, a);
        }
        if may_write(a, Row::Post(to), there == PostRow::None) {
            *s.tables.post_mut(to) = PostRow::Tentative { id, post: after, from, by: a.name };
            s.touch(a, Row::Post(to));
        }
        self.go(s, a, Step::Commit);
    }

    pub fn read_tag(&self, s: &mut State, a: &mut Actor) {
        let plan = s.plan(a.name);
        let tag = plan.gained_tags().nth(usize::from(a.at)).expect("the step is skipped after the last tag");
        match s.tables.tag(tag) {
            TagRow::Identity { deleting_by: NOBODY, .. } => self.next_tag(s, a),
            TagRow::Identity { deleting_by, .. } if a.step == Step::ReadTagAgain && a.read == deleting_by => {
                self.next_tag(s, a);
            }
            TagRow::Identity { deleting_by, .. } => {
                a.read = deleting_by;
                a.step = Step::ReadTagIntent;
            }
            TagRow::None | TagRow::Gone { .. } if plan.makes_tag(tag) => self.next_tag(s, a),
            TagRow::None | TagRow::Gone { .. } | TagRow::Slug { .. } => self.refuse(s, a),
        }
    }

    pub fn read_tag_intent(&self, s: &mut State, a: &mut Actor) {
        if !s.is_closed(a.read) {
            return self.refuse(s, a);
        }
        if self.rules.read_term_again {
            a.step = Step::ReadTagAgain;
        } else {
            self.next_tag(s, a);
        }
    }

    fn next_tag(&self, s: &State, a: &mut Actor) {
        let at = a.at + 1;
        a.go(Step::ReadTag);
        a.at = at;
        a.read = 0;
        self.skip(s, a);
    }

    /// One transaction on the post's own rows, under the ETag of the take.
    pub fn commit(&self, s: &mut State, a: &mut Actor) {
        let Plan::Post { id, before, after, .. } = s.plan(a.name) else {
            unreachable!("a tag has a commit of its own")
        };
        if !self.commit_post(s, a, id, before, after) {
            return self.refuse(s, a);
        }
        s.made |= 1 << a.name;
        let version = |post: Option<Post>| post.map_or(0, |post| post.version);
        s.is_update_lost |= version(s.posts[usize::from(id)]) != version(before);
        s.posts[usize::from(id)] = after;
        s.set_reply(a.name, Reply::Made);
        let lost: Vec<Row> = s.plan(a.name).lost_pointers().filter(|row| a.sees(*row)).collect();
        a.seen = 0;
        lost.into_iter().for_each(|row| a.keep_etag(row));
        self.reconcile(s, a);
    }

    fn commit_post(&self, s: &mut State, a: &mut Actor, id: u8, before: Option<Post>, after: Option<Post>) -> bool {
        let by = a.name;
        let whole = |post| PostRow::Whole { id, post, made_by: by, taken_by: NOBODY };
        match (before, after) {
            (None, Some(after)) => {
                let marker = Row::Marker { month: after.place.month, id };
                let is_own = s.tables.marker(after.place.month, id) == Marker::Reserved(by) && a.sees(marker);
                if !is_own || s.tables.post(after.place) != PostRow::None {
                    return false;
                }
                *s.tables.marker_mut(after.place.month, id) = Marker::None;
                *s.tables.post_mut(after.place) = whole(after);
                s.touch(a, marker);
                s.touch(a, Row::Post(after.place));
            }
            (Some(before), after) => {
                if !a.sees(Row::Post(before.place)) {
                    return false;
                }
                let old = s.tables.post(before.place);
                *s.tables.post_mut(before.place) = match after {
                    None => PostRow::None,
                    Some(after) if after.place == before.place => whole(after),
                    Some(_) => PostRow::Redirect { id, by },
                };
                match after {
                    None => {
                        *s.tables.marker_mut(before.place.month, id) = Marker::Deleted(by);
                        s.touch(a, Row::Marker { month: before.place.month, id });
                    }
                    Some(after) if after.place.month == before.place.month && after.place != before.place => {
                        if !is_free_for(s, after.place, id) {
                            *s.tables.post_mut(before.place) = old;
                            return false;
                        }
                        *s.tables.post_mut(after.place) = whole(after);
                        s.touch(a, Row::Post(after.place));
                    }
                    Some(_) => {}
                }
                s.touch(a, Row::Post(before.place));
            }
            (None, None) => return false,
        }
        true
    }

    /// The change is not made, and the reply says so.
    pub fn refuse(&self, s: &mut State, a: &mut Actor) {
        if a.lane.is_some() {
            a.is_refused = true;
            return a.go(Step::Joined);
        }
        s.set_reply(a.name, Reply::Refused);
        a.is_aborting = true;
        a.seen = 0;
        a.read = 0;
        self.go(s, a, Step::ReadOwnRow);
    }
}

/// Whether the write succeeds: a living writer reads and writes until it does, a late request has the ETag that was read when it was sent.
pub fn may_write(a: &Actor, row: Row, is_absent: bool) -> bool {
    match (a.is_late, a.is_insert) {
        (false, _) => true,
        (true, true) => is_absent,
        (true, false) => a.sees(row),
    }
}

fn is_being_deleted(s: &State, tag: u8) -> bool {
    matches!(s.tables.tag(tag), TagRow::Identity { deleting_by, .. } if !s.is_closed(deleting_by))
}

fn is_free_for(s: &State, place: Place, id: u8) -> bool {
    match s.tables.post(place) {
        PostRow::None => true,
        PostRow::Redirect { id: other, .. } => other == id,
        PostRow::Whole { .. } | PostRow::Tentative { .. } => false,
    }
}
