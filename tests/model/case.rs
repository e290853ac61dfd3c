//! One case: its changes, its possible faults, the rules that hold; and the possible next actions in each of its states.

use stateright::{Model, Property};

use crate::properties;
use crate::rows::{Intent, Listing, MONTHS, Marker, PostRow, Row, TAGS, Tables, TagRow};
use crate::rules::Rules;
use crate::state::{Actor, Change, Plan, Reply, Role, State, Step, WRITERS};

#[derive(Debug, Clone)]
pub struct Case {
    pub name: String,
    pub tables: Tables,
    pub writers: [Change; WRITERS],
    /// How many actors may stop, at any request, and how many answers may be lost.
    pub stops: u8,
    pub losses: u8,
    pub rules: Rules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    Write(u8),
    Clean,
    /// The request that was under way arrives, or never does.
    Arrive,
    Vanish,
    /// A writer that waits with its intent open stops waiting and aborts.
    StopWaiting(u8),
    /// The server stops, before its next request or with that under way.
    Stop(u8),
    StopSending(u8),
    StopCleaning,
    StopCleaningSending,
    /// A recovery that would have to wait for another intent is postponed, so that the other intent can be recovered first.
    Postpone,
    /// The server sleeps past its lease and goes on. Only without W7.
    Sleep(u8),
    /// The answer to the request is lost: it has arrived, or arrives later, or never.
    Lose(u8),
    Recover(u8),
    Sweep(u8),
}

impl Model for Case {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let writers = self.writers.iter().filter(|change| **change != Change::Nothing).count();
        vec![State::new(self.tables.clone(), writers, self.stops, self.losses)]
    }

    fn actions(&self, s: &State, actions: &mut Vec<Action>) {
        for writer in &s.writers {
            let name = writer.name;
            match writer.step {
                Step::Done => {}
                _ => actions.push(Action::Write(name)),
            }
            if writer.step == Step::ReadClaimIntents && self.rules.bounded_waits {
                actions.push(Action::StopWaiting(name));
            }
            self.disturbances(s, writer, actions);
            if s.cleaner.is_none() {
                match s.intents[usize::from(name)] {
                    Intent::Expired => actions.push(Action::Recover(name)),
                    Intent::Kept if self.may_sweep(s, name) => actions.push(Action::Sweep(name)),
                    Intent::Kept | Intent::Absent | Intent::Open => {}
                }
            }
        }
        if s.cleaner.is_some() {
            actions.push(Action::Clean);
        }
        if s.late.is_some() {
            actions.extend([Action::Arrive, Action::Vanish]);
        }
        if s.cleaner.as_ref().is_some_and(|cleaner| cleaner.step == Step::MakeTags) {
            actions.push(Action::Postpone);
        }
        if let Some(cleaner) = &s.cleaner
            && s.stops > 0
            && cleaner.role == Role::Recovery
        {
            actions.push(Action::StopCleaning);
            if s.late.is_none() && self.sent(s, cleaner).is_some() {
                actions.push(Action::StopCleaningSending);
            }
        }
    }

    fn next_state(&self, s: &State, action: Action) -> Option<State> {
        let mut s = s.clone();
        match action {
            Action::Write(name) => {
                let mut actor = s.writers[usize::from(name)].clone();
                let has_moved = self.step(&mut s, &mut actor);
                s.writers[usize::from(name)] = actor;
                return has_moved.then_some(s);
            }
            Action::Clean => {
                let mut actor = s.cleaner.clone()?;
                let has_moved = self.step(&mut s, &mut actor);
                s.cleaner = Some(actor).filter(|actor| actor.step != Step::Done);
                return has_moved.then_some(s);
            }
            Action::StopWaiting(name) => {
                let mut actor = s.writers[usize::from(name)].clone();
                self.refuse(&mut s, &mut actor);
                s.writers[usize::from(name)] = actor;
            }
            Action::Arrive => self.arrive(&mut s),
            Action::Vanish => {
                let late = s.late.take()?;
                if late.answers {
                    s.set_reply(late.name, Reply::Unknown);
                }
            }
            Action::Stop(name) => self.stop(&mut s, name, false),
            Action::StopSending(name) => self.stop(&mut s, name, true),
            Action::StopCleaning | Action::StopCleaningSending => {
                let cleaner = s.cleaner.take()?;
                s.stops -= 1;
                if action == Action::StopCleaningSending {
                    s.late = self.sent(&s, &cleaner);
                }
            }
            Action::Postpone => {
                let cleaner = s.cleaner.take()?;
                if !self.is_name_in_use(&s, cleaner.name, self.new_tag(&s, &cleaner)) {
                    return None;
                }
            }
            Action::Sleep(name) => {
                s.stops -= 1;
                s.disturbed |= 1 << name;
                expire(&mut s, name);
            }
            Action::Lose(name) => self.lose(&mut s, name),
            Action::Recover(name) => s.cleaner = Some(Actor::new(name, Role::Recovery, Step::Decide)),
            Action::Sweep(name) => s.cleaner = Some(Actor::new(name, Role::Sweep, Step::ReadOwnRow)),
        }
        Some(s)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }
}

