//! The storage requests of the changes of a mutation. The rule: a figure is an upper bound for a change that no other writer disturbs: a conflict that is
//! tried again, a wait for another change, and the recovery of a change that another process has left cost more. No mutation is stopped at its bound.
//!
//! On a file, a change is a few reads and one transaction. On tables, the figures follow the steps of `content::write::protocol`. The terms that a post has
//! are known if the price has read the post; otherwise they are as many as a post may have.

use crate::content::MOVED_PAGES_MAX as MOVED_MAX;
use crate::content::read::pages::RANGE_READS_MAX;
use crate::content::read::{ChangeSize, PostSize, Sizes};
use crate::model::TermKind;
use crate::model::post::REVISIONS_MAX;
use crate::model::rules::FORMER_SLUGS_MAX;
use crate::model::site_page::PAGES_MAX;

use super::arguments::Arguments;
use super::bound::Bound;
use super::demand::Demand;
use super::priced::{Priced, TermCounts};
use super::prices::{Change, TERM_READS, TERMS_OF_POST, TOKENS};

/// The fields of an input that name terms, by kind.
const TERM_FIELDS: [&str; TermKind::ALL.len()] = ["categories", "tags", "authors", "series"];
/// Those that put a post into another index, in the order of [`PostSize`].
const OTHER_INDEX_FIELDS: [&str; 2] = ["language", "featured"];
/// The unknown slugs of a field that get suggestions, each by a range read.
const SUGGESTED_FOR: u64 = 5;
/// Numbers that are tried after a title whose slug is taken: on a file by a change each, on tables by a look-up. More posts of one title cost more.
const SLUGS_TRIED: u64 = 200;
/// A store of tables returns at most 4 MiB at once, and a version may have 700 KB.
pub(super) const VERSIONS_OF_RANGE: u64 = 5;

/// The row that names the place of a post, its row there, and the first again if the post was just deleted.
const FIND_POST: u64 = 3;
/// The owner of a slug, for the error of an input that has other errors.
const OWNER_OF_SLUG: u64 = 3;
/// The row of an idempotency key, the intent and the record that it names, and the post.
const USE_OF_KEY: u64 = 6;

/// On tables: the intents that the post names, the count of its month; the intent opened, announced and closed, the post taken and committed, its version
/// kept, the record of changes, and the log with its head.
const STEPS: Bound = reads(5).writing(8);
/// A month that gains or loses a post: its listing, and the copies of two counts.
const MONTHS: Bound = reads(6).writing(3);
/// The tentative copy, its mark, the redirects, and the rows that name the place.
const MOVE: Bound = reads(20).writing(7);
/// The claim of a slug, and of the id of a new post.
const CLAIM: Bound = reads(1).writing(2);
/// The slug is taken: its owner is looked up among the posts and the open intents, and what was written is removed.
const REFUSED_CLAIM: Bound = Bound::new(14, 1).writing(4);
/// A term whose pointer was written beside a claim that is refused: the pointer, the post as it is found nowhere, and the count.
const UNDONE: Bound = reads(7).writing(1);
/// The former place of a slug: the redirects, and the rows that name it.
const NEW_SLUG: Bound = reads(10).writing(4);
/// A post that gets a term: the count of the index, and the row of the term.
const ADDED: Bound = reads(2).writing(1);
/// A post that loses a term: the pointer, the count, and if the pointer has changed since, the pointer again.
const REMOVED: Bound = reads(3).writing(1);
/// A tag that is created with a post: its row, its count, and its listing.
const NEW_TAG: Bound = reads(8).writing(4);
/// The marker of a deletion, and the rows that name the place of the post.
const DELETED: Bound = reads(6).writing(4);

/// On tables: a term is found and reserved, with its count, its listing and their copies; the record and the log.
const STEPS_OF_TERM: Bound = reads(15).writing(10);
/// Another slug of a term: its row, its owner, the open intents, and the listings of both.
const NEW_SLUG_OF_TERM: Bound = Bound::new(14, 2).writing(6);
/// A category that gets another place: the tree, its parent, and the tree again with the intent.
const PLACE_OF_CATEGORY: Bound = reads(4).writing(2);
/// A former slug of a term that is deleted.
const FORMER_SLUG: Bound = reads(4).writing(1);
/// A deletion looks twice through the open intents, the index and the drafts.
const LOOKS: u64 = 2;

