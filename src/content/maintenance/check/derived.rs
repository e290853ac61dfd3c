//! Checks the index tables and `PostKeys`. The rule: each post has the rows that a change of it writes, and no other row exists. A declared field that is not
//! listed as built is a difference, because filters by it are refused.

use std::collections::{HashMap, HashSet};

use crate::content::error::Result;
use crate::content::field_indexes::CheckedFields;
use crate::content::tables::rows::{field_index as fields, lookup};
use crate::content::write::Partition;
use crate::keys::field_index::FIELDS_PARTITION;
use crate::keys::lookup::{Lookup, parse};
use crate::keys::term::CATALOG_PARTITION;
use crate::keys::{COUNT_ROW, PostPlace, Table, field_index, time};
use crate::model::{IndexKind, PostId, Slug};
use crate::store::{Entity, Key, Store};

use super::counts::{Counts, check_count, check_listings};
use super::known::{Posts, is_like, row_of, rows_of, time_key};
use super::partition::Partitions;
use super::report::{CheckReport, Fix};

const FIELDS: Table = Table::PostsBy(IndexKind::Field);
const LANGUAGES: Table = Table::PostsBy(IndexKind::Language);

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<()> {
    let mut named = HashMap::new();
    for table in IndexKind::ALL.map(Table::PostsBy).into_iter().chain([Table::PostKeys]) {
        let keys = posts.by_id.values().flat_map(|post| rows_of(table, post));
        let mut missing: HashSet<Key> = keys.map(|(key, _)| key).collect();
        let (mut counts, mut listings) = (Counts::new(), Vec::new());
        let mut partitions = Partitions::of(store, table);
        while let Some(rows) = partitions.next().await? {
            report.rows += rows.len() as u64;
            if (table, rows[0].key.partition()) == (FIELDS, FIELDS_PARTITION) {
                check_list(&rows, report);
                continue;
            }
            if (table, rows[0].key.partition()) == (LANGUAGES, CATALOG_PARTITION) {
                listings = rows;
                continue;
            }
            for row in &rows {
                missing.remove(&row.key);
                check_row(table, row, posts, &mut named, report);
            }
            if table != Table::PostKeys
                && let Some(count) = check_count(table, &rows, report)
                && table == LANGUAGES
            {
                let language = rows[0].key.partition().parse().map(Partition::Language);
                counts.extend(language.ok().map(|language| (language, count)));
            }
        }
        check_listings(table, &listings, counts, report);
        for key in missing {
            let Some(post) = posts.owner(table, &key, None) else { continue };
            let what = format!("is missing; it follows from the post {}", post.id);
            report.add(table, &key, what, fix_of(table, &key));
        }
    }
    check_shared(posts, &named, report);
    Ok(())
}

/// The two rows of a pair share one fix.
fn fix_of(table: Table, key: &Key) -> Fix {
    let first = time_key(key).map(|of| time::pair(key.partition(), &of)).into_iter().flatten().next();
    Fix::Row { table, key: first.unwrap_or_else(|| key.clone()) }
}

/// `named`: collects the post that each row of `PostKeys` names.
fn check_row(table: Table, row: &Entity, posts: &Posts, named: &mut HashMap<Key, PostId>, report: &mut CheckReport) {
    let is_row = match table {
        Table::PostKeys => parse(&row.key).is_some(),
        _ if row.key.row() == COUNT_ROW => return,
        _ => row.key.partition().parse::<Slug>().is_ok() && time_key(&row.key).is_some(),
    };
    if !is_row {
        return report.add_orphan(table, &row.key);
    }
    let id = if table == Table::PostKeys { lookup::named(row) } else { None };
    let what = match posts.owner(table, &row.key, id.as_ref()) {
        None => "no post has this row".to_owned(),
        Some(post) => match row_of(table, &row.key, post) {
            Some(expected) if is_like(&row.properties, &expected) => String::new(),
            Some(_) => format!("does not match the post {}", post.id),
            None => format!("the post {} does not have this row", post.id),
        },
    };
    if !what.is_empty() {
        report.add(table, &row.key, what, fix_of(table, &row.key));
    }
    named.extend(id.map(|id| (row.key.clone(), id)));
}

/// Reports posts whose slug, or whose language in their group of translations, belongs to another post.
fn check_shared(posts: &Posts, named: &HashMap<Key, PostId>, report: &mut CheckReport) {
    for claims in posts.claims().filter(|claims| claims.len() > 1) {
        let row = &claims[0].row;
        let Some(keeper) = posts.keeper(row, named.get(row)).filter(|keeper| !keeper.is_former) else { continue };
        let (what, fix) = match parse(row) {
            Some(Lookup::Translation) => ("its language in its group of translations", Fix::SHARED_LANGUAGE),
            _ => ("its slug", Fix::SHARED_SLUG),
        };
        let others = claims.iter().filter(|claim| claim.id != keeper.id && !claim.is_former);
        for post in others.filter_map(|claim| posts.get(&claim.id)) {
            let place = PostPlace::of(post);
            let what = format!("{what} is that of the post {} too", keeper.id);
            report.add(place.collection.table(), &place.whole(&post.slug), what, fix.clone());
        }
    }
}

/// Checks the partition with the list of indexed fields.
fn check_list(found: &[Entity], report: &mut CheckReport) {
    for row in found {
        if row.key != field_index::fields() {
            report.add_orphan(FIELDS, &row.key);
        } else if let Err(error) = fields::read(row) {
            report.add_unreadable(FIELDS, row, &error, Fix::FieldList);
        }
    }
}

/// Reports the fields whose index is not built.
pub(super) fn check_built(fields: &CheckedFields, report: &mut CheckReport) {
    for name in &fields.unbuilt {
        let what = format!("the index of the field {name} is not built, so filters by it are refused");
        report.add(FIELDS, &field_index::fields(), what, Fix::FieldList);
    }
}
