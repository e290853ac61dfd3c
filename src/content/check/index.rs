//! The index tables. The rule: each pointer is borne out by its post, and each post has every pointer.

use std::collections::{HashMap, HashSet};

use crate::content::error::Result;
use crate::content::rows::count;
use crate::content::rows::pointer;
use crate::keys::{COUNT_ROW, Shelf, Table, term, time};
use crate::model::{PostId, PostKey, Slug, TermKind};
use crate::store::{Entity, Key, Store};

use super::posts::check_count;
use super::{Known, Partitions, Posts, Report, unreadable};

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut Report) -> Result<()> {
    for kind in TermKind::ALL {
        let mut found: HashSet<(Slug, PostId)> = HashSet::new();
        let mut partitions = Partitions::of(store, Table::PostsBy(kind));
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            check_partition(kind, &rows, posts, &mut found, report);
        }
        for (id, known) in posts.iter().filter(|(_, known)| known.place.shelf == Shelf::Posts) {
            for (_, slug) in
                known.terms.iter().filter(|(k, slug)| *k == kind && !found.contains(&(slug.clone(), id.clone())))
            {
                let missing = Key::new(term::posts_partition(slug), time::time_row(&known.place.key))?;
                report.add(Table::PostsBy(kind), &missing, "is missing; its post bears the term");
            }
        }
    }
    Ok(())
}

fn check_partition(
    kind: TermKind,
    rows: &[Entity],
    posts: &Posts,
    found: &mut HashSet<(Slug, PostId)>,
    report: &mut Report,
) {
    let table = Table::PostsBy(kind);
    let by_row: HashMap<&str, &Entity> = rows.iter().map(|row| (row.key.row(), row)).collect();
    let Ok(slug) = rows[0].key.partition().parse::<Slug>() else {
        return report.add(table, &rows[0].key, "stands in a partition that no slug has");
    };
    let (mut listed, mut newest, mut counted) = (0, None::<PostKey>, None);
    for row in rows {
        if row.key.row() == COUNT_ROW {
            counted = count::read(row).map_err(|e| unreadable(report, table, row, &e)).ok();
        } else if let Some(key) = time::parse_time_row(row.key.row()) {
            listed += 1;
            check_pointer(kind, &slug, row, &key, &by_row, posts, report);
            found.insert((slug.clone(), key.id.clone()));
            newest = Some(newest.map_or_else(|| key.clone(), |n| n.min(key.clone())));
        } else if let Some(key) = time::parse_mirror_row(row.key.row()) {
            if !by_row.contains_key(time::time_row(&key).as_str()) {
                report.add(table, &row.key, "a mirror row without its pointer");
            }
        } else {
            report.add(table, &row.key, "is no row of this table");
        }
    }
    check_count(table, &rows[0], listed, newest.as_ref(), counted.as_ref(), report);
}

fn check_pointer(
    kind: TermKind,
    slug: &Slug,
    row: &Entity,
    key: &PostKey,
    by_row: &HashMap<&str, &Entity>,
    posts: &Posts,
    report: &mut Report,
) {
    let table = Table::PostsBy(kind);
    let bears = |known: &Known| known.terms.iter().any(|(k, s)| *k == kind && s == slug);
    match posts.get(&key.id).filter(|known| known.place.shelf == Shelf::Posts && known.place.key == *key) {
        None => report.add(table, &row.key, "points to a post that is not there"),
        Some(known) if !bears(known) => report.add(table, &row.key, "points to a post that does not bear the term"),
        Some(known) => match pointer::read(row) {
            Err(e) => unreadable(report, table, row, &e),
            Ok(pointer) => {
                let summary = known.place.summary();
                if (pointer.post_partition.as_str(), pointer.post_row.as_str()) != (summary.partition(), summary.row())
                {
                    report.add(
                        table,
                        &row.key,
                        format!("names the row {} {}", pointer.post_partition, pointer.post_row),
                    );
                }
                if pointer.version > known.version {
                    report.add(
                        table,
                        &row.key,
                        format!("bears version {}; its post has {}", pointer.version, known.version),
                    );
                }
            }
        },
    }
    match by_row.get(time::mirror_row(key).as_str()) {
        Some(mirror) if mirror.properties == row.properties => {}
        Some(mirror) => report.add(table, &mirror.key, "differs from its pointer"),
        None => report.add(table, &row.key, "has no mirror row"),
    }
}
