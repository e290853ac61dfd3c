//! The cases. Post 0 is in month 0, has slug 0 and tag 0; tags 0 and 1 exist; post 1, if it exists, is in month 0 and has slug 1 and tag 0.

use crate::case::Case;
use crate::rows::{Place, Post, Tables};
use crate::rules::Rules;
use crate::state::{Change, WRITERS};

const X: u8 = 1 << 0;
const Y: u8 = 1 << 1;
const Z: u8 = 1 << 2;

const TO_Y: Change = Change::Retag { id: 0, tags: Y };
const ADD_Y: Change = Change::Retag { id: 0, tags: X | Y };
const ONLY_X: Change = Change::Retag { id: 0, tags: X };
const ADD_NEW: Change = Change::Retag { id: 0, tags: X | Z };
const TO_NEW: Change = Change::Retag { id: 0, tags: Z };
const REDATE: Change = Change::Redate { id: 0, month: 1 };
const BACK: Change = Change::Redate { id: 0, month: 0 };
const REDATE_1: Change = Change::Redate { id: 1, month: 1 };
const SLUG: Change = Change::Slug { id: 0, slug: 1 };
const TEXT: Change = Change::Text { id: 0 };
const DELETE: Change = Change::Delete { id: 0 };
const DELETE_1: Change = Change::Delete { id: 1 };
const CREATE: Change = create(0, 1, Y, 0);
/// Needs the slug of post 0.
const CREATE_SLUG_0: Change = create(0, 0, X, 0);
const CREATE_ELSEWHERE: Change = create(1, 1, Y, 0);
const MAKE_TAG: Change = Change::MakeTag { tag: 2 };
const DELETE_NEW_TAG: Change = Change::DeleteTag { tag: 2 };
const DELETE_TAG: Change = Change::DeleteTag { tag: 1 };
const RENAME_TAG: Change = Change::RenameTag { tag: 1, slug: 2 };
const RENAME_BACK: Change = Change::RenameTag { tag: 1, slug: 1 };

const fn create(month: u8, slug: u8, tags: u8, former: u8) -> Change {
    Change::Create { id: 1, place: Place { month, slug }, tags, former }
}

/// Any three different writers are chosen from these; only one of these creates a post, so that no id is used twice.
const MENU: &[(&str, Change)] = &[
    ("retag", TO_Y),
    ("untag", Change::Retag { id: 0, tags: 0 }),
    ("new tag", ADD_NEW),
    ("slug", SLUG),
    ("re-date", REDATE),
    ("text", TEXT),
    ("delete", DELETE),
    ("create", CREATE),
    ("rename tag", RENAME_TAG),
    ("delete tag", DELETE_TAG),
];

/// The number of posts at the start, and the writers.
const CHOSEN: &[(&str, u8, &[Change])] = &[
    ("retag", 1, &[TO_Y]),
    ("re-date", 1, &[REDATE]),
    ("slug", 1, &[SLUG]),
    ("text", 1, &[TEXT]),
    ("delete", 1, &[DELETE]),
    ("create", 1, &[CREATE]),
    ("new tag", 1, &[TO_NEW]),
    ("make tag", 1, &[MAKE_TAG]),
    ("rename tag", 1, &[RENAME_TAG]),
    ("delete tag", 1, &[DELETE_TAG]),
    ("two retags", 1, &[TO_Y, ADD_Y]),
    ("retag, untag", 1, &[ADD_Y, ONLY_X]),
    ("retag, retag back", 1, &[TO_Y, ONLY_X]),
    ("retag, text", 1, &[TO_Y, TEXT]),
    ("retag, re-date", 1, &[TO_Y, REDATE]),
    ("retag, delete", 1, &[TO_Y, DELETE]),
    ("retag, delete tag", 1, &[TO_Y, DELETE_TAG]),
    ("re-date, re-date back", 1, &[REDATE, BACK]),
    ("re-date, slug", 1, &[REDATE, SLUG]),
    ("re-date, delete", 1, &[REDATE, DELETE]),
    ("re-date, create there", 1, &[REDATE, CREATE_ELSEWHERE]),
    ("two posts re-dated", 2, &[REDATE, REDATE_1]),
    ("two posts deleted", 2, &[DELETE, DELETE_1]),
    ("slug, create of that slug", 1, &[SLUG, CREATE]),
    ("delete, create of that slug", 1, &[DELETE, CREATE_SLUG_0]),
    ("create, delete", 1, &[CREATE, DELETE_1]),
    ("create, delete tag", 1, &[CREATE_ELSEWHERE, DELETE_TAG]),
    (
        "two creates, slugs and aliases crossed",
        0,
        &[create(0, 0, 0, 2), Change::Create { id: 0, place: Place { month: 0, slug: 1 }, tags: 0, former: 1 }],
    ),
    ("new tag, rename to that slug", 1, &[TO_NEW, RENAME_TAG]),
    ("new tag, delete tag", 1, &[TO_NEW, DELETE_NEW_TAG]),
    ("rename tag, rename back", 1, &[RENAME_TAG, RENAME_BACK]),
    ("rename tag, delete tag", 1, &[RENAME_TAG, DELETE_TAG]),
    ("rename tag, delete tag, make a tag of that slug", 1, &[RENAME_TAG, DELETE_TAG, MAKE_TAG]),
    ("retag, untag, retag", 1, &[ADD_Y, ONLY_X, TO_Y]),
    ("retag, untag, delete tag", 1, &[TO_Y, ONLY_X, DELETE_TAG]),
    ("new tag, untag, delete tag", 1, &[TO_NEW, ONLY_X, DELETE_NEW_TAG]),
    ("new tag, rename to that slug, delete tag", 1, &[TO_NEW, RENAME_TAG, DELETE_TAG]),
    ("make tag, make tag, delete tag", 1, &[MAKE_TAG, MAKE_TAG, DELETE_NEW_TAG]),
    ("create of a slug, delete, untag", 1, &[CREATE_SLUG_0, DELETE, Change::Retag { id: 0, tags: 0 }]),
    ("slug, re-date, create of that slug", 1, &[SLUG, REDATE, CREATE]),
    ("delete tag, new tag of that slug, rename", 1, &[DELETE_TAG, TO_Y, RENAME_TAG]),
    ("retag, re-date, delete", 1, &[TO_Y, REDATE, DELETE]),
];