/// A change of a page: the row of the tree, and of the page; whether the change before is recorded; for that and for its own the head of the log, a look for
/// the record, the entry and the record; the announcement; and the transaction.
const PAGE_STEPS: Bound = reads(7).writing(6);
/// On tables, the last change of a row of `Tokens` if it is not recorded yet, or the change itself: the head of the log, a look for the record, the entry and
/// the record.
const RECORDED: Bound = reads(2).writing(2);
/// On tables, a changed row of `Tokens`: the row, the change before and this one recorded, and the row without it.
const TOKEN_STEPS: Bound = RECORDED.plus(RECORDED).plus(reads(0).writing(2));

/// The version that is replaced is kept: with the oldest one removed, or alone.
const KEPT_PAGE: Bound = reads(0).writing(2);
/// The place of a page: the page above and the page that has the path, each with the row of its path.
const PLACE: u64 = 5;
/// The children of a page that is not deleted for them.
const CHILDREN_RANGES: u64 = 2 * PAGES_MAX as u64 / 1_000;

const fn reads(points: u64) -> Bound {
    Bound::new(points, 0)
}

/// What is known of the change of a post.
struct PostChange<'p, 'a> {
    arguments: &'p Arguments<'a>,
    sizes: &'p Sizes,
}

/// The storage requests of a change.
pub(super) fn demand(change: Change, priced: &Priced<'_>) -> Demand {
    let of_post = PostChange { arguments: &priced.arguments, sizes: priced.sizes };
    Demand::of(match change {
        Change::CreatePost => of_post.creation(),
        Change::UpdatePost | Change::Publish | Change::DeletePost | Change::RestoreRevision => of_post.of(change),
        Change::CreateTerm(_) | Change::UpdateTerm(_) | Change::DeleteTerm(_) => of_term(change, priced),
        // The post, and the key of links.
        Change::CreatePreview => reads(FIND_POST + if priced.sizes.may_move { 6 } else { 2 }).writing(1),
        Change::RevokePreviews | Change::RevokeToken => reads(1).plus(token_row(priced.sizes)),
        Change::CreatePage => PAGE_STEPS.plus(reads(PLACE)).plus(of_post.cover()),
        Change::UpdatePage if priced.arguments.has_in("input", "path") => {
            PAGE_STEPS.plus(Bound::new(PLACE, 2).times(MOVED_MAX as u64)).plus(KEPT_PAGE).plus(of_post.cover())
        }
        Change::UpdatePage => PAGE_STEPS.plus(KEPT_PAGE).plus(of_post.cover()),
        // The versions of the page are removed.
        Change::DeletePage => {
            let versions = u64::from(REVISIONS_MAX.unsigned_abs());
            PAGE_STEPS.plus(Bound::new(0, 4 + CHILDREN_RANGES + versions.div_ceil(VERSIONS_OF_RANGE)).writing(2))
        }
        Change::CreateToken => {
            // The author, and those with similar slugs if no author has the slug; the last change of a token that is deleted for the new one.
            let author =
                if priced.arguments.has_in("input", "author") { Bound::new(TERM_READS, 1) } else { Bound::NONE };
            TOKENS.plus(author).plus(token_row(priced.sizes))
        }
        Change::UpdateAsset => reads(1).writing(1),
        // The asset becomes a removal, which ends when the bytes are deleted.
        Change::DeleteAsset => reads(1).writing(2),
    })
}

/// The change of a row of `Tokens`: on a file, one transaction.
fn token_row(sizes: &Sizes) -> Bound {
    if sizes.may_move { TOKEN_STEPS } else { reads(0).writing(1) }
}

