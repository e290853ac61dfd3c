//! Changes of many posts at once. The rule: one transaction changes all of them, or none is changed.

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::Semaphore;

use crate::content::access::permission;
use crate::content::audit::PostChange;
use crate::content::commands::{self, Edited, PostChanges, UserError};
use crate::content::error::Result;
use crate::content::write::{Change, Outcome, Stored, Together, until_made};
use crate::model::post::TERMS_MAX;
use crate::model::{ActorSnapshot, Instant, Post, PostId, Slug, TermKind, WholePost};

use super::Editor;
use super::find::FoundPost;
use super::posts::{TRIES_MAX, WAIT, answer, of_input};

pub(crate) const BULK_POSTS_MAX: usize = 100;
/// The maximum bytes of all bodies in one change, which are in memory until it is written.
pub(super) const BODIES_BYTES_MAX: usize = 64 << 20;
pub(crate) const READS_AT_ONCE: usize = 8;
/// The field of an input that names the posts.
const POSTS: &str = "posts";

/// An object that an input names, and the version on which the change is based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedVersion {
    pub id: String,
    pub version: i32,
}

/// The changes that each post gets. Terms are named by their slugs; `remove` comes before `add`.
#[derive(Debug, Clone, Default)]
pub struct BulkChanges {
    pub add_tags: Option<Vec<String>>,
    pub remove_tags: Option<Vec<String>>,
    pub add_categories: Option<Vec<String>>,
    pub remove_categories: Option<Vec<String>>,
    pub authors: Option<Vec<String>>,
    pub create_missing_tags: bool,
    pub publish: Option<bool>,
    pub publish_at: Option<Instant>,
}

/// The first slugs of the terms in the changes.
struct BulkTerms {
    added: [Vec<Slug>; 2],
    removed: [Vec<Slug>; 2],
    authors: Option<Vec<Slug>>,
    new_tags: Vec<Slug>,
}

/// The kinds of terms that are added and removed, in the order of the lists of [`BulkTerms`].
const KINDS: [TermKind; 2] = [TermKind::Tag, TermKind::Category];

impl BulkTerms {
    /// The terms of a kind that a post has after the change; `None` if the change names none.
    fn after(&self, post: &Post, number: usize) -> Option<Vec<Slug>> {
        let (added, removed) = (&self.added[number], &self.removed[number]);
        if added.is_empty() && removed.is_empty() {
            return None;
        }
        let mut terms = post.terms(KINDS[number]).to_vec();
        terms.retain(|slug| !removed.contains(slug));
        let new: Vec<Slug> = added.iter().filter(|slug| !terms.contains(slug)).cloned().collect();
        Some([terms, new].concat())
    }
}

/// Only one change of many posts runs at a time, because the bodies of its posts are in memory.
pub(super) static TURNS: Semaphore = Semaphore::const_new(1);

