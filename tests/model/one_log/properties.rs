//! What must hold in every reachable state.

use stateright::Property;

use super::case::{Cache, Case};
use super::entry::write;
use super::plan::{Op, Refusal, plan};
use super::rows::{
    JOB, KEYS, OBJECTS, PAGE, PAGES, POSTS, Page, Post, TERM, World, is_count, page_key, path_key, pointer_key,
    post_key, rows_of, slug_key, slug_row, term_key,
};
use super::state::{Reply, State, Step};

pub const ALL_HAVE_ENDED: &str = "all have ended";

pub fn all() -> Vec<Property<Case>> {
    vec![
        Property::always("every entry holds in its place, once", |_, s: &State| s.broken.is_none()),
        Property::always("a reply says what happened", replies_are_true),
        Property::always("an acknowledged change is applied in every partition", |_, s| acknowledged_is_applied(s)),
        Property::always("what remains to be applied gives the state of the log", |_, s| rest_gives_the_log(s)),
        Property::always("each post and page is found by what leads to it", |_, s| objects_are_found(s)),
        Property::always("a list shows only its posts", lists_are_confirmed),
        Property::always("a follower finds what was reported", reports_are_true),
        Property::always("no cache is older than its horizon", |_, s| cache_is_exact(s)),
        Property::always("a client reads its own write", own_writes_are_read),
        Property::always("an accepted job is known until it has ended", job_is_known),
        Property::sometimes(ALL_HAVE_ENDED, |_, s| is_at_rest(s)),
    ]
}

/// Slugs and paths have one owner each, used terms exist, and each child has its parent.
pub fn is_consistent(world: &World) -> bool {
    let posts: Vec<Post> = world[..POSTS].iter().filter_map(|state| Post::unpack(*state)).collect();
    let pages: Vec<Page> = world[PAGE..PAGE + PAGES].iter().filter_map(|state| Page::unpack(*state)).collect();
    let is_at = |path: usize| pages.iter().filter(|page| page.path == path).count();
    posts.iter().all(|post| world[TERM + post.list] != 0)
        && posts.iter().all(|post| posts.iter().filter(|other| other.slug == post.slug).count() == 1)
        && pages.iter().all(|page| is_at(page.path) == 1 && (page.path % 2 == 0 || is_at(page.path - 1) == 1))
}

fn replies_are_true(case: &Case, s: &State) -> bool {
    s.writers.iter().enumerate().all(|(name, writer)| {
        case.writers[name].iter().zip(writer.replies).enumerate().all(|(group, (ops, replies))| {
            ops.iter().zip(replies).enumerate().all(|(at, (op, reply))| match reply {
                None => true,
                Some(Reply::Made(number)) => {
                    s.entry(number).is_some_and(|entry| entry.writer == name && entry.made[at])
                }
                Some(Reply::Refused(base, refusal)) => {
                    !is_made(s, name, group, at) && is_refused(case, s, *op, base, refusal)
                }
            })
        })
    })
}

fn is_made(s: &State, name: usize, group: usize, at: usize) -> bool {
    s.log.iter().any(|entry| (entry.writer, entry.group) == (name, group) && entry.made[at])
}

/// Whether the change is refused like this on the base of this entry.
fn is_refused(case: &Case, s: &State, op: Op, base: usize, refusal: Refusal) -> bool {
    plan(op, &rows_of(&s.worlds[base]), 0, &case.rules) == Err(refusal)
}

/// Nothing but the last entry can be missing, and not if it is acknowledged. (Counts are compared when everything is applied.)
fn acknowledged_is_applied(s: &State) -> bool {
    let head = s.head();
    let after = rows_of(&s.worlds[head]);
    let before = rows_of(&s.worlds[head.saturating_sub(1)]);
    let is_acknowledged = s.replies().any(|(_, reply)| matches!(reply, Reply::Made(number) if number == head));
    (0..KEYS).all(|key| s.rows[key] == after[key] || !is_acknowledged && (s.rows[key] == before[key] || is_count(key)))
}

