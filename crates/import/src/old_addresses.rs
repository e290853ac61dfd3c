//! Assigns old addresses to posts: aliases, and files that are only redirects. The rule: a slug belongs to one post, and an old address never takes
//! the slug of another post; the report notes an address that cannot be kept.

use std::collections::HashMap;

use super::assigned::AssignedSlugs;
use super::post_slugs::{ExistingPost, PostSlugs};
use super::{Entry, Note, Redirect, paths};
use tidings_model::Slug;

/// The maximum number of redirects that are followed in a chain.
const CHAIN_MAX: usize = 8;

pub(super) struct OldAddresses<'e, F> {
    entries: &'e [Entry],
    assigned: AssignedSlugs<'e>,
    existing: F,
    notes: Vec<Note>,
}

impl<'e, F, E> OldAddresses<'e, F>
where
    F: FnMut(&Slug) -> Result<Option<ExistingPost>, E>,
{
    pub(super) fn new(entries: &'e [Entry], assigned: AssignedSlugs<'e>, existing: F, notes: Vec<Note>) -> Self {
        Self { entries, assigned, existing, notes }
    }

    /// Adds the aliases of the entries in this order, then the redirects.
    pub(super) fn resolve(mut self, order: &[u32], redirects: &[Redirect]) -> Result<PostSlugs, E> {
        let entries = self.entries;
        for index in order.iter().map(|index| *index as usize) {
            let entry = &entries[index];
            for slug in &entry.former_slugs {
                self.add_slug(index, slug.clone(), slug.as_str(), &entry.origin)?;
            }
            for address in &entry.aliases {
                self.add(index, address, &entry.origin)?;
            }
        }
        self.add_redirects(redirects)?;
        Ok(PostSlugs { posts: self.assigned.into_posts(), notes: self.notes })
    }

    /// Adds an old address to an entry unless it belongs to another post. `origin`: the item that names the address.
    fn add(&mut self, index: usize, address: &str, origin: &str) -> Result<(), E> {
        let Some(alias) = paths::alias_slug(address) else {
            self.note(origin, format!("the old address {address:?} names no page"));
            return Ok(());
        };
        self.add_slug(index, alias, address, origin)
    }

    fn add_slug(&mut self, index: usize, alias: Slug, address: &str, origin: &str) -> Result<(), E> {
        let other = match self.assigned.owner(&alias) {
            Some(owner) if owner == index => return Ok(()),
            Some(owner) => Some(self.entries[owner].origin.to_string()),
            // A slug that redirects to the entry's own stored post counts as free.
            None => {
                let own_id = self.assigned.existing_id(index);
                let stored = (self.existing)(&alias)?.filter(|stored| Some(stored.id.as_str()) != own_id);
                stored.map(|stored| format!("the post {}", stored.id))
            }
        };
        match other {
            None => self.assigned.add_alias(index, alias),
            Some(other) => {
                self.note(origin, format!("the old address {address:?} is not imported: {alias} belongs to {other}"));
            }
        }
        Ok(())
    }

    fn add_redirects(&mut self, redirects: &[Redirect]) -> Result<(), E> {
        let by_from: HashMap<Slug, &Redirect> =
            redirects.iter().filter_map(|redirect| Some((Slug::from_name(&redirect.from)?, redirect))).collect();
        for redirect in redirects {
            match self.target(redirect, &by_from) {
                Some(index) => self.add(index, &redirect.from, &redirect.origin)?,
                None => {
                    self.note(
                        &redirect.origin,
                        format!("redirects to {:?}, which is not a post of this import", redirect.to),
                    );
                }
            }
        }
        Ok(())
    }

    /// The entry at the end of a chain of redirects; `None` if the chain is circular or too long.
    fn target(&self, redirect: &Redirect, by_from: &HashMap<Slug, &Redirect>) -> Option<usize> {
        let mut to = paths::alias_slug(&redirect.to)?;
        for _ in 0..CHAIN_MAX {
            if let Some(index) = self.assigned.owner(&to) {
                return Some(index);
            }
            to = paths::alias_slug(&by_from.get(&to)?.to)?;
        }
        None
    }

    fn note(&mut self, origin: &str, text: String) {
        self.notes.push(Note { origin: origin.to_owned(), text });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_slugs::tests::{entry, posts, resolve, stored};

    #[test]
    fn an_old_address_belongs_to_one_post() {
        let alias = |aliases: &[&str]| aliases.iter().map(|alias| String::from(*alias)).collect();
        let entries = [
            Entry { aliases: alias(&["/x/s/", "old.html", "t", "old", "/"]), ..entry("a", "s", "01") },
            Entry { aliases: alias(&["/2020/old/index.html", "taken"]), ..entry("b", "t", "02") },
        ];
        let resolved = resolve(&entries, &[], &[("taken", stored(None, "09"))]);
        let aliases: Vec<_> = posts(&entries, &resolved).into_iter().map(|post| post.aliases).collect();
        assert_eq!(aliases, [vec!["old".parse().expect("a slug")], vec![]]);
        let notes: Vec<_> = resolved.notes.iter().map(|note| note.text.as_str()).collect();
        let expected = [
            "the old address \"t\" is not imported: t belongs to b",
            "the old address \"/\" names no page",
            "the old address \"/2020/old/index.html\" is not imported: old belongs to a",
            "the old address \"taken\" is not imported: taken belongs to the post id-none",
        ];
        assert_eq!(notes, expected);
    }

    #[test]
    fn chains_of_redirects_are_followed_unless_they_are_circular() {
        let redirect =
            |from: &str, to: &str| Redirect { origin: format!("{from}.md"), from: from.into(), to: to.into() };
        let redirects =
            [redirect("one", "/blog/two"), redirect("two", "/blog/s"), redirect("x", "/y"), redirect("y", "/x")];
        let entries = [entry("a", "s", "01")];
        let resolved = resolve(&entries, &redirects, &[]);
        let aliases = resolved.posts.get(&entries, 0).aliases;
        let aliases: Vec<_> = aliases.iter().map(Slug::as_str).collect();
        assert_eq!(aliases, ["one", "two"]);
        assert_eq!(resolved.notes.len(), 2);
    }
}
