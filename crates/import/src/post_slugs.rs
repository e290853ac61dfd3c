//! Assigns slugs to the posts of an import. The rule: a post from an earlier run is found again and keeps its slug, and a post that does not come
//! from this source is never changed.

use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};

use super::assigned::{AssignedSlugs, ResolvedPosts};
use super::old_addresses::OldAddresses;
use super::slug_languages::{self, SlugLanguages};
use super::{Entry, Note, Redirect};
use tidings_model::{Instant, Slug};

/// The stored post with a slug, current or former.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingPost {
    pub id: String,
    /// The origin, if the post was imported; `None` if it was created in Tidings.
    pub origin: Option<String>,
    pub published_at: Option<Instant>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostSlugs {
    pub posts: ResolvedPosts,
    /// The slugs that got a number, and the aliases and redirects that could not be kept, with the reasons.
    pub notes: Vec<Note>,
}

/// Assigns each entry a slug: its own, or its own followed by its language if posts in several languages prefer this slug, or else by `-2`, `-3`…,
/// the oldest post first. The language of most posts needs no suffix.
///
/// A stored post under one of these slugs belongs to an entry if its id or origin matches. If its origin is not among the entries, its file was
/// moved, and it belongs to an entry with the same publication instant. The instants are compared because two blogs in one store may have the same
/// slug. A draft has no instant and no public address: it belongs to the first entry with its slug, because Jekyll publishes a draft by moving its
/// file out of `_drafts`. `existing` is called for each slug that may be used.
pub fn resolve_post_slugs<E>(
    entries: &[Entry],
    redirects: &[Redirect],
    existing: impl FnMut(&Slug) -> Result<Option<ExistingPost>, E>,
) -> Result<PostSlugs, E> {
    let mut resolver = SlugResolver::new(entries, existing);
    let unmatched = resolver.find_same_posts()?;
    resolver.find_moved_posts(unmatched);
    resolver.give_free_slugs()?;
    let notes = resolver.notes();
    let SlugResolver { order, assigned, existing, .. } = resolver;
    OldAddresses::new(entries, assigned, existing, notes).resolve(&order, redirects)
}

struct SlugResolver<'e, F> {
    entries: &'e [Entry],
    existing: F,
    /// The order in which the entries choose slugs.
    order: Vec<u32>,
    assigned: AssignedSlugs<'e>,
    /// The first number that may be free for a slug; 1 if absent.
    next: HashMap<Slug, u32>,
    languages: SlugLanguages<'e>,
    by_id: OnceCell<Vec<u32>>,
    by_origin: OnceCell<Vec<u32>>,
}

/// A group of entries that prefer the same slug, and the stored posts under that slug and its numbered variants that match none of them, in that
/// order.
struct Unmatched {
    group: (u32, u32),
    stored: Vec<(Slug, ExistingPost)>,
}

