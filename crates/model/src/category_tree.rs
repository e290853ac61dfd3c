//! The tree of categories: which category is directly below which. The rule: the tree names every place that a category has, and every place that a change
//! under way would give it; so a new place that makes no cycle with all of them together makes none, whichever of the changes are made.

use std::collections::BTreeSet;

use super::page_path::PATH_DEPTH_MAX;
use super::slug::Slug;
use super::term::Term;

/// The levels of the tree, as of that of pages.
pub const CATEGORY_DEPTH_MAX: usize = PATH_DEPTH_MAX;
/// The categories with a parent, at most: one row holds all of them.
pub const PLACED_CATEGORIES_MAX: usize = 1_000;

/// The place of a category that has a parent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CategoryPlace {
    /// The first slug of the category above it.
    pub parent: Slug,
    /// The present slug of the category itself: its position among the children of its parent.
    pub slug: Slug,
}

/// A place of a category, or one that it may get.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CategoryEntry {
    /// The first slug of the category.
    pub category: Slug,
    /// `None`: a change under way would remove it from the tree.
    pub place: Option<CategoryPlace>,
    /// The name of the change under way that would make this its place; `None` if it is its place.
    pub by: Option<String>,
}

/// Why a category cannot have a parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadParent {
    #[error("there is no category with this id; an id of a category is in its field `id`")]
    Missing,
    #[error("a category cannot be below itself")]
    BelowItself,
    #[error("categories have at most {CATEGORY_DEPTH_MAX} levels")]
    TooDeep,
    #[error("at most {PLACED_CATEGORIES_MAX} categories can have a parent")]
    TooMany,
}

/// Why a place was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedPlace {
    pub why: BadParent,
    /// The changes under way without which the place may be possible.
    pub because_of: BTreeSet<String>,
}

/// The places of all categories with a parent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CategoryTree(BTreeSet<CategoryEntry>);

impl CategoryPlace {
    /// `None` if the category has no parent.
    pub fn of(category: &Term) -> Option<Self> {
        let parent = category.parent.clone()?;
        Some(Self { parent, slug: category.slug.clone() })
    }
}

impl CategoryEntry {
    /// Whether it is the place of this category. An entry of a change that was not made is not.
    pub fn is_place_of(&self, category: &Term) -> bool {
        self.category == category.id.first_slug && self.place.is_some() && self.place == CategoryPlace::of(category)
    }

    fn parent(&self) -> Option<&Slug> {
        self.place.as_ref().map(|place| &place.parent)
    }

    /// The category, if it is below another.
    fn child(&self) -> Option<&Slug> {
        self.place.as_ref().map(|_| &self.category)
    }
}

impl CategoryTree {
    pub fn of(entries: impl IntoIterator<Item = CategoryEntry>) -> Self {
        Self(entries.into_iter().collect())
    }

    pub fn entries(&self) -> impl Iterator<Item = &CategoryEntry> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries that name this parent, by the slugs of the categories.
    pub fn below(&self, parent: &Slug) -> Vec<&CategoryEntry> {
        let mut below: Vec<_> = self.0.iter().filter(|entry| entry.parent() == Some(parent)).collect();
        below.sort_by(|a, b| (&a.place, &a.category, &a.by).cmp(&(&b.place, &b.category, &b.by)));
        below
    }

    /// The categories whose place a change under way may change; or a change has left an entry of them.
    pub fn uncertain(&self) -> BTreeSet<&Slug> {
        self.0.iter().filter(|entry| entry.by.is_some()).map(|entry| &entry.category).collect()
    }

    /// The categories that can be above one with this parent: the parent, and those above it.
    pub fn above(&self, parent: &Slug) -> Vec<Slug> {
        let mut above = vec![parent.clone()];
        for level in 0.. {
            let Some(category) = above.get(level).cloned() else { break };
            let parents = self.0.iter().filter(|entry| entry.category == category).filter_map(CategoryEntry::parent);
            for parent in parents {
                if !above.contains(parent) {
                    above.push(parent.clone());
                }
            }
        }
        above
    }

    /// Adds the place that a change would give a category; `None`: it would remove the category from the tree.
    ///
    /// # Errors
    /// If the category cannot have the place. Then nothing is added.
    pub fn claim(&mut self, category: &Slug, place: Option<CategoryPlace>, by: &str) -> Result<(), RefusedPlace> {
        if let Some(place) = &place {
            self.check(category, &place.parent, by)?;
        }
        self.0.insert(CategoryEntry { category: category.clone(), place, by: Some(by.to_owned()) });
        Ok(())
    }

