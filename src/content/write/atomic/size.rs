//! Estimates how many changes fit into one transaction. The rule: the estimate is never too low, so that the store never refuses a transaction because of its
//! size, except that of a single change that is too large.

use crate::content::write::plan::Planned;
use crate::keys::PostPlace;
use crate::model::post::REVISIONS_MAX;
use crate::model::{Post, Slug};
use crate::store::TransactionLimits;
use crate::store::limits::{key_payload_bytes, row_payload_bytes};

/// An upper bound for a row of a former slug, a count or listing of a month, or a new tag.
const SMALL_ROW_BYTES: usize = 4 << 10;
/// An upper bound for a pointer, or the count of the pointers of a term, without the slug of the term in its key.
const POINTER_BYTES: usize = 1_280;
/// The estimated bytes of one character of a key in the payload.
const KEY_CHARACTER_BYTES: usize = 4;
/// An upper bound for the audit and log entries of one change, with its tags and its row as a scheduled post.
const RECORD_BYTES: usize = 7 << 10;

/// An upper bound for the writes of one change.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    rows: usize,
    bytes: usize,
}

impl Size {
    fn of(planned: &Planned, new_tags: &[Slug]) -> Self {
        let change = &planned.change;
        let place = PostPlace::of(change.post());
        let key = place.whole(&change.post().slug);
        let whole = planned.rows.as_ref().map_or(0, |rows| row_payload_bytes(&key, &rows.whole));
        let kept = change.before.as_ref().map_or(0, |before| row_payload_bytes(&key, &before.row));
        // The summary, its mirror, and three claims, each smaller than the summary; one more claim in a group of translations.
        let summaries = (5 + usize::from(change.post().translation_group.is_some()))
            * planned.rows.as_ref().map_or(0, |rows| row_payload_bytes(&key, &rows.summary));
        let small =
            Self::sum([change.before(), change.after()].into_iter().flatten().map(|post| small_rows(post, new_tags)));
        let revisions = match (&change.before, &change.after) {
            (None, _) => 0,
            (Some(_), Some(_)) => 2,
            (Some(_), None) => 2 * REVISIONS_MAX as usize,
        };
        Self {
            rows: 8 + small.rows + revisions,
            bytes: whole + kept + summaries + small.bytes + RECORD_BYTES + (6 + revisions) * key_payload_bytes(&key),
        }
    }

    fn sum(sizes: impl Iterator<Item = Self>) -> Self {
        sizes.fold(Self::default(), Self::and)
    }

    fn and(self, other: Self) -> Self {
        Self { rows: self.rows + other.rows, bytes: self.bytes + other.bytes }
    }

    /// Leaves a row for the audit log. The rows of each change include two for the log: one for its head and entries, and one for the scheduled post.
    fn fits(self, limits: TransactionLimits) -> bool {
        self.rows < limits.rows_max && self.bytes < limits.bytes_max
    }
}

/// Two rows and a count for each pointer; two rows, a count and a listing for each new tag; the claims; a count and a listing of the month.
fn small_rows(post: &Post, new_tags: &[Slug]) -> Size {
    let pointer = |slug: &Slug| 3 * (POINTER_BYTES + KEY_CHARACTER_BYTES * slug.as_str().len());
    let indexes: Vec<Slug> = post.indexes().map(|(_, slug)| slug).collect();
    let tags = 4 * post.tags.iter().filter(|tag| new_tags.contains(tag)).count();
    let claims = post.former_slugs.len()
        + usize::from(post.translation_group.is_some())
        + usize::from(post.unpublish_at.is_some());
    Size {
        rows: 3 * indexes.len() + tags + claims + 4,
        bytes: indexes.iter().map(pointer).sum::<usize>() + (tags + claims + 2) * SMALL_ROW_BYTES,
    }
}

