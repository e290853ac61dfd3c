//! What a change writes, as a pure function of the post before and after. The rule: nothing here reads, waits or asks for the time.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::content::error::{ContentError, Result};
use crate::content::rows::post::{self as rows, Move, OtherPlace};
use crate::keys::{PostPlace, Shelf, place, time};
use crate::model::{Instant, Post, PostKey, Slug, TermKind, WholePost};
use crate::store::{Etag, Operation, Precondition, Properties, limits};

/// More than any intent's name has.
const INTENT_CHARS_MAX: usize = 64;

/// A post as it was read for a change, with the ETag that the commit will hold it to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub whole: WholePost,
    /// Of the row under its slug, which every change of the post writes.
    pub etag: Etag,
}

/// One post's change: made, changed or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub before: Option<Stored>,
    pub after: Option<WholePost>,
}

/// A change with all that its commit writes: made on whatever thread has the time, for packing the body is most of the work.
#[derive(Debug, Clone)]
pub struct Planned {
    pub change: Change,
    pub(super) step: CommitStep,
}

impl Planned {
    /// # Errors
    /// [`ContentError::TooLarge`] where the body fits no row.
    pub fn of(change: Change) -> Result<Self> {
        Ok(Self { step: commit_step(&change)?, change })
    }
}

/// What of a post decides which rows it has, in an intent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    pub id: String,
    pub is_draft: bool,
    pub ticks: i64,
    pub slug: String,
    pub version: i32,
    pub former_slugs: Vec<String>,
    pub categories: Vec<String>,
    pub tags: Vec<String>,
    pub authors: Vec<String>,
}

/// A pointer's place: the term, and the post's key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointerPlace {
    pub kind: TermKind,
    pub slug: Slug,
    pub key: PostKey,
}

impl Change {
    pub fn post(&self) -> &Post {
        match (&self.after, &self.before) {
            (Some(after), _) => &after.post,
            (None, Some(before)) => &before.whole.post,
            (None, None) => unreachable!("a change has a post before it or after it"),
        }
    }

    pub fn before(&self) -> Option<&Post> {
        self.before.as_ref().map(|stored| &stored.whole.post)
    }

    pub fn after(&self) -> Option<&Post> {
        self.after.as_ref().map(|whole| &whole.post)
    }

    /// Whether the post changes its partition, which takes the pending row and the forwarding row.
    pub fn is_move(&self) -> bool {
        match (self.before(), self.after()) {
            (Some(before), Some(after)) => {
                let (old, new) = (PostPlace::of(before), PostPlace::of(after));
                (old.shelf, old.partition()) != (new.shelf, new.partition())
            }
            _ => false,
        }
    }

    /// Terms that a post bears after the change, and as a published post did not before.
    pub fn new_terms(&self) -> Vec<(TermKind, Slug)> {
        let Some(after) = self.after() else { return Vec::new() };
        let before = self.before().filter(|before| after.published_at.is_none() || before.published_at.is_some());
        let is_new = |kind, slug: &Slug| before.is_none_or(|before| !before.bears(kind, slug));
        let of_kind = |kind: TermKind| after.terms(kind).iter().map(move |slug| (kind, slug.clone()));
        TermKind::ALL.into_iter().flat_map(of_kind).filter(|(kind, slug)| is_new(*kind, slug)).collect()
    }

    /// Pointers that the post has after the change and had not before.
    pub fn new_pointers(&self) -> Vec<PointerPlace> {
        let old: BTreeSet<_> = self.before().map(pointers).unwrap_or_default();
        let new = self.after().map(pointers).unwrap_or_default();
        new.difference(&old).cloned().collect()
    }
}

/// The pointers of a published or scheduled post; a draft has none.
pub fn pointers(post: &Post) -> BTreeSet<PointerPlace> {
    if post.published_at.is_none() {
        return BTreeSet::new();
    }
    let of_kind = |kind: TermKind| {
        post.terms(kind).iter().map(move |slug| PointerPlace { kind, slug: slug.clone(), key: post.key() })
    };
    TermKind::ALL.into_iter().flat_map(of_kind).collect()
}

/// The transaction that is the commit, less the row that counts the partition.
#[derive(Debug, Clone)]
pub struct CommitStep {
    pub shelf: Shelf,
    pub partition: String,
    pub operations: Vec<Operation>,
    /// How many posts the partition gains: -1, 0 or 1.
    pub added: i64,
    /// The post's key in this partition, where it gains one or the post moves inside of it.
    pub newest: Option<PostKey>,
}

impl CommitStep {
    /// Whether it only takes rows away.
    pub fn is_delete(&self) -> bool {
        self.operations.iter().all(|operation| matches!(operation, Operation::Delete { .. }))
    }
}

/// # Errors
/// [`ContentError::TooLarge`] where the body fits no row.
pub fn commit_step(change: &Change) -> Result<CommitStep> {
    match (&change.before, &change.after) {
        (None, Some(after)) => {
            let operations = put_rows(after, None, &Precondition::Absent)?;
            Ok(step(&after.post, operations, 1, Some(after.post.key())))
        }
        (Some(before), None) => {
            let operations = delete_rows(&before.whole.post, &before.etag);
            Ok(step(&before.whole.post, operations, -1, None))
        }
        (Some(before), Some(after)) if change.is_move() => {
            // Its new rows are put before the commit; that they fit is found out before anything is.
            pending_step(&before.whole.post, after, &"-".repeat(INTENT_CHARS_MAX))?;
            let forward = Mark::Forwarding(other(&PostPlace::of(&after.post)));
            let operations = put_rows(&before.whole, Some(&forward), &Precondition::Match(before.etag.clone()))?;
            Ok(step(&before.whole.post, operations, -1, None))
        }
        (Some(before), Some(after)) => {
            let operations = replace_rows(before, after)?;
            // A post that stays at its instant leaves the count of its month alone.
            let new_key = Some(after.post.key()).filter(|key| *key != before.whole.post.key());
            Ok(step(&after.post, operations, 0, new_key))
        }
        (None, None) => unreachable!("a change has a post before it or after it"),
    }
}

