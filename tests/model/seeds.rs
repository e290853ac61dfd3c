//! Seeded bugs: each rule switched off, in a case in which that causes a violation.

use crate::case::Case;
use crate::cases;
use crate::rules::Rules;

pub struct Seed {
    pub name: &'static str,
    off: fn(&mut Rules),
    case: &'static str,
    /// Stops and lost answers.
    faults: (u8, u8),
}

impl Seed {
    pub fn case(&self) -> Case {
        let mut case = cases::named(self.case, self.faults);
        (self.off)(&mut case.rules);
        case
    }
}

const fn seed(name: &'static str, off: fn(&mut Rules), case: &'static str, faults: (u8, u8)) -> Seed {
    Seed { name, off, case, faults }
}

pub const SEEDS: &[Seed] = &[
    seed("W1: a change does not wait for the one before", |r| r.one_at_a_time = false, "two retags", (0, 0)),
    seed("W1: a change inserts before it waits", |r| r.wait_before_insert = false, "retag, retag back", (0, 1)),
    seed("W1: a new tag does not wait for a deletion", |r| r.wait_for_deletion = false, "retag, delete tag", (1, 0)),
    seed("W2: rows that exist are not written again", |r| r.rewrite_needed_rows = false, "two retags", (1, 0)),
    seed("W2: rows are overwritten before the take", |r| r.overwrite_after_take = false, "two retags", (0, 0)),
    seed(
        "W5: a deletion's marker is removed before it is recorded",
        |r| r.record_before_marker = false,
        "delete",
        (1, 0),
    ),
    seed("W3: rows are removed without their ETag", |r| r.read_check_remove = false, "two retags", (1, 0)),
    seed("W4: an aborted change removes rows of others", |r| r.remove_own_rows_only = false, "two retags", (0, 0)),
    seed(
        "W4: an aborted change removes rows that the post has",
        |r| r.remove_unneeded_rows_only = false,
        "retag",
        (1, 0),
    ),
    seed("W4: an aborted change leaves its listing", |r| r.abort_copies_count = false, "create, delete tag", (0, 0)),
    seed("W4: the sweep leaves revisions", |r| r.sweep_revisions = false, "retag, delete", (1, 0)),
    seed("W5: whether a change was made is inferred", |r| r.commit_is_named = false, "retag, text", (1, 0)),
    seed("W6: a recovery raises no fence", |r| r.fence = false, "retag", (1, 0)),
    seed("W6: a term is created by an insert", |r| r.reserve_term = false, "new tag, untag, delete tag", (1, 0)),
    seed("W7: a writer goes on without its lease", |r| r.stop_with_lease = false, "two retags", (1, 0)),
    seed("W7: a recovered intent is not kept", |r| r.keep_recovered = false, "retag", (1, 0)),
    seed(
        "W8: a listing that exists is not written again",
        |r| r.rewrite_listing = false,
        "delete, create of that slug",
        (0, 0),
    ),
    seed(
        "W8: a listing is emptied that is needed",
        |r| r.look_before_unlisting = false,
        "delete, create of that slug",
        (0, 0),
    ),
    seed(
        "W8: a listing names no changes, the open intents are checked",
        |r| r.listing_names_changes = false,
        "two posts deleted",
        (0, 0),
    ),
    seed("W9: terms are read before the intent is open", |r| r.terms_last = false, "retag, delete tag", (0, 0)),
    seed("W9: a deletion looks before it marks", |r| r.mark_before_look = false, "retag, delete tag", (0, 0)),
    seed(
        "W9: a term is not read again after its deletion's intent",
        |r| r.read_term_again = false,
        "retag, delete tag",
        (0, 0),
    ),
    seed(
        "terms: a deletion removes the next term's slug row",
        |r| r.slug_rows_first = false,
        "delete tag, new tag of that slug, rename",
        (1, 0),
    ),
    seed(
        "terms: a replaced slug row stays counted",
        |r| r.count_replaced_rows = false,
        "rename tag, delete tag, make a tag of that slug",
        (0, 0),
    ),
    seed(
        "answers: a commit without an answer is reported as refused before the fence",
        |r| r.unknown_without_fence = false,
        "retag",
        (1, 1),
    ),
    seed(
        "claims: the post is read before the intents",
        |r| r.claim_post_last = false,
        "slug, create of that slug",
        (0, 0),
    ),
    seed("claims: a wait has no end", |r| r.bounded_waits = false, "two creates, slugs and aliases crossed", (0, 0)),
];