impl<'e, F, E> SlugResolver<'e, F>
where
    F: FnMut(&Slug) -> Result<Option<ExistingPost>, E>,
{
    fn new(entries: &'e [Entry], existing: F) -> Self {
        let key = |index: &u32| {
            let entry: &'e Entry = &entries[*index as usize];
            (entry.published_at.is_none(), entry.published_at, entry.origin.as_str())
        };
        let mut order: Vec<u32> = (0..entries.len() as u32).collect();
        order.sort_by_key(key);
        let assigned = AssignedSlugs::new(entries, &order);
        let (by_id, by_origin) = (OnceCell::new(), OnceCell::new());
        let languages = SlugLanguages::of(entries, &assigned);
        Self { entries, existing, order, assigned, next: HashMap::new(), languages, by_id, by_origin }
    }

    fn entry(&self, index: u32) -> &'e Entry {
        &self.entries[index as usize]
    }

    /// Matches entries to the stored posts with their id or origin.
    fn find_same_posts(&mut self) -> Result<Vec<Unmatched>, E> {
        let mut unmatched = Vec::new();
        for group in self.assigned.groups() {
            let mut stored = self.look_up(group)?;
            if stored.is_empty() {
                continue;
            }
            let base = self.entry(self.assigned.group(group)[0]).slug.as_str();
            stored.retain(|(slug, post)| {
                let owner = self.same_post(post).filter(|index| self.entry(*index).slug.as_str() == base);
                !self.give_stored(owner, slug, post)
            });
            if !stored.is_empty() {
                unmatched.push(Unmatched { group, stored });
            }
        }
        Ok(unmatched)
    }

    /// Looks up every number that earlier runs may have given to the group: as many as it has members, then up to the first free one.
    fn look_up(&mut self, group: (u32, u32)) -> Result<Vec<(Slug, ExistingPost)>, E> {
        let members = self.assigned.group(group);
        let (base, members) = (self.entry(members[0]).slug.clone(), members.len());
        let mut stored = Vec::new();
        for number in 1.. {
            let slug = base.numbered(number);
            match (self.existing)(&slug)? {
                Some(post) => stored.push((slug, post)),
                None if number as usize >= members => break,
                None => {}
            }
        }
        for slug in slug_languages::named(self.entries, self.assigned.group(group)) {
            if let Some(post) = (self.existing)(&slug)? {
                stored.push((slug, post));
            }
        }
        Ok(stored)
    }

    /// The entry with the id of a stored post, or else with its origin.
    fn same_post(&self, post: &ExistingPost) -> Option<u32> {
        let id = |index: u32| self.entry(index).id.as_deref();
        let by_id = self.by_id.get_or_init(|| {
            let mut indices: Vec<u32> = self.order.iter().copied().filter(|index| id(*index).is_some()).collect();
            indices.sort_by_key(|index| id(*index));
            indices
        });
        last_of(by_id, Some(post.id.as_str()), id).or_else(|| self.with_origin(post.origin.as_deref()?))
    }

    fn with_origin(&self, origin: &str) -> Option<u32> {
        let by_origin = self.by_origin.get_or_init(|| {
            let mut indices = self.order.clone();
            indices.sort_by_key(|index| self.entry(*index).origin.as_str());
            indices
        });
        last_of(by_origin, origin, |index| self.entry(index).origin.as_str())
    }

    /// Gives a stored post and its slug to the owner, if both are free.
    fn give_stored(&mut self, owner: Option<u32>, slug: &Slug, post: &ExistingPost) -> bool {
        let is_free = |index: &usize| self.assigned.owner(slug).is_none() && !self.assigned.is_given(*index);
        let Some(index) = owner.map(|index| index as usize).filter(is_free) else { return false };
        self.assigned.give(index, slug.clone(), Some(post.id.clone()));
        true
    }

    /// Matches the remaining entries to stored posts without a file: by publication instant, then drafts by slug.
    fn find_moved_posts(&mut self, mut unmatched: Vec<Unmatched>) {
        for Unmatched { group, stored } in &mut unmatched {
            stored.retain(|(_, post)| post.origin.as_deref().is_some_and(|origin| self.with_origin(origin).is_none()));
            let mut waiting: HashMap<Instant, VecDeque<u32>> = HashMap::new();
            for index in self.waiting(*group) {
                if let Some(at) = self.entry(index).published_at {
                    waiting.entry(at).or_default().push_back(index);
                }
            }
            stored.retain(|(slug, post)| {
                let owner = post.published_at.and_then(|at| waiting.get_mut(&at)?.pop_front());
                !self.give_stored(owner, slug, post)
            });
        }
        for Unmatched { group, stored } in unmatched {
            let mut waiting = VecDeque::from(self.waiting(group));
            for (slug, post) in stored.into_iter().filter(|(_, post)| post.published_at.is_none()) {
                let owner = waiting.pop_front();
                self.give_stored(owner, &slug, &post);
            }
        }
    }

    /// The entries of a group without a slug.
    fn waiting(&self, group: (u32, u32)) -> Vec<u32> {
        let is_waiting = |index: &u32| !self.assigned.is_given(*index as usize);
        self.assigned.group(group).iter().copied().filter(is_waiting).collect()
    }

    fn give_free_slugs(&mut self) -> Result<(), E> {
        // No other entry gets a slug that only one entry prefers, so the order among these entries does not matter.
        for range in self.assigned.groups() {
            let [only] = self.assigned.group(range) else { continue };
            let (index, slug) = (*only as usize, self.entry(*only).slug.clone());
            if !self.assigned.is_given(index) && self.is_free(&slug)? {
                self.assigned.give_preferred(index);
            }
        }
        for at in 0..self.order.len() {
            let index = self.order[at];
            if !self.assigned.is_given(index as usize) {
                let slug = self.free_slug(index)?;
                self.assigned.give(index as usize, slug, None);
            }
        }
        Ok(())
    }

    /// A note for each new post whose slug got a number because another post has the slug.
    fn notes(&self) -> Vec<Note> {
        let numbered = |index: &u32| {
            let (entry, given) = (self.entry(*index), self.assigned.post(*index as usize));
            if slug_languages::with_language(entry).as_ref() == Some(&given.slug) {
                return None;
            }
            let text = || format!("its slug is {}, because another post has {}", given.slug, entry.slug.as_str());
            let is_new = given.existing_id.is_none() && given.slug.as_str() != entry.slug.as_str();
            is_new.then(|| Note { origin: entry.origin.to_string(), text: text() })
        };
        self.order.iter().filter_map(numbered).collect()
    }

    /// The next free numbered variant of the entry's preferred slug, or of the slug with its language, that no other entry prefers.
    fn free_slug(&mut self, index: u32) -> Result<Slug, E> {
        let entry = self.entry(index);
        let own = entry.slug.clone();
        let mut base = own.clone();
        if let Some(named) = self.languages.told_apart(entry)
            && !(self.languages.is_main(entry) && self.is_free(&own)?)
        {
            base = named;
        }
        let first = self.next.get(&base).copied().unwrap_or(1);
        for number in first.. {
            let slug = base.numbered(number);
            let is_preferred = slug != own && !self.assigned.group_of(slug.as_str()).is_empty();
            if !is_preferred && self.is_free(&slug)? {
                self.next.insert(base, number + 1);
                return Ok(slug);
            }
        }
        unreachable!("there are more numbers than posts")
    }

    fn is_free(&mut self, slug: &Slug) -> Result<bool, E> {
        Ok(self.assigned.owner(slug).is_none() && (self.existing)(slug)?.is_none())
    }
}

