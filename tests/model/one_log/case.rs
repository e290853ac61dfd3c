//! One case: its writers, its possible faults, the rules that hold; and the possible next actions in each of its states.

use stateright::{Model, Property};

use super::plan::Op;
use super::properties;
use super::rows::World;
use super::rules::Rules;
use super::state::{State, Step};

/// The server whose cache is modelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    Nowhere,
    /// That of writer 0.
    OfWriter,
    OfFollower,
}

#[derive(Debug, Clone)]
pub struct Case {
    pub name: &'static str,
    pub world: World,
    /// For each writer its groups, one after another.
    pub writers: Vec<Vec<Vec<Op>>>,
    pub losses: u8,
    pub stops: u8,
    pub cache: Cache,
    /// A reader looks for this slug again and again.
    pub lookup: Option<usize>,
    /// A follower reads which changes were made.
    pub is_followed: bool,
    /// The rows of a transaction.
    pub bound: usize,
    /// The instants that a clock may show.
    pub instants: u8,
    pub rules: Rules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    ReadHead(usize),
    /// A writer reads the watermark of a transaction.
    ReadMark(usize, usize),
    SeeApplied(usize),
    ReadObjects(usize),
    /// With what its clock shows.
    Plan(usize, u8),
    Verify(usize),
    /// The request of a writer: an append or a transaction.
    Send(usize),
    /// Its answer is lost; it has run, or is still on its way.
    LoseAnswer(usize),
    LoseRequest(usize),
    Stop(usize),
    Arrive(usize),
    Fill(usize),
    Keep,
    Advance(usize),
    ReadSlug,
    ReadPost,
    ReadSlugAgain,
}

impl Model for Case {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(self.world, self.writers.len(), self.losses, self.stops)]
    }

    fn actions(&self, s: &State, actions: &mut Vec<Action>) {
        for name in 0..s.writers.len() {
            self.actions_of_writer(s, name, actions);
        }
        actions.extend((0..s.late.len()).map(Action::Arrive));
        self.actions_of_server(s, actions);
        self.actions_of_reader(s, actions);
    }

    fn next_state(&self, s: &State, action: Action) -> Option<State> {
        let mut s = s.clone();
        match action {
            Action::ReadHead(name) => self.read_head(&mut s, name),
            Action::ReadMark(name, transaction) => Self::read_mark(&mut s, name, transaction),
            Action::SeeApplied(name) => self.see_applied(&mut s, name),
            Action::ReadObjects(name) => Self::read_objects(&mut s, name),
            Action::Plan(name, instant) => self.plan(&mut s, name, instant),
            Action::Verify(name) => self.verify(&mut s, name),
            Action::Send(name) => self.send(&mut s, name),
            Action::LoseAnswer(name) => self.lose(&mut s, name, true),
            Action::LoseRequest(name) => self.lose(&mut s, name, false),
            Action::Stop(name) => {
                s.stops -= 1;
                s.writers[name].step = Step::Stopped;
            }
            Action::Arrive(at) => {
                let request = s.late.remove(at);
                self.run(&mut s, &request);
            }
            Action::Fill(partition) => Self::fill(&mut s, partition),
            Action::Keep => self.keep(&mut s),
            Action::Advance(number) => Self::advance(&mut s, number),
            Action::ReadSlug | Action::ReadSlugAgain => self.read_slug(&mut s),
            Action::ReadPost => self.read_post(&mut s),
        }
        Some(s)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }
}
