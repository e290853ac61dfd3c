//! The cases: which changes meet which faults. Terms 0 and 1 exist, unless a case says otherwise.

use super::case::{Cache, Case};
use super::plan::Op;
use super::rows::{Page, Post, World};
use super::rules::Rules;

const A: usize = 0;
const B: usize = 1;
/// The slugs.
const X: usize = 0;
const Y: usize = 1;
/// The paths: a, its child, and b.
const AT_A: usize = 0;
const BELOW_A: usize = 1;
const AT_B: usize = 2;

const CREATE: Op = Op::Create { post: A, list: 0, slug: X };
const CREATE_B: Op = Op::Create { post: B, list: 0, slug: X };
const CREATE_B_Y: Op = Op::Create { post: B, list: 0, slug: Y };
const AGAIN: Op = Op::Create { post: A, list: 1, slug: X };
const RETAG: Op = Op::Update { post: A, month: 0, list: 1, slug: X };
const RENAME: Op = Op::Update { post: A, month: 0, list: 0, slug: Y };
const RETAG_RENAME: Op = Op::Update { post: A, month: 0, list: 1, slug: Y };
const REDATE: Op = Op::Update { post: A, month: 1, list: 0, slug: X };
const RENAME_AWAY: Op = Op::Update { post: A, month: 0, list: 0, slug: 2 };
const RENAME_B_X: Op = Op::Update { post: B, month: 0, list: 0, slug: X };
const DELETE: Op = Op::Delete { post: A };
const DELETE_TERM: Op = Op::DeleteTerm { term: 0 };
const MAKE_TERM: Op = Op::MakeTerm { term: 0 };
const MOVE: Op = Op::MovePage { page: 0, path: AT_B };
const TAKE_PATH: Op = Op::CreatePage { page: 2, path: AT_A };
const TAKE_TARGET: Op = Op::CreatePage { page: 2, path: AT_B };
const CHILD: Op = Op::CreatePage { page: 1, path: BELOW_A };

fn a() -> u8 {
    Post { version: 1, month: 0, list: 0, slug: X, instant: 0 }.pack()
}

fn b() -> u8 {
    Post { version: 1, month: 0, list: 0, slug: Y, instant: 0 }.pack()
}

fn posts(a: u8, b: u8) -> World {
    [a, b, 1, 1, 0, 0, 0, 0]
}

fn tree(has_child: bool) -> World {
    let page = |path: usize| Page { version: 1, path }.pack();
    [0, 0, 1, 1, 0, page(AT_A), if has_child { page(BELOW_A) } else { 0 }, 0]
}

/// Each writer has one group of one change.
fn single(ops: &[Op]) -> Vec<Vec<Vec<Op>>> {
    ops.iter().map(|op| vec![vec![*op]]).collect()
}

fn case(name: &'static str, world: World, writers: Vec<Vec<Vec<Op>>>) -> Case {
    Case {
        name,
        world,
        writers,
        losses: 0,
        stops: 0,
        cache: Cache::Nowhere,
        lookup: None,
        is_followed: false,
        bound: 8,
        instants: 1,
        rules: Rules::ALL,
    }
}

/// Without faults.
fn plain() -> Vec<Case> {
    let go_on = vec![vec![Op::GoOn]];
    let merge = vec![vec![Op::Merge], vec![Op::GoOn]];
    let none = World::from([0, 0, 0, 1, 0, 0, 0, 0]);
    vec![
        case("create, retag and rename, delete", posts(0, 0), single(&[CREATE, RETAG_RENAME, DELETE])),
        case("two posts, one slug", posts(0, 0), single(&[CREATE, CREATE_B])),
        case("two changes of a version", posts(a(), 0), single(&[RETAG, RENAME])),
        case("a slug is freed and taken", posts(a(), 0), single(&[RETAG_RENAME, CREATE_B])),
        case("create, delete, create again", posts(0, 0), single(&[CREATE, DELETE, AGAIN])),
        Case { lookup: Some(X), ..case("re-date, delete", posts(a(), 0), single(&[REDATE, DELETE])) },
        case("a term is deleted and used", posts(0, 0), single(&[CREATE, DELETE_TERM])),
        case("move a page, take its path", tree(true), single(&[MOVE, TAKE_PATH])),
        Case { bound: 1, ..case("move a page in steps, take its path", tree(true), single(&[MOVE, TAKE_PATH])) },
        case("move a page, take its target", tree(true), single(&[MOVE, TAKE_TARGET])),
        case("move a page, create its child", tree(false), single(&[MOVE, CHILD])),
        case("a group: two posts, one slug", posts(0, 0), vec![vec![vec![CREATE, CREATE_B]], vec![vec![CREATE_B]]]),
        case("a group: a post in a new term", none, vec![vec![vec![MAKE_TERM, CREATE]], vec![vec![DELETE_TERM]]]),
        case(
            "a group: a slug is freed and taken",
            posts(a(), b()),
            vec![vec![vec![RENAME_AWAY, RENAME_B_X]], vec![vec![DELETE]]],
        ),
        case("a job, and a new post", posts(a(), 0), vec![merge.clone(), vec![vec![CREATE_B_Y]]]),
        case("a job of two posts", posts(a(), b()), vec![merge, go_on]),
    ]
}

