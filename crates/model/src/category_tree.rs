//! The tree of categories: which category is directly below which. The rule: no category is above itself, and there are at most
//! [`CATEGORY_DEPTH_MAX`] levels.

use std::collections::BTreeSet;

use super::page_path::PATH_DEPTH_MAX;
use super::slug::Slug;
use super::term::Term;

/// The maximum number of levels, as for pages.
pub const CATEGORY_DEPTH_MAX: usize = PATH_DEPTH_MAX;
/// The maximum number of categories with a parent: one row stores all of them.
pub const PLACED_CATEGORIES_MAX: usize = 1_000;

/// The place of a category that has a parent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CategoryPlace {
    /// The first slug of the category above it.
    pub parent: Slug,
    /// The current slug of the category itself, by which the children of a parent are sorted.
    pub slug: Slug,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CategoryEntry {
    /// The first slug of the category.
    pub category: Slug,
    pub place: CategoryPlace,
}

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
    /// Whether the category has this place.
    pub fn is_place_of(&self, category: &Term) -> bool {
        self.category == category.id.first_slug && CategoryPlace::of(category).as_ref() == Some(&self.place)
    }

    fn parent(&self) -> &Slug {
        &self.place.parent
    }

    fn child(&self) -> &Slug {
        &self.category
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

    /// The children of this parent, sorted by slug.
    pub fn below(&self, parent: &Slug) -> Vec<&CategoryEntry> {
        let mut below: Vec<_> = self.0.iter().filter(|entry| entry.parent() == parent).collect();
        below.sort_by(|a, b| (&a.place, &a.category).cmp(&(&b.place, &b.category)));
        below
    }

    /// The parent and all categories above it.
    pub fn above(&self, parent: &Slug) -> Vec<Slug> {
        let mut above = vec![parent.clone()];
        for level in 0.. {
            let Some(category) = above.get(level).cloned() else { break };
            let parents = self.0.iter().filter(|entry| entry.category == category).map(CategoryEntry::parent);
            for parent in parents {
                if !above.contains(parent) {
                    above.push(parent.clone());
                }
            }
        }
        above
    }

    /// Sets the place of a category. `None` removes the category from the tree.
    ///
    /// # Errors
    /// If the category cannot have the place; the tree is then unchanged.
    pub fn place(&mut self, category: &Slug, place: Option<CategoryPlace>) -> Result<(), BadParent> {
        if let Some(place) = &place {
            self.check(category, &place.parent)?;
        }
        self.set(category, place);
        Ok(())
    }

    /// Like [`place`](Self::place), without the check.
    pub fn set(&mut self, category: &Slug, place: Option<CategoryPlace>) {
        self.0.retain(|entry| entry.category != *category);
        self.0.extend(place.map(|place| CategoryEntry { category: category.clone(), place }));
    }

    fn check(&self, category: &Slug, parent: &Slug) -> Result<(), BadParent> {
        let placed: BTreeSet<&Slug> = self.0.iter().map(|entry| &entry.category).collect();
        if placed.len() >= PLACED_CATEGORIES_MAX && !placed.contains(category) {
            return Err(BadParent::TooMany);
        }
        let (above, met) = self.levels(parent, CategoryEntry::child, CategoryEntry::parent);
        if met.contains(category) {
            return Err(BadParent::BelowItself);
        }
        // The category itself is the first level of those below it.
        let (below, _) = self.levels(category, CategoryEntry::parent, CategoryEntry::child);
        if above + below > CATEGORY_DEPTH_MAX { Err(BadParent::TooDeep) } else { Ok(()) }
    }

    /// Counts the levels that begin with a category, and returns their categories, following each entry from `from` to `to`. Stops one level after the limit.
    fn levels<'t>(
        &'t self,
        first: &'t Slug,
        from: impl Fn(&'t CategoryEntry) -> &'t Slug,
        to: impl Fn(&'t CategoryEntry) -> &'t Slug,
    ) -> (usize, BTreeSet<&'t Slug>) {
        let (mut count, mut met) = (0, BTreeSet::new());
        let mut level = BTreeSet::from([first]);
        while !level.is_empty() && count <= CATEGORY_DEPTH_MAX {
            count += 1;
            met.extend(&level);
            level = self.0.iter().filter(|entry| level.contains(from(entry))).map(&to).collect();
        }
        (count, met)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slug(text: &str) -> Slug {
        text.parse().expect("a slug")
    }

    fn below(parent: &str, category: &str) -> CategoryPlace {
        CategoryPlace { parent: slug(parent), slug: slug(category) }
    }

    fn put(tree: &mut CategoryTree, category: &str, parent: &str) -> Result<(), BadParent> {
        tree.place(&slug(category), Some(below(parent, category)))
    }

    #[test]
    fn no_category_is_below_itself() {
        let mut tree = CategoryTree::default();
        put(&mut tree, "b", "a").expect("a place");
        put(&mut tree, "c", "b").expect("a place");
        assert_eq!(put(&mut tree, "a", "b"), Err(BadParent::BelowItself));
        assert_eq!(put(&mut tree, "a", "c"), Err(BadParent::BelowItself));
        assert_eq!(put(&mut tree, "a", "a"), Err(BadParent::BelowItself));
        tree.place(&slug("b"), None).expect("a removal");
        put(&mut tree, "a", "c").expect("a place");
    }

    #[test]
    fn the_depth_is_that_of_both_ends_together() {
        let mut tree = CategoryTree::default();
        for level in 1..CATEGORY_DEPTH_MAX {
            put(&mut tree, &format!("a{level}"), &format!("a{}", level - 1)).expect("a place");
        }
        let last = format!("a{}", CATEGORY_DEPTH_MAX - 1);
        assert_eq!(put(&mut tree, "b", &last), Err(BadParent::TooDeep));
        put(&mut tree, "b2", "b1").expect("a place");
        let above = |from_end: usize| format!("a{}", CATEGORY_DEPTH_MAX - 1 - from_end);
        assert_eq!(put(&mut tree, "b1", &above(1)), Err(BadParent::TooDeep));
        put(&mut tree, "b1", &above(2)).expect("a place");
        assert_eq!(tree.above(&slug("b1")).len(), CATEGORY_DEPTH_MAX - 1);
    }

    #[test]
    fn a_damaged_tree_with_a_cycle_is_walked_to_an_end() {
        let entry =
            |category: &str, parent: &str| CategoryEntry { category: slug(category), place: below(parent, category) };
        let mut tree = CategoryTree::of([entry("a", "b"), entry("b", "a")]);
        assert_eq!(tree.above(&slug("a")), [slug("a"), slug("b")]);
        assert_eq!(put(&mut tree, "c", "a"), Err(BadParent::TooDeep));
    }

    #[test]
    fn the_children_of_a_parent_are_in_the_order_of_their_present_slugs() {
        let mut tree = CategoryTree::default();
        for (category, present) in [("a", "z"), ("b", "b"), ("c", "a")] {
            tree.place(&slug(category), Some(below("p", present))).expect("a place");
        }
        let children: Vec<&str> = tree.below(&slug("p")).into_iter().map(|entry| entry.category.as_str()).collect();
        assert_eq!(children, ["c", "b", "a"]);
        tree.place(&slug("b"), None).expect("a removal");
        assert_eq!(tree.entries().count(), 2);
    }

    #[test]
    fn the_number_of_categories_with_a_parent_is_bounded() {
        let mut tree = CategoryTree::default();
        for category in 0..PLACED_CATEGORIES_MAX {
            tree.set(&slug(&format!("c{category}")), Some(below("top", "x")));
        }
        assert_eq!(put(&mut tree, "more", "top"), Err(BadParent::TooMany));
        put(&mut tree, "c1", "c2").expect("it has a parent already");
    }
}
