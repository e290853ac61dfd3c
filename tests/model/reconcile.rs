//! Step 5, the same for the writer and for a recovery. The rule (W3): every row is removed or overwritten under the ETag with which it was read, and
//! after that read the intent was found open.

use crate::case::Case;
use crate::post::may_write;
use crate::rows::{IdClaim, Marker, NOBODY, Name, PostRow, Row, TagRow};
use crate::state::{Actor, Plan, State, Step};

impl Case {
    /// W3: a late removal has the ETag of its read. Without the rule it is carried out whatever the row is by then.
    pub fn may_remove(&self, a: &Actor, row: Row) -> bool {
        !a.is_late || !self.rules.read_check_remove || a.sees(row)
    }

    /// A writer that does not stop with its lease finds that its intent is closed.
    pub fn may_reconcile(&self, s: &State, a: &Actor) -> bool {
        a.is_late || !self.rules.read_check_remove || !s.is_closed(a.name)
    }

    /// The record of a change is written beside the rest, except that of a deletion, whose marker is removed after it (W5).
    pub fn reconcile(&self, s: &State, a: &mut Actor) {
        match s.plan(a.name) {
            Plan::Post { after: Some(_), .. } => {
                a.owes_record = true;
                self.go(s, a, Step::MakeTags);
            }
            Plan::Post { .. } if !self.rules.record_before_marker => {
                a.owes_record = true;
                self.go(s, a, Step::MakeTags);
            }
            Plan::Post { .. } | Plan::Tag { .. } | Plan::None => self.go(s, a, Step::Record),
        }
    }

    pub fn record(&self, s: &mut State, a: &mut Actor) {
        s.tables.record |= 1 << a.name;
        match s.plan(a.name) {
            Plan::Tag { from: Some(_), to: Some(_), .. } => a.go(Step::UnlistSlugRow),
            Plan::Tag { to: None, .. } => a.go(Step::RemoveSlugRows),
            Plan::Tag { .. } => a.go(Step::Close),
            Plan::Post { .. } | Plan::None => self.go(s, a, Step::MakeTags),
        }
    }

    /// Whether the row belongs to a rename or a deletion that is under way.
    pub fn is_name_in_use(&self, s: &State, name: Name, tag: u8) -> bool {
        match s.tables.tag(tag) {
            TagRow::Slug { by, .. } => !s.is_closed(by),
            TagRow::Gone { by } => self.rules.wait_for_deletion && by != name && !s.is_closed(by),
            TagRow::None | TagRow::Identity { .. } => false,
        }
    }

    /// In two writes, so that a late one finds another ETag: the row first says, in the name of this change, that there is no tag. Returns `false`
    /// while a rename or a deletion that has written the row is under way.
    pub fn make_tags(&self, s: &mut State, a: &mut Actor) -> bool {
        let tag = self.new_tag(s, a);
        let row = Row::Tag(tag);
        let there = s.tables.tag(tag);
        if !a.is_late && self.is_name_in_use(s, a.name, tag) {
            return false;
        }
        let is_made = matches!(there, TagRow::Identity { .. });
        if self.rules.reserve_term && !is_made && there != (TagRow::Gone { by: a.name }) {
            if may_write(a, row, there == TagRow::None) {
                // The row of a slug that no tag has is replaced first, and leaves the count too.
                s.tables.put_tag_row(tag, TagRow::Gone { by: a.name }, there.is_listed(tag));
                s.touch(a, row);
            }
            return true;
        }
        let is_written = !is_made && may_write(a, row, there == TagRow::None);
        if is_written {
            let made = TagRow::Identity { slug: tag, former: 0, made_by: a.name, deleting_by: NOBODY };
            s.tables.put_tag_row(tag, made, there.is_listed(tag));
            s.touch(a, row);
            if s.made_tags & (1 << a.name) == 0 {
                s.tags[usize::from(tag)] = Some((tag, 0));
            }
        }
        if is_written || (is_made && !a.is_late) {
            s.made_tags |= 1 << a.name;
        }
        a.at += 1;
        self.skip(s, a);
        true
    }

    pub fn new_tag(&self, s: &State, a: &Actor) -> u8 {
        let plan = s.plan(a.name);
        let mut tags = plan.gained_tags().filter(|tag| plan.makes_tag(*tag));
        tags.nth(usize::from(a.at)).expect("the step is skipped after the last new tag")
    }