/// One stop, or one lost answer, at any request.
const ONE_FAULT: &[(u8, u8)] = &[(1, 0), (0, 1)];
const TWO_FAULTS: &[(u8, u8)] = &[(2, 0), (1, 1), (0, 2)];

/// What the ordinary tests run: every chosen case without a fault, and with one unless there are three writers.
pub fn small() -> Vec<Case> {
    let without = CHOSEN.iter().map(|chosen| chosen_case(*chosen, (0, 0)));
    let with = CHOSEN.iter().filter(|(_, _, writers)| writers.len() < WRITERS);
    without.chain(with.flat_map(|chosen| faulty(ONE_FAULT, *chosen))).collect()
}

/// The chosen cases with up to two faults, and any three of the menu with up to one. Three writers with as many faults send their requests in order,
/// because all orders of theirs are too many states.
pub fn full() -> Vec<Case> {
    let chosen = CHOSEN.iter().flat_map(|chosen| {
        faulty(&[(0, 0)], *chosen).chain(faulty(ONE_FAULT, *chosen)).chain(faulty(TWO_FAULTS, *chosen))
    });
    let in_order = |case: Case| {
        let is_large = case.writers.iter().all(|writer| *writer != Change::Nothing) && case.stops + case.losses > 1;
        Case { is_in_order: is_large, ..case }
    };
    let mut cases: Vec<Case> = chosen.map(in_order).collect();
    for (first, (a, one)) in MENU.iter().enumerate() {
        for (second, (b, two)) in MENU.iter().enumerate().skip(first + 1) {
            for (c, three) in &MENU[second + 1..] {
                let any = |faults: (u8, u8)| Case {
                    is_in_order: faults != (0, 0),
                    ..case(format!("any three: {a}, {b}, {c}"), 1, &[*one, *two, *three], faults)
                };
                cases.extend([(0, 0)].iter().chain(ONE_FAULT).map(|faults| any(*faults)));
            }
        }
    }
    cases
}

/// A chosen case by its name.
pub fn named(name: &str, faults: (u8, u8)) -> Case {
    let chosen = CHOSEN.iter().find(|(n, ..)| *n == name).expect("a chosen case");
    chosen_case(*chosen, faults)
}

fn faulty(faults: &'static [(u8, u8)], chosen: (&'static str, u8, &'static [Change])) -> impl Iterator<Item = Case> {
    faults.iter().map(move |faults| chosen_case(chosen, *faults))
}

fn chosen_case((name, posts, writers): (&str, u8, &[Change]), faults: (u8, u8)) -> Case {
    case(name.to_owned(), posts, writers, faults)
}

fn case(name: String, posts: u8, changes: &[Change], (stops, losses): (u8, u8)) -> Case {
    let mut tables = Tables::empty();
    tables.put_tag(0);
    tables.put_tag(1);
    for id in 0..posts {
        tables.put_post(id, Post { version: 1, place: Place { month: 0, slug: id }, tags: X, former: 0 });
    }
    let mut writers = [Change::Nothing; WRITERS];
    writers[..changes.len()].copy_from_slice(changes);
    Case { name, tables, writers, stops, losses, is_in_order: false, rules: Rules::ALL }
}
