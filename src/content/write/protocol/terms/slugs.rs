//! The rows of a term's other slugs. The rule: each names the first slug, and belongs to that term only if the identity row has the slug.

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::term::{self as rows, SlugRow, TermRow};
use crate::content::tables::scan_all;
use crate::content::write::outcomes::TermOutcome;
use crate::content::write::protocol::Session;
use crate::content::write::protocol::intent::{self, StoredIntent, Work, require_open};
use crate::content::write::retry::retry_on_conflict;
use crate::content::write::terms::has_slug;
use crate::keys::intent::IntentName;
use crate::keys::time::Direction;
use crate::keys::{Table, term};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Entity, Etag, Operation, Precondition, Store, StoreError};

use super::rows::{commit_in, delete_mirror};

/// The owner of an existing slug row, as seen by a term that is to get the slug.
pub(super) enum SlugOwner {
    /// No term, or the same term.
    None,
    /// Another term.
    Other,
}

/// The slugs of a term other than its first.
pub(super) fn others(term: &Term) -> Vec<Slug> {
    let slugs = [&term.slug].into_iter().chain(&term.former_slugs);
    let mut others: Vec<Slug> = slugs.filter(|slug| **slug != term.id.first_slug).cloned().collect();
    others.dedup();
    others
}

impl Session<'_> {
    /// Writes the row of a slug that the term is to have. Returns why it is refused, if it is.
    pub(super) async fn put_slug_row(&self, after: &Term, slug: &Slug, is_listed: bool) -> Result<Option<TermOutcome>> {
        let kind = after.kind();
        let refused = retry_on_conflict("a term", || async {
            let row = self.store.get(Table::Terms(kind).name(), &term::term(slug)).await?;
            let (etag, was_listed) = match row.as_ref().map(|row| rows::read(kind, row)).transpose()? {
                None => (None, false),
                Some(TermRow::Identity(_)) => return Ok(Some(TermOutcome::Taken)),
                Some(TermRow::Gone { by, .. }) => {
                    self.wait_for(&by).await?;
                    (row.map(|row| row.etag), false)
                }
                Some(TermRow::Slug(found)) => match self.slug_owner(after, slug, &found).await? {
                    SlugOwner::Other => return Ok(Some(TermOutcome::Taken)),
                    SlugOwner::None => (row.map(|row| row.etag), found.is_listed),
                },
            };
            let properties = rows::slug_row(&after.id.first_slug, is_listed, &self.name.to_string());
            let precondition = etag.map_or(Precondition::Absent, Precondition::Match);
            let put = |direction, precondition| Operation::Put {
                row: term::row(slug, direction),
                properties: properties.clone(),
                precondition,
            };
            let mut operations = vec![put(Direction::Forward, precondition)];
            match (was_listed, is_listed) {
                (_, true) => operations.push(put(Direction::Backward, Precondition::None)),
                (true, false) => operations.push(delete_mirror(slug)),
                (false, false) => {}
            }
            let added = i64::from(is_listed) - i64::from(was_listed);
            commit_in(&self.store, kind, &term::partition(slug), operations, added).await?;
            Ok(None)
        })
        .await?;
        match refused {
            Some(refused) => Ok(Some(refused)),
            None if kind == TermKind::Tag && self.is_awaited_by_posts(slug).await? => Ok(Some(TermOutcome::Conflict)),
            None => Ok(None),
        }
    }

    /// Whether an open change of posts creates a new tag with this slug. A writer of posts reads the row of the slug after it has opened its intent;
    /// this reads the intents after the row was written. So one of the two sees the other.
    async fn is_awaited_by_posts(&self, slug: &Slug) -> Result<bool> {
        let rows = scan_all(&self.store, Table::Intents).await?;
        Ok(rows.iter().any(|row| match intent::read(row) {
            Ok(StoredIntent::Open { intent, .. }) => match &intent.work {
                Work::Posts { new_tags, .. } => new_tags.iter().any(|tag| tag == slug.as_str()),
                Work::Terms { .. } => false,
            },
            Ok(StoredIntent::Kept { .. } | StoredIntent::Foreign) | Err(_) => false,
        }))
    }

    /// Waits for the intent that wrote the row, and reads the identity row after that intent was found closed: the term then shows the result of that
    /// change.
    pub(super) async fn slug_owner(&self, after: &Term, slug: &Slug, found: &SlugRow) -> Result<SlugOwner> {
        if let Ok(name) = found.by.parse::<IntentName>()
            && name != self.name
            && !intent::is_closed(&self.store, &name).await?
        {
            self.writer.wait_until_closed(&[name]).await?;
            return Err(StoreError::precondition("a slug that was waited for").into());
        }
        if found.first_slug == after.id.first_slug {
            return Ok(SlugOwner::None);
        }
        let identity = identity(&self.store, after.kind(), &found.first_slug).await?;
        Ok(if identity.is_some_and(|(term, _)| has_slug(&term, slug)) { SlugOwner::Other } else { SlugOwner::None })
    }

    /// After a rename: removes the slug that the term has left from the list (W3).
    pub(super) async fn unlist(&self, after: &Term, slug: &Slug) -> Result<()> {
        retry_on_conflict("a term", || async {
            let Some((row, found)) = slug_row(&self.store, after, slug).await? else { return Ok(()) };
            if !found.is_listed {
                return Ok(());
            }
            require_open(&self.store, &self.name).await?;
            let unlisted = rows::slug_row(&after.id.first_slug, false, &found.by);
            replace(&self.store, after.kind(), slug, row.etag, true, Some(unlisted)).await
        })
        .await
    }

    /// After a deletion: removes the row of a slug (W3). The identity row, which is removed last, must still have `GoneBy` with this intent, because
    /// a new term with this first slug may exist by now.
    pub(super) async fn remove_slug_row(&self, gone: &Term, slug: &Slug) -> Result<()> {
        let key = term::term(&gone.id.first_slug);
        retry_on_conflict("a term", || async {
            let Some((row, found)) = slug_row(&self.store, gone, slug).await? else { return Ok(()) };
            let identity = self.store.get(Table::Terms(gone.kind()).name(), &key).await?;
            match identity.map(|row| rows::read(gone.kind(), &row)).transpose()? {
                Some(TermRow::Gone { by, .. }) if by == self.name.to_string() => {}
                _ => return Ok(()),
            }
            require_open(&self.store, &self.name).await?;
            replace(&self.store, gone.kind(), slug, row.etag, found.is_listed, None).await
        })
        .await
    }
}