impl Case {
    /// What may go wrong with a writer at its next request.
    fn disturbances(&self, s: &State, writer: &Actor, actions: &mut Vec<Action>) {
        let is_open = matches!(s.intents[usize::from(writer.name)], Intent::Open);
        if writer.step == Step::Done || !is_open {
            return;
        }
        let sent = s.late.is_none().then(|| self.sent(s, writer)).flatten();
        if s.stops > 0 {
            actions.push(Action::Stop(writer.name));
            if sent.is_some() {
                actions.push(Action::StopSending(writer.name));
            }
            if !self.rules.stop_with_lease {
                actions.push(Action::Sleep(writer.name));
            }
        }
        if s.losses > 0 && sent.is_some() {
            actions.push(Action::Lose(writer.name));
        }
    }

    /// The sweep comes after the last instant at which an earlier request can arrive.
    fn may_sweep(&self, s: &State, name: u8) -> bool {
        s.late.as_ref().is_none_or(|late| late.name != name) && s.writers[usize::from(name)].step == Step::Done
    }

    fn stop(&self, s: &mut State, name: u8, is_sending: bool) {
        let writer = s.writers[usize::from(name)].clone();
        s.stops -= 1;
        s.disturbed |= 1 << name;
        s.writers[usize::from(name)] = Actor::new(name, Role::Writer, Step::Done);
        expire(s, name);
        if !is_sending {
            s.set_reply(name, Reply::Unknown);
            return;
        }
        // It wakes with the answer, finds that its lease has ended, and stops (W7).
        let is_commit = matches!(writer.step, Step::Commit | Step::CommitTag);
        s.late = self.sent(s, &writer).map(|late| Actor { answers: is_commit, ..late });
        let is_unknown = self.rules.unknown_without_fence && matches!(writer.step, Step::Decide | Step::Fence);
        match (is_commit, is_unknown) {
            (true, _) => {}
            // The commit's answer was lost before, and no fence has been raised yet.
            (false, true) => s.set_reply(name, Reply::Unknown),
            (false, false) => s.set_reply(name, Reply::Refused),
        }
    }

    fn lose(&self, s: &mut State, name: u8) {
        let mut writer = s.writers[usize::from(name)].clone();
        s.losses -= 1;
        s.disturbed |= 1 << name;
        s.late = self.sent(s, &writer);
        writer.is_uncertain = true;
        match writer.step {
            Step::Commit | Step::CommitTag => {
                writer.seen = 0;
                writer.go(Step::Decide);
            }
            // It does not check whether the row was taken: the change is aborted.
            Step::Take | Step::MarkTag | Step::ReserveTag => self.refuse(s, &mut writer),
            _ => {}
        }
        s.writers[usize::from(name)] = writer;
    }