/// The rows that a move puts at its new place before the commit, marked pending, by this intent.
pub fn pending_step(before: &Post, after: &WholePost, intent: &str) -> Result<CommitStep> {
    let pending = Mark::Pending(other(&PostPlace::of(before)), intent);
    let operations = put_rows(after, Some(&pending), &Precondition::Absent)?;
    Ok(step(&after.post, operations, 1, Some(after.post.key())))
}

/// The mark of rows that are put for a move.
pub enum Mark<'a> {
    /// Come from there, by this intent.
    Pending(OtherPlace, &'a str),
    /// Gone there.
    Forwarding(OtherPlace),
}

impl Mark<'_> {
    fn on(&self, properties: Properties) -> Properties {
        match self {
            Self::Pending(from, intent) => {
                rows::set_pending_by(rows::set_move(properties, &Move::PendingFrom(from.clone())), intent)
            }
            Self::Forwarding(to) => rows::set_move(properties, &Move::ForwardTo(to.clone())),
        }
    }
}

/// The three rows of a post, put as they are.
pub fn put_rows(whole: &WholePost, moving: Option<&Mark<'_>>, precondition: &Precondition) -> Result<Vec<Operation>> {
    let post = &whole.post;
    let too_large = |reason: String| ContentError::TooLarge { what: post.slug.to_string(), reason };
    let mark = |properties| match moving {
        Some(moving) => moving.on(properties),
        None => properties,
    };
    let summary = mark(rows::summary(post));
    let body = mark(rows::whole(whole).map_err(|e| too_large(e.to_string()))?);
    // The body may fit by itself, and not beside all that the post bears.
    limits::check_entity(&place::whole(post.key().month(), &post.slug), &body).map_err(|e| too_large(e.to_string()))?;
    // Every change writes the row under the slug, so the ETag of that one row stands for all three.
    let others = if *precondition == Precondition::Absent { Precondition::Absent } else { Precondition::None };
    let put = |row, properties, precondition| Operation::Put { row, properties, precondition };
    Ok(vec![
        put(place::whole_row(&post.slug), body, precondition.clone()),
        put(time::time_row(&post.key()), summary.clone(), others.clone()),
        put(time::mirror_row(&post.key()), summary, others),
    ])
}

pub fn delete_rows(post: &Post, etag: &Etag) -> Vec<Operation> {
    let delete = |row, precondition| Operation::Delete { row, precondition };
    vec![
        delete(place::whole_row(&post.slug), Precondition::Match(etag.clone())),
        delete(time::time_row(&post.key()), Precondition::None),
        delete(time::mirror_row(&post.key()), Precondition::None),
    ]
}

/// A change inside of one partition: what has a new key goes from the old one in the same transaction.
fn replace_rows(before: &Stored, after: &WholePost) -> Result<Vec<Operation>> {
    let (old, new) = (&before.whole.post, &after.post);
    let mut operations = put_rows(after, None, &Precondition::None)?;
    let deletes = delete_rows(old, &before.etag);
    let stays = |row: &str| deletes.iter().any(|delete| delete.row() == row);
    for operation in &mut operations {
        if let Operation::Put { row, precondition, .. } = operation {
            let is_whole = *row == place::whole_row(&new.slug);
            *precondition = match (stays(row), is_whole) {
                (true, true) => Precondition::Match(before.etag.clone()),
                (true, false) => Precondition::None,
                (false, _) => Precondition::Absent,
            };
        }
    }
    let put: BTreeSet<String> = operations.iter().map(|o| o.row().to_owned()).collect();
    operations.extend(deletes.into_iter().filter(|delete| !put.contains(delete.row())));
    Ok(operations)
}

fn step(post: &Post, operations: Vec<Operation>, added: i64, newest: Option<PostKey>) -> CommitStep {
    let place = PostPlace::of(post);
    CommitStep { shelf: place.shelf, partition: place.partition(), operations, added, newest }
}

fn other(place: &PostPlace) -> OtherPlace {
    OtherPlace { shelf: place.shelf, key: place.key.clone() }
}

impl Brief {
    pub fn of(post: &Post) -> Self {
        let texts = |slugs: &[Slug]| slugs.iter().map(Slug::to_string).collect();
        Self {
            id: post.id.to_string(),
            is_draft: post.published_at.is_none(),
            ticks: post.key().at.ticks(),
            slug: post.slug.to_string(),
            version: post.version,
            former_slugs: texts(&post.former_slugs),
            categories: texts(&post.categories),
            tags: texts(&post.tags),
            authors: texts(&post.authors),
        }
    }

    /// A post that has the same rows; its texts are empty. `None` where the intent is damaged.
    pub fn to_post(&self) -> Option<Post> {
        let slugs = |texts: &[String]| texts.iter().map(|text| text.parse().ok()).collect::<Option<Vec<Slug>>>();
        let at = Instant::from_ticks(self.ticks)?;
        Some(Post {
            id: self.id.parse().ok()?,
            slug: self.slug.parse().ok()?,
            title: String::new(),
            excerpt: String::new(),
            has_own_excerpt: false,
            version: self.version,
            created_at: at,
            updated_at: at,
            published_at: (!self.is_draft).then_some(at),
            authors: slugs(&self.authors)?,
            categories: slugs(&self.categories)?,
            tags: slugs(&self.tags)?,
            former_slugs: slugs(&self.former_slugs)?,
            origin: None,
        })
    }
}
