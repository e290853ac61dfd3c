//! The damages by hand, as a table: a name, and the acts.

use tidings::keys::time::{self, Direction};
use tidings::keys::{COUNT_ROW, Collection, PostPlace, Table, category_tree, lookup, place, term};
use tidings::model::field_index::field_partition;
use tidings::model::{
    CategoryEntry, CategoryPlace, CategoryTree, IndexKind, Month, Post, PostId, PostKey, TermKind, WholePost,
};
use tidings::store::{Key, Properties, Value};
use tidings::testing::rows::{category_tree as tree_rows, lookup as lookup_rows, post as post_rows, term as term_rows};

use super::damage::{Act, posts};
use crate::support::rows::key;
use crate::support::site::{instant, partitions_of_fields, slug};

const BY_TAG: Table = Table::PostsBy(IndexKind::Term(TermKind::Tag));
const BY_LANGUAGE: Table = Table::PostsBy(IndexKind::Language);
const FEATURED: Table = Table::PostsBy(IndexKind::Featured);
const BY_FIELD: Table = Table::PostsBy(IndexKind::Field);
const BY_SERIES: Table = Table::PostsBy(IndexKind::Term(TermKind::Series));
const SERIES: Table = Table::Terms(TermKind::Series);
const TAGS: Table = Table::Terms(TermKind::Tag);
const CATEGORIES: Table = Table::Terms(TermKind::Category);