/// Removes the row at the place of a new tag that the closed intent `by` has left, if no term has the slug.
pub(super) async fn remove_orphan(store: &Store, new: &Term, by: &str) -> Result<()> {
    let (kind, slug) = (new.kind(), &new.id.first_slug);
    retry_on_conflict("a term", || async {
        let row = store.get(Table::Terms(kind).name(), &term::term(slug)).await?;
        let Some(row) = row else { return Ok(()) };
        match rows::read(kind, &row)? {
            TermRow::Slug(found) if found.by == by => {
                let owner = identity(store, kind, &found.first_slug).await?;
                if owner.is_some_and(|(term, _)| has_slug(&term, slug)) {
                    return Err(
                        StoreError::outcome_unknown("a new tag with the slug of another tag", SlugOfAnother).into()
                    );
                }
                replace(store, kind, slug, row.etag, found.is_listed, None).await
            }
            TermRow::Gone { by: found, .. } if found == by => {
                let delete =
                    Operation::Delete { row: row.key.row().to_owned(), precondition: Precondition::Match(row.etag) };
                commit_in(store, kind, &term::partition(slug), vec![delete], 0).await.map(drop)
            }
            // Another change has replaced the row since.
            TermRow::Slug(_) | TermRow::Gone { .. } | TermRow::Identity(_) => Ok(()),
        }
    })
    .await
}

#[derive(Debug, thiserror::Error)]
#[error("the slug of a new tag belongs to another tag")]
struct SlugOfAnother;

/// Removes the row of a slug that names an intent whose change was not made, unless the term has the slug (W4).
pub(super) async fn remove_named(store: &Store, name: &IntentName, term: &Term, slug: &Slug) -> Result<()> {
    retry_on_conflict("a term", || async {
        let Some((row, found)) = slug_row(store, term, slug).await? else { return Ok(()) };
        if found.by != name.to_string() {
            return Ok(());
        }
        let now = identity(store, term.kind(), &term.id.first_slug).await?.map(|(term, _)| term);
        let target = match now {
            Some(now) if now.slug == *slug => return Ok(()),
            Some(now) if now.former_slugs.contains(slug) && !found.is_listed => return Ok(()),
            Some(now) if now.former_slugs.contains(slug) => Some(rows::slug_row(&now.id.first_slug, false, &found.by)),
            _ => None,
        };
        replace(store, term.kind(), slug, row.etag, found.is_listed, target).await
    })
    .await
}

/// The row of a slug, if it names this term.
async fn slug_row(store: &Store, of: &Term, slug: &Slug) -> Result<Option<(Entity, SlugRow)>> {
    let Some(row) = store.get(Table::Terms(of.kind()).name(), &term::term(slug)).await? else { return Ok(None) };
    Ok(match rows::read(of.kind(), &row)? {
        TermRow::Slug(found) if found.first_slug == of.id.first_slug => Some((row, found)),
        _ => None,
    })
}

/// Replaces the row of a slug by `target`, which is not listed, or deletes it.
async fn replace(
    store: &Store,
    kind: TermKind,
    slug: &Slug,
    etag: Etag,
    was_listed: bool,
    target: Option<crate::store::Properties>,
) -> Result<()> {
    let (row, precondition) = (term::row(slug, Direction::Forward), Precondition::Match(etag));
    let own = match target {
        Some(properties) => Operation::Put { row, properties, precondition },
        None => Operation::Delete { row, precondition },
    };
    let mut operations = vec![own];
    operations.extend(was_listed.then(|| delete_mirror(slug)));
    commit_in(store, kind, &term::partition(slug), operations, -i64::from(was_listed)).await.map(drop)
}

/// The term of an identity row, and the row's ETag.
pub(super) async fn identity(store: &Store, kind: TermKind, first_slug: &Slug) -> Result<Option<(Term, Etag)>> {
    let row = store.get(Table::Terms(kind).name(), &term::term(first_slug)).await?;
    let Some(row) = row else { return Ok(None) };
    Ok::<_, ContentError>(match rows::read(kind, &row)? {
        TermRow::Identity(found) => Some((found.term, row.etag)),
        TermRow::Slug(_) | TermRow::Gone { .. } => None,
    })
}
