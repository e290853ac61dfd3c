//! Checks `PostKeys`. The rule: each post is found by its id, by its slug, by every slug that it had, and in its group of translations; no other row
//! exists.

use std::collections::{HashMap, HashSet};

use crate::content::error::Result;
use crate::content::tables::rows::lookup::{self as rows, LookupRow};
use crate::content::tables::rows::post as post_rows;
use crate::keys::Table;
use crate::keys::lookup::{self, Lookup};
use crate::model::{PostId, Slug};
use crate::store::{Entity, Key, Store};

use super::known::{Known, Posts};
use super::partition::Partitions;
use super::report::{CheckReport, Fix};

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<()> {
    let mut found: HashSet<Key> = HashSet::new();
    let mut kept: HashMap<Slug, PostId> = HashMap::new();
    let mut partitions = Partitions::of(store, Table::PostKeys);
    while let Some(rows) = partitions.next().await? {
        report.rows += rows.len() as u64;
        for row in rows {
            check_row(&row, posts, &mut kept, report);
            found.insert(row.key);
        }
    }
    let by_slug = posts.claims().map(|claims| (lookup::by_slug(&claims[0].0), &claims[0].1));
    let by_id = posts.by_id.keys().map(|id| (lookup::by_id(id), id));
    let by_translation = posts.by_id.iter().filter_map(|(id, known)| Some((known.translation.as_ref()?.0.clone(), id)));
    let by_end = posts.by_id.iter().filter_map(|(id, known)| Some((known.end.clone()?, id)));
    for (key, id) in by_slug.chain(by_id).chain(by_translation).chain(by_end).filter(|(key, _)| !found.contains(key)) {
        let what = format!("is missing; it points to the post {id}");
        report.add(Table::PostKeys, &key, what, Fix::Lookup(key.clone()));
    }
    check_shared(posts, &kept, report);
    Ok(())
}

/// `kept`: the post that the row of a slug names, if several have or had the slug.
fn check_shared(posts: &Posts, kept: &HashMap<Slug, PostId>, report: &mut CheckReport) {
    for claims in posts.claims().filter(|claims| claims.len() > 1) {
        let slug = &claims[0].0;
        let Some((keeper, true)) = posts.points_to(slug, kept.get(slug)) else { continue };
        for (_, id) in claims.iter().filter(|(_, id)| id != keeper && posts.has_slug(id, slug)) {
            let Some(Known { place, .. }) = posts.get(id) else { continue };
            let what = format!("its slug is that of the post {keeper} too");
            report.add(place.collection.table(), &place.whole(slug), what, Fix::SHARED_SLUG);
        }
    }
}

fn names(row: &LookupRow, known: &Known) -> bool {
    let LookupRow::Place { place, slug, origin, .. } = row else { return false };
    *place == known.place && *slug == known.slug && *origin == known.origin
}

fn check_row(row: &Entity, posts: &Posts, kept: &mut HashMap<Slug, PostId>, report: &mut CheckReport) {
    let (table, fix) = (Table::PostKeys, Fix::Lookup(row.key.clone()));
    let Some(found_by) = lookup::parse(&row.key) else { return report.add_orphan(table, &row.key) };
    if found_by == Lookup::Translation {
        return check_translation(row, posts, report);
    }
    let read = match rows::read(row) {
        Ok(read) => read,
        Err(e) => return report.add_unreadable(table, row, &e, fix),
    };
    let id = read.id();
    let Some(known) = posts.get(id) else {
        return report.add(table, &row.key, format!("points to the post {id}, which does not exist"), fix);
    };
    let fits = match &found_by {
        Lookup::Id(by) => by == id && names(&read, known),
        Lookup::Slug(by) => match posts.points_to(by, Some(id)) {
            Some((owner, true)) => owner == id && names(&read, known),
            Some((owner, false)) => owner == id && matches!(read, LookupRow::Former { .. }),
            None => false,
        },
        Lookup::End(..) => known.end.as_ref() == Some(&row.key) && names(&read, known),
        Lookup::Translation => false,
    };
    if !fits {
        report.add(table, &row.key, format!("does not match the post {id}"), fix);
    }
    if let Lookup::Slug(by) = found_by
        && posts.claims_of(&by).len() > 1
    {
        kept.insert(by, id.clone());
    }
}

/// Checks the row of a post in its group of translations.
fn check_translation(row: &Entity, posts: &Posts, report: &mut CheckReport) {
    let (table, fix) = (Table::PostKeys, Fix::Lookup(row.key.clone()));
    let id = match post_rows::read_summary(row) {
        Ok(read) => read.id,
        Err(e) => return report.add_unreadable(table, row, &e, fix),
    };
    let known = posts.get(&id).and_then(|known| known.translation.as_deref());
    if !known.is_some_and(|(key, post)| *key == row.key && post_rows::is_summary_of(row, post)) {
        report.add(table, &row.key, format!("does not match the post {id}"), fix);
    }
}
