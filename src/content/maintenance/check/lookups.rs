//! Checks `PostKeys`. The rule: each post is found by its id, by its slug and by every slug that it had; no other row exists.

use std::collections::{HashMap, HashSet};

use crate::content::error::Result;
use crate::content::tables::rows::lookup::{self as rows, LookupRow};
use crate::keys::Table;
use crate::keys::lookup::{self, Lookup};
use crate::model::{PostId, Slug};
use crate::store::{Entity, Key, Store};

use super::fix::Fix;
use super::known::{Known, Posts};
use super::partition::Partitions;
use super::report::CheckReport;

pub(super) async fn check(store: &Store, posts: &Posts, report: &mut CheckReport) -> Result<()> {
    let owners = Owners::of(posts);
    let mut found: HashSet<Key> = HashSet::new();
    let mut kept: HashMap<Slug, PostId> = HashMap::new();
    let mut partitions = Partitions::of(store, Table::PostKeys);
    while let Some(rows) = partitions.next().await? {
        report.rows += rows.len() as u64;
        for row in rows {
            check_row(&row, posts, &owners, &mut kept, report);
            found.insert(row.key);
        }
    }
    for (id, known) in posts.iter() {
        let slugs = known.former_slugs.iter().chain([&known.slug]);
        for key in slugs.map(lookup::by_slug).chain([lookup::by_id(id)]).filter(|key| !found.contains(key)) {
            let points_to = match lookup::parse(&key) {
                Some(Lookup::Slug(slug)) => owners.points_to(&slug, None).map_or(id, |(id, _)| id),
                Some(Lookup::Id(_)) | None => id,
            };
            if points_to == id {
                report.add(
                    Table::PostKeys,
                    &key,
                    format!("is missing; it points to the post {id}"),
                    Fix::Lookup(key.clone()),
                );
            }
        }
    }
    owners.check_shared(&kept, report);
    Ok(())
}

/// Which posts have or had a slug.
pub(in crate::content::maintenance) struct Owners<'a>(HashMap<&'a Slug, Vec<SlugClaim<'a>>>);

struct SlugClaim<'a> {
    id: &'a PostId,
    known: &'a Known,
    is_current: bool,
}

impl<'a> Owners<'a> {
    pub(in crate::content::maintenance) fn of(posts: &'a Posts) -> Self {
        let mut owners: HashMap<&Slug, Vec<SlugClaim<'_>>> = HashMap::with_capacity(posts.by_id.len());
        for (id, known) in posts.iter() {
            let mut add = |slug, is_current| owners.entry(slug).or_default().push(SlugClaim { id, known, is_current });
            add(&known.slug, true);
            known.former_slugs.iter().filter(|slug| **slug != known.slug).for_each(|slug| add(slug, false));
        }
        // A current slug takes precedence over a former slug of another post; if two posts have the same claim, the older one keeps the slug.
        for claims in owners.values_mut() {
            claims.sort_by_key(|claim| (!claim.is_current, claim.known.place.key.at, claim.id));
        }
        Self(owners)
    }

    /// The post that a slug points to, and whether it is the post's current slug. If several posts have it, the one that its row names keeps it.
    pub(in crate::content::maintenance) fn points_to(
        &self,
        slug: &Slug,
        named: Option<&PostId>,
    ) -> Option<(&'a PostId, bool)> {
        let claims = self.0.get(slug)?;
        let first = claims.first()?;
        let kept = claims.iter().find(|c| c.is_current == first.is_current && Some(c.id) == named).unwrap_or(first);
        Some((kept.id, kept.is_current))
    }

    fn check_shared(&self, kept: &HashMap<Slug, PostId>, report: &mut CheckReport) {
        for (slug, claims) in self.0.iter().filter(|(_, claims)| claims.iter().filter(|c| c.is_current).count() > 1) {
            let Some((keeper, _)) = self.points_to(slug, kept.get(*slug)) else { continue };
            for claim in claims.iter().filter(|c| c.is_current && c.id != keeper) {
                let place = &claim.known.place;
                let what = format!("its slug is that of the post {keeper} too");
                report.add(place.collection.table(), &place.whole(slug), what, Fix::SHARED_SLUG);
            }
        }
    }
}

fn names(row: &LookupRow, known: &Known) -> bool {
    let LookupRow::Place { place, slug, origin, .. } = row else { return false };
    *place == known.place && *slug == known.slug && *origin == known.origin
}

fn check_row(
    row: &Entity,
    posts: &Posts,
    owners: &Owners<'_>,
    kept: &mut HashMap<Slug, PostId>,
    report: &mut CheckReport,
) {
    let (table, fix) = (Table::PostKeys, Fix::Lookup(row.key.clone()));
    let Some(found_by) = lookup::parse(&row.key) else {
        return report.add(table, &row.key, "is not a row of this table", Fix::ORPHAN);
    };
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
        Lookup::Slug(by) => match owners.points_to(by, Some(id)) {
            Some((owner, true)) => owner == id && names(&read, known),
            Some((owner, false)) => owner == id && matches!(read, LookupRow::Former { .. }),
            None => false,
        },
    };
    if !fits {
        report.add(table, &row.key, format!("does not match the post {id}"), fix);
    }
    if let Lookup::Slug(by) = found_by {
        kept.extend(owners.0.get(&by).is_some_and(|claims| claims.len() > 1).then(|| (by, id.clone())));
    }
}
