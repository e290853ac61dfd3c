//! One case: its changes, its possible faults, the rules that hold; and the possible next actions in each of its states.

use stateright::{Model, Property};

use crate::faults::expire;
use crate::properties;
use crate::rows::{Intent, MONTHS, Tables};
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
    /// Whether an actor sends the requests that it may have under way together one after another: many states less.
    pub is_in_order: bool,
    pub rules: Rules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// The number of the writer, and the lane of the request.
    Write(u8, u8),
    Clean(u8),
    /// The request that was under way arrives, or never does.
    Arrive,
    Vanish,
    /// A writer that waits with its intent open stops waiting and aborts.
    StopWaiting(u8),
    /// The server stops, before its next requests or with one of them under way.
    Stop(u8),
    StopSending(u8, u8),
    StopCleaning,
    StopCleaningSending(u8),
    /// A recovery that would have to wait for another intent is postponed, so that the other intent can be recovered first.
    Postpone,
    /// The server sleeps past its lease and goes on. Only without W7.
    Sleep(u8),
    /// The answer to the request is lost: it has arrived, or arrives later, or never.
    Lose(u8, u8),
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
            actions.extend(self.lanes(writer).into_iter().map(|lane| Action::Write(name, lane)));
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
        if let Some(cleaner) = &s.cleaner {
            actions.extend(self.lanes(cleaner).into_iter().map(Action::Clean));
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
            let sent = self.lanes(cleaner).into_iter().filter(|lane| self.sent_in(s, cleaner, *lane).is_some());
            actions.extend(sent.filter(|_| s.late.is_none()).map(Action::StopCleaningSending));
        }
    }

    fn next_state(&self, s: &State, action: Action) -> Option<State> {
        let mut s = s.clone();
        match action {
            Action::Write(name, lane) => {
                let mut actor = s.writers[usize::from(name)].clone();
                let has_moved = self.step_lane(&mut s, &mut actor, lane);
                s.writers[usize::from(name)] = actor;
                return has_moved.then_some(s);
            }
            Action::Clean(lane) => {
                let mut actor = s.cleaner.clone()?;
                let has_moved = self.step_lane(&mut s, &mut actor, lane);
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
            Action::Stop(name) => self.stop(&mut s, name, None),
            Action::StopSending(name, lane) => self.stop(&mut s, name, Some(lane)),
            Action::StopCleaning | Action::StopCleaningSending(_) => {
                let cleaner = s.cleaner.take()?;
                s.stops -= 1;
                if let Action::StopCleaningSending(lane) = action {
                    s.late = self.sent_in(&s, &cleaner, lane);
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
            Action::Lose(name, lane) => self.lose(&mut s, name, lane),
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
    pub fn step(&self, s: &mut State, a: &mut Actor) -> bool {
        match a.step {
            Step::Plan => return self.plan(s, a),
            Step::ReadClaimIntents => return self.read_claim_intents(s, a),
            Step::MakeTags => return self.make_tags(s, a),
            Step::OpenIntent => self.open_intent(s, a),
            Step::Take if !self.may_take(s, a) => return false,
            Step::Take => self.take(s, a),
            Step::InsertClaim => self.insert_claim(s, a),
            Step::InsertPointer => self.insert_pointer(s, a),
            Step::ReadLostPointer => self.read_lost_pointer(s, a),
            Step::Prepare | Step::Joined => return false,
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
            // The record is written first.
            Step::Close if a.owes_record => return false,
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
        let next = match a.step {
            Step::InsertClaim if plan.claims().nth(at).is_none() => Step::EnsureListing,
            Step::EnsureListing if !(0..MONTHS).any(|month| plan.puts_into(month)) => Step::WriteRevision,
            Step::WriteRevision if !plan.replaces_version() => Step::ReadLostPointer,
            Step::ReadLostPointer if plan.lost_pointers().nth(at).is_none() => Step::Joined,
            Step::InsertPointer if plan.gained_pointers().nth(at).is_none() => Step::Joined,
            Step::ReadTag if !self.rules.terms_last || plan.gained_tags().nth(at).is_none() => Step::Joined,
            Step::ReadClaim if plan.claims().nth(at).is_none() => Step::WritePointer,
            Step::WritePointer if plan.gained_pointers().nth(at).is_none() => Step::WriteCopy,
            Step::ReadClaim if !a.is_late && a.contested_claims & (1 << at) == 0 => return self.skip_row(s, a),
            Step::WritePointer if !a.is_late && a.contested_pointers & (1 << at) == 0 => return self.skip_row(s, a),
            Step::WriteCopy if !has_moved => Step::Commit,
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

    fn skip_row(&self, s: &State, a: &mut Actor) {
        a.at += 1;
        self.skip(s, a);
    }
}

fn leaves_redirect(plan: Plan) -> bool {
    matches!(plan, Plan::Post { before: Some(before), after: Some(after), .. } if before.place != after.place)
}