    fn arrive(&self, s: &mut State) {
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

    /// The request of the actor's next step, as it is sent; `None` if it writes nothing.
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
            late.is_insert = is_absent(s, row);
        }
        if actor.step == Step::ReserveTag
            && let Plan::Tag { tag, .. } = plan
        {
            late.is_insert = s.tables.tag(tag) == TagRow::None;
        }
        Some(late)
    }

    pub fn step(&self, s: &mut State, a: &mut Actor) -> bool {
        match a.step {
            Step::Plan => return self.plan(s, a),
            Step::ReadClaimIntents => return self.read_claim_intents(s, a),
            Step::MakeTags => return self.make_tags(s, a),
            Step::OpenIntent => self.open_intent(s, a),
            Step::Take => self.take(s, a),
            Step::ReadClaim => self.read_claim(s, a),
            Step::ReadClaimPost => self.read_claim_post(s, a),
            Step::WriteClaim => self.write_claim(s, a),
            Step::EnsureListing => self.ensure_listing(s, a),
            Step::WriteRevision => self.write_revision(s, a),
            Step::RemoveRevisions => self.remove_revisions(s, a),
            Step::WritePointer => self.write_pointer(s, a),
            Step::WriteCopy => self.write_copy(s, a),
            Step::ReadTag | Step::ReadTagAgain => self.read_tag(s, a),
            Step::ReadTagIntent => self.read_tag_intent(s, a),
            Step::Commit => self.commit(s, a),
            Step::Record => self.record(s, a),
            Step::RemovePointers => self.remove_pointer(s, a),
            Step::NamePlace => self.name_place(s, a),
            Step::ReleaseClaims => self.release_claim(s, a),
            Step::TakeMarkOff => self.take_mark_off(s, a),
            Step::RemoveRedirect => self.remove_redirect(s, a),
            Step::RemoveMarker => self.remove_marker(s, a),
            Step::MarkTag => self.mark_tag(s, a),
            Step::LookAtIntents => self.look_at_intents(s, a),
            Step::LookAtIndex => self.look_at_index(s, a),
            Step::WriteSlugRow => self.write_slug_row(s, a),
            Step::LookForNewTags => self.look_for_new_tags(s, a),
            Step::ReserveTag => self.reserve_tag(s, a),
            Step::CommitTag => self.commit_tag(s, a),
            Step::UnlistSlugRow => self.unlist_slug_row(s, a),
            Step::RemoveSlugRows => self.remove_slug_rows(s, a),
            Step::RemoveIdentity => self.remove_identity(s, a),
            Step::Decide => self.decide(s, a),
            Step::Fence => self.raise_fence(s, a),
            Step::ReadOwnRow => self.read_own_row(s, a),
            Step::ReadForOwnRow => self.read_for_own_row(s, a),
            Step::RemoveOwnRow => self.remove_own_row(s, a),
            Step::ReadListing => self.read_listing(a),
            Step::ReadCount => self.read_count(s, a),
            Step::LookBeforeUnlisting => self.look_before_unlisting(s, a),
            Step::WriteListing => self.write_listing(s, a),
            Step::Close => self.close(s, a),
            Step::Done => return false,
        }
        true
    }

    pub fn go(&self, s: &State, a: &mut Actor, step: Step) {
        a.go(step);
        self.skip(s, a);
    }

    /// Skips steps that have nothing, or nothing more, to do for this plan.
    pub fn skip(&self, s: &State, a: &mut Actor) {
        let plan = s.plan(a.name);
        let at = usize::from(a.at);
        let has_moved = plan.copy().is_some();
        let is_text = matches!(self.writers[usize::from(a.name)], Change::Text { .. });
        let next = match a.step {
            Step::Take if is_text => Step::ReadClaim,
            Step::ReadClaim if plan.claims().nth(at).is_none() => Step::EnsureListing,
            Step::EnsureListing if !(0..MONTHS).any(|month| plan.puts_into(month)) => Step::WriteRevision,
            Step::WriteRevision if !plan.replaces_version() => Step::WritePointer,
            Step::WritePointer if plan.gained_pointers().nth(at).is_none() => Step::WriteCopy,
            Step::WriteCopy if !has_moved => Step::ReadTag,
            Step::ReadTag if !self.rules.terms_last || plan.gained_tags().nth(at).is_none() => Step::Commit,
            Step::MakeTags if plan.gained_tags().filter(|tag| plan.makes_tag(*tag)).nth(at).is_none() => {
                Step::RemovePointers
            }
            Step::RemovePointers if plan.lost_pointers().nth(at).is_none() => Step::NamePlace,
            Step::NamePlace if !leaves_redirect(plan) => Step::ReleaseClaims,
            Step::ReleaseClaims if plan.released_claims().nth(at).is_none() => Step::TakeMarkOff,
            Step::TakeMarkOff if !has_moved => Step::RemoveRedirect,
            Step::RemoveRedirect if !leaves_redirect(plan) => Step::RemoveMarker,
            Step::RemoveMarker | Step::RemoveRevisions if !matches!(plan, Plan::Post { after: None, .. }) => {
                Step::ReadListing
            }
            Step::ReadOwnRow if plan.own_rows().nth(at).is_none() => Step::ReadListing,
            Step::ReadListing if a.is_aborting && !self.rules.abort_copies_count => Step::Close,
            Step::ReadListing if a.at >= MONTHS => Step::Close,
            Step::ReadListing if !(plan.puts_into(a.at) || plan.takes_from(a.at)) => {
                a.at += 1;
                return self.skip(s, a);
            }
            _ => return,
        };
        a.go(next);
        self.skip(s, a);
    }
}

fn leaves_redirect(plan: Plan) -> bool {
    matches!(plan, Plan::Post { before: Some(before), after: Some(after), .. } if before.place != after.place)
}

fn expire(s: &mut State, name: u8) {
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
