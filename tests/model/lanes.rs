//! Requests that one actor has under way at the same time: while it takes the post and prepares its commit, and while it records a change that it
//! reconciles. The rule: each request of a lane can be carried out before or after any of the other lanes; the commit waits for all of them.

use crate::case::Case;
use crate::rows::{IdClaim, Row, SlugClaim};
use crate::state::{Actor, Change, Lane, Plan, State, Step};

/// The requests of an actor that sends them one after another.
pub const MAIN: u8 = 7;
/// The entry in the record of changes, beside the reconciliation.
pub const RECORD: u8 = 6;

/// The first step of each lane of a change of a post. In one lane, the claims come before the listing, the revision and the reads of the pointers that
/// the post loses: no rule orders them, and nobody reads two of them.
const PREPARING: [Step; 4] = [Step::Take, Step::InsertClaim, Step::InsertPointer, Step::ReadTag];

impl Case {
    /// The lanes of which the actor can send a request now.
    pub fn lanes(&self, a: &Actor) -> Vec<u8> {
        let mut lanes: Vec<u8> = match a.step {
            Step::Prepare => {
                let is_under_way = |lane: &u8| a.lanes[usize::from(*lane)].step != Step::Joined;
                (0..PREPARING.len() as u8).filter(is_under_way).collect()
            }
            step => a.owes_record.then_some(RECORD).into_iter().chain((step != Step::Done).then_some(MAIN)).collect(),
        };
        if self.is_in_order {
            lanes.truncate(1);
        }
        lanes
    }

    /// The actor with the step of a lane as its own.
    pub fn in_lane(&self, a: &Actor, lane: u8) -> Actor {
        match lane {
            MAIN => a.clone(),
            RECORD => Actor { step: Step::Record, ..a.clone() },
            _ => {
                let Lane { step, at, read } = a.lanes[usize::from(lane)];
                Actor { step, at, read, lane: Some(lane), ..a.clone() }
            }
        }
    }

    /// Carries out the next request of a lane. `false` if it has to wait.
    pub fn step_lane(&self, s: &mut State, a: &mut Actor, lane: u8) -> bool {
        match lane {
            MAIN => return self.step(s, a),
            RECORD => {
                s.tables.record |= 1 << a.name;
                a.owes_record = false;
                return true;
            }
            _ => {}
        }
        let mut moved = self.in_lane(a, lane);
        let has_moved = self.step(s, &mut moved);
        self.leave_lane(s, a, moved, lane);
        has_moved
    }

    /// Puts the actor of a lane back.
    pub fn leave_lane(&self, s: &mut State, a: &mut Actor, moved: Actor, lane: u8) {
        let mut lanes = moved.lanes;
        lanes[usize::from(lane)] = Lane { step: moved.step, at: moved.at, read: moved.read };
        *a = Actor { step: Step::Prepare, at: 0, read: 0, lane: None, lanes, ..moved };
        self.join(s, a);
    }

    /// Steps 2 and 3 of a change of a post.
    pub fn prepare(&self, s: &mut State, a: &mut Actor) {
        let is_text = matches!(self.writers[usize::from(a.name)], Change::Text { .. });
        for (number, step) in PREPARING.into_iter().enumerate() {
            let mut first = Actor { lane: Some(number as u8), ..a.clone() };
            let step = if is_text && step == Step::Take { Step::Joined } else { step };
            self.go(s, &mut first, step);
            a.lanes[number] = Lane { step: first.step, at: first.at, read: 0 };
        }
        a.go(Step::Prepare);
        self.join(s, a);
    }

    fn join(&self, s: &mut State, a: &mut Actor) {
        if a.lanes.iter().any(|lane| lane.step != Step::Joined) {
            return;
        }
        a.lanes = Default::default();
        if a.is_refused {
            a.is_refused = false;
            return self.refuse(s, a);
        }
        self.go(s, a, Step::ReadClaim);
    }

    /// Only if the row is absent; a row that exists is resolved after the take.
    pub fn insert_claim(&self, s: &mut State, a: &mut Actor) {
        let (id, row) = self.claim(s, a);
        let Plan::Post { after: Some(after), .. } = s.plan(a.name) else { unreachable!("a deletion claims nothing") };
        let (owner, by) = (claimed_by(s, row), a.name);
        let is_overwritten = owner == Some(id) && !self.rules.overwrite_after_take && !a.is_late;
        if owner.is_some() && !is_overwritten {
            return self.contest(s, a);
        }
        match row {
            Row::Slug(slug) => s.tables.slugs[usize::from(slug)] = Some(SlugClaim { id, by }),
            _ => s.tables.ids[usize::from(id)] = Some(IdClaim { place: after.place, by }),
        }
        s.touch(a, row);
        a.at += 1;
        self.skip(s, a);
    }

    /// As for claims.
    pub fn insert_pointer(&self, s: &mut State, a: &mut Actor) {
        let row = s.plan(a.name).gained_pointers().nth(usize::from(a.at)).expect("the last pointer ends the lane");
        let Row::Pointer { tag, month, id } = row else { unreachable!("pointers alone") };
        let is_overwritten = !self.rules.overwrite_after_take && !a.is_late;
        if s.tables.pointer(tag, month, id).is_some() && !is_overwritten {
            return self.contest(s, a);
        }
        *s.tables.pointer_mut(tag, month, id) = Some(a.name);
        s.touch(a, row);
        a.at += 1;
        self.skip(s, a);
    }

    /// The row was not inserted, as far as its writer knows.
    pub fn contest(&self, s: &State, a: &mut Actor) {
        match a.step {
            Step::InsertClaim => a.contested_claims |= 1 << a.at,
            _ => a.contested_pointers |= 1 << a.at,
        }
        a.at += 1;
        self.skip(s, a);
    }

    /// The ETag, for the removal after the commit.
    pub fn read_lost_pointer(&self, s: &State, a: &mut Actor) {
        let row = s.plan(a.name).lost_pointers().nth(usize::from(a.at)).expect("the last pointer ends the lane");
        a.keep_etag(row);
        a.at += 1;
        self.skip(s, a);
    }
}

fn claimed_by(s: &State, row: Row) -> Option<u8> {
    match row {
        Row::Slug(slug) => s.tables.slugs[usize::from(slug)].map(|claim| claim.id),
        Row::Id(id) => s.tables.ids[usize::from(id)].map(|_| id),
        _ => None,
    }
}
