//! The three workloads: their editors, their content at the start, and what each editor does. The rule: every name that an editor can choose comes
//! from a short list, so that editors choose the same ones.

use tidings::model::TermKind;

use crate::support::random::Random;

use super::change::{Change, Named};
use super::content::index;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Workload {
    /// Twelve editors change three posts.
    SharedPosts,
    /// Eight editors create, rename and delete terms, while sixteen give them to posts and take them away.
    ChangingTerms,
    /// Ten editors re-date, publish, unpublish, rename, delete and create posts.
    MovingPosts,
}

/// What an editor does during the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    ChangeSharedPosts,
    ChangeTerms,
    GiveTerms,
    MovePosts,
}

/// As the API returns them. Two are the same instant, one is at the end of a month, one is in the future.
pub(super) const INSTANTS: [&str; 8] = [
    "2026-05-01T00:00:00.000Z",
    "2026-05-01T00:00:00.000Z",
    "2026-05-20T10:00:00.001Z",
    "2026-05-31T23:59:59.999Z",
    "2026-04-02T00:00:00.000Z",
    "2026-04-28T12:00:00.000Z",
    "2025-12-31T00:00:00.000Z",
    "2099-01-01T00:00:00.000Z",
];
const MONTHS: [&str; 4] = ["2025-12", "2026-04", "2026-05", "2099-01"];
const TERMS: [&str; 6] = ["ash", "birch", "cedar", "elm", "fir", "oak"];
/// Categories and authors of shared posts, and all terms of moving posts.
const FIXED_TERMS: usize = 4;
/// Shared posts get one of this many tags. After some mutations one of them is never used again, so that a row that was left in its index is not
/// repaired by chance.
const TAGS_AT_A_TIME: usize = 8;
const MUTATIONS_FOR_A_TAG: usize = 40;
const MOVING_SLUGS: [&str; 12] =
    ["red", "blue", "green", "white", "black", "brown", "grey", "pink", "gold", "lime", "navy", "teal"];
const SHARED_POSTS: usize = 3;
pub(super) const SLUGS_PER_POST: usize = 4;
/// Any of the shared posts may get one of these, and keeps it.
pub(super) const CONTESTED_SLUGS: [&str; 3] = ["first", "second", "third"];
const POSTS_WITH_CHANGING_TERMS: usize = 10;

impl Workload {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SharedPosts => "shared posts",
            Self::ChangingTerms => "changing terms",
            Self::MovingPosts => "moving posts",
        }
    }

    pub(super) fn editors(self) -> Vec<Part> {
        match self {
            Self::SharedPosts => vec![Part::ChangeSharedPosts; 12],
            Self::ChangingTerms => [vec![Part::ChangeTerms; 8], vec![Part::GiveTerms; 16]].concat(),
            Self::MovingPosts => vec![Part::MovePosts; 10],
        }
    }

    /// Whether no editor changes a term, so that a slug identifies its term.
    pub(super) fn has_fixed_terms(self) -> bool {
        self != Self::ChangingTerms
    }

    pub(super) fn months(self) -> &'static [&'static str] {
        &MONTHS
    }

    /// The slugs that editors choose from after this many mutations.
    pub(super) fn term_slugs(self, kind: TermKind, sent: usize) -> Vec<String> {
        let named = |count: usize| TERMS[..count].iter().map(|slug| (*slug).to_owned());
        match (self, kind) {
            (Self::SharedPosts, TermKind::Tag) => {
                let oldest = sent / MUTATIONS_FOR_A_TAG;
                (oldest..oldest + TAGS_AT_A_TIME).map(|n| format!("tree-{n}")).collect()
            }
            (Self::SharedPosts | Self::MovingPosts, _) => named(FIXED_TERMS).collect(),
            (Self::ChangingTerms, _) => named(TERMS.len()).collect(),
        }
    }

    pub(super) fn any_term(self, random: &mut Random, sent: usize) -> (TermKind, String) {
        let kind = *random.pick(&TermKind::ALL);
        (kind, self.any_slug(random, kind, sent))
    }

    pub(super) fn any_slug(self, random: &mut Random, kind: TermKind, sent: usize) -> String {
        random.pick(&self.term_slugs(kind, sent)).clone()
    }

    /// Every slug that an editor may give to a post.
    pub(super) fn post_slugs(self) -> Vec<String> {
        match self {
            Self::SharedPosts => {
                let own = (0..SHARED_POSTS).flat_map(|post| (0..SLUGS_PER_POST).map(move |n| own_slug(post, n)));
                own.chain(CONTESTED_SLUGS.map(ToOwned::to_owned)).collect()
            }
            Self::ChangingTerms => (0..POSTS_WITH_CHANGING_TERMS).map(|post| own_slug(post, 0)).collect(),
            Self::MovingPosts => MOVING_SLUGS.map(ToOwned::to_owned).to_vec(),
        }
    }

    pub(super) fn any_post_slug(self, random: &mut Random) -> String {
        random.pick(&self.post_slugs()).clone()
    }

    /// Some terms of a kind, by their slugs.
    pub(super) fn any_terms(self, random: &mut Random, kind: TermKind, sent: usize) -> Vec<String> {
        let count = random.below(match kind {
            TermKind::Tag => 4,
            TermKind::Category | TermKind::Author => 3,
            TermKind::Series => 2,
        });
        let mut slugs: Vec<String> = (0..count).map(|_| self.any_slug(random, kind, sent)).collect();
        slugs.sort();
        slugs.dedup();
        slugs
    }

    /// The content before the editors begin.
    pub(super) fn beginning(self, random: &mut Random) -> Vec<Change> {
        let save = |kind: TermKind| {
            self.term_slugs(kind, 0).into_iter().map(move |slug| {
                let name = format!("The {} {slug}", kind.noun());
                Change::SaveTerm { kind, slug, new_slug: None, name }
            })
        };
        let mut changes: Vec<Change> = TermKind::ALL.into_iter().flat_map(save).collect();
        let posts = match self {
            Self::SharedPosts => SHARED_POSTS,
            Self::ChangingTerms => POSTS_WITH_CHANGING_TERMS,
            Self::MovingPosts => 4,
        };
        for post in 0..posts {
            let mut terms = Named { are_fixed: true, ..Named::default() };
            for kind in TermKind::ALL {
                terms.slugs[index(kind)] = Some(self.any_terms(random, kind, 0));
            }
            let slug = if self == Self::MovingPosts { MOVING_SLUGS[post].to_owned() } else { own_slug(post, 0) };
            let at = INSTANTS[post % (INSTANTS.len() - 1)].to_owned();
            changes.push(Change::CreatePost { slug, title: format!("Post {post}"), publish_at: Some(at), terms });
        }
        changes
    }
}

/// A slug that only one post gets.
pub(super) fn own_slug(post: usize, number: usize) -> String {
    format!("post-{post}-{number}")
}
