//! The categories above those of posts, by their names, as Hexo has them. The rule: a name that is below two others has no parent, and a note says so, because a name is one
//! category here.

use std::collections::BTreeMap;

use super::Note;
use super::terms::folded;

/// The names of categories, by the names of those below them.
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

    /// The name of the category above this one.
    pub fn above(&self, name: &str) -> Option<&str> {
        match self.0.get(&folded(name))? {
            Above::One(parent) => Some(parent),
            Above::Several(_) => None,
        }
    }

    /// The notes about the names that are below several.
    pub(super) fn notes(&self) -> Vec<Note> {
        let several = self.0.values().filter_map(|above| match above {
            Above::Several(name) => Some(name),
            Above::One(_) => None,
        });
        let text = "is below several categories, so it is imported without a parent";
        several.map(|name| Note { origin: format!("category {name}"), text: text.to_owned() }).collect()
    }
}
