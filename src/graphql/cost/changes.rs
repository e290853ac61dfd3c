//! The storage requests of a mutation's changes. The rule: a figure is an upper bound for a change without conflicts; each retry after a
//! conflict costs more. No mutation is stopped at its bound.
//!
//! A change consists of a few reads and one transaction. If the price has not read the post, its terms count with the maximum that a post
//! may have.

use crate::content::MOVED_PAGES_MAX as MOVED_MAX;
use crate::content::read::pages::RANGE_READS_MAX;
use crate::content::read::{ChangeSize, PostSize, Sizes};
use crate::model::TermKind;
use crate::model::site_page::PAGES_MAX;

use super::arguments::Arguments;
use super::bound::Bound;
use super::demand::Demand;
use super::priced::{Priced, TermCounts};
use super::prices::{Change, TERM_READS, TERMS_OF_POST, TOKENS};

/// The input fields that name terms, by kind.
const TERM_FIELDS: [&str; TermKind::ALL.len()] = ["categories", "tags", "authors", "series"];
/// The number of unknown slugs per field for which terms are suggested, with one range read each.
const SUGGESTED_FOR: u64 = 5;
/// The numbers that are appended to a slug that is taken, with one transaction each. If more posts have the same title, it costs more.
const SLUGS_TRIED: u64 = 200;
/// The versions in one range read: a store of tables returns at most 4 MiB at once, and a version may have 700 KB.
pub(super) const VERSIONS_OF_RANGE: u64 = 5;

/// The row with the place of the post, its row there, and the first one again if the post was just deleted.
const FIND_POST: u64 = 3;
/// The owner of a slug, read for the error if the input has other errors.
const OWNER_OF_SLUG: u64 = 3;
const USE_OF_KEY: u64 = 1;

/// A change of a page: the row of the tree, the page, and the transaction.
const PAGE_STEPS: Bound = reads(2).writing(1);
/// The place of a page: its parent and the page with the requested path, each with its path row.
const PLACE: u64 = 5;
/// The children of a page, because of which it cannot be deleted.
const CHILDREN_RANGES: u64 = 2 * PAGES_MAX as u64 / 1_000;

const fn reads(points: u64) -> Bound {
    Bound::new(points, 0)
}

/// The known sizes for a change of a post.
struct PostChange<'p, 'a> {
    arguments: &'p Arguments<'a>,
    sizes: &'p Sizes,
}

pub(super) fn demand(change: Change, priced: &Priced<'_>) -> Demand {
    let of_post = PostChange { arguments: &priced.arguments, sizes: priced.sizes };
    Demand::of(match change {
        Change::CreatePost => of_post.creation(),
        Change::UpdatePost | Change::Publish | Change::DeletePost | Change::RestoreRevision => of_post.of(change),
        Change::CreateTerm(_) | Change::UpdateTerm(_) | Change::DeleteTerm(_) => of_term(change, priced),
        // The post, and the key of links.
        Change::CreatePreview => reads(FIND_POST + 2).writing(1),
        Change::RevokePreviews | Change::RevokeToken => reads(1).writing(1),
        Change::CreatePage => PAGE_STEPS.plus(reads(PLACE)).plus(of_post.cover()),
        Change::UpdatePage if priced.arguments.has_in("input", "path") => {
            PAGE_STEPS.plus(Bound::new(PLACE, 2).times(MOVED_MAX as u64)).plus(of_post.cover())
        }
        Change::UpdatePage => PAGE_STEPS.plus(of_post.cover()),
        Change::DeletePage => PAGE_STEPS.plus(Bound::new(0, 2 + CHILDREN_RANGES)),
        Change::CreateToken => {
            // The author, and authors with similar slugs if none has this one.
            let author =
                if priced.arguments.has_in("input", "author") { Bound::new(TERM_READS, 1) } else { Bound::NONE };
            TOKENS.plus(author).plus(reads(0).writing(1))
        }
        Change::UpdateAsset => reads(1).writing(1),
        // The asset becomes a removal, which ends when the bytes are deleted.
        Change::DeleteAsset => reads(1).writing(2),
    })
}

/// The maximum number of terms of the post that a change returns, by kind: as it is after the change, or as it was if the change is
/// refused.
pub(super) fn terms_of_post(change: Change, priced: &Priced<'_>) -> Option<TermCounts> {
    let of_post = PostChange { arguments: &priced.arguments, sizes: priced.sizes };
    match change {
        // With a used key, the field returns the existing post in its current state.
        Change::CreatePost if priced.arguments.has_in("input", "idempotencyKey") => None,
        Change::CreatePost => {
            let mut named = of_post.named();
            // A client with the role author becomes the author of the post.
            named[TermKind::Author as usize] = named[TermKind::Author as usize].max(1);
            Some(named)
        }
        Change::UpdatePost | Change::Publish | Change::RestoreRevision => {
            let (stored, named) = (of_post.stored().terms, of_post.named());
            Some(std::array::from_fn(|kind| stored[kind].max(named[kind])))
        }
        _ => None,
    }
}

