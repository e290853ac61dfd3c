//! Checks the index tables. The rule: the post of each pointer is in that index (it has the term, the language or the value of a field, or is
//! featured), and each published post has a pointer for each index that it is in. Until a declared field is listed as built, filters by it are refused, so
//! a field that is not built is a difference, even if each post has its index rows.

use std::collections::HashSet;

use crate::content::error::Result;
use crate::content::field_indexes::CheckedFields;
use crate::content::tables::rows::{field_index as fields, pointer};
use crate::keys::field_index::FIELDS_PARTITION;
use crate::keys::{Collection, Table, field_index, term, time};
use crate::model::{IndexKind, PostId, PostKey, Slug};
use crate::store::{Entity, Key, Store};

use super::counts::check_count;
use super::known::Posts;
use super::partition::{Partitions, TimeRows};
use super::report::{CheckReport, Fix};

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<()> {
    for kind in IndexKind::ALL {
        let mut found: HashSet<(Slug, PostId)> = HashSet::new();
        let mut partitions = Partitions::of(store, Table::PostsBy(kind));
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            match rows[0].key.partition() {
                FIELDS_PARTITION if kind == IndexKind::Field => check_list(&rows, report),
                _ => check_partition(kind, &rows, posts, &mut found, report),
            }
        }
        for (id, known) in posts.by_id.iter().filter(|(_, known)| known.place.collection == Collection::Posts) {
            for (_, slug) in
                known.indexes.iter().filter(|(k, slug)| *k == kind && !found.contains(&(slug.clone(), id.clone())))
            {
                let key = known.place.key.clone();
                let missing = Key::new(term::posts_partition(slug), time::time_row(&key))?;
                let fix = Fix::Pointer { kind, slug: slug.clone(), key };
                let what = format!("is missing; its post {}", kind.says(true));
                report.add(Table::PostsBy(kind), &missing, what, fix);
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
    let (table, any) = (Table::PostsBy(kind), &rows[0].key);
    let Ok(slug) = any.partition().parse::<Slug>() else {
        return report.add(table, any, "is in a partition that no slug has", Fix::ORPHAN);
    };
    let rows = TimeRows::of(rows);
    for (key, pair) in &rows.pairs {
        check_pointer((kind, &slug, key), *pair, posts, report);
        // A pointer under another key of the post is not the one that the post must have.
        if pair[0].is_some() && posts.published(key).is_some() {
            found.insert((slug.clone(), key.id.clone()));
        }
    }
    rows.others.iter().for_each(|row| report.add_orphan(table, &row.key));
    check_count(table, any, (rows.keys().count() as i64, rows.keys().next()), rows.count, report);
}

fn check_pointer(
    (kind, slug, key): (IndexKind, &Slug, &PostKey),
    [row, mirror]: [Option<&Entity>; 2],
    posts: &Posts,
    report: &mut CheckReport,
) {
    let (table, fix) = (Table::PostsBy(kind), Fix::Pointer { kind, slug: slug.clone(), key: key.clone() });
    let mut add = |row: &Entity, what: &str| report.add(table, &row.key, what, fix.clone());
    let Some(row) = row else {
        return mirror.into_iter().for_each(|mirror| add(mirror, "a mirror row without its pointer"));
    };
    match posts.published(key) {
        None => add(row, "points to no published post"),
        Some(known) if !known.is_in_index(kind, slug) => {
            add(row, &format!("points to a post that {}", kind.says(false)));
        }
        Some(known) => match pointer::read(row) {
            Err(e) => add(row, &e.to_string()),
            Ok(pointer) => {
                let summary = known.place.summary();
                let named = (pointer.post_partition.as_str(), pointer.post_row.as_str());
                if named != (summary.partition(), summary.row()) {
                    add(row, &format!("names the row {} {}", named.0, named.1));
                }
                if pointer.version > known.version {
                    add(row, &format!("has version {}; its post has {}", pointer.version, known.version));
                }
            }
        },
    }
    match mirror {
        Some(mirror) if mirror.properties == row.properties => {}
        Some(mirror) => add(mirror, "differs from its pointer"),
        None => add(row, "has no mirror row"),
    }
}

/// Checks the rows of the partition that lists the fields that have an index.
fn check_list(found: &[Entity], report: &mut CheckReport) {
    for row in found {
        if row.key != field_index::fields() {
            report.add_orphan(Table::PostsBy(IndexKind::Field), &row.key);
        } else if let Err(error) = fields::read(row) {
            report.add_unreadable(Table::PostsBy(IndexKind::Field), row, &error, Fix::FieldList);
        }
    }
}

/// Reports the fields whose index is not built.
pub(super) fn check_built(fields: &CheckedFields, report: &mut CheckReport) {
    for name in &fields.unbuilt {
        let what = format!("the index of the field {name} is not built, so filters by it are refused");
        report.add(Table::PostsBy(IndexKind::Field), &field_index::fields(), what, Fix::FieldList);
    }
}
