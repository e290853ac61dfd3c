//! Writes the order of series from the positions of imported posts. The rule: it is written after the posts, whose ids are then known, and only for a series in
//! which some posts have a position; so a source without positions keeps the existing order.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};

use crate::content::{Result, Writer};
use crate::model::post::ORDERED_POSTS_MAX;
use crate::model::{Instant, Post, PostId, Slug, Term, TermKind};

use crate::import::Note;

/// The posts of an import that are in a series, by the first slugs of the series.
#[derive(Debug, Default)]
pub(super) struct SeriesOrders(Mutex<BTreeMap<Slug, Vec<PlacedPost>>>);

#[derive(Debug)]
struct PlacedPost {
    position: Option<i32>,
    at: Instant,
    id: PostId,
}

impl SeriesOrders {
    /// Records a post after its import.
    pub(super) fn note(&self, post: &Post, position: Option<i32>) {
        let Some(series) = &post.series else { return };
        let placed = PlacedPost { position, at: post.key().at, id: post.id.clone() };
        let mut orders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        orders.entry(series.clone()).or_default().push(placed);
    }

    /// Orders the posts with a position before those that the import does not have. Returns a note for each series with too many of them.
    pub(super) async fn write(&self, writer: &Writer) -> Result<Vec<Note>> {
        let orders = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut notes = Vec::new();
        for (series, posts) in orders {
            let positioned = posts.iter().filter(|post| post.position.is_some()).count();
            if positioned == 0 {
                continue;
            }
            if positioned > ORDERED_POSTS_MAX {
                let text = format!(
                    "{positioned} of its posts have a position; those after the first {ORDERED_POSTS_MAX} follow by their time"
                );
                notes.push(Note { origin: format!("series {series}"), text });
            }
            // A series that was deleted meanwhile is skipped.
            let edit = |found: Option<&Term>| found.map(|found| ordered(found, &posts)).ok_or(());
            let _ = writer.edit_term(TermKind::Series, &series, edit).await?;
        }
        Ok(notes)
    }
}

fn ordered(series: &Term, posts: &[PlacedPost]) -> Term {
    let mut placed: Vec<_> = posts.iter().filter_map(|post| Some((post.position?, post.at, &post.id))).collect();
    placed.sort();
    let imported: HashSet<&PostId> = posts.iter().map(|post| &post.id).collect();
    let others = series.order.iter().filter(|id| !imported.contains(id));
    let order = placed.into_iter().map(|(.., id)| id).chain(others).take(ORDERED_POSTS_MAX).cloned();
    Term { order: order.collect(), ..series.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_before_the_order_of_other_posts() {
        let id = PostId::from_bits;
        let post =
            |position, at, bits| PlacedPost { position, at: Instant::from_ticks(at).expect("ticks"), id: id(bits) };
        let slug: Slug = "a".parse().expect("a slug");
        let series = Term { order: vec![id(9), id(1), id(4)], ..Term::new(TermKind::Series, slug, "A") };
        let posts = [post(Some(20), 1, 1), post(Some(10), 3, 2), post(None, 0, 4), post(Some(10), 2, 3)];
        assert_eq!(ordered(&series, &posts).order, [id(3), id(2), id(1), id(9)]);
    }
}
