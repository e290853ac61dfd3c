//! The row of `Categories` with the tree of categories. The rule: no slug begins with the name of its partition, so no list contains it.

use crate::store::Key;

use super::key;

pub const TREE_PARTITION: &str = "!tree";

pub fn tree() -> Key {
    key(TREE_PARTITION, "!tree")
}