impl Editor<'_> {
    /// Returns the posts after the change, in the order of `named`.
    pub async fn update_posts(&self, named: &[NamedVersion], changes: &BulkChanges) -> Result<Edited<Vec<WholePost>>> {
        if let Err(errors) = check(named, BULK_POSTS_MAX) {
            return Ok(Err(errors));
        }
        let _turn = TURNS.acquire().await.expect("the semaphore is never closed");
        until_made(TRIES_MAX, WAIT, || async {
            let mut errors = Vec::new();
            let terms = self.find_bulk_terms(changes, &mut errors).await?;
            let before = self.find_posts(named, &mut errors).await?;
            let mut after = Vec::with_capacity(before.len());
            for (number, stored) in before.iter().enumerate() {
                let changes = PostChanges {
                    tags: terms.after(&stored.whole.post, 0),
                    categories: terms.after(&stored.whole.post, 1),
                    authors: terms.authors.clone(),
                    publish: changes.publish.into(),
                    publish_at: changes.publish_at.into(),
                    ..PostChanges::default()
                };
                match commands::change(&stored.whole, changes, self.now(), None) {
                    Ok(whole) => after.push(whole),
                    Err(broken) => broken.into_iter().for_each(|error| add_broken(&mut errors, number, error)),
                }
            }
            if !errors.is_empty() {
                return Ok(Some(Err(errors)));
            }
            let changed = before.into_iter().zip(&mut after).enumerate().filter_map(|(number, (before, after))| {
                (before.whole != *after).then(|| {
                    after.changed_by = Some(ActorSnapshot::of(self.actor));
                    (number, Change { before: Some(before), after: Some(after.clone()) })
                })
            });
            let changed = changed.collect();
            Ok(self.write_together(changed, &terms.new_tags).await?.map(|made| made.map(|()| after)))
        })
        .await
    }

    /// Returns the ids of the deleted posts, in the order of `named`.
    pub async fn delete_posts(&self, named: &[NamedVersion]) -> Result<Edited<Vec<PostId>>> {
        if let Err(errors) = check(named, BULK_POSTS_MAX) {
            return Ok(Err(errors));
        }
        let _turn = TURNS.acquire().await.expect("the semaphore is never closed");
        until_made(TRIES_MAX, WAIT, || async {
            let mut errors = Vec::new();
            let before = self.find_posts(named, &mut errors).await?;
            if !errors.is_empty() {
                return Ok(Some(Err(errors)));
            }
            let ids = before.iter().map(|stored| stored.whole.post.id.clone()).collect();
            let deleted = before.into_iter().map(|before| Change { before: Some(before), after: None });
            Ok(self.write_together(deleted.enumerate().collect(), &[]).await?.map(|made| made.map(|()| ids)))
        })
        .await
    }

    async fn find_bulk_terms(&self, changes: &BulkChanges, errors: &mut Vec<UserError>) -> Result<BulkTerms> {
        use TermKind::{Author, Category, Tag};
        let creates = changes.create_missing_tags;
        let (add_tags, new_tags) = self.find_named((Tag, "addTagSlugs"), &changes.add_tags, creates, errors).await?;
        let (remove_tags, _) = self.find_named((Tag, "removeTagSlugs"), &changes.remove_tags, false, errors).await?;
        let categories = &changes.add_categories;
        let (add_categories, _) = self.find_named((Category, "addCategorySlugs"), categories, false, errors).await?;
        let categories = &changes.remove_categories;
        let (remove_categories, _) =
            self.find_named((Category, "removeCategorySlugs"), categories, false, errors).await?;
        let mut of_authors = Vec::new();
        let (authors, _) = self.find_named((Author, "authorSlugs"), &changes.authors, false, &mut of_authors).await?;
        let authors = match of_authors.is_empty() {
            true => permission::authors(self.actor, authors, false)?,
            false => authors,
        };
        errors.extend(of_authors);
        let added = [add_tags, add_categories].map(Option::unwrap_or_default);
        let removed = [remove_tags, remove_categories].map(Option::unwrap_or_default);
        Ok(BulkTerms { added, removed, authors, new_tags })
    }

    /// [`find_kind`](Self::find_kind) for a field of this input.
    async fn find_named(
        &self,
        (kind, field): (TermKind, &'static str),
        named: &Option<Vec<String>>,
        creates_missing: bool,
        errors: &mut Vec<UserError>,
    ) -> Result<(Option<Vec<Slug>>, Vec<Slug>)> {
        let count = named.as_ref().map_or(0, Vec::len);
        if count > TERMS_MAX {
            errors.push(UserError::too_large(field, format!("{count} slugs are named; at most {TERMS_MAX} can be")));
            return Ok((None, Vec::new()));
        }
        self.find_kind(kind, field, named.clone(), creates_missing, errors).await
    }

    /// The posts in the order of `named`; some are missing if there are errors.
    pub(super) async fn find_posts(&self, named: &[NamedVersion], errors: &mut Vec<UserError>) -> Result<Vec<Stored>> {
        let finds: Vec<_> = named.iter().map(|named| self.find_post(&named.id, named.version)).collect();
        let mut finds = stream::iter(finds).buffered(READS_AT_ONCE);
        let (mut posts, mut bytes) = (Vec::with_capacity(named.len()), 0);
        for number in 0..named.len() {
            let Some(found) = finds.try_next().await? else { break };
            if let FoundPost::Current(stored) | FoundPost::Stale(stored) = &found {
                bytes += stored.whole.markdown.len();
            }
            if bytes > BODIES_BYTES_MAX {
                let message =
                    format!("the bodies of these posts have more than {} MiB together", BODIES_BYTES_MAX >> 20);
                errors.push(UserError::too_large(POSTS, message));
                break;
            }
            match found.current() {
                Ok(stored) => posts.push(stored),
                Err(of_post) => errors.extend(of_post.into_iter().map(|error| error.below(POSTS, Some(number)))),
            }
        }
        Ok(posts)
    }

    /// Writes the changes, each with the index of its post in the input. `None` if other changes have changed their dependencies.
    pub(super) async fn write_together(
        &self,
        changes: Vec<(usize, Change)>,
        new_tags: &[Slug],
    ) -> Result<Option<Edited<()>>> {
        let logged: Vec<PostChange> = changes.iter().map(|(_, change)| PostChange::of(change)).collect();
        let before: Vec<_> = changes.iter().map(|(number, change)| (*number, change.before().cloned())).collect();
        let changes: Vec<Change> = changes.into_iter().map(|(_, change)| change).collect();
        let outcomes = match self.writer.change_posts_together(changes, new_tags, None).await? {
            Together::Done => {
                logged.iter().for_each(|change| change.log(self.actor));
                return Ok(Some(Ok(())));
            }
            Together::TooLarge(reason) => {
                let message = format!("one change cannot hold so many posts ({reason}); name fewer of them");
                return Ok(Some(Err(vec![UserError::too_large(POSTS, message)])));
            }
            Together::Refused(outcomes) => outcomes,
        };
        let mut errors = Vec::new();
        for ((number, before), outcome) in before.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Done => {}
                Outcome::Conflict => return Ok(None),
                // A term was looked up for this change, and was deleted since.
                Outcome::TermsGone(terms)
                    if terms
                        .iter()
                        .all(|term| before.as_ref().is_none_or(|before| !before.has_term(term.kind, &term.slug))) =>
                {
                    return Ok(None);
                }
                outcome => {
                    let refused = of_input(answer(outcome)?, &[]).err().unwrap_or_default();
                    errors.extend(refused.into_iter().map(|error| error.below(POSTS, Some(number))));
                }
            }
        }
        Ok(Some(Err(errors)))
    }
}

/// The errors of a list of posts in an input.
pub(super) fn check(named: &[NamedVersion], most: usize) -> Edited<()> {
    if named.is_empty() || named.len() > most {
        let (count, message) = (named.len(), format!("1 to {most} posts can be named"));
        return Err(vec![match count {
            0 => UserError::invalid(POSTS, message),
            _ => UserError::too_large(POSTS, format!("{count} posts are named; {message}")),
        }]);
    }
    let repeated = (1..named.len()).filter(|number| named[..*number].iter().any(|one| one.id == named[*number].id));
    let error = |number| UserError::invalid("id", "this post is named before").below(POSTS, Some(number));
    let errors: Vec<UserError> = repeated.map(error).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Adds the error of a rule that a post would break: only once for all posts if it is about a field of the input.
fn add_broken(errors: &mut Vec<UserError>, number: usize, error: UserError) {
    let error = match error.field {
        Some("publish" | "publishAt") => error,
        _ => UserError { field: None, inside: Vec::new(), ..error }.below(POSTS, Some(number)),
    };
    if !errors.contains(&error) {
        errors.push(error);
    }
}