/// The terms of the post that a change returns, by kind: as it is after the change, or as it was before if the change is refused.
pub(super) fn terms_of_post(change: Change, priced: &Priced<'_>) -> Option<TermCounts> {
    let of_post = PostChange { arguments: &priced.arguments, sizes: priced.sizes };
    match change {
        // A key that was used before returns the post of then as it is now.
        Change::CreatePost if priced.arguments.has_in("input", "idempotencyKey") => None,
        Change::CreatePost => {
            let mut named = of_post.named();
            // An author is the author of its post.
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
    /// The terms of each kind that the input names.
    fn named(&self) -> TermCounts {
        TERM_FIELDS.map(|field| self.arguments.length_in("input", field).min(TERMS_OF_POST))
    }

    /// The post as it is stored: the largest one if it is not known.
    fn stored(&self) -> PostSize {
        match self.sizes.change() {
            Some(ChangeSize::Post(size)) => size,
            Some(ChangeSize::Missing) => {
                let (has_language, is_featured) = (false, false);
                let terms = TermCounts::default();
                PostSize { terms, has_language, is_featured, former_slugs: 0, versions: 0, is_draft: true }
            }
            _ => PostSize {
                terms: TermKind::ALL.map(|kind| if kind == TermKind::Series { 1 } else { TERMS_OF_POST }),
                has_language: true,
                is_featured: true,
                former_slugs: FORMER_SLUGS_MAX as u64,
                versions: REVISIONS_MAX.unsigned_abs().into(),
                is_draft: false,
            },
        }
    }

    /// The look-ups of the terms that the input names, before anything is written: by a former slug two reads, and suggestions for unknown ones.
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

    /// The indexes other than those of terms that the input may add the post to: that of a language, and that of featured posts.
    fn other_indexes(&self) -> u64 {
        OTHER_INDEX_FIELDS.map(|field| u64::from(self.arguments.has_in("input", field))).iter().sum()
    }

    /// The declared fields whose index rows may change: those of which posts lack index rows, too.
    fn fields(&self) -> u64 {
        let is_given = ["fields", "metadata"].into_iter().any(|name| self.arguments.is_given_in("input", name));
        if is_given { self.sizes.indexed_fields } else { self.sizes.unbuilt_fields }
    }

    /// Those that it may remove the post from.
    fn other_indexes_left(&self, stored: PostSize) -> u64 {
        let is_left = |(was_in, field)| u64::from(was_in && self.arguments.is_given_in("input", field));
        [stored.has_language, stored.is_featured].into_iter().zip(OTHER_INDEX_FIELDS).map(is_left).sum()
    }

    fn creates_tags(&self) -> bool {
        self.arguments.has_in("input", "createMissingTags")
    }

    /// What the terms of a post cost on tables: those that it gets, those that it loses, and the tags that are created. A draft is in no index. The other
    /// indexes are counted among them, although nothing is looked up for them.
    fn terms(&self, is_draft: bool, (added, removed): (u64, u64), created: u64) -> Bound {
        // Each is looked up again when the change is prepared.
        let of_terms = reads(added).plus(NEW_TAG.times(created));
        if is_draft { of_terms } else { of_terms.plus(ADDED.times(added)).plus(REMOVED.times(removed)) }
    }

    fn creation(&self) -> Bound {
        let named = self.named();
        let has_slug = self.arguments.has_in("input", "slug");
        let is_free = matches!(self.sizes.change(), Some(ChangeSize::FreeSlug));
        let is_numbered = !(has_slug || is_free);
        let owner = if has_slug { reads(OWNER_OF_SLUG) } else { Bound::NONE };
        let has_key = self.arguments.has_in("input", "idempotencyKey");
        let key = if has_key { reads(USE_OF_KEY + FIND_POST) } else { Bound::NONE };
        let before = self.look_ups().plus(self.cover()).plus(owner).plus(key);
        if !self.sizes.may_move {
            return before.plus(reads(0).writing(if is_numbered { SLUGS_TRIED } else { 1 }));
        }
        let key = if has_key { reads(USE_OF_KEY).writing(1) } else { Bound::NONE };
        let all = named.iter().sum::<u64>() + self.other_indexes() + self.fields();
        let created = if self.creates_tags() { named[TermKind::Tag as usize] } else { 0 };
        let is_draft = !self.arguments.has_in("input", "publishAt");
        let terms = self.terms(is_draft, (all, 0), created);
        let undone = if is_draft { Bound::NONE } else { UNDONE.times(all) };
        // A slug that is free for the price is free for the change.
        let refused = if is_free { Bound::NONE } else { REFUSED_CLAIM.plus(undone) };
        let of_try = STEPS.plus(MONTHS).plus(CLAIM).plus(key).plus(terms).plus(refused);
        match is_numbered {
            // The slug of the title, and then the first number whose slug nobody has.
            true => before.plus(of_try.times(2)).plus(reads(OWNER_OF_SLUG * SLUGS_TRIED)),
            false => before.plus(of_try),
        }
    }

    fn of(&self, change: Change) -> Bound {
        let (named, stored) = (self.named(), self.stored());
        let has_slug = change == Change::UpdatePost && self.arguments.has_in("input", "slug");
        let mut before = reads(FIND_POST).plus(self.look_ups()).plus(self.cover());
        if has_slug {
            before = before.plus(reads(OWNER_OF_SLUG));
        }
        // A post is in the index of each field at most once.
        let had = stored.indexes() + self.sizes.indexed_fields;
        if change == Change::RestoreRevision {
            // The version, and each of its terms.
            before = before.plus(reads(1 + TERM_READS * had));
        }
        if !self.sizes.may_move {
            return before.plus(reads(0).writing(1));
        }
        let steps = before.plus(STEPS);
        let is_given = TERM_FIELDS.map(|field| self.arguments.is_given_in("input", field));
        let lost = |kind: usize| if is_given[kind] { stored.terms[kind] } else { 0 };
        match change {
            Change::UpdatePost => {
                let created = if self.creates_tags() { named[TermKind::Tag as usize] } else { 0 };
                let added = named.iter().sum::<u64>() + self.other_indexes() + self.fields();
                let lost =
                    (0..TERM_FIELDS.len()).map(lost).sum::<u64>() + self.other_indexes_left(stored) + self.fields();
                let changed = (added, lost);
                let undone = if stored.is_draft { Bound::NONE } else { UNDONE.times(changed.0) };
                let slug = CLAIM.plus(REFUSED_CLAIM).plus(NEW_SLUG).plus(undone);
                let slug = if has_slug { slug } else { Bound::NONE };
                steps.plus(slug).plus(self.terms(stored.is_draft, changed, created))
            }
            // Of the terms of the version, deleted tags are created again.
            Change::RestoreRevision => {
                steps.plus(self.terms(stored.is_draft, (had, had), stored.terms[TermKind::Tag as usize]))
            }
            Change::Publish => {
                let removed = if stored.is_draft { 0 } else { had };
                steps.plus(MONTHS).plus(MOVE).plus(self.terms(false, (had, removed), 0))
            }
            _ => {
                let versions = stored.versions.min(REVISIONS_MAX.unsigned_abs().into());
                let versions = Bound::new(0, 1 + versions.div_ceil(VERSIONS_OF_RANGE)).writing(2);
                let claims = reads(stored.former_slugs).writing(stored.former_slugs);
                steps.plus(MONTHS).plus(DELETED).plus(versions).plus(claims).plus(self.terms(
                    stored.is_draft,
                    (0, had),
                    0,
                ))
            }
        }
    }
}

/// A change of a term. On a file, the reads are those by its slug or former slug, and those of the owner of a slug for an error.
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
    if !sizes.may_move {
        return found.plus(uses).plus(reads(0).writing(1));
    }
    // The position among the children of its parent is the present slug.
    let may_get_place = match change {
        Change::CreateTerm(_) => arguments.has_in("input", "parentId"),
        Change::UpdateTerm(kind) => {
            kind == TermKind::Category && (has_slug || arguments.is_given_in("input", "parentId"))
        }
        Change::DeleteTerm(kind) => kind == TermKind::Category,
        _ => false,
    };
    let place = if may_get_place { PLACE_OF_CATEGORY } else { Bound::NONE };
    let steps = found.plus(STEPS_OF_TERM).plus(place);
    match change {
        Change::CreateTerm(_) => steps,
        Change::UpdateTerm(_) if has_slug => steps.plus(NEW_SLUG_OF_TERM),
        Change::UpdateTerm(_) => steps,
        _ => {
            let former_slugs = match sizes.change() {
                Some(ChangeSize::Term { former_slugs, .. }) => former_slugs,
                _ => FORMER_SLUGS_MAX as u64,
            };
            // Its present slug is one of its slugs too.
            let slugs = FORMER_SLUG.times(former_slugs + 1);
            // Of a category the tree, too.
            let looks = Bound::new(2, 1).plus(drafts(sizes)).times(LOOKS);
            steps.plus(slugs).plus(looks).plus(uses)
        }
    }
}

/// A deletion that is refused counts the posts and drafts that have the term.
fn uses(sizes: &Sizes) -> Bound {
    reads(TERM_READS + 1).plus(drafts(sizes))
}

/// The list of the months of drafts, and all drafts.
fn drafts(sizes: &Sizes) -> Bound {
    match sizes.change() {
        Some(ChangeSize::Missing) => Bound::NONE,
        Some(ChangeSize::Term { draft_months, drafts, .. }) => {
            // The first read of each month asks for 250 drafts, the next for more.
            Bound::new(0, 1 + draft_months + drafts / 250 + 1)
        }
        _ => Bound::new(0, u64::from(RANGE_READS_MAX) + 10),
    }
}