    /// Makes this the only place of a category; `None`: it is not in the tree.
    pub fn reconcile(&mut self, category: &Slug, place: Option<CategoryPlace>) {
        self.0.retain(|entry| entry.category != *category);
        if place.is_some() {
            self.0.insert(CategoryEntry { category: category.clone(), place, by: None });
        }
    }

    /// Removes what a change that was not made has claimed for a category.
    pub fn withdraw(&mut self, category: &Slug, by: &str) {
        self.0.retain(|entry| entry.category != *category || entry.by.as_deref() != Some(by));
    }

    /// Removes what these changes, which have ended, have left.
    pub fn remove_ended(&mut self, ended: &BTreeSet<String>) {
        self.0.retain(|entry| entry.by.as_ref().is_none_or(|by| !ended.contains(by)));
    }

    fn check(&self, category: &Slug, parent: &Slug, by: &str) -> Result<(), RefusedPlace> {
        let is_of_another = |entry: &&CategoryEntry| entry.by.as_ref().is_some_and(|of| of != by);
        let names = |entries: &mut dyn Iterator<Item = &CategoryEntry>| -> BTreeSet<String> {
            entries.filter(is_of_another).filter_map(|entry| entry.by.clone()).collect()
        };
        let placed: BTreeSet<&Slug> =
            self.0.iter().filter(|entry| entry.place.is_some()).map(|entry| &entry.category).collect();
        if placed.len() >= PLACED_CATEGORIES_MAX && !placed.contains(category) {
            return Err(RefusedPlace { why: BadParent::TooMany, because_of: names(&mut self.0.iter()) });
        }
        let above = self.levels(parent, CategoryEntry::child, CategoryEntry::parent);
        if above.met.contains(category) {
            return Err(RefusedPlace { why: BadParent::BelowItself, because_of: names(&mut above.passed.into_iter()) });
        }
        // The category itself is the first level of those below it.
        let below = self.levels(category, CategoryEntry::parent, CategoryEntry::child);
        if above.count + below.count > CATEGORY_DEPTH_MAX {
            let mut passed = above.passed.into_iter().chain(below.passed);
            return Err(RefusedPlace { why: BadParent::TooDeep, because_of: names(&mut passed) });
        }
        Ok(())
    }

    /// The levels from a category on, itself the first: from one level to the next, each entry leads from `from` to `to`. No more levels than one too many.
    fn levels<'t>(
        &'t self,
        first: &'t Slug,
        from: impl Fn(&'t CategoryEntry) -> Option<&'t Slug>,
        to: impl Fn(&'t CategoryEntry) -> Option<&'t Slug>,
    ) -> Levels<'t> {
        let mut levels = Levels { count: 0, met: BTreeSet::new(), passed: Vec::new() };
        let mut level = BTreeSet::from([first]);
        while !level.is_empty() && levels.count <= CATEGORY_DEPTH_MAX {
            levels.count += 1;
            levels.met.extend(&level);
            let leads = |entry: &&'t CategoryEntry| from(entry).is_some_and(|slug| level.contains(slug));
            let leading: Vec<&CategoryEntry> = self.0.iter().filter(leads).collect();
            level = leading.iter().filter_map(|entry| to(entry)).collect();
            levels.passed.extend(leading);
        }
        levels
    }
}

