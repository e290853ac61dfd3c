//! The state of a run of the model: the tables, the actors, and the changes that were made and answered so far.

use crate::rows::{Intent, NOBODY, Name, POSTS, Place, Post, Row, TAGS, Tables, TagRow};

pub const WRITERS: usize = 3;

/// The change that a writer is to make.
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

/// The content of an intent.
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
pub enum Reply {
    Nothing,
    Made,
    Refused,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Writer,
    Recovery,
    /// Removes again what names a kept intent.
    Sweep,
}

/// The next request of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    Plan,
    OpenIntent,
    /// Its lanes say what it sends.
    Prepare,
    Take,
    InsertClaim,
    InsertPointer,
    ReadLostPointer,
    /// A lane has ended.
    Joined,
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

/// Requests that are sent one after another while those of other lanes are under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lane {
    pub step: Step,
    pub at: u8,
    pub read: u8,
}

impl Default for Lane {
    fn default() -> Self {
        Self { step: Step::Joined, at: 0, read: 0 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Actor {
    /// The intent that it works on.
    pub name: Name,
    pub role: Role,
    pub step: Step,
    /// Its position in the rows of this step.
    pub at: u8,
    /// The rows of which the ETag that it has read is still valid.
    pub seen: u64,
    /// What it has read: a count, or the name of an intent.
    pub read: u8,
    pub lanes: [Lane; 4],
    /// The lane that its step is of, while the step is carried out.
    pub lane: Option<u8>,
    /// A bit for each of its claims and pointers whose row existed, or got no answer, when it was inserted.
    pub contested_claims: u8,
    pub contested_pointers: u8,
    /// A lane was refused; the change is aborted when the others have ended.
    pub is_refused: bool,
    /// The record of the change is still to be written.
    pub owes_record: bool,
    /// Whether it aborts the change.
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
            lanes: Default::default(),
            lane: None,
            contested_claims: 0,
            contested_pointers: 0,
            is_refused: false,
            owes_record: false,
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

    pub fn keep_etag(&mut self, row: Row) {
        self.seen |= row.bit();
    }

    pub fn drop_etag(&mut self, row: Row) {
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
    /// What has happened, for the properties only. A bit for each change whose commit was carried out.
    pub made: u8,
    pub replies: [Reply; WRITERS],
    /// Changes whose server stopped or whose answer was lost.
    pub disturbed: u8,
    /// The posts and tags that follow from the commits so far; of a tag its slug and its former slugs.
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
            replies: [Reply::Nothing; WRITERS],
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

    /// Open intents, except for this one.
    pub fn others(&self, name: Name) -> impl Iterator<Item = Name> {
        (0..WRITERS as u8).filter(move |other| *other != name && !self.is_closed(*other))
    }

    pub fn set_reply(&mut self, name: Name, reply: Reply) {
        let before = &mut self.replies[usize::from(name)];
        if matches!(before, Reply::Nothing) {
            *before = reply;
        }
    }

    /// After a write of the row no actor knows its ETag; the writer may then call `keep_etag` itself.
    pub fn touch(&mut self, actor: &mut Actor, row: Row) {
        actor.drop_etag(row);
        self.writers.iter_mut().chain(&mut self.cleaner).chain(&mut self.late).for_each(|other| other.drop_etag(row));
    }

    pub fn is_at_rest(&self) -> bool {
        self.cleaner.is_none()
            && self.late.is_none()
            && self.writers.iter().all(|writer| writer.step == Step::Done)
            && self.intents.iter().all(|intent| *intent == Intent::Absent)
    }
}
