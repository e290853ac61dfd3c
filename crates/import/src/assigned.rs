//! The slugs that the posts of an import get, and which post has a slug. The rule: a post that gets its preferred slug, as nearly all do, needs no
//! memory for it.

use std::collections::HashMap;

use super::Entry;
use tidings_model::Slug;

/// The resolved slug and post of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPost {
    pub slug: Slug,
    /// The stored post of the entry, if there is one.
    pub existing_id: Option<String>,
    /// The slugs that will redirect to the post.
    pub aliases: Vec<Slug>,
}

impl ResolvedPost {
    pub fn of(slug: Slug) -> Self {
        Self { slug, existing_id: None, aliases: Vec::new() }
    }
}

/// The resolved posts of all entries, in the order of the entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedPosts(Vec<Assigned>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Assigned {
    Nothing,
    /// The entry gets its preferred slug; it has no stored post, and no other slug redirects to it.
    Preferred,
    Other(Box<ResolvedPost>),
}

impl ResolvedPosts {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, entries: &[Entry], index: usize) -> ResolvedPost {
        match &self.0[index] {
            Assigned::Other(post) => ResolvedPost::clone(post),
            Assigned::Nothing | Assigned::Preferred => ResolvedPost::of(entries[index].slug.clone()),
        }
    }

    pub fn existing_id(&self, index: usize) -> Option<&str> {
        match &self.0[index] {
            Assigned::Other(post) => post.existing_id.as_deref(),
            Assigned::Nothing | Assigned::Preferred => None,
        }
    }

    pub fn set_existing_id(&mut self, entries: &[Entry], index: usize, id: String) {
        self.change(entries, index, |post| post.existing_id = Some(id));
    }

    fn change(&mut self, entries: &[Entry], index: usize, change: impl FnOnce(&mut ResolvedPost)) {
        let mut post = self.get(entries, index);
        change(&mut post);
        self.0[index] = Assigned::Other(Box::new(post));
    }

    fn has_slug(&self, entries: &[Entry], index: usize, slug: &str) -> bool {
        match &self.0[index] {
            Assigned::Nothing => false,
            Assigned::Preferred => entries[index].slug.as_str() == slug,
            Assigned::Other(post) => post.slug.as_str() == slug,
        }
    }
}

pub(super) struct AssignedSlugs<'e> {
    entries: &'e [Entry],
    /// The entries sorted by preferred slug; those with the same slug are in the order in which they choose.
    by_slug: Vec<u32>,
    posts: ResolvedPosts,
    /// The owner of a slug, as its own or as an alias, unless it is the only entry that prefers the slug.
    others: HashMap<Slug, u32>,
}

impl<'e> AssignedSlugs<'e> {
    /// `order`: the order in which the entries choose.
    pub(super) fn new(entries: &'e [Entry], order: &[u32]) -> Self {
        let mut by_slug = order.to_vec();
        by_slug.sort_by_key(|index| entries[*index as usize].slug.as_str());
        let posts = ResolvedPosts(vec![Assigned::Nothing; entries.len()]);
        Self { entries, by_slug, posts, others: HashMap::new() }
    }

    /// The groups of entries that prefer the same slug, as ranges for [`group`](Self::group), sorted by slug.
    pub(super) fn groups(&self) -> Vec<(u32, u32)> {
        let mut start = 0;
        let is_same = |one: &u32, other: &u32| self.slug_text(*one) == self.slug_text(*other);
        let ranges = self.by_slug.chunk_by(is_same).map(|group| {
            let range = (start, start + group.len() as u32);
            start = range.1;
            range
        });
        ranges.collect()
    }

    /// The entries of a group, in the order in which they choose.
    pub(super) fn group(&self, (start, end): (u32, u32)) -> &[u32] {
        &self.by_slug[start as usize..end as usize]
    }

    /// The entries that prefer this slug.
    pub(super) fn group_of(&self, slug: &str) -> &[u32] {
        let start = self.by_slug.partition_point(|index| self.slug_text(*index) < slug);
        let length = self.by_slug[start..].partition_point(|index| self.slug_text(*index) == slug);
        &self.by_slug[start..start + length]
    }

    fn slug_text(&self, index: u32) -> &'e str {
        self.entries[index as usize].slug.as_str()
    }

    pub(super) fn is_given(&self, index: usize) -> bool {
        self.posts.0[index] != Assigned::Nothing
    }

    /// The entry that has the slug, as its own or as an alias.
    pub(super) fn owner(&self, slug: &Slug) -> Option<usize> {
        if let Some(index) = self.others.get(slug) {
            return Some(*index as usize);
        }
        let [only] = self.group_of(slug.as_str()) else { return None };
        let only = *only as usize;
        self.posts.has_slug(self.entries, only, slug.as_str()).then_some(only)
    }

    /// Gives an entry its preferred slug, which no other entry prefers or has.
    pub(super) fn give_preferred(&mut self, index: usize) {
        self.posts.0[index] = Assigned::Preferred;
    }

    pub(super) fn give(&mut self, index: usize, slug: Slug, existing_id: Option<String>) {
        self.others.insert(slug.clone(), index as u32);
        self.posts.0[index] = Assigned::Other(Box::new(ResolvedPost { existing_id, ..ResolvedPost::of(slug) }));
    }

    /// Lets another slug, which no entry has, redirect to an entry.
    pub(super) fn add_alias(&mut self, index: usize, alias: Slug) {
        self.others.insert(alias.clone(), index as u32);
        self.posts.change(self.entries, index, |post| post.aliases.push(alias));
    }

    pub(super) fn post(&self, index: usize) -> ResolvedPost {
        self.posts.get(self.entries, index)
    }

    pub(super) fn existing_id(&self, index: usize) -> Option<&str> {
        self.posts.existing_id(index)
    }

    pub(super) fn into_posts(self) -> ResolvedPosts {
        self.posts
    }
}