    pub fn remove_pointer(&self, s: &mut State, a: &mut Actor) {
        let row =
            s.plan(a.name).lost_pointers().nth(usize::from(a.at)).expect("the step is skipped after the last pointer");
        let Row::Pointer { tag, month, id } = row else { unreachable!("pointers alone") };
        // W3: the ETag of a read before the commit, when the intent was open.
        let is_seen = !a.is_late && a.sees(row);
        let may_remove = is_seen || (self.may_remove(a, row) && self.may_reconcile(s, a));
        if may_remove && s.tables.pointer(tag, month, id).is_some() {
            *s.tables.pointer_mut(tag, month, id) = None;
            s.touch(a, row);
        }
        a.at += 1;
        self.skip(s, a);
    }

    pub fn name_place(&self, s: &mut State, a: &mut Actor) {
        let Plan::Post { id, after: Some(after), .. } = s.plan(a.name) else {
            unreachable!("a deletion names no place")
        };
        let row = Row::Id(id);
        if self.may_remove(a, row) && self.may_reconcile(s, a) {
            s.tables.ids[usize::from(id)] = Some(IdClaim { place: after.place, by: a.name });
            s.touch(a, row);
        }
        self.go(s, a, Step::ReleaseClaims);
    }

    pub fn release_claim(&self, s: &mut State, a: &mut Actor) {
        let plan = s.plan(a.name);
        let row = plan.released_claims().nth(usize::from(a.at)).expect("the step is skipped after the last claim");
        if self.may_remove(a, row) && self.may_reconcile(s, a) {
            match row {
                Row::Slug(slug) => {
                    let claim = &mut s.tables.slugs[usize::from(slug)];
                    if claim.is_some_and(|claim| Some(claim.id) == plan.id())
                        || (a.is_late && !self.rules.read_check_remove)
                    {
                        *claim = None;
                    }
                }
                Row::Id(id) => s.tables.ids[usize::from(id)] = None,
                _ => unreachable!("claims alone"),
            }
            s.touch(a, row);
        }
        a.at += 1;
        self.skip(s, a);
    }

    pub fn take_mark_off(&self, s: &mut State, a: &mut Actor) {
        let (_, to) = s.plan(a.name).copy().expect("a post of another month has a mark");
        let row = Row::Post(to);
        let there = s.tables.post(to);
        if let PostRow::Tentative { id, post, by, .. } = there
            && by == a.name
            && self.may_remove(a, row)
            && self.may_reconcile(s, a)
        {
            *s.tables.post_mut(to) = PostRow::Whole { id, post, made_by: by, taken_by: NOBODY };
            s.touch(a, row);
        }
        self.go(s, a, Step::RemoveRedirect);
    }

    pub fn remove_redirect(&self, s: &mut State, a: &mut Actor) {
        let Plan::Post { before: Some(before), .. } = s.plan(a.name) else {
            unreachable!("a creation leaves no redirect")
        };
        let row = Row::Post(before.place);
        let is_own = matches!(s.tables.post(before.place), PostRow::Redirect { by, .. } if by == a.name);
        if is_own && self.may_remove(a, row) && self.may_reconcile(s, a) {
            *s.tables.post_mut(before.place) = PostRow::None;
            s.touch(a, row);
        }
        self.go(s, a, Step::RemoveMarker);
    }

    pub fn remove_marker(&self, s: &mut State, a: &mut Actor) {
        let Some(row @ Row::Marker { month, id }) = s.plan(a.name).marker() else {
            unreachable!("a deletion has a marker")
        };
        if s.tables.marker(month, id) == Marker::Deleted(a.name) && self.may_remove(a, row) {
            *s.tables.marker_mut(month, id) = Marker::None;
            s.touch(a, row);
        }
        self.go(s, a, Step::RemoveRevisions);
    }

    pub fn remove_revisions(&self, s: &mut State, a: &mut Actor) {
        let id = s.plan(a.name).id().expect("the plan is a post's");
        s.tables.revisions[usize::from(id)] = false;
        s.touch(a, Row::Revisions(id));
        self.go(s, a, Step::ReadListing);
    }
}
