//! The parents of categories, by name, as in Hexo. The rule: a name that is below two others has no parent, and a note says so, because a name is one
//! category in Tidings.

use std::collections::BTreeMap;

use super::Note;
use super::terms::folded;

/// The names of the parents, by the names of the categories.
#[derive(Debug, Default)]
pub struct CategoryTree(BTreeMap<String, Above>);

#[derive(Debug)]
enum Above {
    One(String),
    /// The name of the category itself.
    Several(String),
}

impl CategoryTree {
    pub(super) fn add(&mut self, parent: &str, name: &str) {
        let (key, above) = (folded(name), folded(parent));
        if key == above {
            return;
        }
        let known = self.0.entry(key).or_insert_with(|| Above::One(parent.to_owned()));
        if matches!(known, Above::One(known) if folded(known) != above) {
            *known = Above::Several(name.to_owned());
        }
    }

    /// The name of the parent.
    pub fn above(&self, name: &str) -> Option<&str> {
        match self.0.get(&folded(name))? {
            Above::One(parent) => Some(parent),
            Above::Several(_) => None,
        }
    }

    /// Notes the names that are below several others.
    pub(super) fn notes(&self) -> Vec<Note> {
        let several = self.0.values().filter_map(|above| match above {
            Above::Several(name) => Some(name),
            Above::One(_) => None,
        });
        let text = "is below several categories, so it is imported without a parent";
        several.map(|name| Note { origin: format!("category {name}"), text: text.to_owned() }).collect()
    }
}
