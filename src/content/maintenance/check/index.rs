//! Checks the index tables. The rule: the post of each pointer is in that index (it has the term, the language or the value of a field, or is
//! featured), and each published post has a pointer for each index that it is in.

use std::collections::{HashMap, HashSet};

use crate::content::error::Result;
use crate::content::tables::rows::{count, pointer};
use crate::keys::field_index::FIELDS_PARTITION;
use crate::keys::{COUNT_ROW, Collection, Table, term, time};
use crate::model::{IndexKind, PostId, PostKey, Slug};
use crate::store::{Entity, Key, Store};

use super::counts::check_count;
use super::field_indexes;
use super::fix::Fix;
use super::known::Posts;
use super::partition::Partitions;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<()> {
    for kind in IndexKind::ALL {
        let mut found: HashSet<(Slug, PostId)> = HashSet::new();
        let mut partitions = Partitions::of(store, Table::of_index(kind));
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            if kind == IndexKind::Field && rows[0].key.partition() == FIELDS_PARTITION {
                field_indexes::check_list(&rows, report);
                continue;
            }
            check_partition(kind, &rows, posts, &mut found, report);
        }
        for (id, known) in posts.iter().filter(|(_, known)| known.place.collection == Collection::Posts) {
            for (_, slug) in
                known.indexes.iter().filter(|(k, slug)| *k == kind && !found.contains(&(slug.clone(), id.clone())))
            {
                let key = known.place.key.clone();
                let missing = Key::new(term::posts_partition(slug), time::time_row(&key))?;
                let fix = Fix::Pointer { kind, slug: slug.clone(), key };
                let what = format!("is missing; its post {}", kind.says(true));
                report.add(Table::of_index(kind), &missing, what, fix);
            }
        }
    }
    Ok(())
}

fn check_partition(
    kind: IndexKind,
    rows: &[Entity],
    posts: &Posts,
    found: &mut HashSet<(Slug, PostId)>,
    report: &mut CheckReport,
) {
    let table = Table::of_index(kind);
    let by_row: HashMap<&str, &Entity> = rows.iter().map(|row| (row.key.row(), row)).collect();
    let Ok(slug) = rows[0].key.partition().parse::<Slug>() else {
        return report.add(table, &rows[0].key, "is in a partition that no slug has", Fix::ORPHAN);
    };
    let (mut listed, mut newest, mut counted) = (0, None::<PostKey>, None);
    for row in rows {
        if row.key.row() == COUNT_ROW {
            let fix = Fix::Count { table, partition: slug.to_string() };
            counted = count::read(row).map_err(|e| report.add_unreadable(table, row, &e, fix)).ok();
        } else if let Some(key) = time::parse_time_row(row.key.row()) {
            listed += 1;
            let pointer = CheckedRow { kind, slug: &slug, key: &key };
            pointer.check(row, &by_row, posts, report);
            // A pointer under another key of the post is not the one that the post must have.
            if posts.published(&key).is_some() {
                found.insert((slug.clone(), key.id.clone()));
            }
            newest = Some(newest.map_or_else(|| key.clone(), |n| n.min(key.clone())));
        } else if let Some(key) = time::parse_mirror_row(row.key.row()) {
            if !by_row.contains_key(time::time_row(&key).as_str()) {
                let fix = Fix::Pointer { kind, slug: slug.clone(), key };
                report.add(table, &row.key, "a mirror row without its pointer", fix);
            }
        } else {
            report.add(table, &row.key, "is not a row of this table", Fix::ORPHAN);
        }
    }
    check_count(table, &rows[0], listed, newest.as_ref(), counted.as_ref(), report);
}

/// A pointer's place: its index, its partition and its key.
struct CheckedRow<'a> {
    kind: IndexKind,
    slug: &'a Slug,
    key: &'a PostKey,
}

impl CheckedRow<'_> {
    fn check(&self, row: &Entity, by_row: &HashMap<&str, &Entity>, posts: &Posts, report: &mut CheckReport) {
        let Self { kind, slug, key } = *self;
        let (table, fix) = (Table::of_index(kind), Fix::Pointer { kind, slug: slug.clone(), key: key.clone() });
        let mut add = |key, what: &str| report.add(table, key, what, fix.clone());
        match posts.published(key) {
            None => add(&row.key, "points to no published post"),
            Some(known) if !known.is_in_index(kind, slug) => {
                add(&row.key, &format!("points to a post that {}", kind.says(false)));
            }
            Some(known) => match pointer::read(row) {
                Err(e) => add(&row.key, &e.to_string()),
                Ok(pointer) => {
                    let summary = known.place.summary();
                    let named = (pointer.post_partition.as_str(), pointer.post_row.as_str());
                    if named != (summary.partition(), summary.row()) {
                        add(&row.key, &format!("names the row {} {}", named.0, named.1));
                    }
                    if pointer.version > known.version {
                        add(&row.key, &format!("has version {}; its post has {}", pointer.version, known.version));
                    }
                }
            },
        }
        match by_row.get(time::mirror_row(key).as_str()) {
            Some(mirror) if mirror.properties == row.properties => {}
            Some(mirror) => add(&mirror.key, "differs from its pointer"),
            None => add(&row.key, "has no mirror row"),
        }
    }
}
