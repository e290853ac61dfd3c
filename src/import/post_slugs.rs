//! Assigns slugs to the posts of an import. The rule: a post from an earlier run is found again and keeps its slug, and a post that does not come
//! from this source is never changed.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::old_addresses::OldAddresses;
use super::{Entry, Note, Redirect};
use crate::model::{Instant, Slug};

/// The post that has a slug, as its current or a former one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingPost {
    pub id: String,
    /// The origin, if the post was imported; `None` if it was created in Tidings.
    pub origin: Option<String>,
    pub published_at: Option<Instant>,
}

/// The resolved slug and post of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPost {
    pub slug: Slug,
    /// The stored post of the entry, if there is one.
    pub existing_id: Option<String>,
    /// The slugs that will redirect to the post.
    pub aliases: Vec<Slug>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostSlugs {
    /// One for each entry, in the order of the entries.
    pub posts: Vec<ResolvedPost>,
    /// The slugs that got a number, and the aliases and redirects that could not be kept, with the reasons.
    pub notes: Vec<Note>,
}

/// Assigns each entry a slug: its own, or its own followed by `-2`, `-3`…, the oldest post first.
///
/// A stored post under one of these slugs belongs to an entry if its id or its origin matches. If its origin is no longer among the entries, it
/// belongs to an entry with the same publication instant, because then its file was moved. The instants are compared because two blogs in one
/// store may have the same slug. A draft has no instant and no public address: it belongs to the first entry with its slug, because Jekyll
/// publishes a draft by moving its file out of `_drafts`. `existing` is called once for each slug that may be used.
pub fn resolve_post_slugs<E>(
    entries: &[Entry],
    redirects: &[Redirect],
    existing: impl FnMut(&Slug) -> Result<Option<ExistingPost>, E>,
) -> Result<PostSlugs, E> {
    let mut resolver = SlugResolver::new(entries, existing);
    resolver.look_up_groups()?;
    resolver.find_same_posts();
    resolver.find_moved_posts();
    resolver.give_free_slugs()?;
    let notes = resolver.notes();
    let SlugResolver { order, given, claimed, existing, .. } = resolver;
    let posts = given.into_iter().map(|post| post.expect("every entry has a slug")).collect();
    OldAddresses::new(entries, posts, claimed, existing, notes).resolve(&order, redirects)
}

struct SlugResolver<'e, F> {
    entries: &'e [Entry],
    existing: F,
    /// The entries in the order in which they choose slugs.
    order: Vec<usize>,
    groups: BTreeMap<Slug, SlugGroup>,
    given: Vec<Option<ResolvedPost>>,
    /// The entry that has a slug of this import.
    claimed: HashMap<Slug, usize>,
}

/// The entries that have the same preferred slug.
#[derive(Default)]
struct SlugGroup {
    members: Vec<usize>,
    /// The stored posts under the slug and its numbered variants, in that order.
    stored: Vec<(Slug, ExistingPost)>,
    /// The first number that may be free.
    next: u32,
}