fn rest_gives_the_log(s: &State) -> bool {
    let missing = s.missing(s.head());
    let mut transactions = s.log.last().map(|entry| missing.iter().map(|at| &entry.transactions[*at]));
    let applied = transactions.as_mut().map_or(Some(s.rows), |all| all.try_fold(s.rows, |rows, t| write(t, &rows)));
    applied == Some(rows_of(&s.worlds[s.head()]))
}

/// Of a post that exists before and after the last entry there is a row; and wherever there is a row, one has what leads to it: its slug, its
/// pointer and its term. So too a page and its path.
fn objects_are_found(s: &State) -> bool {
    let (before, after) = (s.worlds[s.head().saturating_sub(1)], s.worlds[s.head()]);
    (0..POSTS).all(|post| {
        let found: Vec<Post> = (0..2).filter_map(|month| Post::unpack(s.rows[post_key(month, post)])).collect();
        let is_whole = |state: &Post| {
            s.rows[slug_key(state.slug)] == slug_row(post, state.month)
                && s.rows[pointer_key(state.list, state.month, post)] != 0
                && s.rows[term_key(state.list)] != 0
        };
        let may_be_gone = before[post] == 0 || after[post] == 0;
        found.iter().any(is_whole) || found.is_empty() && may_be_gone
    }) && (0..PAGES).all(|page| {
        let state = Page::unpack(s.rows[page_key(page)]);
        state.is_none_or(|state| s.rows[path_key(state.path)] == page as u8 + 1)
    })
}

fn lists_are_confirmed(case: &Case, s: &State) -> bool {
    let places = (0..2).flat_map(|list| (0..2).flat_map(move |month| (0..POSTS).map(move |post| (list, month, post))));
    places.filter(|(list, month, post)| s.rows[pointer_key(*list, *month, *post)] != 0).all(|(list, month, post)| {
        let is_confirmed = Post::unpack(s.rows[post_key(month, post)]).is_some_and(|state| state.list == list);
        let is_shown = is_confirmed || !case.rules.confirm_pointer;
        !is_shown || is_confirmed
    })
}

/// Whoever reads a report finds the rows of its entry, or of the one after it. (Counts are compared when everything is applied.)
fn reports_are_true(case: &Case, s: &State) -> bool {
    let reported = s.reported();
    if !case.is_followed || case.rules.confirm_report && !s.is_applied(reported) {
        return true;
    }
    let (then, now) = (rows_of(&s.worlds[reported]), rows_of(&s.worlds[s.head()]));
    (0..KEYS).all(|key| is_count(key) || s.rows[key] == then[key] || s.rows[key] == now[key])
}

fn cache_is_exact(s: &State) -> bool {
    s.server.cached.is_none_or(|(partition, seen)| seen >= s.due(partition, s.server.horizon))
}

/// On the server of the write, and on another one with the number of the entry.
fn own_writes_are_read(case: &Case, s: &State) -> bool {
    s.replies().all(|(name, reply)| {
        let (Reply::Made(number), Some((partition, seen))) = (reply, s.server.cached) else { return true };
        let is_own = case.cache == Cache::OfWriter && name == 0;
        let answers = is_own || s.server.horizon >= number || !case.rules.wait_for_position;
        !answers || seen >= s.due(partition, number)
    })
}

fn job_is_known(case: &Case, s: &State) -> bool {
    let merges = |name: usize| case.writers[name].contains(&vec![Op::Merge]);
    let is_accepted = s.replies().any(|(name, reply)| merges(name) && matches!(reply, Reply::Made(_)));
    let world: [u8; OBJECTS] = s.worlds[s.head()];
    let has_ended = world[TERM] == 0;
    // A server that goes on with jobs waits only while there is none.
    let waits = |step: &Step| *step == Step::Wait { head: s.head() };
    !is_accepted || has_ended || world[JOB] != 0 && !s.writers.iter().any(|writer| waits(&writer.step))
}

fn is_at_rest(s: &State) -> bool {
    let rests = |step: &Step| matches!(step, Step::Done) || *step == Step::Wait { head: s.head() };
    s.writers.iter().all(|writer| rests(&writer.step))
}