/// The last of the indices with this value. `indices` must be sorted by `of`.
fn last_of<T: Ord>(indices: &[u32], value: T, of: impl Fn(u32) -> T) -> Option<u32> {
    let end = indices.partition_point(|index| of(*index) <= value);
    indices[..end].last().copied().filter(|index| of(*index) == value)
}

#[cfg(test)]
pub(super) mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::ResolvedPost;

    pub fn entry(origin: &str, slug: &str, day: &str) -> Entry {
        Entry {
            origin: origin.into(),
            id: None,
            slug: slug.parse().expect("a slug"),
            published_at: format!("2020-01-{day}T00:00:00Z").parse().ok(),
            former_slugs: Box::default(),
            aliases: Box::default(),
            language: None,
            body_bytes: 0,
        }
    }

    pub fn posts(entries: &[Entry], resolved: &PostSlugs) -> Vec<ResolvedPost> {
        (0..entries.len()).map(|index| resolved.posts.get(entries, index)).collect()
    }

    pub fn stored(origin: Option<&str>, day: &str) -> ExistingPost {
        ExistingPost {
            id: format!("id-{}", origin.unwrap_or("none")),
            origin: origin.map(str::to_owned),
            published_at: format!("2020-01-{day}T00:00:00Z").parse().ok(),
        }
    }

    pub fn resolve(entries: &[Entry], redirects: &[Redirect], posts: &[(&str, ExistingPost)]) -> PostSlugs {
        let existing = |slug: &Slug| {
            Ok::<_, Infallible>(posts.iter().find(|(s, _)| *s == slug.as_str()).map(|(_, post)| post.clone()))
        };
        let Ok(resolved) = resolve_post_slugs(entries, redirects, existing);
        resolved
    }

    fn slugs(entries: &[Entry], posts: &[(&str, ExistingPost)]) -> Vec<(String, bool)> {
        let resolved = self::posts(entries, &resolve(entries, &[], posts));
        resolved.into_iter().map(|post| (post.slug.to_string(), post.existing_id.is_some())).collect()
    }

    fn row(slug: &str, exists: bool) -> (String, bool) {
        (slug.into(), exists)
    }

    #[test]
    fn the_oldest_post_gets_the_slug_without_a_number() {
        let entries = [entry("c", "s", "03"), entry("b", "s", "01"), entry("a", "s", "01"), entry("d", "s-2", "02")];
        assert_eq!(slugs(&entries, &[]), [row("s-4", false), row("s-3", false), row("s", false), row("s-2", false)]);
    }

    #[test]
    fn a_second_run_finds_its_posts_in_any_order() {
        let entries = [entry("a", "s", "01"), entry("b", "s", "02"), entry("c", "s", "03")];
        let posts = [("s", stored(Some("b"), "02")), ("s-2", stored(Some("c"), "03"))];
        assert_eq!(slugs(&entries, &posts), [row("s-3", false), row("s", true), row("s-2", true)]);
    }

    #[test]
    fn a_post_of_another_source_is_never_matched() {
        let posts = [("s", stored(None, "01")), ("s-2", stored(Some("other"), "09"))];
        assert_eq!(slugs(&[entry("a", "s", "01")], &posts), [row("s-3", false)]);
    }

    #[test]
    fn a_moved_file_is_the_same_post() {
        let posts = [("s", stored(Some("old/a"), "01"))];
        assert_eq!(slugs(&[entry("new/a", "s", "01")], &posts), [row("s", true)]);
        let both = [entry("new/a", "s", "01"), entry("old/a", "s", "02")];
        assert_eq!(slugs(&both, &posts), [row("s-2", false), row("s", true)]);
    }

    #[test]
    fn a_draft_whose_file_is_gone_matches_the_entry_with_its_slug() {
        let draft = |origin| ExistingPost { published_at: None, ..stored(origin, "01") };
        assert_eq!(slugs(&[entry("new/a", "s", "05")], &[("s", draft(Some("_drafts/a")))]), [row("s", true)]);
        assert_eq!(slugs(&[entry("new/a", "s", "05")], &[("s", draft(None))]), [row("s-2", false)]);
    }

    #[test]
    fn an_exported_post_is_matched_by_its_id() {
        let entry = Entry { id: Some("id-x".into()), ..entry("tidings:id-x", "s", "01") };
        assert_eq!(slugs(&[entry], &[("s", stored(Some("x"), "05"))]), [row("s", true)]);
    }

    #[test]
    fn posts_in_several_languages_are_told_apart_by_their_languages() {
        let post = |origin: &str, day: &str, language: &str| Entry {
            language: language.parse().ok(),
            ..entry(origin, "s", day)
        };
        let entries =
            [post("de/a", "01", "de"), post("en/a", "01", "en"), post("pt/a", "01", "pt-BR"), post("de/b", "02", "de")];
        let expected = [row("s", false), row("s-en", false), row("s-pt-br", false), row("s-de", false)];
        assert_eq!(slugs(&entries, &[]), expected);
        assert_eq!(resolve(&entries, &[], &[]).notes, []);
        let one_each =
            [post("de/a", "01", "de"), post("en/a", "02", "en"), post("x/a", "03", "en-GB"), post("a", "04", "")];
        assert_eq!(
            slugs(&one_each, &[]),
            [row("s-de", false), row("s", false), row("s-en-gb", false), row("s-2", false)]
        );
        let stored_posts = [("s-de", stored(Some("de/a"), "01")), ("s", stored(Some("en/a"), "02"))];
        assert_eq!(slugs(&one_each[..2], &stored_posts), [row("s-de", true), row("s", true)]);
        assert_eq!(slugs(&one_each[..1], &stored_posts[..1]), [row("s-de", true)]);
        let numbered = [("s", stored(Some("de/a"), "01")), ("s-2", stored(Some("en/a"), "02"))];
        assert_eq!(slugs(&one_each[..2], &numbered), [row("s", true), row("s-2", true)]);
    }

    #[test]
    fn many_posts_of_one_name_take_no_quadratic_time() {
        let entries: Vec<_> = (0..20_000).map(|n| entry(&format!("{n:06}"), "s", "01")).collect();
        let resolved = resolve(&entries, &[], &[]);
        assert_eq!(resolved.posts.get(&entries, 19_999).slug.as_str(), "s-20000");
    }
}
