//! The row of the tree of categories. The rule: an entry is valid only if its category has the same parent; without entries, there is no row.

use serde::{Deserialize, Serialize};

use crate::keys::Table;
use crate::model::{CategoryEntry, CategoryPlace, CategoryTree, Slug, TermKind};
use crate::store::{Entity, Properties, StoreError};

use super::packed::TooLarge;
use super::{RowFields, packed};

pub const TABLE: Table = Table::Terms(TermKind::Category);

const ENTRIES: &str = "Entries";

/// An entry as stored: texts, which are parsed when the row is read.
#[derive(Serialize, Deserialize)]
struct StoredEntry {
    category: String,
    parent: String,
    /// Absent if it is the first slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slug: Option<String>,
}

impl StoredEntry {
    fn of(CategoryEntry { category, place }: &CategoryEntry) -> Self {
        let slug = Some(&place.slug).filter(|slug| *slug != category);
        Self { category: category.to_string(), parent: place.parent.to_string(), slug: slug.map(Slug::to_string) }
    }

    /// `None` if it is damaged.
    fn read(self) -> Option<CategoryEntry> {
        let category: Slug = self.category.parse().ok()?;
        let slug = self.slug.map_or_else(|| Ok(category.clone()), |slug| slug.parse()).ok()?;
        let place = CategoryPlace { parent: self.parent.parse().ok()?, slug };
        Some(CategoryEntry { category, place })
    }
}

pub fn read(row: &Entity) -> Result<CategoryTree, StoreError> {
    let fields = RowFields(row);
    let json = packed::unpack(&fields, ENTRIES)?;
    let stored: Vec<StoredEntry> = serde_json::from_slice(&json).map_err(|_| fields.damaged(ENTRIES))?;
    let entries: Option<Vec<CategoryEntry>> = stored.into_iter().map(StoredEntry::read).collect();
    Ok(CategoryTree::of(entries.ok_or_else(|| fields.damaged(ENTRIES))?))
}

pub fn read_optional(row: Option<&Entity>) -> Result<CategoryTree, StoreError> {
    row.map_or_else(|| Ok(CategoryTree::default()), read)
}

/// `None` if there is nothing to store.
pub fn row(tree: &CategoryTree) -> Result<Option<Properties>, TooLarge> {
    if tree.is_empty() {
        return Ok(None);
    }
    let entries: Vec<StoredEntry> = tree.entries().map(StoredEntry::of).collect();
    let json = serde_json::to_vec(&entries).expect("texts can be written as JSON");
    let mut properties = Properties::new();
    packed::pack(&mut properties, ENTRIES, &json)?;
    Ok(Some(properties))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::category_tree as keys;
    use crate::store::{Etag, Value};

    fn entity(properties: Properties) -> Entity {
        Entity { key: keys::tree(), etag: Etag("1".into()), properties }
    }

    fn slug(text: &str) -> Slug {
        text.parse().expect("a slug")
    }

    #[test]
    fn the_tree_is_read_as_it_was_written_and_a_damaged_row_is_an_error() {
        let mut tree = CategoryTree::default();
        assert!(row(&tree).expect("it fits").is_none());
        tree.set(&slug("a"), Some(CategoryPlace { parent: slug("p"), slug: slug("a") }));
        tree.set(&slug("b"), Some(CategoryPlace { parent: slug("a"), slug: slug("renamed") }));
        let properties = row(&tree).expect("it fits").expect("a row");
        assert_eq!(read(&entity(properties)).expect("a row"), tree);
        for damaged in ["{}", "[{}]", r#"[{"category":"A"}]"#, r#"[{"category":"a","parent":"-"}]"#] {
            let mut properties = Properties::new();
            packed::pack(&mut properties, ENTRIES, damaged.as_bytes()).expect("it fits");
            assert!(read(&entity(properties)).is_err(), "{damaged}");
        }
        let mut properties = Properties::new();
        properties.set("Entries0", Value::String("x".into()));
        assert!(read(&entity(properties)).is_err());
    }

    #[test]
    fn the_largest_tree_fits_one_row() {
        let long = |n: usize, of: &str| -> Slug {
            let hash = |part: usize| format!("{:016x}", (n * 31 + part).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let text: String = (0..12).map(|part| hash(part + of.len() * 100)).collect();
            slug(&format!("{of}{text}")[..200.min(of.len() + text.len())])
        };
        let entries = (0..crate::model::category_tree::PLACED_CATEGORIES_MAX).map(|n| CategoryEntry {
            category: long(n, "a"),
            place: CategoryPlace { parent: long(n, "bb"), slug: long(n, "ccc") },
        });
        row(&CategoryTree::of(entries)).expect("it fits");
    }
}