impl PostChange<'_, '_> {
    /// The number of terms that the input names, by kind.
    fn named(&self) -> TermCounts {
        TERM_FIELDS.map(|field| self.arguments.length_in("input", field).min(TERMS_OF_POST))
    }

    /// The stored post; the largest possible one if it is unknown.
    fn stored(&self) -> PostSize {
        match self.sizes.change() {
            Some(ChangeSize::Post(size)) => size,
            Some(ChangeSize::Missing) => {
                PostSize { terms: TermCounts::default(), has_language: false, is_featured: false }
            }
            _ => PostSize {
                terms: TermKind::ALL.map(|kind| if kind == TermKind::Series { 1 } else { TERMS_OF_POST }),
                has_language: true,
                is_featured: true,
            },
        }
    }

    /// The look-ups of the terms that the input names: two reads for a former slug, and suggestions for unknown slugs.
    fn look_ups(&self) -> Bound {
        let named = self.named();
        let creates_tags = self.creates_tags();
        let suggested = TermKind::ALL.into_iter().filter(|kind| !(creates_tags && *kind == TermKind::Tag));
        let suggested = suggested.map(|kind| named[kind as usize].min(SUGGESTED_FOR));
        Bound::new(TERM_READS * named.iter().sum::<u64>(), suggested.sum())
    }

    /// The look-up of the picture that the input names.
    fn cover(&self) -> Bound {
        reads(u64::from(self.arguments.has_in("input", "coverId")))
    }

    fn creates_tags(&self) -> bool {
        self.arguments.has_in("input", "createMissingTags")
    }

    fn creation(&self) -> Bound {
        let has_slug = self.arguments.has_in("input", "slug");
        let is_free = matches!(self.sizes.change(), Some(ChangeSize::FreeSlug));
        let is_numbered = !(has_slug || is_free);
        let owner = if has_slug { reads(OWNER_OF_SLUG) } else { Bound::NONE };
        let has_key = self.arguments.has_in("input", "idempotencyKey");
        let key = if has_key { reads(USE_OF_KEY + FIND_POST) } else { Bound::NONE };
        let before = self.look_ups().plus(self.cover()).plus(owner).plus(key);
        before.plus(reads(0).writing(if is_numbered { SLUGS_TRIED } else { 1 }))
    }

    fn of(&self, change: Change) -> Bound {
        let has_slug = change == Change::UpdatePost && self.arguments.has_in("input", "slug");
        let mut before = reads(FIND_POST).plus(self.look_ups()).plus(self.cover());
        if has_slug {
            before = before.plus(reads(OWNER_OF_SLUG));
        }
        if change == Change::RestoreRevision {
            // The version, and each of its terms. A post has at most one index entry for each declared field.
            let had = self.stored().indexes() + self.sizes.indexed_fields;
            before = before.plus(reads(1 + TERM_READS * had));
        }
        before.plus(reads(0).writing(1))
    }
}

/// A change of a term. It reads the term by its current or former slug, and the owner of a requested slug for an error.
fn of_term(change: Change, priced: &Priced<'_>) -> Bound {
    let (arguments, sizes) = (&priced.arguments, priced.sizes);
    let (is_creation, is_deletion) = (matches!(change, Change::CreateTerm(_)), matches!(change, Change::DeleteTerm(_)));
    let has_slug = is_creation || arguments.has_in("input", "slug");
    let owner = if has_slug && !is_deletion { reads(TERM_READS) } else { Bound::NONE };
    let avatar = reads(u64::from(arguments.has_in("input", "avatarId")));
    let parent = if arguments.has_in("input", "parentId") { reads(TERM_READS) } else { Bound::NONE };
    let found = reads(TERM_READS).plus(owner).plus(avatar).plus(parent);
    let tree = if change == Change::DeleteTerm(TermKind::Category) { reads(1) } else { Bound::NONE };
    let uses = if is_deletion { uses(sizes).plus(tree) } else { Bound::NONE };
    found.plus(uses).plus(reads(0).writing(1))
}

/// The reads that count the posts and drafts of a term whose deletion is refused.
fn uses(sizes: &Sizes) -> Bound {
    reads(TERM_READS + 1).plus(drafts(sizes))
}

/// The reads of the month catalog of drafts and of all drafts.
fn drafts(sizes: &Sizes) -> Bound {
    match sizes.change() {
        Some(ChangeSize::Missing) => Bound::NONE,
        Some(ChangeSize::Term { draft_months, drafts, .. }) => {
            // The first read of each month requests 250 drafts, the next one more.
            Bound::new(0, 1 + draft_months + drafts / 250 + 1)
        }
        _ => Bound::new(0, u64::from(RANGE_READS_MAX) + 10),
    }
}