/// What a walk over the tree has met.
struct Levels<'t> {
    count: usize,
    met: BTreeSet<&'t Slug>,
    /// The entries that lead from level to level.
    passed: Vec<&'t CategoryEntry>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slug(text: &str) -> Slug {
        text.parse().expect("a slug")
    }

    fn below(parent: &str, category: &str) -> Option<CategoryPlace> {
        Some(CategoryPlace { parent: slug(parent), slug: slug(category) })
    }

    /// Claims a place, and reconciles it if `by` is `None`.
    fn put(tree: &mut CategoryTree, category: &str, parent: &str, by: Option<&str>) -> Result<(), RefusedPlace> {
        tree.claim(&slug(category), below(parent, category), by.unwrap_or("own"))?;
        if by.is_none() {
            tree.reconcile(&slug(category), below(parent, category));
        }
        Ok(())
    }

    fn refused(put: Result<(), RefusedPlace>) -> (BadParent, Vec<String>) {
        let RefusedPlace { why, because_of } = put.expect_err("it is refused");
        (why, because_of.into_iter().collect())
    }

    #[test]
    fn no_two_changes_make_a_cycle_together_whichever_of_them_are_made() {
        let mut tree = CategoryTree::default();
        put(&mut tree, "b", "a", None).expect("a place");
        assert_eq!(refused(put(&mut tree, "a", "b", None)), (BadParent::BelowItself, vec![]));
        assert_eq!(refused(put(&mut tree, "a", "a", None)), (BadParent::BelowItself, vec![]));
        put(&mut tree, "c", "b", Some("x")).expect("a place");
        assert_eq!(refused(put(&mut tree, "a", "c", Some("y"))), (BadParent::BelowItself, vec!["x".to_owned()]));
        // Its own claims do not make a change wait.
        assert_eq!(refused(put(&mut tree, "a", "c", Some("x"))), (BadParent::BelowItself, vec![]));
        // Until a change has ended, both places count.
        put(&mut tree, "b", "z", Some("w")).expect("a place");
        assert_eq!(refused(put(&mut tree, "z", "b", Some("y"))), (BadParent::BelowItself, vec!["w".to_owned()]));
        tree.withdraw(&slug("c"), "x");
        put(&mut tree, "a", "c", Some("y")).expect("a place");
    }

    #[test]
    fn the_depth_is_that_of_both_ends_together() {
        let mut tree = CategoryTree::default();
        for level in 1..CATEGORY_DEPTH_MAX {
            put(&mut tree, &format!("a{level}"), &format!("a{}", level - 1), None).expect("a place");
        }
        let last = format!("a{}", CATEGORY_DEPTH_MAX - 1);
        assert_eq!(refused(put(&mut tree, "b", &last, None)), (BadParent::TooDeep, vec![]));
        put(&mut tree, "b2", "b1", None).expect("a place");
        let above = |from_end: usize| format!("a{}", CATEGORY_DEPTH_MAX - 1 - from_end);
        assert_eq!(refused(put(&mut tree, "b1", &above(1), None)), (BadParent::TooDeep, vec![]));
        put(&mut tree, "b1", &above(2), None).expect("a place");
        assert_eq!(tree.above(&slug("b1")).len(), CATEGORY_DEPTH_MAX - 1);
    }

    #[test]
    fn a_damaged_tree_with_a_cycle_is_walked_to_an_end() {
        let entry = |category: &str, parent: &str| CategoryEntry {
            category: slug(category),
            place: below(parent, category),
            by: None,
        };
        let mut tree = CategoryTree::of([entry("a", "b"), entry("b", "a")]);
        assert_eq!(tree.above(&slug("a")), [slug("a"), slug("b")]);
        assert_eq!(refused(put(&mut tree, "c", "a", None)), (BadParent::TooDeep, vec![]));
    }

    #[test]
    fn the_children_of_a_parent_are_in_the_order_of_their_present_slugs() {
        let mut tree = CategoryTree::default();
        for (category, present) in [("a", "z"), ("b", "b"), ("c", "a")] {
            tree.reconcile(&slug(category), Some(CategoryPlace { parent: slug("p"), slug: slug(present) }));
        }
        let children: Vec<&str> = tree.below(&slug("p")).into_iter().map(|entry| entry.category.as_str()).collect();
        assert_eq!(children, ["c", "b", "a"]);
        tree.claim(&slug("b"), None, "x").expect("a removal");
        assert_eq!(tree.uncertain(), BTreeSet::from([&slug("b")]));
        tree.remove_ended(&BTreeSet::from(["x".to_owned()]));
        assert!(tree.uncertain().is_empty());
        tree.reconcile(&slug("b"), None);
        assert_eq!(tree.entries().count(), 2);
    }

    #[test]
    fn the_number_of_categories_with_a_parent_is_bounded() {
        let mut tree = CategoryTree::default();
        for category in 0..PLACED_CATEGORIES_MAX {
            tree.reconcile(&slug(&format!("c{category}")), below("top", "x"));
        }
        assert_eq!(refused(put(&mut tree, "more", "top", None)), (BadParent::TooMany, vec![]));
        put(&mut tree, "c1", "c2", None).expect("it has a parent already");
    }
}
