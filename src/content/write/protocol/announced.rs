//! The rows of each post or term as a change found it and as it makes it, announced together while its intent is opened. The rules: the announcement
//! saves requests and decides nothing: the store announces a row that is missing here before it writes the row, and one too many costs readers an
//! execution. It also names the rows that the change leaves as they are, because what this server holds must not be older than what the change is based
//! on (N8).

use crate::content::write::announcing::RowName;
use crate::content::write::plan::{self, Planned, TermChange};
use crate::keys::{PostPlace, Table, category_tree, place, term, time};
use crate::model::{Post, Slug, Term, TermKind};
use crate::store::Key;

use super::listing::Partition;

/// Steps 2 to 5 of changes of posts.
pub(super) fn rows_of_posts(planned: &[Planned], new_tags: &[Slug]) -> Vec<RowName> {
    let states = planned.iter().flat_map(|planned| planned.change.before().into_iter().chain(planned.change.after()));
    let mut rows: Vec<RowName> = states.flat_map(rows_of_post).collect();
    rows.extend(new_tags.iter().flat_map(|tag| rows_of_slug(TermKind::Tag, tag)));
    rows
}

/// Steps 2 to 5 of changes of terms.
pub(super) fn rows_of_terms(changes: &[TermChange]) -> Vec<RowName> {
    let states = changes.iter().flat_map(|change| change.before().into_iter().chain(&change.after));
    let mut rows: Vec<RowName> = states.flat_map(rows_of_term).collect();
    let moves = changes.iter().any(|change| plan::new_place(change.before(), change.after.as_ref()).is_some());
    rows.extend(moves.then(|| (Table::Terms(TermKind::Category).name(), category_tree::tree())));
    rows
}

fn rows_of_post(post: &Post) -> Vec<RowName> {
    let place = PostPlace::of(post);
    let (table, partition) = (place.collection.name(), place.partition());
    let mirror = key(&partition, time::mirror_row(&post.key()));
    let marker = place::marker(partition.clone(), &post.id);
    let own = [place.whole(&post.slug), place.summary(), marker, place::count(partition)];
    let mut rows: Vec<RowName> = own.into_iter().chain(mirror).map(|key| (table, key)).collect();
    rows.push(listing(&Partition::Month(place.collection, place.key.month())));
    rows.extend(plan::lookups(post).into_iter().map(|key| (Table::PostKeys.name(), key)));
    for pointer in plan::pointers(post) {
        let (table, partition) = (Table::of_index(pointer.kind).name(), term::posts_partition(&pointer.slug));
        let pair = [time::time_row(&pointer.key), time::mirror_row(&pointer.key)];
        rows.extend(pair.into_iter().filter_map(|row| key(&partition, row)).map(|key| (table, key)));
        rows.push((table, place::count(partition)));
    }
    rows
}

fn rows_of_term(of: &Term) -> Vec<RowName> {
    let slugs = [&of.id.first_slug, &of.slug].into_iter().chain(&of.former_slugs);
    slugs.flat_map(|slug| rows_of_slug(of.kind(), slug)).collect()
}

fn rows_of_slug(kind: TermKind, slug: &Slug) -> Vec<RowName> {
    let (table, partition) = (Table::Terms(kind).name(), term::partition(slug));
    let pair = [time::Direction::Forward, time::Direction::Backward].map(|direction| term::row(slug, direction));
    let mut rows: Vec<RowName> =
        pair.into_iter().filter_map(|row| key(&partition, row)).map(|key| (table, key)).collect();
    rows.push((table, place::count(partition.clone())));
    rows.push(listing(&Partition::Terms(kind, partition)));
    rows
}

fn listing(partition: &Partition) -> RowName {
    let (table, key) = partition.listing();
    (table.name(), key)
}

/// Keys are made of valid parts, so this is always a key.
fn key(partition: &str, row: String) -> Option<Key> {
    Key::new(partition, row).ok()
}