pub fn named(name: &str) -> Case {
    plain().into_iter().find(|case| case.name == name).expect("a case")
}

fn with(losses: u8, stops: u8, cache: Cache, cases: Vec<Case>) -> Vec<Case> {
    cases.into_iter().map(|case| Case { losses, stops, cache, ..case }).collect()
}

fn followed(cases: Vec<Case>) -> Vec<Case> {
    cases.into_iter().map(|case| Case { is_followed: true, ..case }).collect()
}

/// Two writers, no reader beside them, and no job.
fn is_small(case: &Case) -> bool {
    case.writers.len() == 2
        && case.lookup.is_none()
        && !case.writers.iter().flatten().flatten().any(|op| *op == Op::GoOn)
}

/// The clock of each writer shows one instant or the other, in any order.
fn with_clocks(cases: Vec<Case>) -> Vec<Case> {
    with(1, 0, Cache::Nowhere, cases).into_iter().map(|case| Case { instants: 2, ..case }).collect()
}

/// What the ordinary tests run.
pub fn small() -> Vec<Case> {
    let few = || plain().into_iter().filter(is_small).collect::<Vec<_>>();
    let mut all = with(0, 0, Cache::Nowhere, plain());
    all.extend(with(1, 1, Cache::Nowhere, few()));
    all.extend(followed(with(1, 1, Cache::Nowhere, few())));
    all.extend(with(0, 0, Cache::OfFollower, few()));
    all.extend(with(0, 0, Cache::OfWriter, few()));
    all.extend(with(0, 1, Cache::Nowhere, vec![named("re-date, delete"), named("a job of two posts")]));
    all.extend(with_clocks(vec![named("two changes of a version"), named("a slug is freed and taken")]));
    all
}

pub fn full() -> Vec<Case> {
    let go_on = vec![vec![Op::GoOn]];
    let merge = vec![vec![Op::Merge], vec![Op::GoOn]];
    let writers = vec![merge, go_on, vec![vec![CREATE_B_Y]]];
    let mut all = small();
    all.extend(with_clocks(plain().into_iter().filter(is_small).collect()));
    all.extend(with(1, 1, Cache::Nowhere, vec![case("a job on two servers, and a new post", posts(a(), 0), writers)]));
    all.extend(with(2, 1, Cache::Nowhere, plain()));
    for cache in [Cache::OfFollower, Cache::OfWriter] {
        all.extend(with(1, 0, cache, plain()));
        all.extend(with(1, 1, cache, plain().into_iter().filter(is_small).collect()));
    }
    all.extend(with(1, 0, Cache::Nowhere, any_three()));
    all.extend(with(0, 0, Cache::OfFollower, any_three()));
    all
}

/// Any three of the changes of posts and terms, and any three of pages.
fn any_three() -> Vec<Case> {
    let of_posts = [RETAG, RENAME, REDATE, DELETE, RENAME_B_X, Op::Delete { post: B }, DELETE_TERM, Op::Merge];
    let of_pages = [MOVE, TAKE_PATH, TAKE_TARGET, CHILD];
    let menus = [(posts(a(), b()), &of_posts[..]), (tree(false), &of_pages[..])];
    let mut all = Vec::new();
    for (world, menu) in menus {
        for (first, one) in menu.iter().enumerate() {
            for (second, two) in menu.iter().enumerate().skip(first + 1) {
                for three in &menu[second + 1..] {
                    all.push(case("any three", world, single(&[*one, *two, *three])));
                }
            }
        }
    }
    all
}