type Damage = (&'static str, Vec<Act>);

/// Everything that a repair fixes.
pub fn damages() -> Vec<Damage> {
    let pointers = [pointers(), pointers_of_featured(), pointers_of_fields(), series()].concat();
    [pointers, counts(), listings(), lookups(), summaries(), places(), terms(), categories()].concat()
}

fn one() -> Post {
    posts()[0].post.clone()
}

fn text(text: &str) -> Option<Value> {
    Some(Value::String(text.into()))
}

/// A post that never existed.
fn nobody() -> PostId {
    "zzzzzzzzzzzz".parse().expect("an id")
}

fn pointer(tag: &str) -> Key {
    key(tag, &time::time_row(&one().key()))
}

fn pointer_mirror(tag: &str) -> Key {
    key(tag, &time::mirror_row(&one().key()))
}

fn pointers() -> Vec<Damage> {
    let gone = PostKey { at: one().key().at, id: nobody() };
    let moved = PostKey { at: instant("2020-01-01T00:00:00Z"), id: one().id };
    let copy = |from: Key, to: &PostKey| {
        vec![
            Act::Copy(BY_TAG, from.clone(), key("a", &time::time_row(to))),
            Act::Copy(BY_TAG, from, key("a", &time::mirror_row(to))),
        ]
    };
    vec![
        ("a lost pointer", vec![Act::Delete(BY_TAG, pointer("b"))]),
        ("a lost pointer of a language", vec![Act::Delete(BY_LANGUAGE, pointer("pt-br"))]),
        (
            "a partition of the index of languages lost whole",
            vec![
                Act::Delete(BY_LANGUAGE, pointer("pt-br")),
                Act::Delete(BY_LANGUAGE, pointer_mirror("pt-br")),
                Act::Delete(BY_LANGUAGE, key("pt-br", COUNT_ROW)),
            ],
        ),
        (
            "a pointer of a language that the post does not have",
            vec![
                Act::Copy(BY_LANGUAGE, pointer("pt-br"), key("fr", pointer("pt-br").row())),
                Act::Copy(BY_LANGUAGE, pointer("pt-br"), key("fr", pointer_mirror("pt-br").row())),
            ],
        ),
        ("a lost mirror of a pointer", vec![Act::Delete(BY_TAG, pointer_mirror("b"))]),
        (
            "a pointer lost with its mirror",
            vec![Act::Delete(BY_TAG, pointer("b")), Act::Delete(BY_TAG, pointer_mirror("b"))],
        ),
        (
            "a partition of an index lost whole",
            vec![
                Act::Delete(BY_TAG, pointer("a")),
                Act::Delete(BY_TAG, pointer_mirror("a")),
                Act::Delete(BY_TAG, key("a", COUNT_ROW)),
            ],
        ),
        ("a pointer to no post", copy(pointer("a"), &gone)),
        ("a pointer to where the post was", copy(pointer("a"), &moved)),
        ("a mirror of a pointer to no post", vec![Act::Copy(BY_TAG, pointer("a"), key("a", &time::mirror_row(&gone)))]),
        (
            "a pointer of a tag that the post does not have",
            vec![
                Act::Copy(BY_TAG, pointer("a"), key("z", pointer("a").row())),
                Act::Copy(BY_TAG, pointer("a"), key("z", pointer_mirror("a").row())),
            ],
        ),
        ("a pointer to another row", vec![Act::Set(BY_TAG, pointer("a"), "PostPartitionKey", text("2024-01"))]),
        ("a pointer of a later version", vec![Act::Set(BY_TAG, pointer("a"), "Version", Some(Value::Int32(9)))]),
        ("an unreadable pointer", vec![Act::Set(BY_TAG, pointer("a"), "Version", None)]),
        (
            "a mirror that differs from its pointer",
            vec![Act::Set(BY_TAG, pointer_mirror("a"), "PostRowKey", text("other"))],
        ),
    ]
}

fn pointers_of_featured() -> Vec<Damage> {
    vec![
        ("a lost pointer of a featured post", vec![Act::Delete(FEATURED, pointer("all"))]),
        (
            "the index of featured posts lost whole",
            vec![
                Act::Delete(FEATURED, pointer("all")),
                Act::Delete(FEATURED, pointer_mirror("all")),
                Act::Delete(FEATURED, key("all", COUNT_ROW)),
            ],
        ),
        ("a pointer to a post that is not featured", {
            let other = posts()[1].post.key();
            vec![
                Act::Copy(FEATURED, pointer("all"), key("all", &time::time_row(&other))),
                Act::Copy(FEATURED, pointer("all"), key("all", &time::mirror_row(&other))),
            ]
        }),
    ]
}

fn rating(value: &str) -> String {
    field_partition("rating", value).to_string()
}

fn pointers_of_fields() -> Vec<Damage> {
    let five = rating("5");
    let post = PostPlace::of(&one());
    let rows =
        [post.whole(&one().slug), place::summary(&post.key), key(&post.partition(), &time::mirror_row(&post.key))];
    let set = |value: Option<Value>| {
        rows.iter().map(|row| Act::Set(Table::Posts, row.clone(), "FieldIndex", value.clone())).collect::<Vec<_>>()
    };
    vec![
        ("a lost pointer of a field", vec![Act::Delete(BY_FIELD, pointer(&five))]),
        (
            "a partition of the index of fields lost whole",
            vec![
                Act::Delete(BY_FIELD, pointer(&five)),
                Act::Delete(BY_FIELD, pointer_mirror(&five)),
                Act::Delete(BY_FIELD, key(&five, COUNT_ROW)),
            ],
        ),
        (
            "a pointer of a value that the post does not have",
            vec![
                Act::Copy(BY_FIELD, pointer(&five), key(&rating("6"), pointer(&five).row())),
                Act::Copy(BY_FIELD, pointer(&five), key(&rating("6"), pointer_mirror(&five).row())),
            ],
        ),
        ("a post that names no values of its fields", set(None)),
        ("a post that names a value that it does not have", set(text(&rating("6")))),
        ("a summary that names no values of its fields", set(None).split_off(1)),
    ]
}

fn series() -> Vec<Damage> {
    let own = term::term(&slug("walks"));
    let mirror = key("w", &term::row(&slug("walks"), Direction::Backward));
    let post = PostPlace::of(&one());
    vec![
        ("a lost pointer of a series", vec![Act::Delete(BY_SERIES, pointer("walks"))]),
        (
            "the index of a series lost whole",
            vec![
                Act::Delete(BY_SERIES, pointer("walks")),
                Act::Delete(BY_SERIES, pointer_mirror("walks")),
                Act::Delete(BY_SERIES, key("walks", COUNT_ROW)),
            ],
        ),
        (
            "a pointer of a series that the post is not in",
            vec![
                Act::Copy(BY_SERIES, pointer("walks"), key("talks", pointer("walks").row())),
                Act::Copy(BY_SERIES, pointer("walks"), key("talks", pointer_mirror("walks").row())),
            ],
        ),
        ("a lost series", vec![Act::Delete(SERIES, own.clone())]),
        ("a lost mirror of a series", vec![Act::Delete(SERIES, mirror.clone())]),
        ("a series with an unreadable order", vec![Act::Set(SERIES, own, "Order", text("one two"))]),
        ("a mirror of a series in another order", vec![Act::Set(SERIES, mirror, "Order", None)]),
        (
            "a summary of a post in another series",
            vec![Act::Set(Table::Posts, post.summary(), "Series", text("talks"))],
        ),
    ]
}

fn counts() -> Vec<Damage> {
    let rows = |n| Some(Value::Int64(n));
    let old = PostKey { at: instant("2001-01-01T00:00:00Z"), id: nobody() };
    let mut damages = Vec::new();
    let three = rating("3");
    let counted = [
        (BY_TAG, "b"),
        (BY_LANGUAGE, "de"),
        (FEATURED, "all"),
        (BY_FIELD, &*three),
        (BY_SERIES, "walks"),
        (Table::Posts, "2026-05"),
    ];
    for (table, partition) in counted.into_iter().chain([(Table::Drafts, "2026-04"), (TAGS, "b")]) {
        let at = key(partition, COUNT_ROW);
        damages.extend([
            ("a wrong count", vec![Act::Set(table, at.clone(), "Rows", rows(7))]),
            ("a lost count", vec![Act::Delete(table, at.clone())]),
            ("an unreadable count", vec![Act::Set(table, at.clone(), "Sequence", None)]),
        ]);
        if table != TAGS {
            damages.push((
                "a count whose newest post is too old",
                vec![Act::Set(table, at, "Newest", text(&time::time_row(&old)))],
            ));
        }
    }
    damages
}

fn listings() -> Vec<Damage> {
    let rows = |n| Some(Value::Int64(n));
    let [may, other] =
        [(2026, 5), (2011, 1)].map(|(y, m)| place::month_row(Collection::Posts, Month::new(y, m).expect("a month")));
    let drafts = place::month_row(Collection::Drafts, Month::new(2026, 4).expect("a month"));
    let (a, strange) = (term::catalog_row("b"), term::catalog_row("q"));
    let de = term::catalog_row("de");
    vec![
        ("a month that is not listed", vec![Act::Delete(Table::Months, may.clone())]),
        ("a month listed with another count", vec![Act::Set(Table::Months, may.clone(), "Rows", rows(5))]),
        ("a month with an unreadable listing", vec![Act::Set(Table::Months, may.clone(), "Partition", None)]),
        (
            "a month listed under another's row",
            vec![Act::Copy(Table::Months, may.clone(), other.clone()), Act::Delete(Table::Months, may.clone())],
        ),
        (
            "a month listed that holds nothing",
            vec![
                Act::Copy(Table::Months, may.clone(), other.clone()),
                Act::Set(Table::Months, other, "Partition", text("2011-01")),
            ],
        ),
        ("a month of drafts that is not listed", vec![Act::Delete(Table::Months, drafts)]),
        ("a first character that is not listed", vec![Act::Delete(TAGS, a.clone())]),
        ("a first character listed with another count", vec![Act::Set(TAGS, a.clone(), "Rows", rows(5))]),
        ("a first character with an unreadable listing", vec![Act::Set(TAGS, a.clone(), "Rows", None)]),
        ("a first character listed under another's row", vec![Act::Copy(TAGS, a.clone(), strange.clone())]),
        (
            "a first character listed that holds nothing",
            vec![Act::Copy(TAGS, a, strange.clone()), Act::Set(TAGS, strange, "Partition", text("q"))],
        ),
        ("a language that is not listed", vec![Act::Delete(BY_LANGUAGE, de.clone())]),
        ("a language listed with another count", vec![Act::Set(BY_LANGUAGE, de.clone(), "Rows", rows(5))]),
        ("a language listed that no post has", vec![Act::Copy(BY_LANGUAGE, de, term::catalog_row("fr"))]),
    ]
}

fn lookups() -> Vec<Damage> {
    let [id, other] = [0, 1].map(|n: usize| lookup::by_id(&posts()[n].post.id));
    let [own, twos] = ["post-0", "post-1"].map(|s| lookup::by_slug(&slug(s)));
    let [once, never] = ["once-0", "never"].map(|s| lookup::by_slug(&slug(s)));
    let keys = Table::PostKeys;
    let mut nobodys = one();
    (nobodys.id, nobodys.slug) = (nobody(), slug("never"));
    let dangling = lookup_rows::place(&nobodys);
    vec![
        ("a lost id", vec![Act::Delete(keys, id.clone())]),
        ("an id that names another post", vec![Act::Copy(keys, other, id.clone())]),
        (
            "an id that names another place",
            vec![Act::Set(keys, id.clone(), "At", Some(Value::DateTime(638_741_523_061_234_567)))],
        ),
        ("an id without where it was imported from", vec![Act::Set(keys, id.clone(), "Origin", None)]),
        ("an unreadable id", vec![Act::Set(keys, id.clone(), "Collection", text("Nowhere"))]),
        ("an id of no post", vec![Act::Put(keys, lookup::by_id(&nobody()), dangling.clone())]),
        ("a lost slug", vec![Act::Delete(keys, own.clone())]),
        ("a slug that points to another post", vec![Act::Copy(keys, twos, own.clone())]),
        ("a slug that points to no post", vec![Act::Put(keys, never.clone(), dangling.clone())]),
        ("a slug of a post taken by no post", vec![Act::Put(keys, own.clone(), dangling)]),
        ("a stale slug", vec![Act::Copy(keys, own.clone(), never.clone())]),
        ("an unreadable slug", vec![Act::Set(keys, own.clone(), "Id", text("?"))]),
        ("a slug stored as a former one", vec![Act::Copy(keys, once.clone(), own.clone())]),
        ("a lost former slug", vec![Act::Delete(keys, once.clone())]),
        ("a former slug stored as the slug", vec![Act::Copy(keys, own.clone(), once.clone())]),
        ("a former slug that points to no post", vec![Act::Put(keys, once.clone(), lookup_rows::former(&nobody()))]),
        ("a slug that was never a former one", vec![Act::Copy(keys, once, never)]),
        ("all rows of a post", vec![Act::Delete(keys, id), Act::Delete(keys, own)]),
    ]
}

fn summaries() -> Vec<Damage> {
    let mut damages = Vec::new();
    for n in [0, 3] {
        let post = posts()[n].post.clone();
        let place = PostPlace::of(&post);
        let table = place.collection.table();
        let (summary, mirror) = (place.summary(), key(&place.partition(), &time::mirror_row(&post.key())));
        let elsewhere = PostKey { at: instant("2019-02-01T00:00:00Z"), id: post.id.clone() };
        let beside = PostKey { at: post.key().at.previous().expect("an instant"), id: post.id.clone() };
        damages.extend([
            ("a lost summary", vec![Act::Delete(table, summary.clone())]),
            ("a lost mirror of a summary", vec![Act::Delete(table, mirror.clone())]),
            (
                "a summary lost with its mirror",
                vec![Act::Delete(table, summary.clone()), Act::Delete(table, mirror.clone())],
            ),
            ("a summary with another title", vec![Act::Set(table, summary.clone(), "Title", text("Other"))]),
            ("a summary with another slug", vec![Act::Set(table, summary.clone(), "Slug", text("other"))]),
            ("an unreadable summary", vec![Act::Set(table, summary.clone(), "Title", None)]),
            ("a mirror with another title", vec![Act::Set(table, mirror, "Title", text("Other"))]),
            (
                "a summary left over in another month",
                vec![
                    Act::Copy(table, summary.clone(), place::summary(&elsewhere)),
                    Act::Copy(table, summary.clone(), key("2019-02", &time::mirror_row(&elsewhere))),
                ],
            ),
            ("a summary left over in its month", vec![Act::Copy(table, summary, place::summary(&beside))]),
        ]);
    }
    damages
}

/// The rows of a post as a change writes them, with its partitions of the index of fields.
fn rows_of(whole: &WholePost) -> Vec<(Table, Key, Properties)> {
    let mut whole = whole.clone();
    whole.post.field_index = partitions_of_fields(&whole.metadata);
    let place = PostPlace::of(&whole.post);
    let table = place.collection.table();
    let summary = post_rows::summary(&whole.post);
    let body = post_rows::whole(&whole).expect("a body that fits");
    vec![
        (table, place.whole(&whole.post.slug), body),
        (table, place.summary(), summary.clone()),
        (table, key(&place.partition(), &time::mirror_row(&whole.post.key())), summary),
    ]
}

fn put_all(rows: Vec<(Table, Key, Properties)>) -> Vec<Act> {
    rows.into_iter().map(|(table, key, row)| Act::Put(table, key, row)).collect()
}

fn delete_all(rows: Vec<(Table, Key, Properties)>) -> Vec<Act> {
    rows.into_iter().map(|(table, key, _)| Act::Delete(table, key)).collect()
}

fn places() -> Vec<Damage> {
    let rows = rows_of(&posts()[0]);
    let in_month = |month: &str| {
        rows.iter().map(|(table, at, row)| (*table, key(month, at.row()), row.clone())).collect::<Vec<_>>()
    };
    let as_draft = || rows.iter().map(|(_, at, row)| (Collection::Drafts.table(), at.clone(), row.clone())).collect();
    let (table, whole, _) = rows[0].clone();
    let other = key(whole.partition(), "s-other");
    vec![
        ("a post in the partition of another month", [delete_all(rows.clone()), put_all(in_month("2012-12"))].concat()),
        ("a post that is stored in another month too", put_all(in_month("2012-12"))),
        ("a published post among the drafts", [delete_all(rows.clone()), put_all(as_draft())].concat()),
        (
            "a whole post under another slug",
            vec![Act::Copy(table, whole.clone(), other.clone()), Act::Delete(table, whole.clone())],
        ),
        ("a whole post under another slug too", vec![Act::Copy(table, whole, other)]),
    ]
}

fn terms() -> Vec<Damage> {
    let own = term::term(&slug("b"));
    let mirror = key("b", &term::row(&slug("b"), Direction::Backward));
    let count = key("b", COUNT_ROW);
    let (bee, never) = (term::term(&slug("bee")), term::term(&slug("never")));
    let new = term_rows::slug_row(&slug("b"), true);
    let new_mirror = key("n", &term::row(&slug("new"), Direction::Backward));
    vec![
        ("a slug that a tag once had, lost", vec![Act::Delete(TAGS, bee.clone())]),
        ("a slug that a tag once had, pointing elsewhere", vec![Act::Set(TAGS, bee.clone(), "FirstSlug", text("a"))]),
        ("a slug that no tag had", vec![Act::Copy(TAGS, bee, never.clone())]),
        ("a slug that points to no tag", vec![Act::Put(TAGS, never, term_rows::slug_row(&slug("new"), false))]),
        (
            "a rename that was never committed",
            vec![Act::Put(TAGS, term::term(&slug("new")), new.clone()), Act::Put(TAGS, new_mirror, new)],
        ),
        ("a lost mirror of a tag", vec![Act::Delete(TAGS, mirror.clone())]),
        ("a mirror with another name", vec![Act::Set(TAGS, mirror.clone(), "Name", text("Other"))]),
        ("a lost tag", vec![Act::Delete(TAGS, own.clone())]),
        ("an unreadable tag", vec![Act::Set(TAGS, own.clone(), "Name", None)]),
        (
            "a tag in the partition of another character",
            vec![
                Act::Copy(TAGS, own.clone(), key("x", own.row())),
                Act::Delete(TAGS, own.clone()),
                Act::Copy(TAGS, mirror.clone(), key("x", mirror.row())),
                Act::Delete(TAGS, mirror.clone()),
            ],
        ),
        ("a mirror of a tag in another partition too", vec![Act::Copy(TAGS, mirror.clone(), key("x", mirror.row()))]),
        (
            "a tag whose partition is lost except for its mirror",
            vec![Act::Delete(TAGS, own), Act::Delete(TAGS, count), Act::Delete(TAGS, term::catalog_row("b"))],
        ),
    ]
}

fn categories() -> Vec<Damage> {
    let tree = category_tree::tree();
    let entry = |of: &str, parent: &str| CategoryEntry {
        category: slug(of),
        place: CategoryPlace { parent: slug(parent), slug: slug(of) },
    };
    let put = |entries: Vec<CategoryEntry>| {
        let row = tree_rows::row(&CategoryTree::of(entries)).expect("it fits").expect("a row");
        vec![Act::Put(CATEGORIES, tree.clone(), row)]
    };
    let (local, town) = (entry("local", "news"), entry("town", "local"));
    vec![
        ("a lost tree of categories", vec![Act::Delete(CATEGORIES, tree.clone())]),
        ("an unreadable tree of categories", vec![Act::Set(CATEGORIES, tree.clone(), "Entries0", None)]),
        ("a tree without a category", put(vec![local.clone()])),
        ("a tree with a category that is gone", put(vec![local.clone(), town, entry("gone", "news")])),
        ("a tree with another place of a category", put(vec![local, entry("town", "news")])),
    ]
}
