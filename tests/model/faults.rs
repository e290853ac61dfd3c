//! What may go wrong with a writer: it stops, its answer is lost, and its request arrives late. The rule: a late request is what its writer has sent, with
//! the ETags of that moment.

use crate::case::{Action, Case};
use crate::rows::{Intent, Listing, MONTHS, Marker, PostRow, Row, TAGS, TagRow};
use crate::state::{Actor, Plan, Reply, Role, State, Step};

impl Case {
    /// What may go wrong with a writer at its next request.
    pub fn disturbances(&self, s: &State, writer: &Actor, actions: &mut Vec<Action>) {
        let is_open = matches!(s.intents[usize::from(writer.name)], Intent::Open);
        if writer.step == Step::Done || !is_open {
            return;
        }
        let is_sent = |lane: &u8| s.late.is_none() && self.sent_in(s, writer, *lane).is_some();
        let sent: Vec<u8> = self.lanes(writer).into_iter().filter(is_sent).collect();
        if s.stops > 0 {
            actions.push(Action::Stop(writer.name));
            actions.extend(sent.iter().map(|lane| Action::StopSending(writer.name, *lane)));
            if !self.rules.stop_with_lease {
                actions.push(Action::Sleep(writer.name));
            }
        }
        if s.losses > 0 {
            actions.extend(sent.iter().map(|lane| Action::Lose(writer.name, *lane)));
        }
    }

    /// The sweep comes after the last instant at which an earlier request can arrive.
    pub fn may_sweep(&self, s: &State, name: u8) -> bool {
        s.late.as_ref().is_none_or(|late| late.name != name) && s.writers[usize::from(name)].step == Step::Done
    }

    /// `sending`: the lane of the request that is under way.
    pub fn stop(&self, s: &mut State, name: u8, sending: Option<u8>) {
        let writer = s.writers[usize::from(name)].clone();
        s.stops -= 1;
        s.disturbed |= 1 << name;
        s.writers[usize::from(name)] = Actor::new(name, Role::Writer, Step::Done);
        expire(s, name);
        let Some(lane) = sending else {
            s.set_reply(name, Reply::Unknown);
            return;
        };
        // It wakes with the answer, finds that its lease has ended, and stops (W7).
        let is_commit = matches!(writer.step, Step::Commit | Step::CommitTag);
        s.late = self.sent_in(s, &writer, lane).map(|late| Actor { answers: is_commit, ..late });
        let is_unknown = self.rules.unknown_without_fence && matches!(writer.step, Step::Decide | Step::Fence);
        match (is_commit, is_unknown) {
            (true, _) => {}
            // The commit's answer was lost before, and no fence has been raised yet.
            (false, true) => s.set_reply(name, Reply::Unknown),
            (false, false) => s.set_reply(name, Reply::Refused),
        }
    }

    pub fn lose(&self, s: &mut State, name: u8, lane: u8) {
        let before = s.writers[usize::from(name)].clone();
        s.losses -= 1;
        s.disturbed |= 1 << name;
        s.late = self.sent_in(s, &before, lane);
        let mut writer = self.in_lane(&before, lane);
        writer.is_uncertain = true;
        match writer.step {
            // It is sent again.
            Step::Record => writer = Actor { is_uncertain: true, ..before },
            Step::InsertClaim | Step::InsertPointer => self.contest(s, &mut writer),
            Step::Commit | Step::CommitTag => {
                writer.seen = 0;
                writer.go(Step::Decide);
            }
            // It does not check whether the row was taken: the change is aborted.
            Step::Take | Step::MarkTag | Step::ReserveTag => self.refuse(s, &mut writer),
            _ => {}
        }
        if writer.lane.is_some() {
            let mut actor = writer.clone();
            self.leave_lane(s, &mut actor, writer, lane);
            writer = actor;
        }
        s.writers[usize::from(name)] = writer;
    }

    pub fn arrive(&self, s: &mut State) {
        let Some(mut late) = s.late.take() else { return };
        let before = s.made;
        let replies = s.replies;
        let disturbed = late.clone();
        self.step(s, &mut late);
        // Only a writer that waits gets a reply, so the replies of the step itself are dropped.
        s.replies = replies;
        if disturbed.answers {
            s.set_reply(late.name, if s.made == before { Reply::Refused } else { Reply::Made });
        }
    }

    /// The next request of a lane, as it is sent; `None` if it writes nothing.
    pub fn sent_in(&self, s: &State, actor: &Actor, lane: u8) -> Option<Actor> {
        let next = self.in_lane(actor, lane);
        let next = Actor { lanes: Default::default(), lane: None, owes_record: false, ..next };
        self.sent(s, &Actor { contested_claims: 0, contested_pointers: 0, ..next })
    }