/// Splits the changes, in their order, into parts that fit into one transaction each.
pub(super) fn parts(planned: Vec<Planned>, new_tags: &[Slug], limits: TransactionLimits) -> Vec<Vec<Planned>> {
    let mut parts: Vec<Vec<Planned>> = Vec::new();
    let mut filled = Size::default();
    for planned in planned {
        let size = Size::of(&planned, new_tags);
        match parts.last_mut().filter(|_| filled.and(size).fits(limits)) {
            Some(part) => {
                part.push(planned);
                filled = filled.and(size);
            }
            None => {
                parts.push(vec![planned]);
                filled = size;
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::tables::rows::term as term_rows;
    use crate::content::write::atomic::overlay::Overlay;
    use crate::content::write::atomic::{posts, recorded};
    use crate::content::write::plan::Change;
    use crate::keys::change_name::ChangeName;
    use crate::keys::{Table, term};
    use crate::model::{
        ActorSnapshot, CreationId, IndexedFields, Instant, Metadata, PostId, Term, TermKind, WholePost,
    };
    use crate::store::limits::check_entity;
    use crate::store::{Entity, Etag, Key, RowRange, Rows, StoreError};

    /// Contains every requested category, author and series, and nothing else.
    struct TermsOnly;

    impl Rows for TermsOnly {
        fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>, StoreError> {
            let kind = [TermKind::Category, TermKind::Author, TermKind::Series]
                .into_iter()
                .find(|kind| Table::Terms(*kind).name() == table);
            let slug: Option<Slug> = key.row().parse().ok();
            let (Some(kind), Some(slug)) = (kind, slug) else { return Ok(None) };
            let creation = Some(CreationId::from_bits(7));
            let stored = Term { creation, ..Term::new(kind, slug.clone(), slug.as_str()) };
            let properties = term_rows::identity(&stored);
            Ok(Some(Entity { key: term::term(&slug), etag: Etag("1".into()), properties }))
        }

        fn range(&self, _: &'static str, _: &RowRange, _: usize) -> Result<Vec<Entity>, StoreError> {
            Ok(Vec::new())
        }
    }

    fn slug(start: &str, bytes: usize) -> Slug {
        format!("{start}{}", "x".repeat(bytes - start.len())).parse().expect("a slug")
    }

    fn at() -> Instant {
        "2020-02-01T00:00:00Z".parse().expect("an instant")
    }

    fn planned(number: usize, slug_bytes: usize, terms: usize, text: &str) -> Planned {
        let at = at();
        let slugs = |start: &str| (0..terms).map(|n| slug(&format!("{start}{n}"), slug_bytes)).collect::<Vec<_>>();
        let post = Post {
            id: PostId::from_bits(number as u64),
            slug: slug(&format!("p{number}"), slug_bytes),
            title: text.repeat(10),
            subtitle: Some(text.repeat(10)),
            excerpt: text.repeat(200),
            has_own_excerpt: true,
            version: 1,
            created_at: at,
            updated_at: at,
            published_at: Some(at),
            unpublish_at: Some(Instant::MAX),
            authors: slugs("a"),
            categories: slugs("c"),
            tags: slugs("t"),
            former_slugs: vec![slug(&format!("f{number}"), slug_bytes)],
            cover: "0".repeat(40).parse().ok(),
            enclosure: format!("https://a.example/{text}.mp3").parse().ok(),
            language: "sl-rozaj-biske-1994".parse().ok(),
            is_featured: true,
            series: Some(slug("s", slug_bytes)),
            translation_group: Some(PostId::from_bits(number as u64)),
            field_index: Vec::new(),
            origin: Some(text.repeat(50)),
        };
        let metadata = Metadata::parse(r#"{"a":1,"b":"x"}"#).expect("metadata");
        let changed_by = Some(ActorSnapshot::import());
        let whole = WholePost { post, markdown: text.repeat(1_000).into(), metadata, changed_by };
        let fields = IndexedFields::of(["a", "b"].map(ToOwned::to_owned));
        Planned::of(Change { before: None, after: Some(whole) }, &fields).expect("a plan")
    }

    #[test]
    fn the_estimate_is_never_too_low_for_new_posts() {
        let name = ChangeName::new("0123456789ab", Instant::MAX, "0123456789ab");
        for (slug_bytes, terms, text, posts) in
            [(12, 0, "a", 1), (12, 3, "a", 20), (200, 30, "a", 2), (200, 1, "\u{1}\"", 1), (40, 9, "字", 40)]
        {
            let planned: Vec<_> = (0..posts).map(|number| planned(number, slug_bytes, terms, text)).collect();
            let tags: Vec<Slug> = planned[0].change.after().expect("a post").tags.clone();
            let estimated = Size::sum(planned.iter().map(|planned| Size::of(planned, &tags)));
            let mut overlay = Overlay::new(&TermsOnly);
            let (outcomes, items) = posts::change(&mut overlay, &name, &planned, &tags, None).expect("a change");
            assert!(outcomes.iter().all(|outcome| *outcome == super::super::Outcome::Done), "{outcomes:?}");
            recorded(&mut overlay, &name, Some(&ActorSnapshot::import()), items, at()).expect("a record");
            let writes = overlay.into_writes();
            let bytes = |write: &crate::store::RowWrite| {
                check_entity(&write.key, write.properties.as_ref().expect("a row")).expect("a row within the limits")
            };
            let written: usize = writes.iter().map(bytes).sum();
            assert!(estimated.rows >= writes.len() && estimated.bytes >= written, "{estimated:?} for {written}");
        }
    }
}
