//! Rows of `Categories`, `Tags` and `Authors`. The rule: a slug that a term once had keeps a row, which leads to the term.

use crate::keys::term as keys;
use crate::model::{Slug, Term, TermId, TermKind};
use crate::store::{Entity, Properties, StoreError};

use super::{Fields, NewRow};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermRow {
    Term(Term),
    /// The slug that the term has now.
    ForwardTo(Slug),
}

pub fn row(term: &Term) -> Properties {
    NewRow::default()
        .text("FirstSlug", &term.id.first_slug)
        .text("Name", &term.name)
        .optional_text("Description", term.description.as_deref())
        .optional_text("Url", term.url.as_deref())
        .build()
}

pub fn read(kind: TermKind, row: &Entity) -> Result<TermRow, StoreError> {
    let fields = Fields(row);
    if fields.optional_text("ForwardTo")?.is_some() {
        return Ok(TermRow::ForwardTo(fields.parsed("ForwardTo")?));
    }
    let (slug, _) = keys::parse_row(row.key.row()).ok_or_else(|| fields.damaged("RowKey"))?;
    Ok(TermRow::Term(Term {
        id: TermId { kind, first_slug: fields.parsed("FirstSlug")? },
        slug,
        name: fields.text("Name")?.to_string(),
        description: fields.optional_text("Description")?.map(ToString::to_string),
        url: fields.optional_text("Url")?.map(ToString::to_string),
    }))
}