impl<'e, F, E> SlugResolver<'e, F>
where
    F: FnMut(&Slug) -> Result<Option<ExistingPost>, E>,
{
    fn new(entries: &'e [Entry], existing: F) -> Self {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        let key = |index: &usize| {
            let entry: &Entry = &entries[*index];
            (entry.published_at.is_none(), entry.published_at, entry.origin.as_str())
        };
        order.sort_by(|a, b| key(a).cmp(&key(b)));
        let mut groups: BTreeMap<Slug, SlugGroup> = BTreeMap::new();
        for index in &order {
            groups.entry(entries[*index].slug.clone()).or_default().members.push(*index);
        }
        Self { entries, existing, order, groups, given: vec![None; entries.len()], claimed: HashMap::new() }
    }

    /// Looks up every number that a group may have used before: as many as the group has members, then up to the first free one.
    fn look_up_groups(&mut self) -> Result<(), E> {
        for (base, group) in &mut self.groups {
            for number in 1.. {
                let slug = base.numbered(number);
                match (self.existing)(&slug)? {
                    Some(post) => group.stored.push((slug, post)),
                    None if number as usize >= group.members.len() => break,
                    None => {}
                }
            }
            group.next = 1;
        }
        Ok(())
    }

    /// Matches entries to the stored posts with their id or origin.
    fn find_same_posts(&mut self) {
        let entries = self.entries;
        let by_id: HashMap<&str, usize> =
            self.order.iter().filter_map(|index| Some((entries[*index].id.as_deref()?, *index))).collect();
        let by_origin: HashMap<&str, usize> =
            self.order.iter().map(|index| (entries[*index].origin.as_str(), *index)).collect();
        self.match_stored(|post, base| {
            let index = by_id.get(post.id.as_str()).or_else(|| by_origin.get(post.origin.as_deref()?))?;
            (entries[*index].slug == *base).then_some(*index)
        });
    }

    /// Matches the remaining entries to stored posts whose file is gone: by publication instant, then drafts by slug.
    fn find_moved_posts(&mut self) {
        let entries = self.entries;
        let origins: HashSet<&str> = entries.iter().map(|entry| entry.origin.as_str()).collect();
        let mut waiting: HashMap<(Slug, Instant), VecDeque<usize>> = HashMap::new();
        for index in self.order.iter().copied().filter(|index| self.given[*index].is_none()) {
            if let Some(at) = entries[index].published_at {
                waiting.entry((entries[index].slug.clone(), at)).or_default().push_back(index);
            }
        }
        self.match_stored(|post, base| {
            let is_gone = post.origin.as_deref().is_some_and(|origin| !origins.contains(origin));
            waiting.get_mut(&(base.clone(), post.published_at.filter(|_| is_gone)?))?.pop_front()
        });
        let mut by_slug: HashMap<&Slug, VecDeque<usize>> = HashMap::new();
        for index in self.order.iter().copied().filter(|index| self.given[*index].is_none()) {
            by_slug.entry(&entries[index].slug).or_default().push_back(index);
        }
        self.match_stored(|post, base| {
            let is_gone = post.origin.as_deref().is_some_and(|origin| !origins.contains(origin));
            by_slug.get_mut(base).filter(|_| is_gone && post.published_at.is_none())?.pop_front()
        });
    }

    fn match_stored(&mut self, mut owner: impl FnMut(&ExistingPost, &Slug) -> Option<usize>) {
        let mut groups = std::mem::take(&mut self.groups);
        for (base, group) in &mut groups {
            for (slug, post) in std::mem::take(&mut group.stored) {
                let is_free = !self.claimed.contains_key(&slug);
                match owner(&post, base).filter(|index| is_free && self.given[*index].is_none()) {
                    Some(index) => self.give(index, slug, Some(post.id)),
                    None => group.stored.push((slug, post)),
                }
            }
        }
        self.groups = groups;
    }

    fn give(&mut self, index: usize, slug: Slug, existing_id: Option<String>) {
        self.claimed.insert(slug.clone(), index);
        self.given[index] = Some(ResolvedPost { slug, existing_id, aliases: Vec::new() });
    }

    fn give_free_slugs(&mut self) -> Result<(), E> {
        for index in self.order.clone() {
            if self.given[index].is_none() {
                let slug = self.free_slug(&self.entries[index].slug)?;
                self.give(index, slug, None);
            }
        }
        Ok(())
    }

    /// A note for each new post whose slug got a number, because another post already has it.
    fn notes(&self) -> Vec<Note> {
        let numbered = |index: &usize| {
            let (entry, given) = (&self.entries[*index], self.given[*index].as_ref()?);
            let text = || format!("its slug is {}, because another post has {}", given.slug, entry.slug);
            let is_new = given.existing_id.is_none() && given.slug != entry.slug;
            is_new.then(|| Note { origin: entry.origin.clone(), text: text() })
        };
        self.order.iter().filter_map(numbered).collect()
    }

    /// The next free numbered variant of the base that is not the preferred slug of other entries.
    fn free_slug(&mut self, base: &Slug) -> Result<Slug, E> {
        let first = self.groups.get(base).map_or(1, |group| group.next);
        for number in first.. {
            let slug = base.numbered(number);
            let is_plain_slug = number > 1 && self.groups.contains_key(&slug);
            if !is_plain_slug && !self.claimed.contains_key(&slug) && (self.existing)(&slug)?.is_none() {
                self.groups.entry(base.clone()).or_default().next = number + 1;
                return Ok(slug);
            }
        }
        unreachable!("there are more numbers than posts")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::convert::Infallible;

    use super::*;

    pub fn entry(origin: &str, slug: &str, day: &str) -> Entry {
        Entry {
            origin: origin.into(),
            id: None,
            slug: slug.parse().expect("a slug"),
            published_at: format!("2020-01-{day}T00:00:00Z").parse().ok(),
            former_slugs: Vec::new(),
            aliases: Vec::new(),
        }
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
        let resolved = resolve(entries, &[], posts).posts;
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
    fn many_posts_of_one_name_take_no_quadratic_time() {
        let entries: Vec<_> = (0..20_000).map(|n| entry(&format!("{n:06}"), "s", "01")).collect();
        let resolved = resolve(&entries, &[], &[]);
        assert_eq!(resolved.posts[19_999].slug.as_str(), "s-20000");
    }
}