    fn sent(&self, s: &State, actor: &Actor) -> Option<Actor> {
        let mut late = Actor { is_late: true, is_uncertain: false, ..actor.clone() };
        let plan = s.plan(actor.name);
        let at = usize::from(actor.at);
        // A step that reads and writes: the row is read just before it is sent.
        let read = match actor.step {
            Step::Take
            | Step::WriteClaim
            | Step::Commit
            | Step::Record
            | Step::MarkTag
            | Step::CommitTag
            | Step::Fence => None,
            Step::WriteRevision
            | Step::RemoveRevisions
            | Step::ReserveTag
            | Step::RemoveOwnRow
            | Step::WriteListing => None,
            Step::InsertClaim => Some(plan.claims().nth(at)?),
            Step::InsertPointer => Some(plan.gained_pointers().nth(at)?),
            Step::EnsureListing => Some((0..MONTHS).find(|month| plan.puts_into(*month)).map(Row::Listing)?),
            Step::WritePointer => Some(plan.gained_pointers().nth(at)?),
            Step::WriteCopy => Some(Row::Post(plan.copy()?.1)),
            Step::MakeTags if self.is_name_in_use(s, actor.name, self.new_tag(s, actor)) => return None,
            Step::MakeTags => Some(Row::Tag(self.new_tag(s, actor))),
            Step::RemovePointers => Some(plan.lost_pointers().nth(at)?),
            Step::NamePlace => Some(Row::Id(plan.id()?)),
            Step::ReleaseClaims => Some(plan.released_claims().nth(at).filter(|row| match row {
                Row::Slug(slug) => s.tables.slugs[usize::from(*slug)].is_some_and(|claim| Some(claim.id) == plan.id()),
                _ => true,
            })?),
            Step::TakeMarkOff => Some(Row::Post(plan.copy()?.1)),
            Step::RemoveRedirect => match plan {
                Plan::Post { before: Some(before), .. } => Some(Row::Post(before.place)),
                _ => None,
            },
            Step::RemoveMarker => Some(plan.marker()?),
            Step::WriteSlugRow | Step::UnlistSlugRow | Step::RemoveIdentity => match (actor.step, plan) {
                (Step::WriteSlugRow, Plan::Tag { to: Some(slug), .. }) => Some(Row::Tag(slug)),
                (Step::UnlistSlugRow, Plan::Tag { from: Some(left), .. }) => Some(Row::Tag(left)),
                (_, Plan::Tag { tag, .. }) => Some(Row::Tag(tag)),
                _ => None,
            },
            Step::RemoveSlugRows => {
                let Plan::Tag { tag, .. } = plan else { return None };
                let is_own = |slug: &u8| matches!(s.tables.tag(*slug), TagRow::Slug { first, .. } if first == tag);
                let is_gone = s.tables.tag(tag) == TagRow::Gone { by: actor.name };
                Some((0..TAGS).filter(|_| is_gone).find(is_own).map(Row::Tag)?)
            }
            _ => return None,
        };
        if let Some(row) = read {
            late.keep_etag(row);
            let inserts = matches!(actor.step, Step::InsertClaim | Step::InsertPointer);
            late.is_insert = inserts || is_absent(s, row);
        }
        if actor.step == Step::ReserveTag
            && let Plan::Tag { tag, .. } = plan
        {
            late.is_insert = s.tables.tag(tag) == TagRow::None;
        }
        Some(late)
    }
}

pub fn expire(s: &mut State, name: u8) {
    let intent = &mut s.intents[usize::from(name)];
    if *intent == Intent::Open {
        *intent = Intent::Expired;
    }
}

fn is_absent(s: &State, row: Row) -> bool {
    match row {
        Row::Post(place) => s.tables.post(place) == PostRow::None,
        Row::Marker { month, id } => s.tables.marker(month, id) == Marker::None,
        Row::Id(id) => s.tables.ids[usize::from(id)].is_none(),
        Row::Slug(slug) => s.tables.slugs[usize::from(slug)].is_none(),
        Row::Pointer { tag, month, id } => s.tables.pointer(tag, month, id).is_none(),
        Row::Listing(month) => s.tables.listings[usize::from(month)] == Listing { count: 0, needed_by: 0 },
        Row::Tag(tag) => s.tables.tag(tag) == TagRow::None,
        Row::Revisions(id) => !s.tables.revisions[usize::from(id)],
    }
}
