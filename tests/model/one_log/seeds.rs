//! Seeded bugs: each rule switched off, in a case in which that causes a violation.

use super::case::{Cache, Case};
use super::cases;
use super::rules::Rules;

pub struct Seed {
    pub name: &'static str,
    off: fn(&mut Rules),
    case: &'static str,
    losses: u8,
    cache: Cache,
    is_followed: bool,
}

impl Seed {
    pub fn case(&self) -> Case {
        let (losses, cache, is_followed) = (self.losses, self.cache, self.is_followed);
        let mut case = Case { losses, cache, is_followed, ..cases::named(self.case) };
        (self.off)(&mut case.rules);
        case
    }
}

const fn seed(name: &'static str, off: fn(&mut Rules), case: &'static str, losses: u8) -> Seed {
    Seed { name, off, case, losses, cache: Cache::Nowhere, is_followed: false }
}

const fn cached(name: &'static str, off: fn(&mut Rules), case: &'static str, cache: Cache) -> Seed {
    Seed { name, off, case, losses: 0, cache, is_followed: false }
}

const TAKEN: &str = "a slug is freed and taken";

pub const SEEDS: &[Seed] = &[
    seed("an append ignores the ETag of the head", |r| r.head_etag = false, "two posts, one slug", 0),
    seed("a writer does not look for its entry", |r| r.look_for_own = false, "two posts, one slug", 1),
    seed("a refusal is not verified", |r| r.verify_refusal = false, TAKEN, 1),
    seed("a transaction ignores the watermark", |r| r.mark_etag = false, TAKEN, 1),
    seed("an empty partition has no watermark", |r| r.keep_mark = false, "create, delete, create again", 1),
    seed("a watermark has no step", |r| r.number_steps = false, "move a page in steps, take its path", 0),
    seed("partitions are written in any order", |r| r.order = false, TAKEN, 0),
    seed("a writer plans before the last entry is applied", |r| r.apply_first = false, TAKEN, 0),
    cached("a follower goes to an entry that is not applied", |r| r.wait_for_applied = false, TAKEN, Cache::OfFollower),
    cached("what was being read is kept", |r| r.check_generation = false, TAKEN, Cache::OfFollower),
    seed("a change is acknowledged when it is appended", |r| r.applied_before_ack = false, TAKEN, 0),
    cached(
        "a change is acknowledged before its server's caches drop it",
        |r| r.horizon_before_ack = false,
        TAKEN,
        Cache::OfWriter,
    ),
    cached("a server ignores a client's position", |r| r.wait_for_position = false, TAKEN, Cache::OfFollower),
    seed("a pointer counts without its post", |r| r.confirm_pointer = false, TAKEN, 0),
    Seed {
        is_followed: true,
        ..seed("a report is read before its change is applied", |r| r.confirm_report = false, TAKEN, 0)
    },
    seed("a slug is not read again", |r| r.read_slug_again = false, "re-date, delete", 0),
    seed(
        "a refusal on the base of another change of the append is answered before it",
        |r| r.refuse_after_append = false,
        "a group: two posts, one slug",
        0,
    ),
    seed(
        "a row passes from one object to another in an append",
        |r| r.no_handover = false,
        "a group: a slug is freed and taken",
        0,
    ),
    seed("a job is known only to its server", |r| r.job_row = false, "a job of two posts", 0),
    seed("the steps of a job are planned once", |r| r.plan_each_step = false, "a job, and a new post", 0),
];
