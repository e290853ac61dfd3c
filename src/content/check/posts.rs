//! `Posts` and `Drafts`: three rows for each post, a count for each month, and the list of months. The rule: what is found here is the truth
//! for all other tables.

use std::collections::HashMap;

use crate::content::directory::scan_all;
use crate::content::error::Result;
use crate::content::rows::count::{self, Count};
use crate::content::rows::directory::read_month;
use crate::content::rows::post as rows;
use crate::keys::{COUNT_ROW, PostPlace, Shelf, Table, place, time};
use crate::model::{Month, Post, PostKey, TermKind};
use crate::store::{Entity, Store};

use super::{Known, Partitions, Posts, Report, unreadable};

/// The count of each month that has one.
type Counts = HashMap<(Shelf, String), Count>;

pub(super) async fn check(store: &Store, report: &mut Report) -> Result<Posts> {
    let mut posts = Posts::new();
    let mut counts = Counts::new();
    for shelf in [Shelf::Posts, Shelf::Drafts] {
        let mut partitions = Partitions::of(store, shelf.table());
        while let Some(found) = partitions.next().await? {
            report.rows += found.len() as u64;
            let partition = found[0].key.partition().to_owned();
            let count = check_partition(shelf, &found, &mut posts, report);
            counts.extend(count.map(|count| ((shelf, partition), count)));
        }
    }
    report.drafts = posts.values().filter(|known| known.place.shelf == Shelf::Drafts).count() as u64;
    report.posts = posts.len() as u64 - report.drafts;
    check_months(store, counts, report).await?;
    Ok(posts)
}

/// The count row of the partition, where there is one.
fn check_partition(shelf: Shelf, found: &[Entity], posts: &mut Posts, report: &mut Report) -> Option<Count> {
    let table = shelf.table();
    let by_row: HashMap<&str, &Entity> = found.iter().map(|row| (row.key.row(), row)).collect();
    let (mut listed, mut newest, mut count) = (0, None::<PostKey>, None);
    for row in found {
        if row.key.row() == COUNT_ROW {
            count = count::read(row).map_err(|e| unreadable(report, table, row, &e)).ok();
        } else if let Some(key) = time::parse_time_row(row.key.row()) {
            listed += 1;
            newest = Some(newest.map_or_else(|| key.clone(), |n| n.min(key.clone())));
            check_summary(shelf, row, &by_row, posts, report);
        } else if let Some(key) = time::parse_mirror_row(row.key.row()) {
            if !by_row.contains_key(time::time_row(&key).as_str()) && !rows::is_fence(row) {
                report.add(table, &row.key, "a mirror row without its summary");
            }
        } else {
            check_whole(shelf, row, &by_row, report);
        }
    }
    check_count(table, &found[0], listed, newest.as_ref(), count.as_ref(), report);
    count
}

pub(super) fn check_count(
    table: Table,
    any: &Entity,
    listed: i64,
    newest: Option<&PostKey>,
    count: Option<&Count>,
    report: &mut Report,
) {
    let key = place::count(any.key.partition());
    match count {
        Some(count) if count.rows == listed && newest.is_none_or(|n| count.newest.as_ref().is_some_and(|c| c <= n)) => {
        }
        Some(count) if count.rows == listed => report.add(table, &key, "a post is newer than the newest that is named"),
        Some(count) => report.add(table, &key, format!("counts {} rows; there are {listed}", count.rows)),
        None if listed == 0 => {}
        None => report.add(table, &key, format!("is missing; there are {listed} rows")),
    }
}

fn check_summary(shelf: Shelf, row: &Entity, rows: &HashMap<&str, &Entity>, posts: &mut Posts, report: &mut Report) {
    let table = shelf.table();
    let post = match rows::read_summary(row) {
        Ok(post) => post,
        Err(e) => return unreadable(report, table, row, &e),
    };
    let place = PostPlace::of(&post);
    if place.shelf != shelf || place.summary() != row.key {
        report.add(table, &row.key, format!("holds a post that belongs to {}{}", place.shelf.name(), place.summary()));
    }
    if !matches!(rows::read_move(row), Ok(None)) {
        report.add(table, &row.key, "a move was left unfinished");
    }
    match rows.get(time::mirror_row(&post.key()).as_str()) {
        None => report.add(table, &row.key, "has no mirror row"),
        Some(mirror) if rows::read_summary(mirror).ok().as_ref() != Some(&post) => {
            report.add(table, &mirror.key, "differs from its summary");
        }
        Some(_) => {}
    }
    match rows.get(place::whole_row(&post.slug).as_str()).map(|whole| (whole, rows::read_whole(whole))) {
        None => report.add(table, &row.key, format!("has no row s-{}", post.slug)),
        Some((whole, Err(e))) => unreadable(report, table, whole, &e),
        Some((whole, Ok(read))) if read.post != post => report.add(table, &whole.key, "differs from its summary"),
        Some((_, Ok(_))) => {}
    }
    if let Some(other) = posts.insert(post.id.clone(), known(&post, place)) {
        report.add(table, &row.key, format!("its post stands at {} too", other.place.summary()));
    }
}

fn known(post: &Post, place: PostPlace) -> Known {
    let of_kind = |kind: TermKind| post.terms(kind).iter().map(move |slug| (kind, slug.clone()));
    Known {
        place,
        slug: post.slug.clone(),
        former_slugs: post.former_slugs.clone(),
        terms: TermKind::ALL.into_iter().flat_map(of_kind).collect(),
        version: post.version,
        origin: post.origin.clone(),
    }
}

fn check_whole(shelf: Shelf, row: &Entity, rows: &HashMap<&str, &Entity>, report: &mut Report) {
    let table = shelf.table();
    match rows::read_summary(row) {
        Err(e) => unreadable(report, table, row, &e),
        Ok(post) if place::whole_row(&post.slug) != row.key.row() => {
            report.add(table, &row.key, "is no row of this table");
        }
        Ok(post) if !rows.contains_key(time::time_row(&post.key()).as_str()) => {
            report.add(table, &row.key, "a post without its summary");
        }
        Ok(_) => {}
    }
}

fn noun(shelf: Shelf) -> &'static str {
    match shelf {
        Shelf::Posts => "posts",
        Shelf::Drafts => "drafts",
    }
}

async fn check_months(store: &Store, mut counts: Counts, report: &mut Report) -> Result<()> {
    for row in scan_all(store, Table::Months).await? {
        report.rows += 1;
        let listed = match read_month(&row) {
            Ok(listed) => listed,
            Err(e) => {
                unreadable(report, Table::Months, &row, &e);
                continue;
            }
        };
        let month: Month = listed.partition;
        let Some(shelf) = Shelf::ALL.into_iter().find(|s| place::months_partition(*s) == row.key.partition()) else {
            report.add(Table::Months, &row.key, "is no row of this table");
            continue;
        };
        if place::month_row(shelf, month) != row.key {
            report.add(Table::Months, &row.key, format!("lists {month}, whose row is another"));
        }
        let own = counts.remove(&(shelf, place::month_partition(month))).unwrap_or_default();
        if own != listed.count {
            report.add(
                Table::Months,
                &row.key,
                format!("says that {month} has {} {}; it counts {}", listed.count.rows, noun(shelf), own.rows),
            );
        }
    }
    for ((shelf, partition), count) in counts {
        if let (true, Ok(month)) = (count.rows > 0, partition.parse::<Month>()) {
            report.add(
                Table::Months,
                &place::month_row(shelf, month),
                format!("is missing; {month} has {} {}", count.rows, noun(shelf)),
            );
        }
    }
    Ok(())
}
