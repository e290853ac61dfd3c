//! The transactions of a change of a post, as values. The rule: each writes the name of its intent to one row, its witness, so that a reader of that
//! row can see whether the transaction was carried out (W5).

use crate::content::tables::rows::count::{self, Count};
use crate::content::tables::rows::marker::{self, Marker};
use crate::content::tables::rows::post::{self as rows, Move, OtherPlace};
use crate::keys::{Collection, PostPlace, place, time};
use crate::model::{Post, PostKey};
use crate::store::{Etag, Operation, Precondition, Properties};

use super::{Planned, PostRows, Stored};

/// One transaction on a partition of posts, without the row that counts the partition.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub collection: Collection,
    pub partition: String,
    pub operations: Vec<Operation>,
    /// How many posts the partition gains: -1, 0 or 1.
    pub added: i64,
    /// The post's key in this partition, if the partition gains the post or the post moves within it.
    pub newest: Option<PostKey>,
    pub witness: Witness,
}

/// The row that shows whether a step was carried out: its property of this name then names the intent.
#[derive(Debug, Clone)]
pub(crate) struct Witness {
    pub row: String,
    pub property: &'static str,
    pub intent: String,
}

/// Step 2 of the change of an existing post.
pub(crate) fn take_step(stored: &Stored, intent: &str) -> Step {
    let post = &stored.whole.post;
    let row = place::whole_row(&post.slug);
    let put = Operation::Put {
        row: row.clone(),
        properties: rows::set_taken_by(stored.row.clone(), intent),
        precondition: Precondition::Match(stored.etag.clone()),
    };
    let witness = Witness { row, property: rows::TAKEN_BY, intent: intent.to_owned() };
    step(&PostPlace::of(post), vec![put], 0, None, witness)
}

/// Step 2 of the creation of a post. `over`: the ETag of an existing marker of a closed intent, which is replaced.
pub(crate) fn reserve_step(after: &Post, intent: &str, over: Option<Etag>) -> Step {
    let place = PostPlace::of(after);
    let row = place::marker(place.partition(), &after.id).row().to_owned();
    let put = Operation::Put {
        row: row.clone(),
        properties: marker::row(&Marker::Reserved(intent.to_owned())),
        precondition: over.map_or(Precondition::Absent, Precondition::Match),
    };
    let witness = Witness { row, property: marker::RESERVED_BY, intent: intent.to_owned() };
    step(&place, vec![put], 0, None, witness)
}

/// Writes the tentative copy of a move to the new place, before the commit.
pub(crate) fn tentative_step(before: &Post, after: &Post, new: &PostRows, intent: &str) -> Step {
    let from = Move::PendingFrom(other(&PostPlace::of(before)));
    let mark = |properties: &Properties| rows::set_pending_by(rows::set_move(properties.clone(), &from), intent);
    let marked = PostRows { whole: rows::set_made_by(mark(&new.whole), intent), summary: mark(&new.summary) };
    let operations = put_rows(after, &marked, &Precondition::Absent);
    let witness = Witness { row: place::whole_row(&after.slug), property: rows::PENDING_BY, intent: intent.to_owned() };
    step(&PostPlace::of(after), operations, 1, Some(after.key()), witness)
}

/// Step 4. `held`: the ETag that step 2 has left on the row, or with which the row was read if there was no step 2.
pub(crate) fn commit_step(planned: &Planned, intent: &str, held: &Etag) -> Step {
    match (&planned.change.before, &planned.change.after, &planned.rows) {
        (None, Some(after), Some(new)) => create(&after.post, new, intent, held),
        (Some(before), Some(after), Some(new)) if planned.change.is_move() => {
            leave(before, &after.post, new, intent, held)
        }
        (Some(before), Some(after), Some(new)) => replace(before, &after.post, new, intent, held),
        (Some(before), ..) => delete(&before.whole.post, intent, held),
        (None, ..) => unreachable!("a change has a post before it or after it, and its rows"),
    }
}

fn create(after: &Post, new: &PostRows, intent: &str, held: &Etag) -> Step {
    let place = PostPlace::of(after);
    let mut operations = put_rows(after, &made_by(new, intent), &Precondition::Absent);
    let row = place::marker(place.partition(), &after.id).row().to_owned();
    operations.push(Operation::Delete { row, precondition: Precondition::Match(held.clone()) });
    step(&place, operations, 1, Some(after.key()), made(after, intent))
}

