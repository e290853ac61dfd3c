//! All that a run of the model consists of: the tables, who works on them, and what was made and answered so far.

use crate::rows::{Intent, NOBODY, Name, POSTS, Place, Post, Row, TAGS, Tables, TagRow};

pub const WRITERS: usize = 3;

/// What a writer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    Nothing,
    /// A post gets exactly these tags, a bit for each.
    Retag {
        id: u8,
        tags: u8,
    },
    /// A post gets another slug.
    Slug {
        id: u8,
        slug: u8,
    },
    /// A post moves to another month.
    Redate {
        id: u8,
        month: u8,
    },
    /// Title, body or excerpt: no row of an index follows from it, and it takes no row.
    Text {
        id: u8,
    },
    Delete {
        id: u8,
    },
    Create {
        id: u8,
        place: Place,
        tags: u8,
        former: u8,
    },
    MakeTag {
        tag: u8,
    },
    RenameTag {
        tag: u8,
        slug: u8,
    },
    DeleteTag {
        tag: u8,
    },
}

/// What the intent says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Plan {
    None,
    Post {
        id: u8,
        before: Option<Post>,
        after: Option<Post>,
        new_tags: u8,
    },
    /// `to` is the slug that it gets; none if it is deleted.
    Tag {
        tag: u8,
        from: Option<u8>,
        to: Option<u8>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Told {
    Nothing,
    Made,
    Refused,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Writer,
    Recovery,
    /// Removes once more what names a kept intent.
    Sweep,
}

/// The next request of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    Plan,
    OpenIntent,
    Take,
    ReadClaim,
    ReadClaimIntents,
    ReadClaimPost,
    WriteClaim,
    EnsureListing,
    WriteRevision,
    WritePointer,
    WriteCopy,
    ReadTag,
    ReadTagIntent,
    ReadTagAgain,
    Commit,
    Record,
    MakeTags,
    RemovePointers,
    NamePlace,
    ReleaseClaims,
    TakeMarkOff,
    RemoveRedirect,
    RemoveMarker,
    RemoveRevisions,
    MarkTag,
    LookAtIntents,
    LookAtIndex,
    WriteSlugRow,
    LookForNewTags,
    ReserveTag,
    CommitTag,
    UnlistSlugRow,
    RemoveSlugRows,
    RemoveIdentity,
    Decide,
    Fence,
    ReadOwnRow,
    ReadForOwnRow,
    RemoveOwnRow,
    ReadListing,
    ReadCount,
    LookBeforeUnlisting,
    WriteListing,
    Close,
    Done,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Actor {
    /// The intent that it works on.
    pub name: Name,
    pub role: Role,
    pub step: Step,
    /// How far it is in the rows of this step.
    pub at: u8,
    /// The rows whose ETag, as it has read them, is still theirs.
    pub seen: u64,
    /// What it has read: a count, or the name of an intent.
    pub read: u8,
    /// Whether it undoes the change.
    pub is_aborting: bool,
    /// An answer was lost, or the lease: what it has sent may arrive later, so a fence stays and the intent is kept.
    pub is_uncertain: bool,
    /// It is one request under way: its writer has stopped, or goes on without its answer.
    pub is_late: bool,
    /// The row of the late request was absent when it was sent, so that it is an insert.
    pub is_insert: bool,
    /// Its writer waits for the answer to the late request.
    pub answers: bool,
}

impl Actor {
    pub fn new(name: Name, role: Role, step: Step) -> Self {
        Self {
            name,
            role,
            step,
            at: 0,
            seen: 0,
            read: 0,
            is_aborting: false,
            is_uncertain: false,
            is_late: false,
            is_insert: false,
            answers: false,
        }
    }

    pub fn go(&mut self, step: Step) {
        self.step = step;
        self.at = 0;
    }

    pub fn sees(&self, row: Row) -> bool {
        self.seen & row.bit() != 0
    }

    pub fn remember(&mut self, row: Row) {
        self.seen |= row.bit();
    }

    pub fn forget(&mut self, row: Row) {
        self.seen &= !row.bit();
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub tables: Tables,
    pub intents: [Intent; WRITERS],
    pub plans: [Plan; WRITERS],
    pub writers: [Actor; WRITERS],
    /// A recovery or a sweep.
    pub cleaner: Option<Actor>,
    /// A request under way whose sender does not wait for it.
    pub late: Option<Actor>,
    /// How many writers may still stop, and how many answers may still be lost.
    pub stops: u8,
    pub losses: u8,
    /// What has happened, for the properties alone. A bit for each change whose commit was carried out.
    pub made: u8,
    pub told: [Told; WRITERS],
    /// Changes whose server stopped or whose answer was lost.
    pub disturbed: u8,
    /// What the posts and tags must be, by the commits so far: a tag's slug and its former slugs.
    pub posts: [Option<Post>; POSTS as usize],
    pub tags: [Option<(u8, u8)>; TAGS as usize],
    /// Changes that have made their new tags.
    pub made_tags: u8,
    /// A commit was built on another version than the present one.
    pub is_update_lost: bool,
}

impl State {
    pub fn new(tables: Tables, writers: usize, stops: u8, losses: u8) -> Self {
        let posts = [0, 1].map(|id| tables.find(id).map(|(post, _)| post));
        let tags = [0, 1, 2].map(|tag| match tables.tag(tag) {
            TagRow::Identity { slug, former, .. } => Some((slug, former)),
            TagRow::None | TagRow::Gone { .. } | TagRow::Slug { .. } => None,
        });
        let step = |number: u8| if usize::from(number) < writers { Step::Plan } else { Step::Done };
        Self {
            tables,
            intents: [Intent::Absent; WRITERS],
            plans: [Plan::None; WRITERS],
            writers: [0, 1, 2].map(|number| Actor::new(number, Role::Writer, step(number))),
            cleaner: None,
            late: None,
            stops,
            losses,
            made: 0,
            told: [Told::Nothing; WRITERS],
            disturbed: 0,
            posts,
            tags,
            made_tags: 0,
            is_update_lost: false,
        }
    }

    pub fn is_closed(&self, name: Name) -> bool {
        name == NOBODY || matches!(self.intents[usize::from(name)], Intent::Absent | Intent::Kept)
    }

    pub fn plan(&self, name: Name) -> Plan {
        self.plans[usize::from(name)]
    }

    /// Open intents, but for this one.
    pub fn others(&self, name: Name) -> impl Iterator<Item = Name> {
        (0..WRITERS as u8).filter(move |other| *other != name && !self.is_closed(*other))
    }

    pub fn tell(&mut self, name: Name, told: Told) {
        let before = &mut self.told[usize::from(name)];
        if matches!(before, Told::Nothing) {
            *before = told;
        }
    }

    /// After a write of the row nobody knows its ETag; the writer itself may `remember` it then.
    pub fn touch(&mut self, actor: &mut Actor, row: Row) {
        actor.forget(row);
        self.writers.iter_mut().chain(&mut self.cleaner).chain(&mut self.late).for_each(|other| other.forget(row));
    }

    pub fn is_at_rest(&self) -> bool {
        self.cleaner.is_none()
            && self.late.is_none()
            && self.writers.iter().all(|writer| writer.step == Step::Done)
            && self.intents.iter().all(|intent| *intent == Intent::Absent)
    }
}
