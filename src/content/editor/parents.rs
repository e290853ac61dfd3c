//! The parent of a category, as a change names it. The rule: the parent is looked up before the change; the transaction checks whether the category can have
//! it.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::content::commands::{Patch, UserError};
use crate::content::error::Result;
use crate::model::{BadParent, NodeId, Slug, TermKind};

use super::Editor;

/// The field of an input that names it.
const FIELD: &str = "parentId";

/// A category that an input names as the parent of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct NamedParent {
    /// The id as the client has sent it.
    id: String,
    /// The first slug of the category with this id; `None` if it was not looked up, or does not exist.
    #[serde(skip)]
    first_slug: Option<Slug>,
}

impl From<String> for NamedParent {
    /// The category is not looked up yet.
    fn from(id: String) -> Self {
        Self { id, first_slug: None }
    }
}

impl NamedParent {
    /// # Errors
    /// If there is no category with the id.
    pub(super) fn found(self) -> std::result::Result<Slug, UserError> {
        self.first_slug.ok_or_else(|| bad_parent(BadParent::Missing))
    }
}

impl Editor<'_> {
    /// The parent that a change names. At most two point reads.
    pub(super) async fn find_parent(&self, named: Patch<NamedParent>) -> Result<Patch<NamedParent>> {
        let Patch::Set(NamedParent { id, .. }) = named else { return Ok(named) };
        let found = match id.parse() {
            Ok(NodeId::Term(of)) if of.key.kind == TermKind::Category => self.reader.term_by_id(&of).await?,
            _ => None,
        };
        Ok(Patch::Set(NamedParent { id, first_slug: found.map(|category| category.id.first_slug.clone()) }))
    }

    /// The error if a category with children is to be deleted; `None` if it has no children. One point read.
    pub(super) async fn below_deleted(&self, first_slug: &Slug) -> Result<Option<UserError>> {
        let tree = self.reader.category_tree().await?;
        let below: BTreeSet<&Slug> = tree.below(first_slug).into_iter().map(|entry| &entry.category).collect();
        let message = format!("{} categories are below this category; move or delete them first", below.len());
        Ok((!below.is_empty()).then(|| UserError::in_use("id", message, below.len() as u64)))
    }
}

/// The error of the input for a parent that the category cannot have.
pub(super) fn bad_parent(why: BadParent) -> UserError {
    let message = why.to_string();
    match why {
        BadParent::Missing => UserError::not_found(FIELD, message),
        BadParent::BelowItself => UserError::invalid(FIELD, message),
        BadParent::TooDeep | BadParent::TooMany => UserError::too_large(FIELD, message),
    }
}
