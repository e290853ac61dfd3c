//! What a change does, as a pure function of the rows that it reads.

use super::rows::{
    JOB, JOB_KEY, OBJECTS, PAGE, POSTS, Page, Post, Rows, TERM, World, count_key, page_key, path_key, post_key,
    read_slug_row, slug_key, term_key,
};
use super::rules::Rules;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    Create {
        post: usize,
        list: usize,
        slug: usize,
    },
    /// Of version 1, which it expects, to everything that it names.
    Update {
        post: usize,
        month: usize,
        list: usize,
        slug: usize,
    },
    Delete {
        post: usize,
    },
    MakeTerm {
        term: usize,
    },
    DeleteTerm {
        term: usize,
    },
    CreatePage {
        page: usize,
        path: usize,
    },
    /// Of version 1, with the child.
    MovePage {
        page: usize,
        path: usize,
    },
    /// Begins the job that moves every post of term 0 to term 1 and deletes term 0.
    Merge,
    /// The next entry of the job. Its writer waits while there is no job.
    GoOn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    Exists,
    NotFound,
    Conflict,
    Taken,
    NoTerm,
    NoParent,
    Used,
    NoJob,
}

/// The objects that a change replaces, before and after; `None` if it leaves the object as it is.
pub type Change = [Option<(u8, u8)>; OBJECTS];

/// The state of each object that the rows show.
pub fn world_of(rows: &Rows) -> World {
    let post = |post: usize| (0..2).map(|month| rows[post_key(month, post)]).find(|row| *row != 0).unwrap_or(0);
    [post(0), post(1), rows[term_key(0)], rows[term_key(1)], rows[JOB_KEY], rows[20], rows[21], rows[22]]
}

pub fn plan(op: Op, rows: &Rows, instant: u8, rules: &Rules) -> Result<Change, Refusal> {
    let world = world_of(rows);
    let mut change = [None; OBJECTS];
    let mut set = |object: usize, after: u8| change[object] = Some((world[object], after));
    let old = |post: usize| Post::unpack(world[post]);
    let is_taken = |slug: usize, by: usize| read_slug_row(rows[slug_key(slug)]).is_some_and(|(owner, _)| owner != by);
    match op {
        Op::Create { post, list, slug } => {
            check(old(post).is_none(), Refusal::Exists)?;
            check(!is_taken(slug, post), Refusal::Taken)?;
            check(world[TERM + list] != 0, Refusal::NoTerm)?;
            set(post, Post { version: 1, month: 0, list, slug, instant }.pack());
        }
        Op::Update { post, month, list, slug } => {
            let before = old(post).ok_or(Refusal::NotFound)?;
            check(before.version == 1, Refusal::Conflict)?;
            check(!is_taken(slug, post), Refusal::Taken)?;
            check(world[TERM + list] != 0, Refusal::NoTerm)?;
            set(post, Post { version: 2, month, list, slug, instant }.pack());
        }
        Op::Delete { post } => {
            check(old(post).is_some(), Refusal::NotFound)?;
            set(post, 0);
        }
        Op::MakeTerm { term } => {
            check(world[TERM + term] == 0, Refusal::Exists)?;
            set(TERM + term, 1);
        }
        Op::DeleteTerm { term } => {
            check(world[TERM + term] != 0, Refusal::NotFound)?;
            check(rows[count_key(term)] == 0 && world[JOB] == 0, Refusal::Used)?;
            set(TERM + term, 0);
        }
        Op::CreatePage { page, path } => {
            check(world[PAGE + page] == 0, Refusal::Exists)?;
            check(rows[path_key(path)] == 0, Refusal::Taken)?;
            check(path % 2 == 0 || rows[path_key(path - 1)] != 0, Refusal::NoParent)?;
            set(PAGE + page, Page { version: 1, path }.pack());
        }
        Op::MovePage { page, path } => {
            let before = Page::unpack(world[PAGE + page]).ok_or(Refusal::NotFound)?;
            check(before.version == 1, Refusal::Conflict)?;
            let child = Page::unpack(rows[page_key(1)]).filter(|child| child.path == before.path + 1);
            check(rows[path_key(path)] == 0, Refusal::Taken)?;
            set(PAGE + page, Page { version: 2, path }.pack());
            if let Some(child) = child {
                check(rows[path_key(path + 1)] == 0, Refusal::Taken)?;
                set(PAGE + 1, Page { path: path + 1, ..child }.pack());
            }
        }
        Op::Merge => {
            check(world[JOB] == 0, Refusal::Exists)?;
            check(world[TERM] != 0 && world[TERM + 1] != 0, Refusal::NoTerm)?;
            set(JOB, u8::from(rules.job_row));
        }
        Op::GoOn => {
            check(world[JOB] != 0, Refusal::NoJob)?;
            let used = (0..POSTS).find(|post| old(*post).is_some_and(|state| state.list == 0));
            let has_more = rules.plan_each_step || world[JOB] == 1;
            if let (Some(post), true) = (used, has_more) {
                let state = old(post).ok_or(Refusal::NotFound)?;
                set(post, Post { version: state.version + 1, list: 1, instant, ..state }.pack());
                // A job that is planned once knows how many steps it has: here one post.
                set(JOB, if rules.plan_each_step { 1 } else { 2 });
            } else {
                set(TERM, 0);
                set(JOB, 0);
            }
        }
    }
    Ok(change)
}

fn check(holds: bool, refusal: Refusal) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(refusal) }
}