/// A change within one partition: the same transaction deletes the rows of keys that the post no longer has; a slug that changes leaves a redirect.
fn replace(before: &Stored, after: &Post, new: &PostRows, intent: &str, held: &Etag) -> Step {
    let old = &before.whole.post;
    let mut operations = put_rows(after, &made_by(new, intent), &Precondition::None);
    let mut leaving = delete_rows(old, held);
    let stays = |row: &str| leaving.iter().any(|delete| delete.row() == row);
    for operation in &mut operations {
        if let Operation::Put { row, precondition, .. } = operation {
            let is_whole = *row == place::whole_row(&after.slug);
            *precondition = match (stays(row), is_whole) {
                (true, true) => Precondition::Match(held.clone()),
                (true, false) => Precondition::None,
                (false, _) => Precondition::Absent,
            };
        }
    }
    leaving.retain(|delete| !operations.iter().any(|put| put.row() == delete.row()));
    for left in &mut leaving {
        if left.row() == place::whole_row(&old.slug) {
            let properties = redirect(&before.row, after, intent);
            *left = Operation::Put {
                row: left.row().to_owned(),
                properties,
                precondition: Precondition::Match(held.clone()),
            };
        }
    }
    operations.extend(leaving);
    // A post that keeps its instant does not change the count of its month.
    let newest = Some(after.key()).filter(|key| *key != old.key());
    step(&PostPlace::of(after), operations, 0, newest, made(after, intent))
}

/// The commit of a move: the rows at the old place become redirects.
fn leave(before: &Stored, after: &Post, _new: &PostRows, intent: &str, held: &Etag) -> Step {
    let old = &before.whole.post;
    let to = Move::ForwardTo(other(&PostPlace::of(after)));
    let left =
        PostRows { whole: redirect(&before.row, after, intent), summary: rows::set_move(rows::summary(old), &to) };
    let operations = put_rows(old, &left, &Precondition::Match(held.clone()));
    step(&PostPlace::of(old), operations, -1, None, made(old, intent))
}

fn delete(before: &Post, intent: &str, held: &Etag) -> Step {
    let place = PostPlace::of(before);
    let mut operations = delete_rows(before, held);
    let row = place::marker(place.partition(), &before.id).row().to_owned();
    let properties = marker::row(&Marker::Deleted(intent.to_owned()));
    operations.push(Operation::Put { row: row.clone(), properties, precondition: Precondition::None });
    let witness = Witness { row, property: marker::DELETED_BY, intent: intent.to_owned() };
    step(&place, operations, -1, None, witness)
}

/// The redirect row of a slug, or of a place, that the post has left.
fn redirect(row: &Properties, after: &Post, intent: &str) -> Properties {
    rows::set_made_by(rows::set_move(row.clone(), &Move::ForwardTo(other(&PostPlace::of(after)))), intent)
}

fn made_by(new: &PostRows, intent: &str) -> PostRows {
    PostRows { whole: rows::set_made_by(new.whole.clone(), intent), summary: new.summary.clone() }
}

fn made(post: &Post, intent: &str) -> Witness {
    Witness { row: place::whole_row(&post.slug), property: rows::MADE_BY, intent: intent.to_owned() }
}

/// The writes of the three rows of a post. Every change writes the row under the slug, so the precondition on that row protects all three.
pub(crate) fn put_rows(post: &Post, new: &PostRows, precondition: &Precondition) -> Vec<Operation> {
    let others = if *precondition == Precondition::Absent { Precondition::Absent } else { Precondition::None };
    let put = |row, properties: &Properties, precondition| Operation::Put {
        row,
        properties: properties.clone(),
        precondition,
    };
    vec![
        put(place::whole_row(&post.slug), &new.whole, precondition.clone()),
        put(time::time_row(&post.key()), &new.summary, others.clone()),
        put(time::mirror_row(&post.key()), &new.summary, others),
    ]
}

pub(crate) fn delete_rows(post: &Post, etag: &Etag) -> Vec<Operation> {
    let delete = |row, precondition| Operation::Delete { row, precondition };
    vec![
        delete(place::whole_row(&post.slug), Precondition::Match(etag.clone())),
        delete(time::time_row(&post.key()), Precondition::None),
        delete(time::mirror_row(&post.key()), Precondition::None),
    ]
}

/// The row that counts a partition.
pub(crate) fn count_operation(count: &Count, precondition: Precondition) -> Operation {
    Operation::Put { row: crate::keys::COUNT_ROW.to_owned(), properties: count::row(count), precondition }
}

fn step(place: &PostPlace, operations: Vec<Operation>, added: i64, newest: Option<PostKey>, witness: Witness) -> Step {
    Step { collection: place.collection, partition: place.partition(), operations, added, newest, witness }
}

fn other(place: &PostPlace) -> OtherPlace {
    OtherPlace { collection: place.collection, key: place.key.clone() }
}
