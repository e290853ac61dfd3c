//! The places of categories inside a transaction. The rule: the transaction that changes a category reads and replaces the row of the tree, so
//! every place in the tree belongs to a category that has it.

use crate::content::tables::rows::category_tree as tree_rows;
use crate::content::write::outcomes::TermOutcome;
use crate::content::write::plan::{self, NewPlace, TermChange};
use crate::keys::category_tree as keys;
use crate::model::{Slug, TermKind};
use crate::store::StoreError;

use super::overlay::Overlay;

/// Gives a category its new place. Returns the refusal if the category cannot have the place, or if its deletion would leave others below it.
/// The caller has checked that the parent exists.
pub(super) fn place(rows: &mut Overlay<'_>, change: &TermChange) -> Result<Option<TermOutcome>, StoreError> {
    let id = &change.term().id;
    if id.kind != TermKind::Category {
        return Ok(None);
    }
    if change.after.is_none() && has_children(rows, &id.first_slug)? {
        return Ok(Some(TermOutcome::InUse));
    }
    let Some(NewPlace { category, place }) = plan::new_place(change.before(), change.after.as_ref()) else {
        return Ok(None);
    };
    let row = rows.get(tree_rows::TABLE, &keys::tree())?;
    let mut tree = tree_rows::read_optional(row.as_ref())?;
    if let Err(why) = tree.place(&category, place) {
        return Ok(Some(TermOutcome::Parent(why)));
    }
    match tree_rows::row(&tree).map_err(|e| StoreError::limit(e.to_string()))? {
        Some(properties) => rows.put(tree_rows::TABLE, keys::tree(), properties),
        None => rows.delete(tree_rows::TABLE, keys::tree()),
    }
    Ok(None)
}

fn has_children(rows: &Overlay<'_>, parent: &Slug) -> Result<bool, StoreError> {
    let row = rows.get(tree_rows::TABLE, &keys::tree())?;
    Ok(!tree_rows::read_optional(row.as_ref())?.below(parent).is_empty())
}
